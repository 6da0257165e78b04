package app

import (
	"net/http"
	"time"
)

// slowAnswer is how long the application takes where a form asks for a slow answer: longer than the page's own
// patience of 1.5 s, so that the answer to the first request is lost.
const slowAnswer = 2500 * time.Millisecond

// networkRetryOrder gives up on an answer after 1.5 s, and lets the browser module send it again.
var networkRetryOrder = orderForm{
	recipe: &networkRetry, action: "/api/recipes/network-retry/orders", form: ` data-singleshot-retry="2"`,
	button: htmxButton + `
          data-hx-request='{"timeout":1500}'`,
	extra: func(b *buffer, e entry) {
		b.put(`<div class="hc-field">
<label class="hc-field__label" for="trouble">{}</label>
<select class="hc-select" id="trouble" name="trouble" aria-describedby="trouble-hint">
`, text{"The network", "通信"})
		b.option("slow", text{"loses the first answer", "最初の応答を失う"}, e.trouble)
		b.option("none", text{"works", "正常"}, e.trouble)
		b.put(`</select>
<p class="hc-field__hint" id="trouble-hint">{}</p>
</div>
`, text{"A lost answer takes 2.5 s, and the page waits for 1.5 s.", "失われる応答には 2.5 秒かかり、ページは 1.5 秒で諦めます。"})
	},
}

func (a *app) networkRetryPage(w http.ResponseWriter, r *http.Request) {
	latest, total, err := a.Store.Latest(r.Context(), fewOrders)
	if err != nil {
		a.fail(w, r, err)
		return
	}
	f := &networkRetryOrder
	show(w, r, http.StatusOK, networkRetry.page(), func(b *buffer) {
		b.intro(&networkRetry, text{
			`A request that got no answer is the worst case for a person: did it go through before the line died? Without a key, asking again risks a second order. With one, asking again is the way to find out.`,
			`応答のないリクエストは、使う人にとって最悪の状況です。切れる前に通ったのでしょうか。キーがなければ、もう一度尋ねることは二件目の注文になりかねません。キーがあれば、もう一度尋ねることこそが確かめる方法です。`})
		b.put(`<div class="demo">
<div class="demo__act">
`)
		b.card("order", "order", orderHeading, func() { b.orderForm(f, entry{item: "coffee", amount: "2400", trouble: "slow"}, faults{}) })
		b.result(answerHere)
		b.put(`</div>
<div class="demo__side">
`)
		b.ledgerCard(latest, total)
		b.guardCard(".order [name=idempotency_key]")
		b.put(`</div>
</div>
`)
		b.steps(text{},
			step{text{"Press once and wait", "一度押して待つ"}, text{
				`The page gives up after 1.5 seconds; the application goes on. The browser module sends the same bytes again, waits at the guard for the first, and gets its answer.`,
				`ページは 1.5 秒で諦めますが、アプリケーションは動き続けています。ブラウザモジュールが同じ内容をもう一度送り、ガードで最初の実行を待って、その応答を受け取ります。`}},
			step{text{"Or press again yourself", "または自分でもう一度押す"}, text{
				`Where the module does not run, the page says that no answer arrived. Press again: one order, not two.`,
				`モジュールが動かない環境では、応答が届かなかったと表示されます。もう一度押してください。注文は二件にならず、一件です。`}},
			step{text{"Pull the plug", "通信を切る"}, text{
				`Set your browser to offline, press, go online, press. Nothing reached the guard the first time, so the order runs now: once.`,
				`ブラウザをオフラインにして押し、オンラインに戻して押してください。最初の一回は何も届いていないので、注文は今、一度だけ実行されます。`}},
			step{text{"Turn JavaScript off", "JavaScript を切る"}, text{
				`Press, get impatient, press again. The second press waits for the first and shows its receipt.`,
				`押して、待ちきれずにもう一度押してください。二度目は最初の完了を待ち、その受付ページを表示します。`}})
		b.how(func() {
			b.listing(listing{id: "markup", html: true, code: f.sample(b.language), title: text{"The markup", "マークアップ"},
				after: text{`Retrying by itself is off unless a form asks for it with <code>data-singleshot-retry</code>, and it only answers a missing answer, never a status.`,
					`自動の再試行は、フォームが <code>data-singleshot-retry</code> で求めたときだけ働きます。応答がなかったときに限り、ステータスに対しては決して行いません。`}})
		}, func() {
			b.contract(text{"What a retry finds", "再試行が出会うもの"}, text{},
				row{text{`the first never arrived`, `最初のものは届いていない`}, text{`the application runs now`, `今、アプリケーションが動く`}},
				row{text{`the first is still running`, `最初のものが実行中`}, text{`it waits and gets what the first gets`, `待って、最初と同じ応答を得る`}},
				row{text{`the first is done, its answer was lost`, `最初のものは完了、応答だけ失われた`}, text{`the kept answer`, `保存された応答`}},
				row{text{`the first failed`, `最初のものは失敗`}, text{`the application runs now`, `今、アプリケーションが動く`}})
		})
		b.pager(&networkRetry)
	})
}
