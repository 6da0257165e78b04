package core

import "testing"

func TestACircularRequestIsAnsweredByTheGuard(t *testing.T) {
	for _, tt := range []struct {
		why, method, origin, secret string
		status                      int
		warning                     string
	}{
		{"it would call itself", "GET", "", loopSecret, 502, "no-origin"},
		{"with or without a key", "POST", "", loopSecret, 502, "no-origin"},
		{"without a secret guarded posts are 503 all the same", "POST", "", "", 503, ""},
		{"and pages would still call it", "GET", "", "", 502, "no-origin"},
		{"a place that cannot be read is a fault of its own", "POST", "shop", loopSecret, 503, ""},
	} {
		config, faults := ParseConfig(func(name string) string {
			return map[string]string{"ORIGIN_URL": tt.origin, "SINGLESHOT_SECRET": tt.secret}[name]
		})
		r := &Request{Method: tt.method, URL: "http://localhost:8787/orders", Outward: true, Length: 8,
			Headers: Headers{{"Content-Type", urlencodedMedia}}}
		_, e := NewGuard(config, faults).Begin(r, 1, [32]byte{1})
		if e.Kind != DoRespond || e.Status != tt.status || e.Warning != tt.warning {
			t.Errorf("%s %q: %v %d %q; want an answer, %d %q: %s", tt.method, tt.origin, e.Kind, e.Status, e.Warning, tt.status, tt.warning, tt.why)
		}
	}
}

func TestCircular(t *testing.T) {
	for _, tt := range []struct{ why, url, origin, want string }{
		{"wrangler dev without an origin would fetch itself", "http://localhost:8787/orders", "", "no-origin"},
		{"by any of its names", "http://127.0.0.1:8787/", "", "no-origin"},
		{"by any of its names", "http://[::1]:8787/?q=1", "", "no-origin"},
		{"by any of its names", "http://shop.localhost/", "", "no-origin"},
		{"a route's origin is the zone's", "https://shop.example/orders", "", ""},
		{"the guard's own port", "http://localhost:8787/", "http://localhost:8787", "origin-is-guard"},
		{"under another name", "http://127.0.0.1:8787/", "http://localhost:8787", "origin-is-guard"},
		{"the scheme's port", "http://localhost/", "http://127.0.0.1:80", "origin-is-guard"},
		{"the application's port", "http://localhost:8787/", "http://localhost:3000", ""},
		{"the application is elsewhere", "http://localhost:8787/", "https://app.example:8787", ""},
		{"on a route the zone's own origin may be named", "https://shop.example/", "https://shop.example", ""},
		{"a name that only begins so", "https://localhost.example/", "", ""},
	} {
		scheme, host, _, _ := splitURL(tt.url)
		if got := circular(scheme, host, tt.origin); got != tt.want {
			t.Errorf("circular(%q, %q) = %q; want %q: %s", tt.url, tt.origin, got, tt.want, tt.why)
		}
	}
}
