//go:build unix

package contract_test

import (
	"net/url"
	"strings"
	"testing"
	"time"
)

// saidTag keeps every word that the module has said at a form, and every verdict.
const saidTag = `<script>var said = [], told = [];
	addEventListener("singleshot:submit", (e) => told.push(e.detail.verdict));
	new MutationObserver(() => { const text = document.querySelector('` + noteLine + `')?.textContent; if (text && text !== said.at(-1)) said.push(text) })
		.observe(document, {childList: true, subtree: true})</script>`

// settle is longer than a form takes to say what was typed into it.
const settle = 400 * time.Millisecond

// quiet fails if the module has spoken of a conflict.
func (b *tab) quiet(why string) {
	b.t.Helper()
	b.rest(settle)
	if got := eval[string](b, `said.join("|")`); strings.Contains(got, "other values") {
		b.t.Errorf("the form says %q; want no word of other values: the guard runs them\n\t(%s)", got, why)
	}
}

// TestAFormSaysOnlyWhatTheGuardWillDo sends a form, then other values, where the guard runs those too.
func TestAFormSaysOnlyWhatTheGuardWillDo(t *testing.T) {
	m := newModuleBench(t)
	const why = "before a submit it knows whether this is a duplicate or a changed resubmit; in repeat mode another payload runs, as its own record"
	const fields = `<input name="amount" value="1"><button id="go">Go</button></form><div id="result"></div>`
	for version, h := range htmxes {
		for _, form := range []struct{ name, html, before string }{
			{"repeat", `<form hx-post="P" hx-target="#result" data-idempotency="repeat">` + fields, ""},
			{"repeat, by the key alone", `<form hx-post="P" hx-target="#result" data-idempotency="repeat">` + fields, `document.forms[0].removeAttribute("data-idempotency")`},
			{"an update", `<form hx-post="P" hx-target="#result"><input type="hidden" name="_method" value="patch">` + fields, ""},
			{"an update by its button", `<form hx-post="P" hx-target="#result"><input name="amount" value="1"><button id="go" name="_method" value="delete">Go</button></form><div id="result"></div>`, ""},
			{"an update by a header", `<form hx-post="P" hx-target="#result" hx-headers='{"X-HTTP-Method-Override":"PUT"}'>` + fields, ""},
			{"a button that goes elsewhere", `<form hx-post="P/order" action="P" hx-target="#result"><input name="amount" value="1"><button id="go" hx-post="P" hx-target="#result">Go</button></form><div id="result"></div>`, ""},
		} {
			t.Run(h.name+", "+form.name, func(t *testing.T) {
				t.Parallel()
				b := newTab(t, m.browser)
				r := m.origin.route("/")
				m.origin.at(r.path + "/order")
				r.page = documentOf(r.path, countTag+htmxTag(version)+saidTag+moduleTag, strings.ReplaceAll(form.html, `"P/`, `"`+r.path+"/"), "en")
				b.ready(m.wire.url + r.path)
				if form.before != "" {
					eval[bool](b, `(`+form.before+`, true)`)
				}
				b.click(submitButton, 1)
				b.ended(1)
				b.fill("input[name=amount]", "2")
				b.quiet(why)
				b.click(submitButton, 1)
				b.ended(2)
				b.quiet(why)
				r.mustRun(t, why, 2)
				b.click(submitButton, 1)
				b.ended(3)
				r.mustRun(t, "in repeat mode the same payload is replayed", 2)
				b.see(resultRegion + " " + hintLine)
				if got := eval[string](b, `told.join(" ")`); got != "new new duplicate" {
					t.Errorf("before the submits the page knew %q; want new, new, duplicate\n\t(%s)", got, why)
				}
				b.fill("input[name=amount]", "1")
				b.click(submitButton, 1)
				b.ended(4)
				r.mustRun(t, "in repeat mode the same payload is replayed", 2)
				b.quiet(why)
			})
		}
	}
}

// TestAPlainFormSaysOnlyWhatTheGuardWillDo does the same with the browser's own submits, by way of Back.
func TestAPlainFormSaysOnlyWhatTheGuardWillDo(t *testing.T) {
	m := newModuleBench(t)
	const why = "the 422 of the third branch belongs to the form that the key was rendered into"
	for _, form := range []struct{ name, html, words string }{
		{"repeat", `<form method="post" action="P" data-idempotency="repeat"><input name="amount" value=""><button id="go">Go</button></form>`, spentWords},
		{"an update", `<form method="post" action="P"><input type="hidden" name="_method" value="put"><input name="amount" value=""><button id="go">Go</button></form>`, spentWords},
		{"a formaction", `<form method="post" action="P/order"><input name="amount" value=""><button id="go" formaction="P">Go</button></form>`, ""},
	} {
		t.Run(form.name, func(t *testing.T) {
			t.Parallel()
			b := newTab(t, m.browser)
			r := m.origin.route("/", htmlPage(moduleTag+`<p id="receipt">Thank you</p>`))
			m.origin.at(r.path + "/order")
			page := m.origin.at(r.path + "/new")
			page.page = documentOf(r.path, saidTag+moduleTag, strings.ReplaceAll(form.html, `"P/`, `"`+r.path+"/"), "en")
			b.ready(m.wire.url + page.path)
			key := b.formKey()
			for i, amount := range []string{"1", "2"} {
				b.fill("input[name=amount]", amount)
				b.quiet(why)
				b.click(submitButton, 1)
				b.see("#receipt")
				eval[bool](b, whenReady)
				r.mustRun(t, why, i+1)
				b.back(submitButton)
				eval[bool](b, whenReady)
				if b.formKey() != key {
					t.Fatalf("another key after Back; this tests the same")
				}
				b.says(form.words) // what is true in repeat mode too stays
			}
			b.click(submitButton, 1)
			b.see("#receipt")
			r.mustRun(t, "in repeat mode the same payload is replayed", 2)
		})
	}
}

// TestADownloadIsNoConflict: after one its form goes on with other values, and the page that comes next is no answer.
func TestADownloadIsNoConflict(t *testing.T) {
	m := newModuleBench(t)
	const why = "after an attachment was committed it is in repeat mode"
	file := answer(200, "a,b", "Content-Type", "text/csv", "Content-Disposition", `attachment; filename="a.csv"`)
	b := newTab(t, m.browser)
	r := m.origin.route("/", file)
	next := m.origin.at(r.path + "/next")
	next.page = documentOf(r.path, moduleTag, `<p id="next">Next</p>`, "en")
	page := m.origin.at(r.path + "/new")
	page.page = documentOf(r.path, saidTag+moduleTag, plainForm+`<a id="on" href="`+next.path+`">On</a>`, "en")
	b.ready(m.wire.url + page.path)
	b.fill("input[name=amount]", "1")
	b.click(submitButton, 1)
	r.await(t, 1)
	b.rest(2500 * time.Millisecond) // a person goes on from there
	b.click("#on", 1)
	b.see("#next")
	eval[bool](b, whenReady)
	b.back(submitButton)
	eval[bool](b, whenReady)
	b.says(sentWords)
	b.fill("input[name=amount]", "2")
	b.quiet(why)
	b.click(submitButton, 1)
	r.await(t, 2)
	b.quiet(why)
	r.mustRun(t, why, 2)
}

// TestAFreshStartKeepsRepeatMode: the key of a fresh start is in the mode that the form asks for.
func TestAFreshStartKeepsRepeatMode(t *testing.T) {
	m := newModuleBench(t)
	const why = `data-idempotency="repeat" sets the mode`
	b := newTab(t, m.browser)
	r := m.origin.route("/")
	r.page = documentOf(r.path, countTag+htmxTag(1)+saidTag+moduleTag, `<form hx-post="P" hx-target="#result" data-idempotency="repeat"><input name="amount" value="1"><button id="go">Go</button></form><div id="result"></div>`, "en")
	b.ready(m.wire.url + r.path)
	eval[string](b, `singleshot.fresh(document.forms[0])`)
	for i, amount := range []string{"1", "2"} {
		b.fill("input[name=amount]", amount)
		b.click(submitButton, 1)
		b.ended(i + 1)
	}
	b.quiet(why)
	r.mustRun(t, why, 2)
}

// TestAFormGoesOnWithTheKeyOfItsNewEntry orders, orders something else from the notice, and presses again.
func TestAFormGoesOnWithTheKeyOfItsNewEntry(t *testing.T) {
	m := newModuleBench(t)
	const why = "each key commits once: a new entry that the notice has submitted is not submitted a second time by its form"
	const form = `<form id="order" hx-post="P" hx-target="#result"><input name="amount" value="1"><button id="go" name="how" value="now">Order</button></form><div id="result"></div>`
	const way = ".hc-alert form button"
	for version, h := range htmxes {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			b := newTab(t, m.browser)
			formKey := func() string { return eval[string](b, `document.querySelector("#order [name=idempotency_key]").value`) }
			// conflict orders one, and gets the notice for two.
			conflict := func(html string, scripts ...script) (r *route, key string) {
				b.t.Helper()
				r = m.origin.route("/", scripts...)
				r.page = documentOf(r.path, countTag+htmxTag(version)+saidTag+moduleTag, html, "en")
				b.ready(m.wire.url + r.path)
				b.click(submitButton, 1)
				b.ended(1)
				b.fill("input[name=amount]", "2")
				b.click(submitButton, 1)
				b.ended(2)
				b.see(way)
				return r, formKey()
			}
			replays := func(t *testing.T, r *route, ended int, key string) {
				t.Helper()
				if formKey() == key {
					t.Errorf("the form still has the key of the first entry\n\t(%s)", why)
				}
				if got := eval[string](b, `document.querySelector("#order input[name=amount]").value`); got != "2" {
					t.Errorf("the form holds %q; want 2 still", got)
				}
				b.click(submitButton, 1)
				b.ended(ended)
				b.see(hintLine + ", #order " + noteLine) // where its row stands already, the form says it
				if n := eval[int](b, `document.querySelectorAll("[data-order-number]").length`); n > 2 {
					t.Errorf("%d rows after two entries", n)
				}
				if eval[bool](b, `!!document.querySelector("`+way+`")`) {
					t.Errorf("the form is offered a new entry again\n\t(%s)", why)
				}
				r.mustRun(t, why, 2)
				if got := eval[string](b, `told.at(-1)`); got != "duplicate" {
					t.Errorf("before that submit the page knew %q; want duplicate", got)
				}
			}
			for _, target := range []struct{ name, html string }{
				{"in its target", form},
				{"beside what is there", strings.Replace(form, "<form", `<form hx-swap="beforeend"`, 1)},
				{"by a button of its own", strings.NewReplacer(` hx-post="P" hx-target="#result"`, ` method="post" action="P"`,
					`<button`, `<button hx-post="P" hx-target="#result"`).Replace(form)},
				{"above the form", `<div id="result"></div>` + strings.TrimSuffix(form, `<div id="result"></div>`)},
			} {
				b.inCase(target.name, func(t *testing.T) {
					r, key := conflict(target.html)
					b.click(way, 1)
					b.ended(3)
					r.mustRun(t, "submit as a new entry", 2)
					replays(t, r, 4, key)
					b.fill("#order input[name=amount]", "3")
					b.says(changedWords)
					b.fill("#order input[name=amount]", "2")
					b.says(spentWords)
				})
			}
			b.inCase("the new entry is not valid", func(t *testing.T) {
				r, key := conflict(form, order, answer(422, validation), order)
				b.click(way, 1)
				b.ended(3)
				if formKey() != key {
					t.Errorf("the form has another key, though no entry went through with it")
				}
				b.click(submitButton, 1)
				b.ended(4)
				b.see(way)
				r.mustRun(t, why, 2)
			})
			b.inCase("something else typed meanwhile", func(t *testing.T) {
				r, key := conflict(form)
				b.fill("#order input[name=amount]", "3")
				b.says(changedWords)
				b.click(way, 1)
				b.ended(3)
				if formKey() == key {
					t.Errorf("the form still has the key of the first entry\n\t(%s)", why)
				}
				b.fill("#order input[name=amount]", "2")
				b.click(submitButton, 1)
				b.ended(4)
				r.mustRun(t, why, 2)
			})
			b.inCase("the first values again", func(t *testing.T) {
				r, key := conflict(form)
				b.fill("#order input[name=amount]", "1")
				b.rest(settle)
				b.click(way, 1)
				b.ended(3)
				if formKey() != key {
					t.Errorf("a form that holds what went through with its key has another one")
				}
				b.click(submitButton, 1)
				b.ended(4)
				b.see(hintLine)
				r.mustRun(t, "seen key, same fingerprint", 2)
			})
			b.inCase("the form has another key by now", func(t *testing.T) {
				r, _ := conflict(form)
				key := eval[string](b, `singleshot.fresh(document.querySelector("#order"))`)
				b.click(way, 1)
				b.ended(3)
				if got := formKey(); got != key {
					t.Errorf("the key of a form that had started afresh was replaced")
				}
				r.mustRun(t, why, 2)
			})
			b.inCase("the form is gone", func(t *testing.T) {
				r, _ := conflict(form)
				eval[bool](b, `(document.querySelector("#order").remove(), true)`)
				b.click(way, 1)
				b.ended(3)
				b.match(resultRegion, orderNumber)
				r.mustRun(t, why, 2)
			})
			b.inCase("the form is another element by now", func(t *testing.T) {
				r, key := conflict(form)
				eval[bool](b, `(() => { const old = document.querySelector("#order"), copy = old.cloneNode(true); old.replaceWith(copy); htmx.process(copy); return true })()`)
				b.click(way, 1)
				b.ended(3)
				replays(t, r, 4, key)
			})
		})
	}
}

// TestANewEntryWithoutTheModule: the notice of a plain form is a page of its own.
func TestANewEntryWithoutTheModule(t *testing.T) {
	m := newModuleBench(t)
	b := newTab(t, m.browser)
	r := m.origin.route("/", htmlPage(`<p id="receipt">Thank you</p>`))
	page := m.origin.at(r.path + "/new")
	page.page = documentOf(r.path, "", plainForm, "en")
	b.open(m.wire.url+page.path, submitButton)
	b.click(submitButton, 1)
	b.see("#receipt")
	b.back(submitButton)
	b.fill("input[name=amount]", "2")
	b.click(submitButton, 1)
	b.click(".hc-alert form button", 1)
	b.see("#receipt")
	r.mustRun(t, "submit as a new entry", 2)
	var amounts []string
	for _, p := range r.got() {
		values, err := url.ParseQuery(string(p.body))
		if err != nil {
			t.Fatal(err)
		}
		amounts = append(amounts, values.Get("amount"))
	}
	if got := strings.Join(amounts, " "); got != " 2" {
		t.Errorf("the amounts are %q; want none, then 2", got)
	}
}
