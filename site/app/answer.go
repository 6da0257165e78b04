package app

import (
	"errors"
	"net/http"

	"github.com/singleshot-edge/singleshot/site/store"
)

// policy lets the page use its own files and nothing else. Compiling WebAssembly is allowed for a browser
// module that whoever serves this page may add.
const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; " +
	"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// answer writes a whole answer of HTML.
func answer(w http.ResponseWriter, status int, b buffer) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "private, no-cache")
	h.Set("Vary", "Accept-Language, Cookie, HX-Request")
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	w.WriteHeader(status)
	w.Write(b.bytes) // an error means that the visitor is gone: nothing is left to say
}

// speak begins an answer in the language of the request, and remembers a language that was asked for.
func speak(w http.ResponseWriter, r *http.Request) buffer {
	lang, chosen := languageOf(r)
	if chosen {
		remember(w, lang)
	}
	return buffer{language: lang}
}

// show answers with a full page.
func show(w http.ResponseWriter, r *http.Request, status int, p page, content func(b *buffer)) {
	if p.here == "" && r.Method != http.MethodGet && r.Method != http.MethodHead {
		p.here = "/" // the page answers a post: the language switch cannot show it again
	}
	b := speak(w, r)
	b.frame(p, func() { content(&b) })
	answer(w, status, b)
}

// wantsFragment reports whether htmx asks for a part of a page; a boosted link or a restored history entry
// wants all of it.
func wantsFragment(r *http.Request) bool {
	h := r.Header
	return h.Get("HX-Request") == "true" && h.Get("HX-Boosted") != "true" && h.Get("HX-History-Restore-Request") != "true"
}

// fail answers for a store that has no such row, or could not be reached.
func (a *app) fail(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, store.ErrNone) {
		a.refuse(w, r, http.StatusNotFound)
		return
	}
	a.Log.Printf("app: %v", err)
	w.Header().Set("Retry-After", "5")
	a.refuse(w, r, http.StatusServiceUnavailable)
}

// refuse answers with a status that refusals knows a text for.
func (a *app) refuse(w http.ResponseWriter, r *http.Request, status int) {
	said := refusals[status]
	if wantsFragment(r) {
		b := speak(w, r)
		b.alert("error", said.title, said.advice)
		answer(w, status, b)
		return
	}
	show(w, r, status, page{title: said.title}, func(b *buffer) {
		b.put(`<div class="narrow refusal">
<p class="refusal__status">{}</p>
<h1>{}</h1>
<p>{}</p>
<p class="actions"><a class="hc-button" data-variant="primary" href="/">{}</a></p>
</div>
`, status, said.title, said.advice, text{"Back to the start", "最初のページへ"})
	})
}

// alert appends a message that is read politely. variant is one of the kit's: info, success, warning, error.
func (b *buffer) alert(variant markup, title, body text) {
	b.put(`<div class="hc-alert" data-variant="{}" role="status">
<p class="hc-alert__title">{}</p>
<p class="hc-alert__body">{}</p>
</div>
`, variant, title, body)
}

var refusals = map[int]struct{ title, advice text }{
	http.StatusBadRequest: {
		text{"The form could not be read", "フォームを読み取れませんでした"},
		text{"What arrived was not a complete form. Nothing was done. Go back and press the button again.", "届いた内容が不完全でした。何も実行されていません。前のページに戻り、もう一度ボタンを押してください。"}},
	http.StatusNotFound: {
		text{"There is nothing here", "ページが見つかりません"},
		text{"The address may be mistyped, or what it named never existed.", "アドレスが間違っているか、その番号のものは存在しません。"}},
	http.StatusMethodNotAllowed: {
		text{"That does not work here", "この操作はできません"},
		text{"This address cannot be used in that way. Nothing was done.", "このアドレスはその方法では使えません。何も実行されていません。"}},
	http.StatusRequestEntityTooLarge: {
		text{"The form is too large", "フォームが大きすぎます"},
		text{"What these forms send fits into a few hundred bytes. Nothing was done.", "これらのフォームが送る内容は数百バイトに収まるはずです。何も実行されていません。"}},
	http.StatusUnsupportedMediaType: {
		text{"The form could not be read", "フォームを読み取れませんでした"},
		text{"These addresses take forms. Nothing was done.", "このアドレスはフォームを受け付けます。何も実行されていません。"}},
	http.StatusInternalServerError: {
		text{"Something went wrong", "問題が発生しました"},
		text{"The mistake is ours and has been noted. Please try again in a moment.", "こちらの不具合として記録しました。しばらくしてからもう一度お試しください。"}},
	http.StatusServiceUnavailable: {
		text{"The database does not answer", "データベースが応答していません"},
		text{"Please try again in a moment.", "しばらくしてからもう一度お試しください。"}},
}
