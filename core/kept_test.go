package core

import "testing"

func TestWhatIsKeptOfAHead(t *testing.T) { // contract §4
	rule := DefaultRule()
	rule.ReplayHeaders = []string{"X-Request-Id"}
	for name, want := range map[string]bool{
		"Content-Type": true, "Content-Language": true, "Content-Disposition": true, "Location": true, "HX-Trigger": true,
		"hx-push-url": true, "Link": true, "ETag": true, "Content-Security-Policy": true, "X-Content-Type-Options": true,
		"X-Frame-Options": true, "Referrer-Policy": true, "Permissions-Policy": true, "Cross-Origin-Opener-Policy": true,
		"cross-origin-resource-policy": true, "Set-Cookie": true, "x-request-id": true,
		"Date": false, "Age": false, "Server-Timing": false, "Connection": false, "Transfer-Encoding": false, "Keep-Alive": false,
		"Content-Encoding": false, "Content-Length": false, "Cache-Control": false, "Vary": false, "X-Other": false, "HX": false,
	} {
		if kept := rule.keptHeaders(Headers{{name, "v"}}); (len(kept) == 1) != want {
			t.Errorf("%s: kept %v; want it kept: %t", name, kept, want)
		}
	}
}

func TestARedirectSaysNothingOfTheBodyThatItReplaces(t *testing.T) { // contract §4: places translate into each other
	got := withoutHTMX(Headers{{"Content-Type", "text/html"}, {"HX-Redirect", "/a"}, {"HX-Trigger", "b"}, {"Location", "/c"}, {"ETag", "d"}, {"Link", "</x>"}}, "/a")
	if want := (Headers{{"Link", "</x>"}, {"Location", "/a"}}); len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("withoutHTMX = %v; want %v", got, want)
	}
}
