package core

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// FuzzTagAttributes reads tags as a tokenizer of the HTML standard does: the same end, the same attributes.
func FuzzTagAttributes(f *testing.F) {
	for _, s := range []string{
		` a b=c d='e>' f="g>" h = i>`, `/a/b=/c=>`, ` =a ==b "=c>`, "\r\na\f=\t'b'c=d a=e>x", ` a="`, ` a=b`, ` a='b'"c"=d>`, "\x00=\x00>", `>`, `/>`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		page := "<a" + s
		z := html.NewTokenizer(strings.NewReader(page))
		z.Next()
		raw := string(z.Raw())
		token := z.Token()
		var scan tagScan
		scan.begin(false)
		end, done := scan.scan([]byte(page), 1)
		if !done {
			if token.Type != html.ErrorToken && strings.HasSuffix(raw, ">") {
				t.Fatalf("%q: no end found; want it at %d", page, len(raw))
			}
			return
		}
		if token.Type != html.StartTagToken && token.Type != html.SelfClosingTagToken || raw != page[:end] {
			t.Fatalf("%q: %q; want a tag, %q", page, page[:end], raw)
		}
		if scan.slash != (token.Type == html.SelfClosingTagToken) {
			t.Fatalf("%q: closes itself: %v; want %v", raw, scan.slash, token.Type)
		}
		tag, k := []byte(raw), 0
		for a, i, ok := nextAttr(tag, nameEnd(tag)); ok; a, i, ok = nextAttr(tag, i) {
			if !isFirst(tag, a) {
				continue
			}
			name := strings.ReplaceAll(string(tag[a.from:a.to]), "\x00", "\ufffd")
			if k == len(token.Attr) || lowerText(name) != token.Attr[k].Key {
				t.Fatalf("%q: attribute %d is %q; want %q", raw, k, name, token.Attr)
			}
			if value := tag[a.vfrom:a.vto]; onlyKnownReferences(string(value)) {
				if got := asParsed(value); got != token.Attr[k].Val {
					t.Fatalf("%q: value %d is %q; want %q", raw, k, got, token.Attr[k].Val)
				}
			}
			k++
		}
		if k != len(token.Attr) {
			t.Fatalf("%q: %d attributes; want %q", raw, k, token.Attr)
		}
	})
}

// asParsed returns a value as a parser gives it, which has made one newline of CR and CRLF first.
func asParsed(raw []byte) string {
	return string(appendValue(nil, []byte(strings.ReplaceAll(strings.ReplaceAll(string(raw), "\r\n", "\n"), "\r", "\n"))))
}

// onlyKnownReferences reports whether all named references in a value are among those that we decode.
func onlyKnownReferences(s string) bool {
	for {
		i := strings.IndexByte(s, '&')
		if i < 0 {
			return true
		}
		s = s[i+1:]
		if s == "" || !isLetter(s[0]) {
			continue
		}
		known := false
		for k, r := range references {
			known = known || strings.HasPrefix(s, r.name+";") || k < oldReferences && s == r.name
		}
		if !known {
			return false
		}
	}
}
