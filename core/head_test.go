package core

import "testing"

func TestThePageOfAFormIsOneOfThisSite(t *testing.T) { // contract §5: a page that points back
	for _, tt := range []struct{ why, name, value, want string }{
		{"a browser's", "Referer", "https://shop.example/orders/new?a=1", "/orders/new?a=1"},
		{"htmx's", "HX-Current-URL", "https://shop.example/orders/new", "/orders/new"},
		{"another host", "Referer", "https://evil.example/orders/new", ""},
		{"another scheme", "Referer", "http://shop.example/orders/new", ""},
		{"another port", "Referer", "https://shop.example:8443/orders/new", ""},
		{"a host that begins alike", "Referer", "https://shop.example.evil.example/", ""},
		{"a path that a browser takes for a host", "Referer", "https://shop.example//evil.example/", ""},
		{"the same with a backslash", "Referer", `https://shop.example/\evil.example/`, ""},
		{"no path, as a strict policy sends it", "Referer", "https://shop.example", ""},
		{"no address", "Referer", "about:client", ""},
	} {
		h := readHead(Headers{{tt.name, tt.value}})
		if got := h.cameFrom("https", "shop.example"); got != tt.want {
			t.Errorf("%s: cameFrom = %q; want %q", tt.why, got, tt.want)
		}
	}
	h := readHead(Headers{{"Referer", "https://shop.example/layout"}, {"HX-Current-URL", "https://shop.example/orders/new"}})
	if got := h.cameFrom("https", "shop.example"); got != "/orders/new" {
		t.Errorf("cameFrom = %q; want htmx's word, which knows what history.pushState did", got)
	}
}
