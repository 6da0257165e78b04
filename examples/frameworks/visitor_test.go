//go:build unix

package frameworks

import (
	"bytes"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/html"

	"github.com/singleshot-edge/singleshot/edge/workerd"
)

// visitor is a browser as far as a server can tell: cookies, Origin, Referer, Sec-Fetch-*. It follows no redirect.
type visitor struct {
	t     *testing.T
	guard *workerd.Worker
	seen  string // scheme and host that the visitor sees

	mu      sync.Mutex
	cookies map[string]string
}

type answer struct {
	t      *testing.T
	status int
	header http.Header
	body   string
}

func (v *visitor) cookie(part string) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	for name, value := range v.cookies {
		if strings.Contains(name, part) {
			return value
		}
	}
	return ""
}

func (v *visitor) send(method, path, contentType string, body []byte) *answer {
	v.t.Helper()
	r, err := http.NewRequest(method, v.guard.URL+path, bytes.NewReader(body))
	if err != nil {
		v.t.Fatal(err)
	}
	r.Header.Set("Accept", "text/html")
	r.Header.Set("Referer", v.seen+"/orders/new")
	for name, value := range map[string]string{"Site": "same-origin", "Mode": "navigate", "Dest": "document"} {
		r.Header.Set("Sec-Fetch-"+name, value)
	}
	if method == "POST" {
		r.Header.Set("Origin", v.seen)
		r.Header.Set("Content-Type", contentType)
	}
	v.mu.Lock()
	for name, value := range v.cookies {
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	v.mu.Unlock()
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		v.t.Fatal(err)
	}
	defer res.Body.Close()
	got, err := io.ReadAll(res.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.cookies == nil {
		v.cookies = map[string]string{}
	}
	for _, c := range res.Cookies() {
		if v.cookies[c.Name] = c.Value; c.MaxAge < 0 {
			delete(v.cookies, c.Name)
		}
	}
	return &answer{t: v.t, status: res.StatusCode, header: res.Header, body: string(got)}
}

func (v *visitor) get(path string) *answer { v.t.Helper(); return v.send("GET", path, "", nil) }

// place is the path where an answer leads, at the visitor's own host.
func (v *visitor) place(a *answer) string {
	v.t.Helper()
	place := a.header.Get("Location")
	for _, host := range []string{v.guard.URL, v.seen} { // wrangler puts its own address in place of the zone's
		place = strings.TrimPrefix(place, host)
	}
	if !strings.HasPrefix(place, "/") {
		v.t.Fatalf("Location = %s; want a place at the visitor's host", a.header.Get("Location"))
	}
	return place
}

// must checks an answer of the guard's.
func (a *answer) must(what, outcome string, statuses ...int) *answer {
	a.t.Helper()
	fits := false
	for _, status := range statuses {
		fits = fits || a.status == status
	}
	if got := a.header.Get("Idempotency-Status"); !fits || got != outcome {
		a.t.Errorf("%s: %d %q; want %v %q\n%.600s", what, a.status, got, statuses, outcome, a.body)
	}
	return a
}

// same checks that two answers are one.
func (a *answer) same(b *answer) {
	a.t.Helper()
	if a.status != b.status || a.header.Get("Location") != b.header.Get("Location") || a.body != b.body {
		a.t.Errorf("%d %s %q; want the same as %d %s %q", a.status, a.header.Get("Location"), a.body, b.status, b.header.Get("Location"), b.body)
	}
}

// form is a form of a page, filled in.
type form struct {
	v             *visitor
	action        string
	multipart     bool
	values        url.Values
	file, content string
}

// form gets a page and fills in a field of its first form.
func (v *visitor) form(page, field, value string) *form {
	v.t.Helper()
	f := v.formAt(page, "")
	if !f.values.Has("idempotency_key") {
		v.t.Fatalf("%s: no key in its form", page)
	}
	return f.set(field, value)
}

// formAt gets a page, and of it the form with that action, or the first one.
func (v *visitor) formAt(page, action string) *form {
	v.t.Helper()
	return v.formIn(v.get(page), page, action)
}

// formIn finds a form in the answer of a page.
func (v *visitor) formIn(got *answer, page, action string) *form {
	v.t.Helper()
	root, err := html.Parse(strings.NewReader(got.body))
	if err != nil {
		v.t.Fatal(err)
	}
	var f *form
	for n := range root.Descendants() {
		at := map[string]string{}
		for _, a := range n.Attr {
			at[a.Key] = a.Val
		}
		switch {
		case n.Type != html.ElementNode:
		case n.Data == "form":
			if f != nil && (action == "" || f.action == action) {
				return f
			}
			f = &form{v: v, action: at["action"], multipart: at["enctype"] == "multipart/form-data", values: url.Values{}}
			if f.action == "" {
				f.action = page
			}
		case n.Data == "input" && f != nil && at["name"] != "" && at["type"] != "file":
			f.values.Add(at["name"], at["value"])
		}
	}
	if f == nil || action != "" && f.action != action {
		v.t.Fatalf("%s = %d %s\n\twant a form with action %q", page, got.status, got.body, action)
	}
	return f
}

func (f *form) set(field, value string) *form {
	if field != "" {
		f.values.Set(field, value)
	}
	return f
}

// with is the form with the tokens of a later page, and its own key.
func (f *form) with(later *form) *form {
	mixed := *f
	mixed.values = maps.Clone(f.values)
	for name, values := range later.values {
		if strings.Contains(name, "token") {
			mixed.values[name] = values
		}
	}
	return &mixed
}

func (f *form) submit() *answer {
	f.v.t.Helper()
	if !f.multipart {
		return f.v.send("POST", f.action, "application/x-www-form-urlencoded", []byte(f.values.Encode()))
	}
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for name, values := range f.values {
		for _, value := range values {
			if err := w.WriteField(name, value); err != nil {
				f.v.t.Fatal(err)
			}
		}
	}
	if f.file != "" {
		part, err := w.CreateFormFile(f.file, "photo.jpg")
		if err != nil {
			f.v.t.Fatal(err)
		}
		io.WriteString(part, f.content)
	}
	w.Close()
	return f.v.send("POST", f.action, w.FormDataContentType(), body.Bytes())
}
