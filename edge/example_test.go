package edge_test

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"time"

	"github.com/singleshot-edge/singleshot/edge"
)

// A form that is sent twice runs once; a changed one is told what exists.
func Example() {
	orders := 0
	mux := http.NewServeMux()
	mux.HandleFunc("GET /orders/new", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `<!doctype html><form method="post" action="/orders"><input name="item"><button>Order</button></form>`)
	})
	mux.HandleFunc("POST /orders", func(w http.ResponseWriter, r *http.Request) {
		orders++
		http.Redirect(w, r, fmt.Sprintf("/orders/%d", orders), http.StatusSeeOther)
	})
	server := httptest.NewServer(edge.Handler(mux, edge.Options{
		Secret: "thirty-two random bytes, or more of them",
		Store:  new(edge.MemoryStore),
		Logger: slog.New(slog.DiscardHandler),
	}))
	defer server.Close()

	// The page as the browser has it: the form has a key.
	page, err := http.Get(server.URL + "/orders/new")
	if err != nil {
		panic(err)
	}
	html, _ := io.ReadAll(page.Body)
	key := regexp.MustCompile(`ik_[A-Za-z0-9_-]+`).FindString(string(html))

	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for _, item := range []string{"tea", "tea", "cake"} {
		answer, err := client.PostForm(server.URL+"/orders", url.Values{"idempotency_key": {key}, "item": {item}})
		if err != nil {
			panic(err)
		}
		fmt.Println(item, answer.StatusCode, answer.Header.Get("Location"), answer.Header.Get("Idempotency-Status"))
	}
	fmt.Println(orders, "order")
	// Output:
	// tea 303 /orders/1 created
	// tea 303 /orders/1 replayed
	// cake 422  mismatch
	// 1 order
}

// Rules say what is guarded beside forms: here an API by its header, webhooks by the event's id, and an upload page
// whose duplicates wait for longer.
func ExampleRule() {
	options := edge.Options{
		Secret: "thirty-two random bytes, or more of them",
		Store:  new(edge.MemoryStore),
		Rules: []edge.Rule{
			{Match: "/api/v1/**", Key: "header", Required: true, Subject: "jwt:bearer:sub", Unknown: "hold"},
			{Match: "/hooks/github", Key: "header:X-GitHub-Delivery"},
			{Match: "/scans", Wait: time.Minute, Ignore: []string{"progress_id"}},
			{Match: "/search", Key: "off"},
		},
	}
	fmt.Println(options.Check())
	// Output: <nil>
}

// Check tells everything that is wrong, before a visitor meets it.
func ExampleOptions_Check() {
	options := edge.Options{Secret: "too short", Rules: []edge.Rule{{Match: "/**", TTL: time.Second}}}
	fmt.Println(options.Check())
	// Output:
	// edge: Secret is shorter than 32 bytes
	// edge: Rules rule 1: ttl must be a whole number of seconds from 60 to 315360000
	// edge: Store is missing: records in memory end with the process
}
