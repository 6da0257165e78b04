package core

import (
	"bytes"
	"strings"
	"testing"
)

func TestAReplayLeadsToTheVisitorsHost(t *testing.T) { // contract §7: places at the origin's own host become the visitor's
	const there, here = "http://app.internal:3000/orders/1", "https://shop.example/orders/1"
	for _, tt := range []struct {
		why, name, value  string
		status            int
		first, second     bool // by htmx
		want, wantedValue string
	}{
		{"a redirect", "Location", there, 303, false, false, "Location", here},
		{"told to htmx", "HX-Redirect", there, 204, true, true, "HX-Redirect", here},
		{"in its other words", "HX-Location", `{"path":"` + there + `"}`, 204, true, true, "HX-Location", `{"path":"` + here + `"}`},
		{"told to htmx, replayed to a plain POST", "HX-Redirect", there, 204, true, false, "Location", here},
		{"and the other way round", "Location", there, 303, false, true, "HX-Redirect", here},
		{"another host stays", "Location", "http://app.internal:30001/", 303, false, false, "Location", "http://app.internal:30001/"},
	} {
		l := newLoop(t, "ORIGIN_URL", "http://app.internal:3000")
		l.origin = func(*testRequest) testAnswer {
			return testAnswer{status: tt.status, headers: Headers{{tt.name, tt.value}}}
		}
		key := l.key("/orders")
		l.send(form(key, tt.first, "amount", "5"))
		got := l.send(form(key, tt.second, "amount", "5"))
		if value := got.headers.Get(tt.want); value != tt.wantedValue || got.outcome() != statusReplayed {
			t.Errorf("%s: %s %v; want %s: %s", tt.why, got.outcome(), got.headers, tt.want, tt.wantedValue)
		}
	}
}

// To the same kind of client an answer is given again as it was (contract §4: same status, same body bytes).
func TestAReplayInTheSameModeIsTheAnswerItself(t *testing.T) {
	for _, tt := range []struct {
		why  string
		htmx bool
		a    testAnswer
	}{
		{"htmx got a redirect, which its browser followed", true, testAnswer{status: 303, headers: Headers{{"Location", "/orders/1"}}}},
		{"a fragment", true, testAnswer{status: 200, headers: Headers{{"Content-Type", "text/html"}}, body: []byte("<p>Order 1</p>")}},
		{"nothing at all", true, testAnswer{status: 204}},
		{"nothing at all to a plain POST", false, testAnswer{status: 204}},
		{"a page that also led htmx somewhere", false, testAnswer{status: 200, headers: Headers{{"Content-Type", "text/html"}, {"HX-Redirect", "/orders/1"}}, body: []byte("<p>Order 1</p>")}},
	} {
		l := newLoop(t)
		l.origin = func(*testRequest) testAnswer { return tt.a }
		key := l.key("/orders")
		l.send(form(key, tt.htmx, "amount", "5"))
		got := l.send(form(key, tt.htmx, "amount", "5"))
		if got.status != tt.a.status || !bytes.Equal(got.body, tt.a.body) {
			t.Errorf("%s: %d %q; want %d %q", tt.why, got.status, got.body, tt.a.status, tt.a.body)
		}
		for _, line := range tt.a.headers {
			if got.headers.Get(line.Name) != line.Value {
				t.Errorf("%s: %v; want %s: %s", tt.why, got.headers, line.Name, line.Value)
			}
		}
	}
}

func TestOnlyAFragmentIsWrapped(t *testing.T) { // contract §4
	for _, tt := range []struct{ why, media, body string }{
		{"a fragment becomes a small page", "text/html", "<p>Order 1</p>"},
		{"a text is shown as it is", "text/plain", "Order 1"},
	} {
		l := newLoop(t)
		l.origin = func(*testRequest) testAnswer {
			return testAnswer{status: 200, headers: Headers{{"Content-Type", tt.media}}, body: []byte(tt.body)}
		}
		key := l.key("/orders")
		l.send(form(key, true, "amount", "5"))
		got := string(l.send(form(key, false, "amount", "5")).body)
		if page := strings.HasPrefix(got, "<!doctype html>"); page != (tt.media == "text/html") || !strings.Contains(got, tt.body) {
			t.Errorf("%s: %q", tt.why, got)
		}
	}
}

// "duplicates get the status, the headers and a short "already done" body" (contract §1.4).
func TestATombstoneKeepsStatusAndHeaders(t *testing.T) {
	for _, tt := range []struct {
		why     string
		a       testAnswer
		status  int
		media   string
		heading string
	}{
		{"a redirect needs no text", testAnswer{status: 303, headers: Headers{{"Location", "/orders/1"}, {"Content-Type", "text/csv"}}}, 303, "text/csv", ""},
		{"the text in place of a table is a page", testAnswer{status: 201, headers: Headers{{"Content-Type", "text/csv"}, {"HX-Trigger", "made"}}}, 201, "text/html; charset=utf-8", "Already done"},
	} {
		l := newLoop(t, "RULES", `[{"match":"/**","max_answer":1024}]`)
		l.origin = func(*testRequest) testAnswer {
			a := tt.a
			a.body = make([]byte, 2000)
			return a
		}
		key := l.key("/orders")
		l.send(form(key, false, "amount", "5"))
		got := l.send(form(key, false, "amount", "5"))
		if got.status != tt.status || got.headers.Get("Content-Type") != tt.media || !strings.Contains(string(got.body), tt.heading) || (len(got.body) > 0) != (tt.heading != "") {
			t.Errorf("%s: %d %v %q; want %d, %s, %q", tt.why, got.status, got.headers, got.body, tt.status, tt.media, tt.heading)
		}
		if got.headers.Get("Location") != tt.a.headers.Get("Location") || got.headers.Get("HX-Trigger") != tt.a.headers.Get("HX-Trigger") {
			t.Errorf("%s: %v; want the origin's headers", tt.why, got.headers)
		}
	}
}
