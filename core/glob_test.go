package core

import (
	"regexp"
	"strings"
	"testing"
)

func TestGlobMatches(t *testing.T) {
	tests := []struct {
		glob, path string
		want       bool
		why        string
	}{
		{"/orders", "/orders", true, "literal"},
		{"/orders", "/orders/", false, "a trailing slash is another path"},
		{"/orders", "/Orders", false, "letter case counts"},
		{"/orders", "/orders7", false, "the whole path"},
		{"/orders/*", "/orders/7", true, "* is a segment"},
		{"/orders/*", "/orders/", true, "or an empty one"},
		{"/orders/*", "/orders", false, "the slash is literal"},
		{"/orders/*", "/orders/7/lines", false, "* does not cross segments"},
		{"/*/lines", "/7/lines", true, ""},
		{"/*/lines", "/a/7/lines", false, ""},
		{"/a*c*e", "/abcde", true, "several stars in a segment"},
		{"/a*c*e", "/ace", true, "a star may be empty"},
		{"/a*c*e", "/abde", false, ""},
		{"/a*c*e", "/abc/de", false, "no star crosses"},
		{"/*.pdf", "/a.pdf.pdf", true, "a star does not stop at the first chance"},
		{"/api/**", "/api/v1/orders", true, "** crosses segments"},
		{"/api/**", "/api/", true, ""},
		{"/api/**", "/api", true, "the tree with its root"},
		{"/api/**", "/apis", false, "and nothing beside it"},
		{"/a/**/b", "/a/b", true, "no segment between"},
		{"/a/**/b", "/a/x/y/b", true, "two between"},
		{"/a/**/b", "/a/xb", false, "whole segments"},
		{"/a/**/b", "/ab", false, ""},
		{"/a/**/*/b", "/a/b", false, "* wants its own segment"},
		{"/a/**/*/b", "/a/x/b", true, ""},
		{"/files/**.pdf", "/files/a/b.pdf", true, "** within a segment crosses too"},
		{"/files/**.pdf", "/files.pdf", false, ""},
		{"/**", "/", true, "everything"},
		{"/**", "/a/b", true, ""},
		{"**", "/a/b", true, ""},
		{"**/export", "/a/b/export", true, "anywhere"},
		{"**/export", "/export", true, ""},
		{"**/export", "/reexport", false, ""},
		{"/%2A", "/%2A", true, "a star that stands for itself is written with its escape"},
		{"/%2A", "/x", false, ""},
		{"/[ab]?", "/a1", false, "nothing else is special"},
		{"/" + strings.Repeat("a", maxGlob) + "*", "/" + strings.Repeat("a", maxGlob), false, "too long; ParseRules refuses it"},
	}
	for _, tt := range tests {
		if got := matchGlob(tt.glob, tt.path); got != tt.want {
			t.Errorf("matchGlob(%q, %q) = %v; want %v: %s", tt.glob, tt.path, got, tt.want, tt.why)
		}
	}
}

// globOracle says in Go's regular expressions what a glob means.
func globOracle(glob string) *regexp.Regexp {
	var b strings.Builder
	b.WriteString(`(?s)\A`)
	for i := 0; i < len(glob); {
		rest := glob[i:]
		switch {
		case strings.HasPrefix(rest, "/**") && (len(rest) == 3 || rest[3] == '/'):
			b.WriteString("(?:/.*)?")
			i += 3
		case strings.HasPrefix(rest, "**"):
			b.WriteString(".*")
			i += 2
		case rest[0] == '*':
			b.WriteString("[^/]*")
			i++
		default:
			b.WriteString(regexp.QuoteMeta(rest[:1]))
			i++
		}
	}
	return regexp.MustCompile(b.String() + `\z`)
}

func FuzzGlob(f *testing.F) {
	for _, s := range [][2]string{{"/a/**/b", "/a/b"}, {"/*a*b*", "/aab"}, {"**a**b", "/xaxb"}, {"/**/**/x", "/x"}, {"/a*/**", "/ab"}, {"***", "//"}, {"*", ""}, {"/a/**b", "/a"}} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, glob, path string) {
		if len(glob) > maxGlob || len(path) > 200 {
			return
		}
		for i := 0; i < len(glob+path); i++ {
			if (glob + path)[i] >= 0x80 { // a regular expression sees runes; paths in normal form are ASCII
				return
			}
		}
		if got, want := matchGlob(glob, path), globOracle(glob).MatchString(path); got != want {
			t.Fatalf("matchGlob(%q, %q) = %v; a regular expression says %v", glob, path, got, want)
		}
	})
}

// A glob of stars against a path that almost matches is what makes matchers that go back blow up: this one
// would take longer than the universe has.
func TestGlobTimeStaysBounded(t *testing.T) {
	glob := strings.Repeat("/**/a*a*", 60) + "b"
	path := strings.Repeat("/aaaaaaaaaaaaaaa", 500)
	if matchGlob(glob, path) {
		t.Error("matchGlob = true; want false: the path does not end in b")
	}
	if !matchGlob(glob, path+"b") {
		t.Error("matchGlob = false; want true")
	}
}

func BenchmarkFindTenRules(b *testing.B) {
	rules, err := ParseRules([]byte(`[{"match":"/api/v1/**","key":"header"},{"match":"/api/v2/**","key":"header"},{"match":"/hooks/*/stripe","key":"header:Stripe-Id"},
		{"match":"/chat/**","key":"off"},{"match":"/admin/**"},{"match":"/a"},{"match":"/b"},{"match":"/c/*"},{"match":"/d/*"},{"match":"**/export"}]`))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		rules.Find("POST", "/orders/2024/new")
	}
}
