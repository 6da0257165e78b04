package app

import "time"

// The index lists the last few orders, the orders' own page many.
const (
	fewOrders  = 5
	manyOrders = 100
)

// ledger appends what the application has: how many orders, and the last of them. It is a part of the index
// and the whole answer to htmx.
func (b *buffer) ledger(w *words, latest []Order, total int64) {
	b.put(`<div class="hc-card__body">
<h2 id="ledger-title">{}</h2>
`, w.ledger)
	b.count(w, total)
	if total > 0 {
		b.put(`<table class="hc-table" data-density="compact">
<caption class="unseen">{}</caption>
<thead><tr><th scope="col">{}</th><th scope="col">{}</th><th scope="col" data-numeric>{}</th></tr></thead>
<tbody>
`, w.ledgerLast, w.number, w.item, w.sum)
		for _, order := range latest {
			b.put(`<tr><td><a href="/orders/{}">{}</a></td><td>{}</td><td data-numeric>{}</td></tr>
`, order.Number, order.Number, w.items[order.Item], yen(order.Amount))
		}
		b.put(`</tbody>
</table>
`)
	}
	b.put(`<p class="ledger__intro">{} <a href="/orders">{}</a></p>
</div>
`, w.ledgerIntro, w.ledgerMore)
}

// ordersPage appends the page of the orders.
func (b *buffer) ordersPage(w *words, latest []Order, total int64) {
	b.put(`<div class="hc-card narrow ledger">
<div class="hc-card__body">
<h1 id="ledger-title">{}</h1>
`, w.ledgerAll)
	b.count(w, total)
	if total > 0 {
		b.put(`<div class="hc-table-scroll" role="region" aria-labelledby="ledger-title" tabindex="0">
<table class="hc-table" data-density="compact">
<thead><tr><th scope="col">{}</th><th scope="col">{}</th><th scope="col" data-numeric>{}</th><th scope="col" data-numeric>{}</th></tr></thead>
<tbody>
`, w.number, w.item, w.sum, w.placedAt)
		for _, order := range latest {
			b.put(`<tr data-order-number="{}"><td><a href="/orders/{}">{}</a></td><td>{}</td><td data-numeric>{}</td><td data-numeric><time datetime="{}">{}</time></td></tr>
`, order.Number, order.Number, order.Number, w.items[order.Item], yen(order.Amount),
				order.Placed.UTC().Format(time.RFC3339), w.shortTime(order.Placed))
		}
		b.put(`</tbody>
</table>
</div>
`)
	}
	b.put(`</div>
</div>
<p class="narrow"><a href="/">{}</a></p>
`, w.back)
}

// count appends how many orders there are, or that there are none.
func (b *buffer) count(w *words, total int64) {
	b.put(`<p class="ledger__count" data-order-count="{}">{}</p>
`, total, fill(w.ledgerCount(total), fill(`<strong>{}</strong>`, total)))
	if total == 0 {
		b.put(`<p class="ledger__none">{}</p>
`, w.ledgerNone)
	}
}

// placed appends the fragment that answers a placed order.
func (b *buffer) placed(w *words, order Order) {
	b.put(`<div class="hc-card placed">
<div class="hc-card__body">
<p class="placed__title">{}<span>{}</span></p>
<p class="placed__what">{} · {}</p>
<p class="actions"><a class="hc-button" data-size="sm" href="/orders/{}">{}</a> <a class="hc-button" data-size="sm" data-variant="ghost" href="/">{}</a></p>
</div>
</div>
`, tick, fill(w.placed, orderNumber(order)), w.items[order.Item], yen(order.Amount),
		order.Number, w.receipt, w.another)
}

// refused appends the fragment that answers an entry with faults. The kit's field-errors behaviour carries
// each message to its field; without it they stand here.
func (b *buffer) refused(w *words, bad faults) {
	b.put(`<div class="hc-alert" data-variant="error" role="alert" data-hc-field-errors='form[action="/orders"]'>
<p class="hc-alert__title">{}</p>
<ul class="hc-alert__errors">
`, w.faultTitle)
	for _, field := range []struct {
		name  string
		fault fault
	}{{"item", bad.item}, {"amount", bad.amount}} {
		if field.fault != fine {
			b.put(`<li class="hc-alert__error" data-field="{}">{}</li>
`, field.name, w.faults[field.fault])
		}
	}
	b.put(`</ul>
<p class="hc-alert__body">{}</p>
</div>
`, w.faultAdvice)
}

// corrected appends the page that shows a refused form again, as a plain post gets it.
func (b *buffer) corrected(w *words, e entry, bad faults) {
	b.put(`<div class="narrow">
<div class="hc-alert" data-variant="error" role="alert">
<p class="hc-alert__title">{}</p>
<ul class="hc-alert__errors">
`, w.faultTitle)
	if bad.item != fine {
		b.put(`<li class="hc-alert__error"><a href="#item">{}</a></li>
`, w.faults[bad.item])
	}
	if bad.amount != fine {
		b.put(`<li class="hc-alert__error"><a href="#amount">{}</a></li>
`, w.faults[bad.amount])
	}
	b.put(`</ul>
</div>
`)
	b.orderCard(w, "h1", e, bad)
	b.put(resultRegion)
	b.put(`
</div>
`)
}

// receipt appends the receipt of an order.
func (b *buffer) receipt(w *words, order Order) {
	placed := order.Placed.UTC()
	b.put(`<article class="hc-card narrow receipt" aria-labelledby="receipt-title">
<div class="hc-card__body">
<p class="receipt__intro">{}{}</p>
<h1 id="receipt-title">{}</h1>
<dl>
<div><dt>{}</dt><dd>{}</dd></div>
<div><dt>{}</dt><dd>{}</dd></div>
<div><dt>{}</dt><dd><time datetime="{}">{}</time></dd></div>
</dl>
<p class="actions"><a class="hc-button" data-variant="primary" href="/">{}</a></p>
</div>
</article>
`, tick, w.receiptIntro, fill(w.order, orderNumber(order)),
		w.item, w.items[order.Item], w.sum, yen(order.Amount),
		w.placedAt, placed.Format(time.RFC3339), w.time(placed), w.another)
}

// orderNumber marks up the number of the order that an answer is about.
func orderNumber(order Order) markup {
	return fill(`<strong data-order-number="{}">{}</strong>`, order.Number, order.Number)
}

// tick is the sign of success beside a sentence that says it.
const tick markup = `<svg class="tick" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true"><circle cx="12" cy="12" r="11" fill="currentColor"/><path d="M7 12.500l3.500 3.500 6.500-7.500" fill="none" stroke="var(--tick-ink)" stroke-width="2.25" stroke-linecap="round" stroke-linejoin="round"/></svg>`
