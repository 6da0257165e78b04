//go:build unix

package contract_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"github.com/singleshot-edge/singleshot/edge/workerd"
)

// The demo's conventions: the field amount, the button that places the order, the region #order-result, and
// the number of an order in data-order-number, once for each order in the list.
const (
	amountField = `form input[name="amount"]`
	orderButton = `form button[type="submit"]`
	orderResult = `#order-result`
	alert       = `.hc-alert[role="status"]`
	demoPage    = "/recipes/idempotency-key"
	ordersList  = "/orders"
)

var orderNumber = regexp.MustCompile(`data-order-number="([^"]+)"`)

// demo starts the guard in front of the demo of site/, as `make dev` does.
func demo(t *testing.T) *guard {
	t.Helper()
	if testing.Short() {
		t.Skip("needs the guard in workerd and a browser: not part of -short")
	}
	if os.Getenv("GUARD_URL") != "" {
		t.Skip("GUARD_URL is set: this test starts the demo")
	}
	t.Parallel()
	if err := built(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(root(), "site/build/app.wasm")); err != nil {
		c := exec.Command("make", "site")
		c.Dir = root()
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("make site: %v\n%s", err, out)
		}
	}
	state, err := os.MkdirTemp("", "singleshot-contract-")
	if err != nil {
		t.Fatal(err)
	}
	g := &guard{state: state}
	t.Cleanup(func() {
		g.stop()
		if t.Failed() && g.log != nil {
			t.Logf("the guard's log:\n%s", g.log.Tail(60))
		}
		os.RemoveAll(state)
	})
	tables, err := workerd.Wrangler(state, "d1", "migrations", "apply", "ORDERS", "--local", "-c", "site/wrangler.toml", "--persist-to", state)
	if err != nil {
		t.Fatal(err)
	}
	if out, err := tables.CombinedOutput(); err != nil {
		t.Fatalf("the demo's tables: %v\n%s", err, out)
	}
	if err := g.wrangler([]string{"dev", "-c", "wrangler.toml", "-c", "site/wrangler.toml", "--var", "SINGLESHOT_SECRET:" + secret}); err != nil {
		t.Fatal(err)
	}
	return g
}

// orders are the numbers in the demo's own list, read through the guard.
func (g *guard) orders(t *testing.T) []string {
	t.Helper()
	list := g.visitor(t).get(ordersList)
	if list.err != nil || list.status != 200 {
		t.Fatalf("GET %s = %d, %v", ordersList, list.status, list.err)
	}
	var numbers []string
	for _, m := range orderNumber.FindAllSubmatch(list.body, -1) {
		numbers = append(numbers, string(m[1]))
	}
	return numbers
}

// order types an amount and presses the button.
func (b *tab) order(amount string, clicks int) {
	b.t.Helper()
	b.fill(amountField, amount)
	b.settled(orderButton)
	b.click(orderButton, clicks)
}

// settled waits until an element is there, and htmx has attended to what it put in: before that a form goes the way of a
// page without scripts.
func (b *tab) settled(selector string) {
	b.t.Helper()
	b.see(selector)
	b.gone(".htmx-added, .htmx-settling, .htmx-swapping")
}

// TestTheDemoInARealBrowser drives the demo behind the guard with Chromium and raw input.
func TestTheDemoInARealBrowser(t *testing.T) {
	g := demo(t)
	browser := chromium(t)
	noScript := set(emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	page := func(t *testing.T, how ...chromedp.Action[chromedp.Void]) *tab {
		b := newTab(t, browser, how...)
		b.open(g.base+demoPage, orderButton)
		return b
	}
	newOrders := func(t *testing.T) func(want int) {
		before := len(g.orders(t))
		return func(want int) {
			t.Helper()
			if got := len(g.orders(t)) - before; got != want {
				t.Errorf("the demo has %d new orders; want %d", got, want)
			}
		}
	}

	t.Run("pressed again", func(t *testing.T) {
		placed := newOrders(t)
		b := page(t)
		b.order("12", 1)
		first := b.match(orderResult, orderNumber)
		b.mark(orderResult+" > *", "data-old")
		b.settled(orderButton)
		b.click(orderButton, 1)
		b.gone(orderResult + " > [data-old]")
		if second := b.match(orderResult, orderNumber); second != first {
			t.Errorf("second order number = %s; want the first's %s\n\t(A duplicate gets the first answer back.)", second, first)
		}
		placed(1)
	})

	t.Run("amount changed", func(t *testing.T) {
		placed := newOrders(t)
		b := page(t)
		b.order("12", 1)
		first := b.match(orderResult, orderNumber)
		b.order("13", 1)
		if text := b.text(orderResult + " " + alert); !strings.Contains(text, first) {
			t.Errorf("alert = %q; want the order's number %s in it\n\t(422 that names the existing record)", text, first)
		}
		placed(1)
	})

	t.Run("amount changed, then sent as a new entry", func(t *testing.T) {
		placed := newOrders(t)
		b := page(t)
		b.order("12", 1)
		first := b.match(orderResult, orderNumber)
		b.order("13", 1)
		b.settled(orderResult + " " + alert + " button")
		b.click(orderResult+" "+alert+" button", 1)
		if second := b.match(orderResult, orderNumber); second == first {
			t.Errorf("order number of the new entry = %s; want another than %s\n\t(a button that submits the same values as a new entry)", second, first)
		}
		placed(2)
	})

	t.Run("not a number, then corrected", func(t *testing.T) {
		placed := newOrders(t)
		b := page(t)
		b.order("many", 1)
		b.see(orderResult + " .hc-alert")
		placed(0)
		b.order("14", 1)
		b.match(orderResult, orderNumber)
		placed(1)
	})

	t.Run("double click", func(t *testing.T) {
		placed := newOrders(t)
		b := page(t)
		b.order("15", 2)
		b.match(orderResult, orderNumber)
		placed(1)
	})

	t.Run("without JavaScript", func(t *testing.T) {
		placed := newOrders(t)
		b := page(t, noScript)
		b.order("16", 2)
		first := b.match("main", orderNumber)
		placed(1)
		receipt := b.address()
		b.back(orderButton)
		b.click(orderButton, 1)
		if second := b.match("main", orderNumber); second != first {
			t.Errorf("receipt after Back = %s; want the same %s", second, first)
		}
		if again := b.address(); again != receipt {
			t.Errorf("address after Back and submit = %s; want the receipt %s", again, receipt)
		}
		placed(1)
	})

	t.Run("without JavaScript, amount changed after Back", func(t *testing.T) {
		placed := newOrders(t)
		b := page(t, noScript)
		b.order("17", 1)
		first := b.match("main", orderNumber)
		b.back(orderButton)
		b.order("18", 1)
		if text := b.text(alert); !strings.Contains(text, first) {
			t.Errorf("page = %q; want the order's number %s in it\n\t(422 that names the existing record)", text, first)
		}
		b.click("form button", 1)
		if second := b.match("main", orderNumber); second == first {
			t.Errorf("order number of the new entry = %s; want another than %s\n\t(a form with the values just sent and a fresh key)", second, first)
		}
		placed(2)
	})

	t.Run("Japanese", func(t *testing.T) {
		b := page(t, set(network.SetExtraHTTPHeaders, network.SetExtraHTTPHeadersParams{Headers: network.Headers{"Accept-Language": "ja"}}))
		b.order("19", 1)
		first := b.match(orderResult, orderNumber)
		b.order("20", 1)
		if text := b.text(orderResult + " " + alert); !strings.Contains(text, first) || !strings.ContainsAny(text, "のはをに") {
			t.Errorf("alert = %q; want Japanese that names order %s", text, first)
		}
	})
}

// TestADoubleClickOnASlowOrigin is the double click that no button can catch: without JavaScript the browser
// cancels the first request and shows the answer of the second.
func TestADoubleClickOnASlowOrigin(t *testing.T) {
	g := shared(t)
	const why = "a double click cancels the first request, and the second gets its answer"
	open := newGate(t)
	r := g.origin.route("/", held(open.c, order))
	r.page = htmlPage(strings.Replace(orderForm(r.path), "<button>", `<button type="submit">`, 1))
	b := newTab(t, chromium(t), set(emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}))
	b.open(g.base+r.path, orderButton)
	x, y := b.see(orderButton)
	b.press(x, y, 1)
	r.await(t, 1)
	b.press(x, y, 2) // a page that is about to go away answers no question about its elements
	open.open()
	if got := b.match("body", orderNumber); got != "1001" {
		t.Errorf("order number = %s; want the first's 1001\n\t(%s)", got, why)
	}
	r.mustRun(t, why, 1)
}
