package core

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares got with a file below testdata, or rewrites it with -update.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", filepath.FromSlash(name))
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (run go test -update)", err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s = \n%s\nwant\n%s", name, got, want)
	}
}

// submitted is a submission that asks for trouble: markup, quotes, newlines of all kinds, a repeated name.
var submitted = []Field{
	{"idempotency_key", "ik_spent"},
	{"item", `Tea & "biscuits" <b>'now'</b>`},
	{"amount", "2"},
	{"note", "first\r\nsecond\nthird\rfourth\tend"},
	{"tag", "a"},
	{"tag", "b"},
	{`na"me<`, "値"},
}

// committedAt is 2026-10-01T09:30:12.345Z.
const committedAt = 1790847012345

// samples are the notices of the golden files: every type, and for some their variants.
func samples() map[string]Notice {
	order := Link{"/orders/1042", "Order 1042"}
	whole := &Carry{Action: "/orders?from=cart&x=1", Fields: submitted, Key: "ik_fresh", Whole: true}
	parts := &Carry{Action: "/orders", Fields: submitted, Key: "ik_fresh"}
	m := map[string]Notice{
		"mismatch":           {Record: order, Committed: committedAt, Differs: []string{"amount", `na"me<`}, Carry: whole},
		"mismatch-time":      {Committed: committedAt, Query: true, Back: "/orders/new"},
		"mismatch-files":     {Record: Link{Href: "/orders/1042"}, Differs: []string{"receipt"}, Carry: parts, Back: "/orders/new"},
		"mismatch-multipart": {Committed: committedAt, Carry: &Carry{Action: "/orders", Fields: submitted[1:3], Whole: true, Multipart: true}, NewKey: "ik_new"},
		"running":            {Continue: "/_singleshot/wait?a=1&b=2", RetryAfter: 5},
		"running-plain":      {RetryAfter: 5},
		"store":              {RetryAfter: 2, Carry: &Carry{Action: "/orders", Fields: submitted[:3], Key: "ik_same", Whole: true}},
		"origin-sent":        {Sent: true},
		"origin-unguarded":   {Unguarded: true},
		"done":               {Record: order, Code: 201},
		"done-time":          {Committed: committedAt, Code: 204},
		"released":           {Back: "/orders/new"},
	}
	for _, k := range noticeKinds {
		if _, ok := m[k.name]; !ok {
			m[k.name] = Notice{}
		}
	}
	for name, n := range m {
		n.Type = name
		for _, k := range noticeKinds {
			if strings.HasPrefix(name, k.name+"-") {
				n.Type = k.name
			}
		}
		m[name] = n
	}
	return m
}

func TestNoticeInEveryShapeAndLanguage(t *testing.T) {
	shapes := []struct {
		shape  Shape
		suffix string
	}{{ShapePage, "page.%.html"}, {ShapeFragment, "fragment.%.html"}, {ShapeProblem, "problem.%.json"}}
	for name, n := range samples() {
		for _, s := range shapes {
			for _, l := range []Language{English, Japanese} {
				n.Shape, n.Language = s.shape, l
				file := name + "." + strings.Replace(s.suffix, "%", l.String(), 1)
				t.Run(file, func(t *testing.T) {
					got := n.Append([]byte("before"))
					if !bytes.HasPrefix(got, []byte("before")) {
						t.Fatalf("Append does not keep what is there: %.40q", got)
					}
					// The style is in one file only, so that a change of it changes one file.
					got = bytes.Replace(got[len("before"):], []byte(noticeStyle), []byte("/* noticeStyle */"), 1)
					golden(t, "notice/"+file, got)
				})
			}
		}
	}
}

func TestWrappedFragmentIsAPage(t *testing.T) {
	for _, l := range []Language{English, Japanese} {
		prefix, suffix := WrapFragment(l)
		page := append(append(prefix, "<div>Order 1042</div>"...), suffix...)
		golden(t, "notice/wrapped."+l.String()+".html", page)
	}
}

func TestNoticePolicyAllowsTheStyle(t *testing.T) {
	sum := sha256.Sum256([]byte(noticeStyle))
	if want := "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(NoticePolicy, want) {
		t.Errorf("NoticePolicy = %s; want %s in it", NoticePolicy, want)
	}
}
