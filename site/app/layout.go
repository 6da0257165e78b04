package app

// page is what the frame around every full page needs to know.
type page struct {
	words *words
	title string
	here  string // the address that the language switch keeps: a path, or "" for the page's own
	index bool   // the index: it has a description and says where its translations are
}

// frame appends a full page with the given content in <main>.
func (b *buffer) frame(p page, content func()) {
	w := p.words
	b.put(`<!doctype html>
<html lang="{}">
<head>
<meta charset="utf-8">
<title>{}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="htmx-config" content='{"includeIndicatorStyles":false,"allowEval":false}'>
`, w.language, p.title)
	if p.index {
		b.put(`<meta name="description" content="{}">
<link rel="alternate" hreflang="en" href="/?lang=en">
<link rel="alternate" hreflang="ja" href="/?lang=ja">
<link rel="alternate" hreflang="x-default" href="/">
`, w.description)
	}
	b.put(`<link rel="icon" href="/static/mark.svg" type="image/svg+xml">
<link rel="stylesheet" href="/static/site.css">
<script src="/static/htmx.js" defer></script>
<script src="/static/answers.js" defer></script>
<script src="/static/kit.js" type="module"></script>
</head>
<body>
<a class="skip" href="#content">{}</a>
<header class="bar">
<a class="brand" href="/">{}{}</a>
<nav class="languages" aria-label="{}">
`, w.skip, mark, w.home, w.languages)
	for _, lang := range languages {
		current := markup("")
		if lang == w.language {
			current = ` aria-current="true"`
		}
		b.put(`<a href="{}?lang={}" hreflang="{}" lang="{}"{}>{}</a>
`, p.here, lang, lang, lang, current, lang.name())
	}
	b.put(`</nav>
</header>
<main id="content" tabindex="-1">
`)
	content()
	b.put(`</main>
<footer class="foot">
<p>{}</p>
</footer>
<div class="hc-toast-region" data-hc-toast-region data-limit="3" role="region" aria-label="{}"></div>
</body>
</html>
`, w.footer, w.notices)
}

// mark is the brand's sign: a ring, and the one shot that went through it.
const mark markup = `<svg class="mark" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true"><circle cx="12" cy="12" r="9.5" fill="none" stroke="currentColor" stroke-width="2.5"/><circle cx="12" cy="12" r="3.5" fill="currentColor"/></svg>`
