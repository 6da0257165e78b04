package core

import (
	"bytes"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// markup is every element that a notice may have, with its attributes.
var markup = map[string]string{
	"html": "lang", "head": "", "meta": "charset name content http-equiv", "title": "", "style": "", "body": "", "main": "",
	"div": "class data-variant role hx-get hx-trigger hx-target hx-swap hx-push-url",
	"h1":  "class", "p": "class role aria-level", "ul": "class", "li": "class", "code": "dir", "bdi": "", "time": "datetime",
	"a": "href", "form": "method action enctype hx-post hx-target hx-swap",
	"input": "type name value autocomplete", "button": "class data-variant type",
}

// document is a parsed notice.
type document struct {
	nodes map[string][]*html.Node
}

// parse reads a page or a fragment as a browser does and fails for an element, an attribute or a comment that no
// notice has.
func parse(t *testing.T, n *Notice) document {
	t.Helper()
	body := n.Append(nil)
	root, err := html.Parse(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	d := document{nodes: map[string][]*html.Node{}}
	for node := range root.Descendants() {
		switch node.Type {
		case html.CommentNode:
			t.Errorf("comment %q", node.Data)
		case html.ElementNode:
			d.nodes[node.Data] = append(d.nodes[node.Data], node)
			allowed, ok := markup[node.Data]
			if !ok {
				t.Errorf("element %s", node.Data)
			}
			for _, a := range node.Attr {
				if !slices.Contains(strings.Fields(allowed), a.Key) {
					t.Errorf("attribute %s of %s", a.Key, node.Data)
				}
			}
		}
	}
	return d
}

// attribute returns the value of an attribute, or "".
func attribute(node *html.Node, name string) string {
	for _, a := range node.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// fields returns the hidden inputs, in order.
func (d document) fields() (fields []Field) {
	for _, node := range d.nodes["input"] {
		if attribute(node, "type") == "hidden" {
			fields = append(fields, Field{attribute(node, "name"), attribute(node, "value")})
		}
	}
	return fields
}

// text returns all text of the document but its style.
func (d document) text() string {
	var b strings.Builder
	for node := range d.nodes["html"][0].Descendants() {
		if node.Type == html.TextNode && node.Parent.Data != "style" {
			b.WriteString(node.Data)
		}
	}
	return b.String()
}

func TestCarriedSubmissionIsWhatWasSent(t *testing.T) {
	n := Notice{Type: NoticeMismatch, Carry: &Carry{Action: "/orders?a=1&b=2", Fields: submitted, Key: "ik_fresh", Whole: true}}
	for _, n.Shape = range []Shape{ShapePage, ShapeFragment} {
		d := parse(t, &n)
		want := append([]Field{{"idempotency_key", "ik_fresh"}}, submitted[1:]...)
		if got := d.fields(); !slices.Equal(got, want) {
			t.Errorf("hidden inputs = %q; want %q", got, want)
		}
		form := d.nodes["form"][0]
		if got := attribute(form, "action"); got != "/orders?a=1&b=2" {
			t.Errorf("action = %q; want that of the form", got)
		}
		if got := attribute(form, "hx-post"); (got == "/orders?a=1&b=2") != (n.Shape == ShapeFragment) {
			t.Errorf("hx-post = %q in shape %d; want it in a fragment only", got, n.Shape)
		}
	}
}

func TestNothingIsSentAgainWithoutAWholeSubmission(t *testing.T) {
	tests := []struct {
		carry *Carry
		why   string
	}{
		{nil, "the request was not same-origin"},
		{&Carry{Action: "/orders", Key: "ik_k", Fields: submitted}, "there were files"},
		{&Carry{Action: "/orders", Fields: submitted, Whole: true}, "no fresh key"},
		{&Carry{Action: "/orders", Key: "ik_k", Fields: []Field{{"a", "caf\xe9"}}, Whole: true}, "a value that is not UTF-8"},
		{&Carry{Action: "/orders", Key: "ik_k", Fields: []Field{{"a\x00", ""}}, Whole: true}, "a name with a NUL"},
		{&Carry{Action: "//evil.example/", Key: "ik_k", Fields: submitted, Whole: true}, "a path that is a host to a browser"},
		{&Carry{Action: `/\evil.example/`, Key: "ik_k", Fields: submitted, Whole: true}, "the same with a backslash"},
		{&Carry{Action: "https://evil.example/", Key: "ik_k", Fields: submitted, Whole: true}, "an address of another host"},
		{&Carry{Action: "", Key: "ik_k", Fields: submitted, Whole: true}, "no address"},
	}
	for _, tt := range tests {
		for _, kind := range noticeKinds {
			for _, shape := range []Shape{ShapePage, ShapeFragment} {
				n := Notice{Type: kind.name, Shape: shape, Carry: tt.carry}
				d := parse(t, &n)
				if len(d.nodes["form"])+len(d.nodes["input"])+len(d.nodes["button"]) > 0 {
					t.Errorf("%s offers a form in shape %d; want none: %s", kind.name, shape, tt.why)
				}
			}
		}
	}
}

func TestLongListOfNamesIsCounted(t *testing.T) {
	n := Notice{Type: NoticeMismatch}
	for i := range maxNames {
		n.Differs = append(n.Differs, "f"+strconv.Itoa(i))
	}
	if d := parse(t, &n); len(d.nodes["li"]) != maxNames {
		t.Errorf("%d names listed; want all %d", len(d.nodes["li"]), maxNames)
	}
	n.Differs = append(n.Differs, "g", "h", "i")
	d := parse(t, &n)
	if len(d.nodes["li"]) != maxNames+1 || !strings.Contains(d.text(), "+ 3") {
		t.Errorf("%d items, text %q; want %d and + 3", len(d.nodes["li"]), d.text(), maxNames+1)
	}
}

func TestNoticePausesBeforeItLooksAgain(t *testing.T) {
	for retry, want := range map[int]string{0: "1", 5: "5"} {
		n := Notice{Type: NoticeRunning, Continue: "/_singleshot/wait?a=1&b=2", RetryAfter: retry}
		refresh := ""
		for _, m := range parse(t, &n).nodes["meta"] {
			if attribute(m, "http-equiv") == "refresh" {
				refresh = attribute(m, "content")
			}
		}
		if refresh != want+";url="+n.Continue {
			t.Errorf("refresh = %q after %d s; want %s;url=%s", refresh, retry, want, n.Continue)
		}
		n.Shape = ShapeFragment
		alert := parse(t, &n).nodes["div"][0]
		if attribute(alert, "hx-get") != n.Continue || attribute(alert, "hx-trigger") != "load delay:"+want+"s" {
			t.Errorf("alert = %v; want hx-get %s, delay %s s", alert.Attr, n.Continue, want)
		}
	}
}

func TestEachPageCanBeReadAloud(t *testing.T) {
	for name, n := range samples() {
		for _, n.Language = range []Language{English, Japanese} {
			n.Shape = ShapePage
			d := parse(t, &n)
			for element, want := range map[string]int{"html": 1, "title": 1, "main": 1, "h1": 1} {
				if got := len(d.nodes[element]); got != want {
					t.Errorf("%s: %d %s; want %d", name, got, element, want)
				}
			}
			if got := attribute(d.nodes["html"][0], "lang"); got != n.Language.String() {
				t.Errorf("%s: lang = %q; want %q", name, got, n.Language)
			}
			n.Shape = ShapeFragment
			d = parse(t, &n)
			if len(d.nodes["div"]) != 1 || attribute(d.nodes["div"][0], "role") != "status" ||
				attribute(d.nodes["p"][0], "role") != "heading" {
				t.Errorf("%s: want one div role=status that begins with a heading", name)
			}
			if len(d.nodes["title"])+len(d.nodes["style"])+len(d.nodes["main"]) > 0 {
				t.Errorf("%s: the fragment has parts of a page", name)
			}
		}
	}
}

// percentDecoded decodes what can be decoded.
func percentDecoded(s string) string {
	return percent.ReplaceAllStringFunc(s, func(e string) string {
		b, err := strconv.ParseUint(e[1:], 16, 8)
		if err != nil {
			panic(err)
		}
		return string([]byte{byte(b)})
	})
}

var percent = regexp.MustCompile("%[0-9a-fA-F]{2}")

// FuzzNotice puts hostile text into every place of a notice and reads the result as a browser does: no element
// and no attribute that is not ours, no link away from http(s), no form to another host, and every text is
// either what went in or not there.
func FuzzNotice(f *testing.F) {
	f.Add(byte(0), "/orders/1042", "Order 1042", "amount", "/orders?a=1", "note", "a\r\nb", "/_singleshot/wait?a=1", "/orders/new")
	f.Add(byte(1), "javascript:alert(1)", "<script>", "\"><img src=x>", "//evil.example", "' onclick='x", "</textarea>", "/x\"><script>", "data:,")
	f.Add(byte(2), "https://a@b/", "</bdi><!--", "&lt;b&gt;", "/\\evil", "name", "\x00", "/;url=//evil.example", "\xff")
	f.Fuzz(func(t *testing.T, choice byte, href, title, differs, action, name, value, wait, back string) {
		kind := noticeKinds[int(choice>>1)%len(noticeKinds)]
		n := Notice{
			Type: kind.name, Language: Language(choice & 1), Record: Link{href, title}, Differs: []string{differs, name},
			Committed: int64(len(value)), Continue: wait, Back: back, RetryAfter: int(choice),
			Carry: &Carry{Action: action, Fields: []Field{{name, value}}, Key: "ik_k", Whole: true, Multipart: choice&2 != 0},
		}
		for _, n.Shape = range []Shape{ShapePage, ShapeFragment} {
			d := parse(t, &n)
			for _, a := range d.nodes["a"] {
				checkHref(t, attribute(a, "href"))
			}
			here := &url.URL{Scheme: "https", Host: "shop.example", Path: "/orders"}
			for _, form := range d.nodes["form"] {
				got := attribute(form, "action")
				checkHref(t, got)
				if percentDecoded(got) != percentDecoded(action) {
					t.Errorf("action = %q; want %q", got, action)
				}
				if u, err := here.Parse(got); err == nil && (u.Host != here.Host || u.Scheme != here.Scheme) {
					t.Errorf("action %q leaves the host", action)
				}
				want := []Field{{KeyFieldName, "ik_k"}}
				if name != KeyFieldName {
					want = append(want, Field{name, value})
				}
				if got := d.fields(); !slices.Equal(got, want) {
					t.Errorf("hidden inputs = %q; want %q", got, want)
				}
			}
			for _, m := range d.nodes["meta"] {
				if attribute(m, "http-equiv") == "refresh" {
					got, want := percentDecoded(attribute(m, "content")), strconv.Itoa(max(int(choice), 1))+";url="+percentDecoded(wait)
					if got != want {
						t.Errorf("refresh = %q; want %q", got, want)
					}
					if !strings.HasPrefix(wait, "/") || strings.HasPrefix(wait, "//") {
						t.Errorf("the page refreshes to %q", wait)
					}
				}
			}
			if kind.name == NoticeMismatch && len(d.nodes["li"]) != 2 {
				t.Errorf("%d names; want 2", len(d.nodes["li"]))
			}
		}
	})
}
