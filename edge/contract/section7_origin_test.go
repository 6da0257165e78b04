//go:build unix

package contract_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/websocket"
)

func TestTheOriginSeesTheKeyAndTheAttempt(t *testing.T) {
	g := shared(t)
	const why = "The guard sends Idempotency-Key (replacing any on guarded requests; elsewhere the client's passes) and Idempotency-Attempt; its visitor cookie stays with it."
	r := g.origin.route("/")
	v := g.visitor(t)
	v.jar.set("sid", "abc")
	v.jar.set("theme", "dark")
	f := v.render(r)
	f.submit(browser, "Idempotency-Key", "from-the-client-1234", "Idempotency-Attempt", "9").must(why, wants{outcome: "created"})
	got := r.got()[0]
	if key := got.header.Values("Idempotency-Key"); len(key) != 1 || key[0] == "" || strings.Contains(key[0], "from-the-client") {
		t.Errorf("Idempotency-Key = %q; want the guard's alone\n\t(%s)", key, why)
	}
	if attempt := got.header.Values("Idempotency-Attempt"); len(attempt) != 1 || attempt[0] != "1" {
		t.Errorf("Idempotency-Attempt = %q; want 1\n\t(%s)", attempt, why)
	}
	if cookie := got.header.Get("Cookie"); !strings.Contains(cookie, "sid=abc") || !strings.Contains(cookie, "theme=dark") || strings.Contains(cookie, "singleshot") {
		t.Errorf("Cookie = %q; want the origin's own and not the guard's\n\t(%s)", cookie, why)
	}
	if body := string(got.body); body != f.urlencoded() {
		t.Errorf("body = %q; want %q: the field stays without strip", body, f.urlencoded())
	}
	if ct := got.header.Get("Content-Type"); ct != urlencodedMedia {
		t.Errorf("Content-Type = %q; want as sent", ct)
	}
	page := r.read()[0]
	if cookie := v.get(r.path); cookie.status == 200 && strings.Contains(r.read()[1].header.Get("Cookie"), "singleshot") {
		t.Errorf("Cookie of a page = %q; want none of the guard's\n\t(%s)", r.read()[1].header.Get("Cookie"), why)
	}
	if page.header.Get("Idempotency-Key") != "" {
		t.Errorf("Idempotency-Key of a GET = %q; want none", page.header.Get("Idempotency-Key"))
	}
	w := g.visitor(t)
	w.send(request{method: "GET", path: r.path, mode: browser, header: []string{"Idempotency-Key", "clients-own"}})
	if got := r.read()[2].header.Get("Idempotency-Key"); got != "clients-own" {
		t.Errorf("Idempotency-Key of an unguarded request = %q; want the client's\n\t(%s)", got, why)
	}
}

func TestForwardedHeaders(t *testing.T) {
	g := shared(t)
	const why = "With ORIGIN_URL it sends X-Forwarded-Host, -Proto, -For"
	r := g.origin.route("/")
	f := g.visitor(t).render(r)
	f.submit(browser, "X-Forwarded-Host", "evil.example", "X-Forwarded-Proto", "gopher").must(why, wants{outcome: "created"})
	for _, s := range append(r.read(), r.got()...) {
		if got := s.header.Get("X-Forwarded-Host"); got != strings.TrimPrefix(g.base, "http://") {
			t.Errorf("%s: X-Forwarded-Host = %q; want the visitor's %s\n\t(%s)", s.method, got, g.base, why)
		}
		if got := s.header.Get("X-Forwarded-Proto"); got != "http" {
			t.Errorf("%s: X-Forwarded-Proto = %q; want http\n\t(%s)", s.method, got, why)
		}
		if got := s.header.Get("X-Forwarded-For"); got == "" {
			t.Errorf("%s: no X-Forwarded-For\n\t(%s)", s.method, why)
		}
		if s.host != g.origin.addr {
			t.Errorf("%s: Host = %q; want the origin's %s", s.method, s.host, g.origin.addr)
		}
	}
}

func TestPlacesAtTheOriginsHostAreRewritten(t *testing.T) {
	g := shared(t)
	const why = "rewrites Location, HX-Redirect, HX-Location and form actions at the origin's own host to the visitor's"
	own, visitors := g.origin.url, g.base
	for _, c := range []struct {
		name, header, from, to string
		status                 int
	}{
		{"Location", "Location", own + "/orders/1?a=b#c", visitors + "/orders/1?a=b#c", 303},
		{"relative Location", "Location", "/orders/1", "/orders/1", 303},
		{"another host", "Location", "https://pay.example/1", "https://pay.example/1", 303},
		{"a host that only begins so", "Location", own + "1.example/", own + "1.example/", 303},
		{"HX-Redirect", "HX-Redirect", own + "/orders/1", visitors + "/orders/1", 204},
		{"HX-Location", "HX-Location", own + "/orders/1", visitors + "/orders/1", 204},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := g.origin.route("/", answer(c.status, "", c.header, c.from))
			r2 := g.origin.route("/")
			r2.page = answer(c.status, "", c.header, c.from)
			f := g.visitor(t).render(r)
			f.submit(browser).must(why, wants{status: c.status, outcome: "created", header: []string{c.header, c.to}})
			f.submit(browser).must(why, wants{outcome: "replayed", replay: true})
			if c.header == "Location" {
				f.submit(browser).must(why, wants{outcome: "replayed", replay: true, header: []string{c.header, c.to}})
			}
			if p := f.set("amount", "2").submit(asJSON).problem(); c.header != "HX-Location" && p.Record.Href != c.to {
				t.Errorf("record of a mismatch = %q; want %q\n\t(%s)", p.Record.Href, c.to, why)
			}
			f.v.get(r2.path).must(why+", on every answer", wants{status: c.status, header: []string{c.header, c.to}})
		})
	}
	t.Run("HX-Location as JSON", func(t *testing.T) {
		t.Parallel()
		r := g.origin.route("/", answer(204, "", "HX-Location", `{"path":"`+own+`/orders/1","target":"#main"}`))
		got := g.visitor(t).render(r).submit(htmx).must(why, wants{status: 204, outcome: "created"}).header.Get("HX-Location")
		if strings.Contains(got, own) || !strings.Contains(got, "/orders/1") || !strings.Contains(got, "#main") {
			t.Errorf("HX-Location = %q; want the visitor's host in it\n\t(%s)", got, why)
		}
	})
	t.Run("form action", func(t *testing.T) {
		t.Parallel()
		r := g.origin.route("/")
		r.page = htmlPage(`<form method="post" action="` + own + r.path + `"><input name="amount" value="1"></form>`)
		f := g.visitor(t).render(r)
		if f.action != visitors+r.path {
			t.Errorf("action = %q; want %q\n\t(%s)", f.action, visitors+r.path, why)
		}
		f.action = r.path
		f.submit(browser).must("a form at the origin's own host is same-origin", wants{outcome: "created"})
		f.set("amount", "2").submit(browser).must("its key is for this path", wants{status: 422, outcome: "mismatch"})
	})
}

func TestTheOriginsOwnWordsAreNotPassedOn(t *testing.T) {
	g := shared(t)
	const why = "The origin may answer Idempotency-Outcome, Idempotency-Record, Idempotency-TTL; these are not passed on."
	r := g.origin.route("/", answer(200, "ok", "Idempotency-Outcome", "commit", "Idempotency-Record", "</a>", "Idempotency-TTL", "3600"))
	f := g.visitor(t).render(r)
	absent := []string{"Idempotency-Outcome", "", "Idempotency-Record", "", "Idempotency-TTL", ""}
	f.submit(htmx).must(why, wants{status: 200, outcome: "created", header: absent})
	f.submit(htmx).must(why, wants{status: 200, outcome: "replayed", replay: true, header: absent})
}

const whyUntouched = "Every other request and answer passes byte for byte, streaming, with all its headers (several Set-Cookie stay several), WebSocket upgrades included."

func TestEverythingElsePassesByteForByte(t *testing.T) {
	g := shared(t)
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	headers := []string{
		"Content-Type", "application/octet-stream", "ETag", `W/"v1"`, "Last-Modified", "Wed, 09 Jun 2027 10:18:14 GMT",
		"Cache-Control", "public, max-age=600", "Link", "</a>; rel=next, </b>; rel=prev", "Vary", "Accept, Cookie", "X-Own", "a, b",
		"Access-Control-Allow-Origin", "*", "Server-Timing", "db;dur=5",
	}
	cookies := []string{"first=1; Path=/; Expires=Wed, 09 Jun 2027 10:18:14 GMT", "second=2; Path=/; HttpOnly", "third=a,b; Path=/"}
	script := func(x *turn) {
		for _, c := range cookies {
			x.Header().Add("Set-Cookie", c)
		}
		answer(200, string(all), headers...)(x)
	}
	check := func(t *testing.T, got *reply) {
		t.Helper()
		got.must(whyUntouched, wants{status: 200, body: string(all), outcome: "-", header: headers})
		if c := got.header.Values("Set-Cookie"); !slices.Equal(c, cookies) {
			t.Errorf("Set-Cookie = %q; want %q\n\t(several Set-Cookie stay several)", c, cookies)
		}
	}
	for _, c := range []struct {
		name, method, media, prefix string
		m                           mode
	}{
		{"GET", "GET", "", "/", browser},
		{"POST of JSON", "POST", "application/json", "/", fetched},
		{"POST of bytes", "POST", "application/octet-stream", "/", fetched},
		{"POST without a type", "POST", "", "/", bare},
		{"PUT of a form", "PUT", urlencodedMedia, "/", htmx},
		{"a form under key = off", "POST", urlencodedMedia, "/off/", browser},
		{"a form without a key", "POST", urlencodedMedia, "/", bare},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := g.origin.route(c.prefix, script)
			r.page = script
			v := g.visitor(t)
			v.jar.set("sid", "a=b")
			q := request{method: c.method, path: r.path + "?q=%E6%B3%A8&b=+", mode: c.m, header: []string{"X-Client", "x, y", "Accept-Language", "ja;q=0.9, en"}}
			if c.method != "GET" {
				q.body = all
				if c.media != "" {
					q.header = append(q.header, "Content-Type", c.media)
				}
			}
			got := v.send(q)
			if c.name == "a form without a key" {
				got.must("A guarded form without a key: passes unguarded", wants{status: 200, body: string(all)})
			} else {
				check(t, got)
			}
			seen := append(r.got(), r.read()...)
			if len(seen) != 1 {
				t.Fatalf("the origin got %d requests; want 1", len(seen))
			}
			s := seen[0]
			if s.method != c.method || s.uri != q.path || !bytes.Equal(s.body, q.body) {
				t.Errorf("the origin got %s %s with %d bytes; want %s %s with %d\n\t(%s)", s.method, s.uri, len(s.body), c.method, q.path, len(q.body), whyUntouched)
			}
			for _, h := range [][2]string{{"X-Client", "x, y"}, {"Accept-Language", "ja;q=0.9, en"}, {"Content-Type", c.media}, {"User-Agent", "contract-suite"}} {
				if got := s.header.Get(h[0]); got != h[1] && (h[0] != "Content-Type" || c.method != "GET") {
					t.Errorf("%s at the origin = %q; want %q\n\t(%s)", h[0], got, h[1], whyUntouched)
				}
			}
			if got := s.header.Get("Cookie"); got != "sid=a=b" {
				t.Errorf("Cookie at the origin = %q; want sid=a=b", got)
			}
		})
	}
}

func TestSeveralSetCookieStaySeveralOnGuardedAnswers(t *testing.T) {
	g := shared(t)
	cookies := []string{"first=1; Path=/; Expires=Wed, 09 Jun 2027 10:18:14 GMT", "second=2; Path=/; HttpOnly"}
	r := g.origin.route("/", func(x *turn) {
		for _, c := range cookies {
			x.Header().Add("Set-Cookie", c)
		}
		order(x)
	})
	got := g.visitor(t).render(r).submit(browser).must(whyUntouched, wants{outcome: "created"})
	if c := got.header.Values("Set-Cookie"); !slices.Equal(c, cookies) {
		t.Errorf("Set-Cookie = %q; want %q\n\t(several Set-Cookie stay several)", c, cookies)
	}
}

func TestACompressedAnswerStaysCompressed(t *testing.T) {
	g := shared(t)
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	io.WriteString(w, strings.Repeat(`{"a":1}`, 500))
	w.Close()
	r := g.origin.route("/")
	r.page = answer(200, z.String(), "Content-Type", "application/json", "Content-Encoding", "gzip")
	got := g.visitor(t).get(r.path, "Accept-Encoding", "gzip")
	got.must(whyUntouched, wants{status: 200, header: []string{"Content-Encoding", "gzip"}})
	d, err := gzip.NewReader(bytes.NewReader(got.body))
	if err != nil {
		t.Fatalf("%v in %q", err, cut(got.body))
	}
	if plain, err := io.ReadAll(d); err != nil || len(plain) != 3500 {
		t.Errorf("answer = %d bytes, %v; want 3500", len(plain), err)
	}
}

func TestHEADAndOPTIONSPass(t *testing.T) {
	g := shared(t)
	r := g.origin.route("/", answer(204, "", "Access-Control-Allow-Methods", "POST", "Access-Control-Allow-Headers", "Idempotency-Key"))
	r.page = htmlPage(orderForm(r.path), "X-Own", "1")
	v := g.visitor(t)
	head := v.send(request{method: "HEAD", path: r.path, mode: browser}).must(whyUntouched, wants{status: 200, outcome: "-", header: []string{"X-Own", "1"}})
	if len(head.body) != 0 {
		t.Errorf("HEAD has a body of %d bytes", len(head.body))
	}
	if got := r.read(); len(got) != 1 || got[0].method != "HEAD" {
		t.Errorf("the origin got %+v; want one HEAD", got)
	}
	v.send(request{method: "OPTIONS", path: r.path, mode: bare, header: []string{"Origin", "https://other.example",
		"Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "Idempotency-Key"}}).
		must(whyUntouched, wants{status: 204, outcome: "-", header: []string{"Access-Control-Allow-Methods", "POST", "Access-Control-Allow-Headers", "Idempotency-Key"}})
}

func TestAnswersStream(t *testing.T) {
	g := shared(t)
	open := newGate(t)
	r := g.origin.route("/")
	r.page = func(x *turn) {
		x.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(x, "data: one\n\n")
		http.NewResponseController(x.ResponseWriter).Flush()
		select {
		case <-open.c:
		case <-time.After(2 * time.Minute):
		}
		io.WriteString(x, "data: two\n\n")
	}
	res, err := g.visitor(t).open(request{method: "GET", path: r.path, mode: fetched})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	first := make(chan string, 1)
	go func() {
		b := make([]byte, len("data: one\n\n"))
		n, _ := io.ReadFull(res.Body, b)
		first <- string(b[:n])
	}()
	select {
	case got := <-first:
		if got != "data: one\n\n" {
			t.Errorf("first event = %q", got)
		}
	case <-time.After(time.Minute):
		t.Errorf("no event before the end\n\t(%s)", whyUntouched)
	}
	open.open()
	if rest, err := io.ReadAll(res.Body); string(rest) != "data: two\n\n" {
		t.Errorf("rest = %q, %v", rest, err)
	}
}

func TestRequestsStream(t *testing.T) {
	g := shared(t)
	r := g.origin.route("/", answer(200, "ok", "Content-Type", "text/plain"))
	r.early = true
	got := make(chan string, 1)
	r.scripts = []script{func(x *turn) {
		b := make([]byte, 5)
		io.ReadFull(x.request.Body, b)
		got <- string(b)
		io.Copy(io.Discard, x.request.Body)
	}}
	body, write := io.Pipe()
	s := g.visitor(t).sending(request{method: "POST", path: r.path, mode: fetched, stream: body, length: -1, header: []string{"Content-Type", "application/octet-stream"}})
	// More than any buffer on the way holds back, but the request does not end.
	go io.WriteString(write, "first"+strings.Repeat("x", 256<<10))
	select {
	case first := <-got:
		if first != "first" {
			t.Errorf("the origin got %q", first)
		}
	case <-time.After(time.Minute):
		t.Errorf("the origin got nothing before the request's end\n\t(%s)", whyUntouched)
	}
	write.Close()
	s.ended().must(whyUntouched, wants{status: 200})
}

func TestWebSocketUpgradesPass(t *testing.T) {
	g := shared(t)
	r := g.origin.route("/")
	r.page = func(x *turn) {
		websocket.Handler(func(c *websocket.Conn) { io.Copy(c, c) }).ServeHTTP(x.ResponseWriter, x.request)
	}
	c, err := websocket.Dial("ws"+strings.TrimPrefix(g.base, "http")+r.path, "", g.base)
	if err != nil {
		t.Fatalf("%v\n\t(%s)", err, whyUntouched)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(time.Minute))
	if _, err := c.Write([]byte("hello")); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 5)
	if _, err := io.ReadFull(c, b); err != nil || string(b) != "hello" {
		t.Errorf("echo = %q, %v; want hello\n\t(%s)", b, err, whyUntouched)
	}
}

func TestEarlyAndOddStatusesPass(t *testing.T) {
	g := shared(t)
	for _, status := range []int{201, 206, 299, 301, 304, 307, 400, 404, 418, 451, 500, 503, 599} {
		t.Run(itoa(status), func(t *testing.T) {
			t.Parallel()
			r := g.origin.route("/")
			r.page = func(x *turn) {
				x.Header().Set("Content-Type", "text/plain")
				x.Header().Set("Location", "/elsewhere")
				x.WriteHeader(status)
				if status != 304 {
					io.WriteString(x, "as it is")
				}
			}
			got := g.visitor(t).get(r.path).must(whyUntouched, wants{status: status, outcome: "-"})
			if status != 304 && string(got.body) != "as it is" {
				t.Errorf("body = %q; want the origin's", got.body)
			}
		})
	}
}

func TestStripTakesTheKeyOutOfTheBody(t *testing.T) {
	g := shared(t)
	const why = "Rule strip = true takes the key field out of the body (for origins that refuse unknown fields)."
	t.Run("urlencoded", func(t *testing.T) {
		t.Parallel()
		r := g.origin.route("/strip/")
		f := g.visitor(t).render(r).add("note", "a b&c")
		f.submit(browser).must(why, wants{outcome: "created"})
		if got, want := string(r.got()[0].body), f.without("idempotency_key").urlencoded(); got != want {
			t.Errorf("body = %q; want %q\n\t(%s)", got, want, why)
		}
		f.submit(browser).must(why, wants{outcome: "replayed", replay: true})
	})
	t.Run("multipart", func(t *testing.T) {
		t.Parallel()
		r := g.origin.route("/strip/")
		f := g.visitor(t).render(r).attach("scan", "a.bin", "image/png", "\x00\xff\r\n--b")
		f.upload(browser, "bound").must(why, wants{outcome: "created"})
		if got, want := r.got()[0].body, f.without("idempotency_key").multipart("bound"); !bytes.Equal(got, want) {
			t.Errorf("body = %q; want %q\n\t(%s)", got, want, why)
		}
	})
	t.Run("JSON of htmx", func(t *testing.T) {
		t.Parallel()
		r := g.origin.route("/strip/")
		f := g.visitor(t).render(r)
		f.v.post(r.path, htmx, "application/json", `{"amount":1, "idempotency_key":"`+f.key()+`", "note":"a"}`).must(why, wants{outcome: "created"})
		var got map[string]any
		if err := json.Unmarshal(r.got()[0].body, &got); err != nil || len(got) != 2 || got["note"] != "a" {
			t.Errorf("body = %s, %v; want the two others\n\t(%s)", r.got()[0].body, err, why)
		}
	})
	t.Run("a large upload", func(t *testing.T) {
		t.Parallel()
		r := g.origin.route("/strip/")
		f := g.visitor(t).render(r)
		f.v.send(uploadOf(f, 3<<20, 1, false)).must(why, wants{status: 200, outcome: "created"})
		want, _ := io.ReadAll(uploadOf(f.without("idempotency_key"), 3<<20, 1, false).stream)
		if got := r.got()[0].body; !bytes.Equal(got, want) {
			t.Errorf("the origin got %d bytes; want the %d without the key\n\t(%s)", len(got), len(want), why)
		}
	})
}
