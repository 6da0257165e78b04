//go:build unix

package contract_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

const (
	plainForm = `<form method="post" action="P"><input name="amount" value=""><textarea name="note"></textarea>
		<label><input type="checkbox" name="wrap"> Wrap</label><select name="size"><option>S<option>L</select>
		<button id="go">Order</button></form>`
	spentWords   = "This form has already gone through."
	sentWords    = "This form has already been sent."
	changedWords = "This form has already gone through with other values."
)

// says waits until the note of the form begins with a text.
func (b *tab) says(words string) {
	b.t.Helper()
	b.until("the note "+words, func(context.Context) error {
		got := eval[string](b, `document.querySelector('`+noteLine+`')?.textContent ?? ""`)
		if words == "" && got != "" || !strings.HasPrefix(got, words) {
			return fmt.Errorf("it is %q", got)
		}
		return nil
	})
}

func (b *tab) formKey() string {
	b.t.Helper()
	return eval[string](b, `document.querySelector("input[name=idempotency_key]").value`)
}

// TestBackToASpentForm goes back to a form that was submitted as plain HTML, with and without the browser's own
// memory of the page.
func TestBackToASpentForm(t *testing.T) {
	m := newModuleBench(t)
	const why = "Back, bfcache: the form knows that its key is spent, says so, and offers a fresh start (fresh key, typed values kept)"
	for _, way := range []struct{ name, head string }{
		{"kept as it was", ""},
		{"loaded again", `<script>addEventListener("unload", () => {})</script>`},
	} {
		for _, answered := range []struct {
			name   string
			script script
			words  string
		}{
			{"303", answer(303, "", "Location", "RECEIPT"), spentWords},
			{"200", htmlPage(moduleTag + `<p id="receipt">Thank you</p>`), spentWords},
			{"a page that nobody looked at", htmlPage(`<p id="receipt">Thank you</p>`), sentWords},
			{"422", answer(422, `<!doctype html>`+moduleTag+`<p id="receipt">An amount, please</p>`), ""},
			{"errors in a 200", htmlPage(moduleTag + `<p id="receipt">No</p><input aria-invalid="true">`), ""},
			{"303 to a sign-in page", answer(303, "", "Location", "RECEIPT/login"), ""},
		} {
			t.Run(way.name+", "+answered.name, func(t *testing.T) {
				t.Parallel()
				b := newTab(t, m.browser)
				r := m.origin.route("/", nil)
				to := m.origin.at(r.path + "/receipt")
				in := m.origin.at(r.path + "/receipt/login")
				in.page, to.page = htmlPage(moduleTag+`<p id="receipt">Sign in</p>`), htmlPage(moduleTag+`<p id="receipt">Thank you</p>`)
				r.scripts[0] = func(t *turn) {
					answered.script(t.moved("RECEIPT", to.path))
				}
				page := m.origin.at(r.path + "/new") // a POST takes its own address out of the browser's cache
				page.page = documentOf(r.path, way.head+moduleTag, plainForm, "en")
				b.ready(m.wire.url + page.path)
				key := b.formKey()
				b.fill("input[name=amount]", "12")
				b.fill("textarea", "two\nlines")
				b.click("input[name=wrap]", 1)
				b.click(submitButton, 1)
				b.see("#receipt")
				eval[bool](b, `globalThis.singleshot?.ready ?? true`)
				b.back(submitButton)
				eval[bool](b, whenReady)
				b.says(answered.words)
				got := eval[string](b, `[...new FormData(document.forms[0])].slice(1).map((f) => f.join("=")).join("&")`)
				if want := "amount=12&note=two\nlines&wrap=on&size=S"; got != want {
					t.Errorf("the form holds %q; want %q\n\t(%s)", got, want, why)
				}
				if b.formKey() != key {
					t.Fatalf("another key after Back; this tests the same")
				}
				if answered.words == "" {
					return
				}
				b.click(noteLine+" button", 1)
				b.says("This is a new entry now.")
				if b.formKey() == key {
					t.Errorf("the same key after a fresh start\n\t(%s)", why)
				}
				b.click(submitButton, 1)
				b.see("#receipt")
				r.mustRun(t, why, 2)
				first, second := valuesOf(t, r.got()[0].body), valuesOf(t, r.got()[1].body)
				if second.Get("amount") != "12" || second.Get("note") != first.Get("note") {
					t.Errorf("the new entry holds %v; want the values of the first, %v", second, first)
				}
			})
		}
	}
}

// moved is a turn whose Location names a place that only the test knows.
func (t *turn) moved(name, path string) *turn {
	c := *t
	c.ResponseWriter = &placed{t.ResponseWriter, name, path}
	return &c
}

// TestASpentFormOfHtmx covers what a form says on a page that stays.
func TestASpentFormOfHtmx(t *testing.T) {
	m := newModuleBench(t)
	for version, h := range htmxes {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			b := newTab(t, m.browser)
			page := func() *route {
				r := m.origin.route("/")
				r.document(version, strings.Replace(plainForm, "<form", `<form hx-post="P" hx-target="#result"`, 1)+`<div id="result"></div>`)
				b.ready(m.wire.url + r.path)
				b.fill("input[name=amount]", "12")
				b.click(submitButton, 1)
				b.match(resultRegion, orderNumber)
				b.ended(1)
				return r
			}
			b.inCase("reset after a commit", func(t *testing.T) {
				page()
				b.says("")
				eval[bool](b, `(document.forms[0].reset(), true)`)
				b.says(spentWords)
			})
			b.inCase("typing", func(t *testing.T) {
				r := page()
				b.fill("input[name=amount]", "13")
				b.says(changedWords)
				b.fill("input[name=amount]", "12")
				b.says(spentWords)
				b.fill("input[name=amount]", "14")
				b.says(changedWords)
				b.click(noteLine+" button", 1)
				b.says("This is a new entry now.")
				b.click(submitButton, 1)
				b.ended(2)
				r.mustRun(t, "a fresh start (fresh key, typed values kept)", 2)
				if got := valuesOf(t, r.got()[1].body).Get("amount"); got != "14" {
					t.Errorf("the new entry has the amount %q; want 14", got)
				}
			})
			b.inCase("what a submit will be", func(t *testing.T) {
				page()
				eval[bool](b, `(window.told = [], addEventListener("singleshot:submit", (e) => told.push(e.detail.verdict)), true)`)
				b.click(submitButton, 1)
				b.ended(2)
				b.fill("input[name=amount]", "13")
				b.click(submitButton, 1)
				b.ended(3)
				if got := eval[string](b, `told.join(" ")`); got != "duplicate changed" {
					t.Errorf("before the submits the page knew %q; want duplicate, then changed", got)
				}
			})
			b.inCase("the page's own script", func(t *testing.T) {
				page()
				if got := eval[string](b, `singleshot.state(document.forms[0])`); got != "spent" {
					t.Errorf("state = %q; want spent", got)
				}
				key := b.formKey()
				if got := eval[string](b, `singleshot.fresh(document.forms[0])`); got == key || got != b.formKey() {
					t.Errorf("fresh = %q; want another key than %q in the form", got, key)
				}
				if got := eval[string](b, `singleshot.state(document.forms[0])`); got != "live" {
					t.Errorf("state after fresh = %q; want live", got)
				}
			})
			b.inCase("reload", func(t *testing.T) {
				page()
				b.do("reload", chromedp.Reload())
				b.see(submitButton)
				eval[bool](b, whenReady)
				b.says("")
			})
		})
	}
}

// TestHtmxHistoryBringsASpentFormBack lets htmx restore its own snapshot of the page.
func TestHtmxHistoryBringsASpentFormBack(t *testing.T) {
	m := newModuleBench(t)
	const why = "htmx history restore: the form knows that its key is spent; loses nothing typed, disables nothing for ever"
	m.origin.library(t, "/lib/history-4.js", "htmx4/dist/ext/hx-history-cache.min.js")
	for version, h := range htmxes {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			head := countTag + htmxTag(version)
			if version == 2 {
				head += `<script src="/lib/history-4.js"></script>`
			}
			b := newTab(t, m.browser)
			r := m.origin.route("/", answer(200, `<p id="receipt" data-order-number="%d">Order</p>`))
			form := strings.NewReplacer("<form", `<form hx-post="P" hx-target="#main" hx-push-url="`+r.path+`/receipt"`,
				`id="go"`, `id="go" hx-disabled-elt="this" hx-disable="this"`).Replace(plainForm)
			if version < 2 {
				form = strings.ReplaceAll(form, ` hx-disable="this"`, "")
			}
			r.page = documentOf(r.path, head+moduleTag, `<main id="main">`+strings.Replace(form, `hx-disabled-elt`, `data-hx-disabled-elt`, 1)+`</main>`, "en")
			b.ready(m.wire.url + r.path)
			key := b.formKey()
			b.fill("input[name=amount]", "12")
			b.fill("textarea", "two\nlines")
			b.click("input[name=wrap]", 1)
			b.click(submitButton, 1)
			b.see("#receipt")
			b.ended(1)
			eval[bool](b, `(history.back(), true)`)
			b.see(submitButton)
			if got := b.formKey(); got != key {
				t.Fatalf("key = %s; this tests the restored one, %s", got, key)
			}
			b.says(spentWords)
			b.until("what was typed", func(context.Context) error {
				got := eval[string](b, `[...new FormData(document.forms[0])].slice(1).map((f) => f.join("=")).join("&")`)
				if got != "amount=12&note=two\nlines&wrap=on&size=S" {
					return errors.New(got)
				}
				return nil
			})
			if eval[bool](b, `document.querySelector("#go").disabled`) {
				t.Errorf("the button came back disabled\n\t(%s)", why)
			}
			b.click(submitButton, 1)
			b.match("#main", orderNumber)
			r.mustRun(t, why, 1)
		})
	}
}

// TestNoFreshStart: an origin that renders its keys itself gives none to scripts.
func TestNoFreshStart(t *testing.T) {
	m := newModuleBench(t)
	b := newTab(t, m.browser)
	r := m.origin.route("/own-keys/")
	r.document(1, `<form hx-post="P" hx-target="#result"><input type="hidden" name="idempotency_key" value="`+strings.Repeat("own-", 8)+`"><input name="amount" value="1"><button id="go">Go</button></form><div id="result"></div>`)
	b.ready(m.wire.url + r.path)
	b.click(submitButton, 1)
	b.match(resultRegion, orderNumber)
	b.ended(1)
	eval[bool](b, `(document.forms[0].reset(), true)`)
	b.says(spentWords)
	b.click(noteLine+" button", 1)
	b.says("A new entry cannot be started here.")
}

// placed puts a path in for a name in Location.
type placed struct {
	http.ResponseWriter
	name, path string
}

func (p *placed) WriteHeader(status int) {
	if at := p.Header().Get("Location"); at != "" {
		p.Header().Set("Location", strings.Replace(at, p.name, p.path, 1))
	}
	p.ResponseWriter.WriteHeader(status)
}

// TestTwoTabsAreTwoEntries: what one tab knows is not the other's.
func TestTwoTabsAreTwoEntries(t *testing.T) {
	m := newModuleBench(t)
	r := m.origin.route("/")
	r.document(1, markups[1].html)
	one, two := newTab(t, m.browser), newTab(t, m.browser)
	for _, b := range []*tab{one, two} {
		b.ready(m.wire.url + r.path)
	}
	for _, b := range []*tab{one, two} {
		if got := eval[string](b, `singleshot.state(document.forms[0])`); got != "live" {
			t.Errorf("state before the submit = %q; want live", got)
		}
		b.click(submitButton, 1)
		b.match(resultRegion, orderNumber)
	}
	r.mustRun(t, "two tabs: independent keys", 2)
}

// TestOfflineAndBack submits without a network, and again with one.
func TestOfflineAndBack(t *testing.T) {
	m := newModuleBench(t)
	for version, h := range htmxes {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			b := newTab(t, m.browser)
			r := m.origin.route("/")
			r.document(version, markups[0].html)
			b.ready(m.wire.url + r.path)
			connect := func(offline bool) {
				b.do("the network", set(emulateNetwork, networkState{Offline: offline, Download: -1, Upload: -1}))
			}
			b.do("watch the network", set(network.Enable, network.EnableParams{}))
			connect(true)
			b.click(submitButton, 1)
			b.ended(1)
			if n := len(m.wire.sent(r.path)); n != 0 {
				t.Fatalf("%d requests without a network", n)
			}
			b.says("")
			connect(false)
			b.click(submitButton, 1)
			b.match(resultRegion, orderNumber)
			r.mustRun(t, "never stuck: network error", 1)
		})
	}
}

// emulateNetwork takes the network away; the bindings have only its successor, which this Chromium does not know.
var emulateNetwork = cdp.Command[networkState, cdp.Empty]{Method: "Network.emulateNetworkConditions"}

type networkState struct {
	Offline  bool    `json:"offline"`
	Latency  float64 `json:"latency"`
	Download float64 `json:"downloadThroughput"`
	Upload   float64 `json:"uploadThroughput"`
}
