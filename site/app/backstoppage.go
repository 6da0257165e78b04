package app

import (
	"errors"
	"net/http"
	"strings"

	"github.com/singleshot-edge/singleshot/site/store"
)

func (a *app) backstopPage(w http.ResponseWriter, r *http.Request) {
	bill := r.URL.Query().Get("bill")
	if len(bill) != len("B-")+6 || bill[:2] != "B-" {
		bill = "B-" + strings.ToUpper(a.ID()[:6])
	}
	jobID := r.URL.Query().Get("job")
	if len(jobID) != 16 {
		jobID = a.ID()
	}
	all, err := a.Store.PaymentsOf(r.Context(), bill)
	job := store.Job{ID: jobID}
	if err == nil {
		if job, err = a.Store.Job(r.Context(), jobID); errors.Is(err, store.ErrNone) {
			job, err = store.Job{ID: jobID}, nil
		}
	}
	if err != nil {
		a.fail(w, r, err)
		return
	}
	show(w, r, http.StatusOK, backstop.page(), func(b *buffer) {
		b.intro(&backstop, text{
			`A guard promises that each key commits once. It cannot promise more than anybody knows: if the connection breaks after the request was sent, the application may have run, or not. Then the guard says so, and sends the same key again. The one who knows is the database: a unique index on the key, or on the business fact, is the last line.`,
			`ガードが約束するのは、どのキーも一度だけコミットすることです。誰も知らないことまでは約束できません。送信後に接続が切れたら、アプリケーションは動いたかもしれないし、動かなかったかもしれない。そのときガードはそう告げ、次に同じキーをもう一度送ります。知っているのはデータベースです。キー、または業務上の事実へのユニークインデックスが最後の一線になります。`})
		b.put(`<div class="demo">
<div class="demo__act">
`)
		b.card("order", "order", text{"Pay a bill", "請求書を支払う"}, func() { b.paymentForm(bill) })
		b.result(answerHere)
		b.put(`</div>
<div class="demo__side">
`)
		b.card("ledger", "ledger", text{"What the database has", "データベースにあるもの"}, func() {
			b.put(`<div data-hx-get="/api/recipes/backstop/payments?bill={}" data-hx-trigger="answered from:body" data-hx-swap="innerHTML" aria-live="polite">
`, bill)
			b.payments(all)
			b.put(`</div>
<p class="ledger__intro"><a href="{}?bill={}" target="_blank">{}</a> · <a href="{}">{}</a></p>
`, backstop.path, bill, text{"Open this bill in another tab", "この請求書を別のタブで開く"}, backstop.path, text{"Another bill", "別の請求書"})
		})
		b.guardCard(".order [name=idempotency_key]")
		b.put(`</div>
</div>
`)
		b.steps(text{},
			step{text{"Let the connection break after the payment", "支払いの直後に接続を切る"}, text{
				`The payment is in the database, its answer is lost, and the guard answers <code>502</code>, outcome unknown. Press again: the application runs a second time with the same key, the index refuses, and the answer is “already processed”. One payment.`,
				`支払いはデータベースに入り、応答だけが失われ、ガードは「結果不明」の <code>502</code> を返します。もう一度押すと、アプリケーションは同じキーで二度目に動き、インデックスが拒み、「処理済み」と答えます。支払いは一件です。`}},
			step{text{"Let the card be declined, then pay", "カードを拒否させてから、支払う"}, text{
				`The failed payment stays in the table. The index looks only at those that did not fail, so the corrected press, with the same key, pays.`,
				`失敗した支払いは表に残ります。インデックスが見るのは失敗していないものだけなので、直して押せば同じキーで支払えます。`}},
			step{text{"Pay the bill in two tabs", "二つのタブで同じ請求書を支払う"}, text{
				`Two tabs are two forms with two keys: for the guard two intentions. The second index, on the bill itself, knows better.`,
				`二つのタブは二つのフォーム、二つのキー。ガードにとっては二つの意図です。請求書そのものへのもう一つのインデックスが、それを見抜きます。`}},
			step{text{"Run the job again", "ジョブをもう一度実行する"}, text{
				`Queues retry too. However often it runs, its effect is there once.`,
				`キューも再試行します。何度実行されても、効果は一度だけです。`}})
		b.card("job-runs", "job", text{"A job that is retried", "再実行されるジョブ"}, func() {
			b.put(`<form method="post" action="/api/recipes/backstop/jobs/{}/run" data-idempotency="off">
<p class="actions"><button class="hc-button" type="submit" data-hx-post="/api/recipes/backstop/jobs/{}/run" data-hx-target="#job-runs" data-hx-swap="innerHTML" data-hx-disabled-elt="this">{}</button></p>
</form>
<div id="job-runs" aria-live="polite">
`, jobID, jobID, text{"Run the job, as the queue would", "キューのようにジョブを実行する"})
			b.jobRuns(job, false)
			b.put(`</div>
`)
		})
		b.how(func() {
			b.listing(listing{id: "schema", title: text{"The index", "インデックス"}, code: `CREATE UNIQUE INDEX payments_once_a_key
  ON payments (idempotency_key)
  WHERE status <> 'failed' AND idempotency_key <> '';

CREATE UNIQUE INDEX payments_once_a_bill
  ON payments (bill)
  WHERE status <> 'failed' AND bill <> '';`, before: text{`Looking first and writing then is no protection: between the two another request has room. Write, and let the index refuse.`,
				`先に調べてから書いても守れません。そのあいだに別のリクエストが割り込めるからです。書いてみて、インデックスに拒ませます。`}})
		}, func() {
			b.listing(listing{id: "caught", title: text{"Caught, not shown", "受け止めて、見せない"}, code: `err := db.QueryRow("INSERT INTO payments …").Scan(&number)
if isUniqueViolation(err) {
    // already processed
    return paymentOf(key)
}`, after: text{`Rule <code>unknown = "hold"</code> goes the other way: after a lost answer the guard lets nothing through until somebody has looked.`,
				`規則 <code>unknown = "hold"</code> は逆の道です。応答が失われたら、誰かが確かめるまで何も通しません。`}})
		})
		b.pager(&backstop)
	})
}

func (b *buffer) paymentForm(bill string) {
	b.put(`<form method="post" action="/api/recipes/backstop/payments">
<div class="hc-field">
<label class="hc-field__label" for="bill">{}</label>
<input class="hc-input" id="bill" name="bill" type="text" readonly value="{}">
</div>
<div class="hc-field">
<label class="hc-field__label" for="amount">{}</label>
<input class="hc-input" id="amount" name="amount" type="text" inputmode="numeric" autocomplete="off" maxlength="40" value="2400">
</div>
<div class="hc-field">
<label class="hc-field__label" for="trouble">{}</label>
<select class="hc-select" id="trouble" name="trouble" aria-describedby="trouble-hint">
`, text{"Bill", "請求書"}, bill, amountLabel, text{"What happens", "何が起きるか"})
	b.option("none", text{"everything works", "正常"}, "lost")
	b.option("lost", text{"the answer is lost", "応答が失われる"}, "lost")
	b.option("declined", text{"the card is declined", "カードが拒否される"}, "lost")
	b.put(`</select>
<p class="hc-field__hint" id="trouble-hint">{}</p>
</div>
<div class="press">
<button class="hc-button" data-variant="primary" type="submit"
          data-hx-post="/api/recipes/backstop/payments"
          data-hx-target="#order-result" data-hx-swap="innerHTML"
          data-hx-disabled-elt="this">{}</button>
<span class="hc-spinner press__busy" data-size="sm" aria-hidden="true"></span>
</div>
</form>
`, text{"An answer is lost where the connection breaks after the payment.", "支払いの直後に接続が切れると、応答が失われます。"}, text{"Pay", "支払う"})
}
