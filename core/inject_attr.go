package core

import "bytes"

// attr is one attribute of a complete tag, as indices into it.
type attr struct {
	from, to     int  // the name
	vfrom, vto   int  // the value, without quotes
	equals, bare bool // "=" stands there; the value has no quotes
}

// nextAttr returns the first attribute at or after tag[i], and where to go on. ok is false at the tag's end.
func nextAttr(tag []byte, i int) (a attr, next int, ok bool) {
	for i < len(tag) && (isSpace(tag[i]) || tag[i] == '/') {
		i++
	}
	if i >= len(tag) || tag[i] == '>' {
		return a, i, false
	}
	a.from = i
	i++ // whatever it is: "=" may begin a name
	for i < len(tag) && attrLetter[tag[i]] {
		i++
	}
	a.to = i
	for i < len(tag) && isSpace(tag[i]) {
		i++
	}
	if i >= len(tag) || tag[i] != '=' {
		a.vfrom, a.vto = a.to, a.to
		return a, i, true
	}
	a.equals = true
	i++
	for i < len(tag) && isSpace(tag[i]) {
		i++
	}
	a.vfrom, a.vto = i, i
	if i >= len(tag) {
		return a, i, true
	}
	switch q := tag[i]; q {
	case '>':
		a.bare = true
	case '"', '\'':
		i++
		a.vfrom = i
		k := bytes.IndexByte(tag[i:], q)
		if k < 0 {
			k = len(tag) - i
		}
		a.vto = i + k
		i = min(a.vto+1, len(tag))
	default:
		a.bare = true
		for i < len(tag) && !isSpace(tag[i]) && tag[i] != '>' {
			i++
		}
		a.vto = i
	}
	return a, i, true
}

// attrLetter are the bytes that go on an attribute's name.
var attrLetter = func() (t [256]bool) {
	for c := range t {
		switch byte(c) {
		case ' ', '\n', '\t', '\r', '\f', '/', '>', '=':
		default:
			t[c] = true
		}
	}
	return
}()

// nameEnd returns the index behind the name of a start tag.
func nameEnd(tag []byte) int {
	i := 1
	for i < len(tag) && !isSpace(tag[i]) && tag[i] != '/' && tag[i] != '>' {
		i++
	}
	return i
}

// isFirst reports whether no attribute of that name stands before a. HTML ignores all but the first.
func isFirst(tag []byte, a attr) bool {
	for b, i, ok := nextAttr(tag, nameEnd(tag)); ok && b.from < a.from; b, i, ok = nextAttr(tag, i) {
		if sameName(string(tag[b.from:b.to]), string(tag[a.from:a.to])) {
			return false
		}
	}
	return true
}

// isSpace reports whether c is white space between attributes.
func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f'
}

// nameIs reports whether name is the word, which is in lower case, in any letter case.
func nameIs(name []byte, word string) bool {
	if len(name) != len(word) {
		return false
	}
	for i := range name {
		if lower(name[i]) != word[i] {
			return false
		}
	}
	return true
}

// textIs reports whether b is s. Unlike string(b) == s it allocates with no compiler.
func textIs(b []byte, s string) bool {
	if len(b) != len(s) {
		return false
	}
	for i := range b {
		if b[i] != s[i] {
			return false
		}
	}
	return true
}
