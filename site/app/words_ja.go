package app

import (
	"net/http"
	"time"
)

func japaneseWords() *words {
	w := &words{
		language: japanese,

		skip:       "本文へ移動",
		languages:  "言語",
		home:       "Singleshot",
		back:       "注文フォームへ戻る",
		notices:    "通知",
		footer:     `このフォームと一覧、受付ページは、Cloudflare Workers で動く小さな Go プログラムです。手前にガードがあることを、このプログラムは知りません。`,
		titleError: "入力をご確認ください: ",

		title:       "Singleshot: 二度押しても、注文は一件",
		description: "Singleshot は Web アプリケーションの手前に立ち、描画されたフォームを一度だけ受け付けます。重複した送信には最初の応答を返します。",
		headline:    "二度押しても、注文は一件。",
		lead:        `Singleshot は Web アプリケーションの手前に立ち、描画されるフォームごとにキーを一つ入れ、どのキーも一度だけコミットさせます。重複した送信には最初の応答がそのまま返ります。アプリケーション側の変更は要りません。`,

		form: "注文する",
		item: "品目",
		items: map[string]string{
			"coffee":   "コーヒー豆",
			"tea":      "緑茶",
			"notebook": "ノート",
			"lamp":     "デスクライト",
		},
		amount:      "金額（円）",
		sum:         "金額",
		amountHint:  "1 から 1,000,000 までの整数。実際の請求はありません。",
		submit:      "注文を確定",
		answer:      "応答",
		answerEmpty: "応答はここに表示されます。",
		lost:        "応答が届きませんでした。入力内容は残っています。接続を確認して、もう一度ボタンを押してください。",
		faultTitle:  "注文は確定していません。",
		faultAdvice: "印の付いた項目を直して、もう一度押してください。",
		faults: map[fault]string{
			unknownItem: "一覧から品目を選んでください。",
			noAmount:    "金額を入力してください。",
			notANumber:  "金額は 2400 のように整数で入力してください。",
			outOfRange:  "金額は 1 から 1,000,000 までで入力してください。",
		},
		placed:       `注文 {} を受け付けました。`,
		placedToast:  "注文 # を受け付けました。",
		receipt:      "受付内容を見る",
		another:      "新しく注文する",
		recordTitle:  "注文 #",
		order:        `注文 {}`,
		orderTitle:   "注文 #",
		receiptIntro: "ありがとうございます。ご注文を受け付けました。",
		number:       "番号",
		placedAt:     "受付日時",
		shortTime:    func(t time.Time) string { return t.UTC().Format("1月2日 15:04") },
		time:         func(t time.Time) string { return t.UTC().Format("2006年1月2日 15:04:05 UTC") },

		ledger:      "アプリケーションにある注文",
		ledgerIntro: "ボタンを押すたびにデータベースから読み直します。増えるのは、注文が本当に実行されたときだけです。",
		ledgerCount: func(int64) markup { return `{} 件` },
		ledgerNone:  "まだ注文はありません。最初の一件をどうぞ。",
		ledgerLast:  "最近の注文",
		ledgerAll:   "注文一覧",
		ledgerMore:  "すべての注文",

		steps:     "試してみてください",
		stepsNote: `これらはガードの働きを見る手順です。ガードを通さずにアプリケーションを直接開くと、押すたびに新しい注文ができます。`,

		markup:      "マークアップ",
		markupIntro: `アプリケーションが書くのはこれだけです。ふつうのフォームと、htmx が引き継ぐこともできるボタンが一つ。`,
		markupNote:  `ブラウザに届くまでの間に、ガードがキーを hidden フィールドとしてフォームに入れます。このページのソースを表示すると確かめられます。`,
		fields:      "…フィールド…",

		contract:       "契約",
		contractAsked:  "送信されたもの",
		contractAnswer: "応答",
		contractNote:   `キーが消費されるのはコミットのときだけです。入力エラーのあともキーは有効なので、直したフォームはそのまま通ります。`,

		refusals: map[int]struct{ title, text string }{
			http.StatusBadRequest:            {"フォームを読み取れませんでした", "届いた内容が不完全でした。注文は行われていません。前のページに戻り、もう一度ボタンを押してください。"},
			http.StatusNotFound:              {"ページが見つかりません", "アドレスが間違っているか、その番号の注文は存在しません。"},
			http.StatusMethodNotAllowed:      {"この操作はできません", "このアドレスはその方法では使えません。注文は行われていません。"},
			http.StatusRequestEntityTooLarge: {"フォームが大きすぎます", "注文は数百バイトに収まるはずです。注文は行われていません。"},
			http.StatusUnsupportedMediaType:  {"フォームを読み取れませんでした", "注文はフォームとして送信してください。注文は行われていません。"},
			http.StatusInternalServerError:   {"問題が発生しました", "こちらの不具合として記録しました。しばらくしてからもう一度お試しください。"},
			http.StatusServiceUnavailable:    {"注文データに接続できません", "データベースが応答していません。しばらくしてからもう一度お試しください。"},
		},
	}
	w.step[0].do = "もう一度押す"
	w.step[0].see = `注文を確定したら、何も触らずにもう一度押してください。同じ注文番号と同じ通知が返り、二件目の注文はできません。`
	w.step[1].do = "金額を変える"
	w.step[1].see = `金額を変えて、もう一度押してください。このキーにはすでに注文があるため、その注文を名指しした応答が返り、新しい注文として送る方法も示されます。`
	w.step[2].do = "金額に文字を入れる"
	w.step[2].see = `新しい注文で「十」と入力してください。アプリケーションは受け付けませんが、キーは有効なままです。金額を直して押せば、注文は確定します。`
	w.step[3].do = "ダブルクリックする"
	w.step[3].see = `新しい注文でダブルクリックするか、Enter を二度押してください。何度送信されてもキーは一つ、注文も一件です。`
	w.step[4].do = "JavaScript を切る"
	w.step[4].see = `再読み込みして注文すると、受付ページに移ります。前のページに戻ってもう一度押しても、同じ受付ページに着きます。`

	w.contractRows[0].asked = `新しいキー`
	w.contractRows[0].answer = `アプリケーション自身の応答: <code>200</code> のフラグメント、<code>303</code> のリダイレクト、または入力エラーの <code>422</code>`
	w.contractRows[1].asked = `既知のキーと同じ内容`
	w.contractRows[1].answer = `最初の応答をもう一度: 同じステータス、意味のある同じヘッダー、同じ本文`
	w.contractRows[2].asked = `既知のキーと違う内容`
	w.contractRows[2].answer = `既存の注文を名指しする <code>422</code>。アプリケーションは呼ばれません`
	return w
}
