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
