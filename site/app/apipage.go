package app

import "net/http"

func (a *app) paymentsAPIPage(w http.ResponseWriter, r *http.Request) {
	total, err := a.Store.CountPayments(r.Context())
	if err != nil {
		a.fail(w, r, err)
		return
	}
	key := "demo-" + a.ID()
	curl := func(amount, extra string) string {
		return "curl -i " + originOf(r) + "/api/v1/payments \\\n" +
			"  -H 'Authorization: Bearer demo-" + key[5:13] + "' \\\n" +
			extra +
			"  -H 'Content-Type: application/json' \\\n" +
			"  -d '{\"amount\":" + amount + "}'"
	}
	withKey := "  -H 'Idempotency-Key: " + key + "' \\\n"
	show(w, r, http.StatusOK, paymentsAPI.page("requests.js"), func(b *buffer) {
		b.intro(&paymentsAPI, text{
			`Programs retry. A client that times out must send the payment again, and must not pay twice. It chooses a key for each payment and sends it as <code>Idempotency-Key</code>; the guard does the rest, with the same three branches as for forms, as JSON.`,
			`プログラムは再試行します。タイムアウトしたクライアントは支払いを送り直さなければならず、しかし二度支払ってはなりません。支払いごとにキーを選んで <code>Idempotency-Key</code> で送れば、あとはガードの仕事です。フォームと同じ三つの分岐が JSON で返ります。`})
		b.put(`<div class="demo" data-requests data-url="/api/v1/payments" data-authorization="Bearer demo-{}" data-type="application/json">
<div class="demo__act">
`, key[5:13])
		b.request("first", text{"1. Pay", "1. 支払う"}, curl("2400", withKey), key, `{"amount":2400}`,
			text{`<code>201</code>, and the place of the payment.`, `<code>201</code> と、支払いの場所。`})
		b.request("again", text{"2. Pay again, the same key", "2. もう一度、同じキーで"}, curl("2400", withKey), key, `{"amount":2400}`,
			text{`The same <code>201</code> with the same number, and <code>Idempotency-Replayed: true</code>.`, `同じ番号の同じ <code>201</code> と <code>Idempotency-Replayed: true</code>。`})
		b.request("other", text{"3. The same key, another amount", "3. 同じキー、違う金額"}, curl("9900", withKey), key, `{"amount":9900}`,
			text{`<code>422</code> as <code>application/problem+json</code>, which names the payment.`, `支払いを名指しする <code>422</code>（<code>application/problem+json</code>）。`})
		b.request("none", text{"4. No key", "4. キーなし"}, curl("2400", ""), "", `{"amount":2400}`,
			text{`<code>400</code>: the rule requires one.`, `<code>400</code>。規則がキーを要求しています。`})
		b.put(`</div>
<div class="demo__side">
<section class="answer answer--wide" aria-labelledby="answer-title">
<h2 id="answer-title">{}</h2>
<div id="request-result" aria-live="polite"></div>
<p class="answer__empty">{}</p>
</section>
`, text{"The answer", "応答"}, text{"Run a request here, or copy its line into a terminal.", "ここで実行するか、行を端末にコピーしてください。"})
		b.put(`<div data-hx-get="/api/recipes/api/count" data-hx-trigger="answered from:body" data-hx-swap="innerHTML">
`)
		b.paymentTotal(total)
		b.put(`</div>
`)
		b.contract(text{"The contract", "契約"}, text{},
			row{text{`a fresh key`, `新しいキー`}, text{`the application’s own answer`, `アプリケーション自身の応答`}},
			row{text{`a key seen before, the same JSON value`, `既知のキー、値として同じ JSON`}, text{`the first answer again; spaces and the order of members do not count`, `最初の応答をもう一度。空白やメンバーの順序は問わない`}},
			row{text{`a key seen before, another value`, `既知のキー、違う値`}, text{`<code>422</code>, <code>urn:singleshot:mismatch</code>`, `<code>422</code>、<code>urn:singleshot:mismatch</code>`}},
			row{text{`no key, or one that is too short`, `キーなし、または短すぎる`}, text{`<code>400</code>, <code>urn:singleshot:missing-key</code> or <code>bad-key</code>`, `<code>400</code>、<code>urn:singleshot:missing-key</code> または <code>bad-key</code>`}},
			row{text{`the key of another token`, `別のトークンのキー`}, text{`another record: nobody sees another’s answer`, `別の記録。他人の応答は見えない`}})
		b.put(`</div>
</div>
<div class="how">
`)
		b.listing(listing{id: "rule", title: text{"The rule", "規則"}, code: "[[vars.RULES]]\nmatch = \"/api/v1/**\"\nkey = \"header\"\nrequired = true"})
		b.listing(listing{id: "kept", title: text{"What the second one gets", "二度目が受け取るもの"}, code: "HTTP/1.1 201 Created\nLocation: /api/v1/payments/17\nIdempotency-Status: replayed\nIdempotency-Replayed: true\n\n{\"payment\":17,\"amount\":2400,\"status\":\"settled\"}"})
		b.put(`</div>
`)
		b.pager(&paymentsAPI)
	})
}

// paymentCount is how many payments there are, as a part of the recipe's page.
func (a *app) paymentCount(w http.ResponseWriter, r *http.Request) {
	total, err := a.Store.CountPayments(r.Context())
	if err != nil {
		a.fail(w, r, err)
		return
	}
	b := speak(w, r)
	b.paymentTotal(total)
	answer(w, http.StatusOK, b)
}

func (b *buffer) paymentTotal(total int64) {
	b.put(`<p class="note" data-payment-count="{}">{}</p>
`, total, text{`Settled payments in the application, of all visitors: <strong>{}</strong>.`, `アプリケーションにある支払い（全訪問者）: <strong>{}</strong> 件。`}.fill(total))
}

// request appends one request to copy, and with a script to run.
func (b *buffer) request(id markup, title text, curl, key, body string, see text) {
	b.put(`<section class="hc-card request" aria-labelledby="{}-title">
<div class="hc-card__body">
<h2 id="{}-title">{}</h2>
`, id, id, title)
	b.code(id, title, fill(b.language, `{}`, curl))
	b.put(`<p class="note">{}</p>
<p class="actions needs-script"><button class="hc-button" data-size="sm" type="button" data-run="{}" data-key="{}" data-body="{}">{}</button></p>
</div>
</section>
`, see, id, key, body, text{"Run it here", "ここで実行"})
}
