package core

import (
	"bytes"
	"slices"
)

// longestTag is the most that an Injector holds back, in bytes. A tag that is longer passes untouched.
const longestTag = 64 << 10

// injectState is where an Injector stands between two bytes. The names follow the tokenizer states of the
// HTML standard, §13.2.5.
type injectState uint8

const (
	inStart       injectState = iota // before the first byte that could begin a byte order mark
	inMark                           // after its first byte
	inText                           // data
	inLess                           // after "<"
	inSlash                          // after "</"
	inTag                            // from the first letter of a tag's name to its ">"
	inBang                           // after "<!"
	inBangDash                       // after "<!-"
	inBangBracket                    // after "<![", in foreign content
	inComment                        // after "<!--"
	inBogus                          // to the next ">"
	inCDATA                          // to the next "]]>"
	inRaw                            // script, style, textarea …, see rawText
	inRest                           // nothing is looked at any more
)

// edit replaces tag[from:to] by text.
type edit struct {
	from, to int
	text     string
}

// Write appends to dst all that may leave now of what was held back and of src, which may be cut anywhere.
// It keeps no reference to either.
func (j *Injector) Write(dst, src []byte) []byte {
	// src[mark:i] is read and neither in dst nor held. Of a token that is not complete, the part from an
	// earlier Write is in held, and start is where the rest begins in src.
	i, mark, start := 0, 0, 0
	if j.state == inTag {
		j.tag.cut()
	}
	for i < len(src) {
		switch j.state {
		case inStart:
			// A UTF-16 byte order mark beats every charset label (Encoding Standard §6.1).
			if c := src[i]; c != 0xFE && c != 0xFF {
				j.state = inText
			} else {
				i++
				j.mark = c
				j.state = inMark
			}

		case inMark:
			j.state = inText
			if src[i] == 0xFE^0xFF^j.mark {
				j.state = inRest
			}

		case inText:
			k := bytes.IndexByte(src[i:], '<')
			text := src[i:]
			if k >= 0 {
				text = text[:k]
			}
			if j.head != headDone {
				if n := j.headText(text); n >= 0 {
					dst = append(dst, src[mark:i+n]...)
					dst = j.appendScript(dst)
					mark = i + n
				}
			}
			if k < 0 {
				i = len(src)
				break
			}
			start = i + k
			i = start + 1
			j.state = inLess

		case inLess:
			switch c := src[i]; {
			case isLetter(c):
				j.tag.begin(false)
				j.state = inTag
			case c == '/':
				i++
				j.state = inSlash
			case c == '!':
				i++
				j.state = inBang
			case c == '?':
				dst = j.pass(dst, inBogus)
			default:
				// "<" that begins nothing is text; the byte after it may be another "<".
				dst = j.pass(dst, inText)
			}

		case inSlash:
			switch c := src[i]; {
			case isLetter(c):
				j.tag.begin(true)
				j.state = inTag
			case c == '>':
				i++
				dst = j.pass(dst, inText)
			default:
				dst = j.pass(dst, inBogus)
			}

		case inTag:
			end, done := j.tag.scan(src, i)
			i = end
			if !done {
				break
			}
			tag := src[start:i]
			if len(j.held) > 0 {
				j.held = append(j.held, tag...)
				tag = j.held
			}
			if len(tag) > longestTag {
				j.long = true
			}
			if j.long {
				tag = nil
			}
			j.state = inText
			j.readTag(tag)
			j.long = false
			switch {
			case len(j.edits) > 0 || j.before != "" || len(j.after) > 0:
				if len(j.held) == 0 {
					dst = append(dst, src[mark:start]...)
				}
				dst = j.write(dst, tag)
				mark = i
			case len(j.held) > 0:
				dst = append(dst, tag...)
				mark = i
			}
			j.held = j.held[:0]

		case inBang:
			switch c := src[i]; {
			case c == '-':
				i++
				j.state = inBangDash
			case c == '[' && j.foreign():
				i++
				j.dash = 0
				j.state = inBangBracket
			default:
				if lower(c) == 'd' {
					j.headDoctype()
				}
				dst = j.pass(dst, inBogus)
			}

		case inBangDash:
			if src[i] == '-' {
				i++
				j.dash, j.bang, j.fresh = 0, false, true
				dst = j.pass(dst, inComment)
			} else {
				dst = j.pass(dst, inBogus)
			}

		case inBangBracket:
			const cdata = "CDATA["
			switch {
			case src[i] != cdata[j.dash]:
				dst = j.pass(dst, inBogus)
			case j.dash < len(cdata)-1:
				i++
				j.dash++
			default:
				i++
				j.dash = 0
				dst = j.pass(dst, inCDATA)
			}

		case inComment:
			i = j.comment(src, i)
		case inCDATA:
			i = j.cdata(src, i)
		case inBogus:
			if k := bytes.IndexByte(src[i:], '>'); k >= 0 {
				i += k + 1
				j.state = inText
			} else {
				i = len(src)
			}
		case inRaw:
			i = j.raw.scan(src, i)
			if j.raw.closed {
				// What follows the name of the end tag is the rest of a tag like any other, but nothing will
				// be put there: so there is nothing to hold.
				j.tag.resume(j.raw.name)
				j.long = true
				j.state = inTag
			}
		default:
			i = len(src)
		}
	}
	switch j.state {
	case inLess, inSlash, inTag, inBang, inBangDash, inBangBracket:
		if j.long {
			break
		}
		if len(j.held) == 0 {
			dst = append(dst, src[mark:start]...)
		}
		j.held = append(j.held, src[start:]...)
		if len(j.held) > longestTag {
			j.long = true
			dst = append(dst, j.held...)
			j.held = j.held[:0]
		}
		return dst
	}
	return append(dst, src[mark:]...)
}

// pass lets the held begin of a token go, because it turned out to be no tag, and goes on in state s.
func (j *Injector) pass(dst []byte, s injectState) []byte {
	dst = append(dst, j.held...)
	j.held = j.held[:0]
	j.state = s
	return dst
}

// write appends the tag as edited, with what goes before and behind it, and forgets the edits.
func (j *Injector) write(dst, tag []byte) []byte {
	dst = append(dst, j.before...)
	at := 0
	for _, e := range j.edits {
		dst = append(dst, tag[at:e.from]...)
		dst = append(dst, e.text...)
		at = e.to
	}
	dst = append(dst, tag[at:]...)
	dst = append(dst, j.after...)
	j.edits, j.before, j.after = j.edits[:0], "", j.after[:0]
	j.changed = true
	return dst
}

// edit notes that tag[from:to] is to be replaced. Edits do not overlap; they may come in any order.
func (j *Injector) edit(from, to int, text string) {
	k := len(j.edits)
	for k > 0 && j.edits[k-1].from > from {
		k--
	}
	j.edits = slices.Insert(j.edits, k, edit{from, to, text})
}

// isLetter reports whether c is an ASCII letter.
func isLetter(c byte) bool {
	c |= 0x20
	return 'a' <= c && c <= 'z'
}
