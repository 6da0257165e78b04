//go:build unix

package main

import (
	"cmp"
	"context"
	"encoding/json"
	"iter"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	cdpage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// chromium starts the browser that all tests share: the one that the environment names, else the one on the
// path. The test is skipped where there is none.
func chromium(t *testing.T) context.Context {
	t.Helper()
	started, err := chromiumOnce()
	if err != nil {
		t.Fatal(err)
	}
	if started == nil {
		t.Skip("no Chromium: install one, or set CHROMIUM to its path")
	}
	return started
}

var (
	endChromium  = func() {}
	chromiumOnce = sync.OnceValues(func() (context.Context, error) {
		path := os.Getenv("CHROMIUM")
		for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
			if path == "" {
				path, _ = exec.LookPath(name)
			}
		}
		if path == "" {
			return nil, nil
		}
		profile, err := os.MkdirTemp("", "singleshot-chromium-")
		if err != nil {
			return nil, err
		}
		allocator, end := chromedp.NewExecAllocator(context.Background(), append(chromedp.DefaultExecAllocatorOptions[:],
			chromedp.ExecPath(path), chromedp.UserDataDir(profile), chromedp.Env("TMPDIR="+profile), chromedp.NoSandbox, chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-gpu", true))...)
		ctx, close := chromedp.NewContext(allocator)
		endChromium = func() { close(); end(); os.RemoveAll(profile) }
		return ctx, chromedp.Do(ctx)
	})
)

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
	noScript bool
	messages iter.Seq2[chromedp.ConsoleMessage, error]
}

// open opens an address in a tab of its own, with cookies of its own.
func open(t *testing.T, address string, l look) *page {
	t.Helper()
	ctx, end := chromedp.NewContext(chromium(t), chromedp.WithNewBrowserContext())
	t.Cleanup(end)
	if err := chromedp.Do(ctx); err != nil { // the tab lives as long as this context, which has no time limit
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(ctx, 5*time.Minute)
	t.Cleanup(stop)
	theme := "light"
	if l.dark {
		theme = "dark"
	}
	p := &page{t: t, ctx: ctx, noScript: l.noScript, messages: chromedp.Console(ctx)}
	p.do(
		set(emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: cmp.Or(l.width, 1280), Height: 900, DeviceScaleFactor: 1}),
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

// click presses the first element that matches, as a mouse does: times in a row.
func (p *page) click(selector string) { p.t.Helper(); p.press(selector, 1) }

// press works with coordinates alone, because after Back from the back/forward cache the conveniences of chromedp
// wait for events that do not come.
func (p *page) press(selector string, times int64) {
	p.t.Helper()
	p.ready(selector)
	place := p.ask(`(e => { e.scrollIntoView({block: 'center', behavior: 'instant'}); const r = e.getBoundingClientRect();
		return JSON.stringify({X: r.x + r.width / 2, Y: r.y + r.height / 2}) })(` + visible(selector) + `)`)
	mouse := input.DispatchMouseEventParams{Button: input.MouseButtonLeft}
	if err := json.Unmarshal([]byte(place), &mouse); err != nil {
		p.t.Fatal(err)
	}
	for n := range times {
		mouse.ClickCount = n + 1
		for _, mouse.Type = range []input.DispatchMouseEventType{input.DispatchMouseEventTypeMousePressed, input.DispatchMouseEventTypeMouseReleased} {
			p.do(set(input.DispatchMouseEvent, mouse))
		}
	}
}

// ready waits until an element is there, the page's scripts listen, and htmx has attended to what it put in: before that
// a form goes the way of a page without them.
func (p *page) ready(selector string) {
	p.t.Helper()
	p.see(selector)
	p.await(`document.readyState === 'complete' && !document.querySelector('.htmx-added, .htmx-settling, .htmx-swapping')`)
}

// visible is the expression for the first element that matches and can be seen.
func visible(selector string) string {
	return `[...document.querySelectorAll(` + quoted(selector) + `)].find(e => e.checkVisibility())`
}

// see waits until an element that matches can be seen.
func (p *page) see(selector string) {
	p.t.Helper()
	p.await(`!!` + visible(selector))
}

// fill puts a value into a field, and tells the page as typing would.
func (p *page) fill(selector, value string) {
	p.t.Helper()
	p.see(selector)
	p.ask(`(field => { field.value = ` + quoted(value) + `; field.dispatchEvent(new Event('input', {bubbles: true})); return '' })(document.querySelector(` + quoted(selector) + `))`)
}

// text is the text of the first element that matches, as soon as there is one.
func (p *page) text(selector string) string {
	p.t.Helper()
	p.see(selector)
	return p.ask(`document.querySelector(` + quoted(selector) + `).innerText`)
}

// value is an attribute of the first element that matches, as soon as there is one.
func (p *page) value(selector, attribute string) string {
	p.t.Helper()
	p.await(`!!document.querySelector(` + quoted(selector) + `)`)
	return p.ask(`document.querySelector(` + quoted(selector) + `).getAttribute(` + quoted(attribute) + `) ?? ''`)
}

// says waits until an element contains a text.
func (p *page) says(selector, text string) {
	p.t.Helper()
	p.await(`(document.querySelector(` + quoted(selector) + `)?.innerText ?? '').includes(` + quoted(text) + `)`)
}

// back goes back, as the button of the browser does, and waits for an element of the page before.
func (p *page) back(selector string) {
	p.t.Helper()
	history, err := chromedp.Run(p.ctx, chromedp.NavigationEntries())
	if err != nil || history.CurrentIndex < 1 {
		p.t.Fatalf("no page to go back to: %v", err)
	}
	entry := history.Entries[history.CurrentIndex-1]
	p.do(set(cdpage.NavigateToHistoryEntry, cdpage.NavigateToHistoryEntryParams{EntryID: entry.ID}))
	p.await(`location.href === ` + quoted(entry.URL))
	p.see(selector)
}

// settled waits until everything of the page is there and drawn.
func (p *page) settled() {
	p.t.Helper()
	p.await(`document.readyState === 'complete'`)
	if p.noScript {
		return // nothing animates
	}
	p.ask(`new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(''))))`)
}

func quoted(text string) string { return strconv.Quote(text) }

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
	ctx, stop := context.WithTimeout(p.ctx, 2*time.Minute)
	defer stop()
	for {
		value, err := chromedp.Run(ctx, chromedp.Evaluate[bool](expression))
		if value {
			return
		}
		if ctx.Err() != nil {
			p.t.Fatalf("not within two minutes: %s (%v)", expression, err)
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
