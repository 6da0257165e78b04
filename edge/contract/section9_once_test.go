//go:build unix

package contract_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// TestOneSubmitAtATime presses again, in every way there is, while the first submit is under way.
func TestOneSubmitAtATime(t *testing.T) {
	m := newModuleBench(t)
	const why = "one submit per form at a time, for htmx and for plain submits, whatever button or Enter"
	inputs := []struct {
		name  string
		first func(b *tab)
		again func(b *tab)
	}{
		{"double click", func(b *tab) { b.click(submitButton, 1) }, func(b *tab) { b.try(submitButton, 2); b.try(submitButton, 3) }},
		{"Enter", func(b *tab) { b.key("input[name=amount]", "\r") }, func(b *tab) {
			b.do("Enter again", chromedp.KeyEvent("\r"))
			b.do("Enter again", chromedp.KeyEvent("\r"))
		}},
		{"another button", func(b *tab) { b.click("#second", 1) }, func(b *tab) { b.try(submitButton, 1) }},
	}
	for version, h := range htmxes {
		for _, k := range markups {
			t.Run(h.name+", "+k.name, func(t *testing.T) {
				t.Parallel()
				b := newTab(t, m.browser)
				for _, in := range inputs {
					b.inCase(in.name, func(t *testing.T) {
						gate := newGate(t)
						r := m.origin.route("/", held(gate.c, order))
						r.document(version, k.html)
						b.ready(m.wire.url + r.path)
						in.first(b)
						r.await(t, 1)
						in.again(b)
						time.Sleep(50 * time.Millisecond)
						gate.open()
						b.match(k.result, orderNumber)
						b.rest(120 * time.Millisecond)
						if n := len(m.wire.sent(r.path)); n != 1 {
							t.Errorf("the page sent %d times; want once\n\t(%s)", n, why)
						}
						r.mustRun(t, why, 1)
					})
				}
			})
		}
	}
}

// TestTheGuardOfAFormEnds lets a submit end in every way there is, and submits again.
func TestTheGuardOfAFormEnds(t *testing.T) {
	m := newModuleBench(t)
	const why = "it ends with the answer, an error, a timeout, Back, or 10 s on a page that stayed"
	ends := []struct {
		name  string
		first script
		cut   func(int, posted) bool
		html  string // "" for the markup's own
	}{
		{"an answer", answer(200, `<p>first</p>`), nil, ""},
		{"a validation", answer(422, `<p>first</p>`), nil, ""},
		{"an error of the origin", answer(500, `<p>first</p>`), nil, ""},
		{"nothing to swap", answer(204, ``), nil, ""},
		{"a target that is not there", answer(200, `<p>first</p>`, "HX-Retarget", "#nowhere"), nil, ""},
		{"an exception of the page", answer(200, `<p>first</p>`, "HX-Trigger", "boom"), nil,
			`<script>addEventListener("boom", () => { throw new Error("the page's own") })</script>`},
		{"a broken connection", nil, all, ""},
	}
	for version, h := range htmxes {
		for _, k := range markups[:2] {
			t.Run(h.name+", "+k.name, func(t *testing.T) {
				t.Parallel()
				b := newTab(t, m.browser)
				for _, end := range ends {
					b.inCase(end.name, func(t *testing.T) {
						first := end.first
						if first == nil {
							first = order
						}
						r := m.origin.route("/", first, order)
						r.document(version, end.html+k.html)
						m.wire.cut(r.path, false, end.cut)
						b.ready(m.wire.url + r.path)
						b.click(submitButton, 1)
						b.ended(1)
						before := len(m.wire.sent(r.path)) // the browser itself tries a broken connection again
						if eval[bool](b, `document.querySelector("#go").disabled`) {
							t.Errorf("the button stays disabled\n\t(%s)", why)
						}
						m.wire.cut(r.path, false, nil)
						b.click(submitButton, 1)
						b.ended(2)
						if n := len(m.wire.sent(r.path)) - before; n != 1 {
							t.Errorf("the second submit was sent %d times; want once\n\t(%s)", n, why)
						}
					})
				}
			})
		}
	}
}

// TestAPageThatIsToldToLeaveHolds: htmx sends what it has queued while the browser goes to HX-Redirect.
func TestAPageThatIsToldToLeaveHolds(t *testing.T) {
	m := newModuleBench(t)
	const why = "one submit per form at a time"
	for version, h := range htmxes {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			b := newTab(t, m.browser)
			gate := newGate(t)
			to := m.origin.route("/")
			to.page = held(gate.c, htmlPage(`<p id="there">There</p>`))
			first := newGate(t)
			r := m.origin.route("/", held(first.c, answer(204, "", "HX-Redirect", to.path)))
			r.document(version, markups[1].html)
			b.ready(m.wire.url + r.path)
			b.click(submitButton, 1)
			r.await(t, 1)
			b.try(submitButton, 2)
			first.open()
			time.Sleep(150 * time.Millisecond) // a page that is about to leave answers no script
			b.try(submitButton, 1)
			time.Sleep(100 * time.Millisecond)
			gate.open()
			b.see("#there")
			if n := len(m.wire.sent(r.path)); n != 1 {
				t.Errorf("the page sent %d times; want once\n\t(%s)", n, why)
			}
		})
	}
}

// TestOtherFormsAreNotHeld: a form without a key, one that repeats, and a field that posts by itself.
func TestOtherFormsAreNotHeld(t *testing.T) {
	m := newModuleBench(t)
	for version, h := range htmxes {
		for _, other := range []struct{ name, prefix, html string }{
			{"no key", "/off/", `<form hx-post="P" hx-target="#result" hx-sync="this:replace"><input name="q" value="1"><button id="go">Go</button></form><div id="result"></div>`},
			{"repeat", "/", `<form hx-post="P" hx-target="#result" hx-sync="this:replace" data-idempotency="repeat"><input name="q" value="1"><button id="go">Go</button></form><div id="result"></div>`},
			{"another window", "/", strings.Replace(markups[5].html, "<form", `<form target="elsewhere"`, 1) + `<iframe name="elsewhere"></iframe>`},
		} {
			t.Run(h.name+", "+other.name, func(t *testing.T) {
				t.Parallel()
				b := newTab(t, m.browser)
				gate := newGate(t)
				r := m.origin.route(other.prefix, held(gate.c, order))
				r.document(version, other.html)
				b.ready(m.wire.url + r.path)
				b.click(submitButton, 1)
				r.await(t, 1)
				b.click(submitButton, 1)
				b.until("the second submit", func(context.Context) error {
					if n := len(m.wire.sent(r.path)); n != 2 {
						return fmt.Errorf("sent %d times; want twice", n)
					}
					return nil
				})
			})
		}
	}
}
