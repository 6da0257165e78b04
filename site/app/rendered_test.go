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
