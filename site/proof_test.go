//go:build unix

package main

import (
	"strings"
	"testing"
)

func TestPaymentsAPIPage(t *testing.T) {
	p := open(t, guarded(t)+"/recipes/api", look{})
	for _, step := range []struct{ run, outcome, status, says string }{
		{"first", "created", "201", `"status":"settled"`},
		{"again", "replayed", "201", "Idempotency-Replayed: true"},
		{"other", "mismatch", "422", "urn:singleshot:mismatch"},
		{"none", "refused", "400", "urn:singleshot:missing-key"},
	} {
		p.click(`[data-run=` + step.run + `]`)
		p.see(`#request-result [data-outcome=` + step.outcome + `][data-status="` + step.status + `"]`)
		p.says(`#request-result`, step.says)
	}
	p.await(`document.querySelector('[data-payment-count]').dataset.paymentCount !== '0'`)
	bare := open(t, guarded(t)+"/recipes/api", look{noScript: true})
	if line := bare.text(`#first-code`); !strings.Contains(line, "curl -i http://127.0.0.1:") || !strings.Contains(line, "Idempotency-Key: demo-") {
		t.Errorf("the line to copy is %q", line)
	}
}

func TestWebhookPage(t *testing.T) {
	p := open(t, guarded(t)+"/recipes/webhook", look{})
	p.click(`[data-run=guarded]`)
	p.see(`#request-result [data-outcome=created] + [data-outcome=replayed]`)
	p.see(`[data-event-count="1"]`)
	p.click(`[data-run=unguarded]`)
	p.see(`[data-event-count="3"]`)
	bare := open(t, guarded(t)+"/recipes/webhook", look{noScript: true})
	if line := bare.text(`#guarded-code`); !strings.Contains(line, "webhook-id: evt_") {
		t.Errorf("the line to copy is %q", line)
	}
}

func TestBackstopPage(t *testing.T) {
	base := guarded(t)
	t.Run("a lost answer, then already processed: one payment", func(t *testing.T) {
		p := open(t, base+"/recipes/backstop", look{})
		p.click(orderButton)
		p.see(`[data-said] [data-outcome=unknown]`)
		p.see(`[data-settled="1"]`)
		p.click(orderButton)
		p.says(`#order-result`, "Already processed")
		p.see(`.trail [data-event=unknown]`)
		p.says(`.trail`, "2 times")
		p.see(`[data-settled="1"]`)
	})
	t.Run("a declined card, then the same key pays; another tab finds it paid", func(t *testing.T) {
		p := open(t, base+"/recipes/backstop", look{})
		bill := p.value(`#bill`, "value")
		p.fill(`#trouble`, "declined")
		p.click(orderButton)
		p.says(`#order-result`, "declined")
		p.fill(`#trouble`, "none")
		p.click(orderButton)
		p.says(`#order-result`, "Paid")
		p.see(`[data-settled="1"]`)
		tab := open(t, base+"/recipes/backstop?bill="+bill, look{})
		tab.fill(`#trouble`, "none")
		tab.click(orderButton)
		tab.says(`#order-result`, "Already processed")
		tab.see(`[data-settled="1"]`)
	})
	t.Run("a job that runs twice works once", func(t *testing.T) {
		p := open(t, base+"/recipes/backstop", look{})
		p.click(`.job-runs button`)
		p.see(`[data-job-runs="1"][data-job-exports="1"]`)
		p.click(`.job-runs button`)
		p.see(`[data-job-runs="2"][data-job-exports="1"]`)
	})
	t.Run("without JavaScript: the lost answer is a page, and Back and pay again finds the payment", func(t *testing.T) {
		p := open(t, base+"/recipes/backstop", look{noScript: true})
		p.click(orderButton)
		p.says(`main`, "not known")
		p.back(orderButton)
		p.click(orderButton)
		p.says(`main`, "Already processed")
		p.click(`main a[href*="bill="]`)
		p.see(`[data-settled="1"]`)
		p.click(`.job-runs button`)
		p.see(`[data-job-runs="1"]`)
	})
}

func TestBreakItYourself(t *testing.T) {
	base := guarded(t)
	t.Run("every attack comes to what it should, with the guard and around it", func(t *testing.T) {
		p := open(t, base+"/break", look{})
		p.click(`[data-attack-all]`)
		p.await(`[...document.querySelectorAll('[data-side]')].every(cell => cell.dataset.ran)`)
		for _, attack := range []string{"twenty", "slow", "dropped", "payload", "tab"} {
			for _, side := range []string{"guarded", "around"} {
				cell := `[data-attack=` + attack + `] [data-side=` + side + `]`
				if ran, want := p.value(cell, "data-ran"), p.value(cell, "data-want"); ran != want {
					t.Errorf("%s, %s: ran %s times; want %s: %s", attack, side, ran, want, p.text(cell))
				}
			}
		}
	})
	t.Run("by hand, without JavaScript", func(t *testing.T) {
		p := open(t, base+"/break", look{noScript: true})
		for n, want := range []string{"1", "1"} {
			p.click(`#guarded-title ~ form button`)
			p.await(`location.search !== ''`)
			if ran := p.value(`#guarded-title ~ [data-ran]`, "data-ran"); ran != want {
				t.Errorf("press %d with the guard: ran %s times; want %s", n+1, ran, want)
			}
			p.back(`#guarded-title`)
		}
		for n, want := range []string{"1", "2"} {
			p.click(`#around-title ~ form button`)
			p.await(`location.search !== ''`)
			if ran := p.value(`#around-title ~ [data-ran]`, "data-ran"); ran != want {
				t.Errorf("press %d around the guard: ran %s times; want %s", n+1, ran, want)
			}
			p.back(`#around-title`)
		}
	})
}

func TestChecklistHolds(t *testing.T) {
	p := open(t, guarded(t)+"/checklist", look{})
	p.click(`[data-check-all]`)
	p.await(`document.querySelector('[data-check-sum]').innerText !== ''`)
	if sum := p.text(`[data-check-sum]`); sum != "8 of 8 hold" {
		t.Errorf("%s: %s", sum, p.text(`[data-checks]`))
	}
}
