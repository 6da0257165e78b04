package app

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

func TestTextIsWrittenInTheLanguageOfTheBuffer(t *testing.T) {
	said := text{`<b>{}</b> orders`, `注文 <b>{}</b>`}.fill(text{"five", "五"})
	for lang, want := range map[language]string{english: "<b>five</b> orders", japanese: "注文 <b>五</b>"} {
		b := buffer{language: lang}
		b.put(`<p>{}</p>`, said)
		if got := string(b.bytes); got != "<p>"+want+"</p>" {
			t.Errorf("in %s: %s; want %s", lang, got, want)
		}
	}
}

// Both languages of each text have as many places to fill, and neither is missing.
func TestTextsAreWhole(t *testing.T) {
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	texts := 0
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			literal, ok := n.(*ast.CompositeLit)
			if !ok || len(literal.Elts) != 2 {
				return true
			}
			if name, ok := literal.Type.(*ast.Ident); !ok || name.Name != "text" {
				return true
			}
			var both [2]string
			for i, each := range literal.Elts {
				if part, ok := each.(*ast.BasicLit); ok {
					both[i] = part.Value
				}
			}
			if both == [2]string{} {
				return true // put together from parts that are looked at where they are written
			}
			texts++
			if len(both[0]) < 3 || len(both[1]) < 3 || strings.Count(both[0], "{}") != strings.Count(both[1], "{}") {
				t.Errorf("%s: %s and %s do not match", name, both[0], both[1])
			}
			return true
		})
	}
	if texts < 200 {
		t.Errorf("found %d texts: this test looks at the wrong place", texts)
	}
}
