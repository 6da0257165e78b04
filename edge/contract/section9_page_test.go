//go:build unix

package contract_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// htmxes are the versions of htmx that the module has to work with, and none.
var htmxes = []struct{ name, file string }{
	{"htmx 1.9", "htmx1/dist/htmx.min.js"},
	{"htmx 2", "htmx.org/dist/htmx.min.js"},
	{"htmx 4", "htmx4/dist/htmx.min.js"},
}

const (
	submitButton = "#go"
	resultRegion = "#result"

	// whenReady is singleshot.ready, also where the deferred script has not run yet.
	whenReady = `(async () => {
		while (!globalThis.singleshot) await new Promise((done) => setTimeout(done, 10));
		return singleshot.ready;
	})()`
)

// markups are the ways to write one form that orders. P is its path.
var markups = []struct {
	name, html string
	result     string // where the answer appears
}{
	{"hx-post on the button", `<form method="post" action="P"><input name="amount" value="1">
		<button type="submit" id="go" data-hx-post="P" data-hx-target="#result" data-hx-disabled-elt="this">Order</button>
		<button type="submit" id="second" data-hx-post="P" data-hx-target="#result" name="also" value="1">And wrap</button></form>
		<div id="result" aria-live="polite"></div>`, resultRegion},
	{"hx-post on the form", `<form method="post" action="P" hx-post="P" hx-target="#result"><input name="amount" value="1">
		<button type="submit" id="go">Order</button> <button type="submit" id="second" name="also" value="1">And wrap</button></form>
		<div id="result" aria-live="polite"></div>`, resultRegion},
	{"rows at the end", `<form hx-post="P" hx-target="#result" hx-swap="beforeend"><input name="amount" value="1">
		<button id="go">Order</button> <button id="second" name="also" value="1">And wrap</button></form>
		<div id="result" aria-live="polite"></div>`, resultRegion},
	{"into the form itself", `<form id="self" hx-post="P"><input name="amount" value="1">
		<button id="go">Order</button> <button id="second" name="also" value="1">And wrap</button></form>`, "#self"},
	{"boosted", `<form method="post" action="P" hx-boost="true"><input name="amount" value="1">
		<button id="go">Order</button> <button id="second" name="also" value="1">And wrap</button></form>`, "body"},
	{"plain", `<form method="post" action="P"><input name="amount" value="1">
		<button id="go">Order</button> <button id="second" name="also" value="1">And wrap</button></form>`, "body"},
}

// library serves a file of node_modules at a path of the origin.
func (o *origin) library(t *testing.T, path, file string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root(), "node_modules", file))
	if err != nil {
		t.Fatal(err)
	}
	o.at(path).page = func(t *turn) {
		t.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		t.Header().Set("Cache-Control", "max-age=600")
		_, _ = t.Write(text)
	}
}

var libraries sync.Once

// moduleBench is one browser, one wire to the guard that most tests share, and the libraries.
type moduleBench struct {
	*guard
	wire    *wire
	browser context.Context
}

func newModuleBench(t *testing.T) *moduleBench {
	t.Helper()
	g := withLibraries(t)
	return &moduleBench{g, cable(t, g), chromium(t)}
}

// withLibraries is the shared guard, whose origin serves the versions of htmx.
func withLibraries(t *testing.T) *guard {
	t.Helper()
	g := shared(t)
	libraries.Do(func() {
		for i, h := range htmxes {
			g.origin.library(t, fmt.Sprintf("/lib/%d.js", i), h.file)
		}
	})
	return g
}

// htmxTag is the script of a version, by its index in htmxes; -1 is none.
func htmxTag(version int) string {
	if version < 0 {
		return ""
	}
	return fmt.Sprintf(`<script src="/lib/%d.js"></script>`, version)
}

// countTag counts the requests of htmx that have ended, however they did.
const countTag = `<script>var ended = 0; for (const name of ["htmx:afterRequest", "htmx:onLoadError", "htmx:finally:request"])
	addEventListener(name, () => setTimeout(() => ended++, 20))</script>`

const moduleTag = `<script src="/_singleshot/singleshot.js" defer></script>`

// document is a page with the module, a version of htmx, and a form: P in the markup is the route's path.
func (r *route) document(version int, markup string) {
	r.page = documentOf(r.path, countTag+htmxTag(version)+moduleTag, markup, "en")
}

func documentOf(path, head, markup, language string, headers ...string) script {
	text := `<!doctype html><html lang="` + language + `"><head><meta charset="utf-8"><title>Order</title>` + head + `</head><body>` +
		strings.ReplaceAll(markup, `"P"`, `"`+path+`"`) + `</body></html>`
	return func(t *turn) {
		t.Header().Set("Content-Type", "text/html; charset=utf-8")
		for i := 0; i < len(headers); i += 2 {
			t.Header().Set(headers[i], headers[i+1])
		}
		_, _ = io.WriteString(t, text)
	}
}

// eval runs a script in the page, waits for its promise, and returns its value.
func eval[T any](b *tab, expression string) T {
	b.t.Helper()
	c, cancel := context.WithTimeout(b.ctx, 3*patience)
	defer cancel()
	value, err := chromedp.Run(c, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// ready opens a page and waits for the module.
func (b *tab) ready(url string) {
	b.t.Helper()
	b.open(url, submitButton)
	if !eval[bool](b, whenReady) {
		b.t.Fatal("singleshot.ready = false; want the whole module")
	}
}

// ended waits until htmx has ended n requests.
func (b *tab) ended(n int) {
	b.t.Helper()
	b.until("a request's end", func(context.Context) error {
		if got := eval[int](b, "ended"); got < n {
			return fmt.Errorf("%d of %d have ended", got, n)
		}
		return nil
	})
}

// rest gives a page the time in which it would send what it has queued.
func (b *tab) rest(d time.Duration) {
	b.t.Helper()
	eval[int](b, fmt.Sprintf(`new Promise((done) => setTimeout(() => done(1), %d))`, d.Milliseconds()))
}

// key types one key into an element.
func (b *tab) key(selector, key string) {
	b.t.Helper()
	b.focus(selector)
	b.do("type", chromedp.KeyEvent(key))
}
