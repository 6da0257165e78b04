package core

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// problem is what a program reads (RFC 9457 §3, contract §5).
type problem struct {
	Type   string
	Title  string
	Status int
	Detail string
	Record *struct {
		Href, Title string
		Committed   time.Time
	}
	Differs  []string
	Query    bool
	Continue string
}

func readProblem(t *testing.T, n *Notice) (p problem) {
	t.Helper()
	n.Shape = ShapeProblem
	body := n.Append(nil)
	if err := json.Unmarshal(body, &p); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	return p
}

func TestProblemNamesTypeAndStatus(t *testing.T) {
	// Contract §5.
	for name, status := range map[string]int{
		"missing-key": 400, "bad-key": 400, "bad-body": 400, "no-subject": 400, "forged-key": 403, "cross-site": 403,
		"unknown": 409, "too-large": 413, "mismatch": 422, "busy": 429, "origin": 502, "running": 503, "store": 503,
		"config": 503, "not-found": 404, "unauthorized": 401,
	} {
		for _, l := range []Language{English, Japanese} {
			n := Notice{Type: name, Language: l}
			p := readProblem(t, &n)
			if p.Type != "urn:singleshot:"+name || p.Status != status || n.Status() != status {
				t.Errorf("%s: type %q, status %d and %d; want status %d", name, p.Type, p.Status, n.Status(), status)
			}
			if p.Title == "" || p.Detail == "" || p.Record != nil || p.Continue != "" {
				t.Errorf("%s: %+v; want title and detail only", name, p)
			}
			if got := n.ContentType(); got != "application/problem+json" {
				t.Errorf("%s: %s; want application/problem+json", name, got)
			}
		}
	}
}

// A program that calls an API has filled no form in.
func TestProblemSpeaksOfRequestsNotOfForms(t *testing.T) {
	for i := range noticeKinds {
		if name := noticeKinds[i].name; name != NoticeCrossSite && name != NoticeReleased { // these are forms' alone
			for l, word := range map[Language]string{English: "his form", Japanese: "このフォーム"} {
				if p := readProblem(t, &Notice{Type: name, Language: l}); strings.Contains(p.Title+p.Detail, word) {
					t.Errorf("%s: %q, %q; want no form in it", name, p.Title, p.Detail)
				}
			}
		}
	}
}

func TestProblemOfAMismatchNamesTheRecord(t *testing.T) {
	n := Notice{Type: NoticeMismatch, Record: Link{"/orders/1042", `Order "1042"`}, Committed: committedAt, Differs: []string{"amount", `a"b`}}
	p := readProblem(t, &n)
	if p.Record == nil || p.Record.Href != "/orders/1042" || p.Record.Title != `Order "1042"` || !p.Record.Committed.IsZero() {
		t.Errorf("record = %+v; want href and title", p.Record)
	}
	if !slices.Equal(p.Differs, n.Differs) || p.Query {
		t.Errorf("differs = %q, query %v; want %q, false", p.Differs, p.Query, n.Differs)
	}

	n = Notice{Type: NoticeMismatch, Committed: committedAt, Query: true}
	p = readProblem(t, &n)
	if p.Record == nil || p.Record.Href != "" || !p.Record.Committed.Equal(time.UnixMilli(committedAt).Truncate(time.Second)) {
		t.Errorf("record = %+v; want the time of the commit", p.Record)
	}
	if p.Differs == nil || len(p.Differs) != 0 || !p.Query {
		t.Errorf("differs = %#v, query %v; want an empty list, true", p.Differs, p.Query)
	}
}

func TestUnsafeRecordIsNotNamed(t *testing.T) {
	n := Notice{Type: NoticeMismatch, Record: Link{"javascript:alert(1)", "x"}}
	if p := readProblem(t, &n); p.Record != nil {
		t.Errorf("record = %+v; want none", p.Record)
	}
}

func TestDoneIsNoProblem(t *testing.T) {
	for code, want := range map[int]int{0: 200, 200: 200, 201: 201, 202: 202, 204: 200, 205: 200, 303: 303, 304: 200} {
		n := Notice{Type: NoticeDone, Code: code, Record: Link{"/orders/1042", ""}}
		p := readProblem(t, &n)
		if p.Type != "" || n.ContentType() != "application/json" || p.Status != want || n.Status() != want {
			t.Errorf("done after %d: %+v as %s; want status %d, no type", code, p, n.ContentType(), want)
		}
		if p.Record == nil || p.Record.Title != "/orders/1042" {
			t.Errorf("done: record %+v; want its address as its title", p.Record)
		}
	}
}

func TestUnknownTypeFailsClosed(t *testing.T) {
	n := Notice{Type: "mismatched"}
	if p := readProblem(t, &n); p.Type != "urn:singleshot:config" || p.Status != 503 {
		t.Errorf("type %q, status %d; want config, 503", p.Type, p.Status)
	}
}

func FuzzProblem(f *testing.F) {
	f.Add("/orders/1042", "Order \"1042\"", "am\u2028ount", "/_singleshot/wait")
	f.Add("/\\", "\xff", "</script>\x00", "//x")
	f.Fuzz(func(t *testing.T, href, title, name, wait string) {
		n := Notice{Type: NoticeMismatch, Record: Link{href, title}, Differs: []string{name}}
		p := readProblem(t, &n)
		if p.Record != nil {
			checkHref(t, p.Record.Href)
		}
		if len(p.Differs) != 1 || utf8.ValidString(name) && p.Differs[0] != name {
			t.Errorf("differs = %q; want %q", p.Differs, name)
		}
		n = Notice{Type: NoticeRunning, Continue: wait}
		if p := readProblem(t, &n); p.Continue != "" && percentDecoded(p.Continue) != percentDecoded(wait) {
			t.Errorf("continue = %q; want %q", p.Continue, wait)
		}
	})
}
