//go:build unix

package contract_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// keyInput is what the guard puts into a form.
const keyInput = `<input type="hidden" name="idempotency_key" value="KEY" autocomplete="off">`

// unkeyed replaces every key by KEY.
func unkeyed(b []byte) string { return keyPattern.ReplaceAllString(string(b), "KEY") }

func TestFormsThatGetAKey(t *testing.T) {
	g := shared(t)
	const why = "each form with method=post, hx-post or data-hx-post (any letter case …) whose action is same-origin gets <input …> as its first child"
	other := "HOST" // the guard's own origin, filled in below
	cases := []struct {
		name string
		page string // «» marks the place where the input must appear
		why  string
	}{
		{"plain", `<form method="post" action="/a">«»<p>x</p></form>`, why},
		{"no action", `<form method=post>«»</form>`, why},
		{"letter case", `<FORM CLASS=a METHOD='POST'>«»<INPUT NAME=x></FORM>`, why},
		{"hx-post", `<form hx-post="/a">«»</form>`, why},
		{"data-hx-post", `<form data-hx-post="/a">«»</form>`, why},
		{"HX-POST", `<form HX-POST=/a>«»</form>`, why},
		{"absolute, same origin", `<form method="post" action="` + other + `/a">«»</form>`, why},
		{"relative to a scheme", `<form method="post" action="?x=1">«»</form>`, why},
		{"spaces in the tag", "<form\n  method = \"post\"\taction=\"/a\"\n>«»</form>", why},
		{"an attribute twice", `<form method="post" method="get">«»</form>`, "the first of equal attributes counts (HTML standard)"},
		{"inside a table", `<table><form method=post>«»<tr><td><input name=a></td></tr></form></table>`, why},
		{"two forms", `<form method=post action=/a>«»</form><form method=post action=/b>«»</form>`, why},
		{"noscript", `<noscript><form method="post">«»</form></noscript>`, "<noscript> included."},
		{"a > in an attribute", `<form title="a > b" method="post">«»</form>`, why},
		{"repeat", `<form method="post" data-idempotency="repeat">«»</form>`, `="repeat" sets the mode`},

		{"get", `<form method="get" action="/search"><input name=q></form>`, why},
		{"no method", `<form action="/search"></form>`, why},
		{"dialog", `<form method="dialog"></form>`, why},
		{"another origin", `<form method="post" action="https://other.example/pay"></form>`, "whose action is same-origin"},
		{"another origin, no scheme", `<form method="post" action="//other.example/pay"></form>`, "whose action is same-origin"},
		{"another origin with tabs", "<form method=\"post\" action=\" ht\ttps://other.example/pay\"></form>", "whose action is same-origin"},
		{"a backslash origin", `<form method="post" action="/\other.example/pay"></form>`, "whose action is same-origin"},
		{"mailto", `<form method="post" action="mailto:a@example.com"></form>`, "whose action is same-origin"},
		{"off", `<form method="post" data-idempotency="off"></form>`, `data-idempotency="off" opts out`},
		{"hx-put without a rule", `<form hx-put="/a"></form>`, "put, patch, delete where a rule names them"},
		{"logout", `<form method="post" action="/logout"></form>`, "sign-out forms are off"},
		{"sign_out.php", `<form method="post" action="/users/sign_out.php"></form>`, "with or without an extension"},
		{"rule off", `<form method="post" action="/off/x"></form>`, `key = "off"`},
		{"script", `<script>var s = '<form method="post">';</script>`, "scripts … are left alone"},
		{"script with a comment", `<script><!-- <script> <form method=post> </script> --></script><form method=post>«»</form>`, "scripts … are left alone"},
		{"style", `<style>/* <form method="post"> */</style>`, "styles … are left alone"},
		{"comment", `<!-- <form method="post"></form> --><form method=post>«»</form>`, "comments … are left alone"},
		{"textarea", `<textarea><form method="post"></textarea><form method=post>«»</form>`, "<textarea> … are left alone"},
		{"template", `<template><form method="post"></form></template><form method=post>«»</form>`, "other <template>s … are left alone"},
		{"attribute", `<div title='<form method="post">'></div>`, `attribute values that merely contain "<form" are left alone`},
		{"title", `<title><form method="post"></title>`, "text of a title is no form"},
		{"formula", `<formula method="post"></formula>`, "another element"},
		{"cut tag", `<p>x</p><form method="post" action="/a`, "broken HTML gets through as it was"},
		{"unclosed form", `<form method=post>«»<input name=a>`, why},
		{"stray ends", `</form></p><form method=post>«»</form></form>`, "broken HTML gets through as it was"},
		{"nothing to do", "<p>caf\xc3\xa9 \x00 &amp; <3 </p", "broken HTML gets through as it was"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := g.origin.route("/")
			page := strings.ReplaceAll(c.page, "HOST", g.base)
			r.page = htmlPage(strings.ReplaceAll(page, "«»", ""))
			got := g.visitor(t).get(r.path).must(c.why, wants{status: 200})
			if want := strings.ReplaceAll(page, "«»", keyInput); unkeyed(got.body) != want {
				t.Errorf("page = %s\nwant   %s\n\t(%s)", unkeyed(got.body), want, c.why)
			}
		})
	}
}

func TestAFieldOfThatNameGetsTheSameKey(t *testing.T) {
	g := shared(t)
	const why = "a field of that name met later in the form gets the same key as its value (the form then sends it twice; the first counts)"
	r := g.origin.route("/")
	r.page = htmlPage(`<form method="post" action="` + r.path + `"><p><input type="hidden" name="idempotency_key" value="old"></p><input name="amount" value="1"></form>`)
	f := g.visitor(t).render(r)
	var keys []string
	for _, x := range f.fields {
		if x.name == "idempotency_key" {
			keys = append(keys, x.value)
		}
	}
	if len(keys) != 2 || keys[0] != keys[1] || !mintedKey.MatchString(keys[0]) {
		t.Fatalf("keys = %q; want the same minted key twice\n\t(%s)", keys, why)
	}
	f.submit(browser).must(why, wants{outcome: "created"})
	f.submit(browser).must(why, wants{outcome: "replayed", replay: true})
}

func TestKeysInTurboStreams(t *testing.T) {
	g := shared(t)
	const why = "and in text/vnd.turbo-stream.html inside <turbo-stream><template>"
	r := g.origin.route("/")
	stream := `<turbo-stream action="replace" target="x"><template><form method="post" action="` + r.path + `">«»</form></template></turbo-stream>`
	r.page = answer(200, strings.ReplaceAll(stream, "«»", ""), "Content-Type", "text/vnd.turbo-stream.html; charset=utf-8")
	got := g.visitor(t).get(r.path).must(why, wants{status: 200})
	if want := strings.ReplaceAll(stream, "«»", keyInput); unkeyed(got.body) != want {
		t.Errorf("stream = %s\nwant     %s\n\t(%s)", unkeyed(got.body), want, why)
	}
}

func TestAnswersThatAreLeftAlone(t *testing.T) {
	g := shared(t)
	form := `<form method="post" action="/a"><input name="a"></form>`
	for _, c := range []struct {
		name    string
		status  int
		headers []string
		why     string
	}{
		{"plain text", 200, []string{"Content-Type", "text/plain"}, "On every text/html answer"},
		{"JSON", 200, []string{"Content-Type", "application/json"}, "On every text/html answer"},
		{"xhtml", 200, []string{"Content-Type", "application/xhtml+xml"}, "On every text/html answer"},
		{"206", 206, []string{"Content-Type", "text/html", "Content-Range", "bytes 0-54/100"}, "not on 206 and attachments"},
		{"attachment", 200, []string{"Content-Type", "text/html", "Content-Disposition", "Attachment; filename=a.html"}, "not on 206 and attachments"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := g.origin.route("/")
			headers := append([]string{"ETag", `"v1"`, "Last-Modified", "Wed, 09 Jun 2027 10:18:14 GMT", "Cache-Control", "public, max-age=60"}, c.headers...)
			r.page = answer(c.status, form, headers...)
			g.visitor(t).get(r.path).must(c.why, wants{status: c.status, body: form, header: headers})
		})
	}
	// Labels in Content-Type are core's tests: wrangler's own server in front of the Worker fails at them.
	t.Run("UTF-16 by its mark", func(t *testing.T) {
		t.Parallel()
		r := g.origin.route("/")
		page := "\xff\xfe" + strings.Join(strings.Split(form, ""), "\x00") + "\x00"
		r.page = htmlPage(page)
		g.visitor(t).get(r.path).must("a page in a charset that is no superset of ASCII is passed on unchanged", wants{status: 200, body: page})
	})
	t.Run("error pages get keys", func(t *testing.T) {
		t.Parallel()
		r := g.origin.route("/")
		r.page = answer(404, form)
		got := g.visitor(t).get(r.path).must("On every text/html answer", wants{status: 404})
		if !strings.Contains(unkeyed(got.body), keyInput) {
			t.Errorf("page = %s; want a key in its form", got.body)
		}
	})
	t.Run("answers to a POST get keys", func(t *testing.T) {
		t.Parallel()
		r := g.origin.route("/", answer(422, form))
		got := g.visitor(t).render(r).submit(browser).must("On every text/html answer", wants{status: 422, outcome: "released"})
		if !strings.Contains(unkeyed(got.body), keyInput) {
			t.Errorf("page = %s; want a key in its form", got.body)
		}
	})
}

func TestCacheHeadersOfPages(t *testing.T) {
	g := shared(t)
	form, plain := orderForm("/a"), "<!doctype html><title>About</title><p>No form here.</p>"
	const (
		marked = "such a page becomes Cache-Control: private, no-cache (an origin's no-store stays) …; ETag, Last-Modified, CDN-Cache-Control, Cloudflare-CDN-Cache-Control go"
		held   = "a page that the origin marks cacheable … is held until its first such form or its end, at most 256 KiB, and keeps all its headers if there is none"
		every  = "every other page is marked and streams at once, form or not"
	)
	validators := []string{"ETag", `"v1"`, "Last-Modified", "Wed, 09 Jun 2027 10:18:14 GMT", "CDN-Cache-Control", "max-age=600", "Cloudflare-CDN-Cache-Control", "max-age=600"}
	gone := []string{"ETag", "", "Last-Modified", "", "CDN-Cache-Control", "", "Cloudflare-CDN-Cache-Control", ""}
	for _, c := range []struct {
		name, body, cacheControl string
		headers                  []string
		want                     []string
		why                      string
	}{
		{"a form, nothing said", form, "", nil, []string{"Cache-Control", "private, no-cache"}, marked},
		{"a form, cacheable", form, "public, max-age=600", validators, append([]string{"Cache-Control", "private, no-cache"}, gone...), marked},
		{"a form, s-maxage", form, "s-maxage=600", nil, []string{"Cache-Control", "private, no-cache"}, marked},
		{"a form, a validator alone", form, "", []string{"ETag", `"v1"`}, append([]string{"Cache-Control", "private, no-cache"}, gone...), marked},
		{"a form, private", form, "private, max-age=600", validators, append([]string{"Cache-Control", "private, no-cache"}, gone...), marked},
		{"a form behind 300 KiB, cacheable", strings.Repeat("<p>text</p>\n", 26_000) + form, "public, max-age=600", validators, append([]string{"Cache-Control", "private, no-cache"}, gone...), held},
		{"no form, cacheable", plain, "public, max-age=600", validators, append([]string{"Cache-Control", "public, max-age=600"}, validators...), held},
		{"no form, a validator alone", plain, "", []string{"ETag", `"v1"`}, []string{"ETag", `"v1"`, "Cache-Control", ""}, held},
		{"a form of another method, cacheable", `<form action="/search"><input name=q></form>`, "max-age=600", validators, append([]string{"Cache-Control", "max-age=600"}, validators...), held},
		{"no form, nothing said", plain, "", nil, []string{"Cache-Control", "private, no-cache"}, every},
		{"no form, no-cache", plain, "no-cache", validators, append([]string{"Cache-Control", "private, no-cache"}, gone...), every},
		{"no form, max-age=0", plain, "max-age=0", nil, []string{"Cache-Control", "private, no-cache"}, every},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := g.origin.route("/")
			headers := c.headers
			if c.cacheControl != "" {
				headers = append([]string{"Cache-Control", c.cacheControl}, headers...)
			}
			r.page = htmlPage(c.body, headers...)
			got := g.visitor(t).get(r.path).must(c.why, wants{status: 200, header: c.want})
			if want := c.body; strings.ReplaceAll(unkeyed(got.body), keyInput, "") != want {
				t.Errorf("page has %d bytes; want the origin's %d and a key in its form", len(got.body), len(want))
			}
		})
	}
	t.Run("no-store stays", func(t *testing.T) {
		t.Parallel()
		for _, body := range []string{form, plain} {
			r := g.origin.route("/")
			r.page = htmlPage(body, "Cache-Control", "no-store, max-age=0")
			got := g.visitor(t).get(r.path)
			if cc := got.header.Get("Cache-Control"); !strings.Contains(cc, "no-store") {
				t.Errorf("Cache-Control = %q; want no-store in it\n\t(an origin's no-store stays)", cc)
			}
		}
	})
	t.Run("conditional requests", func(t *testing.T) {
		t.Parallel()
		r := g.origin.route("/")
		r.page = func(x *turn) {
			if x.seen.header.Get("If-None-Match") != "" {
				x.WriteHeader(http.StatusNotModified)
				return
			}
			htmlPage(form, "ETag", `"v1"`)(x)
		}
		v := g.visitor(t)
		if v.get(r.path).header.Get("ETag") != "" {
			t.Error("a page with a form has an ETag: a later 304 would bring back an old key")
		}
	})
}

func TestPagesStream(t *testing.T) {
	g := shared(t)
	const why = "every other page is marked and streams at once, form or not: the first byte is not held back"
	for _, c := range []struct{ name, first string }{
		{"a form first", `<!doctype html><form method="post" action="/a">`},
		{"no form yet", `<!doctype html><p>Reading the first rows</p>`},
		{"in the middle of a tag", `<!doctype html><p>Reading</p><form meth`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			open := newGate(t)
			r := g.origin.route("/")
			r.page = func(x *turn) {
				x.Header().Set("Content-Type", "text/html; charset=utf-8")
				io.WriteString(x, c.first)
				http.NewResponseController(x.ResponseWriter).Flush()
				select {
				case <-open.c:
				case <-time.After(2 * time.Minute):
				}
				io.WriteString(x, `od="post"></form><p>end</p>`)
			}
			v := g.visitor(t)
			res, err := v.open(request{method: http.MethodGet, path: r.path, mode: browser})
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			got := make(chan string, 1)
			go func() {
				b := make([]byte, 9)
				n, _ := io.ReadFull(res.Body, b)
				got <- string(b[:n])
			}()
			select {
			case s := <-got:
				if s != "<!doctype" {
					t.Errorf("first bytes = %q; want the page's", s)
				}
			case <-time.After(time.Minute):
				t.Errorf("no byte before the page's end\n\t(%s)", why)
			}
			open.open()
			rest, err := io.ReadAll(res.Body)
			if err != nil || !bytes.HasSuffix(rest, []byte("<p>end</p>")) {
				t.Errorf("rest = %q, %v; want the whole page", cut(rest), err)
			}
		})
	}
}

func TestALargePagePassesWhole(t *testing.T) {
	g := shared(t)
	const why = "memory does not grow with the page"
	row := `<form method="post" action="/a"><input name="a" value="1"></form>` + strings.Repeat("<p>row</p>", 20)
	r := g.origin.route("/")
	r.page = func(x *turn) {
		x.Header().Set("Content-Type", "text/html; charset=utf-8")
		page := bufio.NewWriterSize(x, 64<<10)
		for range 20_000 {
			page.WriteString(row)
		}
		page.Flush()
	}
	got := g.visitor(t).get(r.path).must(why, wants{status: 200})
	if n := bytes.Count(got.body, []byte(`name="idempotency_key"`)); n != 20_000 {
		t.Errorf("%d keys; want 20000", n)
	}
	if want := 20_000 * len(row); len(strings.ReplaceAll(unkeyed(got.body), keyInput, "")) != want {
		t.Errorf("%d bytes without keys; want %d\n\t(%s)", len(strings.ReplaceAll(unkeyed(got.body), keyInput, "")), want, why)
	}
}

func TestACompressedPageGetsItsKey(t *testing.T) {
	g := shared(t)
	r := g.origin.route("/")
	page := orderForm(r.path)
	r.page = func(x *turn) {
		x.Header().Set("Content-Type", "text/html; charset=utf-8")
		if !strings.Contains(x.seen.header.Get("Accept-Encoding"), "gzip") {
			io.WriteString(x, page)
			return
		}
		x.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(x)
		io.WriteString(z, page)
		z.Close()
	}
	got := g.visitor(t).get(r.path, "Accept-Encoding", "gzip, deflate, br")
	body := got.body
	if got.header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		body, _ = io.ReadAll(z)
	}
	if !strings.Contains(unkeyed(body), keyInput) {
		t.Errorf("page (%s) = %s; want a key in its form", got.header.Get("Content-Encoding"), cut(body))
	}
}

func TestTheVisitorCookie(t *testing.T) {
	g := shared(t)
	const why = "The subject visitor is a signed first-party cookie __Host-singleshot (HttpOnly, Secure, SameSite=Lax; singleshot without Secure on plain http), set with a rendered form."
	r := g.origin.route("/")
	v := g.visitor(t)
	first := v.get(r.path)
	var cookie *http.Cookie
	for _, c := range (&http.Response{Header: first.header}).Cookies() {
		if c.Name == "singleshot" {
			cookie = c
		}
	}
	if cookie == nil || !cookie.HttpOnly || cookie.Secure || cookie.SameSite != http.SameSiteLaxMode || cookie.Path != "/" {
		t.Fatalf("cookie = %+v in %q\n\t(%s)", cookie, first.header.Values("Set-Cookie"), why)
	}
	value := v.jar.get("singleshot")
	v.get(r.path)
	if v.jar.get("singleshot") != value {
		t.Error("the visitor cookie changed with a second page; want the same visitor")
	}
	plain := g.origin.route("/")
	plain.page = htmlPage("<p>no form</p>", "Cache-Control", "public, max-age=60")
	g.visitor(t).get(plain.path).must("set with a rendered form", wants{header: []string{"Set-Cookie", ""}})
}

func TestSignOutGivesANewVisitorCookie(t *testing.T) {
	g := shared(t)
	const why = "an answer below 400 to a POST or DELETE there, or Clear-Site-Data, gives the visitor a new cookie"
	form := g.origin.route("/")
	for _, c := range []struct {
		name    string
		script  script
		path    string
		changed bool
	}{
		{"logout", answer(303, "", "Location", "/"), "/users/logout", true},
		{"sign-out.php", answer(200, "bye"), "/sign-out.php", true},
		{"logout refused", answer(403, "no"), "/x/signout", false},
		{"Clear-Site-Data", answer(303, "", "Location", "/", "Clear-Site-Data", `"cookies"`), "/x/leave", true},
		{"something else", answer(303, "", "Location", "/"), "/x/stay", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := g.origin.at(c.path, c.script)
			v := g.visitor(t)
			v.render(form)
			before := v.jar.get("singleshot")
			v.post(r.path, browser, urlencodedMedia, "a=1")
			if after := v.jar.get("singleshot"); (after != before) != c.changed {
				t.Errorf("cookie changed = %v; want %v\n\t(%s)", after != before, c.changed, why)
			}
		})
	}
}
