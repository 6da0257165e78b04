package core

import (
	"strings"
	"testing"
)

func phrases() map[string]phrase {
	m := map[string]phrase{
		"exists": textExists, "committed": textCommitted, "differs": textDiffers, "query": textQuery,
		"new entry": textNewEntry, "submit new": textSubmitNew, "send again": textSendAgain, "not whole": textNotWhole,
		"open": textOpen, "waits": textWaits, "look": textLook, "wrapped": textWrapped,
	}
	for _, k := range append(noticeKinds[:], originSent) {
		id := k.name
		if _, ok := m[id+" title"]; ok {
			id += " sent"
		}
		m[id+" title"], m[id+" what"], m[id+" way"], m[id+" call"] = k.title, k.what, k.way, k.call
	}
	return m
}

func TestPhrasesAreInBothLanguagesAndNeedNoEscaping(t *testing.T) {
	for id, p := range phrases() {
		if (p[English] == "") != (p[Japanese] == "") {
			t.Errorf("%s: %q and %q; want both or neither", id, p[English], p[Japanese])
		}
		for l, text := range p {
			if escaped := string(appendEscaped(nil, text)); escaped != text {
				t.Errorf("%s: %q needs escaping", id, text)
			}
			ascii := strings.IndexFunc(text, func(r rune) bool { return r > 0x2fff }) < 0
			if text != "" && ascii == (Language(l) == Japanese) {
				t.Errorf("%s: %q is not %v", id, text, Language(l))
			}
		}
		if strings.HasSuffix(id, " title") && p[English] == "" {
			t.Errorf("%s is empty", id)
		}
	}
}

// The texts travel in both wasm builds.
func TestTextsStayWithinTheirBudget(t *testing.T) {
	size := len(noticeStyle)
	for _, p := range phrases() {
		size += len(p[English]) + len(p[Japanese])
	}
	if size > 20_000 {
		t.Errorf("texts and style have %d bytes; want at most 20,000", size)
	}
	t.Logf("%d bytes", size)
}

func TestNoticeHeaders(t *testing.T) {
	tests := []struct {
		n          Notice
		name, want string
		why        string
	}{
		{Notice{Type: NoticeMismatch}, "Content-Type", "text/html; charset=utf-8", "a page"},
		{Notice{Type: NoticeMismatch}, "Content-Security-Policy", NoticePolicy, "a page loads nothing"},
		{Notice{Type: NoticeMismatch}, "Cache-Control", "no-store", "no answer of the guard is kept"},
		{Notice{Type: NoticeMismatch}, "X-Content-Type-Options", "nosniff", "html is what says so"},
		{Notice{Type: NoticeMismatch, Language: Japanese}, "Content-Language", "ja", "the language"},
		{Notice{Type: NoticeMismatch}, "Retry-After", "", "nothing to wait for"},
		{Notice{Type: NoticeMismatch, Shape: ShapeFragment}, "HX-Push-Url", "false", "the POST's address is no page"},
		{Notice{Type: NoticeMismatch, Shape: ShapeFragment}, "Content-Security-Policy", "", "the page's own policy rules"},
		{Notice{Type: NoticeMismatch, Shape: ShapeProblem}, "Content-Type", "application/problem+json", "a problem"},
		{Notice{Type: NoticeRunning, RetryAfter: 5}, "Retry-After", "5", "seconds (RFC 9110 §10.2.3)"},
		{Notice{Type: NoticeUnauthorized}, "WWW-Authenticate", `Basic realm="Singleshot", charset="UTF-8"`, "401 needs a challenge (RFC 9110 §15.5.2)"},
	}
	for _, tt := range tests {
		if got := tt.n.Headers().Get(tt.name); got != tt.want {
			t.Errorf("%s of %s in shape %d = %q; want %q: %s", tt.name, tt.n.Type, tt.n.Shape, got, tt.want, tt.why)
		}
	}
}
