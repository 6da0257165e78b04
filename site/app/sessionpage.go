package app

import "net/http"

// sessionExpiryOrder is an order form for who is signed in.
var sessionExpiryOrder = orderForm{recipe: &sessionExpiry, action: "/api/recipes/session-expiry/orders", button: htmxButton}

func (a *app) sessionExpiryPage(w http.ResponseWriter, r *http.Request) {
	if wantsFragment(r) {
		b := speak(w, r)
		b.sessionState(hasSession(r))
		answer(w, http.StatusOK, b)
		return
	}
	latest, total, err := a.Store.Latest(r.Context(), fewOrders)
	if err != nil {
		a.fail(w, r, err)
		return
	}
	f := &sessionExpiryOrder
	show(w, r, http.StatusOK, sessionExpiry.page(), func(b *buffer) {
		b.intro(&sessionExpiry, text{
			`The session ran out while somebody filled in a long form. <code>401</code> with a sign-in dialog keeps the page, and once they are signed in the interrupted request is sent again. Whether that is safe depends on one thing: it carries the same key.`,
			`長いフォームを埋めているうちにセッションが切れました。ログインダイアログ付きの <code>401</code> ならページはそのまま残り、ログイン後に中断したリクエストが再び送られます。それが安全かどうかは、同じキーを運ぶかどうかで決まります。`})
		b.put(`<div class="demo">
<div class="demo__act">
`)
		b.card("order", "order", orderHeading, func() { b.orderForm(f, blank, faults{}) })
		b.result(answerHere)
		b.put(`</div>
<div class="demo__side">
`)
		b.card("session", "session-card", text{"The session", "セッション"}, func() {
			b.put(`<div id="session" aria-live="polite" data-hx-get="{}" data-hx-trigger="session-changed from:body" data-hx-swap="innerHTML">
`, sessionExpiry.path)
			b.sessionState(hasSession(r))
			b.put(`</div>
`)
		})
		b.ledgerCard(latest, total)
		b.guardCard(".order [name=idempotency_key]")
		b.put(`</div>
</div>
`)
		b.steps(text{
			`The guard keeps records for each visitor. An application with accounts would name its session in the rule instead: <code>subject = "cookie:session"</code>.`,
			`ガードは訪問者ごとに記録を持ちます。アカウントのあるアプリケーションなら、規則で <code>subject = "cookie:session"</code> のように指定します。`},
			step{text{"Press without a session", "ログインせずに押す"}, text{
				`<code>401</code> and a dialog. Nothing was done, and the key is not spent: the panel says <code>released</code>.`,
				`<code>401</code> とダイアログです。何も実行されず、キーも消費されません。パネルには <code>released</code> と出ます。`}},
			step{text{"Sign in", "ログインする"}, text{
				`The interrupted order goes through by itself, with the key that the form had all along.`,
				`中断した注文が、フォームが初めから持っていたキーでそのまま通ります。`}},
			step{text{"Let the session run out, and press again", "セッションを切らして、もう一度押す"}, text{
				`The order was placed already. The guard knows this key and this visitor, so it answers with the first receipt; the application is not even asked.`,
				`注文はもう済んでいます。ガードはこのキーとこの訪問者を知っているので、最初の受付を返します。アプリケーションに尋ねることすらしません。`}},
			step{text{"Turn JavaScript off", "JavaScript を切る"}, text{
				`Pressing leads to a sign-in page. A redirect to a sign-in page spends no key either: sign in, go back, press again.`,
				`押すとログインページに移ります。ログインページへのリダイレクトでもキーは消費されません。ログインして、戻って、もう一度押してください。`}})
		b.how(func() {
			b.listing(listing{id: "dialog", title: text{"The answer that keeps the page", "ページを保つ応答"},
				code: "HTTP/1.1 401 Unauthorized\nHX-Retarget: #error-dialog\nHX-Reswap: innerHTML\n\n<dialog class=\"hc-dialog\" …>"})
		}, func() {
			b.contract(text{"The contract", "契約"}, text{},
				row{text{`no session, htmx`, `セッションなし、htmx`}, text{`<code>401</code> with the dialog, before anything was done: released`, `何も実行せずにダイアログ付きの <code>401</code>。キーは解放`}},
				row{text{`no session, plain form`, `セッションなし、ふつうのフォーム`}, text{`<code>303</code> to the sign-in page: released`, `ログインページへの <code>303</code>。キーは解放`}},
				row{text{`the same form, signed in`, `同じフォーム、ログイン済み`}, text{`the order, and its key is spent`, `注文が通り、キーは消費される`}})
		})
		b.errorDialog(" data-hc-session-expiry")
		b.pager(&sessionExpiry)
	})
}
