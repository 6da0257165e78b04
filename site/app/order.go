package app

import (
	"strconv"
	"strings"

	"github.com/singleshot-edge/singleshot/site/store"
)

// The amounts an order may have, in yen.
const (
	minAmount = 1
	maxAmount = 1_000_000
)

// items are the ids of what can be ordered, in the order of the form. Only ids are submitted and stored:
// the list of orders is public, so nobody's free text stands in it.
var items = [...]string{"coffee", "tea", "notebook", "lamp"}

var itemNames = map[string]text{
	"coffee":   {"Coffee beans", "コーヒー豆"},
	"tea":      {"Green tea", "緑茶"},
	"notebook": {"Notebook", "ノート"},
	"lamp":     {"Desk lamp", "デスクライト"},
}

// entry is the form as the visitor filled it in.
type entry struct {
	item    string
	amount  string
	trouble string // what should go wrong, where a recipe offers it
}

// blank is what a fresh form shows, so that one press places an order.
var blank = entry{item: "coffee", amount: "2400"}

// fault names what is wrong with a field.
type fault int

const (
	fine fault = iota
	unknownItem
	noAmount
	notANumber
	outOfRange
)

// faults has one fault for each field of the form.
type faults struct {
	item   fault
	amount fault
}

func (f faults) any() bool { return f.item != fine || f.amount != fine }

// read turns an entry into an order without number and time, or says what is wrong with each field.
func (e entry) read() (store.Order, faults) {
	order := store.Order{Item: e.item}
	bad := faults{item: unknownItem}
	for _, id := range items {
		if e.item == id {
			bad.item = fine
		}
	}
	order.Amount, bad.amount = readAmount(e.amount)
	return order, bad
}

// readAmount reads a whole number of yen as people write it: surrounding space, a yen sign, full-width
// digits and thousands separators are allowed ("2400", "2,400", "¥2,400", "２４００円"); signs, fractions and
// words are not.
func readAmount(text string) (int64, fault) {
	text = strings.Map(narrow, strings.TrimSpace(text))
	text = strings.TrimPrefix(text, "¥")
	text = strings.TrimSpace(strings.TrimSuffix(text, "円"))
	if text == "" {
		return 0, noAmount
	}
	groups := strings.Split(text, ",")
	for i, group := range groups {
		if group == "" || i > 0 && len(group) != 3 || i == 0 && len(groups) > 1 && len(group) > 3 {
			return 0, notANumber
		}
		for _, c := range []byte(group) {
			if c < '0' || c > '9' {
				return 0, notANumber
			}
		}
	}
	digits := strings.TrimLeft(strings.Join(groups, ""), "0")
	if len(digits) > len(strconv.Itoa(maxAmount)) {
		return 0, outOfRange
	}
	amount, _ := strconv.ParseInt("0"+digits, 10, 64) // at most eight digits: cannot fail
	if amount < minAmount || amount > maxAmount {
		return 0, outOfRange
	}
	return amount, fine
}

// narrow maps the full-width forms of digits, comma and yen sign to the plain ones.
func narrow(r rune) rune {
	switch {
	case '０' <= r && r <= '９':
		return r - '０' + '0'
	case r == '，':
		return ','
	case r == '￥':
		return '¥'
	}
	return r
}

// faultTexts are what a person is told.
var faultTexts = map[fault]text{
	unknownItem: {"Choose an item from the list.", "一覧から品目を選んでください。"},
	noAmount:    {"Enter an amount.", "金額を入力してください。"},
	notANumber:  {"Enter the amount as a whole number, such as 2400.", "金額は 2400 のように整数で入力してください。"},
	outOfRange:  {"Enter an amount from 1 to 1,000,000.", "金額は 1 から 1,000,000 までで入力してください。"},
}
