//go:build unix && contract

package contract_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// The demo's conventions: fields item and amount, the button "Place order", the region #order-result, and the
// number of an order in data-order-number, once for each order in the list.
const (
	orderButton chromedp.CSS = `form button[type=submit]`
	orderResult chromedp.CSS = `#order-result`
	alert       chromedp.CSS = `.hc-alert[role=status]`
	ordersList               = "/orders"
)

var (
	chromiumOnce sync.Once
	chromium     context.Context
	chromiumErr  error
	chromiumEnd  = func() {}
)

// demo starts the guard in front of the demo of site/, as `make dev` does.
func demo(t *testing.T) *guard {
	t.Helper()
	if testing.Short() {
		t.Skip("needs the guard in workerd and a browser: not part of -short")
	}
	if os.Getenv("GUARD_URL") != "" {
		t.Skip("GUARD_URL is set: this test starts the demo")
	}
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
			t.Logf("the guard's log:\n%s", g.log.tail(60))
		}
		os.RemoveAll(state)
	})
	if err := g.wrangler([]string{"dev", "-c", "wrangler.toml", "-c", "site/wrangler.toml", "--var", "SINGLESHOT_SECRET:" + secret}); err != nil {
		t.Fatal(err)
	}
	return g
}

// browserTab is a tab of a fresh browser profile: no cookies, no history.
func browserTab(t *testing.T, actions ...chromedp.Action[chromedp.Void]) *tab {
	t.Helper()
	chromiumOnce.Do(startChromium)
	if chromiumErr != nil {
		t.Fatal(chromiumErr)
	}
	c, cancel := chromedp.NewContext(chromium, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	if err := chromedp.Do(c); err != nil { // the tab lives as long as this context, which has no time limit
		t.Fatal(err)
	}
	c, stop := context.WithTimeout(c, 60*time.Second)
	t.Cleanup(stop)
	b := &tab{t: t, ctx: c}
	t.Cleanup(b.picture)
	b.do("set the tab up", actions...)
	return b
}

func startChromium() {
	path := os.Getenv("CHROMIUM")
	if path == "" {
		c := exec.Command(filepath.Join(root(), "scripts/chromium.sh"))
		out, err := c.Output()
		if err != nil {
			chromiumErr = fmt.Errorf("contract: scripts/chromium.sh: %w", err)
			return
		}
		path = strings.TrimSpace(string(out))
	}
	profile, err := os.MkdirTemp("", "singleshot-chromium-")
	if err != nil {
		chromiumErr = err
		return
	}
	allocator, endAllocator := chromedp.NewExecAllocator(context.Background(), append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.UserDataDir(profile), chromedp.NoSandbox, chromedp.NoFirstRun,
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true), chromedp.Flag("disable-gpu", true), chromedp.WindowSize(900, 900),
		chromedp.WSURLReadTimeout(60*time.Second))...)
	c, endBrowser := chromedp.NewContext(allocator)
	chromiumEnd = func() {
		endBrowser()
		endAllocator()
		os.RemoveAll(profile)
	}
	if err := chromedp.Do(c); err != nil {
		chromiumErr = fmt.Errorf("contract: %s: %w", path, err)
		return
	}
	chromium = c
}

// set is a protocol command as an action.
func set[P any](command cdp.Command[P, cdp.Empty], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(c context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(c, t, command, params)
		return err
	})
}

// tab is one tab, driven by raw input.
type tab struct {
	t   *testing.T
	ctx context.Context
}

func (b *tab) do(what string, actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.t.Fatalf("%s: %v", what, err)
	}
}

// picture saves what the tab shows when the test has failed.
func (b *tab) picture() {
	if !b.t.Failed() {
		return
	}
	c, cancel := context.WithTimeout(context.WithoutCancel(b.ctx), 10*time.Second)
	defer cancel()
	jpeg, err := chromedp.Run(c, chromedp.FullScreenshot(90))
	if err != nil {
		b.t.Logf("no screenshot: %v", err)
		return
	}
	dir, err := os.MkdirTemp("", "singleshot-failed-") // t.TempDir would be gone when somebody looks
	if err == nil {
		path := filepath.Join(dir, strings.ReplaceAll(b.t.Name(), "/", "-")+".jpg")
		if err = os.WriteFile(path, jpeg, 0o600); err == nil {
			b.t.Logf("screenshot: %s", path)
		}
	}
	if err != nil {
		b.t.Logf("no screenshot: %v", err)
	}
}

func (b *tab) open(url string) {
	b.t.Helper()
	b.do("open "+url, chromedp.Navigate(url), chromedp.WaitVisible(orderButton))
}

// fill replaces a field's text by typing.
func (b *tab) fill(name, text string) {
	b.t.Helper()
	field := chromedp.CSS(`form input[name="` + name + `"]`)
	b.do("fill "+name, chromedp.WaitVisible(field), chromedp.Focus(field),
		chromedp.KeyEvent("a", chromedp.KeyModifiers(chromedp.ModifierCtrl)), chromedp.KeyEvent(text))
}

// click presses the order button with the mouse, count times without a pause.
func (b *tab) click(count int) {
	b.t.Helper()
	b.do("find the button", chromedp.ScrollIntoView(orderButton))
	box, err := chromedp.Run(b.ctx, chromedp.Dimensions(orderButton))
	if err != nil {
		b.t.Fatalf("find the button: %v", err)
	}
	x, y := (box.Content[0]+box.Content[4])/2, (box.Content[1]+box.Content[5])/2
	b.do("click", chromedp.Func(func(c context.Context, target *chromedp.Target) error {
		for n := range count {
			for _, kind := range []input.DispatchMouseEventType{input.DispatchMouseEventTypeMousePressed, input.DispatchMouseEventTypeMouseReleased} {
				if _, err := cdp.Call(c, target, input.DispatchMouseEvent, input.DispatchMouseEventParams{
					Type: kind, X: x, Y: y, Button: input.MouseButtonLeft, ClickCount: int64(n + 1)}); err != nil {
					return err
				}
			}
		}
		return nil
	}))
}

var orderNumber = regexp.MustCompile(`data-order-number="([^"]+)"`)

// number waits for an order's number in the page.
func (b *tab) number() string {
	b.t.Helper()
	return orderNumber.FindStringSubmatch(b.wait("an order number", orderNumber))[1]
}

// text is the visible text of an element.
func (b *tab) text(in chromedp.CSS) string {
	b.t.Helper()
	s, err := chromedp.Run(b.ctx, chromedp.Text(in))
	if err != nil {
		b.t.Fatalf("read %s: %v", in, err)
	}
	return s
}

// address is the tab's URL.
func (b *tab) address() string {
	b.t.Helper()
	s, err := chromedp.Run(b.ctx, chromedp.Location())
	if err != nil {
		b.t.Fatal(err)
	}
	return s
}

// back presses Back and waits for the form.
func (b *tab) back() {
	b.t.Helper()
	b.do("go back", chromedp.NavigateBack(), chromedp.WaitVisible(orderButton))
}

// html is the tab's document as it stands.
func (b *tab) html() string {
	c, cancel := context.WithTimeout(b.ctx, 5*time.Second)
	defer cancel()
	s, err := chromedp.Run(c, chromedp.OuterHTML(chromedp.CSS("html")))
	if err != nil {
		return "" // in the middle of a navigation
	}
	return s
}

// wait polls the document, which may be replaced at any time, until it matches.
func (b *tab) wait(what string, want *regexp.Regexp) string {
	b.t.Helper()
	last := ""
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if last = b.html(); want.MatchString(last) {
			return last
		}
	}
	b.t.Fatalf("no %s in\n%s", what, last)
	return ""
}

// orders are the numbers in the demo's own list, read through the guard.
func (g *guard) orders(t *testing.T) []string {
	t.Helper()
	list := g.visitor(t).get(ordersList)
	var numbers []string
	for _, m := range orderNumber.FindAllSubmatch(list.body, -1) {
		numbers = append(numbers, string(m[1]))
	}
	return numbers
}

// TestInARealBrowser drives the demo behind the guard with Chromium.
func TestInARealBrowser(t *testing.T) {
	t.Parallel()
	g := demo(t)
	t.Cleanup(func() { chromiumEnd() })
	noScript := set(emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})

	t.Run("pressed again", func(t *testing.T) {
		before := len(g.orders(t))
		b := browserTab(t)
		b.open(g.base + "/")
		b.fill("amount", "12")
		b.click(1)
		first := b.number()
		b.do("mark the result", chromedp.SetAttributeValue(orderResult+" > *", "data-old", ""))
		b.click(1)
		b.do("await the second answer", chromedp.WaitNotPresent(orderResult+" > [data-old]"))
		if second := b.number(); second != first {
			t.Errorf("second order number = %s; want the first's %s\n\t(a duplicate gets the first answer back)", second, first)
		}
		if n := len(g.orders(t)) - before; n != 1 {
			t.Errorf("the demo has %d new orders; want 1", n)
		}
	})

	t.Run("amount changed", func(t *testing.T) {
		before := len(g.orders(t))
		b := browserTab(t)
		b.open(g.base + "/")
		b.fill("amount", "12")
		b.click(1)
		first := b.number()
		b.fill("amount", "13")
		b.click(1)
		b.do("see the 422", chromedp.WaitVisible(orderResult+" "+alert))
		text := b.text(orderResult)
		if !strings.Contains(text, first) {
			t.Errorf("alert = %q; want the order's number %s in it\n\t(422 that names the existing record)", text, first)
		}
		if n := len(g.orders(t)) - before; n != 1 {
			t.Errorf("the demo has %d new orders; want 1", n)
		}
	})

	t.Run("not a number, then corrected", func(t *testing.T) {
		before := len(g.orders(t))
		b := browserTab(t)
		b.open(g.base + "/")
		b.fill("amount", "many")
		b.click(1)
		b.do("see the validation", chromedp.WaitVisible(`[aria-invalid="true"], `+orderResult+` [role=alert], `+orderResult+` .hc-alert`))
		if n := len(g.orders(t)) - before; n != 0 {
			t.Errorf("the demo has %d new orders after a validation failure; want 0", n)
		}
		b.fill("amount", "14")
		b.click(1)
		b.number()
		if n := len(g.orders(t)) - before; n != 1 {
			t.Errorf("the demo has %d new orders; want 1", n)
		}
	})

	t.Run("double click", func(t *testing.T) {
		before := len(g.orders(t))
		b := browserTab(t)
		b.open(g.base + "/")
		b.fill("amount", "15")
		b.click(2)
		b.number()
		if n := len(g.orders(t)) - before; n != 1 {
			t.Errorf("the demo has %d new orders after two clicks; want 1", n)
		}
	})

	t.Run("without JavaScript", func(t *testing.T) {
		before := len(g.orders(t))
		b := browserTab(t, noScript)
		b.open(g.base + "/")
		b.fill("amount", "16")
		b.click(2)
		first := b.number()
		if n := len(g.orders(t)) - before; n != 1 {
			t.Errorf("the demo has %d new orders after two clicks; want 1", n)
		}
		receipt := b.address()
		b.back()
		b.click(1)
		if second := b.number(); second != first {
			t.Errorf("receipt after Back = %s; want the same %s", second, first)
		}
		if again := b.address(); again != receipt {
			t.Errorf("address after Back and submit = %s; want the receipt %s", again, receipt)
		}
		if n := len(g.orders(t)) - before; n != 1 {
			t.Errorf("the demo has %d new orders; want 1", n)
		}
	})

	t.Run("without JavaScript, amount changed after Back", func(t *testing.T) {
		before := len(g.orders(t))
		b := browserTab(t, noScript)
		b.open(g.base + "/")
		b.fill("amount", "17")
		b.click(1)
		first := b.number()
		b.back()
		b.fill("amount", "18")
		b.click(1)
		b.do("see the 422 page", chromedp.WaitVisible(alert))
		if text := b.text("body"); !strings.Contains(text, first) {
			t.Errorf("page = %q; want the order's number %s in it\n\t(422 that names the existing record)", text, first)
		}
		b.click(1) // "submit as a new entry"
		if second := b.number(); second == first {
			t.Errorf("order number after \"submit as a new entry\" = %s; want another than %s", second, first)
		}
		if n := len(g.orders(t)) - before; n != 2 {
			t.Errorf("the demo has %d new orders; want 2", n)
		}
	})

	t.Run("Japanese", func(t *testing.T) {
		japanese := set(network.SetExtraHTTPHeaders, network.SetExtraHTTPHeadersParams{Headers: network.Headers{"Accept-Language": "ja"}})
		b := browserTab(t, japanese)
		b.open(g.base + "/")
		b.fill("amount", "19")
		b.click(1)
		first := b.number()
		b.fill("amount", "20")
		b.click(1)
		b.do("see the 422", chromedp.WaitVisible(orderResult+" "+alert))
		text := b.text(orderResult)
		if !strings.Contains(text, first) || !strings.ContainsAny(text, "のはをに") {
			t.Errorf("alert = %q; want Japanese that names order %s", text, first)
		}
	})
}
