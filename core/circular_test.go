package core

import "testing"

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
		if got := Circular(tt.url, tt.origin); got != tt.want {
			t.Errorf("Circular(%q, %q) = %q; want %q: %s", tt.url, tt.origin, got, tt.want, tt.why)
		}
	}
}
