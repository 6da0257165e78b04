//go:build unix

package contract_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// visitor is one person's browser, or one API client: it keeps cookies and sends exactly what it is told.
type visitor struct {
	t      *testing.T
	base   string
	jar    *jar
	always []string // headers of every request, name and value in turn
}

// jar holds a visitor's cookies: one origin, no paths.
type jar struct {
	mu      sync.Mutex
	cookies map[string]string
}

func (j *jar) set(name, value string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.cookies[name] = value
}

func (j *jar) get(name string) string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.cookies[name]
}

func (j *jar) delete(name string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.cookies, name)
}

// header is the Cookie header, "" without cookies.
func (j *jar) header() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	var pairs []string
	for name, value := range j.cookies {
		pairs = append(pairs, name+"="+value)
	}
	slices.Sort(pairs)
	return strings.Join(pairs, "; ")
}

func (g *guard) visitor(t *testing.T) *visitor {
	return &visitor{t: t, base: g.base, jar: &jar{cookies: map[string]string{}}}
}

// inTest is the same visitor, reporting to a subtest. The cookies are shared.
func (v *visitor) inTest(t *testing.T) *visitor {
	w := *v
	w.t = t
	return &w
}

// transport opens a connection for each visitor that asks at the same time, follows nothing, decodes nothing.
var transport = &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 32, IdleConnTimeout: 20 * time.Second}

// mode adds the headers that a kind of client sends by itself.
type mode func(v *visitor, h http.Header)

// browser is a full-page navigation: a form without JavaScript, or a link.
func browser(v *visitor, h http.Header) {
	h.Set("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")
	h.Set("Upgrade-Insecure-Requests", "1")
	h.Set("Origin", v.base)
	h.Set("Sec-Fetch-Site", "same-origin")
	h.Set("Sec-Fetch-Mode", "navigate")
	h.Set("Sec-Fetch-Dest", "document")
	h.Set("Sec-Fetch-User", "?1")
}

// htmx is a request of htmx 2.
func htmx(v *visitor, h http.Header) {
	h.Set("Accept", "*/*")
	h.Set("HX-Request", "true")
	h.Set("HX-Target", "order-result")
	h.Set("HX-Current-URL", v.base+"/page")
	h.Set("Origin", v.base)
	h.Set("Sec-Fetch-Site", "same-origin")
	h.Set("Sec-Fetch-Mode", "cors")
	h.Set("Sec-Fetch-Dest", "empty")
}

// fetched is a script's own fetch with the form's data, without htmx.
func fetched(v *visitor, h http.Header) {
	h.Set("Accept", "*/*")
	h.Set("Origin", v.base)
	h.Set("Sec-Fetch-Site", "same-origin")
	h.Set("Sec-Fetch-Mode", "cors")
	h.Set("Sec-Fetch-Dest", "empty")
}

// asJSON is a script that wants problem+json.
func asJSON(v *visitor, h http.Header) {
	h.Set("Accept", "application/json")
}

// bare is a client that sends no header about itself: curl, a webhook sender, an old browser.
func bare(*visitor, http.Header) {}

// with adds headers, name and value in turn, to a mode. An empty value takes the header away.
func (m mode) with(headers ...string) mode {
	return func(v *visitor, h http.Header) {
		m(v, h)
		for i := 0; i < len(headers); i += 2 {
			if headers[i+1] == "" {
				h.Del(headers[i])
			} else {
				h.Set(headers[i], headers[i+1])
			}
		}
	}
}

// request is one request, with nothing added but the mode's headers and the visitor's cookies.
type request struct {
	method, path string
	header       []string // name and value in turn, after the mode's
	body         []byte
	stream       io.Reader // instead of body: sent chunked, or with length
	length       int64
	mode         mode
	ctx          context.Context
	written      chan<- struct{} // gets one value when the request is on its way
	insist       bool            // a sending that breaks does not end the reading: see insist
}

// reply is an answer as it came over the wire.
type reply struct {
	t      *testing.T
	what   string
	status int
	header http.Header
	body   []byte
	err    error // why there is no answer, or why the body ended early
	took   time.Duration
}

// send sends one request and reads the whole answer. Cookies that the answer sets are kept.
func (v *visitor) send(q request) *reply {
	v.t.Helper()
	began := time.Now()
	r := &reply{t: v.t, what: q.method + " " + q.path}
	res, err := v.open(q)
	if err != nil {
		r.err = err
		return r
	}
	defer res.Body.Close()
	r.status, r.header = res.StatusCode, res.Header
	r.body, r.err = io.ReadAll(res.Body)
	r.took = time.Since(began)
	return r
}

// open sends one request and returns as soon as the answer's header is there.
func (v *visitor) open(q request) (*http.Response, error) {
	c := q.ctx
	if c == nil {
		c, _ = contextFor(v.t)
	}
	if q.written != nil {
		c = httptrace.WithClientTrace(c, &httptrace.ClientTrace{
			WroteRequest: func(httptrace.WroteRequestInfo) { q.written <- struct{}{} }})
	}
	var body io.Reader
	switch {
	case q.stream != nil:
		body = q.stream
	case q.body != nil:
		body = bytes.NewReader(q.body)
	}
	url := q.path
	if strings.HasPrefix(url, "/") {
		url = v.base + url
	}
	h, err := http.NewRequestWithContext(c, q.method, url, body)
	if err != nil {
		return nil, err
	}
	if q.stream != nil {
		h.ContentLength = q.length
	}
	h.GetBody = nil // no silent second attempt by this client
	h.Header.Set("User-Agent", "contract-suite")
	if q.mode != nil {
		q.mode(v, h.Header)
	}
	for i := 0; i < len(v.always); i += 2 {
		h.Header.Set(v.always[i], v.always[i+1])
	}
	for i := 0; i < len(q.header); i += 2 {
		if strings.EqualFold(q.header[i], "Host") {
			h.Host = q.header[i+1]
		} else {
			h.Header.Add(q.header[i], q.header[i+1])
		}
	}
	if c := v.jar.header(); c != "" {
		h.Header.Set("Cookie", c)
	}
	send := transport.RoundTrip
	if q.insist && h.URL.Scheme == "http" {
		send = insist
	}
	res, err := send(h)
	if err != nil {
		return nil, err
	}
	for _, c := range res.Cookies() {
		if c.MaxAge < 0 {
			v.jar.delete(c.Name)
		} else {
			v.jar.set(c.Name, c.Value)
		}
	}
	return res, nil
}

// insist sends a request on a connection of its own and reads the answer whether all of it could be written or not,
// as browsers do. Go's client forgets an answer to a request that it was still writing when the server closed.
func insist(h *http.Request) (*http.Response, error) {
	c, err := new(net.Dialer).DialContext(h.Context(), "tcp", h.URL.Host)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(h.Context(), func() { c.Close() })
	wrote := make(chan error, 1)
	go func() { wrote <- h.Write(c) }()
	res, err := http.ReadResponse(bufio.NewReader(c), h)
	if err != nil {
		stop()
		c.Close()
		return nil, errors.Join(err, <-wrote)
	}
	res.Body = &insistedBody{res.Body, c}
	return res, nil
}

// insistedBody closes the connection with the body.
type insistedBody struct {
	io.ReadCloser
	connection net.Conn
}

func (b *insistedBody) Close() error { return b.connection.Close() }

// get is a full-page GET.
func (v *visitor) get(path string, headers ...string) *reply {
	v.t.Helper()
	return v.send(request{method: http.MethodGet, path: path, mode: browser, header: headers})
}

// post sends a body of any type.
func (v *visitor) post(path string, m mode, contentType, body string, headers ...string) *reply {
	v.t.Helper()
	q := request{method: http.MethodPost, path: path, mode: m, body: []byte(body), header: headers}
	if contentType != "" {
		q.header = slices.Concat([]string{"Content-Type", contentType}, headers)
	}
	return v.send(q)
}

// wants is what an answer must hold. Zero fields are not looked at.
type wants struct {
	status  int
	outcome string   // Idempotency-Status; "-" for none
	replay  bool     // Idempotency-Replayed: true and Cache-Control: no-store, or neither marker where false
	body    string   // the whole body
	has     []string // parts of the body
	hasNot  []string
	header  []string // name and value in turn; the value "" means absent
	problem string   // the type of a problem+json answer, without "urn:singleshot:"
}

// must checks an answer; why quotes the sentence of the contract.
func (r *reply) must(why string, w wants) *reply {
	r.t.Helper()
	failed := false
	fail := func(format string, args ...any) {
		r.t.Helper()
		failed = true
		r.t.Errorf("%s: %s", r.what, fmt.Sprintf(format, args...))
	}
	if r.err != nil {
		fail("%v; want an answer", r.err)
	} else {
		if w.status != 0 && r.status != w.status {
			fail("status = %d; want %d", r.status, w.status)
		}
		if got := r.header.Get("Idempotency-Status"); w.outcome == "-" && got != "" || w.outcome != "" && w.outcome != "-" && got != w.outcome {
			fail("Idempotency-Status = %q; want %q", got, w.outcome)
		}
		if got := r.header.Get("Idempotency-Replayed"); w.replay != (got == "true") {
			fail("Idempotency-Replayed = %q; want replay = %v", got, w.replay)
		}
		if got := r.header.Get("Cache-Control"); w.replay && got != "no-store" {
			fail("Cache-Control of a replay = %q; want no-store", got)
		}
		if w.body != "" && string(r.body) != w.body {
			fail("body of %d bytes = %q; want %d bytes, %q", len(r.body), cut(r.body), len(w.body), cut([]byte(w.body)))
		}
		for _, part := range w.has {
			if !bytes.Contains(r.body, []byte(part)) {
				fail("body = %q; want %q in it", cut(r.body), part)
			}
		}
		for _, part := range w.hasNot {
			if bytes.Contains(r.body, []byte(part)) {
				fail("body = %q; want no %q in it", cut(r.body), part)
			}
		}
		for i := 0; i < len(w.header); i += 2 {
			if got := strings.Join(r.header.Values(w.header[i]), " | "); got != w.header[i+1] {
				fail("%s = %q; want %q", w.header[i], got, w.header[i+1])
			}
		}
		if w.problem != "" {
			if got := r.header.Get("Content-Type"); !strings.HasPrefix(got, "application/problem+json") {
				fail("Content-Type = %q; want application/problem+json", got)
			}
			if got := r.problem().Type; got != "urn:singleshot:"+w.problem {
				fail("type = %q; want urn:singleshot:%s", got, w.problem)
			}
		}
	}
	if failed {
		r.t.Logf("\t(%s)\n\tgot %d %v\n\t%s", why, r.status, r.header, cut(r.body))
	}
	return r
}

func cut(b []byte) string {
	if len(b) > 600 {
		return string(b[:500]) + "…" + string(b[len(b)-80:])
	}
	return string(b)
}

// same checks that two answers are one: status, body and the headers that matter.
func (r *reply) same(why string, first *reply) *reply {
	r.t.Helper()
	if r.err != nil || first.err != nil {
		r.t.Errorf("%s: %v, first %v; want two answers\n\t(%s)", r.what, r.err, first.err, why)
		return r
	}
	if r.status != first.status {
		r.t.Errorf("%s: status = %d; want the first answer's %d\n\t(%s)", r.what, r.status, first.status, why)
	}
	if !bytes.Equal(r.body, first.body) {
		r.t.Errorf("%s: body = %q; want the first answer's %q\n\t(%s)", r.what, cut(r.body), cut(first.body), why)
	}
	for _, name := range kept(first.header) {
		if got, want := r.header.Values(name), first.header.Values(name); !slices.Equal(got, want) {
			r.t.Errorf("%s: %s = %q; want the first answer's %q\n\t(%s)", r.what, name, got, want, why)
		}
	}
	return r
}

// kept are the headers of an answer that a replay must carry (contract section 4).
func kept(h http.Header) []string {
	var names []string
	for name := range h {
		if strings.HasPrefix(name, "Hx-") || strings.HasPrefix(name, "Cross-Origin-") || slices.Contains([]string{
			"Content-Type", "Content-Language", "Content-Disposition", "Location", "Link", "Etag", "Content-Security-Policy",
			"X-Content-Type-Options", "X-Frame-Options", "Referrer-Policy", "Permissions-Policy"}, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// contextFor bounds one request, far above what a busy machine takes; it ends with the test.
func contextFor(t *testing.T) (context.Context, context.CancelFunc) {
	c, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	t.Cleanup(cancel)
	return c, cancel
}
