package core

// phrase is one text in both languages, at the index of its Language. It is plain text without a character that
// html would read as markup, so it is appended as it is.
type phrase [2]string

// variant is the tone of an alert, a data-variant of the component kit.
type variant byte

const (
	variantError variant = iota
	variantWarning
	variantInfo
	variantSuccess
)

func (v variant) String() string {
	return [...]string{"error", "warning", "info", "success"}[v&3]
}

// noticeKind is what is fixed for a type of notice: its status, its tone and its texts.
type noticeKind struct {
	name    string
	status  uint16
	variant variant
	title   phrase
	what    phrase // what happened, and what did not
	way     phrase // what a person can do, on the page or beside the form
	call    phrase // what a program can do

	callTitle, callWhat phrase // the title, and what happened, where the words for people speak of a form
}

// Ways that several types share.
var (
	wayOpen = phrase{
		"Open the form again and send it from there.",
		"フォームを開き直して、もう一度送信してください。",
	}
	wayLater = phrase{
		"Send the form again in a moment. However often you send it, it goes through only once.",
		"少し待ってから、もう一度送信してください。何度送信しても、受け付けられるのは一度だけです。",
	}
	callSameKey = phrase{"Retry with the same key.", "同じキーで再送してください。"}
	callNewKey  = phrase{"Use a new key for a new submission.", "新しい送信には新しいキーを使ってください。"}
)

// Texts beside the types.
var (
	textExists    = phrase{"Already on record: ", "受け付け済み："}
	textCommitted = phrase{"First submission: ", "受け付け日時："}
	textDiffers   = phrase{"Different this time:", "前回と異なる項目："}
	textQuery     = phrase{
		"The fields are the same. What differs is the address that they were sent to, after its question mark.",
		"項目の内容は同じで、送信先アドレスの「?」より後だけが異なります。",
	}
	textNewEntry = phrase{
		"Is it meant as a second, separate entry? Then submit these values as a new one.",
		"もう1件、別のものとして登録する場合は、今回の内容を新しい登録として送信できます。",
	}
	textSubmitNew = phrase{"Submit as a new entry", "新しい登録として送信する"}
	textSendAgain = phrase{"Send again", "もう一度送信する"}
	textNotWhole  = phrase{
		"Files, and text that is not UTF-8, cannot be carried over.",
		"ファイルと、UTF-8 以外の文字は引き継げません。",
	}
	textOpen    = phrase{"Open the form", "フォームを開く"}
	textWaits   = phrase{"The result appears here by itself.", "結果が出ると、ここに自動で表示されます。"}
	textLook    = phrase{"Look now", "今すぐ確認する"}
	textWrapped = phrase{"Answer to your submission", "送信への応答"}
)

// originSent stands for origin where the request had gone out.
var originSent = noticeKind{
	name: NoticeOrigin, status: 502, variant: variantWarning,
	title: phrase{"The result did not arrive", "結果が届きませんでした"},
	what: phrase{
		"Your submission was passed on, but the connection broke before the result came. Whether it went through is not known.",
		"送信内容は届けましたが、結果が返る前に接続が切れました。受け付けられたかどうかは分かりません。",
	},
	way: phrase{
		"Check whether the entry exists before you send the form again.",
		"登録されているかどうかを確かめてから、必要であればもう一度送信してください。",
	},
	call: callSameKey,
}

// originUnguarded stands for origin where the request was a page's, or had no key.
var originUnguarded = noticeKind{
	name: NoticeOrigin, status: 502, variant: variantError,
	title: phrase{"The site’s application could not be reached", "サイトのアプリケーションに接続できませんでした"},
	what:  phrase{"Nothing was passed on, and nothing was changed.", "リクエストは届いておらず、何も変更されていません。"},
	way:   phrase{"Try again in a moment.", "少し待ってから、もう一度お試しください。"},
	call:  phrase{"Repeat the request later.", "時間をおいて、同じリクエストを送ってください。"},
}

// noticeKinds are all types. The first one stands for a type that nobody knows.
var noticeKinds = [...]noticeKind{
	{
		name: NoticeConfig, status: 503, variant: variantError,
		title:     phrase{"Forms are not accepted right now", "現在、フォームを受け付けていません"},
		callTitle: phrase{"Submissions are not accepted right now", "現在、送信を受け付けていません"},
		callWhat: phrase{
			"The guard of this site is not set up correctly, so the request was not passed on. Nothing was changed.",
			"このサイトのガードの設定に誤りがあるため、リクエストを受け付けませんでした。何も変更されていません。",
		},
		what: phrase{
			"The protection of this site’s forms is not set up correctly, so your submission was not passed on. Nothing was changed.",
			"このサイトのフォームを保護する設定に誤りがあるため、受け付けませんでした。何も変更されていません。",
		},
		way: phrase{
			"Try again later, or tell the people who run this site.",
			"時間をおいてもう一度お試しいただくか、サイトの担当者にお知らせください。",
		},
		call: phrase{
			"The guard’s log says which setting is wrong.",
			"どの設定に誤りがあるかは、ガードのログに記録されています。",
		},
	},
	{
		name: NoticeMismatch, status: 422, variant: variantError,
		title: phrase{"Already submitted with different values", "すでに別の内容で送信されています"},
		what: phrase{
			"This form has already gone through. What you sent just now is different, so it was not passed on, and nothing was changed.",
			"このフォームの送信はすでに受け付けられています。今回の内容はそのときと異なるため、受け付けませんでした。何も変更されていません。",
		},
		way: phrase{
			"For a second, separate entry, open the form again and fill it in.",
			"もう1件、別のものとして登録する場合は、フォームを開き直して入力してください。",
		},
		call: callNewKey,
		callWhat: phrase{
			"A request with this key has gone through. This one has other values, so it was not passed on, and nothing was changed.",
			"このキーのリクエストはすでに受け付けられています。今回の内容はそのときと異なるため、受け付けませんでした。何も変更されていません。",
		},
	},
	{
		name: NoticeMissingKey, status: 400, variant: variantError,
		title:     phrase{"The form’s key is missing", "フォームのキーがありません"},
		callTitle: phrase{"The key is missing", "キーがありません"},
		callWhat: phrase{
			"Requests here carry a key, so that each goes through only once. This one came without and was not passed on.",
			"ここでは、二重に受け付けないよう、リクエストにキーが必要です。今回はキーがなかったため、受け付けませんでした。",
		},
		what: phrase{
			"Each form here carries a hidden key, so that it goes through only once. This submission came without one and was not passed on.",
			"ここのフォームには、二重に受け付けないための見えないキーが付いています。今回の送信にはキーがなかったため、受け付けませんでした。",
		},
		way: wayOpen,
		call: phrase{
			"Send a key: in the Idempotency-Key header, in the header or JSON member that the rule names, or in the form field idempotency_key.",
			"キーを付けてください。Idempotency-Key ヘッダー、ルールで指定されたヘッダーや JSON の項目、またはフォームの項目 idempotency_key で送れます。",
		},
	},
	{
		name: NoticeBadKey, status: 400, variant: variantError,
		title: phrase{"The key cannot be used", "使えないキーです"},
		what: phrase{
			"The key that came with this submission does not have the right form, so the submission was not passed on.",
			"送信に付いていたキーの形式が正しくないため、受け付けませんでした。",
		},
		way: wayOpen,
		call: phrase{
			"A key has 16 to 128 characters of A–Z, a–z, 0–9, - and _, bare or as a quoted structured-field string.",
			"キーは A–Z、a–z、0–9、-、_ からなる 16～128 文字です。そのまま、または引用符で囲んだ文字列（structured field）として送ってください。",
		},
	},
	{
		name: NoticeBadBody, status: 400, variant: variantError,
		title: phrase{"The submission could not be read", "送信内容を読み取れませんでした"},
		what: phrase{
			"What arrived is incomplete or in a format that cannot be read, so it was not passed on.",
			"届いた内容が途中で切れているか、読み取れない形式だったため、受け付けませんでした。",
		},
		way: phrase{
			"Return to the form and send it again.",
			"フォームに戻って、もう一度送信してください。",
		},
		call: phrase{
			"The body must match its Content-Type, and the key must stand in its first 1 MiB.",
			"本文は Content-Type に合っている必要があり、キーは先頭の 1 MiB 以内に必要です。",
		},
	},
	{
		name: NoticeNoSubject, status: 400, variant: variantError,
		title: phrase{"It is not clear who is submitting", "誰からの送信か確認できません"},
		what: phrase{
			"Submissions are told apart here by who sends them, for example by a sign-in. That was missing, so this one was not passed on.",
			"ここでは、誰からの送信かをサインインなどの情報で見分けています。その情報がなかったため、受け付けませんでした。",
		},
		way: phrase{
			"Sign in, open the form again, and send it from there.",
			"サインインしてからフォームを開き直し、もう一度送信してください。",
		},
		call: phrase{
			"Send the cookie, header or token that the rule names; by default this is Authorization.",
			"ルールで指定された Cookie、ヘッダー、またはトークンを付けてください（既定では Authorization）。",
		},
	},
	{
		name: NoticeForgedKey, status: 403, variant: variantError,
		title:     phrase{"This form’s key is not valid", "このフォームのキーは無効です"},
		callTitle: phrase{"The key is not valid", "キーが無効です"},
		callWhat: phrase{
			"The key was changed, or it was not made by this site. The request was not passed on.",
			"キーが書き換えられているか、このサイトで発行されたものではありません。そのため、受け付けませんでした。",
		},
		what: phrase{
			"The hidden key in the form was changed, or it was not made by this site. The submission was not passed on.",
			"フォームに付いている見えないキーが書き換えられているか、このサイトで発行されたものではありません。そのため、受け付けませんでした。",
		},
		way: wayOpen,
		call: phrase{
			"Send a key exactly as it was given out.",
			"キーは発行されたまま送ってください。",
		},
	},
	{
		name: NoticeCrossSite, status: 403, variant: variantError,
		title: phrase{"Sent from another site", "別のサイトから送信されました"},
		what: phrase{
			"This form can only be sent from its own site. The submission came from somewhere else and was not passed on.",
			"このフォームは、このサイトからだけ送信できます。別のサイトから送られたため、受け付けませんでした。",
		},
		way: phrase{
			"Open the form on this site and send it from there.",
			"このサイトでフォームを開いて、そこから送信してください。",
		},
		call: phrase{
			"Send it from a page of the same origin.",
			"同じオリジンのページから送信してください。",
		},
	},
	{
		name: NoticeUnknown, status: 409, variant: variantWarning,
		title: phrase{"It is not known whether this went through", "受け付けられたかどうか分かりません"},
		what: phrase{
			"This form was sent before, and the connection broke before the result came. So that nothing is entered twice, it is not sent again.",
			"このフォームは以前に送信されましたが、結果が返る前に接続が切れました。二重に登録しないよう、今回は送信していません。",
		},
		callWhat: phrase{
			"A request with this key was passed on, and the connection broke before its result came. So that nothing is done twice, this one was not.",
			"このキーのリクエストは届けましたが、結果が返る前に接続が切れました。二重に処理しないよう、今回は届けていません。",
		},
		way: phrase{
			"Check whether the entry exists. If it does not, ask the people who run this site.",
			"登録されているかどうかを確かめてください。見当たらない場合は、サイトの担当者にお問い合わせください。",
		},
		call: phrase{
			"The key is held until its record’s time is over or the record is forgotten.",
			"このキーは、記録の保存期間が過ぎるか、記録が消去されるまで保留されます。",
		},
	},
	{
		name: NoticeTooLarge, status: 413, variant: variantError,
		title: phrase{"The submission is too large", "送信内容が大きすぎます"},
		what: phrase{
			"It is larger than this form may send, so it was not passed on.",
			"このフォームで送れる大きさを超えているため、受け付けませんでした。",
		},
		callWhat: phrase{
			"It is larger than a request may be here, so it was not passed on.",
			"ここで送れる大きさを超えているため、受け付けませんでした。",
		},
		way: phrase{
			"Return to the form, choose smaller or fewer files, and send it again.",
			"フォームに戻り、ファイルを小さくするか減らしてから、もう一度送信してください。",
		},
		call: phrase{
			"The key can still be used.",
			"キーはまだ使えます。",
		},
	},
	{
		name: NoticeBusy, status: 429, variant: variantError,
		title: phrase{"Too many different submissions", "異なる内容の送信が多すぎます"},
		what: phrase{
			"This form has gone through once, and different values have been sent from it many times since. No more are accepted from it.",
			"このフォームの送信は受け付け済みで、その後、異なる内容が何度も送信されました。このフォームからはこれ以上受け付けません。",
		},
		callWhat: phrase{
			"A request with this key has gone through, and others with different values came many times since. No more are accepted with it.",
			"このキーのリクエストは受け付け済みで、その後、異なる内容が何度も送信されました。このキーではこれ以上受け付けません。",
		},
		way:  wayOpen,
		call: callNewKey,
	},
	{
		name: NoticeOrigin, status: 502, variant: variantError,
		title: phrase{"The site’s application could not be reached", "サイトのアプリケーションに接続できませんでした"},
		what: phrase{
			"Your submission was not passed on, and nothing was changed.",
			"送信内容は届いておらず、何も変更されていません。",
		},
		way:  wayLater,
		call: callSameKey,
	},
	{
		name: NoticeRunning, status: 503, variant: variantInfo,
		title: phrase{"Your submission is being worked on", "送信内容を処理しています"},
		what: phrase{
			"It has arrived and takes longer than usual. It is not sent a second time.",
			"送信内容は届いており、処理に時間がかかっています。二重に送信されることはありません。",
		},
		way: phrase{
			"Send the form again in a moment to see the result.",
			"少し待ってからもう一度送信すると、結果が表示されます。",
		},
		call: phrase{
			"Repeat the request with the same key after the time in Retry-After.",
			"Retry-After の時間が過ぎてから、同じキーで同じリクエストを送ってください。",
		},
	},
	{
		name: NoticeStore, status: 503, variant: variantError,
		title: phrase{"Your submission was not sent", "送信できませんでした"},
		what: phrase{
			"Right now it cannot be made sure that the form goes through only once, so it was held back. Nothing was changed.",
			"二重の受け付けを防ぐ仕組みを現在利用できないため、送信を見合わせました。何も変更されていません。",
		},
		callWhat: phrase{
			"Right now it cannot be made sure that the request goes through only once, so it was held back. Nothing was changed.",
			"二重の受け付けを防ぐ仕組みを現在利用できないため、リクエストを見合わせました。何も変更されていません。",
		},
		way:  wayLater,
		call: callSameKey,
	},
	{
		name: NoticeNotFound, status: 404, variant: variantError,
		title: phrase{"Nothing here", "見つかりません"},
		what: phrase{
			"There is nothing at this address, or its time is over.",
			"このアドレスには何もないか、保存期間が過ぎています。",
		},
	},
	{
		name: NoticeUnauthorized, status: 401, variant: variantError,
		title: phrase{"Password needed", "パスワードが必要です"},
		what: phrase{
			"This page is for the people who run this site.",
			"このページは、サイトの担当者用です。",
		},
		way: phrase{
			"Sign in with the password that was set for it.",
			"設定されたパスワードでサインインしてください。",
		},
		call: phrase{
			"Send it as a bearer token, or as the password of Basic authentication.",
			"Bearer トークン、または Basic 認証のパスワードとして送ってください。",
		},
	},
	{
		name: NoticeDone, status: 200, variant: variantSuccess,
		title: phrase{"Already done", "受け付け済みです"},
		what: phrase{
			"This form has gone through. It was not sent a second time.",
			"このフォームの送信は受け付けられています。二重には送信していません。",
		},
		callWhat: phrase{
			"A request with this key has gone through. This one was not passed on.",
			"このキーのリクエストはすでに受け付けられています。今回のリクエストは届けていません。",
		},
	},
	{
		name: NoticeReleased, status: 200, variant: variantWarning,
		title: phrase{"The submission did not go through", "送信は完了していません"},
		what: phrase{
			"The application did not accept it or could not be reached. The form can be sent again.",
			"アプリケーションが受け付けなかったか、接続できませんでした。フォームはもう一度送信できます。",
		},
		way: phrase{
			"Go back to the form, check it, and send it again.",
			"フォームに戻り、内容を確かめてから、もう一度送信してください。",
		},
	},
}
