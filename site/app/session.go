package app

import (
	"net/http"
	"strings"
	"time"
)

// The session of the recipe: whoever has the cookie is signed in. A real one would be checked; here only that it
// ends matters.
const (
	sessionCookie = "demo-session"
	sessionTime   = 10 * time.Minute
)

func hasSession(r *http.Request) bool {
	cookie, err := r.Cookie(sessionCookie)
	return err == nil && cookie.Value == "open"
}

func setSession(w http.ResponseWriter, open bool) {
	value, age := "open", decimal(int64(sessionTime/time.Second))
	if !open {
		value, age = "", "0"
	}
	w.Header().Add("Set-Cookie", sessionCookie+"="+value+"; Path=/; Max-Age="+age+"; SameSite=Lax; HttpOnly")
}

// signedIn lets a handler run for who is signed in. Else htmx gets 401 with a dialog, before anything was done,
// and everybody else the sign-in page.
func (a *app) signedIn(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		switch {
		case hasSession(r):
			next(w, r)
		case wantsFragment(r):
			w.Header().Set("HX-Retarget", "#error-dialog")
			w.Header().Set("HX-Reswap", "innerHTML")
			b := speak(w, r)
			b.put(`<dialog class="hc-dialog" aria-labelledby="sign-in-title">
<h2 class="hc-dialog__title" id="sign-in-title">{}</h2>
<p>{}</p>
<div class="actions">
<form method="post" action="/api/recipes/session-expiry/sign-in">
<button class="hc-button" data-variant="primary" type="submit"
        data-hx-post="/api/recipes/session-expiry/sign-in" data-hx-target="this" data-hx-swap="none"
        data-hx-disabled-elt="this">{}</button>
</form>
<form method="dialog"><button class="hc-button" data-variant="ghost">{}</button></form>
</div>
</dialog>
`, sessionOver, text{"Sign in again, and your order goes on by itself.", "ログインし直すと、注文はそのまま続きます。"}, signInAs, text{"Not now", "あとで"})
			answer(w, http.StatusUnauthorized, b)
		default:
			http.Redirect(w, r, sessionExpiry.path+"/sign-in?next="+sessionExpiry.path, http.StatusSeeOther)
		}
	}
}

var (
	sessionOver = text{"Your session is over", "セッションが切れました"}
	signInAs    = text{"Sign in as Aki", "アキとしてログイン"}
)

// signIn begins a session. htmx is told that it is renewed, so that the interrupted request is sent again.
func (a *app) signIn(w http.ResponseWriter, r *http.Request) {
	setSession(w, true)
	if wantsFragment(r) {
		w.Header().Set("HX-Trigger", `{"hc:sessionrenewed":{},"session-changed":{}}`)
		answer(w, http.StatusOK, speak(w, r))
		return
	}
	next := sessionExpiry.path
	if asked := r.PostForm.Get("next"); strings.HasPrefix(asked, "/recipes/") {
		next = asked
	}
	http.Redirect(w, r, next, http.StatusSeeOther)
}

// endSession lets the session run out now.
func (a *app) endSession(w http.ResponseWriter, r *http.Request) {
	setSession(w, false)
	if wantsFragment(r) {
		b := speak(w, r)
		b.sessionState(false)
		answer(w, http.StatusOK, b)
		return
	}
	http.Redirect(w, r, sessionExpiry.path, http.StatusSeeOther)
}

// signInPage is where a form of a page without scripts is sent.
func (a *app) signInPage(w http.ResponseWriter, r *http.Request) {
	show(w, r, http.StatusOK, page{title: sessionOver}, func(b *buffer) {
		b.put(`<div class="narrow refusal">
<h1>{}</h1>
<p>{}</p>
<form method="post" action="/api/recipes/session-expiry/sign-in" data-idempotency="off">
<input type="hidden" name="next" value="{}">
<p class="actions"><button class="hc-button" data-variant="primary" type="submit">{}</button></p>
</form>
</div>
`, sessionOver, text{"Sign in, then go back to the form with your browser’s Back button and press again: the same form, the same key, one order.", "ログインしたあと、ブラウザの「戻る」でフォームに戻り、もう一度押してください。同じフォーム、同じキーで、注文は一件です。"},
			r.URL.Query().Get("next"), signInAs)
	})
}

// sessionState appends whether the visitor is signed in, and what they can do about it.
func (b *buffer) sessionState(open bool) {
	if open {
		b.put(`<p data-session="open">{}</p>
<form method="post" action="/api/recipes/session-expiry/end" data-idempotency="off">
<p class="actions"><button class="hc-button" type="submit" data-hx-post="/api/recipes/session-expiry/end" data-hx-target="#session" data-hx-swap="innerHTML" data-hx-disabled-elt="this">{}</button></p>
</form>
`, text{"You are signed in as Aki, for ten minutes.", "アキとしてログイン中です（10 分間）。"}, text{"Let the session run out", "セッションを切らす"})
		return
	}
	b.put(`<p data-session="over">{}</p>
`, text{"You are not signed in. Press the order button all the same.", "ログインしていません。そのまま注文ボタンを押してみてください。"})
}
