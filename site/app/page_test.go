package app

import (
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// pages renders every page and fragment in every state and both languages.
func pages(t *testing.T) map[string]string {
	t.Helper()
	server := httptest.NewServer(Handler(Config{Ledger: new(Memory), Now: clock}))
	defer server.Close()
	rendered := make(map[string]string)
	for _, lang := range []string{"en", "ja"} {
		speaks := "Cookie: lang=" + lang
		get := func(name, path string, headers ...string) {
			rendered[lang+" "+name] = send(t, "GET", server.URL+path, "", append(headers, speaks)...).body
		}
		post := func(name, body string, headers ...string) {
			rendered[lang+" "+name] = send(t, "POST", server.URL+"/orders", body, append(headers, speaks)...).body
		}
		if lang == "en" {
			get("index of an empty ledger", "/")
		}
		post("placed fragment", "item=tea&amount=1", htmx)
		post("refused fragment", "item=x&amount=y", htmx)
		post("corrected page, amount", "item=tea&amount=y")
		post("corrected page, both", "item=x&amount=y")
		get("index", "/")
		get("orders", "/orders")
		get("orders fragment", "/orders", htmx)
		get("receipt", "/orders/1042")
		get("missing", "/none")
		get("missing fragment", "/none", htmx)
	}
	return rendered
}

// The application renders no key and knows of no guard's field: the guard adds it on the way.
func TestNoKeyInAnyPage(t *testing.T) {
	key := regexp.MustCompile(`(?i)idempotency|\bik_|singleshot\.js`)
	for name, body := range pages(t) {
		if found := key.FindString(body); found != "" {
			t.Errorf("%s has %q in it", name, found)
		}
		if strings.Contains(body, `type="hidden"`) {
			t.Errorf("%s has a hidden field", name)
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
			if (node.Data == "select" || node.Data == "input") && !strings.Contains(body, `for="`+attribute(node, "id")+`"`) {
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
	void := map[string]bool{"meta": true, "link": true, "input": true}
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

// What the index shows as its markup is what it has.
func TestMarkupShownIsTheMarkup(t *testing.T) {
	for _, w := range []*words{englishWords(), japaneseWords()} {
		var b buffer
		b.index(w, nil, 0)
		body := string(b.bytes)
		for part := range strings.SplitSeq(sample(w), "\n") {
			if part := strings.TrimSpace(part); part != w.fields && !strings.Contains(body, part) {
				t.Errorf("%s: the page shows %q but does not have it", w.language, part)
			}
		}
		var text strings.Builder
		for _, node := range nodes(t, body) {
			if node.Data == "code" && node.Parent.Data == "pre" {
				collect(node, &text)
			}
		}
		if text.String() != sample(w) {
			t.Errorf("%s: highlighting changed the text:\n%s\nwant\n%s", w.language, text.String(), sample(w))
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

// nodes returns every element of a page, as a browser would parse it.
func nodes(t *testing.T, body string) []*html.Node {
	t.Helper()
	root, err := html.Parse(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	var all []*html.Node
	for node := range root.Descendants() {
		if node.Type == html.ElementNode {
			all = append(all, node)
		}
	}
	return all
}

func attribute(node *html.Node, key string) string {
	for _, a := range node.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func collect(node *html.Node, text *strings.Builder) {
	for child := range node.Descendants() {
		if child.Type == html.TextNode {
			text.WriteString(child.Data)
		}
	}
}
