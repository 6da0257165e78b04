package app

import (
	"errors"
	"net/http"

	"github.com/singleshot-edge/singleshot/site/store"
)

// transition moves a request from one state to the next, and answers with the region of its actions.
func (a *app) transition(w http.ResponseWriter, r *http.Request) {
	now, err := a.Store.Request(r.Context(), r.PathValue("id"))
	if err != nil {
		a.fail(w, r, err)
		return
	}
	next := now
	next.Actor = you
	switch r.PostForm.Get("transition") {
	case "approve":
		next.State = store.Approved
	case "return":
		next.State = store.Draft
	case "submit":
		next.State = store.Review
	}
	if !sameVersion(r, now) || !legal(now.State, next.State) {
		a.answerWorkflow(w, r, http.StatusConflict, now)
		return
	}
	changed, err := a.Store.Change(r.Context(), next)
	if errors.Is(err, store.ErrNone) { // somebody was faster, between the look and the write
		if now, err = a.Store.Request(r.Context(), now.ID); err == nil {
			a.answerWorkflow(w, r, http.StatusConflict, now)
			return
		}
	}
	if err != nil {
		a.fail(w, r, err)
		return
	}
	a.answerWorkflow(w, r, http.StatusOK, changed)
}

// legal reports whether a request may go from one state to another.
func legal(from, to store.State) bool {
	return from == store.Draft && to == store.Review || from == store.Review && (to == store.Approved || to == store.Draft)
}

// colleagueApproves approves a request whatever version anybody sees.
func (a *app) colleagueApproves(w http.ResponseWriter, r *http.Request) {
	now, err := a.Store.Request(r.Context(), r.PathValue("id"))
	if err == nil && now.State == store.Review {
		now.State, now.Actor = store.Approved, colleague
		now, err = a.Store.Change(r.Context(), now)
	}
	if err != nil {
		a.fail(w, r, err)
		return
	}
	if now.Actor != colleague {
		colleagueNote(w, r, text{"There is nothing to approve: the request is not in review.", "承認するものがありません。申請は確認中ではありません。"}, text{})
		return
	}
	colleagueNote(w, r, text{"Your colleague has approved the request. The actions on your page do not know that yet: press one.", "同僚が申請を承認しました。あなたのページの操作はまだそれを知りません。押してみてください。"},
		text{"Go back with your browser’s Back button and press Approve.", "ブラウザの「戻る」で戻り、「承認」を押してください。"})
}

func (a *app) answerWorkflow(w http.ResponseWriter, r *http.Request, status int, request store.Request) {
	if wantsFragment(r) {
		b := speak(w, r)
		if status == http.StatusOK {
			w.Header().Set("HX-Trigger", `{"hc:toast":{"message":`+jsonText(workflowDone[request.State].plain(b.language))+`,"variant":"success"}}`)
		}
		b.workflow(request, status == http.StatusConflict)
		answer(w, status, b)
		return
	}
	show(w, r, status, page{title: workflowActions.short, here: workflowActions.path + "/" + request.ID}, func(b *buffer) {
		b.put(`<div class="narrow">
<h1>{}</h1>
`, text{"A purchase request", "購入申請"})
		b.workflow(request, status == http.StatusConflict)
		b.put(`<p><a href="{}/{}">{}</a></p>
</div>
`, workflowActions.path, request.ID, text{"Back to the recipe", "レシピへ戻る"})
	})
}

var workflowDone = map[store.State]text{
	store.Approved: {"Approved.", "承認しました。"},
	store.Draft:    {"Returned.", "差し戻しました。"},
	store.Review:   {"Submitted.", "提出しました。"},
}

// workflow appends the region that is the request's state: version, stepper and actions change together. lost
// says that somebody else was first.
func (b *buffer) workflow(request store.Request, lost bool) {
	b.put(`<form class="hc-card workflow" method="post" action="/api{}/{}/transition" id="request-actions" data-hc-workflow>
<div class="hc-card__body">
<input type="hidden" name="version" value="{}">
`, workflowActions.path, request.ID, request.Version)
	if lost {
		who := text{"It was changed meanwhile.", "その間に変更されていました。"}
		if request.Actor == colleague {
			who = text{"Your colleague was first.", "同僚が先でした。"}
		}
		b.alert("warning", who, text{"What you pressed was not applied. This is how the request stands now.", "あなたの操作は適用されていません。いまの状態は次のとおりです。"})
	}
	b.put(`<p class="workflow__what">{} <span class="note">{}</span></p>
<ol class="hc-stepper">
`, requestLine(request), text{`version {}`, `版 {}`}.fill(request.Version))
	states := [...]struct {
		state store.State
		name  text
	}{{store.Draft, text{"Draft", "下書き"}}, {store.Review, text{"Review", "確認"}}, {store.Approved, text{"Approved", "承認"}}}
	at := 0
	for i, s := range states {
		if s.state == request.State {
			at = i
		}
	}
	for i, s := range states {
		mark, marker, done := markup(""), fill(b.language, `{}`, i+1), markup("")
		if i < at || request.State == store.Approved {
			mark, marker, done = ` data-state="complete"`, `✓`, fill(b.language, `<span class="unseen"> {}</span>`, text{"(completed)", "（完了）"})
		}
		if i == at {
			mark += ` aria-current="step"`
		}
		b.put(`<li class="hc-stepper__step"{}><span class="hc-stepper__marker" aria-hidden="true">{}</span><span class="hc-stepper__label">{}{}</span></li>
`, mark, marker, s.name, done)
	}
	b.put(`</ol>
`)
	b.transitions(request)
	b.put(`</div>
</form>
`)
}

// transitions appends what may be done with a request now.
func (b *buffer) transitions(request store.Request) {
	button := func(verb string, variant markup, name text) {
		b.put(`<button class="hc-button"{} type="submit" name="transition" value="{}"
          data-hx-post="/api{}/{}/transition"
          data-hx-target="#request-actions" data-hx-swap="outerHTML"
          data-hx-disabled-elt="this">{}</button>
`, variant, verb, workflowActions.path, request.ID, name)
	}
	if request.State == store.Approved {
		b.put(`<p class="note">{} <a href="{}">{}</a></p>
`, text{"Nothing more can be done with it.", "これ以上の操作はありません。"}, workflowActions.path, text{"Write another request", "別の申請を作る"})
		return
	}
	b.put(`<div class="hc-toolbar" role="toolbar" aria-label="{}">
`, text{"Actions", "操作"})
	if request.State == store.Draft {
		button("submit", ` data-variant="primary"`, text{"Submit for review", "確認に出す"})
	} else {
		button("approve", ` data-variant="primary"`, text{"Approve", "承認"})
		button("return", "", text{"Return", "差し戻し"})
	}
	b.put(`</div>
`)
	if request.State == store.Review {
		b.put(`{}`, fill(b.language, `<p class="twice needs-script"><button class="hc-button" data-size="sm" type="button" data-twice="transition=approve">{}</button></p>
`, text{"Approve, sent twice at once", "承認を同時に二度送る"}))
	}
}
