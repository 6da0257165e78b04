package core

import "bytes"

// rawText reads the content of an element that holds no tags but its own end tag: script, style, textarea,
// title, xmp, iframe, noembed, noframes (HTML standard §13.2.5.2 to §13.2.5.4 and §13.2.5.9 to §13.2.5.31).
type rawText struct {
	name   tagName
	closed bool // the end tag's name has been read

	state rawState
	word  tagName // of what may be an end tag, or a script in a comment of a script
	esc   escape
	dash  int // dashes just seen, at most 2; counts in escaped text only
}

// rawState is where a rawText stands.
type rawState uint8

const (
	rawData rawState = iota
	rawLess
	rawSlash
	rawEndName   // in the name of an end tag
	rawBang      // script: after "<!"
	rawBangDash  // script: after "<!-"
	rawStartName // script: in the name of a start tag in escaped text
)

// escape is what a script's "<!--" began (HTML standard §13.2.5.20, §13.2.5.27).
type escape uint8

const (
	notEscaped escape = iota
	escaped
	doubleEscaped // after "<script" in escaped text: "</script>" does not end the element there
)

// begin starts behind the start tag of an element.
func (r *rawText) begin(name tagName) { *r = rawText{name: name} }

// scan reads on from b[i] and returns where it stopped: len(b), or, with closed, behind the name of the end
// tag.
func (r *rawText) scan(b []byte, i int) int {
	for i < len(b) {
		c := b[i]
		switch r.state {
		case rawData:
			if r.esc == notEscaped {
				k := bytes.IndexByte(b[i:], '<')
				if k < 0 {
					return len(b)
				}
				i += k + 1
				r.state = rawLess
				continue
			}
			i++
			switch {
			case c == '-':
				r.dash = min(r.dash+1, 2)
			case c == '<':
				r.dash = 0
				r.state = rawLess
			case c == '>' && r.dash == 2:
				r.dash = 0
				r.esc = notEscaped
			default:
				r.dash = 0
			}

		case rawLess:
			switch {
			case c == '/':
				i++
				r.state = rawSlash
			case c == '!' && r.esc == notEscaped && r.name == nameScript:
				i++
				r.state = rawBang
			case r.esc == escaped && isLetter(c):
				r.word = 0
				r.state = rawStartName
			default:
				r.state = rawData
			}

		case rawSlash:
			r.word = 0
			r.state = rawEndName

		case rawEndName:
			if isLetter(c) {
				i++
				r.word = r.word.add(c)
				continue
			}
			r.state = rawData
			if r.word != r.name || !isSpace(c) && c != '/' && c != '>' {
				continue
			}
			if r.esc == doubleEscaped {
				i++
				r.esc = escaped
				continue
			}
			r.closed = true
			return i

		case rawStartName:
			if isLetter(c) {
				i++
				r.word = r.word.add(c)
				continue
			}
			r.state = rawData
			if r.word == nameScript && (isSpace(c) || c == '/' || c == '>') {
				i++
				r.esc = doubleEscaped
			}

		case rawBang, rawBangDash:
			if c != '-' {
				r.state = rawData
				continue
			}
			i++
			if r.state == rawBang {
				r.state = rawBangDash
				continue
			}
			r.state, r.esc, r.dash = rawData, escaped, 2
		}
	}
	return i
}

// comment reads on in a comment from b[i] and returns where it stopped. A comment ends with "-->" and "--!>",
// and right after its begin with ">" and "->" too (HTML standard §13.2.5.43 to §13.2.5.52).
func (j *Injector) comment(b []byte, i int) int {
	for i < len(b) {
		if j.dash == 0 && !j.bang && !j.fresh {
			k := bytes.IndexByte(b[i:], '-')
			if k < 0 {
				return len(b)
			}
			i += k
		}
		c := b[i]
		i++
		switch {
		case c == '-':
			if j.bang {
				j.dash, j.bang = 0, false
			}
			j.dash = min(j.dash+1, 2)
		case c == '>' && (j.fresh || j.dash == 2):
			j.state = inText
			return i
		case c == '!' && j.dash == 2 && !j.bang:
			j.bang = true
			j.fresh = false
		default:
			j.dash, j.bang, j.fresh = 0, false, false
		}
	}
	return i
}

// cdata reads on in a CDATA section from b[i] and returns where it stopped (HTML standard §13.2.5.69).
func (j *Injector) cdata(b []byte, i int) int {
	for i < len(b) {
		if j.dash == 0 {
			k := bytes.IndexByte(b[i:], ']')
			if k < 0 {
				return len(b)
			}
			i += k
		}
		switch c := b[i]; {
		case c == ']':
			j.dash = min(j.dash+1, 2)
		case c == '>' && j.dash == 2:
			j.state = inText
			return i + 1
		default:
			j.dash = 0
		}
		i++
	}
	return i
}
