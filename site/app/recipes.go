package app

// recipe is one page that shows something about submitting once.
type recipe struct {
	path    string
	short   text // its name in lists
	title   text // its heading
	summary text // one sentence for the index
}

// The recipes, in the order in which one leads to the next.
var (
	idempotencyKey = recipe{"/recipes/idempotency-key",
		text{"Idempotency key", "冪等キー"},
		text{"Press twice, order once", "二度押しても、注文は一件"},
		text{"One key in every rendered form. Press again, change the amount, type a word: the three branches, live.", "描画されたフォームごとにキーを一つ。もう一度押す、金額を変える、文字を入れる。三つの分岐を実際に試せます。"}}
	postRedirectGet = recipe{"/recipes/post-redirect-get",
		text{"Post, redirect, get", "POST・リダイレクト・GET"},
		text{"Back, and press again: the same receipt", "戻ってもう一度押しても、同じ受付ページ"},
		text{"A redirect keeps Reload harmless, but not Back. The key does, and no script is involved.", "リダイレクトで再読み込みは安全になりますが、「戻る」には効きません。キーなら効きます。スクリプトは要りません。"}}
	asyncJob = recipe{"/recipes/async-job",
		text{"Async job", "非同期ジョブ"},
		text{"Two clicks watch one job", "二度押しても、見つめるジョブは一つ"},
		text{"The answer that is kept is the 202 with its card, so every duplicate polls the same job.", "保存される応答は 202 とジョブカード。重複した送信も同じジョブを見守ります。"}}
	workflowActions = recipe{"/recipes/workflow-actions",
		text{"Workflow action", "ワークフロー操作"},
		text{"Losing to a colleague is 409; racing yourself is not", "409 は同僚に先を越されたとき。自分との競走ではありません"},
		text{"The application's own conflict stays what it is, and a double click never runs into it.", "アプリケーション自身の競合はそのまま。ダブルクリックで競合になることはありません。"}}
	sessionExpiry = recipe{"/recipes/session-expiry",
		text{"Session expiry", "セッション切れ"},
		text{"Sign in, and the interrupted order goes through once", "ログインし直せば、中断した注文が一度だけ通る"},
		text{"401 with a dialog spends no key, so the replayed request commits with the same one.", "ダイアログ付きの 401 はキーを消費しないので、再送されたリクエストが同じキーで確定します。"}}
	editConflict = recipe{"/recipes/edit-conflict",
		text{"Edit conflict", "編集の競合"},
		text{"A version protects updates, a key protects creations", "更新を守るのは版、作成を守るのはキー"},
		text{"Two people edit one record. The version finds it out; the key has another job.", "二人が同じ記録を編集したとき。それに気づくのは版番号で、キーの役目は別にあります。"}}
	networkRetry = recipe{"/recipes/network-retry",
		text{"Network retry", "通信の再試行"},
		text{"No answer? Ask again without fear", "応答がない？ 安心してもう一度"},
		text{"The first request ran, only its answer got lost. The retry brings the same key and gets it.", "最初のリクエストは実行され、応答だけが失われた。再試行は同じキーでその応答を受け取ります。"}}
	paymentsAPI = recipe{"/recipes/api",
		text{"Payments API", "決済 API"},
		text{"The Idempotency-Key header, for programs", "プログラムのための Idempotency-Key ヘッダー"},
		text{"The same guarantee for a JSON endpoint, with curl lines to copy.", "JSON のエンドポイントにも同じ保証を。コピーできる curl の例付き。"}}
	webhook = recipe{"/recipes/webhook",
		text{"Webhook", "Webhook"},
		text{"The same event twice, one effect", "同じイベントが二度届いても、効果は一度"},
		text{"Senders deliver at least once. The event's own id is the key.", "送信側は「少なくとも一回」届けます。イベント自身の ID がキーになります。"}}
	backstop = recipe{"/recipes/backstop",
		text{"The backstop", "最後の砦"},
		text{"When nobody knows whether it ran, the database does", "実行されたか誰にも分からないとき、データベースは知っている"},
		text{"A partial unique index on the key answers “already processed”, and a retried job has its effect once.", "キーへの部分ユニークインデックスが「処理済み」と答え、再実行されたジョブの効果も一度きり。"}}

	breakIt = recipe{"/break",
		text{"Break it", "壊してみる"},
		text{"Break it yourself", "自分で壊してみる"},
		text{"Twenty at once, a slow application, a dropped connection, another payload, a second tab: with the guard and without.", "20 件同時、遅い応答、切れた接続、違う内容、二つ目のタブ。ガードあり・なしで比べます。"}}
	checklist = recipe{"/checklist",
		text{"Checklist", "チェックリスト"},
		text{"The design review, run against this site", "設計レビューを、このサイトで実行する"},
		text{"Questions to ask of any operation that must not happen twice, each tried here and now.", "二度起きてはならない操作への問いを、今ここで一つずつ試します。"}}
)

// recipes are the numbered ones.
var recipes = [...]*recipe{
	&idempotencyKey, &postRedirectGet, &asyncJob, &workflowActions, &sessionExpiry,
	&editConflict, &networkRetry, &paymentsAPI, &webhook, &backstop,
}

// number is a recipe's place among the recipes, from 1; 0 for the other pages.
func (c *recipe) number() int {
	for i, each := range recipes {
		if each == c {
			return i + 1
		}
	}
	return 0
}

// page is the frame of a recipe's page.
func (c *recipe) page(scripts ...string) page {
	return page{title: text{`{} · Singleshot`, `{} · Singleshot`}.fill(c.title), description: c.summary, scripts: scripts}
}
