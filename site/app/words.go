package app

import "time"

// words is everything a page says, in one language. Phrases of type markup may hold tags and {} for what is
// put in; strings are plain text.
type words struct {
	language language

	skip       string // link past the header
	languages  string // label of the language switch
	home       string
	back       string // link to the index
	notices    string // label of the toasts
	footer     markup
	titleError string // what a page title begins with when the form needs a correction

	title       string
	description string
	headline    string
	lead        markup

	form         string
	item         string
	items        map[string]string
	amount       string
	amountHint   string
	sum          string // heading of amounts that have their yen sign
	submit       string
	answer       string
	answerEmpty  string
	lost         string // shown by the page's script when no answer arrived
	faultTitle   string
	faultAdvice  string
	faults       map[fault]string
	placed       markup // {} the order's number, marked up
	placedToast  string // # stands for the number
	receipt      string
	another      string
	recordTitle  string // # stands for the number
	order        markup // {} the number
	orderTitle   string // # stands for the number
	receiptIntro string
	number       string
	placedAt     string
	time         func(time.Time) string
	shortTime    func(time.Time) string

	ledger      string
	ledgerIntro string
	ledgerCount func(total int64) markup
	ledgerNone  string
	ledgerLast  string
	ledgerAll   string
	ledgerMore  string // link to the page of orders

	steps     string
	stepsNote markup
	step      [5]struct {
		do  string
		see markup
	}

	markup      string
	markupIntro markup
	markupNote  markup
	fields      string // stands for the form's fields in the markup shown

	contract       string
	contractAsked  string
	contractAnswer string
	contractRows   [3]struct{ asked, answer markup }
	contractNote   markup

	refusals map[int]struct{ title, text string } // by status
}

// speak returns the words of a language.
func speak(lang language) *words {
	if lang == japanese {
		return japaneseWords()
	}
	return englishWords()
}
