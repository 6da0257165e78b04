package app

import "strings"

// index appends the index: the live form, what the application has, what to try, and how it works.
func (b *buffer) index(w *words, latest []Order, total int64) {
	b.put(`<section class="hero">
<div>
<h1>{}</h1>
<p class="lead">{}</p>
</div>
{}
</section>
<div class="demo">
<div class="demo__act">
`, w.headline, w.lead, scene)
	b.orderCard(w, "h2", blank, faults{})
	b.put(`<section class="answer" aria-labelledby="answer-title">
<h2 id="answer-title">{}</h2>
{}
<p class="answer__empty">{}</p>
</section>
</div>
`, w.answer, resultRegion, w.answerEmpty)
	b.put(`<section class="hc-card ledger" aria-labelledby="ledger-title" data-hx-get="/orders" data-hx-trigger="orders-changed from:body" data-hx-swap="innerHTML">
`)
	b.ledger(w, latest, total)
	b.put(`</section>
</div>
<section class="band" aria-labelledby="steps-title">
<h2 id="steps-title">{}</h2>
<ol class="steps">
`, w.steps)
	for _, step := range w.step {
		b.put(`<li><h3>{}</h3><p>{}</p></li>
`, step.do, step.see)
	}
	b.put(`</ol>
<p class="note">{}</p>
</section>
<div class="how">
<div>
<h2 id="markup-title">{}</h2>
<p>{}</p>
<pre class="hc-code" tabindex="0" role="region" aria-labelledby="markup-title"><code>{}</code></pre>
<p class="note">{}</p>
</div>
<div>
<h2 id="contract-title">{}</h2>
<table class="hc-table contract">
<thead><tr><th scope="col">{}</th><th scope="col">{}</th></tr></thead>
<tbody>
`, w.stepsNote, w.markup, w.markupIntro, highlight(sample(w)), w.markupNote,
		w.contract, w.contractAsked, w.contractAnswer)
	for _, row := range w.contractRows {
		b.put(`<tr><th scope="row">{}</th><td>{}</td></tr>
`, row.asked, row.answer)
	}
	b.put(`</tbody>
</table>
<p class="note">{}</p>
</div>
</div>
<template id="answer-lost"><div class="hc-alert" data-variant="warning" role="status"><p>{}</p></div></template>
`, w.contractNote, w.lost)
}

// orderCard appends the form in its card, under a heading of the given level.
func (b *buffer) orderCard(w *words, heading markup, e entry, bad faults) {
	b.put(`<section class="hc-card order" aria-labelledby="order-title">
<div class="hc-card__body">
<{} id="order-title">{}</{}>
`, heading, w.form, heading)
	b.form(w, e, bad)
	b.put(`</div>
</section>
`)
}

// sample is the form's markup as text, its fields cut short.
func sample(w *words) string {
	return strings.Join([]string{
		string(formStart),
		"  " + w.fields,
		"  " + strings.Replace(string(formButton), "{}", w.submit, 1),
		string(formEnd),
		"",
		string(resultRegion),
	}, "\n")
}

// scene is the picture beside the headline: several presses arrive, one goes through.
const scene markup = `<svg class="scene" viewBox="0 0 320 160" aria-hidden="true">
<g class="scene__path"><path d="M24 44H150M24 80H150M24 116H150"/><path d="M170 80H280"/></g>
<g class="scene__again"><circle cx="52" cy="44" r="9"/><circle cx="96" cy="80" r="9"/><circle cx="72" cy="116" r="9"/></g>
<path class="scene__guard" d="M160 16V144"/>
<circle class="scene__ring" cx="160" cy="80" r="16"/>
<circle class="scene__shot" cx="160" cy="80" r="6"/>
<circle class="scene__once" cx="284" cy="80" r="14"/>
<path class="scene__check" d="M277.500 80.500l4.500 4.500 8.500-9"/>
</svg>`
