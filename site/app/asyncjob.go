package app

import "net/http"

const jobButton markup = `<button class="hc-button" data-variant="primary" type="submit"
          data-hx-post="/api/recipes/async-job/jobs"
          data-hx-target="#order-result" data-hx-swap="innerHTML"
          data-hx-disabled-elt="this">{}</button>`

var startExport = text{"Start the export", "エクスポートを開始"}

func (a *app) asyncJobPage(w http.ResponseWriter, r *http.Request) {
	total, err := a.Store.CountJobs(r.Context())
	if err != nil {
		a.fail(w, r, err)
		return
	}
	show(w, r, http.StatusOK, asyncJob.page("twice.js"), func(b *buffer) {
		b.intro(&asyncJob, text{
			`Work that outlives a request answers at once with <code>202</code> and a card that polls until the work is done. The guard keeps exactly that answer: whoever sends the form again gets the same card, and watches the same job instead of starting a second one.`,
			`リクエストより長く続く処理は、すぐに <code>202</code> とカードを返し、カードが終わるまで様子を見に行きます。ガードが保存するのはまさにその応答です。フォームを再び送った人も同じカードを受け取り、二つ目のジョブを始めるかわりに同じジョブを見守ります。`})
		b.put(`<div class="demo">
<div class="demo__act">
`)
		b.card("order", "order", text{"Export the orders", "注文をエクスポート"}, func() {
			b.put(`<form method="post" action="/api/recipes/async-job/jobs">
<div class="hc-field">
<label class="hc-field__label" for="lines">{}</label>
<select class="hc-select" id="lines" name="lines">
`, text{"How much", "分量"})
			for _, lines := range exportLines {
				b.option(decimal(lines), text{`{} lines`, `{} 行`}.fill(thousands(lines)), "12000")
			}
			b.put(`</select>
</div>
<div class="press">
{}
<span class="hc-spinner press__busy" data-size="sm" aria-hidden="true"></span>
</div>
{}</form>
`, fill(b.language, jobButton, startExport), b.twiceButton())
		})
		b.result(text{"The job’s card will appear here.", "ジョブのカードはここに表示されます。"})
		b.put(`</div>
<div class="demo__side">
`)
		b.card("ledger", "ledger", text{"What the application has", "アプリケーションにあるもの"}, func() {
			b.put(`<div data-hx-get="/api/recipes/async-job/count" data-hx-trigger="answered from:body" data-hx-swap="innerHTML">
`)
			b.jobTotal(total)
			b.put(`</div>
<p class="ledger__intro">{}</p>
`, text{"Of all visitors, counted in its database. One press of yours should add one.", "すべての訪問者の合計を、データベースで数えています。一度押すと一件増えるはずです。"})
		})
		b.guardCard(".order [name=idempotency_key]")
		b.put(`</div>
</div>
`)
		b.steps(text{},
			step{text{"Start the export, then press again", "開始して、もう一度押す"}, text{
				`The card comes back with the same job, as far as it has got: the kept answer shows where to look, and the card looks.`,
				`同じジョブのカードが、今の進み具合で返ります。保存された応答は「どこを見るか」を示し、見に行くのはカードです。`}},
			step{text{"Send it twice at once", "同時に二度送る"}, text{
				`The second request waits for the first and gets its <code>202</code>. One job.`,
				`二つ目のリクエストは一つ目を待ち、その <code>202</code> を受け取ります。ジョブは一つです。`}},
			step{text{"Ask for another amount of lines", "行数を変える"}, text{
				`That is another job, so this form says which export it already started, and offers a new one.`,
				`それは別のジョブです。このフォームがすでに始めたエクスポートを名指しし、新しく始める方法を示します。`}},
			step{text{"Turn JavaScript off", "JavaScript を切る"}, text{
				`The answer is a page with the card, which asks again by itself until the export is ready.`,
				`応答はカードのあるページになり、完了するまで自動で読み直します。`}})
		b.how(func() {
			b.listing(listing{id: "markup", html: true, title: text{"The card", "カード"},
				before: text{`The card carries its own polling. When the job is done the answer has no trigger, and the asking ends.`,
					`問い合わせの仕組みはカード自身が持っています。ジョブが終わると応答に trigger がなくなり、問い合わせも止まります。`},
				code: `<div class="hc-card" data-hc-job
     data-hx-get="/recipes/async-job/k3v9…"
     data-hx-trigger="every 1s"
     data-hx-target="this" data-hx-swap="outerHTML">
  <progress class="hc-progress" value="40" max="100"></progress>
  <p aria-live="polite">…</p>
</div>`})
		}, func() {
			b.contract(text{"The contract", "契約"}, text{`Polls are GET requests: they carry no key and need none. <a href="/recipes/backstop">The backstop</a> has the other half: a worker that runs a job twice.`,
				`問い合わせは GET なのでキーを持たず、必要ともしません。もう半分の話、ワーカーがジョブを二度実行する場合は<a href="/recipes/backstop">最後の砦</a>にあります。`},
				row{text{`a fresh key`, `新しいキー`}, text{`<code>202</code> and the card of a new job`, `<code>202</code> と新しいジョブのカード`}},
				row{text{`the same again, now or after the job is done`, `同じもの（実行中でも完了後でも）`}, text{`the same <code>202</code> and card; the card’s first poll shows how it stands`, `同じ <code>202</code> とカード。最初の問い合わせで今の状態が分かる`}},
				row{text{`the same key, other values`, `同じキー、違う内容`}, text{`<code>422</code> that names the export`, `そのエクスポートを名指しする <code>422</code>`}})
		})
		b.pager(&asyncJob)
	})
}

// twiceButton appends a button that sends its form two times at once, as a double click would if nothing held it
// back. It needs a script, and is not there without one.
func (b *buffer) twiceButton() markup {
	return fill(b.language, `<p class="twice needs-script"><button class="hc-button" data-size="sm" type="button" data-twice>{}</button></p>
`, text{"Send it twice at once", "同時に二度送る"})
}
