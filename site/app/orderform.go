package app

import "strings"

// orderForm is an order form of one of the recipes.
type orderForm struct {
	recipe *recipe
	action string // where it posts to
	form   markup // attributes of the form
	button markup // attributes of the button; "" for a form that htmx leaves alone
	extra  func(b *buffer, e entry)
}

// htmxButton lets htmx take the press over.
const htmxButton markup = `
          data-hx-post="{}"
          data-hx-target="#order-result" data-hx-swap="innerHTML"
          data-hx-disabled-elt="this"`

const (
	formStart  markup = `<form method="post" action="{}"{}>`
	formButton markup = `<button class="hc-button" data-variant="primary" type="submit"{}>{}</button>`
	formEnd    markup = `</form>`
)

// start, press and resultRegion are the form as the page has it and as it shows it: one source, so that what is
// shown is what is there.
func (f *orderForm) start() markup { return fill(english, formStart, f.action, f.form) }

func (f *orderForm) press(l language) markup {
	attributes := f.button
	if strings.Contains(string(attributes), "{}") {
		attributes = fill(l, attributes, f.action)
	}
	return fill(l, formButton, attributes, placeOrder)
}

var placeOrder = text{"Place order", "注文を確定"}

// sample is the form's markup as text, its fields cut short.
func (f *orderForm) sample(l language) string {
	return strings.Join([]string{
		string(f.start()),
		"  " + text{"…fields…", "…フィールド…"}.plain(l),
		"  " + string(f.press(l)),
		string(formEnd),
	}, "\n")
}

// orderForm appends the form with what the visitor entered and what is wrong with it.
func (b *buffer) orderForm(f *orderForm, e entry, bad faults) {
	b.put(`{}
<div class="hc-field"{}>
<label class="hc-field__label" for="item">{}</label>
<select class="hc-select" id="item" name="item"{}>
`, f.start(), invalidField(bad.item), itemLabel, b.invalidControl(bad.item, "item-error"))
	b.itemOptions(e.item)
	b.put(`</select>
{}</div>
<div class="hc-field"{}>
<label class="hc-field__label" for="amount">{}</label>
<input class="hc-input" id="amount" name="amount" type="text" inputmode="numeric" autocomplete="off" maxlength="40" value="{}"{}>
<p class="hc-field__hint" id="amount-hint">{}</p>
{}</div>
`, b.faultText(bad.item, "item-error"), invalidField(bad.amount), amountLabel, e.amount, b.invalidAmount(bad), amountHint,
		b.faultText(bad.amount, "amount-error"))
	if f.extra != nil {
		f.extra(b, e)
	}
	b.put(`<div class="press">
{}
<span class="hc-spinner press__busy" data-size="sm" aria-hidden="true"></span>
</div>
{}
`, f.press(b.language), formEnd)
}

// itemOptions appends what can be ordered.
func (b *buffer) itemOptions(chosen string) {
	for _, id := range items {
		b.option(id, itemNames[id], chosen)
	}
}

func (b *buffer) option(value string, name text, chosen string) {
	selected := markup("")
	if value == chosen {
		selected = ` selected`
	}
	b.put(`<option value="{}"{}>{}</option>
`, value, selected, name)
}

// orderShape appends what takes the room of the order form until htmx has loaded it: nothing moves when it comes.
func (b *buffer) orderShape() {
	b.put(`<div class="shape" aria-hidden="true">
<div class="hc-field"><span class="hc-field__label">{}</span><span class="hc-input"></span></div>
<div class="hc-field"><span class="hc-field__label">{}</span><span class="hc-input"></span><p class="hc-field__hint">{}</p></div>
<div class="press"><span class="hc-button">{}</span></div>
</div>
`, itemLabel, amountLabel, amountHint, placeOrder)
}

var (
	itemLabel   = text{"Item", "品目"}
	amountLabel = text{"Amount in yen", "金額（円）"}
	amountHint  = text{"A whole number from 1 to 1,000,000. Nothing is charged.", "1 から 1,000,000 までの整数。実際の請求はありません。"}
)

func invalidField(f fault) markup {
	if f == fine {
		return ""
	}
	return ` data-invalid="true"`
}

// invalidControl marks a control that was refused. The data attribute is the kit's: it takes the mark away
// as soon as the visitor edits the field.
func (b *buffer) invalidControl(f fault, describedBy string) markup {
	if f == fine {
		return ""
	}
	return fill(b.language, ` aria-invalid="true" aria-describedby="{}" data-hc-server-invalid`, describedBy)
}

// invalidAmount is invalidControl for the amount, which has a hint to be described by as well. If both
// fields are refused, the focus goes to the first.
func (b *buffer) invalidAmount(bad faults) markup {
	if bad.amount == fine {
		return ` aria-describedby="amount-hint"`
	}
	mark := b.invalidControl(bad.amount, "amount-hint amount-error")
	if bad.item == fine {
		mark += ` autofocus`
	}
	return mark
}

// faultText is the message below a field that was refused.
func (b *buffer) faultText(f fault, id string) markup {
	if f == fine {
		return ""
	}
	return fill(b.language, `<p class="hc-field__error" id="{}" data-hc-server-error>{}</p>
`, id, faultTexts[f])
}
