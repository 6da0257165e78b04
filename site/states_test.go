//go:build unix

package main

const (
	orderButton = `.order button[type=submit]`
	orderPlaced = `#order-result [data-order-number]`
	orderAlert  = `#order-result .hc-alert`
)

// state is a page, or a state that a page can be brought into. Together they are all that a visitor can see; the
// tests of looks and of accessibility go through all of them.
type state struct {
	name  string
	path  string
	reach func(p *page) // nil for the page as it comes
}

var states = []state{
	{"index", "/", nil},
	{"key", "/recipes/idempotency-key", func(p *page) { p.see(orderButton) }},
	{"key-placed", "/recipes/idempotency-key", func(p *page) { p.click(orderButton); p.see(orderPlaced); p.see(`.trail__list`) }},
	{"key-replayed", "/recipes/idempotency-key", func(p *page) {
		p.click(orderButton)
		p.see(orderPlaced)
		p.click(orderButton)
		p.see(`[data-said] [data-outcome=replayed]`)
		p.see(`.trail [data-event=replay]`)
	}},
	{"key-mismatch", "/recipes/idempotency-key", func(p *page) {
		p.click(orderButton)
		p.see(orderPlaced)
		p.fill(`#amount`, "9900")
		p.click(orderButton)
		p.see(orderAlert)
	}},
	{"key-invalid", "/recipes/idempotency-key", func(p *page) { p.fill(`#amount`, "ten"); p.click(orderButton); p.see(orderAlert) }},
	{"key-form", "/api/recipes/idempotency-key/form", nil},
	{"prg", "/recipes/post-redirect-get", nil},
	{"receipt", "/recipes/post-redirect-get", func(p *page) { p.click(orderButton); p.see(`h1 [data-order-number]`) }},
	{"orders", "/orders", nil},
	{"job", "/recipes/async-job", nil},
	{"job-running", "/recipes/async-job", func(p *page) { p.click(orderButton); p.see(`.job progress`) }},
	{"job-done", "/recipes/async-job", func(p *page) { p.click(orderButton); p.see(`.job[data-state=done]`) }},
	{"workflow", "/recipes/workflow-actions", nil},
	{"workflow-review", "/recipes/workflow-actions", func(p *page) { p.click(orderButton); p.see(`[value=approve]`) }},
	{"workflow-approved", "/recipes/workflow-actions", func(p *page) {
		p.click(orderButton)
		p.click(`[data-twice]`)
		p.see(`.workflow [data-state=complete]:last-child`)
	}},
	{"workflow-conflict", "/recipes/workflow-actions", func(p *page) {
		p.click(orderButton)
		p.click(`.colleague button`)
		p.see(`[data-colleague]`)
		p.click(`[value=approve]`)
		p.see(`.workflow .hc-alert`)
	}},
	{"session", "/recipes/session-expiry", nil},
	{"session-dialog", "/recipes/session-expiry", func(p *page) { p.click(orderButton); p.see(`dialog[open]`) }},
	{"session-open", "/recipes/session-expiry", func(p *page) {
		p.click(orderButton)
		p.click(`dialog [type=submit]`)
		p.see(orderPlaced)
		p.see(`[data-session=open]`)
	}},
	{"sign-in", "/recipes/session-expiry/sign-in?next=/recipes/session-expiry", nil},
	{"edit", "/recipes/edit-conflict", nil},
	{"edit-form", "/recipes/edit-conflict", func(p *page) { p.click(orderButton); p.see(`#edit-form`) }},
	{"edit-conflict", "/recipes/edit-conflict", func(p *page) {
		p.click(orderButton)
		p.click(`.colleague button`)
		p.see(`[data-colleague]`)
		p.click(`#edit-form [type=submit]`)
		p.see(`dialog[open]`)
	}},
	{"retry", "/recipes/network-retry", nil},
	{"api", "/recipes/api", nil},
	{"api-mismatch", "/recipes/api", func(p *page) {
		p.click(`[data-run=first]`)
		p.see(`#request-result pre`)
		p.click(`[data-run=other]`)
		p.see(`#request-result [data-outcome=mismatch]`)
	}},
	{"webhook", "/recipes/webhook", nil},
	{"webhook-delivered", "/recipes/webhook", func(p *page) { p.click(`[data-run=guarded]`); p.see(`[data-event-count="1"]`) }},
	{"backstop", "/recipes/backstop", nil},
	{"backstop-unknown", "/recipes/backstop", func(p *page) { p.click(orderButton); p.see(orderAlert) }},
	{"backstop-already", "/recipes/backstop", func(p *page) {
		p.click(orderButton)
		p.see(orderAlert)
		p.click(orderButton)
		p.see(`#order-result [data-payment]`)
		p.click(`.job-runs button`)
		p.see(`[data-job-runs="1"]`)
	}},
	{"break", "/break", nil},
	{"break-done", "/break", func(p *page) {
		p.click(`[data-attack-all]`)
		p.see(`[data-attack=tab] [data-side=around][data-ran]`)
	}},
	{"checklist", "/checklist", nil},
	{"checklist-done", "/checklist", func(p *page) { p.click(`[data-check-all]`); p.see(`[data-check=job][data-state=pass]`) }},
	{"missing", "/nowhere", nil},
}
