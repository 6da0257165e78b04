package core

import (
	"slices"
	"strconv"
)

// Types of a Notice: the last part of "urn:singleshot:…" (contract §5). NoticeDone and NoticeReleased are no
// problems and have no such name.
const (
	NoticeMissingKey   = "missing-key"
	NoticeBadKey       = "bad-key"
	NoticeBadBody      = "bad-body"
	NoticeNoSubject    = "no-subject"
	NoticeForgedKey    = "forged-key"
	NoticeCrossSite    = "cross-site"
	NoticeUnknown      = "unknown"
	NoticeTooLarge     = "too-large"
	NoticeMismatch     = "mismatch"
	NoticeBusy         = "busy"
	NoticeOrigin       = "origin"
	NoticeRunning      = "running"
	NoticeStore        = "store"
	NoticeConfig       = "config"
	NoticeNotFound     = "not-found"
	NoticeUnauthorized = "unauthorized"
	NoticeDone         = "done"     // a tombstone, or a committed answer without a body or a place
	NoticeReleased     = "released" // at the link that waits: the submission did not go through
)

// Notice is an answer that the guard gives itself (contract §5). Fields that a type has no use for are ignored.
// Nothing in it needs to be escaped or checked by the caller: links that are not http(s), and forms that would
// go to another host, are left out.
type Notice struct {
	Type     string // one of the Notice… names; any other reads as NoticeConfig
	Shape    Shape
	Language Language

	Record    Link  // what exists
	Committed int64 // when it was committed, Unix milliseconds; shown where there is no Record, 0: not known

	Differs []string // mismatch: names of the fields that differ
	Query   bool     // mismatch: only the query differs

	Carry    *Carry // the way on; nil: the person is sent back to the form
	NewKey   string // the fresh key of the way on, where Carry has no key of its own
	Back     string // where the form can be opened again, an href; "": no link
	Continue string // running: the guard's link that waits on, a path; "": none

	RetryAfter int  // seconds, 0: not said
	Sent       bool // origin: the request had gone out, so nobody knows whether it took effect
	Unguarded  bool // origin: no key was in it, so it may be sent more than once
	Code       int  // done: the committed status
}

// Carry is a submission that a page or fragment offers to send again: for mismatch as a new entry, with a fresh
// key; for every other type as it was. Only same-origin requests may get one.
type Carry struct {
	Action    string  // path and query of the form
	Fields    []Field // in the order in which they were sent; fields named like the key are left out
	Key       string
	Whole     bool // everything is in Fields; false: there were files, or values that are not UTF-8
	Multipart bool // the form was sent as multipart/form-data
}

// Status is the HTTP status of the answer. For done it is the committed one, but a status that cannot have a
// body becomes 200.
func (n *Notice) Status() int {
	if n.Type == NoticeDone {
		switch n.Code {
		case 0, 204, 205, 304:
			return 200
		}
		return n.Code
	}
	return int(n.kind().status)
}

// ContentType is the media type of the answer. Done and released are no problems, so their ShapeProblem is
// plain JSON.
func (n *Notice) ContentType() string {
	switch {
	case n.Shape != ShapeProblem:
		return "text/html; charset=utf-8"
	case n.named():
		return "application/problem+json"
	}
	return "application/json"
}

// Headers are the field lines that belong to the answer, whatever else the caller adds: type, language,
// caching, the page's policy, Retry-After, and for 401 the challenge.
func (n *Notice) Headers() Headers { return n.appendHeaders(nil) }

func (n *Notice) appendHeaders(h Headers) Headers {
	h = append(slices.Grow(h, 8), // there is room for what the caller adds
		Header{"Content-Type", n.ContentType()},
		Header{"Content-Language", n.Language.String()},
		Header{"Cache-Control", "no-store"},
		Header{"X-Content-Type-Options", "nosniff"},
	)
	switch n.Shape {
	case ShapePage:
		h = append(h, Header{"Content-Security-Policy", NoticePolicy})
	case ShapeFragment:
		// Where the form has hx-push-url, htmx 1.9, 2 and 4 push the address of the POST for an answer that is
		// no page to come back to.
		h = append(h, Header{"HX-Push-Url", "false"})
	}
	if n.RetryAfter > 0 {
		h = append(h, Header{"Retry-After", strconv.Itoa(n.RetryAfter)})
	}
	if n.Type == NoticeUnauthorized {
		h = append(h, Header{"WWW-Authenticate", `Basic realm="Singleshot", charset="UTF-8"`})
	}
	return h
}

// Append appends the body of the answer to dst.
func (n *Notice) Append(dst []byte) []byte {
	w := noticeWriter{buf: slices.Grow(dst, noticeRoom[n.Shape]), language: n.Language}
	switch n.Shape {
	case ShapeFragment:
		n.alert(&w)
	case ShapeProblem:
		n.problem(&w)
	default:
		n.page(&w)
	}
	return w.buf
}

// noticeRoom is what most notices of a shape need, in bytes.
var noticeRoom = [...]int{ShapePage: 1024 + len(noticeStyle), ShapeFragment: 768, ShapeProblem: 384}

// named reports whether the type has a name in urn:singleshot.
func (n *Notice) named() bool { return n.Type != NoticeDone && n.Type != NoticeReleased }

// kind finds what is fixed for the type.
func (n *Notice) kind() *noticeKind {
	if n.Type == NoticeOrigin && n.Sent {
		return &originSent
	}
	if n.Type == NoticeOrigin && n.Unguarded {
		return &originUnguarded
	}
	for i := range noticeKinds {
		if noticeKinds[i].name == n.Type {
			return &noticeKinds[i]
		}
	}
	return &noticeKinds[0]
}

// wayOn returns the submission that can be offered to send again, or nil. It can only be offered whole: a part
// of a form, sent again, would be something that nobody wrote.
func (n *Notice) wayOn() *Carry {
	c := n.Carry
	if c == nil || !c.Whole || n.key() == "" || localPath(c.Action) == "" {
		return nil
	}
	for i := range c.Fields {
		if !carriable(c.Fields[i].Name) || !carriable(c.Fields[i].Value) {
			return nil
		}
	}
	return c
}

// waitPath is the address at which running goes on, or "".
func (n *Notice) waitPath() string {
	if n.Type != NoticeRunning {
		return ""
	}
	return localPath(n.Continue)
}

// key is the key of the way on.
func (n *Notice) key() string {
	if n.Carry != nil && n.Carry.Key != "" {
		return n.Carry.Key
	}
	return n.NewKey
}
