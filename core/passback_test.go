package core

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

const page = "https://shop.example/orders/new"

// keyIn opens the first key of a page.
func keyIn(t *testing.T, body []byte) (Key, bool) {
	t.Helper()
	_, rest, found := bytes.Cut(body, []byte(`value="ik_`))
	if !found {
		return Key{}, false
	}
	text, _, _ := strings.Cut(string(rest), `"`)
	key, _, err := OpenKey("ik_"+text, []byte(loopSecret))
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return key, true
}

func TestSigningOutMakesAnotherVisitor(t *testing.T) { // contract §6
	for _, tt := range []struct {
		why, method, url string
		status           int
		header           Header
		want             bool
	}{
		{"a sign-out form", "POST", "https://shop.example/account/logout", 303, Header{"Location", "/"}, true},
		{"as an API does it", "DELETE", "https://shop.example/sign-out.php", 204, Header{"X", "y"}, true},
		{"a page that offers it", "GET", "https://shop.example/logout", 200, Header{"X", "y"}, false},
		{"it failed", "POST", "https://shop.example/logout", 400, Header{"X", "y"}, false},
		{"the answer says it anywhere", "GET", "https://shop.example/", 200, Header{"Clear-Site-Data", `"cookies"`}, true},
		{"but not where it failed", "GET", "https://shop.example/", 403, Header{"Clear-Site-Data", `"cookies"`}, false},
		{"something else", "POST", "https://shop.example/orders", 303, Header{"Location", "/"}, false},
	} {
		l := newLoop(t)
		l.origin = func(*testRequest) testAnswer { return testAnswer{status: tt.status, headers: Headers{tt.header}} }
		got := l.send(testRequest{method: tt.method, url: tt.url})
		if cookie := got.headers.Get("Set-Cookie"); strings.HasPrefix(cookie, "__Host-singleshot=") != tt.want {
			t.Errorf("%s: Set-Cookie = %q; want a new visitor: %t", tt.why, cookie, tt.want)
		}
	}
}

func TestAnUnguardedAnswerPassesAsItIs(t *testing.T) { // contract §7
	for _, tt := range []struct {
		why    string
		status int
		line   Header
		want   string // "" is taken out
	}{
		{"words to the guard are not passed on", 200, Header{"Idempotency-Outcome", "commit"}, ""},
		{"nor is the name of a record", 200, Header{"idempotency-record", "</orders/1>"}, ""},
		{"nor for how long", 200, Header{"Idempotency-TTL", "3600"}, ""},
		{"a place at the origin's own host is the visitor's", 302, Header{"Location", "http://app.internal:3000/a?b"}, "https://shop.example/a?b"},
		{"also the host alone", 302, Header{"Location", "http://app.internal:3000"}, "https://shop.example"},
		{"a path stays", 302, Header{"Location", "/a"}, "/a"},
		{"another place stays", 302, Header{"Location", "/login?next=http://app.internal:3000/a"}, "/login?next=http://app.internal:3000/a"},
		{"only where the browser goes", 200, Header{"X-Self", "http://app.internal:3000/a"}, "http://app.internal:3000/a"},
		{"an upgrade is not touched at all", 101, Header{"Location", "http://app.internal:3000/a"}, "http://app.internal:3000/a"},
	} {
		l := newLoop(t, "ORIGIN_URL", "http://app.internal:3000")
		l.origin = func(*testRequest) testAnswer { return testAnswer{status: tt.status, headers: Headers{tt.line}} }
		if got := l.send(testRequest{method: "GET", url: page}); got.headers.Get(tt.line.Name) != tt.want || got.headers.Has(tt.line.Name) != (tt.want != "") || got.headers.Has("Idempotency-Status") {
			t.Errorf("%s: %v; want %s: %q", tt.why, got.headers, tt.line.Name, tt.want)
		}
	}
}

func TestWhichPageIsHeld(t *testing.T) { // contract §6
	for _, tt := range []struct {
		why, method, cache string
		hold, inject       bool
		deleted, altered   []string // at once, and where the page turns out to have no form but other bytes
	}{
		{"a page for everybody waits for its first form", "GET", "public, max-age=60", true, true, nil, []string{"Content-Length", "ETag", "Last-Modified"}},
		{"a page that is not streams at once", "GET", "private", false, true, []string{"Content-Length", "ETag", "Last-Modified", "CDN-Cache-Control"}, nil},
		{"nothing comes after a head", "HEAD", "public, max-age=60", false, false, nil, []string{"Content-Length", "ETag", "Last-Modified"}},
	} {
		l := newLoop(t)
		l.origin = func(*testRequest) testAnswer {
			return testAnswer{status: 200, body: []byte("<form method=post>"), headers: Headers{{"Content-Type", "text/html"}, {"Cache-Control", tt.cache}, {"ETag", `"a"`}, {"Content-Length", "18"}}}
		}
		e := l.begin(testRequest{method: tt.method, url: page}).until(DoRespond).e
		if e.Hold != tt.hold || e.Inject != tt.inject || e.Limit != 0 && e.Limit != 256<<10 || tt.hold && e.Limit == 0 {
			t.Errorf("%s: hold %t up to %d, inject %t; want %t, %t", tt.why, e.Hold, e.Limit, e.Inject, tt.hold, tt.inject)
		}
		for _, name := range tt.deleted {
			if !lists(e.Edit.Delete, name) {
				t.Errorf("%s: %v; want %s gone", tt.why, e.Edit.Delete, name)
			}
		}
		if len(tt.deleted) == 0 && (len(e.Edit.Delete) > 0 || len(e.Edit.Set) > 0) {
			t.Errorf("%s: %v; want the head as it was", tt.why, e.Edit)
		}
		for _, name := range tt.altered {
			if name != "Content-Length" && !lists(e.Altered.Delete, name) || !lists(e.Held.Delete, name) {
				t.Errorf("%s: %v with a form, %v without; want %s gone", tt.why, e.Held.Delete, e.Altered.Delete, name)
			}
		}
		if slices.ContainsFunc(e.Altered.Delete, func(name string) bool { return strings.Contains(name, "Cache-Control") }) {
			t.Errorf("%s: %v; want a page without a form as cacheable as it was", tt.why, e.Altered.Delete)
		}
		if tt.hold && e.Held.Set.Get("Cache-Control") != "private, no-cache" || tt.hold != e.Held.Set.Has("Set-Cookie") && tt.method == "GET" {
			t.Errorf("%s: %v; want a page with a form private, and a visitor", tt.why, e.Held.Set)
		}
	}
}

func TestAKnownVisitorGetsNoOtherCookie(t *testing.T) { // contract §8
	l := newLoop(t)
	l.origin = func(*testRequest) testAnswer {
		return testAnswer{status: 200, body: []byte("<form method=post>"), headers: Headers{{"Content-Type", "text/html"}}}
	}
	r := testRequest{method: "GET", url: page}
	first := l.send(r)
	cookie, attributes, _ := strings.Cut(first.headers.Get("Set-Cookie"), ";")
	if attributes != " Path=/; HttpOnly; SameSite=Lax; Secure" {
		t.Errorf("Set-Cookie = %q; want out of reach of scripts and other sites", first.headers.Get("Set-Cookie"))
	}
	r.headers = Headers{{"Cookie", cookie}}
	if got := l.send(r); got.headers.Has("Set-Cookie") {
		t.Errorf("Set-Cookie = %q; want the visitor as before", got.headers.Get("Set-Cookie"))
	}
}

func TestAKeyIsForThePlaceThatItsFormPostsTo(t *testing.T) { // contract §2, §6
	const origins = `"mint":"origin"`
	for _, tt := range []struct {
		why, rule, body string
		headers         Headers
		path            string // "" is no key
	}{
		{"the action", ``, `<form method=post action=/orders>`, nil, "/orders"},
		{"this page without one", ``, `<form method=post>`, nil, "/orders/new"},
		{"the page that a fragment comes into", ``, `<form method=post>`, Headers{{"HX-Request", "true"}, {"HX-Current-URL", "https://shop.example/cart"}}, "/cart"},
		{"nobody said which", ``, `<form method=post>`, Headers{{"HX-Request", "true"}}, "/orders/new"},
		{"a link that led here is no such page", ``, `<form method=post>`, Headers{{"Referer", "https://shop.example/cart"}}, "/orders/new"},
		{"an origin that renders its own keys", origins, `<form method=post>`, nil, ""},
		{"an origin that forgot to", origins, `<form method=post><input name=idempotency_key value=order-1042-0123456789>`, nil, ""},
		{"a key that stands somewhere else", `"key":"header"`, `<form method=post>`, nil, ""},
	} {
		if tt.rule != "" {
			tt.rule = "," + tt.rule
		}
		l := newLoop(t, "RULES", `[{"match":"/**"`+tt.rule+`}]`)
		l.origin = func(*testRequest) testAnswer {
			return testAnswer{status: 200, body: []byte(tt.body), headers: Headers{{"Content-Type", "text/html"}}}
		}
		got := l.send(testRequest{method: "GET", url: page + "?a=1", headers: tt.headers})
		key, found := keyIn(t, got.body)
		if found != (tt.path != "") || found && key.Form != formDigest("POST", tt.path) || !found && string(got.body) != tt.body {
			t.Errorf("%s: %s; want a key for %q", tt.why, got.body, tt.path)
		}
	}
}

func TestAPageWithTheOriginsOwnKeysIsNobodyElses(t *testing.T) { // contract §6; §2, mint = "origin"
	for _, tt := range []struct{ why, body, want string }{
		{"a key for everybody would be one for everybody", `<form method=post><input name=idempotency_key value=order-1042-0123456789>`, "private, no-cache"},
		{"a page without a form is for everybody", `<p>Hello`, "public, max-age=60"},
	} {
		l := newLoop(t, "RULES", `[{"match":"/**","mint":"origin"}]`)
		l.origin = func(*testRequest) testAnswer {
			return testAnswer{status: 200, body: []byte(tt.body), headers: Headers{{"Content-Type", "text/html"}, {"Cache-Control", "public, max-age=60"}}}
		}
		if got := l.send(testRequest{method: "GET", url: page}); got.headers.Get("Cache-Control") != tt.want || string(got.body) != tt.body {
			t.Errorf("%s: %v %s; want %s, and the page as it was", tt.why, got.headers, got.body, tt.want)
		}
	}
}

func TestAnOriginThatFailsWhileItsPageIsHeld(t *testing.T) { // nothing was sent to the visitor yet
	l := newLoop(t)
	l.origin = func(*testRequest) testAnswer {
		return testAnswer{status: 200, headers: Headers{{"Content-Type", "text/html"}, {"Cache-Control", "public, max-age=60"}}}
	}
	f := l.begin(testRequest{method: "GET", url: page}).until(DoRespond)
	if f.next(&Event{Kind: EventOriginFailed, Sent: true}); f.e.Kind != DoRespond || f.e.Status != 502 {
		t.Errorf("%s %d; want a page that says 502", effectNames[f.e.Kind], f.e.Status)
	}
}

func TestTheModulesTagIsForPages(t *testing.T) { // contract §6, INJECT_SCRIPT
	for _, tt := range []struct {
		why, inject string
		headers     Headers
		want        string
	}{
		{"a page", "true", Headers{{"Accept", "text/html"}}, `<script nonce="abc" src="/_singleshot/singleshot.js" defer></script>`},
		{"a fragment comes into a page that has it", "true", Headers{{"HX-Request", "true"}}, ""},
		{"nobody asked for it", "false", nil, ""},
	} {
		l := newLoop(t, "INJECT_SCRIPT", tt.inject)
		l.origin = func(*testRequest) testAnswer {
			return testAnswer{status: 200, body: []byte("<!doctype html><head></head><p>Hello"), headers: Headers{
				{"Content-Type", "text/html"}, {"Content-Security-Policy", "script-src 'nonce-abc'"}}}
		}
		got := l.send(testRequest{method: "GET", url: page, headers: tt.headers})
		if !bytes.Contains(got.body, []byte(tt.want)) || bytes.Contains(got.body, []byte("<script")) != (tt.want != "") {
			t.Errorf("%s: %s; want %q", tt.why, got.body, tt.want)
		}
	}
}

func TestARedisplayedFormIsARelease(t *testing.T) { // contract §1.1
	for _, tt := range []struct{ why, media, body, want string }{
		{"it says so to a screen reader", "text/html", `<form><input aria-invalid="true">`, statusReleased},
		{"the rule knows how its errors look", "text/html", `<form><input class="wide is-invalid">`, statusReleased},
		{"other classes are no errors", "text/html", `<form><input class="is-valid">`, statusCreated},
		{"a text about it is none", "text/plain", `<input aria-invalid="true">`, statusCreated},
	} {
		l := newLoop(t, "RULES", `[{"match":"/**","redisplay":["is-invalid"]}]`)
		l.origin = func(*testRequest) testAnswer {
			return testAnswer{status: 200, body: []byte(tt.body), headers: Headers{{"Content-Type", tt.media}}}
		}
		f := l.begin(form(l.key("/orders"), false, "amount", "")).until(DoCollect)
		if f.e.Inject != (tt.media == "text/html") {
			t.Errorf("%s: read as a page: %t", tt.why, f.e.Inject)
		}
		if got := f.end(); got.outcome() != tt.want || tt.media != "text/html" && string(got.body) != tt.body {
			t.Errorf("%s: %s; want %s", tt.why, got.outcome(), tt.want)
		}
	}
}
