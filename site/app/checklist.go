package app

import "net/http"

// point is one question of the design review.
type point struct {
	id       string // what checklist.js calls it
	question text
	here     text // how this site answers it
	see      *recipe
}

var points = [...]point{
	{"repeat", text{"May this operation be repeated without the result changing? If not: what stops it?", "この操作は、繰り返しても結果が変わらないか。変わるなら、何がそれを止めるのか。"},
		text{`The same form, sent twice: the second gets the first one’s bytes, and the application runs once.`, `同じフォームを二度送ると、二度目は一度目と同じバイト列を受け取り、アプリケーションは一度だけ動きます。`}, &idempotencyKey},
	{"flight", text{"What happens to a duplicate that arrives while the first is still running?", "最初の処理中に届いた重複はどうなるか。"},
		text{`It waits and gets the same answer. It is not told that it lost a race against itself.`, `待って、同じ応答を受け取ります。自分自身との競走に負けたとは言われません。`}, &breakIt},
	{"changed", text{"What if the key is the same and the content is not?", "キーが同じで内容が違ったら。"},
		text{`<code>422</code> that names what exists. The application is not called.`, `すでにあるものを名指しする <code>422</code>。アプリケーションは呼ばれません。`}, &idempotencyKey},
	{"validation", text{"Can a person correct a mistake and send the same form again?", "入力を直して、同じフォームをもう一度送れるか。"},
		text{`A refused entry spends nothing: the corrected one commits with the same key.`, `拒まれた入力は何も消費せず、直したものが同じキーで確定します。`}, &idempotencyKey},
	{"scope", text{"For how long is a key remembered, and whose is it?", "キーはどのくらいの間、誰のものとして記憶されるか。"},
		text{`24 hours, for one visitor and one form. Another visitor with the same key gets a record of their own, never this one’s answer.`, `24 時間、一人の訪問者の一つのフォームとして。同じキーでも別の訪問者には別の記録となり、この応答が見えることはありません。`}, &sessionExpiry},
	{"constraint", text{"Does the database itself hold what must be unique?", "一意であるべきものを、データベース自身が保証しているか。"},
		text{`Past the guard, the same key twice: the index refuses, and the answer is “already processed”.`, `ガードを通さずに同じキーで二度。インデックスが拒み、「処理済み」と答えます。`}, &backstop},
	{"webhook", text{"Does a webhook’s receiver act once when an event comes twice?", "Webhook の受信側は、同じイベントが二度届いても一度しか動かないか。"},
		text{`The event’s id is the key, so the receiver runs once.`, `イベントの ID がキーなので、受信側が動くのは一度です。`}, &webhook},
	{"job", text{"Is it harmless when a job runs twice?", "ジョブが二度実行されても問題ないか。"},
		text{`It runs twice, and its effect is there once: the primary key of the effect is the job.`, `実行は二度でも効果は一度です。効果の主キーがジョブだからです。`}, &backstop},
}

func (a *app) checklistPage(w http.ResponseWriter, r *http.Request) {
	indexes, err := a.Store.UniqueIndexes(r.Context())
	if err != nil {
		a.fail(w, r, err)
		return
	}
	show(w, r, http.StatusOK, checklist.page("checklist.js"), func(b *buffer) {
		b.intro(&checklist, text{
			`Submitting once is not something to add at the end: it decides tables and interfaces. These are the questions for the review, and each has a test that runs against this very site.`,
			`「一度きり」は後から付け足すものではなく、テーブルとインターフェースを決めるものです。レビューで問うべきことを並べ、それぞれをまさにこのサイトで試します。`})
		b.put(`<p class="actions needs-script"><button class="hc-button" data-variant="primary" type="button" data-check-all>{}</button></p>
<p class="note" role="status" data-check-sum data-said="{}"></p>
<noscript><p class="note">{}</p></noscript>
<ol class="points" data-checks data-said-pass="{}" data-said-fail="{}" data-said-run="{}" data-said-none="{}"
    data-said-ran="{}" data-said-settled="{}" data-said-exports="{}" data-said-stranger="{}">
`, text{"Run the checks", "チェックを実行"}, text{"# of # hold", "# / # が成立"},
			text{"The checks send requests by script. Without JavaScript, follow the link of each point and try it by hand.", "チェックはスクリプトでリクエストを送ります。JavaScript なしでは、各項目のリンク先で手で試してください。"},
			text{"holds", "成立"}, text{"does not hold", "不成立"}, text{"running", "実行中"}, text{"no guard in front of this site", "このサイトの手前にガードがありません"},
			text{"runs: #", "実行: # 回"}, text{"settled payments: #", "完了した支払い: # 件"}, text{"exports: #", "エクスポート: # 件"},
			text{"without the cookie: #", "Cookie なし: #"})
		for _, each := range points {
			b.put(`<li data-check="{}">
<h2>{}</h2>
<p>{} <a href="{}">{}</a></p>
<p class="points__result" data-result></p>
</li>
`, each.id, each.question, each.here, each.see.path, each.see.short)
		}
		b.put(`</ol>
`)
		code := ""
		for _, each := range indexes {
			code += each + ";\n"
		}
		b.listing(listing{id: "indexes", title: text{"The constraints, as the database reports them", "データベースが報告する制約"}, code: code})
		b.pager(&checklist)
	})
}
