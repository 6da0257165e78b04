//go:build !js && !wasip1

package app

import (
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// What a recipe shows as its markup is what its page has.
func TestMarkupShownIsTheMarkup(t *testing.T) {
	all := pages(t)
	for name, f := range map[string]*orderForm{
		"form": &idempotencyKeyOrder, "page " + postRedirectGet.path: &postRedirectGetOrder, "page " + networkRetry.path: &networkRetryOrder,
	} {
		for _, lang := range languages {
			body := all[string(lang)+" "+name]
			for part := range strings.SplitSeq(f.sample(lang), "\n") {
				if part := strings.TrimSpace(part); !strings.Contains(part, "…") && !strings.Contains(body, part) {
					t.Errorf("%s in %s: %q is shown, but the page does not have it", name, lang, part)
				}
			}
			var shown strings.Builder
			for _, node := range nodes(t, all[string(lang)+" page "+f.recipe.path]) {
				if attribute(node, "id") == "markup-code" {
					collect(node, &shown)
				}
			}
			if !strings.HasPrefix(shown.String(), f.sample(lang)) {
				t.Errorf("%s in %s: highlighting changed the text:\n%s\nwant\n%s", name, lang, shown.String(), f.sample(lang))
			}
		}
	}
}

func FuzzHighlightKeepsText(f *testing.F) {
	f.Add(`<form method="post" action="/orders">`)
	f.Add(`<a b="c" d>x</a`)
	f.Add(`<`)
	f.Fuzz(func(t *testing.T, source string) {
		tokens := regexp.MustCompile(`</?span[^>]*>`)
		got := html.UnescapeString(tokens.ReplaceAllString(string(highlight(source)), ""))
		if want := strings.ReplaceAll(source, "\x00", "\uFFFD"); got != want {
			t.Errorf("highlight(%q) reads %q", source, got)
		}
	})
}
