package core

import "strconv"

// noticeWriter collects the bytes of a notice in one language. Its methods are kept out of line: a notice has
// some hundred pieces, and an append in place of each costs TinyGo 60 bytes and more.
type noticeWriter struct {
	buf      []byte
	language Language
}

// raw adds markup and other text of the guard's own, as it is.
//
//go:noinline
func (w *noticeWriter) raw(parts ...string) {
	for _, s := range parts {
		w.buf = append(w.buf, s...)
	}
}

// escaped adds text from outside, for html.
//
//go:noinline
func (w *noticeWriter) escaped(s string) { w.buf = appendEscaped(w.buf, s) }

// json adds text as a JSON string.
//
//go:noinline
func (w *noticeWriter) json(s string) { w.buf = appendJSONString(w.buf, s) }

// number adds a number in decimal.
//
//go:noinline
func (w *noticeWriter) number(n int) { w.buf = strconv.AppendInt(w.buf, int64(n), 10) }

// padded adds a number that is not negative in at least two digits, or four.
//
//go:noinline
func (w *noticeWriter) padded(n, width int) {
	for limit := 10; width > 1; width-- {
		if n < limit {
			w.raw("0")
		}
		limit *= 10
	}
	w.number(n)
}

// say picks a phrase in the language of the notice.
func (w *noticeWriter) say(p *phrase) string { return p[w.language&1] }

// sayOr says the first, or where there is none, the second.
func (w *noticeWriter) sayOr(p, q *phrase) string {
	if text := w.say(p); text != "" {
		return text
	}
	return w.say(q)
}
