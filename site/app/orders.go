package app

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/singleshot-edge/singleshot/site/store"
)

// A recipe lists the last few orders, the orders' own page many.
const (
	fewOrders  = 5
	manyOrders = 100
)

func (a *app) orders(w http.ResponseWriter, r *http.Request) {
	limit := manyOrders
	if wantsFragment(r) {
		limit = fewOrders
	}
	latest, total, err := a.Store.Latest(r.Context(), limit)
	if err != nil {
		a.fail(w, r, err)
		return
	}
	if wantsFragment(r) {
		b := speak(w, r)
		b.ledger(latest, total)
		answer(w, http.StatusOK, b)
		return
	}
	show(w, r, http.StatusOK, page{title: ordersTitle}, func(b *buffer) { b.ordersPage(latest, total) })
}

var ordersTitle = text{"Orders", "注文一覧"}

// ledgerCard appends the card that lists the last orders and reads itself again when one was placed.
func (b *buffer) ledgerCard(latest []store.Order, total int64) {
	b.put(`<section class="hc-card ledger" aria-labelledby="ledger-title" data-hx-get="/orders" data-hx-trigger="orders-changed from:body" data-hx-swap="innerHTML">
`)
	b.ledger(latest, total)
	b.put(`</section>
`)
}

// ledger appends what the application has: how many orders, and the last of them. It is a part of pages and the
// whole answer to htmx.
func (b *buffer) ledger(latest []store.Order, total int64) {
	b.put(`<div class="hc-card__body">
<h2 id="ledger-title">{}</h2>
`, text{"What the application has", "アプリケーションにある注文"})
	b.orderCount(total)
	if total > 0 {
		b.put(`<table class="hc-table" data-density="compact">
<caption class="unseen">{}</caption>
<thead><tr><th scope="col">{}</th><th scope="col">{}</th><th scope="col" data-numeric>{}</th></tr></thead>
<tbody>
`, text{"The last orders", "最近の注文"}, numberLabel, itemLabel, sumLabel)
		for _, order := range latest {
			b.put(`<tr><td><a href="/orders/{}">{}</a></td><td>{}</td><td data-numeric>{}</td></tr>
`, order.Number, order.Number, itemNames[order.Item], yen(order.Amount))
		}
		b.put(`</tbody>
</table>
`)
	}
	b.put(`<p class="ledger__intro">{} <a href="/orders">{}</a></p>
</div>
`, text{"Read from its database after every press. It grows only when an order really runs.", "ボタンを押すたびにデータベースから読み直します。増えるのは、注文が本当に実行されたときだけです。"},
		text{"All orders", "すべての注文"})
}

var (
	numberLabel = text{"Number", "番号"}
	sumLabel    = text{"Amount", "金額"}
	placedLabel = text{"Placed", "受付日時"}
)

// ordersPage appends the page of the orders.
func (b *buffer) ordersPage(latest []store.Order, total int64) {
	b.put(`<div class="hc-card narrow ledger">
<div class="hc-card__body">
<h1 id="ledger-title">{}</h1>
`, ordersTitle)
	b.orderCount(total)
	if total > 0 {
		b.put(`<div class="hc-table-scroll" role="region" aria-labelledby="ledger-title" tabindex="0">
<table class="hc-table" data-density="compact">
<thead><tr><th scope="col">{}</th><th scope="col">{}</th><th scope="col" data-numeric>{}</th><th scope="col" data-numeric>{}</th></tr></thead>
<tbody>
`, numberLabel, itemLabel, sumLabel, placedLabel)
		for _, order := range latest {
			b.put(`<tr data-order-number="{}"><td><a href="/orders/{}">{}</a></td><td>{}</td><td data-numeric>{}</td><td data-numeric>{}</td></tr>
`, order.Number, order.Number, order.Number, itemNames[order.Item], yen(order.Amount), b.time(order.Placed, shortTime))
		}
		b.put(`</tbody>
</table>
</div>
`)
	}
	b.put(`</div>
</div>
<p class="narrow"><a href="{}">{}</a></p>
`, idempotencyKey.path, text{"Back to the order form", "注文フォームへ戻る"})
}

// orderCount appends how many orders there are, or that there are none.
func (b *buffer) orderCount(total int64) {
	said := text{`{} orders`, `{} 件`}
	if total == 1 {
		said.en = `{} order`
	}
	b.put(`<p class="ledger__count" data-order-count="{}">{}</p>
`, total, said.fill(fill(english, `<strong>{}</strong>`, total)))
	if total == 0 {
		b.put(`<p class="ledger__none">{}</p>
`, text{"No orders yet. Yours will be the first.", "まだ注文はありません。最初の一件をどうぞ。"})
	}
}

func (a *app) receipt(w http.ResponseWriter, r *http.Request) {
	number, err := strconv.ParseInt(r.PathValue("number"), 10, 64)
	if err != nil {
		a.refuse(w, r, http.StatusNotFound)
		return
	}
	order, err := a.Store.Order(r.Context(), number)
	if err != nil {
		a.fail(w, r, err)
		return
	}
	back := &idempotencyKey
	for _, each := range recipes {
		if strings.TrimPrefix(each.path, "/recipes/") == r.URL.Query().Get("from") {
			back = each
		}
	}
	show(w, r, http.StatusOK, page{title: orderTitle(number)}, func(b *buffer) { b.receipt(order, back) })
}

// receipt appends the receipt of an order.
func (b *buffer) receipt(order store.Order, back *recipe) {
	b.put(`<article class="hc-card narrow receipt" aria-labelledby="receipt-title">
<div class="hc-card__body">
<p class="receipt__intro">{}{}</p>
<h1 id="receipt-title">{}</h1>
`, tick, text{"Thank you. Your order is placed.", "ありがとうございます。ご注文を受け付けました。"}, text{`Order {}`, `注文 {}`}.fill(orderNumber(order)))
	b.definitions([2]any{itemLabel, itemNames[order.Item]}, [2]any{sumLabel, yen(order.Amount)}, [2]any{placedLabel, b.time(order.Placed, longTime)})
	b.put(`<p class="actions"><a class="hc-button" data-variant="primary" href="{}">{}</a></p>
</div>
</article>
`, back.path, startAgain)
}

// layouts of a time, in both languages.
var (
	shortTime = [2]string{"2 Jan, 15:04", "1月2日 15:04"}
	longTime  = [2]string{"2 January 2006, 15:04:05 UTC", "2006年1月2日 15:04:05 UTC"}
)

// time is a moment for people and for programs.
func (b *buffer) time(t time.Time, layout [2]string) markup {
	t = t.UTC()
	said := layout[0]
	if b.language == japanese {
		said = layout[1]
	}
	return fill(b.language, `<time datetime="{}">{}</time>`, t.Format(time.RFC3339), t.Format(said))
}
