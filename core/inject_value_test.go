package core

import (
	"html"
	"testing"
)

func TestDecodesReferencesInAttributes(t *testing.T) {
	tests := []struct{ why, raw, want string }{
		{"plain", `/orders?a=1`, `/orders?a=1`},
		{"named", `a&amp;b&sol;c&AMP;d`, `a&b/c&d`},
		{"decimal and hex", `&#47;&#x2f;&#X2F;&#0047;`, `////`},
		{"no semicolon", `&#47a&#x2fg`, `/a/g`},
		{"old name at the end", `a&amp`, `a&`},
		{"old name before a sign", `a&lt-`, `a<-`},
		{"old name before = is a parameter", `?a&amp=1`, `?a&amp=1`},
		{"old name before a letter is a parameter", `?a&ampx&ltd;`, `?a&ampx&ltd;`},
		{"other names need their semicolon", `&sol&colon`, `&sol&colon`},
		{"names we do not know", `&eacute;&unknown;`, `&eacute;&unknown;`},
		{"no reference", `& && &; &# &#; &#x; &#xg`, `& && &; &# &#; &#x; &#xg`},
		{"zero, surrogate, too large", `&#0;&#xD800;&#x110000;&#99999999999999999999;`, "\ufffd\ufffd\ufffd\ufffd"},
		{"Windows-1252", `&#x80;&#150;&#x81;`, "\u20ac\u2013\u0081"},
		{"NUL", "a\x00b", "a\ufffdb"},
		{"in the middle of a reference", "&#4", "\x04"},
	}
	for _, tt := range tests {
		if got := string(appendValue(nil, []byte(tt.raw))); got != tt.want {
			t.Errorf("%s: appendValue(%q) = %q; want %q", tt.why, tt.raw, got, tt.want)
		}
	}
	for _, r := range references {
		if want := html.UnescapeString("&" + r.name + ";"); want != string(r.char) {
			t.Errorf("&%s; = %q; want %q", r.name, r.char, want)
		}
	}
}
