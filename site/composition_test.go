//go:build unix

package main

import (
	"strings"
	"testing"
)

// The recipes that compose the key with something else, each with and without JavaScript.

func TestPostRedirectGet(t *testing.T) {
	base := guarded(t)
	for name, l := range map[string]look{"with JavaScript": {}, "without": {noScript: true}} {
		t.Run(name, func(t *testing.T) {
			placed := placing(t, base)
			p := open(t, base+"/recipes/post-redirect-get", l)
			p.click(orderButton)
			first := p.value(`h1 [data-order-number]`, "data-order-number")
			p.back(orderButton)
			if !l.noScript {
				p.see(`.trail [data-event=commit]`)
			}
			p.click(orderButton)
			p.await(`location.pathname === '/orders/` + first + `'`)
			placed(1)
		})
	}
}

func TestAsyncJob(t *testing.T) {
	base := guarded(t)
	jobs := func(p *page) string { return p.value(`[data-job-count]`, "data-job-count") }
	t.Run("two clicks watch one job, until it is done", func(t *testing.T) {
		p := open(t, base+"/recipes/async-job", look{})
		before := jobs(p)
		p.click(orderButton)
		job := p.value(`#order-result [data-job]`, "data-job")
		p.ask(`document.querySelector('#order-result').replaceChildren(), ''`)
		p.click(orderButton)
		if again := p.value(`#order-result [data-job]`, "data-job"); again != job {
			t.Errorf("job %s, then %s; want the same", job, again)
		}
		p.see(`#order-result [data-state=done] a[download]`)
		p.await(`Number(document.querySelector('[data-job-count]').dataset.jobCount) === ` + before + ` + 1`)
		if csv := fetched(t, base+p.value(`a[download]`, "href")); !strings.HasPrefix(csv, "line,item\r\n1,") {
			t.Errorf("the export begins with %.40q", csv)
		}
	})
	t.Run("two at once start one job", func(t *testing.T) {
		p := open(t, base+"/recipes/async-job", look{})
		before := jobs(p)
		p.click(`[data-twice]`)
		p.see(`[data-said] [data-outcome=created] ~ [data-outcome=replayed]`)
		p.await(`Number(document.querySelector('[data-job-count]').dataset.jobCount) === ` + before + ` + 1`)
		p.see(`#order-result [data-job]`)
	})
	t.Run("without JavaScript the page asks again, and Back leads to the same job", func(t *testing.T) {
		p := open(t, base+"/recipes/async-job", look{noScript: true})
		p.click(orderButton)
		job := p.value(`[data-job]`, "data-job")
		p.back(orderButton)
		p.click(orderButton)
		if again := p.value(`[data-job]`, "data-job"); again != job {
			t.Errorf("job %s, then %s; want the same", job, again)
		}
		p.see(`[data-state=done]`)
	})
}

func TestWorkflowActions(t *testing.T) {
	base := guarded(t)
	begin := func(t *testing.T, l look) *page {
		p := open(t, base+"/recipes/workflow-actions", l)
		p.click(orderButton)
		p.see(`[value=approve]`)
		p.settled()
		return p
	}
	t.Run("approved twice at once is no conflict", func(t *testing.T) {
		p := begin(t, look{})
		p.click(`[data-twice]`)
		p.see(`[data-said] [data-outcome=created] ~ [data-outcome=replayed]`)
		p.await(`!document.querySelector('[value=approve]') && !document.querySelector('.workflow .hc-alert')`)
	})
	t.Run("a colleague who was first is", func(t *testing.T) {
		p := begin(t, look{})
		p.click(`.colleague button`)
		p.see(`[data-colleague]`)
		p.click(`[value=approve]`)
		p.says(`.workflow .hc-alert[role=status]`, "Your colleague was first")
		p.see(`[data-said] [data-outcome=released]`)
		p.see(`.trail [data-event=release]`)
		p.says(`.workflow`, "version 2")
	})
	t.Run("without JavaScript: approve, back, approve again", func(t *testing.T) {
		p := begin(t, look{noScript: true})
		for range 2 {
			p.click(`[value=approve]`)
			p.await(`location.pathname.endsWith('/transition')`)
			p.await(`!document.querySelector('.hc-alert') && document.body.innerText.includes('version 2')`)
			p.back(`[value=approve]`)
		}
	})
	t.Run("without JavaScript: the colleague was first", func(t *testing.T) {
		p := begin(t, look{noScript: true})
		p.click(`.colleague button`)
		p.says(`main`, "has approved the request")
		p.back(`[value=approve]`)
		p.click(`[value=approve]`)
		p.says(`.hc-alert[role=status]`, "Your colleague was first")
	})
}

func TestSessionExpiry(t *testing.T) {
	base := guarded(t)
	const recipe = "/recipes/session-expiry"
	t.Run("sign in, and the interrupted order goes through once, with the same key", func(t *testing.T) {
		placed := placing(t, base)
		p := open(t, base+recipe, look{})
		key := p.value(`.order [name=idempotency_key]`, "value")
		p.fill(`#amount`, "4321")
		p.click(orderButton)
		p.await(`document.activeElement.closest('dialog') !== null`)
		placed(0)
		p.click(`dialog [type=submit]`)
		p.says(`#order-result`, "¥4,321")
		p.await(`!document.querySelector('dialog[open]')`)
		p.see(`[data-session=open]`)
		p.see(`[data-said] [data-outcome=released] ~ [data-outcome=created]`)
		if again := p.value(`.order [name=idempotency_key]`, "value"); again != key {
			t.Error("the key changed")
		}
		placed(1)
		p.click(`#session button`)
		p.see(`[data-session=over]`)
		p.click(orderButton)
		p.see(`[data-said] [data-outcome=replayed]`)
		placed(1)
	})
	t.Run("without JavaScript: the sign-in page, back, the same form", func(t *testing.T) {
		placed := placing(t, base)
		p := open(t, base+recipe, look{noScript: true})
		p.click(orderButton)
		p.await(`location.pathname.endsWith('/sign-in')`)
		placed(0)
		p.click(`main button`)
		p.await(`location.pathname === '` + recipe + `'`)
		p.see(`[data-session=open]`)
		p.click(orderButton)
		p.see(`h1 [data-order-number]`)
		placed(1)
	})
}

func TestEditConflict(t *testing.T) {
	base := guarded(t)
	begin := func(t *testing.T, l look) *page {
		p := open(t, base+"/recipes/edit-conflict", l)
		p.click(orderButton)
		p.see(`#edit-form`)
		p.settled()
		return p
	}
	const save = `#edit-form [type=submit]`
	t.Run("each save brings the next version and key", func(t *testing.T) {
		p := begin(t, look{})
		key := p.value(`#edit-form [name=idempotency_key]`, "value")
		p.fill(`#quantity`, "7")
		p.click(save)
		p.see(`[data-version="2"]`)
		if next := p.value(`#edit-form [name=idempotency_key]`, "value"); next == key {
			t.Error("the saved form has the spent key")
		}
		p.click(save)
		p.see(`[data-version="3"]`)
	})
	for action, want := range map[string]string{`dialog [data-variant=error]`: "7", `dialog [data-hx-get]`: "4"} {
		t.Run("a colleague saved first, then "+action, func(t *testing.T) {
			p := begin(t, look{})
			p.fill(`#quantity`, "7")
			p.click(`.colleague button`)
			p.see(`[data-colleague]`)
			p.click(save)
			p.says(`dialog[open]`, "Your colleague saved first")
			p.click(action)
			p.await(`!document.querySelector('dialog[open]')`)
			p.await(`document.querySelector('#quantity').value === '` + want + `'`)
		})
	}
	t.Run("without JavaScript: save, back, save again is no conflict; after a colleague it is", func(t *testing.T) {
		p := begin(t, look{noScript: true})
		for range 2 {
			p.click(save)
			p.see(`[data-version="2"]`)
			p.back(`.colleague`)
		}
		p.click(`.colleague button`)
		p.says(`main`, "Your colleague has saved")
		p.back(`.colleague`)
		p.fill(`#quantity`, "8")
		p.click(save)
		p.says(`main`, "Already submitted")
	})
}

func TestNetworkRetry(t *testing.T) {
	base := guarded(t)
	t.Run("the answer got lost: the module asks again and finds it", func(t *testing.T) {
		placed := placing(t, base)
		p := open(t, base+"/recipes/network-retry", look{})
		p.fill(`#amount`, "1234")
		p.click(orderButton)
		p.says(`#order-result`, "¥1,234")
		placed(1)
	})
	t.Run("without JavaScript: a second press waits for the first", func(t *testing.T) {
		placed := placing(t, base)
		p := open(t, base+"/recipes/network-retry", look{noScript: true})
		p.press(orderButton, 2)
		p.see(`h1 [data-order-number]`)
		placed(1)
	})
}
