package core

import "bytes"

// Injection says how the keys of one html answer are made and where the answer stands (contract §6).
type Injection struct {
	// Page is path and query of the page as the visitor sees it: the base of relative actions. A <base href>
	// in the page beats it. For a fragment it is the page into which the fragment goes.
	Page string
	// Site is scheme://host[:port] of the visitor's side. Only forms with an action there get a key.
	Site string
	// Upstream is scheme://host[:port] of the origin behind ORIGIN_URL, "" if there is none. Form actions
	// there (action, formaction, hx-post and its siblings) and a <base href> there are rewritten to Site, and
	// count as same-origin (contract §7).
	Upstream string
	// Mint makes a key for a form. The method is in upper case; the path is absolute and as a browser will
	// send it: as written in the page, percent-encoding untouched, without query. "" leaves the form alone.
	// The key must need no escaping in an attribute value: letters, digits, '-', '_'.
	Mint func(method, path string, repeat bool) string
	// Keep reports whether the origin makes the keys of this form itself (rule mint = "origin"): then its own
	// fields stay as they are. It may be nil.
	Keep func(method, path string) bool
	// Redisplay are class names that mark a redisplayed form, besides aria-invalid="true" (contract §1).
	Redisplay []string
	// Script is markup that becomes the first thing in the head of a full page, "" for none. Nonce, if there
	// is one, is added to its first tag.
	Script, Nonce string
	// Turbo says that the answer is text/vnd.turbo-stream.html: only forms inside <turbo-stream><template>.
	Turbo bool
}

// longestTag is the most that an Injector holds back, in bytes. A tag that is longer passes untouched.
const longestTag = 64 << 10

// Injector puts keys into the forms of one html answer while it streams through (contract §6). It is a
// tokenizer by the HTML standard (§13.2.5), with as much of the tree builder as decides which <form> is a
// form: raw text, templates, select, svg and math, and the form element pointer. Bytes that it does not have
// to change pass as they are, whatever they are. It holds back one incomplete tag at most, 64 KiB.
//
// An Injector serves one answer and one goroutine.
type Injector struct {
	n     Injection
	state injectState
	held  []byte // the incomplete token at the end of what Write has seen, not yet passed on
	long  bool   // the tag being read is longer than longestTag and is not held

	tag   tagScan // the tag being read
	raw   rawText // the raw text element being read, and its end tag
	mark  byte    // what may be half a byte order mark
	dash  int     // dashes just seen in a comment, brackets in a CDATA section
	bang  bool    // "--!" just seen in a comment
	fresh bool    // nothing but dashes since "<!--"

	head  headState
	nest  nesting
	outer []nesting // around the templates that are open
	deep  int       // templates open beyond deepest
	tree  []element // open elements from the outermost svg or math on, see inject_foreign.go

	hides                bool    // a noscript is open
	hidden               nesting // around it
	hiddenIn, treeHidden int     // the lengths of outer and tree around it

	site, up origin
	base     place
	based    bool // the first <base href> has been seen

	edits       []edit
	before      string // goes in front of the tag just read
	after       []byte // goes behind it
	decoded     []byte // an attribute value without its character references
	keyed       int
	changed     bool
	redisplayed bool
}

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

// nesting is what the tree builder's stack of open elements would tell.
type nesting struct {
	form   openForm
	forms  []openForm // outer forms; only in a turbo template, where forms nest
	chosen bool       // a select is open
	tables int        // tables that are open
	tree   int        // length of Injector.tree where this nesting begins
	turbo  bool       // inside <turbo-stream><template>
	stream bool       // a <turbo-stream> was the last tag
}

// openForm is the form to which the fields that come now belong.
type openForm struct {
	open bool
	key  string // "" if it got none
	id   string
}

// edit replaces tag[from:to] by text.
type edit struct {
	from, to int
	text     string
}

// NewInjector returns an Injector for one answer.
func NewInjector(n Injection) *Injector {
	j := &Injector{n: n}
	j.site, j.up = originOf(n.Site), originOf(n.Upstream)
	j.base = place{j.site, pathOf(n.Page)}
	if n.Turbo || n.Script == "" {
		j.head = headDone
	}
	return j
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

// Close appends what is still held back, an incomplete tag, as it came.
func (j *Injector) Close(dst []byte) []byte {
	dst = append(dst, j.held...)
	j.held = nil
	j.state = inRest
	return dst
}

// Keyed returns how many forms got a key so far, forms whose own key was kept (Keep) included: with one of
// them the page is a page of contract §6.
func (j *Injector) Keyed() int { return j.keyed }

// Changed reports whether the output differs from the input so far: a key, a rewritten place or the script.
func (j *Injector) Changed() bool { return j.changed }

// Redisplayed reports whether a tag with aria-invalid="true" or with one of the Redisplay class names has
// been seen (contract §1). Templates do not count: what stands there is not displayed.
func (j *Injector) Redisplayed() bool { return j.redisplayed }

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

// isLetter reports whether c is an ASCII letter.
func isLetter(c byte) bool {
	c |= 0x20
	return 'a' <= c && c <= 'z'
}
