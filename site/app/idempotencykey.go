package app

import "net/http"

// idempotencyKeyOrder is the form of the first recipe: htmx loads it into its page.
var idempotencyKeyOrder = orderForm{recipe: &idempotencyKey, action: "/api/recipes/idempotency-key/orders", button: htmxButton}

func (a *app) idempotencyKeyPage(w http.ResponseWriter, r *http.Request) {
	latest, total, err := a.Store.Latest(r.Context(), fewOrders)
	if err != nil {
		a.fail(w, r, err)
		return
	}
	f := &idempotencyKeyOrder
	show(w, r, http.StatusOK, idempotencyKey.page(), func(b *buffer) {
		b.intro(&idempotencyKey, text{
			`A disabled button is a courtesy: it cannot help against a retry after a timeout, a second Enter that was faster, or Back. Only the server can make a form single-shot, and all it takes is one key in every form it renders.`,
			`押せなくしたボタンは親切にすぎません。タイムアウト後の再送、一瞬早い二度目の Enter、「戻る」には効きません。フォームを一回きりにできるのはサーバーだけで、必要なのは描画するフォームごとに一つのキーです。`})
		b.put(`<div class="demo">
<div class="demo__act">
`)
		b.card("order", "order", orderHeading, func() {
			b.put(`<div id="order-form" class="order__form" data-hx-get="/api/recipes/idempotency-key/form" data-hx-trigger="load" data-hx-swap="innerHTML">
<noscript>
`)
			b.orderForm(f, blank, faults{})
			b.put(`</noscript>
<div class="order__loading needs-script">
`)
			b.orderShape()
			b.put(`<p>{} <a href="/api/recipes/idempotency-key/form">{}</a></p>
</div>
</div>
`, text{"Loading the form…", "フォームを読み込んでいます…"}, text{"Open it by itself", "単独で開く"})
		})
		b.result(answerHere)
		b.put(`</div>
<div class="demo__side">
`)
		b.ledgerCard(latest, total)
		b.guardCard("#order-form [name=idempotency_key]")
		b.put(`</div>
</div>
`)
		b.steps(text{
			`Opened directly, without the guard, the application places a new order at every press.`,
			`ガードを通さずにアプリケーションを直接開くと、押すたびに新しい注文ができます。`},
			step{text{"Press the button again", "もう一度押す"}, text{
				`Place the order, then press again without touching anything. The same order number comes back with the same message, and no second order appears.`,
				`注文を確定したら、何も触らずにもう一度押してください。同じ注文番号と同じ通知が返り、二件目の注文はできません。`}},
			step{text{"Change the amount", "金額を変える"}, text{
				`Press once more with another amount. This key already belongs to an order, so the answer names that order and offers to place yours as a new one.`,
				`金額を変えて、もう一度押してください。このキーにはすでに注文があるため、その注文を名指しした応答が返り、新しい注文として送る方法も示されます。`}},
			step{text{"Type a word as the amount", "金額に文字を入れる"}, text{
				`Start a new order and enter “ten”. The application refuses it, and the key stays good: correct the amount, press again, and the order is placed.`,
				`新しい注文で「十」と入力してください。アプリケーションは受け付けませんが、キーは有効なままです。金額を直して押せば、注文は確定します。`}},
			step{text{"Double-click the button", "ダブルクリックする"}, text{
				`Start a new order and double-click, or press Enter twice. However many submits get through, they carry one key: one order.`,
				`新しい注文でダブルクリックするか、Enter を二度押してください。何度送信されてもキーは一つ、注文も一件です。`}},
			step{text{"Turn JavaScript off", "JavaScript を切る"}, text{
				`Reload and place an order. The form leads to a receipt page. Go back and press again: the same receipt.`,
				`再読み込みして注文すると、受付ページに移ります。前のページに戻ってもう一度押しても、同じ受付ページに着きます。`}})
		b.how(func() {
			b.listing(listing{id: "markup", html: true, code: f.sample(b.language) + "\n\n" + string(resultRegion),
				title: text{"The markup", "マークアップ"},
				before: text{`This is all that the application writes: a plain form, and a button that htmx may take over.`,
					`アプリケーションが書くのはこれだけです。ふつうのフォームと、htmx が引き継ぐこともできるボタンが一つ。`},
				after: text{`On the way to your browser, the guard puts the key into the form as a hidden field. Inspect the form to see it.`,
					`ブラウザに届くまでの間に、ガードがキーを hidden フィールドとしてフォームに入れます。フォームの要素を調べると確かめられます。`}})
		}, func() {
			b.contract(text{"The contract", "契約"}, text{`Only a commit spends a key. After a validation error it is still good, so the corrected form goes through.`,
				`キーが消費されるのはコミットのときだけです。入力エラーのあともキーは有効なので、直したフォームはそのまま通ります。`}, threeBranches[:]...)
		})
		b.pager(&idempotencyKey)
	})
}

var threeBranches = [...]row{
	{text{`a fresh key`, `新しいキー`}, text{
		`the application’s own answer: <code>200</code> with a fragment, <code>303</code> to a page, or <code>422</code> for a validation error`,
		`アプリケーション自身の応答: <code>200</code> のフラグメント、<code>303</code> のリダイレクト、または入力エラーの <code>422</code>`}},
	{text{`a key seen before, with the same values`, `既知のキーと同じ内容`}, text{
		`the first answer again: the same status, the same headers that matter, the same body`,
		`最初の応答をもう一度: 同じステータス、意味のある同じヘッダー、同じ本文`}},
	{text{`a key seen before, with other values`, `既知のキーと違う内容`}, text{
		`<code>422</code> that names the existing order; the application is not called`,
		`既存の注文を名指しする <code>422</code>。アプリケーションは呼ばれません`}},
}

// idempotencyKeyForm answers with a fresh form: into the page for htmx, as a page of its own else.
func (a *app) idempotencyKeyForm(w http.ResponseWriter, r *http.Request) {
	f := &idempotencyKeyOrder
	if !wantsFragment(r) {
		show(w, r, http.StatusOK, page{title: orderHeading, here: idempotencyKey.path}, func(b *buffer) {
			b.put(`<div class="narrow">
`)
			b.orderPage(f, blank, faults{})
			b.put(`</div>
`)
		})
		return
	}
	b := speak(w, r)
	b.orderForm(f, blank, faults{})
	if r.URL.Query().Has("again") {
		b.put(`<div id="order-result" aria-live="polite" data-hx-swap-oob="true"></div>
`)
		w.Header().Set("HX-Trigger-After-Settle", "fresh-form")
	}
	answer(w, http.StatusOK, b)
}
