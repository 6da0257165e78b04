package app

import (
	"net/http"
)

var workflowLead = text{
	`When a colleague was faster, the application answers <code>409</code> and shows how things stand. That is a conflict with somebody else. A double click is a race against yourself, and must never look like one: the second press gets the first one’s answer.`,
	`同僚のほうが早かったとき、アプリケーションは <code>409</code> と現在の状態を返します。それは他人との競合です。ダブルクリックは自分との競走であって、競合に見えてはなりません。二度目の押下は、一度目の応答を受け取ります。`}

func (a *app) workflowStart(w http.ResponseWriter, r *http.Request) {
	show(w, r, http.StatusOK, workflowActions.page(), func(b *buffer) {
		b.intro(&workflowActions, workflowLead)
		b.demoStart(&workflowActions, text{"Begin with a request of your own. Nobody else sees it.", "まず自分の申請を作ります。ほかの人には見えません。"}, func() { b.workflowContract() })
		b.workflowSteps()
		b.pager(&workflowActions)
	})
}

func (a *app) workflowPage(w http.ResponseWriter, r *http.Request) {
	request, err := a.Store.Request(r.Context(), r.PathValue("id"))
	if err != nil {
		a.fail(w, r, err)
		return
	}
	p := workflowActions.page("twice.js")
	show(w, r, http.StatusOK, p, func(b *buffer) {
		b.intro(&workflowActions, workflowLead)
		b.put(`<div class="demo">
<div class="demo__act">
<section aria-labelledby="request-title">
<h2 id="request-title" class="above">{}</h2>
<div aria-live="polite">
`, text{"Your request", "あなたの申請"})
		b.workflow(request, false)
		b.put(`</div>
</section>
`)
		b.card("colleague", "colleague", text{"Meanwhile, at the next desk", "そのころ、隣の席では"}, func() {
			b.put(`<form method="post" action="/api{}/{}/colleague" data-idempotency="off">
<p class="actions"><button class="hc-button" type="submit" data-hx-post="/api{}/{}/colleague" data-hx-target="#colleague-note" data-hx-swap="innerHTML" data-hx-disabled-elt="this">{}</button></p>
</form>
<div id="colleague-note" aria-live="polite"></div>
`, workflowActions.path, request.ID, workflowActions.path, request.ID, text{"Let a colleague approve it first", "先に同僚に承認させる"})
		})
		b.put(`</div>
<div class="demo__side">
`)
		b.guardCard("#request-actions [name=idempotency_key]")
		b.workflowContract()
		b.put(`</div>
</div>
`)
		b.workflowSteps()
		b.pager(&workflowActions)
	})
}

func (b *buffer) workflowSteps() {
	b.steps(text{},
		step{text{"Approve, sent twice at once", "承認を同時に二度送る"}, text{
			`Both requests say “approved”, and the panel shows <code>created</code> and <code>replayed</code>. Without the key the second would have met a request that is approved already: <code>409</code>, from yourself.`,
			`どちらのリクエストも「承認」となり、パネルには <code>created</code> と <code>replayed</code> が並びます。キーがなければ、二つ目は承認済みの申請に出会い、自分自身に <code>409</code> を突き付けられたはずです。`}},
		step{text{"Let a colleague approve it first, then press Approve", "先に同僚に承認させてから、承認を押す"}, text{
			`<code>409</code>: somebody else was first, and the region shows the truth. The conflict spends no key.`,
			`<code>409</code> です。ほかの人が先で、画面には本当の状態が出ます。この競合ではキーは消費されません。`}},
		step{text{"Turn JavaScript off", "JavaScript を切る"}, text{
			`The same buttons post the same form, and both conflicts are pages. Approve, go back, approve again: the same answer.`,
			`同じボタンが同じフォームを送り、競合もページとして表示されます。承認して、戻って、もう一度承認しても、同じ応答です。`}})
}

func (b *buffer) workflowContract() {
	b.contract(text{"Two kinds of second", "二種類の「二番目」"}, text{},
		row{text{`your own press again, same key`, `自分がもう一度押した（同じキー）`}, text{`<code>200</code>, replayed by the guard`, `<code>200</code>。ガードによる再送`}},
		row{text{`your press after a colleague’s`, `同僚の後に自分が押した`}, text{`<code>409</code> from the application, with its current state; the key stays live`, `アプリケーションからの <code>409</code> と現在の状態。キーは有効なまま`}},
		row{text{`an action that the state does not allow`, `その状態では許されない操作`}, text{`the same <code>409</code>`, `同じく <code>409</code>`}})
}
