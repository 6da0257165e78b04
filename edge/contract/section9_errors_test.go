//go:build unix

package contract_test

import (
	"context"
	"errors"
	"testing"
	"time"
)

const validation = `<p class="invalid">An amount, please</p>`

// TestA422ToAKeyedFormIsSwapped tries every setting of a site that decides what becomes of a 422.
func TestA422ToAKeyedFormIsSwapped(t *testing.T) {
	m := newModuleBench(t)
	const why = "422 answers to keyed forms are swapped"
	m.origin.library(t, "/lib/response-targets-1.js", "htmx1/dist/ext/response-targets.js")
	m.origin.library(t, "/lib/compat-4.js", "htmx4/dist/ext/htmx-2-compat.min.js")
	m.origin.library(t, "/lib/targets-4.js", "htmx4/dist/ext/hx-targets.min.js")
	settings := []struct {
		name    string
		version int
		head    string
		ext     string // put around the form
	}{
		{"htmx 1.9", 0, htmxTag(0), ""},
		{"htmx 1.9 with response-targets", 0, htmxTag(0) + `<script src="/lib/response-targets-1.js"></script>`, "response-targets"},
		{"htmx 2", 1, htmxTag(1), ""},
		{"htmx 2 with responseHandling", 1, `<meta name="htmx-config" content='{"responseHandling":[{"code":"204","swap":false},{"code":"[23]..","swap":true},{"code":"[45]..","swap":false,"error":true}]}'>` + htmxTag(1), ""},
		{"htmx 4", 2, htmxTag(2), ""},
		{"htmx 4 that swaps no errors", 2, `<meta name="htmx-config" content='{"noSwap":[204,304,"4xx","5xx"]}'>` + htmxTag(2), ""},
		{"htmx 4 with 2-compat", 2, htmxTag(2) + `<script src="/lib/compat-4.js"></script>`, ""},
		{"htmx 4 with targets", 2, htmxTag(2) + `<script src="/lib/targets-4.js"></script>`, ""},
	}
	for _, s := range settings {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			b := newTab(t, m.browser)
			for _, k := range markups[:5] {
				b.inCase(k.name, func(t *testing.T) {
					r := m.origin.route("/", answer(422, validation), order)
					r.page = documentOf(r.path, countTag+s.head+moduleTag, `<div hx-ext="`+s.ext+`">`+k.html+`</div>`, "en")
					b.ready(m.wire.url + r.path)
					b.click(submitButton, 1)
					b.see(k.result + " .invalid")
					if k.result == resultRegion {
						b.click(submitButton, 1)
						b.match(k.result, orderNumber) // the key stayed live
						r.mustRun(t, why, 2)
					}
				})
			}
		})
	}
}

// TestOther422sAreLeftAlone: what htmx 1.9 and 2 do by themselves, on the same page.
func TestOther422sAreLeftAlone(t *testing.T) {
	m := newModuleBench(t)
	const why = "the 422s of other elements are left alone"
	for version, h := range htmxes[:2] {
		for _, other := range []struct{ name, prefix, html string }{
			{"a form without a key", "/off/", `<form hx-post="P" hx-target="#result"><input name="q"><button id="go">Go</button></form><div id="result"></div>`},
			{"a field that validates itself", "/", `<form method="post" action="P"><input id="go" type="button" value="Go"><input name="amount" value="1" hx-post="P" hx-target="#result" hx-trigger="click from:#go"></form><div id="result"></div>`},
			{"an element outside", "/", `<form method="post" action="P"></form><button id="go" hx-post="P" hx-target="#result">Go</button><div id="result"></div>`},
		} {
			t.Run(h.name+", "+other.name, func(t *testing.T) {
				t.Parallel()
				b := newTab(t, m.browser)
				r := m.origin.route(other.prefix, answer(422, validation))
				r.document(version, other.html)
				b.ready(m.wire.url + r.path)
				b.click(submitButton, 1)
				b.ended(1)
				if eval[bool](b, `!!document.querySelector(".invalid")`) {
					t.Errorf("the 422 was swapped\n\t(%s)", why)
				}
			})
		}
	}
}

// TestANoticeOfTheGuardIsSeen: a duplicate whose first submit is still running gets a notice with status 503, which
// htmx 1.9 and 2 would drop, and with it the answer.
func TestANoticeOfTheGuardIsSeen(t *testing.T) {
	m := newModuleBench(t)
	for version, h := range htmxes {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			b := newTab(t, m.browser)
			gate := newGate(t)
			r := m.origin.route("/impatient/", held(gate.c, order))
			r.document(version, markups[1].html)
			b.ready(m.wire.url + r.path)
			eval[bool](b, `(fetch("`+r.path+`", {method: "POST", headers: {"HX-Request": "true"}, body: new URLSearchParams(new FormData(document.forms[0]))}), true)`)
			r.await(t, 1)
			b.click(submitButton, 1)
			b.see(resultRegion + ` .hc-alert[role="status"]`)
			b.until("two looks", func(context.Context) error {
				if eval[int](b, "ended") < 3 {
					return errors.New("it does not ask on")
				}
				return nil
			})
			time.Sleep(10 * time.Millisecond)
			gate.open()
			b.match(resultRegion, orderNumber)
			r.mustRun(t, "a fragment that does the same", 1)
		})
	}
}
