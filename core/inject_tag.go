package core

import "bytes"

// tagScan finds the end of a tag and, on the way, its name and whether an attribute of interest may be in it
// (HTML standard §13.2.5.6 to §13.2.5.40). It can stop and go on anywhere.
type tagScan struct {
	name  tagName
	state tagState
	end   bool // an end tag
	slash bool // "/" stands right before ">": self-closing, where that counts
	quote byte // of the value being read
	seen  seen // attributes that may be there
	from  int  // where the attribute name being read begins, in the slice given to scan
}

// tagState is where a tagScan stands.
type tagState uint8

const (
	tagInName    tagState = iota
	tagBetween            // before attribute name, after a quoted value, after "/"
	tagAttr               // in an attribute's name
	tagAfterAttr          // white space after an attribute's name
	tagBefore             // after "="
	tagQuoted
	tagUnquoted
)

// seen says which attributes of interest a tag may have. A set bit is a reason to look, no more: names are
// judged by their length and first letter.
type seen uint8

const (
	seenAria  seen = 1 << iota // aria-invalid
	seenClass                  // class
	seenPlace                  // formaction, hx-post and the like
	seenAll   = seenAria | seenClass | seenPlace
)

// begin starts with the first letter of a name still to come.
func (t *tagScan) begin(end bool) {
	*t = tagScan{end: end}
}

// resume starts behind the name of an end tag.
func (t *tagScan) resume(name tagName) {
	*t = tagScan{end: true, name: name}
}

// cut says that the slice given to scan is another one now: what was seen in the last one may be incomplete.
func (t *tagScan) cut() {
	t.seen = seenAll
	t.from = 0
}

// scan reads the tag on from b[i] and returns the index behind its ">", or len(b) and false if b ends first.
func (t *tagScan) scan(b []byte, i int) (int, bool) {
	s := t.state
	for i < len(b) {
		c := b[i]
		switch s {
		case tagInName:
			switch c {
			case ' ', '\n', '\t', '\r', '\f', '/':
				t.slash = c == '/'
				s = tagBetween
			case '>':
				return i + 1, true
			default:
				t.name = t.name.add(c)
			}
			i++

		case tagBetween:
			switch c {
			case ' ', '\n', '\t', '\r', '\f':
				t.slash = false
			case '/':
				t.slash = true
			case '>':
				return i + 1, true
			default:
				// "=" here is the first letter of a name.
				t.slash = false
				t.from = i
				s = tagAttr
			}
			i++

		case tagAttr:
			for i < len(b) && attrLetter[b[i]] {
				i++
			}
			if i == len(b) {
				break
			}
			c = b[i]
			t.note(b[t.from:i])
			switch c {
			case '=':
				s = tagBefore
			case '/':
				t.slash = true
				s = tagBetween
			case '>':
				return i + 1, true
			default:
				s = tagAfterAttr
			}
			i++

		case tagAfterAttr:
			switch c {
			case ' ', '\n', '\t', '\r', '\f':
			case '=':
				s = tagBefore
			case '/':
				t.slash = true
				s = tagBetween
			case '>':
				return i + 1, true
			default:
				t.from = i
				s = tagAttr
			}
			i++

		case tagBefore:
			switch c {
			case ' ', '\n', '\t', '\r', '\f':
			case '"', '\'':
				t.quote = c
				s = tagQuoted
			case '>':
				return i + 1, true
			default:
				s = tagUnquoted
			}
			i++

		case tagQuoted:
			k := bytes.IndexByte(b[i:], t.quote)
			if k < 0 {
				i = len(b)
				break
			}
			i += k + 1
			s = tagBetween

		case tagUnquoted:
			switch c {
			case ' ', '\n', '\t', '\r', '\f':
				s = tagBetween
			case '>':
				return i + 1, true
			}
			i++
		}
	}
	t.state = s
	return i, false
}

// note looks at an attribute's name, or at the end of one that was cut.
func (t *tagScan) note(name []byte) {
	switch len(name) {
	case len("class"):
		if lower(name[0]) == 'c' {
			t.seen |= seenClass
		}
	case len("aria-invalid"): // and data-hx-post
		switch lower(name[0]) {
		case 'a':
			t.seen |= seenAria
		case 'd':
			t.seen |= seenPlace
		}
	case len("formaction"):
		if lower(name[0]) == 'f' {
			t.seen |= seenPlace
		}
	case len("hx-put"), len("hx-post"), len("hx-patch"), len("hx-delete"):
		if lower(name[0]) == 'h' {
			t.seen |= seenPlace
		}
	case len("data-hx-put"), len("data-hx-patch"), len("data-hx-delete"):
		if lower(name[0]) == 'd' {
			t.seen |= seenPlace
		}
	}
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
