package core

import (
	"net/url"
	"strings"
	"testing"
)

func TestEverySpellingOfAPathIsOne(t *testing.T) {
	tests := []struct{ in, want, why string }{
		{"/orders", "/orders", "most paths are in normal form"},
		{"", "/", "an http URL without a path asks for /"},
		{"/%6Frders/%41%5a%61%7A%30%39%7e%2d%5F%2E", "/orders/AZaz09~-_.", "escapes of unreserved characters are decoded (RFC 3986 §6.2.2.2)"},
		{"/a%2fb%c3%a9", "/a%2Fb%C3%A9", "other escapes get upper-case digits (RFC 3986 §6.2.2.1); a slash in a segment stays in it"},
		{"/注文", "/%E6%B3%A8%E6%96%87", "a rule may be written in any script"},
		{`/a b"<>^|[]{}\` + "\x00\x7f", "/a%20b%22%3C%3E%5E%7C%5B%5D%7B%7D%5C%00%7F", "bytes that cannot stand raw are escaped"},
		{"/!$&'()*+,;=:@", "/!$&'()*+,;=:@", "pchar stands raw (RFC 3986 §3.3)"},
		{"/%21%2A%2C", "/%21%2A%2C", "an escaped reserved character is another path than the raw one"},
		{"/%", "/%25", "a % without digits can only mean itself"},
		{"/%zz%4", "/%25zz%254", "one digit is not enough"},
		{"/%%411", "/%25A1", "what is decoded never becomes an escape"},
		{"/a/../b/./c//d/", "/a/../b/./c//d/", "\"Globs and scopes see the path as it was sent\""},
		{"/Orders", "/Orders", "letter case counts"},
	}
	for _, tt := range tests {
		if got := NormalPath(tt.in); got != tt.want {
			t.Errorf("NormalPath(%q) = %q; want %q: %s", tt.in, got, tt.want, tt.why)
		}
	}
}

func TestNormalPathDoesNotAllocate(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() { NormalPath("/orders/%E6%B3%A8/lines") }); n != 0 {
		t.Errorf("NormalPath of a normal path allocates %v times; want 0", n)
	}
}

func FuzzNormalPath(f *testing.F) {
	for _, s := range []string{"", "/", "/%6frders", "/%%41", "/a b", "/\xff%ff", "/%E6%B3", "%2", "/..;/x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, path string) {
		got := NormalPath(path)
		if again := NormalPath(got); again != got {
			t.Fatalf("NormalPath(%q) = %q, and of that %q; want a fixed point", path, got, again)
		}
		plain, err := url.PathUnescape(got)
		if err != nil {
			t.Fatalf("NormalPath(%q) = %q: %v", path, got, err)
		}
		if want, err := url.PathUnescape(path); err == nil && path != "" && plain != want {
			t.Fatalf("NormalPath(%q) = %q stands for %q; want %q", path, got, plain, want)
		}
		withoutDots(got)
	})
}

func TestRedirectLeadsWhereABrowserGoes(t *testing.T) {
	const base = "/account/orders"
	tests := []struct{ ref, path, query, why string }{
		{"/login?next=/orders#top", "/login", "next=/orders", "the fragment does not reach a server"},
		{"https://id.example:8443/a/b?c=d?e", "/a/b", "c=d?e", "any host"},
		{"https://id.example?x", "/", "x", "a host alone is its root"},
		{"HTTPS://id.example", "/", "", ""},
		{"//id.example/login", "/login", "", "a reference without a scheme"},
		{"login", "/account/login", "", "relative to the directory"},
		{"?page=2", base, "page=2", "relative to the page"},
		{"#x", base, "", ""},
		{"", base, "", ""},
		{"../login", "/login", "", ""},
		{"../../../login", "/login", "", "above the root is the root"},
		{"./", "/account/", "", ""},
		{"..", "/", "", ""},
		{"/a/./b/../c/.", "/a/c/", "", "RFC 3986 §5.2.4"},
		{"/%2e%2e/%6cogin", "/login", "", "a browser resolves escaped dots too"},
		{`\\id.example\login`, "/login", "", "a browser takes a backslash for a slash"},
		{"  /login\t", "/login", "", "white space around a header value"},
		{"mailto:login@example.com", "", "", "no path"},
		{"javascript:login", "", "", "no path"},
		{"a1+-.:x", "", "", "a scheme (RFC 3986 §3.1)"},
		{"1a:x", "/account/1a:x", "", "no scheme begins with a digit"},
		{":x", "/account/:x", "", ""},
	}
	for _, tt := range tests {
		if path, query := resolvePath(base, tt.ref); path != tt.path || query != tt.query {
			t.Errorf("resolvePath(%q) = %q, %q; want %q, %q: %s", tt.ref, path, query, tt.path, tt.query, tt.why)
		}
	}
}

// FuzzResolvePath holds resolvePath against net/url where both speak about the same references: net/url knows
// no backslashes, keeps escaped dots and refuses what browsers take.
func FuzzResolvePath(f *testing.F) {
	for _, s := range []string{"", "login", "../a/./b", "//h/x", "https://h", "a:b", "/a//b/..", "?q", "#f", "x/%2e./y", "...", "/.a"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, ref string) {
		got, query := resolvePath("/account/orders", ref)
		if got != "" && (got[0] != '/' || withoutDots(got) != got || NormalPath(got) != got) {
			t.Fatalf("resolvePath(%q) = %q; want a normal path without dot segments", ref, got)
		}
		for i := 0; i < len(ref); i++ {
			if c := ref[i]; !isPathByte(c) && c != '?' && c != '#' {
				return
			}
		}
		u, err := url.Parse(ref)
		if err != nil || u.Opaque != "" || u.Host == "" && (u.Scheme != "" || strings.HasPrefix(ref, "//")) { // no host, which browsers take otherwise or not at all
			return
		}
		if strings.Contains(u.Path, "//") { // net/url drops empty segments next to dots, against RFC 3986 §5.2.4
			return
		}
		base := &url.URL{Scheme: "https", Host: "shop.example", Path: "/account/orders"}
		r := base.ResolveReference(u)
		if want := NormalPath(r.Path); got != want {
			t.Fatalf("resolvePath(%q) = %q; net/url says %q", ref, got, want)
		}
		if query != r.RawQuery {
			t.Fatalf("resolvePath(%q) query = %q; net/url says %q", ref, query, r.RawQuery)
		}
	})
}

func TestQueryTextIsDecoded(t *testing.T) {
	tests := []struct{ in, want, why string }{
		{"plain", "plain", ""},
		{"%2Forders+now%20%e3%81%82", "/orders now あ", "+ is a space in a query"},
		{"100%", "100%", "a % without digits stays"},
		{"%4", "%4", ""},
		{"%zz%41", "%zzA", ""},
	}
	for _, tt := range tests {
		if got := decodeQuery(tt.in); got != tt.want {
			t.Errorf("decodeQuery(%q) = %q; want %q: %s", tt.in, got, tt.want, tt.why)
		}
	}
}
