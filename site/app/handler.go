// Package app is the demo origin: an order form, a list of orders and receipts, in English and Japanese,
// with htmx and without JavaScript. It is an ordinary web application. It renders no key, keeps no list of
// what it has seen and does not know that a guard may stand in front of it; place.go has the one line that
// an application may offer to a guard.
package app

import (
	"errors"
	"log"
	"net/http"
	"strconv"
	"time"
)

// Config is what the application needs. All fields but Log must be set.
type Config struct {
	Ledger Ledger           // where orders are kept
	Now    func() time.Time // the clock
	Log    *log.Logger      // where failures go; nil is the standard logger
}

type app struct{ Config }

// Handler returns the application. It serves everything but /static/, which is files.
func Handler(config Config) http.Handler {
	if config.Log == nil {
		config.Log = log.Default()
	}
	a := &app{config}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", a.index)
	mux.HandleFunc("/{$}", a.allow("GET, HEAD"))
	mux.HandleFunc("GET /orders", a.orders)
	mux.HandleFunc("POST /orders", a.place)
	mux.HandleFunc("/orders", a.allow("GET, HEAD, POST"))
	mux.HandleFunc("GET /orders/{number}", a.receipt)
	mux.HandleFunc("/orders/{number}", a.allow("GET, HEAD"))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { a.refuse(w, r, http.StatusNotFound) })
	return mux
}

func (a *app) index(w http.ResponseWriter, r *http.Request) {
	latest, total, err := a.Ledger.Latest(r.Context(), fewOrders)
	if err != nil {
		a.fail(w, r, err)
		return
	}
	words := a.speak(w, r)
	var b buffer
	b.frame(page{words: words, title: words.title, index: true}, func() { b.index(words, latest, total) })
	answer(w, http.StatusOK, b)
}

func (a *app) orders(w http.ResponseWriter, r *http.Request) {
	limit := manyOrders
	if wantsFragment(r) {
		limit = fewOrders
	}
	latest, total, err := a.Ledger.Latest(r.Context(), limit)
	if err != nil {
		a.fail(w, r, err)
		return
	}
	words := a.speak(w, r)
	var b buffer
	if wantsFragment(r) {
		b.ledger(words, latest, total)
	} else {
		b.frame(page{words: words, title: words.ledgerAll}, func() { b.ordersPage(words, latest, total) })
	}
	answer(w, http.StatusOK, b)
}

func (a *app) receipt(w http.ResponseWriter, r *http.Request) {
	number, err := strconv.ParseInt(r.PathValue("number"), 10, 64)
	if err != nil {
		a.refuse(w, r, http.StatusNotFound)
		return
	}
	order, err := a.Ledger.Order(r.Context(), number)
	switch {
	case errors.Is(err, ErrNoOrder):
		a.refuse(w, r, http.StatusNotFound)
		return
	case err != nil:
		a.fail(w, r, err)
		return
	}
	words := a.speak(w, r)
	var b buffer
	b.frame(page{words: words, title: numbered(words.orderTitle, order.Number)}, func() { b.receipt(words, order) })
	answer(w, http.StatusOK, b)
}

// speak chooses the words of an answer, and remembers a language that was asked for.
func (a *app) speak(w http.ResponseWriter, r *http.Request) *words {
	lang, chosen := languageOf(r)
	if chosen {
		remember(w, lang)
	}
	return speak(lang)
}

// allow answers 405 and names the methods that work (RFC 9110 section 15.5.6).
func (a *app) allow(methods string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Allow", methods)
		a.refuse(w, r, http.StatusMethodNotAllowed)
	}
}

// fail answers for a ledger that could not be reached.
func (a *app) fail(w http.ResponseWriter, r *http.Request, err error) {
	a.Log.Printf("app: ledger: %v", err)
	w.Header().Set("Retry-After", "5")
	a.refuse(w, r, http.StatusServiceUnavailable)
}

// refuse answers with a status that the words know a text for.
func (a *app) refuse(w http.ResponseWriter, r *http.Request, status int) {
	words := a.speak(w, r)
	text := words.refusals[status]
	var b buffer
	if wantsFragment(r) {
		b.put(`<div class="hc-alert" data-variant="error" role="status">
<p class="hc-alert__title">{}</p>
<p class="hc-alert__body">{}</p>
</div>
`, text.title, text.text)
	} else {
		b.frame(page{words: words, title: text.title, here: keptAddress(r)}, func() {
			b.put(`<div class="narrow refusal">
<p class="refusal__status">{}</p>
<h1>{}</h1>
<p>{}</p>
<p class="actions"><a class="hc-button" data-variant="primary" href="/">{}</a></p>
</div>
`, status, text.title, text.text, words.back)
		})
	}
	answer(w, status, b)
}

// wantsFragment reports whether htmx asks for a part of a page; a boosted link or a restored history entry
// wants all of it.
func wantsFragment(r *http.Request) bool {
	h := r.Header
	return h.Get("HX-Request") == "true" && h.Get("HX-Boosted") != "true" && h.Get("HX-History-Restore-Request") != "true"
}

// keptAddress is where the language switch of this answer leads: the same page, unless it answers a post.
func keptAddress(r *http.Request) string {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return ""
	}
	return "/"
}

// policy lets the page use its own files and nothing else. Compiling WebAssembly is allowed for a browser
// module that whoever serves this page may add.
const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; " +
	"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// answer writes a whole answer of HTML.
func answer(w http.ResponseWriter, status int, b buffer) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "private, no-cache")
	h.Set("Vary", "Accept-Language, Cookie, HX-Request")
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	w.WriteHeader(status)
	w.Write(b.bytes) // an error means that the visitor is gone: nothing is left to say
}
