package app

import (
	"errors"
	"net/http"

	"github.com/singleshot-edge/singleshot/site/store"
)

// save keeps what was entered, if the request still has the version that the form was rendered from.
func (a *app) save(w http.ResponseWriter, r *http.Request) {
	now, err := a.Store.Request(r.Context(), r.PathValue("id"))
	if err != nil {
		a.fail(w, r, err)
		return
	}
	mine := now
	mine.Item, mine.Quantity, mine.Actor = knownItem(r.PostForm.Get("item")), quantity(r.PostForm.Get("quantity")), you
	if mine.Quantity == 0 {
		mine.Quantity = now.Quantity
		a.answerEdit(w, r, http.StatusUnprocessableEntity, mine, text{"Enter a quantity from 1 to 99. Nothing was saved.", "数量は 1 から 99 までで入力してください。保存していません。"})
		return
	}
	saved := now
	if err = store.ErrNone; sameVersion(r, now) {
		saved, err = a.Store.Change(r.Context(), mine)
	}
	if errors.Is(err, store.ErrNone) {
		if now, err = a.Store.Request(r.Context(), now.ID); err == nil {
			a.conflict(w, r, now, mine)
			return
		}
	}
	if err != nil {
		a.fail(w, r, err)
		return
	}
	a.answerEdit(w, r, http.StatusOK, saved, text{`Saved as version {}.`, `版 {} として保存しました。`}.fill(saved.Version))
}

// colleagueSaves changes a request as somebody else would.
func (a *app) colleagueSaves(w http.ResponseWriter, r *http.Request) {
	now, err := a.Store.Request(r.Context(), r.PathValue("id"))
	if err == nil {
		now.Quantity, now.Actor = now.Quantity%99+1, colleague
		now, err = a.Store.Change(r.Context(), now)
	}
	if err != nil {
		a.fail(w, r, err)
		return
	}
	colleagueNote(w, r, text{`Your colleague has saved {}, version {}. Your form still shows what was there before.`, `同僚が {} を版 {} として保存しました。あなたのフォームはまだ前の内容です。`}.fill(requestLine(now), now.Version),
		text{"Go back with your browser’s Back button and save.", "ブラウザの「戻る」で戻り、保存してください。"})
}

// editForm answers with the form as it should be now.
func (a *app) editForm(w http.ResponseWriter, r *http.Request) {
	now, err := a.Store.Request(r.Context(), r.PathValue("id"))
	if err != nil {
		a.fail(w, r, err)
		return
	}
	a.answerEdit(w, r, http.StatusOK, now, text{"This is your colleague’s version. Yours is gone.", "同僚の版です。あなたの変更は破棄されました。"})
}

func (a *app) answerEdit(w http.ResponseWriter, r *http.Request, status int, request store.Request, said text) {
	if wantsFragment(r) {
		b := speak(w, r)
		b.editForm(request, said)
		answer(w, status, b)
		return
	}
	show(w, r, status, page{title: editConflict.short, here: editConflict.path + "/" + request.ID}, func(b *buffer) {
		b.put(`<div class="narrow">
<h1>{}</h1>
<section class="hc-card order"><div class="hc-card__body">
`, text{"A purchase request", "購入申請"})
		b.editForm(request, said)
		b.put(`</div></section>
<p><a href="{}/{}">{}</a></p>
</div>
`, editConflict.path, request.ID, text{"Back to the recipe", "レシピへ戻る"})
	})
}

// editForm appends the form that edits a request. Each save renders it anew: with the next version, and the guard
// gives it the next key.
func (b *buffer) editForm(request store.Request, said text) {
	b.put(`<form id="edit-form" method="post" action="/api{}/{}">
<input type="hidden" name="version" value="{}">
`, editConflict.path, request.ID, request.Version)
	b.requestFields(request.Item, decimal(request.Quantity))
	b.put(`<div class="press"><button class="hc-button" data-variant="primary" type="submit"
          data-hx-post="/api{}/{}"
          data-hx-target="#edit-form" data-hx-swap="outerHTML"
          data-hx-disabled-elt="this">{}</button></div>
<p class="note" role="status" data-version="{}">{}</p>
</form>
`, editConflict.path, request.ID, text{"Save", "保存"}, request.Version, said)
}

// conflict answers a save that came too late: a dialog for htmx, a page else, with both versions and the ways on.
func (a *app) conflict(w http.ResponseWriter, r *http.Request, theirs, mine store.Request) {
	title := text{"Your colleague saved first", "同僚が先に保存しました"}
	if wantsFragment(r) {
		w.Header().Set("HX-Retarget", "#error-dialog")
		w.Header().Set("HX-Reswap", "innerHTML")
		b := speak(w, r)
		b.put(`<dialog class="hc-dialog" aria-labelledby="conflict-title">
<h2 class="hc-dialog__title" id="conflict-title">{}</h2>
<div class="conflict">
`, title)
		b.bothVersions(theirs, mine)
		b.put(`<div class="actions">
<form method="post" action="/api{}/{}">
`, editConflict.path, theirs.ID)
		b.overwrite(theirs, mine, fill(b.language, ` data-hc-close-dialog-on-success
          data-hx-post="/api{}/{}" data-hx-target="#edit-form" data-hx-swap="outerHTML"
          data-hx-disabled-elt="this"`, editConflict.path, theirs.ID))
		b.put(`</form>
<button class="hc-button" type="button" data-hc-close-dialog-on-success
        data-hx-get="/api{}/{}" data-hx-target="#edit-form" data-hx-swap="outerHTML">{}</button>
<form method="dialog"><button class="hc-button" data-variant="ghost">{}</button></form>
</div>
</div>
</dialog>
`, editConflict.path, theirs.ID, takeTheirs, text{"Keep editing", "編集を続ける"})
		answer(w, http.StatusConflict, b)
		return
	}
	show(w, r, http.StatusConflict, page{title: title, here: editConflict.path + "/" + theirs.ID}, func(b *buffer) {
		b.put(`<div class="narrow conflict">
<h1>{}</h1>
<div role="status"><p>{}</p></div>
`, title, text{"Nothing of yours was saved yet.", "あなたの変更はまだ保存されていません。"})
		b.bothVersions(theirs, mine)
		b.put(`<div class="actions">
<form method="post" action="/api{}/{}">
`, editConflict.path, theirs.ID)
		b.overwrite(theirs, mine, "")
		b.put(`</form>
<a class="hc-button" href="{}/{}">{}</a>
</div>
</div>
`, editConflict.path, theirs.ID, takeTheirs)
	})
}

var takeTheirs = text{"Take theirs", "相手の版を使う"}

// overwrite appends what saves mine over theirs: the version is the one seen now, so a third person is noticed.
func (b *buffer) overwrite(theirs, mine store.Request, attributes markup) {
	b.put(`<input type="hidden" name="version" value="{}">
<input type="hidden" name="item" value="{}">
<input type="hidden" name="quantity" value="{}">
<button class="hc-button" data-variant="error" type="submit"{}>{}</button>
`, theirs.Version, mine.Item, mine.Quantity, attributes, text{"Overwrite with mine", "自分の内容で上書き"})
}

func (b *buffer) bothVersions(theirs, mine store.Request) {
	b.put(`<table class="hc-table" aria-label="{}">
<thead><tr><td></td><th scope="col">{}</th><th scope="col">{}</th></tr></thead>
<tbody>
<tr><th scope="row">{}</th><td>{}</td><td>{}</td></tr>
<tr><th scope="row">{}</th><td>{}</td><td>{}</td></tr>
</tbody>
</table>
`, text{"Both versions", "両方の版"}, text{`Theirs (version {})`, `相手（版 {}）`}.fill(theirs.Version), text{"Yours", "あなた"},
		itemLabel, itemNames[theirs.Item], itemNames[mine.Item], quantityLabel, theirs.Quantity, mine.Quantity)
}

// errorDialog appends the place that dialogs of refusals go to.
func (b *buffer) errorDialog(attributes markup) {
	b.put(`<div id="error-dialog" data-hc-remote-dialog-root{}></div>
`, attributes)
}
