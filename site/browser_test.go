//go:build !js && !wasip1

package main

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"github.com/singleshot-edge/singleshot/site/app"
)

// The demo in a real browser, without a guard: what the pages themselves promise.
func TestPagesInABrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser: not part of -short")
	}
	base, break_ := demo(t)
	browser := chromium(t)
	const button = chromedp.CSS(`.order button[type=submit]`)
	const order = chromedp.CSS(`#order-result [data-order-number]`)
	const alert = chromedp.CSS(`#order-result .hc-alert`)

	t.Run("the keyboard alone can order, and press again", func(t *testing.T) {
		p := browser.page(t, base+"/", look{})
		p.do(chromedp.Focus(button), chromedp.KeyEvent("\r"), chromedp.WaitVisible(order))
		first := p.ask(`document.querySelector('#order-result [data-order-number]').textContent`)
		p.await(`document.activeElement.matches('.order button[type=submit]')`)
		p.do(chromedp.KeyEvent("\r"))
		p.await(`document.querySelector('#order-result [data-order-number]').textContent !== '` + first + `'`)
		p.await(`document.activeElement.matches('.order button[type=submit]')`)
	})

	t.Run("an order brings its toast and the list of orders up to date", func(t *testing.T) {
		p := browser.page(t, base+"/", look{})
		before := p.ask(`document.querySelector('[data-order-count]').dataset.orderCount`)
		p.do(chromedp.Click(button), chromedp.WaitVisible(order), chromedp.WaitVisible(chromedp.CSS(`.hc-toast[role=status]`)))
		p.await(`Number(document.querySelector('[data-order-count]').dataset.orderCount) > ` + before)
		number := p.ask(`document.querySelector('#order-result [data-order-number]').textContent`)
		p.await(`document.querySelector('.ledger tbody tr a').textContent === '` + number + `'`)
		p.await(`document.querySelector('.hc-toast').textContent.includes('` + number + `')`)
	})

	t.Run("a word as amount goes to its field, and a correction takes it away", func(t *testing.T) {
		p := browser.page(t, base+"/", look{})
		p.ask(`document.querySelector('#amount').value = 'ten', 'ten'`)
		p.do(chromedp.Click(button), chromedp.WaitVisible(alert))
		p.await(`document.activeElement.id === 'amount' && document.activeElement.getAttribute('aria-invalid') === 'true'`)
		described := p.ask(`document.querySelector('#amount').getAttribute('aria-describedby').split(' ').map(id => document.getElementById(id).textContent).join(' | ')`)
		if !strings.Contains(described, "Enter the amount as a whole number") {
			t.Errorf("the field is described by %q; want the error among it", described)
		}
		p.ask(`document.querySelector('#amount').select(), ''`)
		p.do(chromedp.KeyEvent("77"))
		p.await(`!document.querySelector('#amount').hasAttribute('aria-invalid')`)
		p.do(chromedp.KeyEvent("\r"), chromedp.WaitVisible(order))
		p.await(`document.querySelector('#order-result').textContent.includes('¥77')`)
	})

	t.Run("a refusal as a fragment is shown, whatever its status", func(t *testing.T) {
		p := browser.page(t, base+"/", look{})
		break_(http.StatusServiceUnavailable, `<div class="hc-alert" role="status">the shop is closed</div>`)
		defer break_(0, "")
		p.do(chromedp.Click(button), chromedp.WaitVisible(alert))
		p.await(`document.querySelector('#order-result').textContent === 'the shop is closed'`)
	})

	t.Run("a full page of somebody on the way is not put into the region", func(t *testing.T) {
		p := browser.page(t, base+"/", look{})
		break_(http.StatusBadGateway, `<!DOCTYPE html><html><h1>Bad gateway</h1></html>`)
		defer break_(0, "")
		p.do(chromedp.Click(button), chromedp.WaitVisible(alert))
		p.await(`document.querySelector('#order-result').textContent.startsWith('No answer arrived')`)
	})

	t.Run("a lost connection is said in words, and the entries stay", func(t *testing.T) {
		p := browser.page(t, base+"/", look{})
		p.ask(`document.querySelector('#amount').value = '31', ''`)
		break_(-1, "")
		defer break_(0, "")
		p.do(chromedp.Click(button), chromedp.WaitVisible(alert))
		p.await(`document.querySelector('#order-result').textContent.startsWith('No answer arrived') && document.querySelector('#amount').value === '31'`)
	})

	t.Run("without JavaScript the order leads to a receipt", func(t *testing.T) {
		p := browser.page(t, base+"/", look{noScript: true})
		p.do(chromedp.Click(button), chromedp.WaitVisible(chromedp.CSS(`h1 [data-order-number]`)))
		if address := p.ask(`location.pathname`); !strings.HasPrefix(address, "/orders/1") {
			t.Errorf("the receipt is at %s", address)
		}
	})

	t.Run("without JavaScript a refused form comes back as it was, the field in focus", func(t *testing.T) {
		p := browser.page(t, base+"/", look{noScript: true})
		p.ask(`document.querySelector('#amount').value = 'ten', document.querySelector('#item').value = 'lamp'`)
		p.do(chromedp.Click(button), chromedp.WaitVisible(chromedp.CSS(`[role=alert]`)))
		p.await(`document.activeElement.id === 'amount' && document.activeElement.value === 'ten' && document.querySelector('#item').value === 'lamp'`)
	})

	for _, view := range []struct {
		path string
		look look
	}{
		{"/", look{language: "en", width: 320}}, {"/", look{language: "ja", width: 320}},
		{"/", look{language: "en", width: 768}}, {"/", look{language: "ja", width: 768}},
		{"/", look{language: "en", width: 1280}}, {"/", look{language: "ja", width: 1280}},
		{"/orders", look{language: "en", width: 320}}, {"/orders/1042", look{language: "ja", width: 320}},
	} {
		t.Run(fmt.Sprintf("%s in %s fits %d pixels, shifts nothing and breaks no policy", view.path, view.look.language, view.look.width), func(t *testing.T) {
			p := browser.page(t, base+view.path, view.look)
			p.await(`document.documentElement.scrollWidth <= innerWidth`)
			shift := p.ask(`new Promise(done => { let sum = 0;
				new PerformanceObserver(list => { for (const e of list.getEntries()) if (!e.hadRecentInput) sum += e.value })
					.observe({type: 'layout-shift', buffered: true});
				setTimeout(() => done(sum < 0.01 ? 'none' : String(sum)), 100) })`)
			if shift != "none" {
				t.Errorf("the layout shifts by %s", shift)
			}
			for _, line := range p.console() {
				t.Errorf("the console says: %s", line)
			}
		})
	}

	t.Run("a dark system gets dark pages without JavaScript", func(t *testing.T) {
		const ground = `(c => { const d = document.createElement('canvas').getContext('2d'); d.fillStyle = c; d.fillRect(0, 0, 1, 1);
			return String(d.getImageData(0, 0, 1, 1).data[0]) })(getComputedStyle(document.body).backgroundColor)`
		light, dark := browser.page(t, base+"/", look{noScript: true}), browser.page(t, base+"/", look{noScript: true, dark: true})
		if l, d := light.ask(ground), dark.ask(ground); len(l) != 3 || len(d) == 3 {
			t.Errorf("the red of the ground is %s in light and %s in dark; want bright and dim", l, d)
		}
	})
}

// demo serves the application with the files that gather makes. break_ makes the next posts answer with that
// status and body; status -1 cuts the connection, 0 is the application again.
func demo(t *testing.T) (base string, break_ func(status int, body string)) {
	t.Helper()
	assets := t.TempDir()
	gather := exec.Command("go", "run", "./gather", "-modules", "../node_modules", "-static", "static", "-o", assets)
	if out, err := gather.CombinedOutput(); err != nil {
		if strings.Contains(string(out), "npm ci") {
			t.Skipf("no kit to show the pages with: %s", out)
		}
		t.Fatalf("gather: %v\n%s", err, out)
	}
	type answer struct {
		status int
		body   string
	}
	var broken atomic.Pointer[answer]
	pages := pages(assets, app.Config{Ledger: new(app.Memory), Now: time.Now})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		now := broken.Load()
		if r.Method != http.MethodPost || now == nil || now.status == 0 {
			pages.ServeHTTP(w, r)
			return
		}
		if now.status < 0 {
			panic(http.ErrAbortHandler)
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(now.status)
		fmt.Fprint(w, now.body)
	}))
	t.Cleanup(server.Close)
	// Something to list, and a receipt to look at.
	if _, err := http.Post(server.URL+"/orders", "application/x-www-form-urlencoded", strings.NewReader("item=tea&amount=5")); err != nil {
		t.Fatal(err)
	}
	return server.URL, func(status int, body string) { broken.Store(&answer{status, body}) }
}

// browser is a headless Chromium.
type browser struct{ ctx context.Context }

// chromium starts one: the one that the environment names, else the one on the path.
func chromium(t *testing.T) browser {
	t.Helper()
	path := os.Getenv("CHROMIUM")
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path == "" {
			path, _ = exec.LookPath(name)
		}
	}
	if path == "" {
		t.Skip("no Chromium: install one, or set CHROMIUM to its path")
	}
	allocator, end := chromedp.NewExecAllocator(context.Background(), append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-gpu", true))...)
	t.Cleanup(end)
	ctx, end := chromedp.NewContext(allocator)
	t.Cleanup(end)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return browser{ctx}
}

// look is how a page is looked at; the zero value is an English desktop in daylight.
type look struct {
	width    int64
	language string
	dark     bool
	noScript bool
}

// page is one tab.
type page struct {
	t        *testing.T
	ctx      context.Context
	messages iter.Seq2[chromedp.ConsoleMessage, error]
}

// page opens an address in a tab of its own.
func (b browser) page(t *testing.T, address string, l look) *page {
	t.Helper()
	ctx, end := chromedp.NewContext(b.ctx, chromedp.WithNewBrowserContext())
	t.Cleanup(end)
	if err := chromedp.Do(ctx); err != nil { // the tab lives as long as this context, which has no time limit
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(ctx, 90*time.Second)
	t.Cleanup(stop)
	theme := "light"
	if l.dark {
		theme = "dark"
	}
	p := &page{t: t, ctx: ctx, messages: chromedp.Console(ctx)}
	p.do(
		set(emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: cmp.Or(l.width, 1280), Height: 800, DeviceScaleFactor: 1}),
		set(emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: l.noScript}),
		set(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}}}),
		set(network.SetExtraHTTPHeaders, network.SetExtraHTTPHeadersParams{Headers: network.Headers{"Accept-Language": cmp.Or(l.language, "en")}}),
		chromedp.Navigate(address),
	)
	return p
}

// set is a protocol command as an action.
func set[P any](command cdp.Command[P, cdp.Empty], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, command, params)
		return err
	})
}

func (p *page) do(actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, actions...); err != nil {
		p.t.Fatal(err)
	}
}

// ask evaluates an expression that gives a string, or a promise of one.
func (p *page) ask(expression string) string {
	p.t.Helper()
	value, err := chromedp.Run(p.ctx, chromedp.Evaluate[string](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// await waits until an expression is true.
func (p *page) await(expression string) {
	p.t.Helper()
	ctx, stop := context.WithTimeout(p.ctx, 30*time.Second)
	defer stop()
	for {
		value, err := chromedp.Run(ctx, chromedp.Evaluate[bool](expression))
		if value {
			return
		}
		if ctx.Err() != nil {
			p.t.Fatalf("not within 30 s: %s (%v)", expression, err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// console returns what the page has said so far: errors, warnings, policies that were broken.
func (p *page) console() []string {
	p.t.Helper()
	const last = "that is all"
	p.ask(`console.log('` + last + `'), ''`)
	var lines []string
	for message, err := range p.messages {
		if err != nil {
			p.t.Fatal(err)
		}
		if message.Text == last {
			break
		}
		lines = append(lines, message.String())
	}
	return lines
}
