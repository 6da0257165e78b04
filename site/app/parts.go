package app

// The parts that the recipes' pages are built of.

// intro appends the head of a recipe's page.
func (b *buffer) intro(c *recipe, lead text) {
	b.put(`<header class="intro">
`)
	if n := c.number(); n > 0 {
		b.put(`<p class="intro__name"><a href="/#recipes">{}</a><span aria-hidden="true"> / </span>{}</p>
`, text{`Recipe {} of {}`, `レシピ {} / {}`}.fill(n, len(recipes)), c.short)
	}
	b.put(`<h1>{}</h1>
<p class="lead">{}</p>
</header>
`, c.title, lead)
}

// pager appends the links to the recipes before and after.
func (b *buffer) pager(c *recipe) {
	b.put(`<nav class="pager" aria-label="{}">
`, text{"Other recipes", "ほかのレシピ"})
	link := func(class markup, said text, to *recipe) {
		b.put(`<a class="pager__{}" href="{}"><span>{}</span>{}</a>
`, class, to.path, said, to.short)
	}
	all := append(recipes[:], &breakIt, &checklist)
	for i, each := range all {
		if each == c && i > 0 {
			link("back", text{"Before", "前"}, all[i-1])
		}
		if each == c && i+1 < len(all) {
			link("on", text{"Next", "次"}, all[i+1])
		}
	}
	b.put(`</nav>
`)
}

// step is one thing to try, and what comes of it.
type step struct{ do, see text }

// steps appends what to try.
func (b *buffer) steps(note text, steps ...step) {
	b.put(`<section class="band" aria-labelledby="steps-title">
<h2 id="steps-title">{}</h2>
<ol class="steps">
`, text{"Try this", "試してみてください"})
	for _, s := range steps {
		b.put(`<li><h3>{}</h3><p>{}</p></li>
`, s.do, s.see)
	}
	b.put(`</ol>
`)
	if note != (text{}) {
		b.put(`<p class="note">{}</p>
`, note)
	}
	b.put(`</section>
`)
}

// listing is a piece of code with what is said before and after it.
type listing struct {
	id            markup // makes its heading's id unique in the page
	title         text
	before, after text
	code          string
	html          bool // tags are marked up
}

// listing appends a piece of code, with a button that copies it.
func (b *buffer) listing(l listing) {
	code := fill(b.language, `{}`, l.code)
	if l.html {
		code = highlight(l.code)
	}
	b.put(`<div class="listing">
<h2 id="{}-title">{}</h2>
`, l.id, l.title)
	if l.before != (text{}) {
		b.put(`<p>{}</p>
`, l.before)
	}
	b.code(l.id, l.title, code)
	if l.after != (text{}) {
		b.put(`<p class="note">{}</p>
`, l.after)
	}
	b.put(`</div>
`)
}

// code appends code in its frame, under the heading of what it belongs to.
func (b *buffer) code(id markup, title text, code markup) {
	b.put(`<div class="code">
<pre class="hc-code" tabindex="0" role="region" aria-label="{}"><code id="{}-code">{}</code></pre>
<button class="hc-button code__copy" data-size="sm" data-variant="ghost" type="button" data-hc-copy="#{}-code" aria-describedby="{}-code">{}</button>
</div>
`, text{"Code: {}", "コード: {}"}.fill(title), id, code, id, id, text{"Copy", "コピー"})
}

// row is one line of a contract: what a submit brings, and what the answer is.
type row struct{ asked, answer text }

// contract appends a table of them.
func (b *buffer) contract(title, note text, rows ...row) {
	b.table(title, row{text{"The request brings", "届いたもの"}, text{"The answer is", "応答"}}, note, rows...)
}

// table appends a table of two columns under a heading.
func (b *buffer) table(title text, head row, note text, rows ...row) {
	b.put(`<div class="listing">
<h2 id="contract-title">{}</h2>
<table class="hc-table contract" aria-labelledby="contract-title">
<thead><tr><th scope="col">{}</th><th scope="col">{}</th></tr></thead>
<tbody>
`, title, head.asked, head.answer)
	for _, each := range rows {
		b.put(`<tr><th scope="row">{}</th><td>{}</td></tr>
`, each.asked, each.answer)
	}
	b.put(`</tbody>
</table>
`)
	if note != (text{}) {
		b.put(`<p class="note">{}</p>
`, note)
	}
	b.put(`</div>
`)
}

// how appends the two columns that explain.
func (b *buffer) how(left, right func()) {
	b.put(`<div class="how">
`)
	left()
	right()
	b.put(`</div>
`)
}

// card appends a card with a heading.
func (b *buffer) card(class, id markup, title text, content func()) {
	b.put(`<section class="hc-card {}" aria-labelledby="{}-title">
<div class="hc-card__body">
<h2 id="{}-title">{}</h2>
`, class, id, id, title)
	content()
	b.put(`</div>
</section>
`)
}

// result appends the region that htmx puts answers into, with what stands there before the first one.
func (b *buffer) result(before text) {
	b.put(`<section class="answer" aria-labelledby="answer-title">
<h2 id="answer-title">{}</h2>
{}
<p class="answer__empty">{}</p>
</section>
`, text{"The answer", "応答"}, resultRegion, before)
}

const resultRegion markup = `<div id="order-result" aria-live="polite"></div>`

// answerHere is what most result regions say before the first answer.
var answerHere = text{"The answer will appear here.", "応答はここに表示されます。"}

// definitions appends a list of names and values.
func (b *buffer) definitions(rows ...[2]any) {
	b.put(`<dl class="facts">
`)
	for _, each := range rows {
		b.put(`<div><dt>{}</dt><dd>{}</dd></div>
`, each[0], each[1])
	}
	b.put(`</dl>
`)
}

// tick is the sign of success beside a sentence that says it.
const tick markup = `<svg class="tick" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true"><circle cx="12" cy="12" r="11" fill="currentColor"/><path d="M7 12.500l3.500 3.500 6.500-7.500" fill="none" stroke="var(--tick-ink)" stroke-width="2.25" stroke-linecap="round" stroke-linejoin="round"/></svg>`
