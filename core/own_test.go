package core

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestAScriptGetsAKey(t *testing.T) { // contract §2, GET /_singleshot/key
	same := Header{"Sec-Fetch-Site", "same-origin"}
	for _, tt := range []struct {
		why, method, query string
		header             Header
		status             int
		form               [8]byte // that the key is for
		repeat             bool
	}{
		{"for a form of the page", "GET", "action=/orders", same, 200, formDigest("POST", "/orders"), false},
		{"told by Origin", "GET", "action=/orders", Header{"Origin", "https://shop.example"}, 200, formDigest("POST", "/orders"), false},
		{"an old browser tells neither", "GET", "action=/orders", Header{"Accept", "*/*"}, 200, formDigest("POST", "/orders"), false},
		{"a form is its path", "GET", "action=/orders%3Fa%3D1%23top", same, 200, formDigest("POST", "/orders"), false},
		{"in any spelling", "GET", "action=/%256Frders", same, 200, formDigest("POST", "/orders"), false},
		{"an update, as htmx sends it", "GET", "action=/orders&method=patch", same, 200, formDigest("PATCH", "/orders"), false},
		{"a search", "GET", "action=/orders&mode=repeat", same, 200, formDigest("POST", "/orders"), true},
		{"another mode is none", "GET", "action=/orders&mode=once", same, 200, formDigest("POST", "/orders"), false},
		{"another site", "GET", "action=/orders", Header{"Sec-Fetch-Site", "cross-site"}, 403, [8]byte{}, false},
		{"a neighbour", "GET", "action=/orders", Header{"Sec-Fetch-Site", "same-site"}, 403, [8]byte{}, false},
		{"another site, told by Origin", "GET", "action=/orders", Header{"Origin", "https://evil.example"}, 403, [8]byte{}, false},
		{"the same host over http", "GET", "action=/orders", Header{"Origin", "http://shop.example"}, 403, [8]byte{}, false},
		{"no form", "GET", "", same, 404, [8]byte{}, false},
		{"no path of this site", "GET", "action=orders", same, 404, [8]byte{}, false},
		{"another host", "GET", "action=//evil.example/orders", same, 404, [8]byte{}, false},
		{"a form that no rule guards", "GET", "action=/orders&method=delete", same, 404, [8]byte{}, false},
		{"one whose rule takes another key", "GET", "action=/api/orders", same, 404, [8]byte{}, false},
		{"one whose keys are the origin's", "GET", "action=/theirs", same, 404, [8]byte{}, false},
		{"nothing to post to", "POST", "action=/orders", same, 404, [8]byte{}, false},
	} {
		l := newLoop(t, "RULES", `[{"match":"/api/**","key":"header"},{"match":"/theirs","mint":"origin"},{"match":"/**","methods":["POST","PATCH"]}]`)
		got := l.send(testRequest{method: tt.method, url: "https://shop.example" + OwnPath + "key?" + tt.query, headers: Headers{tt.header}})
		var body struct{ Key string }
		if got.status != tt.status || got.status == 200 && json.Unmarshal(got.body, &body) != nil {
			t.Errorf("%s: %d %s; want %d", tt.why, got.status, got.body, tt.status)
			continue
		}
		if got.status != 200 {
			continue
		}
		key, minted, err := OpenKey(body.Key, []byte(loopSecret))
		if err != nil || !minted || key.Form != tt.form || key.Repeat != tt.repeat || got.headers.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %+v, %t, %v, %v; want a key for %x, repeat %t, not stored", tt.why, key, minted, err, got.headers, tt.form, tt.repeat)
		}
		if cookie := got.headers.Get("Set-Cookie"); !strings.HasPrefix(cookie, "__Host-singleshot=") {
			t.Errorf("%s: Set-Cookie = %q; want a visitor", tt.why, cookie)
		}
	}
}

func TestAVisitorKeepsTheCookieThatIsThere(t *testing.T) {
	l := newLoop(t)
	ask := testRequest{method: "GET", url: "https://shop.example" + OwnPath + "key?action=/orders"}
	cookie, _, _ := strings.Cut(l.send(ask).headers.Get("Set-Cookie"), ";")
	ask.headers = Headers{{"Cookie", cookie}}
	if got := l.send(ask); got.status != 200 || got.headers.Has("Set-Cookie") {
		t.Errorf("with a cookie: %d %v; want a key, and the visitor as it was", got.status, got.headers)
	}
	ask.headers[0].Value += "x"
	if got := l.send(ask); got.status != 200 || !got.headers.Has("Set-Cookie") {
		t.Errorf("with a forged cookie: %d %v; want a key, and a visitor", got.status, got.headers)
	}
}

func TestNothingIsSaidUnderAFaultyConfiguration(t *testing.T) { // contract §8: never half-guarded
	for _, path := range []string{"key?action=/orders", "wait/x", "keys/x"} {
		l := newLoop(t, "RULES", `[{"match":"/**","ttl":1}]`, "SINGLESHOT_ADMIN", "an-operator")
		got := l.send(testRequest{method: "GET", url: "https://shop.example" + OwnPath + path, headers: Headers{{"Authorization", "Bearer an-operator"}}})
		if got.status != 503 {
			t.Errorf("%s = %d; want 503", path, got.status)
		}
	}
}
