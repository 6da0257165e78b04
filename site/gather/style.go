package main

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// ownStyles are our own sheets, in their order.
var ownStyles = []string{"site.css", "parts.css", "pages.css"}

// styleSheet joins the kit's style sheets and our own into one.
func styleSheet(kit, own string) ([]byte, error) {
	var sheet strings.Builder
	for _, name := range styles {
		content, err := os.ReadFile(filepath.Join(kit, name))
		if err != nil {
			return nil, err
		}
		text := string(content)
		if name == "hc.core.css" {
			if text, err = followSystem(text); err != nil {
				return nil, err
			}
		}
		sheet.WriteString(text)
		sheet.WriteByte('\n')
	}
	for _, name := range ownStyles {
		content, err := os.ReadFile(filepath.Join(own, name))
		if err != nil {
			return nil, err
		}
		sheet.Write(content)
	}
	return []byte(compact(sheet.String())), nil
}

// darkRule is one of the kit's rules for data-theme="dark", as its build writes them.
var darkRule = regexp.MustCompile(`(?ms)^  \[data-theme="dark"\]([^{\n]*) \{\n(.*?)^  \}`)

// followSystem makes the kit's dark theme follow the system. The kit itself knows only the attribute
// data-theme, which a page without JavaScript cannot set by the system's choice. Paper stays light.
func followSystem(core string) (string, error) {
	if !darkRule.MatchString(core) {
		return "", errors.New("the kit's dark theme was not found in hc.core.css")
	}
	return darkRule.ReplaceAllString(core,
		"  @media screen and (prefers-color-scheme: dark) {\n  :root:not([data-theme=\"light\"])$1 {\n$2  }\n  }"), nil
}

var (
	comment = regexp.MustCompile(`(?s)/\*.*?\*/`)
	margin  = regexp.MustCompile(`\n\s*`)
)

// compact takes comments and indentation out of a style sheet: two thirds of the kit's bytes. Neither may
// stand inside a string there, and in these sheets none does.
func compact(sheet string) string {
	return strings.TrimSpace(margin.ReplaceAllString(comment.ReplaceAllString(sheet, ""), "\n")) + "\n"
}
