package core

import "testing"

func TestPlansPage(t *testing.T) {
	html := Header{"Content-Type", "text/html; charset=utf-8"}
	tests := []struct {
		why    string
		status int
		h      Headers
		want   string // inject, turbo, hold, and the new Cache-Control
	}{
		{"a page", 200, Headers{html}, "inject private, no-cache"},
		{"media types have no letter case", 422, Headers{{"content-type", " Text/HTML ;charset=UTF-8"}}, "inject private, no-cache"},
		{"a page of an error has forms too", 500, Headers{html}, "inject private, no-cache"},
		{"turbo", 200, Headers{{"Content-Type", "text/vnd.turbo-stream.html; charset=utf-8"}}, "inject turbo private, no-cache"},
		{"other types", 200, Headers{{"Content-Type", "text/plain"}}, ""},
		{"xhtml is no html", 200, Headers{{"Content-Type", "application/xhtml+xml"}}, ""},
		{"a longer name", 200, Headers{{"Content-Type", "text/html5"}}, ""},
		{"no type", 200, nil, ""},
		{"partial content", 206, Headers{html}, ""},
		{"no body", 304, Headers{html}, ""},
		{"no body", 204, Headers{html}, ""},
		{"attachment", 200, Headers{html, {"Content-Disposition", "ATTACHMENT; filename=a.html"}}, ""},
		{"inline", 200, Headers{html, {"Content-Disposition", "inline; filename=a.html"}}, "inject private, no-cache"},
		{"a file name alone is no disposition", 200, Headers{html, {"Content-Disposition", "filename=a.html"}}, "inject private, no-cache"},
		{"UTF-16", 200, Headers{{"Content-Type", `text/html;charset="utf-16le"`}}, ""},
		{"UTF-7", 200, Headers{{"Content-Type", "text/html; a=b; Charset=UTF-7"}}, ""},
		{"ISO-2022-JP", 200, Headers{{"Content-Type", "text/html; charset=iso-2022-jp"}}, ""},
		{"HZ", 200, Headers{{"Content-Type", "text/html; charset=hz-gb-2312"}}, ""},
		{"EBCDIC", 200, Headers{{"Content-Type", "text/html; charset=IBM037"}}, ""},
		{"a DOS page", 200, Headers{{"Content-Type", "text/html; charset=ibm866"}}, "inject private, no-cache"},
		{"the first of them", 200, Headers{{"Content-Type", "text/html; charset=IBM437"}}, "inject private, no-cache"},
		{"one by its other name", 200, Headers{{"Content-Type", "text/html; charset=csIBM775"}}, "inject private, no-cache"},
		{"one with a nought in front", 200, Headers{{"Content-Type", "text/html; charset=ibm00858"}}, "inject private, no-cache"},
		{"a page among their numbers that is EBCDIC", 200, Headers{{"Content-Type", "text/html; charset=ibm871"}}, ""},
		{"another", 200, Headers{{"Content-Type", "text/html; charset=IBM870"}}, ""},
		{"and another", 200, Headers{{"Content-Type", "text/html; charset=IBM880"}}, ""},
		{"Shift_JIS", 200, Headers{{"Content-Type", "text/html; charset=Shift_JIS"}}, "inject private, no-cache"},
		{"no charset that anybody knows", 200, Headers{{"Content-Type", "text/html; charset=klingon"}}, "inject private, no-cache"},
		{"compressed as a guard can undo", 200, Headers{html, {"Content-Encoding", "gzip"}}, "inject private, no-cache"},
		{"compressed otherwise that it can undo", 200, Headers{html, {"Content-Encoding", "BR, x-gzip"}}, "inject private, no-cache"},
		{"not compressed", 200, Headers{html, {"Content-Encoding", "identity"}}, "inject private, no-cache"},
		{"compressed otherwise", 200, Headers{html, {"Content-Encoding", "gzip, zstd"}}, ""},
		{"public", 200, Headers{html, {"Cache-Control", "Public"}}, "inject hold private, no-cache"},
		{"max-age", 200, Headers{html, {"Cache-Control", `max-age="60"`}}, "inject hold private, no-cache"},
		{"max-age on a second line", 200, Headers{html, {"Cache-Control", "must-revalidate"}, {"cache-control", "s-maxage=1"}}, "inject hold private, no-cache"},
		{"max-age of nothing", 200, Headers{html, {"Cache-Control", "max-age=0, must-revalidate"}}, "inject private, no-cache"},
		{"validator", 200, Headers{html, {"ETag", `W/"1"`}}, "inject hold private, no-cache"},
		{"validator", 200, Headers{html, {"Last-Modified", "Mon, 01 Jan 2024 00:00:00 GMT"}}, "inject hold private, no-cache"},
		{"validator, private", 200, Headers{html, {"ETag", `"1"`}, {"Cache-Control", "max-age=60, private"}}, "inject private, no-cache"},
		{"private for one field", 200, Headers{html, {"Cache-Control", `public, private="a,b"`}}, "inject private, no-cache"},
		{"no-cache is not cacheable", 200, Headers{html, {"ETag", `"1"`}, {"Cache-Control", "no-cache"}}, "inject private, no-cache"},
		{"a word in quotes is no directive", 200, Headers{html, {"Cache-Control", `community="a, public, b"`}}, "inject private, no-cache"},
		{"nor behind an escaped quote", 200, Headers{html, {"Cache-Control", `community="a\", public, b"`}}, "inject private, no-cache"},
		{"a directive behind quotes is one", 200, Headers{html, {"Cache-Control", `community="a", public`}}, "inject hold private, no-cache"},
		{"what is no number of seconds", 200, Headers{html, {"Cache-Control", "max-age=soon"}}, "inject private, no-cache"},
		{"no-store stays", 200, Headers{html, {"ETag", `"1"`}, {"Cache-Control", "no-store"}}, "inject private, no-cache, no-store"},
	}
	for _, tt := range tests {
		p := PlanPage(tt.status, tt.h)
		got := ""
		if p.Inject {
			got = "inject "
			if p.Turbo {
				got += "turbo "
			}
			if p.Hold {
				got += "hold "
			}
			got += p.Edit.Set.Get("Cache-Control")
		} else if p.Turbo || p.Hold || p.Edit.Delete != nil || p.Edit.Set != nil {
			t.Errorf("%s: PlanPage(%d, %q) = %+v; want the zero plan", tt.why, tt.status, tt.h, p)
		}
		if got != tt.want {
			t.Errorf("%s: PlanPage(%d, %q) = %q; want %q", tt.why, tt.status, tt.h, got, tt.want)
		}
	}
}

// Contract §6: ETag, Last-Modified, CDN-Cache-Control and Cloudflare-CDN-Cache-Control go.
func TestPageLosesWhatWouldBringAnOldKeyBack(t *testing.T) {
	p := PlanPage(200, Headers{{"Content-Type", "text/html"}})
	for _, want := range []string{"ETag", "Last-Modified", "CDN-Cache-Control", "Cloudflare-CDN-Cache-Control", "Cache-Control",
		"Content-Length", "Content-MD5", "Content-Digest", "Repr-Digest", "Digest", "Accept-Ranges"} { // these describe bytes that are others now
		found := false
		for _, name := range p.Edit.Delete {
			found = found || name == want
		}
		if !found {
			t.Errorf("Edit.Delete = %q; want %q in it", p.Edit.Delete, want)
		}
	}
}

func TestKnowsSignOut(t *testing.T) {
	for path, want := range map[string]bool{
		"/logout": true, "/Users/Sign_Out": true, "/accounts/logout/": true, "/logout.php": true, "/a/sign-out.do?x=1": true,
		"/log-out;jsessionid=1": true, "/log_out": true, "/signout": true,
		"/": false, "": false, "/logout/confirm": false, "/logouts": false, "/blog/about-logout": false, "/signin": false,
		"/search?next=/logout": false,
	} {
		if got := IsSignOut(path); got != want {
			t.Errorf("IsSignOut(%q) = %v; want %v", path, got, want)
		}
	}
}

func TestFindsNonceOfScripts(t *testing.T) {
	tests := []struct {
		why  string
		h    Headers
		want string
	}{
		{"none", nil, ""},
		{"script-src", Headers{{"Content-Security-Policy", "default-src 'self'; script-src 'self' 'nonce-abc='"}}, "abc="},
		{"default-src", Headers{{"content-security-policy", "DEFAULT-SRC 'NONCE-abc'"}}, "abc"},
		{"the closest directive wins", Headers{{"Content-Security-Policy", "script-src 'nonce-a'; script-src-elem 'nonce-b'"}}, "b"},
		{"styles have another", Headers{{"Content-Security-Policy", "style-src 'nonce-a'"}}, ""},
		{"report only does not demand", Headers{{"Content-Security-Policy-Report-Only", "script-src 'nonce-a'"}}, ""},
	}
	for _, tt := range tests {
		if got := CSPNonce(tt.h); got != tt.want {
			t.Errorf("%s: CSPNonce(%q) = %q; want %q", tt.why, tt.h, got, tt.want)
		}
	}
}
