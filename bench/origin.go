package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// origin is the application behind every candidate, and the KV that they keep answers in: here outside of
// workerd, as it is in production, so that its cost is not theirs.
type origin struct {
	url, kvURL string
	orders     atomic.Int64 // how often a submit has run
	kept       atomic.Int64 // puts into KV
	servers    []*http.Server
}

const slowness = time.Second

func startOrigin() (*origin, error) {
	o := new(origin)
	app := http.NewServeMux()
	app.HandleFunc("POST /orders", o.order)
	app.HandleFunc("POST /slow", func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(slowness)
		o.order(w, r)
	})
	app.HandleFunc("GET /forms", forms)
	page := shopPage()
	app.HandleFunc("GET /shop", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Length", strconv.Itoa(len(page))) // as applications that build a page whole do
		_, _ = io.WriteString(w, page)                            // the visitor is gone
	})
	var err error
	if o.url, err = o.serve(app); err != nil {
		return nil, err
	}
	o.kvURL, err = o.serve(o.answers())
	return o, err
}

func (o *origin) serve(h http.Handler) (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	s := &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}
	o.servers = append(o.servers, s)
	go func() { _ = s.Serve(listener) }() // ends with close
	return "http://" + listener.Addr().String(), nil
}

func (o *origin) close() {
	for _, s := range o.servers {
		_ = s.Close()
	}
}

// order takes an order as a fragment for htmx.
func (o *origin) order(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	n := o.orders.Add(1)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("HX-Trigger", `{"toast":"Order taken"}`)
	fmt.Fprintf(w, `<div class="receipt" role="status"><h2>Order %d</h2><p>Ada Lovelace, 120.00, next day. We have sent you a letter.</p></div>`, n)
}

// forms is a page of n forms, to get as many keys.
func forms(w http.ResponseWriter, r *http.Request) {
	n, _ := strconv.Atoi(r.FormValue("n")) // none for nonsense
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	form := `<form method="post" action="` + r.FormValue("action") + `"><button>Order</button></form>` + "\n"
	_, _ = io.WriteString(w, strings.Repeat(form, n))
}

// answers is a KV namespace as workerd asks for it.
func (o *origin) answers() http.Handler {
	var stored sync.Map
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.Method {
		case http.MethodPut:
			value, err := io.ReadAll(r.Body)
			if err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			stored.Store(r.URL.Path, value)
			o.kept.Add(1)
		case http.MethodGet:
			value, ok := stored.Load(r.URL.Path)
			if !ok {
				http.NotFound(w, r)
				return
			}
			_, _ = w.Write(value.([]byte)) // the Worker is gone
		}
	})
}

// shopPage is a page of about 100 KB with three forms.
func shopPage() string {
	var b strings.Builder
	b.WriteString(`<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Shop</title><link rel="stylesheet" href="/app.css"></head><body>`)
	for i := range 3 {
		fmt.Fprintf(&b, `<form class="order-form" method="post" action="/orders/%d"><label>Amount <input class="input" name="amount" required></label><button>Place order</button></form>`, i)
	}
	for i := 0; b.Len() < 100<<10; i++ {
		fmt.Fprintf(&b, `<article class="card" data-id="%d"><h2><a href="/products/%d">Product %d</a></h2><p>A good product, which does what it says &amp; a bit more. It comes in three sizes and is sent on the same day.</p><img src="/img/%d.webp" alt="Product %d" width="320" height="240" loading="lazy"></article>`+"\n", i, i, i, i, i)
	}
	b.WriteString(`</body></html>`)
	return b.String()
}
