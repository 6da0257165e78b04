//go:build !js && !wasip1

package app

import (
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// The application renders no key: the guard adds it on the way, and the module's script too.
func TestNoKeyInAnyPage(t *testing.T) {
	for name, body := range pages(t) {
		for _, node := range nodes(t, body) {
			if attribute(node, "name") == "idempotency_key" || strings.Contains(attribute(node, "src"), "singleshot") {
				t.Errorf("%s has a guard's <%s>", name, node.Data)
			}
		}
	}
}

// The content security policy lets nothing inline run; so nothing inline is there.
func TestNoInlineScriptOrStyle(t *testing.T) {
	for name, body := range pages(t) {
		for _, node := range nodes(t, body) {
			if node.Data == "style" && node.Parent.Data != "svg" || node.Data == "script" && attribute(node, "src") == "" {
				t.Errorf("%s has an inline <%s>", name, node.Data)
			}
			for _, a := range node.Attr {
				if strings.HasPrefix(a.Key, "on") || a.Key == "style" || strings.HasPrefix(a.Key, "hx-on") || strings.HasPrefix(a.Key, "data-hx-on") {
					t.Errorf("%s: <%s> has %s", name, node.Data, a.Key)
				}
			}
		}
	}
}

// Ids are unique, and whatever refers to one finds it.
func TestReferencesFindTheirElements(t *testing.T) {
	for name, body := range pages(t) {
		if !strings.Contains(body, "<html") {
			continue // a fragment refers to the page it goes into
		}
		ids := make(map[string]bool)
		all := nodes(t, body)
		for _, node := range all {
			if id := attribute(node, "id"); id != "" {
				if ids[id] {
					t.Errorf("%s has two elements with the id %q", name, id)
				}
				ids[id] = true
			}
		}
		for _, node := range all {
			var wanted []string
			for _, key := range []string{"for", "aria-describedby", "aria-labelledby"} {
				wanted = append(wanted, strings.Fields(attribute(node, key))...)
			}
			for _, key := range []string{"href", "data-hx-target"} {
				if id, ok := strings.CutPrefix(attribute(node, key), "#"); ok {
					wanted = append(wanted, id)
				}
			}
			for _, id := range wanted {
				if !ids[id] {
					t.Errorf("%s: <%s> refers to #%s, which is not there", name, node.Data, id)
				}
			}
		}
	}
}

func TestEveryPageHasItsFrame(t *testing.T) {
	for name, body := range pages(t) {
		if !strings.Contains(body, "<html") {
			continue
		}
		count := make(map[string]int)
		title := ""
		for _, node := range nodes(t, body) {
			count[node.Data]++
			if node.Data == "title" && node.Parent.Data == "head" {
				title = node.FirstChild.Data
			}
			if (node.Data == "select" || node.Data == "input" && attribute(node, "type") != "hidden") && !strings.Contains(body, `for="`+attribute(node, "id")+`"`) {
				t.Errorf("%s: <%s> has no label", name, node.Data)
			}
		}
		if count["h1"] != 1 || count["main"] != 1 || title == "" {
			t.Errorf("%s has %d h1, %d main and the title %q", name, count["h1"], count["main"], title)
		}
		if !strings.HasPrefix(body, "<!doctype html>\n<html lang=\""+name[:2]+`"`) {
			t.Errorf("%s does not begin as a page in its language", name)
		}
	}
}

// Start and end tags match without the parser's help.
func TestTagsMatch(t *testing.T) {
	void := map[string]bool{"meta": true, "link": true, "input": true} // noscript is text to this tokenizer or not, and matches either way
	for name, body := range pages(t) {
		var open []string
		z := html.NewTokenizer(strings.NewReader(body))
		for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
			tag, _ := z.TagName()
			switch kind {
			case html.StartTagToken:
				if !void[string(tag)] {
					open = append(open, string(tag))
				}
			case html.EndTagToken:
				if len(open) == 0 || open[len(open)-1] != string(tag) {
					t.Fatalf("%s: </%s> closes %v", name, tag, open)
				}
				open = open[:len(open)-1]
			}
		}
		if len(open) > 0 {
			t.Errorf("%s leaves %v open", name, open)
		}
	}
}

// Every page says it in one language: what stands in both is a name, or code.
func TestEveryTextIsInBothLanguages(t *testing.T) {
	kana := regexp.MustCompile(`[\x{3040}-\x{30ff}\x{4e00}-\x{9fff}]`)
	for name, body := range pages(t) {
		for _, node := range nodes(t, body) {
			if node.Data != "p" && node.Data != "h1" && node.Data != "h2" && node.Data != "h3" && node.Data != "button" && node.Data != "th" {
				continue
			}
			var said strings.Builder
			collect(node, &said)
			japanese := kana.MatchString(said.String())
			if strings.HasPrefix(name, "en") && japanese || strings.HasPrefix(name, "ja") && !japanese && len(strings.Fields(said.String())) > 3 {
				t.Errorf("%s says %q", name, said.String())
			}
		}
	}
}
