package page

// Word names a text that a person reads.
type Word byte

// The texts.
const (
	WordHint      Word = iota // beside an answer that is the first one again
	WordSpent                 // at a form that went through
	WordSent                  // at a form that was sent, and nobody knows how it ended
	WordDuplicate             // at a form that is being sent again without a change
	WordChanged               // at a form that went through and holds something else now
	WordFresh                 // on the button that starts a new entry with these values
	WordStarted               // after it
	WordFailed                // where no new entry could be started
	words
)

// texts are in English and Japanese.
var texts = [words][2]string{
	WordHint: {
		"You had already sent this, so nothing was done twice. Here is the first result again.",
		"すでに送信済みのため、最初の結果をもう一度表示しています。二重には受け付けていません。",
	},
	WordSpent: {
		"This form has already gone through. Sent again without a change, it shows the same result.",
		"このフォームはすでに受け付けられています。同じ内容で送信すると、最初の結果が表示されます。",
	},
	WordSent: {
		"This form has already been sent. Sent again without a change, it goes through only once.",
		"このフォームはすでに送信されています。同じ内容で送信しても、受け付けられるのは一度だけです。",
	},
	WordDuplicate: {
		"Nothing has changed since this form went through. The first result follows again.",
		"受け付け済みの内容から変更がありません。最初の結果をもう一度表示します。",
	},
	WordChanged: {
		"This form has already gone through with other values. To submit these, start a new entry.",
		"このフォームは別の内容で受け付け済みです。今の内容を送信するには、新しい登録を始めてください。",
	},
	WordFresh: {
		"Start a new entry with these values",
		"この内容で新しい登録を始める",
	},
	WordStarted: {
		"This is a new entry now. Nothing has been sent yet.",
		"新しい登録になりました。まだ送信されていません。",
	},
	WordFailed: {
		"A new entry cannot be started here. Open the form again.",
		"ここでは新しい登録を始められません。フォームを開き直してください。",
	},
}

// Text returns a text in the language of a page, by its tag (BCP 47): Japanese for ja, English for all others.
func Text(w Word, language string) string {
	if w >= words {
		return ""
	}
	japanese := len(language) > 1 && language[0]|0x20 == 'j' && language[1]|0x20 == 'a' && (len(language) == 2 || language[2] == '-')
	if japanese {
		return texts[w][1]
	}
	return texts[w][0]
}

// Say returns the text for a form of which this tab knows a state, by what a submit of it is or would be; sending
// says that it is on its way. It returns one past the texts for none. A form says only what the guard will do: that
// something else went through is said where this would be refused, and nobody knows of a form that was only sent.
func Say(v Verdict, s State, sending bool) Word {
	switch {
	case s == Sent && v == Duplicate:
		return WordSent
	case s == Spent && v == Duplicate && sending:
		return WordDuplicate
	case s == Spent && v == Duplicate:
		return WordSpent
	case s == Spent && v == Changed:
		return WordChanged
	}
	return words
}

// Client returns the value of Idempotency-Client for a submit: which one of this tab it is with its key, at most
// 255, and what the person did: click, enter, retry or replay; "" where nobody knows.
func Client(press int, trigger string) string {
	var digits [3]byte
	from := len(digits)
	for n := press; n > 0 || from == len(digits); n /= 10 {
		from--
		digits[from] = '0' + byte(n%10)
	}
	value := "attempt=" + string(digits[from:])
	switch trigger {
	case "click", "enter", "retry", "replay":
		value += "; trigger=" + trigger
	}
	return value
}
