package app

// The form, as the index shows it live and as code: one source, so that what is shown is what is there.
const (
	formStart markup = `<form method="post" action="/orders">`

	formButton markup = `<button class="hc-button" data-variant="primary" type="submit"
          data-hx-post="/orders"
          data-hx-target="#order-result" data-hx-swap="innerHTML"
          data-hx-disabled-elt="this">{}</button>`

	formEnd markup = `</form>`

	resultRegion markup = `<div id="order-result" aria-live="polite"></div>`
)

// form appends the order form with what the visitor entered and what is wrong with it.
func (b *buffer) form(w *words, e entry, bad faults) {
	b.put(formStart)
	b.put(`
<div class="hc-field"{}>
<label class="hc-field__label" for="item">{}</label>
<select class="hc-select" id="item" name="item"{}>
`, invalidField(bad.item), w.item, invalidControl(bad.item, "item-error"))
	for _, id := range items {
		selected := markup("")
		if id == e.item {
			selected = ` selected`
		}
		b.put(`<option value="{}"{}>{}</option>
`, id, selected, w.items[id])
	}
	b.put(`</select>
{}</div>
<div class="hc-field"{}>
<label class="hc-field__label" for="amount">{}</label>
<input class="hc-input" id="amount" name="amount" type="text" inputmode="numeric" autocomplete="off" maxlength="40" value="{}"{}>
<p class="hc-field__hint" id="amount-hint">{}</p>
{}</div>
<div class="press">
`, faultText(w, bad.item, "item-error"),
		invalidField(bad.amount), w.amount, e.amount, invalidAmount(bad), w.amountHint,
		faultText(w, bad.amount, "amount-error"))
	b.put(formButton, w.submit)
	b.put(`<span class="hc-spinner press__busy" data-size="sm" aria-hidden="true"></span>
</div>
`)
	b.put(formEnd)
	b.put("\n")
}

func invalidField(f fault) markup {
	if f == fine {
		return ""
	}
	return ` data-invalid="true"`
}

// invalidControl marks a control that was refused. The data attribute is the kit's: it takes the mark away
// as soon as the visitor edits the field.
func invalidControl(f fault, describedBy string) markup {
	if f == fine {
		return ""
	}
	return fill(` aria-invalid="true" aria-describedby="{}" data-hc-server-invalid`, describedBy)
}

// invalidAmount is invalidControl for the amount, which has a hint to be described by as well. If both
// fields are refused, the focus goes to the first.
func invalidAmount(bad faults) markup {
	if bad.amount == fine {
		return ` aria-describedby="amount-hint"`
	}
	mark := invalidControl(bad.amount, "amount-hint amount-error")
	if bad.item == fine {
		mark += ` autofocus`
	}
	return mark
}

// faultText is the message below a field that was refused.
func faultText(w *words, f fault, id string) markup {
	if f == fine {
		return ""
	}
	return fill(`<p class="hc-field__error" id="{}" data-hc-server-error>{}</p>
`, id, w.faults[f])
}
