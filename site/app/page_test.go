//go:build !js && !wasip1

package app

import (
	"context"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
)

// pages renders every page and fragment in every state and both languages.
func pages(t *testing.T) map[string]string {
	t.Helper()
	now := clock()
	server := httptest.NewServer(demo(t, func(c *Config) {
		c.Now = func() time.Time { return now }
		c.Trail = func(_ context.Context, _, key string) (*Trail, error) {
			if key == "ik_none" {
				return nil, nil
			}
			return &Trail{Count: 9, Entries: []TrailEntry{{At: now, Event: "claim", Attempt: 1}, {At: now, Event: "commit", Attempt: 1, Status: 200},
				{At: now.Add(3 * time.Second), Event: "<new>", Status: 200}}}, nil
		}
	}))
	defer server.Close()
	rendered := make(map[string]string)
	for _, lang := range []string{"en", "ja"} {
		speaks := "Cookie: lang=" + lang
		get := func(name, path string, headers ...string) {
			rendered[lang+" "+name] = send(t, "GET", server.URL+path, "", append(headers, speaks)...).body
		}
		post := func(name, path, body string, headers ...string) exchange {
			got := send(t, "POST", server.URL+path, body, append(headers, speaks)...)
			rendered[lang+" "+name] = got.body
			return got
		}
		if lang == "en" {
			get("idempotency key, nothing ordered", idempotencyKey.path)
			get("orders, none", "/orders")
		}
		for _, f := range []*orderForm{&idempotencyKeyOrder, &postRedirectGetOrder, &networkRetryOrder} {
			post("placed "+f.recipe.path, f.action, "item=tea&amount=1", htmx)
			post("refused "+f.recipe.path, f.action, "item=x&amount=y", htmx)
			post("corrected, amount "+f.recipe.path, f.action, "item=tea&amount=y")
			post("corrected, both "+f.recipe.path, f.action, "item=x&amount=y")
		}
		for _, c := range append(recipes[:], &breakIt, &checklist) {
			get("page "+c.path, c.path)
		}
		get("index", "/")
		get("orders", "/orders")
		get("orders fragment", "/orders", htmx)
		get("receipt", "/orders/1042")
		get("missing", "/none")
		get("missing fragment", "/none", htmx)
		get("form", "/api/recipes/idempotency-key/form")
		get("form fragment", "/api/recipes/idempotency-key/form?again", htmx)
		get("trail", "/api/trail?idempotency_key=ik_some")
		get("trail of a fresh key", "/api/trail?idempotency_key=ik_none")
		get("trail without a key", "/api/trail")

		job := found(t, regexp.MustCompile(`data-job="([a-z0-9]+)"`), post("job started", "/api/recipes/async-job/jobs", "lines=3000", htmx).body)
		post("job started, plain", "/api/recipes/async-job/jobs", "lines=3000")
		now = now.Add(3 * time.Second)
		get("job running", asyncJob.path+"/"+job)
		now = now.Add(4 * time.Second)
		get("job done", asyncJob.path+"/"+job)
		get("job done fragment", asyncJob.path+"/"+job, htmx)
		get("job unknown", asyncJob.path+"/none")

		request := post("request", "/api/recipes/workflow-actions/requests", "item=tea&quantity=3").header.Get("Location")
		get("workflow in review", request)
		act := "/api" + request + "/transition"
		post("workflow conflict fragment", act, "version=9&transition=approve", htmx)
		post("workflow returned", act, "version=1&transition=return")
		post("workflow submitted", act, "version=2&transition=submit", htmx)
		post("colleague approves", "/api"+request+"/colleague", "")
		post("workflow conflict", act, "version=3&transition=approve")
		get("workflow approved", request)

		edit := post("draft", "/api/recipes/edit-conflict/requests", "item=tea&quantity=３").header.Get("Location")
		get("edit", edit)
		post("saved", "/api"+edit, "version=1&item=lamp&quantity=5", htmx)
		post("saved, plain", "/api"+edit, "version=2&item=lamp&quantity=6")
		post("colleague saves", "/api"+edit+"/colleague", "", htmx)
		post("conflict dialog", "/api"+edit, "version=3&item=lamp&quantity=7", htmx)
		post("conflict page", "/api"+edit, "version=3&item=lamp&quantity=7")
		post("no quantity", "/api"+edit, "version=4&item=lamp&quantity=x")

		post("signed out dialog", sessionExpiryOrder.action, "item=tea&amount=1", htmx)
		get("sign-in page", sessionExpiry.path+"/sign-in")
		get("session over", sessionExpiry.path, htmx)
		get("session open", sessionExpiry.path, htmx, "Cookie: demo-session=open")

		bill := "bill=B-ABC" + lang + "1&amount=5&trouble="
		post("declined", "/api/recipes/backstop/payments", bill+"declined", htmx)
		post("paid", "/api/recipes/backstop/payments", bill+"none", htmx)
		post("already paid", "/api/recipes/backstop/payments", bill+"none")
		post("not paid", "/api/recipes/backstop/payments", "amount=x")
		get("payments of a bill", "/api/recipes/backstop/payments?bill=B-ABC"+lang+"1")
		post("job run", "/api/recipes/backstop/jobs/"+job+"/run", "", htmx)
		post("attacked", "/api/break/orders", "attack=aaaaaaaaaaaaaa"+lang+"&amount=5", htmx)
		get("attacked by hand", breakIt.path+"?on=aaaaaaaaaaaaaa"+lang+"&off=bbbbbbbbbbbbbb"+lang)
	}
	return rendered
}

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
