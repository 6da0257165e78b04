package app

import "net/http"

// postRedirectGetOrder is a form that htmx leaves alone.
var postRedirectGetOrder = orderForm{recipe: &postRedirectGet, action: "/api/recipes/post-redirect-get/orders"}

func (a *app) postRedirectGetPage(w http.ResponseWriter, r *http.Request) {
	latest, total, err := a.Store.Latest(r.Context(), fewOrders)
	if err != nil {
		a.fail(w, r, err)
		return
	}
	f := &postRedirectGetOrder
	show(w, r, http.StatusOK, postRedirectGet.page(), func(b *buffer) {
		b.intro(&postRedirectGet, text{
			`Answering a form with a redirect makes Reload harmless, which is why everybody does it. It does nothing against a double click, a browser that sends again, or Back and a second press. With a key, the kept answer is the redirect itself: every duplicate ends on the same receipt, which is the right answer to “did my order go through?”.`,
			`フォームにリダイレクトで答えれば再読み込みは安全になります。だから誰もがそうします。けれどもダブルクリックや、ブラウザによる再送、「戻る」からの二度押しには効きません。キーがあれば保存されるのはリダイレクトそのものなので、重複した送信はすべて同じ受付ページに着きます。「注文は通ったのか」への正しい答えです。`})
		b.put(`<div class="demo">
<div class="demo__act">
`)
		b.card("order", "order", orderHeading, func() { b.orderForm(f, blank, faults{}) })
		b.put(`</div>
<div class="demo__side">
`)
		b.ledgerCard(latest, total)
		b.guardCard(".order [name=idempotency_key]")
		b.put(`</div>
</div>
`)
		b.steps(text{},
			step{text{"Place an order", "注文する"}, text{
				`The browser lands on the receipt. Reload it as often as you like: that is a plain GET.`,
				`ブラウザは受付ページに着きます。何度再読み込みしても、それはただの GET です。`}},
			step{text{"Go back and press again", "戻って、もう一度押す"}, text{
				`You land on the same receipt, with the same number. When you come back here, the trail shows the replay.`,
				`同じ番号の、同じ受付ページに着きます。このページに戻ると、記録に再送が加わっています。`}},
			step{text{"Double-click", "ダブルクリックする"}, text{
				`The browser throws the first request away and shows the answer of the second. The order ran in the first; the second waited for it and got its receipt.`,
				`ブラウザは最初のリクエストを捨て、二度目の応答を表示します。注文を実行したのは最初の一回。二度目はそれを待ち、同じ受付ページを受け取りました。`}},
			step{text{"Go back and change the amount", "戻って、金額を変える"}, text{
				`A page names the order that exists and offers to send the new values as a new one. Nothing you typed is lost.`,
				`すでにある注文を名指しするページが出て、新しい内容を新しい注文として送れます。入力は失われません。`}})
		b.how(func() {
			b.listing(listing{id: "markup", html: true, code: f.sample(b.language),
				title:  text{"The markup", "マークアップ"},
				before: text{`No attribute of htmx, no script: a form as it was in 1995.`, `htmx の属性もスクリプトもない、1995 年と変わらないフォームです。`}})
		}, func() {
			b.listing(listing{id: "kept", title: text{"What is kept, and comes again", "保存され、再び返るもの"}, code: "HTTP/1.1 303 See Other\nLocation: /orders/1042\n\nHTTP/1.1 303 See Other\nLocation: /orders/1042\nIdempotency-Replayed: true",
				after: text{`A browser follows a redirect without showing its headers to scripts, so the panel above has the trail only.`,
					`リダイレクトのヘッダーはスクリプトから見えないため、上のパネルには記録だけが出ます。`}})
		})
		b.pager(&postRedirectGet)
	})
}
