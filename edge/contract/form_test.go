//go:build unix

package contract_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/html"
)

// form is a form of a page that came through the guard, as a browser has it: with the key that was put in.
type form struct {
	v      *visitor
	action string
	fields []field // all controls in order, the key among them
	query  string  // added to the action
}

// field is one control. A file field has a file name.
type field struct {
	name, value string
	file, media string
}

// render opens the route's page and returns its first form.
func (v *visitor) render(r *route) *form {
	v.t.Helper()
	return v.renderAt(r.path, 0)
}

// renderAt opens a page and returns one of its forms.
func (v *visitor) renderAt(path string, n int) *form {
	v.t.Helper()
	page := v.get(path)
	if page.err != nil || page.status != http.StatusOK {
		v.t.Fatalf("GET %s = %d, %v; want the page", path, page.status, page.err)
	}
	forms := v.formsIn(page.body)
	if len(forms) <= n {
		v.t.Fatalf("GET %s has %d forms; want at least %d\n%s", path, len(forms), n+1, cut(page.body))
	}
	return forms[n]
}

// formsIn reads the forms of a page the way a browser does.
func (v *visitor) formsIn(page []byte) []*form {
	root, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		v.t.Fatal(err)
	}
	var forms []*form
	var walk func(n *html.Node, f *form)
	walk = func(n *html.Node, f *form) {
		if n.Type == html.ElementNode {
			switch n.Data {
			case "form":
				f = &form{v: v, action: attr(n, "action")}
				forms = append(forms, f)
			case "input":
				if f != nil && attr(n, "name") != "" && attr(n, "type") != "submit" {
					f.fields = append(f.fields, field{name: attr(n, "name"), value: attr(n, "value")})
				}
			case "textarea":
				if f != nil && attr(n, "name") != "" {
					text := ""
					if n.FirstChild != nil {
						text = n.FirstChild.Data
					}
					f.fields = append(f.fields, field{name: attr(n, "name"), value: text})
				}
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c, f)
		}
	}
	walk(root, nil)
	return forms
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// key is the first key of the form; the test ends if there is none.
func (f *form) key() string {
	f.v.t.Helper()
	for _, x := range f.fields {
		if x.name == "idempotency_key" {
			return x.value
		}
	}
	f.v.t.Fatalf("the form of %s has no key", f.action)
	return ""
}

func (f *form) clone() *form {
	c := *f
	c.fields = slices.Clone(f.fields)
	return &c
}

// set is the form with another value in one field, which is added at the end if it was not there.
func (f *form) set(name, value string) *form {
	c := f.clone()
	for i := range c.fields {
		if c.fields[i].name == name {
			c.fields[i].value = value
			return c
		}
	}
	c.fields = append(c.fields, field{name: name, value: value})
	return c
}

// add is the form with one more field at the end.
func (f *form) add(name, value string) *form {
	c := f.clone()
	c.fields = append(c.fields, field{name: name, value: value})
	return c
}

// attach is the form with a file at the end.
func (f *form) attach(name, file, media, content string) *form {
	c := f.clone()
	c.fields = append(c.fields, field{name: name, value: content, file: file, media: media})
	return c
}

// without is the form without a field.
func (f *form) without(name string) *form {
	c := f.clone()
	c.fields = slices.DeleteFunc(c.fields, func(x field) bool { return x.name == name })
	return c
}

// reversed is the form with its fields in the other order, the key included.
func (f *form) reversed() *form {
	c := f.clone()
	slices.Reverse(c.fields)
	return c
}

// as is the same form, key and all, in another visitor's hands.
func (f *form) as(v *visitor) *form {
	c := f.clone()
	c.v = v
	return c
}

// to is the form, key and all, sent to another place (a button's formaction).
func (f *form) to(action string) *form {
	c := f.clone()
	c.action = action
	return c
}

func (f *form) urlencoded() string {
	var b strings.Builder
	for i, x := range f.fields {
		if i > 0 {
			b.WriteByte('&')
		}
		b.WriteString(url.QueryEscape(x.name) + "=" + url.QueryEscape(x.value))
	}
	return b.String()
}

// multipart is the form's body with that boundary, in the browsers' way of writing it.
func (f *form) multipart(boundary string) []byte {
	var b bytes.Buffer
	quote := strings.NewReplacer(`"`, "%22", "\r", "%0D", "\n", "%0A")
	for _, x := range f.fields {
		fmt.Fprintf(&b, "--%s\r\nContent-Disposition: form-data; name=\"%s\"", boundary, quote.Replace(x.name))
		if x.file != "" || x.media != "" {
			fmt.Fprintf(&b, "; filename=\"%s\"\r\nContent-Type: %s", quote.Replace(x.file), x.media)
		}
		fmt.Fprintf(&b, "\r\n\r\n%s\r\n", x.value)
	}
	fmt.Fprintf(&b, "--%s--\r\n", boundary)
	return b.Bytes()
}

// submit sends the form urlencoded.
func (f *form) submit(m mode, headers ...string) *reply {
	f.v.t.Helper()
	return f.v.send(f.request(m, headers...))
}

func (f *form) request(m mode, headers ...string) request {
	return request{method: http.MethodPost, path: f.action + f.query, mode: m, body: []byte(f.urlencoded()),
		header: slices.Concat([]string{"Content-Type", "application/x-www-form-urlencoded"}, headers)}
}

// upload sends the form as multipart/form-data.
func (f *form) upload(m mode, boundary string, headers ...string) *reply {
	f.v.t.Helper()
	return f.v.send(request{method: http.MethodPost, path: f.action + f.query, mode: m, body: f.multipart(boundary),
		header: slices.Concat([]string{"Content-Type", "multipart/form-data; boundary=" + boundary}, headers)})
}

// sending is a request under way.
type sending struct {
	t      *testing.T
	reply  chan *reply
	wrote  chan struct{}
	cancel func()
}

// submitting starts to send the form and returns at once.
func (f *form) submitting(m mode, headers ...string) *sending {
	return f.v.sending(f.request(m, headers...))
}

func (v *visitor) sending(q request) *sending {
	s := &sending{t: v.t, reply: make(chan *reply, 1), wrote: make(chan struct{}, 8)}
	c, cancel := contextFor(v.t)
	s.cancel = cancel
	q.ctx = c
	q.written = s.wrote
	go func() { s.reply <- v.send(q) }()
	return s
}

// onItsWay returns when the request has been written.
func (s *sending) onItsWay() *sending {
	s.t.Helper()
	select {
	case <-s.wrote:
	case <-time.After(time.Minute):
		s.t.Fatal("a request could not be sent")
	}
	return s
}

// ended returns the answer.
func (s *sending) ended() *reply {
	s.t.Helper()
	select {
	case r := <-s.reply:
		return r
	case <-time.After(190 * time.Second):
		s.t.Fatal("a request was never answered")
		return nil
	}
}

// unanswered checks that there is no answer after d: long enough for the guard to have given one.
func (s *sending) unanswered(why string, d time.Duration) {
	s.t.Helper()
	select {
	case r := <-s.reply:
		s.t.Errorf("%s was answered (%d %s) while the first was running; want it to wait\n\t(%s)",
			r.what, r.status, cut(r.body), why)
		s.reply <- r
	case <-time.After(d):
	}
}

// parallel sends the form n times at once, from as many connections, and returns all answers.
func (f *form) parallel(n int, m mode) []*reply {
	replies := make([]*reply, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { replies[i] = f.submit(m) })
	}
	wg.Wait()
	return replies
}

// problem is a problem+json answer of the guard.
type problem struct {
	Type   string
	Title  string
	Status int
	Detail string
	Record struct{ Href, Title, Committed string }
	// Differs is nil where the member is missing.
	Differs []string
	Query   bool
}

func (r *reply) problem() problem {
	r.t.Helper()
	var p problem
	if err := json.Unmarshal(r.body, &p); err != nil {
		r.t.Errorf("%s: %v in %s; want problem+json", r.what, err, cut(r.body))
	}
	return p
}

// valuesOf are the fields of an urlencoded body.
func valuesOf(t *testing.T, body []byte) url.Values {
	t.Helper()
	v, err := url.ParseQuery(string(body))
	if err != nil {
		t.Fatal(err)
	}
	return v
}
