package app

import (
	"net/http"
	"time"
)

func englishWords() *words {
	w := &words{
		language: english,

		skip:       "Skip to the content",
		languages:  "Language",
		home:       "Singleshot",
		back:       "Back to the order form",
		notices:    "Notifications",
		footer:     `This form, its list and its receipts are one small Go program on Cloudflare Workers. It does not know that a guard stands in front of it.`,
		titleError: "Please check: ",

		title:       "Singleshot: press twice, order once",
		description: "Singleshot stands in front of any web application and lets each form it renders be submitted once. Duplicates get the first answer back.",
		headline:    "Press twice, order once.",
		lead:        `Singleshot stands in front of a web application, puts one key into every form it renders, and lets each key commit once. A duplicate gets the first answer back, and the application needs no change.`,

		form: "Place an order",
		item: "Item",
		items: map[string]string{
			"coffee":   "Coffee beans",
			"tea":      "Green tea",
			"notebook": "Notebook",
			"lamp":     "Desk lamp",
		},
		amount:      "Amount in yen",
		sum:         "Amount",
		amountHint:  "A whole number from 1 to 1,000,000. Nothing is charged.",
		submit:      "Place order",
		answer:      "The answer",
		answerEmpty: "The answer will appear here.",
		lost:        "No answer arrived. What you entered is still here: check the connection and press the button again.",
		faultTitle:  "The order was not placed.",
		faultAdvice: "Correct the marked field and press the button again.",
		faults: map[fault]string{
			unknownItem: "Choose an item from the list.",
			noAmount:    "Enter an amount.",
			notANumber:  "Enter the amount as a whole number, such as 2400.",
			outOfRange:  "Enter an amount from 1 to 1,000,000.",
		},
		placed:       `Order {} is placed.`,
		placedToast:  "Order # is placed.",
		receipt:      "Open the receipt",
		another:      "Start a new order",
		recordTitle:  "Order #",
		order:        `Order {}`,
		orderTitle:   "Order #",
		receiptIntro: "Thank you. Your order is placed.",
		number:       "Number",
		placedAt:     "Placed",
		shortTime:    func(t time.Time) string { return t.UTC().Format("2 Jan, 15:04") },
		time:         func(t time.Time) string { return t.UTC().Format("2 January 2006, 15:04:05 UTC") },

		ledger:      "What the application has",
		ledgerIntro: "Read from its database after every press. It grows only when an order really runs.",
		ledgerCount: func(total int64) markup {
			if total == 1 {
				return `{} order`
			}
			return `{} orders`
		},
		ledgerNone: "No orders yet. Yours will be the first.",
		ledgerLast: "The last orders",
		ledgerAll:  "Orders",
		ledgerMore: "All orders",

		steps:     "Try this",
		stepsNote: `These steps show the guard at work. Opened directly, without it, the application places a new order at every press.`,

		markup:      "The markup",
		markupIntro: `This is all that the application writes: a plain form, and a button that htmx may take over.`,
		markupNote:  `On the way to your browser, the guard puts the key into the form as a hidden field. View this page’s source to see it.`,
		fields:      "…fields…",

		contract:       "The contract",
		contractAsked:  "The submit brings",
		contractAnswer: "The answer is",
		contractNote:   `Only a commit spends a key. After a validation error it is still good, so the corrected form goes through.`,

		refusals: map[int]struct{ title, text string }{
			http.StatusBadRequest:            {"The form could not be read", "What arrived was not a complete form. Nothing was ordered. Go back and press the button again."},
			http.StatusNotFound:              {"There is nothing here", "The address may be mistyped, or the order may never have been placed."},
			http.StatusMethodNotAllowed:      {"That does not work here", "This address cannot be used in that way. Nothing was ordered."},
			http.StatusRequestEntityTooLarge: {"The form is too large", "An order fits into a few hundred bytes. Nothing was ordered."},
			http.StatusUnsupportedMediaType:  {"The form could not be read", "Orders are sent as a form. Nothing was ordered."},
			http.StatusInternalServerError:   {"Something went wrong", "The mistake is ours and has been noted. Please try again in a moment."},
			http.StatusServiceUnavailable:    {"Orders cannot be reached", "The database does not answer. Please try again in a moment."},
		},
	}
	w.step[0].do = "Press the button again"
	w.step[0].see = `Place the order, then press again without touching anything. The same order number comes back with the same message, and no second order appears.`
	w.step[1].do = "Change the amount"
	w.step[1].see = `Press once more with another amount. This key already belongs to an order, so the answer names that order and offers to place yours as a new one.`
	w.step[2].do = "Type a word as the amount"
	w.step[2].see = `Start a new order and enter “ten”. The application refuses it, and the key stays good: correct the amount, press again, and the order is placed.`
	w.step[3].do = "Double-click the button"
	w.step[3].see = `Start a new order and double-click, or press Enter twice. However many submits get through, they carry one key: one order.`
	w.step[4].do = "Turn JavaScript off"
	w.step[4].see = `Reload and place an order. The form leads to a receipt page. Go back and press again: the same receipt.`

	w.contractRows[0].asked = `a fresh key`
	w.contractRows[0].answer = `the application’s own answer: <code>200</code> with a fragment, <code>303</code> to a page, or <code>422</code> for a validation error`
	w.contractRows[1].asked = `a key seen before, with the same values`
	w.contractRows[1].answer = `the first answer again: the same status, the same headers that matter, the same body`
	w.contractRows[2].asked = `a key seen before, with other values`
	w.contractRows[2].answer = `<code>422</code> that names the existing order; the application is not called`
	return w
}
