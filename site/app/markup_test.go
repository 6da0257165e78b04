package app

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

func TestPutEscapesWhatComesFromOutside(t *testing.T) {
	tests := []struct {
		why    string
		format markup
		arg    any
		want   string
	}{
		{"a tag in text stays text", `<p>{}</p>`, `<b>`, `<p>&lt;b&gt;</p>`},
		{"an ampersand is no entity", `<p>{}</p>`, `a&lt;b`, `<p>a&amp;lt;b</p>`},
		{"a double quote does not end the attribute", `<a href="{}">`, `" onclick="x`, `<a href="&quot; onclick=&quot;x">`},
		{"a single quote does not end the attribute", `<a href='{}'>`, `' x='`, `<a href='&#39; x=&#39;'>`},
		{"NUL cannot hide anything", `{}`, "a\x00b", "a\uFFFDb"},
		{"Japanese goes through", `{}`, "注文", "注文"},
		{"a number is decimal", `{}`, int64(-1042), "-1042"},
		{"markup is ours", `<p>{}</p>`, markup(`<b>`), `<p><b></p>`},
		{"braces in an argument are no placeholder", `{}`, `{}`, `{}`},
		{"single braces are text", `{ } {x} {} {`, "a", `{ } {x} a {`},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			var b buffer
			b.put(tt.format, tt.arg)
			if got := string(b.bytes); got != tt.want {
				t.Errorf("put(%q, %q) = %q; want %q", tt.format, tt.arg, got, tt.want)
			}
		})
	}
}

func TestPutPanicsOnMistakes(t *testing.T) {
	tests := []struct {
		why    string
		format markup
		args   []any
	}{
		{"an argument is missing", `{} {}`, []any{"a"}},
		{"an argument is too many", `{}`, []any{"a", "b"}},
		{"nobody said how to write this type", `{}`, []any{1.5}},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Errorf("put(%q, %v) did not panic", tt.format, tt.args)
				}
			}()
			new(buffer).put(tt.format, tt.args...)
		})
	}
}

// Text becomes markup only by fill and highlight, which escape. A conversion anywhere else would be a hole.
func TestNoConversionToMarkupElsewhere(t *testing.T) {
	allowed := map[string]bool{"markup.go": true, "highlight.go": true}
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	conversions := 0
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if ident, ok := call.Fun.(*ast.Ident); !ok || ident.Name != "markup" {
				return true
			}
			conversions++
			if literal, ok := call.Args[0].(*ast.BasicLit); !allowed[name] && !(ok && literal.Kind == token.STRING) {
				t.Errorf("%s converts something to markup", name)
			}
			return true
		})
	}
	if conversions == 0 {
		t.Error("found no conversion at all: this test looks at the wrong place")
	}
}

func FuzzEscape(f *testing.F) {
	f.Add(`<script>alert("x")</script>`)
	f.Add("a&b'c\x00")
	f.Fuzz(func(t *testing.T, text string) {
		escaped := string(appendEscaped(nil, text))
		if strings.ContainsAny(escaped, "<>\"'\x00") {
			t.Errorf("appendEscaped(%q) = %q; want no markup in it", text, escaped)
		}
	})
}
