package app

import "net/http"

var editLead = text{
	`Two people open the same record and both save. No key can tell: these are two forms with two keys, each sent once. A version in the form tells, and <code>409</code> shows both. The key has the other job, the same form sent twice: without it, the second press of one person would meet the version of their own first.`,
	`二人が同じ記録を開き、どちらも保存します。キーでは分かりません。二つのフォームに二つのキーがあり、それぞれ一度だけ送られるからです。分かるのはフォームの版番号で、<code>409</code> が両方を見せます。キーの役目は別で、同じフォームが二度送られたときのものです。キーがなければ、同じ人の二度目の押下は、自分が作った版とぶつかってしまいます。`}

func (a *app) editStart(w http.ResponseWriter, r *http.Request) {
	show(w, r, http.StatusOK, editConflict.page(), func(b *buffer) {
		b.intro(&editConflict, editLead)
		b.demoStart(&editConflict, text{"Begin with a request of your own. Nobody else sees it.", "まず自分の申請を作ります。ほかの人には見えません。"}, func() { b.editContract() })
		b.editSteps()
		b.pager(&editConflict)
	})
}

func (a *app) editPage(w http.ResponseWriter, r *http.Request) {
	request, err := a.Store.Request(r.Context(), r.PathValue("id"))
	if err != nil {
		a.fail(w, r, err)
		return
	}
	show(w, r, http.StatusOK, editConflict.page("twice.js"), func(b *buffer) {
		b.intro(&editConflict, editLead)
		b.put(`<div class="demo">
<div class="demo__act">
`)
		b.card("order", "request", text{"Your request", "あなたの申請"}, func() {
			b.editForm(request, text{`Version {}.`, `版 {}。`}.fill(request.Version))
		})
		b.card("colleague", "colleague", text{"Meanwhile, at the next desk", "そのころ、隣の席では"}, func() {
			b.put(`<form method="post" action="/api{}/{}/colleague" data-idempotency="off">
<p class="actions"><button class="hc-button" type="submit" data-hx-post="/api{}/{}/colleague" data-hx-target="#colleague-note" data-hx-swap="innerHTML" data-hx-disabled-elt="this">{}</button></p>
</form>
<div id="colleague-note" aria-live="polite"></div>
`, editConflict.path, request.ID, editConflict.path, request.ID, text{"Let a colleague save first", "先に同僚に保存させる"})
		})
		b.put(`</div>
<div class="demo__side">
`)
		b.guardCard("#edit-form [name=idempotency_key]")
		b.editContract()
		b.put(`</div>
</div>
`)
		b.editSteps()
		b.errorDialog("")
		b.pager(&editConflict)
	})
}

func (b *buffer) editSteps() {
	b.steps(text{},
		step{text{"Change the quantity and save", "数量を変えて保存する"}, text{
			`The form comes back as the next version, with the next key. Save again, and again: each save is an act of its own.`,
			`フォームは次の版、次のキーとともに返ってきます。何度保存しても、それぞれが独立した操作です。`}},
		step{text{"Let a colleague save first, then save", "先に同僚に保存させてから、保存する"}, text{
			`<code>409</code> with a dialog that shows both. Nothing was overwritten, and the key is still good for the corrected save.`,
			`<code>409</code> と両方を見せるダイアログです。何も上書きされておらず、キーは直した保存にそのまま使えます。`}},
		step{text{"Turn JavaScript off", "JavaScript を切る"}, text{
			`Save, go back, save again: the same answer, and no conflict with yourself.`,
			`保存して、戻って、もう一度保存しても、同じ応答が返り、自分との競合は起きません。`}})
}

func (b *buffer) editContract() {
	b.contract(text{"Version and key", "版とキー"}, text{},
		row{text{`the current version`, `現在の版`}, text{`<code>200</code>, saved; the form comes back with the next version and key`, `<code>200</code> で保存。次の版とキーのフォームが返る`}},
		row{text{`an older version`, `古い版`}, text{`<code>409</code> with both versions; the key stays live`, `<code>409</code> と両方の版。キーは有効なまま`}},
		row{text{`the same form once more`, `同じフォームをもう一度`}, text{`the kept <code>200</code>, not a conflict with yourself`, `保存された <code>200</code>。自分との競合にはならない`}})
}
