//go:build unix

package contract_test

import (
	"context"
	"errors"
	"strings"
	"testing"
)

const (
	hintLine = `[data-singleshot="hint"]`
	noteLine = `[data-singleshot="note"]`
)

// watchTag counts the batches in which the result region changes, and how often a hint came in one of its own.
const watchTag = `<script>var batches = [];
	addEventListener("DOMContentLoaded", () => new MutationObserver((list) => batches.push(list.flatMap((m) => [...m.addedNodes].map((n) => n.dataset?.singleshot ?? n.nodeName))))
		.observe(document.querySelector("#result"), {childList: true, subtree: true}))</script>`

// again presses twice, one answer after the other: the second is a replay.
func (b *tab) again() {
	b.t.Helper()
	b.click(submitButton, 1)
	b.ended(1)
	b.click(submitButton, 1)
	b.ended(2)
}

// TestAReplayedAnswerSaysSo looks at the hint: where it is, how it comes, what it says.
func TestAReplayedAnswerSaysSo(t *testing.T) {
	m := newModuleBench(t)
	const why = "a replayed answer shows a hint line in the swapped region, in the same DOM update, without its own live region"
	hints := func(b *tab, selector string) int {
		return eval[int](b, `document.querySelectorAll('`+selector+" "+hintLine+`').length`)
	}
	for version, h := range htmxes {
		for _, k := range markups[:2] {
			t.Run(h.name+", "+k.name, func(t *testing.T) {
				t.Parallel()
				b := newTab(t, m.browser)
				b.inCase("one line, with the answer", func(t *testing.T) {
					r := m.origin.route("/")
					r.page = documentOf(r.path, countTag+htmxTag(version)+watchTag+moduleTag, k.html, "en")
					b.ready(m.wire.url + r.path)
					b.click(submitButton, 1)
					b.ended(1)
					if hints(b, resultRegion) != 0 {
						t.Errorf("the first answer has a hint\n\t(%s)", why)
					}
					b.click(submitButton, 1)
					b.ended(2)
					b.click(submitButton, 1)
					b.ended(3)
					if n := hints(b, "body"); n != 1 {
						t.Errorf("%d hints after two replays; want one\n\t(%s)", n, why)
					}
					if text := b.text(resultRegion + " " + hintLine); !strings.HasPrefix(text, "You had already sent this") {
						t.Errorf("hint = %q; want English", text)
					}
					if eval[bool](b, `!!document.querySelector('`+hintLine+`').closest("[role]") || document.querySelector('`+hintLine+`').hasAttribute("aria-live")`) {
						t.Errorf("the hint is a live region of its own\n\t(%s)", why)
					}
					if got := eval[string](b, `JSON.stringify(batches.filter((names) => names.includes("hint") && !names.includes("P")))`); got != "[]" {
						t.Errorf("hints came in updates of their own: %s\n\t(%s)", got, why)
					}
					if eval[bool](b, `!!document.querySelector('`+noteLine+`')`) {
						t.Errorf("the note stays when the answer has said it")
					}
					r.mustRun(t, why, 1)
				})
				b.inCase("in a card, in Japanese", func(t *testing.T) {
					r := m.origin.route("/", answer(200, `<div class="hc-card" data-order-number="7"><p>注文 7</p></div>`))
					r.page = documentOf(r.path, countTag+htmxTag(version)+moduleTag, k.html, "ja")
					b.ready(m.wire.url + r.path)
					b.again()
					if text := b.text(".hc-card > " + hintLine); !strings.Contains(text, "送信済み") {
						t.Errorf("hint = %q; want Japanese, by the page's lang", text)
					}
				})
				b.inCase("in other words", func(t *testing.T) {
					r := m.origin.route("/")
					r.page = documentOf(r.path, countTag+htmxTag(version)+moduleTag, `<main data-singleshot-hint="<b>Twice</b>">`+k.html+`</main>`, "en")
					b.ready(m.wire.url + r.path)
					b.again()
					if text := b.text(hintLine); text != "<b>Twice</b>" {
						t.Errorf("hint = %q; want the page's own, as text", text)
					}
				})
				b.inCase("switched off", func(t *testing.T) {
					r := m.origin.route("/")
					r.page = documentOf(r.path, countTag+htmxTag(version)+moduleTag, strings.Replace(k.html, "<form", `<form data-singleshot-hint="off"`, 1), "en")
					b.ready(m.wire.url + r.path)
					b.again()
					if n := hints(b, "body"); n != 0 {
						t.Errorf("%d hints; want none", n)
					}
				})
				b.inCase("not out of band", func(t *testing.T) {
					r := m.origin.route("/", answer(200, `<p>Order %d</p><div id="aside" hx-swap-oob="true"><i>1</i></div>`))
					r.document(version, k.html+`<div id="aside"></div>`)
					b.ready(m.wire.url + r.path)
					b.again()
					if here, there := hints(b, resultRegion), hints(b, "#aside"); here != 1 || there != 0 {
						t.Errorf("%d hints in the result, %d out of band; want 1 and 0", here, there)
					}
				})
				b.inCase("in what took the target's place", func(t *testing.T) {
					r := m.origin.route("/", answer(200, `<div id="aside" hx-swap-oob="true"><i>1</i></div><div id="result"><p>Order %d</p></div>`))
					r.document(version, strings.ReplaceAll(k.html, `hx-target="#result"`, `hx-target="#result" hx-swap="outerHTML"`)+`<div id="aside"></div>`)
					b.ready(m.wire.url + r.path)
					b.again()
					if here, there := hints(b, resultRegion), hints(b, "#aside"); here != 1 || there != 0 {
						t.Errorf("%d hints in the result, %d out of band; want 1 and 0", here, there)
					}
				})
				b.inCase("not with a conflict", func(t *testing.T) {
					r := m.origin.route("/")
					r.document(version, k.html)
					b.ready(m.wire.url + r.path)
					b.click(submitButton, 1)
					b.ended(1)
					b.fill("input[name=amount]", "2")
					b.click(submitButton, 1)
					b.ended(2)
					b.see(resultRegion + ` .hc-alert`)
					if n := hints(b, "body"); n != 0 {
						t.Errorf("%d hints beside a conflict; want none", n)
					}
				})
			})
		}
	}
}

// TestARowIsNotAddedTwice replays an answer into a list.
func TestARowIsNotAddedTwice(t *testing.T) {
	m := newModuleBench(t)
	const why = "an append-style swap of an answer that this page has already shown adds no second row"
	for version, h := range htmxes {
		for _, swap := range []string{"beforeend", "afterbegin settle:0s", "afterend"} {
			t.Run(h.name+", "+swap, func(t *testing.T) {
				t.Parallel()
				b := newTab(t, m.browser)
				r := m.origin.route("/", answer(200, `<li data-order-number="%d">Order</li>`))
				r.document(version, `<form hx-post="P" hx-target="#result" hx-swap="`+swap+`"><input name="amount" value="1"><button id="go">Go</button></form><ul><li id="result"></li></ul>`)
				b.ready(m.wire.url + r.path)
				b.again()
				if n := eval[int](b, `document.querySelectorAll("[data-order-number]").length`); n != 1 {
					t.Errorf("%d rows; want one\n\t(%s)", n, why)
				}
				if text := b.text("form " + noteLine); !strings.HasPrefix(text, "You had already sent this") {
					t.Errorf("note of the form = %q; want the hint", text)
				}
			})
		}
		t.Run(h.name+", the first answer never came", func(t *testing.T) {
			t.Parallel()
			b := newTab(t, m.browser)
			r := m.origin.route("/", answer(200, `<tr data-order-number="%d"><td>Order</td></tr>`))
			r.document(version, `<form hx-post="P" hx-target="#result" hx-swap="beforeend"><input name="amount" value="1"><button id="go">Go</button></form><table><tbody id="result"></tbody></table>`)
			m.wire.cut(r.path, true, all)
			b.ready(m.wire.url + r.path)
			b.click(submitButton, 1)
			b.ended(1)
			m.wire.cut(r.path, true, nil)
			b.click(submitButton, 1)
			b.ended(2)
			b.until("the row", func(context.Context) error {
				if n := eval[int](b, `document.querySelectorAll("#result [data-order-number]").length`); n != 1 {
					return errors.New("no row")
				}
				return nil
			})
			b.see("form " + noteLine) // a table has no place for a line
			r.mustRun(t, why, 1)
		})
	}
}
