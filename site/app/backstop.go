package app

import (
	"net/http"

	"github.com/singleshot-edge/singleshot/site/store"
)

// pay handles the payment of a bill. The key that the guard sends goes into the database with it: if the
// application runs twice for one key, the unique index knows.
func (a *app) pay(w http.ResponseWriter, r *http.Request) {
	amount, bad := readAmount(r.PostForm.Get("amount"))
	bill := r.PostForm.Get("bill")
	trouble := r.PostForm.Get("trouble")
	if bad != fine || len(bill) != len("B-")+6 {
		a.answerPayment(w, r, http.StatusUnprocessableEntity, "error", text{"Nothing was paid.", "支払いは行われていません。"},
			text{"Enter an amount from 1 to 1,000,000 and press again: the key is still good.", "金額を 1 から 1,000,000 までで入力して、もう一度押してください。キーは有効なままです。"})
		return
	}
	key, attempt := keyOf(r)
	paid, already, err := a.Store.Pay(r.Context(), store.Payment{Key: key, Bill: bill, Amount: amount,
		Failed: trouble == "declined", Attempt: attempt, Made: a.Now()})
	if err != nil {
		a.fail(w, r, err)
		return
	}
	lang, _ := languageOf(r)
	switch {
	case already:
		nameRecord(w.Header(), lang, "/api/v1/payments/"+decimal(paid.Number), paymentTitle(paid.Number))
		w.Header().Set("HX-Trigger", "paid")
		a.answerPayment(w, r, http.StatusOK, "success", text{`Already processed: payment {}.`, `処理済み: 支払い {}。`}.fill(paymentNumber(paid)),
			text{"The unique index refused a second payment, and the application answered with the first.", "ユニークインデックスが二件目を拒み、アプリケーションは最初の支払いを答えました。"})
	case paid.Failed:
		w.Header().Set("HX-Trigger", "paid")
		a.answerPayment(w, r, http.StatusUnprocessableEntity, "error", text{"The card was declined.", "カードが拒否されました。"},
			text{"A failed payment takes no place in the index. Choose “everything works” and press again: the same key pays.", "失敗した支払いはインデックスを占めません。「正常」を選んでもう一度押せば、同じキーで支払えます。"})
	case trouble == "lost":
		// The payment is in the database, and the answer never leaves: the worst moment to break.
		panic(http.ErrAbortHandler)
	default:
		nameRecord(w.Header(), lang, "/api/v1/payments/"+decimal(paid.Number), paymentTitle(paid.Number))
		w.Header().Set("HX-Trigger", "paid")
		a.answerPayment(w, r, http.StatusOK, "success", text{`Paid: payment {}.`, `支払い {} が完了しました。`}.fill(paymentNumber(paid)),
			text{`{} for bill {}.`, `{}、請求書 {}。`}.fill(yen(amount), bill))
	}
}

func paymentNumber(p store.Payment) markup {
	return fill(english, `<strong data-payment="{}">{}</strong>`, p.Number, p.Number)
}

func (a *app) answerPayment(w http.ResponseWriter, r *http.Request, status int, variant markup, title, body text) {
	if wantsFragment(r) {
		b := speak(w, r)
		b.alert(variant, title, body)
		answer(w, status, b)
		return
	}
	show(w, r, status, page{title: text{"Payment", "支払い"}, here: backstop.path}, func(b *buffer) {
		b.put(`<div class="narrow">
<h1>{}</h1>
`, text{"Payment", "支払い"})
		b.alert(variant, title, body)
		b.put(`<p><a href="{}?bill={}">{}</a></p>
</div>
`, backstop.path, r.PostForm.Get("bill"), text{"See the payments of this bill", "この請求書の支払いを見る"})
	})
}

// paymentsOfBill is the list of a bill's payments, as a part of the recipe's page.
func (a *app) paymentsOfBill(w http.ResponseWriter, r *http.Request) {
	all, err := a.Store.PaymentsOf(r.Context(), r.URL.Query().Get("bill"))
	if err != nil {
		a.fail(w, r, err)
		return
	}
	b := speak(w, r)
	b.payments(all)
	answer(w, http.StatusOK, b)
}

func (b *buffer) payments(all []store.Payment) {
	settled := 0
	for _, p := range all {
		if !p.Failed {
			settled++
		}
	}
	b.put(`<p class="ledger__count" data-settled="{}">{}</p>
`, settled, text{`{} settled`, `完了 {} 件`}.fill(fill(english, `<strong>{}</strong>`, settled)))
	if len(all) == 0 {
		b.put(`<p class="ledger__none">{}</p>
`, text{"No payment of this bill yet.", "この請求書の支払いはまだありません。"})
		return
	}
	b.put(`<table class="hc-table" data-density="compact" aria-label="{}">
<thead><tr><th scope="col">{}</th><th scope="col">{}</th><th scope="col">{}</th><th scope="col" data-numeric>{}</th></tr></thead>
<tbody>
`, text{"Payments of this bill", "この請求書の支払い"}, numberLabel, text{"Status", "状態"}, text{"Key", "キー"}, text{"Run", "実行"})
	for _, p := range all {
		status := text{"settled", "完了"}
		if p.Failed {
			status = text{"failed", "失敗"}
		}
		key := p.Key
		if len(key) > 9 {
			key = key[:9] + "…"
		}
		b.put(`<tr><td>{}</td><td>{}</td><td><code>{}</code></td><td data-numeric>{}</td></tr>
`, p.Number, status, key, p.Attempt)
	}
	b.put(`</tbody>
</table>
`)
}

// runJob runs a job once more, as a queue does that retries.
func (a *app) runJob(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	_, err := a.Store.Job(r.Context(), id)
	if err == store.ErrNone {
		err = a.Store.StartJob(r.Context(), store.Job{ID: id, Lines: exportLines[0], Started: a.Now()})
	}
	first := false
	if err == nil {
		first, err = a.Store.RunJob(r.Context(), id, a.Now())
	}
	var job store.Job
	if err == nil {
		job, err = a.Store.Job(r.Context(), id)
	}
	if err != nil {
		a.fail(w, r, err)
		return
	}
	if wantsFragment(r) {
		b := speak(w, r)
		b.jobRuns(job, first)
		answer(w, http.StatusOK, b)
		return
	}
	http.Redirect(w, r, backstop.path+"?job="+id+"#job", http.StatusSeeOther)
}

// jobRuns appends how often a job ran, and what came of it.
func (b *buffer) jobRuns(job store.Job, first bool) {
	if job.Runs == 0 {
		b.put(`<p class="ledger__none">{}</p>
`, text{"It has not run yet.", "まだ実行されていません。"})
		return
	}
	said := text{"This run found the export there, and left it alone.", "今回の実行は、エクスポートがすでにあるのを見つけて何もしませんでした。"}
	if first {
		said = text{"This run made the export.", "今回の実行がエクスポートを作りました。"}
	}
	effects := int64(0)
	if job.Done {
		effects = 1
	}
	b.put(`<p data-job-runs="{}" data-job-exports="{}">{}</p>
<p class="note">{}</p>
`, job.Runs, effects, text{`Runs: <strong>{}</strong>. Exports: <strong>{}</strong>.`, `実行: <strong>{}</strong> 回。エクスポート: <strong>{}</strong> 件。`}.fill(job.Runs, effects), said)
}
