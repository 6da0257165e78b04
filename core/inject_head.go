package core

import "strings"

// headState says whether the script still has to find its place.
type headState uint8

const (
	headWaits headState = iota // nothing but white space and comments so far
	headFull                   // a doctype or <html> has been seen: it is a full page
	headDone                   // the script is in, or has no place here
)

// headDoctype sees something that can only be a doctype.
func (j *Injector) headDoctype() {
	if j.head == headWaits {
		j.head = headFull
	}
}

// headTag gives the script its place at the first tag of a page: behind <head>, or, where a full page leaves
// that out, in front of what comes instead. There it stands before a <base>, which would move it, and before
// a policy in a <meta>.
func (j *Injector) headTag(name tagName, tag []byte) {
	full := j.head == headFull
	if name == nameHtml && !j.tag.end {
		j.head = headFull
		return
	}
	j.head = headDone
	switch {
	case tag == nil:
	case name == nameHead && !j.tag.end:
		j.after = j.appendScript(j.after)
	case full:
		j.before = string(j.appendScript(nil))
	}
}

// headText returns where in a text the script has its place, or -1. White space and a byte order mark do not
// end the wait for a head.
func (j *Injector) headText(text []byte) int {
	for i, c := range text {
		if isSpace(c) || c == 0xEF || c == 0xBB || c == 0xBF {
			continue
		}
		full := j.head == headFull
		j.head = headDone
		if !full {
			return -1
		}
		j.changed = true
		return i
	}
	return -1
}

// appendScript appends Script, with the nonce as an attribute of its first tag.
func (j *Injector) appendScript(dst []byte) []byte {
	s := j.n.Script
	if j.n.Nonce == "" || len(s) < 2 || s[0] != '<' {
		return append(dst, s...)
	}
	at := nameEnd([]byte(s))
	dst = append(dst, s[:at]...)
	dst = append(dst, ` nonce="`...)
	for i := 0; i < len(j.n.Nonce); i++ {
		switch c := j.n.Nonce[i]; c {
		case '"':
			dst = append(dst, "&quot;"...)
		case '&':
			dst = append(dst, "&amp;"...)
		default:
			dst = append(dst, c)
		}
	}
	dst = append(dst, '"')
	return append(dst, s[at:]...)
}

// meta sees a <meta>. One that says ISO-2022-JP, the one charset browsers know whose bytes of text look like
// markup, ends the search: what follows is passed on unchanged (contract §6).
func (j *Injector) meta(tag []byte) {
	for a, i, ok := nextAttr(tag, nameEnd(tag)); ok; a, i, ok = nextAttr(tag, i) {
		n, value := tag[a.from:a.to], lowerText(string(tag[a.vfrom:a.vto]))
		charset := value
		if nameIs(n, "content") {
			_, charset, _ = strings.Cut(value, "charset=")
		} else if !nameIs(n, "charset") {
			continue
		}
		if strings.HasPrefix(strings.TrimLeft(charset, " \"'"), "iso-2022") {
			j.state = inRest
		}
	}
}
