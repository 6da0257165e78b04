//go:build unix

package main

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

const keyPage = "/recipes/idempotency-key"

func TestIdempotencyKey(t *testing.T) {
	base := guarded(t)
	number := func(p *page) string { return p.value(orderPlaced, "data-order-number") }

	t.Run("pressed again: the same number, the same message, no second order", func(t *testing.T) {
		placed := placing(t, base)
		p := open(t, base+keyPage, look{})
		p.click(orderButton)
		first := number(p)
		p.says(`.hc-toast`, first)
		p.ask(`document.querySelector('.hc-toast').remove(), document.querySelector('#order-result').replaceChildren(), ''`)
		p.click(orderButton)
		if second := number(p); second != first {
			t.Errorf("order %s, then %s; want the same", first, second)
		}
		p.says(`.hc-toast`, first)
		p.see(`[data-said] [data-outcome=created] ~ [data-outcome=replayed]`)
		p.see(`.trail [data-event=replay]`)
		p.says(`.trail`, "once")
		placed(1)
	})
	t.Run("another amount: a conflict that names the order and offers a new one", func(t *testing.T) {
		placed := placing(t, base)
		p := open(t, base+keyPage, look{})
		p.click(orderButton)
		first := number(p)
		p.fill(`#amount`, "9900")
		p.click(orderButton)
		p.see(`#order-result .hc-alert[role=status] a[href="/orders/` + first + `"]`)
		p.see(`[data-said] [data-outcome=mismatch]`)
		placed(1)
		p.click(`#order-result .hc-alert button`)
		if second := number(p); second == first {
			t.Errorf("the new entry is order %s again", second)
		}
		p.says(`#order-result`, "¥9,900")
		placed(2)
	})
	t.Run("a word as amount goes to its field, and the corrected form commits", func(t *testing.T) {
		placed := placing(t, base)
		p := open(t, base+keyPage, look{})
		key := p.value(`#order-form [name=idempotency_key]`, "value")
		p.fill(`#amount`, "ten")
		p.click(orderButton)
		p.await(`document.activeElement.id === 'amount' && document.activeElement.getAttribute('aria-invalid') === 'true'`)
		described := p.ask(`document.querySelector('#amount').getAttribute('aria-describedby').split(' ').map(id => document.getElementById(id).textContent).join(' | ')`)
		if !strings.Contains(described, "Enter the amount as a whole number") {
			t.Errorf("the field is described by %q; want the error among it", described)
		}
		p.ask(`document.querySelector('#amount').select(), ''`)
		p.do(chromedp.KeyEvent("77"))
		p.await(`!document.querySelector('#amount').hasAttribute('aria-invalid')`)
		p.ready(orderButton)
		p.do(chromedp.KeyEvent("\r"))
		p.says(`#order-result`, "¥77")
		p.see(`[data-said] [data-outcome=released] ~ [data-outcome=created]`)
		if again := p.value(`#order-form [name=idempotency_key]`, "value"); again != key {
			t.Error("the key changed between the error and the correction")
		}
		placed(1)
	})
	t.Run("a new order has a fresh key and an empty answer, and the keyboard gets along", func(t *testing.T) {
		placed := placing(t, base)
		p := open(t, base+keyPage, look{})
		key := p.value(`#order-form [name=idempotency_key]`, "value")
		p.ready(orderButton)
		p.do(chromedp.Focus(chromedp.CSS(orderButton)), chromedp.KeyEvent("\r"))
		first := number(p)
		p.await(`document.activeElement.matches('` + orderButton + `')`)
		p.ready(`#order-result [data-hx-get]`)
		p.ask(`document.querySelector('#order-result [data-hx-get]').focus(), ''`)
		p.do(chromedp.KeyEvent("\r"))
		p.await(`document.querySelector('#order-result').childElementCount === 0`)
		p.await(`document.querySelector('#order-form [name=idempotency_key]').value !== ` + quoted(key))
		p.click(orderButton)
		if second := number(p); second == first {
			t.Errorf("the new order is order %s again", second)
		}
		placed(2)
	})
	t.Run("a double click is one order", func(t *testing.T) {
		placed := placing(t, base)
		p := open(t, base+keyPage, look{})
		p.press(orderButton, 2)
		number(p)
		placed(1)
	})
	t.Run("without JavaScript: the receipt, and after Back the same one", func(t *testing.T) {
		placed := placing(t, base)
		p := open(t, base+keyPage, look{noScript: true})
		p.click(orderButton)
		first := p.value(`h1 [data-order-number]`, "data-order-number")
		p.back(orderButton)
		p.click(orderButton)
		p.await(`location.pathname === '/orders/` + first + `'`)
		placed(1)
		p.back(orderButton)
		p.fill(`#amount`, "9901")
		p.click(orderButton)
		p.says(`.hc-alert[role=status]`, first)
		placed(1)
		p.click(`form button`)
		if second := p.value(`h1 [data-order-number]`, "data-order-number"); second == first {
			t.Errorf("the new entry is order %s again", second)
		}
		placed(2)
	})
	t.Run("without JavaScript: a refused form comes back as it was, the field in focus, and commits when corrected", func(t *testing.T) {
		placed := placing(t, base)
		p := open(t, base+keyPage, look{noScript: true})
		p.see(orderButton)
		p.ask(`document.querySelector('#amount').value = 'ten', document.querySelector('#item').value = 'lamp'`)
		p.click(orderButton)
		p.see(`[role=alert]`)
		p.await(`document.activeElement.id === 'amount' && document.activeElement.value === 'ten' && document.querySelector('#item').value === 'lamp'`)
		placed(0)
		p.ask(`document.querySelector('#amount').value = '78'`)
		p.click(orderButton)
		p.says(`.receipt`, "¥78")
		placed(1)
	})
	t.Run("in Japanese, the guard's answer as well", func(t *testing.T) {
		p := open(t, base+keyPage, look{language: "ja"})
		p.click(orderButton)
		first := number(p)
		p.fill(`#amount`, "20")
		p.click(orderButton)
		if said := p.text(orderAlert); !strings.Contains(said, first) || !strings.ContainsAny(said, "のはをに") {
			t.Errorf("the alert says %q; want Japanese that names order %s", said, first)
		}
	})
}
