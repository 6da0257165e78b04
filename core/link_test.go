package core

import (
	"net/url"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestRecordLink(t *testing.T) {
	tests := []struct {
		value string
		want  Link
		why   string
	}{
		{`</orders/1042>; title="Order 1042"`, Link{"/orders/1042", "Order 1042"}, "the contract's example"},
		{`</orders/1042>`, Link{"/orders/1042", ""}, "no title"},
		{` </a> ;title=Order;rel=self `, Link{"/a", "Order"}, "a token, white space, another parameter"},
		{`</a>; TITLE = "x"`, Link{"/a", "x"}, "letter case and white space"},
		{`</a>; title="a \"b\" \\ c; d, e"`, Link{"/a", `a "b" \ c; d, e`}, "a quoted string"},
		{`</a>; title="one"; title="two"`, Link{"/a", "one"}, "the first of two titles (RFC 8288 §3.4.1)"},
		{`</a>; title="x"; title*=UTF-8''%E6%B3%A8%E6%96%87%201042`, Link{"/a", "注文 1042"}, "title* goes before title"},
		{`</a>; title*=utf-8'ja'%e6%b3%a8; title="x"`, Link{"/a", "注"}, "in any order, with a language"},
		{`</a>; title*=iso-8859-1''caf%E9`, Link{"/a", "café"}, "Latin-1 (RFC 5987)"},
		{`</a>; title*=UTF-8''%ff; title="x"`, Link{"/a", "x"}, "wrong UTF-8: title"},
		{`</a>; title*=UTF-8''%e; title="x"`, Link{"/a", "x"}, "half an escape: title"},
		{`</a>; title*=koi8-r''%e1; title="x"`, Link{"/a", "x"}, "unknown charset: title"},
		{`</a>; title*=x; title="y"`, Link{"/a", "y"}, "no charset: title"},
		{"</a>; title=\"注文\"", Link{"/a", "注文"}, "raw UTF-8"},
		{"</a>; title=\"\u00e6\u00b3\u00a8\u00e6\u0096\u0087\"", Link{"/a", "注文"}, "raw UTF-8 that fetch read as Latin-1"},
		{"</a>; title=\"caf\xe9\"", Link{"/a", "café"}, "raw Latin-1"},
		{"</a>; title=\"caf\u00e9\"", Link{"/a", "café"}, "Latin-1 that fetch read as Latin-1"},
		{"</a>; title=\"\u0141\"", Link{"/a", "\u0141"}, "a character beyond Latin-1 was not read as Latin-1"},
		{"</注文/1>; title=x", Link{"/%E6%B3%A8%E6%96%87/1", "x"}, "an href is ASCII"},
		{`</a b>`, Link{"/a%20b", ""}, "a raw space"},
		{`</a>, </b>; title="b"`, Link{"/a", ""}, "only the first link"},
		{`</a>; title="open`, Link{"/a", "open"}, "a quoted string that does not end"},
		{`</a>; title=" a ` + "\t" + `  b "`, Link{"/a", "a b"}, "white space in a title"},
		{"</a>; title=\"a\x01\u0085b\"", Link{"/a", "a b"}, "control characters in a title"},
		{`</a>; title="` + strings.Repeat("注", 300) + `"`, Link{"/a", strings.Repeat("注", 200) + "…"}, "a long title is cut"},
		{`<1042?x=1#y>`, Link{"1042?x=1#y", ""}, "relative to the form"},
		{`<https://shop.example:8443/o/1?a=b:c>; title=x`, Link{"https://shop.example:8443/o/1?a=b:c", "x"}, "https"},
		{`<HTTP://shop.example>`, Link{"HTTP://shop.example", ""}, "http, in any letter case"},
		{`<?id=1:2>`, Link{"?id=1:2", ""}, "a colon after the path is no scheme"},

		{``, Link{}, "nothing"},
		{`/orders/1042`, Link{}, "no angle brackets"},
		{`</orders`, Link{}, "one angle bracket"},
		{`<>; title=x`, Link{}, "no href"},
		{`<javascript:alert(1)>`, Link{}, "a script"},
		{"<java\tscript:alert(1)>", Link{}, "a script to a browser, which drops tabs"},
		{"<\x01javascript:alert(1)>", Link{}, "a script to a browser, which drops leading controls"},
		{"</\t/evil.example/x>", Link{}, "another host to a browser, which drops tabs"},
		{"</a\x7fb>", Link{}, "a control character"},
		{`< javascript:alert(1)>`, Link{}, "a script behind a space"},
		{`<data:text/html,x>`, Link{}, "data"},
		{`<vbscript:x>`, Link{}, "another script"},
		{`<mailto:a@b.example>`, Link{}, "not http(s)"},
		{`<//evil.example/x>`, Link{}, "another host without saying so"},
		{`</\evil.example>`, Link{}, "the same, to a browser"},
		{`<\\evil.example>`, Link{}, "the same, to a browser"},
		{`<https:evil.example>`, Link{}, "https without a host"},
		{`<https:///evil.example>`, Link{}, "https with an empty host"},
		{`<https://:80/>`, Link{}, "https with a port only"},
		{`<https://shop.example@evil.example/>`, Link{}, "a user name that looks like a host"},
		{`</` + strings.Repeat("a", maxHref) + `>`, Link{}, "too long"},
	}
	for _, tt := range tests {
		got, ok := ParseRecordLink(tt.value)
		if got != tt.want || ok != (tt.want != Link{}) {
			t.Errorf("ParseRecordLink(%q) = %q, %v; want %q: %s", tt.value, got, ok, tt.want, tt.why)
		}
	}
}

// hrefScheme is how the URL standard finds one.
var hrefScheme = regexp.MustCompile(`^([a-zA-Z][a-zA-Z0-9+.-]*):`)

// checkHref fails for an href that leads a browser anywhere but to http(s) or, without a scheme, to another
// host. It follows the URL standard in what a browser drops and takes for a slash, and shares nothing with core.
func checkHref(t *testing.T, href string) {
	t.Helper()
	seen := strings.TrimLeftFunc(href, func(r rune) bool { return r <= ' ' })
	seen = strings.NewReplacer("\t", "", "\n", "", "\r", "", `\`, "/").Replace(seen)
	if m := hrefScheme.FindStringSubmatch(seen); m != nil {
		if s := strings.ToLower(m[1]); s != "http" && s != "https" {
			t.Errorf("href %q has the scheme %s", href, s)
		}
		if u, err := url.Parse(href); err == nil && (u.Host == "" || u.User != nil) {
			t.Errorf("href %q has host %q, user %v", href, u.Host, u.User)
		}
	} else if strings.HasPrefix(seen, "//") {
		t.Errorf("href %q leaves the host", href)
	}
	for _, r := range href {
		if r <= ' ' || r >= 0x7f || r == '<' || r == '>' || r == '"' {
			t.Errorf("href %q has %U", href, r)
		}
	}
}

func FuzzParseRecordLink(f *testing.F) {
	f.Add(`</orders/1042>; title="Order 1042"; title*=UTF-8''%E6%B3%A8`)
	f.Add("<java\tscript:x>; title=\"\\\"")
	f.Add("</\\evil>;title*=iso-8859-1'x'%e9")
	f.Add("<https://a@b/>; title=\xff")
	f.Add("<\u00e6\u00b3\u00a8>; title=\u00e6\u00b3\u00a8")
	f.Fuzz(func(t *testing.T, value string) {
		link, ok := ParseRecordLink(value)
		if !ok {
			if link != (Link{}) {
				t.Errorf("ParseRecordLink(%q) = %q, false", value, link)
			}
			return
		}
		checkHref(t, link.Href)
		if !utf8.ValidString(link.Title) || utf8.RuneCountInString(link.Title) > maxTitle+1 || strings.ContainsFunc(link.Title, unicode.IsControl) {
			t.Errorf("ParseRecordLink(%q) has the title %q", value, link.Title)
		}
		again, ok := NewLink(link.Href, link.Title)
		if !ok || again.Href != link.Href {
			t.Errorf("NewLink(%q) = %q, %v", link, again, ok)
		}
	})
}
