package app

// page is what the frame around every full page needs to know.
type page struct {
	title       text
	description text // for search engines; a page without one says nothing
	here        string
	refresh     string   // "SECONDS;url=ADDRESS": the page asks again by itself
	scripts     []string // what the page needs beyond the ones that every page has
}

// frame appends a full page with the given content in <main>. here is the address that the language switch
// keeps: a path, or "" for the page's own.
func (b *buffer) frame(p page, content func()) {
	b.put(`<!doctype html>
<html lang="{}">
<head>
<meta charset="utf-8">
<title>{}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="htmx-config" content='{"includeIndicatorStyles":false,"allowEval":false}'>
`, b.language, p.title)
	if p.description != (text{}) {
		b.put(`<meta name="description" content="{}">
<link rel="alternate" hreflang="en" href="?lang=en">
<link rel="alternate" hreflang="ja" href="?lang=ja">
`, p.description)
	}
	if p.refresh != "" {
		b.put(`<noscript><meta http-equiv="refresh" content="{}"></noscript>
`, p.refresh)
	}
	b.put(`<link rel="icon" href="/static/mark.svg" type="image/svg+xml">
<link rel="stylesheet" href="/static/site.css">
<script src="/static/htmx.js" defer></script>
<script src="/static/answers.js" defer></script>
<script src="/static/panel.js" defer></script>
<script src="/static/kit.js" type="module"></script>
`)
	for _, name := range p.scripts {
		b.put(`<script src="/static/{}" type="module"></script>
`, name)
	}
	b.put(`</head>
<body>
<a class="skip" href="#content">{}</a>
<header class="bar">
<a class="brand" href="/">{}Singleshot</a>
<nav class="places" aria-label="{}">
<a href="/#recipes">{}</a>
<a href="/break">{}</a>
<a href="/checklist">{}</a>
</nav>
<nav class="languages" aria-label="{}">
`, text{"Skip to the content", "本文へ移動"}, mark, text{"Pages", "ページ"},
		text{"Recipes", "レシピ"}, breakIt.short, checklist.short, text{"Language", "言語"})
	for _, lang := range languages {
		current := markup("")
		if lang == b.language {
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
<template id="answer-lost"><div class="hc-alert" data-variant="warning" role="status"><p>{}</p></div></template>
</body>
</html>
`, text{`This site is one small Go program on Cloudflare Workers, with its tables in D1. It renders no keys and remembers none: a guard in front of it does.`,
		`このサイトは Cloudflare Workers で動く小さな Go プログラムで、データは D1 にあります。キーを描画することも覚えておくこともしません。それは手前にいるガードの仕事です。`},
		text{"Notifications", "通知"}, lost)
}

// lost is shown by the page's script when no answer arrived.
var lost = text{"No answer arrived. What you entered is still here: check the connection and press the button again.",
	"応答が届きませんでした。入力内容は残っています。接続を確認して、もう一度ボタンを押してください。"}

// mark is the brand's sign: a ring, and the one shot that went through it.
const mark markup = `<svg class="mark" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true"><circle cx="12" cy="12" r="9.5" fill="none" stroke="currentColor" stroke-width="2.5"/><circle cx="12" cy="12" r="3.5" fill="currentColor"/></svg>`
