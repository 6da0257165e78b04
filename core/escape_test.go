package core

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
)

func TestEscapedTextIsReadBackUnchanged(t *testing.T) {
	tests := []struct {
		in, want string
		why      string
	}{
		{"", "", "nothing"},
		{"plain 注文 ✓", "plain 注文 ✓", "text that needs nothing"},
		{"a&b&amp;c", "a&amp;b&amp;amp;c", "a reference that somebody typed stays text"},
		{"<b>", "&lt;b&gt;", "no element begins"},
		{`" onfocus="x`, "&#34; onfocus=&#34;x", "a double-quoted attribute does not end"},
		{"' onfocus='x", "&#39; onfocus=&#39;x", "nor a single-quoted one"},
		{"a\r\nb\nc\rd", "a&#13;&#10;b&#10;c&#13;d", "every newline stays what it was"},
		{"a\tb\x01c\u0085d", "a\tb\x01c\u0085d", "other controls are kept by the parser as they are"},
		{"\ufeffa\ufffe", "\ufeffa\ufffe", "so are marks and noncharacters"},
	}
	for _, tt := range tests {
		got := string(appendEscaped(nil, tt.in))
		if got != tt.want {
			t.Errorf("appendEscaped(%q) = %q; want %q: %s", tt.in, got, tt.want, tt.why)
		}
		for _, quote := range []string{`"`, `'`} {
			z := html.NewTokenizer(strings.NewReader("<i v=" + quote + got + quote + ">" + got + "</i>"))
			z.Next()
			tag := z.Token()
			if len(tag.Attr) != 1 || tag.Attr[0].Val != tt.in {
				t.Errorf("appendEscaped(%q) in %s reads as %q: %s", tt.in, quote, tag.Attr, tt.why)
			}
			if z.Next(); tt.in != "" && z.Token().Data != tt.in {
				t.Errorf("appendEscaped(%q) as text reads as %q: %s", tt.in, z.Token().Data, tt.why)
			}
		}
	}
}

func TestWhatNoDocumentCanHoldIsReplaced(t *testing.T) {
	for in, want := range map[string]string{
		"a\x00b":       "a\uFFFDb",
		"caf\xe9":      "caf\uFFFD",
		"\xed\xa0\x80": "\uFFFD\uFFFD\uFFFD",
		"\uFFFD":       "\uFFFD",
	} {
		if got := string(appendEscaped(nil, in)); got != want {
			t.Errorf("appendEscaped(%q) = %q; want %q", in, got, want)
		}
		if carriable(in) != (in == want) {
			t.Errorf("carriable(%q) = %v", in, carriable(in))
		}
	}
}
