package app

import (
	"net/http"
	"strings"
	"time"
)

// attackTime is how long the application takes where an attack wants it slow.
const attackTime = 1500 * time.Millisecond

// attacked is what the attacks send to: it notes that it ran, and answers.
func (a *app) attacked(w http.ResponseWriter, r *http.Request) {
	attack := r.PostForm.Get("attack")
	amount, bad := readAmount(r.PostForm.Get("amount"))
	if len(attack) != 16 || bad != fine {
		if wantsFragment(r) {
			b := speak(w, r)
			b.alert("error", faultTitle, faultAdvice)
			answer(w, http.StatusUnprocessableEntity, b)
			return
		}
		a.refuse(w, r, http.StatusBadRequest)
		return
	}
	if err := a.Store.AddRun(r.Context(), attack, a.Now()); err != nil {
		a.fail(w, r, err)
		return
	}
	if r.PostForm.Get("slow") == "1" {
		time.Sleep(attackTime)
	}
	runs, err := a.Store.CountRuns(r.Context(), attack)
	if err != nil {
		a.fail(w, r, err)
		return
	}
	lang, _ := languageOf(r)
	nameRecord(w.Header(), lang, breakIt.path, text{"The order of this attack", "この攻撃の注文"})
	if !wantsFragment(r) {
		on, off := attack, r.PostForm.Get("other")
		if strings.HasPrefix(r.URL.Path, "/api/unguarded/") {
			on, off = off, on
		}
		http.Redirect(w, r, breakIt.path+"?on="+known16(on)+"&off="+known16(off)+"#by-hand", http.StatusSeeOther)
		return
	}
	b := speak(w, r)
	b.put(`<p>{}</p>
`, text{`Order {} of this attack, {}.`, `この攻撃の注文 {}、{}。`}.fill(runs, yen(amount)))
	answer(w, http.StatusOK, b)
}

// known16 keeps an id of 16 characters of a-z and 0-9, and nothing else.
func known16(id string) string {
	if len(id) != 16 || strings.Trim(id, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
		return ""
	}
	return id
}

// runCount is how often the application ran for an attack.
func (a *app) runCount(w http.ResponseWriter, r *http.Request) {
	n, err := a.Store.CountRuns(r.Context(), r.URL.Query().Get("attack"))
	if err != nil {
		a.fail(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, map[string]int64{"runs": n})
}

// attack is one way to send too much.
type attack struct {
	id          string // what break.js calls it
	name, story text
	on, off     int64 // how often the application should run
}

var attacks = [...]attack{
	{"twenty", text{"Twenty at once", "20 件同時"}, text{`One form, twenty requests in the same moment.`, `一つのフォームから、同じ瞬間に二十のリクエスト。`}, 1, 20},
	{"slow", text{"A slow application", "遅いアプリケーション"}, text{`The answer takes a second and a half. The person presses again after a third of it, and again.`, `応答に 1.5 秒。待ちきれずに 0.5 秒後、さらに 0.5 秒後に押す。`}, 1, 3},
	{"dropped", text{"A dropped connection", "切れた接続"}, text{`The browser gives up on the first request while the application works on it, and sends it again.`, `アプリケーションの処理中にブラウザが最初のリクエストを諦め、もう一度送る。`}, 1, 2},
	{"payload", text{"Another payload", "違う内容"}, text{`The same key with another amount: a stale tab, or a bug. The second is told what exists.`, `同じキーで違う金額。古いタブか、不具合。二つ目には、すでにあるものが伝えられる。`}, 1, 2},
	{"tab", text{"A second tab", "二つ目のタブ"}, text{`Two tabs, each with a form of its own, each sent once: two orders, and rightly so. A key is one intention.`, `二つのタブに、それぞれのフォーム。一度ずつ送れば注文は二件で、それが正しい。キーは一つの意図です。`}, 2, 2},
}

func (a *app) breakPage(w http.ResponseWriter, r *http.Request) {
	on, off := known16(r.URL.Query().Get("on")), known16(r.URL.Query().Get("off"))
	if on == "" || off == "" {
		on, off = a.ID(), a.ID()
	}
	ranOn, err := a.Store.CountRuns(r.Context(), on)
	ranOff := int64(0)
	if err == nil {
		ranOff, err = a.Store.CountRuns(r.Context(), off)
	}
	if err != nil {
		a.fail(w, r, err)
		return
	}
	show(w, r, http.StatusOK, breakIt.page("break.js"), func(b *buffer) {
		b.intro(&breakIt, text{
			`Each attack sends real requests from this page, once through the guard and once around it, and then asks the application’s database how often it really ran.`,
			`どの攻撃もこのページから本物のリクエストを送ります。一度はガードを通して、一度は通さずに。そのあと、実際に何回実行されたかをアプリケーションのデータベースに尋ねます。`})
		b.put(`<p class="actions needs-script"><button class="hc-button" data-variant="primary" type="button" data-attack-all>{}</button></p>
<p class="unseen" role="status" data-attack-news></p>
<div class="hc-table-scroll attacks" role="region" aria-label="{}" tabindex="0">
<table class="hc-table" role="table" data-attacks data-guarded="/api/break/orders" data-around="/api/unguarded/break/orders"
       data-said-sent="{}" data-said-none="{}" data-said-done="{}">
<thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">{}</th><th scope="col" role="columnheader">{}</th><th scope="col" role="columnheader">{}</th><th scope="col" role="columnheader" class="needs-script"><span class="unseen">{}</span></th></tr></thead>
<tbody role="rowgroup">
`, text{"Run all attacks", "すべて実行"}, text{"Attacks and what came of them", "攻撃とその結果"},
			text{"# sent", "# 件送信"}, text{"no guard in front", "手前にガードなし"}, text{"Done: #", "完了: #"},
			text{"Attack", "攻撃"}, withGuard, aroundGuard, text{"Run", "実行"})
		for _, each := range attacks {
			b.put(`<tr role="row" data-attack="{}"><th scope="row" role="rowheader">{}<p>{}</p></th>
<td role="cell" data-side="guarded" data-want="{}"><span class="attacks__side" aria-hidden="true">{}</span><span class="attacks__runs">–</span><span class="attacks__said"></span></td>
<td role="cell" data-side="around" data-want="{}"><span class="attacks__side" aria-hidden="true">{}</span><span class="attacks__runs">–</span><span class="attacks__said"></span></td>
<td role="cell" class="needs-script"><button class="hc-button" data-size="sm" type="button" aria-label="{}">{}</button></td></tr>
`, each.id, each.name, each.story, each.on, withGuard, each.off, aroundGuard, text{`Run: {}`, `実行: {}`}.fill(each.name), text{"Run", "実行"})
		}
		b.put(`</tbody>
</table>
</div>
<p class="note">{}</p>
`, text{`The large number is how often the application ran. A run too many is marked.`, `大きな数字はアプリケーションが動いた回数です。余分な実行には印が付きます。`})
		b.put(`<section class="band" aria-labelledby="by-hand">
<h2 id="by-hand">{}</h2>
<p class="note">{}</p>
<div class="hands">
`, text{"By hand, also without JavaScript", "手で試す（JavaScript なしでも）"},
			text{`Two forms, the application slow on purpose. Press as often as you can before the page changes; then go back and press again.`,
				`二つのフォームと、わざと遅くしたアプリケーション。ページが変わる前に何度でも押し、戻ってまた押してください。`})
		b.byHand("guarded", withGuard, "/api/break/orders", "", on, off, ranOn)
		b.byHand("around", aroundGuard, "/api/unguarded/break/orders", ` data-idempotency="off"`, off, on, ranOff)
		b.put(`</div>
</section>
`)
		b.pager(&breakIt)
	})
}

var (
	withGuard   = text{"With the guard", "ガードあり"}
	aroundGuard = text{"Around the guard", "ガードなし"}
)

// byHand appends a form to press, and how often the application ran for it.
func (b *buffer) byHand(id markup, title text, action string, attributes markup, attack, other string, ran int64) {
	b.card("hand", id, title, func() {
		b.put(`<form method="post" action="{}"{}>
<input type="hidden" name="attack" value="{}">
<input type="hidden" name="other" value="{}">
<input type="hidden" name="amount" value="2400">
<input type="hidden" name="slow" value="1">
<p class="actions"><button class="hc-button" type="submit">{}</button></p>
</form>
<p class="ledger__count" data-ran="{}">{}</p>
`, action, attributes, attack, other, placeOrder, ran, text{`{} times`, `{} 回`}.fill(fill(english, `<strong>{}</strong>`, ran)))
	})
}
