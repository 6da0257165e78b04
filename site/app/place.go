package app

import (
	"net/http"
	"strconv"
	"time"

	"github.com/singleshot-edge/singleshot/site/store"
)

// place handles the post of an order form. htmx gets a fragment: 200, or 422 with the faults. A plain post gets
// 303 to the receipt, or 422 with the page again, the entered values in it.
func (a *app) place(f *orderForm) http.HandlerFunc {
	return a.posted(func(w http.ResponseWriter, r *http.Request) {
		e := entryOf(r)
		order, bad := e.read()
		if bad.any() {
			a.refuseEntry(w, r, f, e, bad)
			return
		}
		order.Placed = a.Now().UTC().Truncate(time.Second)
		order, err := a.Store.Place(r.Context(), order)
		if err != nil {
			a.fail(w, r, err)
			return
		}
		if e.trouble == "slow" {
			time.Sleep(slowAnswer)
		}
		address := receiptOf(order.Number, f.recipe)
		b := speak(w, r)
		nameRecord(w.Header(), b.language, "/orders/"+strconv.FormatInt(order.Number, 10), orderTitle(order.Number))
		if !wantsFragment(r) {
			http.Redirect(w, r, address, http.StatusSeeOther)
			return
		}
		toast(w.Header(), text{"Order {} is placed.", "注文 {} を受け付けました。"}.fill(order.Number).plain(b.language))
		b.placed(f, order, address)
		answer(w, http.StatusOK, b)
	})
}

// receiptOf is the address of an order's receipt, which leads back to a recipe.
func receiptOf(number int64, from *recipe) string {
	address := "/orders/" + strconv.FormatInt(number, 10)
	if from != &idempotencyKey {
		address += "?from=" + from.path[len("/recipes/"):]
	}
	return address
}

func orderTitle(number int64) text { return text{"Order {}", "注文 {}"}.fill(number) }

// orderNumber marks up the number of the order that an answer is about.
func orderNumber(order store.Order) markup {
	return fill(english, `<strong data-order-number="{}">{}</strong>`, order.Number, order.Number)
}

// placed appends the fragment that answers a placed order.
func (b *buffer) placed(f *orderForm, order store.Order, address string) {
	again := markup("")
	if f.recipe == &idempotencyKey {
		again = ` data-hx-get="/api/recipes/idempotency-key/form?again" data-hx-target="#order-form" data-hx-swap="innerHTML"`
	}
	b.put(`<div class="hc-card placed">
<div class="hc-card__body">
<p class="placed__title">{}<span>{}</span></p>
<p class="placed__what">{} · {}</p>
<p class="actions"><a class="hc-button" data-size="sm" href="{}">{}</a> <a class="hc-button" data-size="sm" data-variant="ghost" href="{}"{}>{}</a></p>
</div>
</div>
`, tick, text{`Order {} is placed.`, `注文 {} を受け付けました。`}.fill(orderNumber(order)), itemNames[order.Item], yen(order.Amount),
		address, text{"Open the receipt", "受付内容を見る"}, f.recipe.path, again, startAgain)
}

var startAgain = text{"Start a new order", "新しく注文する"}

var (
	faultTitle  = text{"The order was not placed.", "注文は確定していません。"}
	faultAdvice = text{"Correct the marked field and press the button again.", "印の付いた項目を直して、もう一度押してください。"}
)

// refuseEntry answers an entry with faults.
func (a *app) refuseEntry(w http.ResponseWriter, r *http.Request, f *orderForm, e entry, bad faults) {
	if wantsFragment(r) {
		b := speak(w, r)
		b.refused(f, bad)
		answer(w, http.StatusUnprocessableEntity, b)
		return
	}
	title := text{"Please check: {}", "入力をご確認ください: {}"}.fill(f.recipe.short)
	show(w, r, http.StatusUnprocessableEntity, page{title: title, here: f.recipe.path}, func(b *buffer) { b.corrected(f, e, bad) })
}

// refused appends the fragment that answers an entry with faults. The kit's field-errors behaviour carries
// each message to its field; without it they stand here.
func (b *buffer) refused(f *orderForm, bad faults) {
	b.put(`<div class="hc-alert" data-variant="error" role="alert" data-hc-field-errors='form[action="{}"]'>
<p class="hc-alert__title">{}</p>
<ul class="hc-alert__errors">
`, f.action, faultTitle)
	if bad.item != fine {
		b.put(`<li class="hc-alert__error" data-field="item">{}</li>
`, faultTexts[bad.item])
	}
	if bad.amount != fine {
		b.put(`<li class="hc-alert__error" data-field="amount">{}</li>
`, faultTexts[bad.amount])
	}
	b.put(`</ul>
<p class="hc-alert__body">{}</p>
</div>
`, faultAdvice)
}

// corrected appends the page that shows a refused form again, as a plain post gets it.
func (b *buffer) corrected(f *orderForm, e entry, bad faults) {
	b.put(`<div class="narrow">
<div class="hc-alert" data-variant="error" role="alert">
<p class="hc-alert__title">{}</p>
<ul class="hc-alert__errors">
`, faultTitle)
	if bad.item != fine {
		b.put(`<li class="hc-alert__error"><a href="#item">{}</a></li>
`, faultTexts[bad.item])
	}
	if bad.amount != fine {
		b.put(`<li class="hc-alert__error"><a href="#amount">{}</a></li>
`, faultTexts[bad.amount])
	}
	b.put(`</ul>
</div>
`)
	b.orderPage(f, e, bad)
	b.put(`</div>
`)
}

// orderPage appends the form in its card as the main thing of a page.
func (b *buffer) orderPage(f *orderForm, e entry, bad faults) {
	b.put(`<section class="hc-card order" aria-labelledby="order-title">
<div class="hc-card__body">
<h1 id="order-title">{}</h1>
`, orderHeading)
	b.orderForm(f, e, bad)
	b.put(`</div>
</section>
{}
`, resultRegion)
}

var orderHeading = text{"Place an order", "注文する"}
