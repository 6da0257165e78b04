//go:build unix

package contract_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"golang.org/x/net/html"
)

// chromium starts a browser with a fresh profile; it ends with the test.
func chromium(t *testing.T) context.Context {
	t.Helper()
	if subject != "guard" {
		t.Skip("a browser does the same in front of every subject: what it loads is TestTheFilesOfTheModule's")
	}
	path := os.Getenv("CHROMIUM")
	if path == "" {
		out, err := exec.Command(filepath.Join(root(), "scripts/chromium.sh")).Output()
		if err != nil {
			t.Fatalf("scripts/chromium.sh: %v", err)
		}
		path = strings.TrimSpace(string(out))
	}
	profile, err := os.MkdirTemp("", "singleshot-chromium-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(profile) })
	allocator, endAllocator := chromedp.NewExecAllocator(context.Background(), append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.UserDataDir(profile), chromedp.Env("TMPDIR="+profile), chromedp.NoSandbox, chromedp.NoFirstRun,
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true), chromedp.Flag("disable-gpu", true), chromedp.WindowSize(900, 900))...)
	t.Cleanup(endAllocator)
	c, end := chromedp.NewContext(allocator)
	t.Cleanup(end)
	if err := chromedp.Do(c); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return c
}

// tab is one tab of a profile of its own: no cookies, no history. It looks at the document through the DOM
// domain alone, which works without JavaScript, and after Back from the back/forward cache, where the
// conveniences of chromedp wait for events that do not come.
type tab struct {
	t   *testing.T
	ctx context.Context
	xy  map[string][2]float64 // where elements were seen last
}

// patience is how long a tab waits for what must appear.
const patience = time.Minute

func newTab(t *testing.T, browser context.Context, actions ...chromedp.Action[chromedp.Void]) *tab {
	t.Helper()
	c, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	if err := chromedp.Do(c); err != nil { // the tab lives as long as this context, which has no time limit
		t.Fatal(err)
	}
	c, stop := context.WithTimeout(c, 4*time.Minute)
	t.Cleanup(stop)
	b := &tab{t: t, ctx: c, xy: map[string][2]float64{}}
	t.Cleanup(b.picture)
	b.do("set the tab up", actions...)
	return b
}

// set is a protocol command as an action.
func set[P any](command cdp.Command[P, cdp.Empty], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(c context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(c, t, command, params)
		return err
	})
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
	c, cancel := context.WithTimeout(context.WithoutCancel(b.ctx), 30*time.Second)
	defer cancel()
	png, err := chromedp.Run(c, chromedp.CaptureScreenshot())
	if err != nil {
		b.t.Logf("no screenshot: %v", err)
		return
	}
	dir, err := os.MkdirTemp("", "singleshot-failed-") // t.TempDir would be gone when somebody looks
	if err == nil {
		path := filepath.Join(dir, strings.ReplaceAll(filepath.Base(b.t.Name()), " ", "-")+".png")
		if err = os.WriteFile(path, png, 0o600); err == nil {
			b.t.Logf("screenshot: %s", path)
		}
	}
	if err != nil {
		b.t.Logf("no screenshot: %v", err)
	}
}

// find returns the first element that matches, in the document as it stands.
func (b *tab) find(c context.Context, selector string) (cdp.NodeID, error) {
	document, err := chromedp.Call(c, dom.GetDocument, dom.GetDocumentParams{})
	if err != nil {
		return 0, err
	}
	found, err := chromedp.Call(c, dom.QuerySelector, dom.QuerySelectorParams{NodeID: document.Root.NodeID, Selector: selector})
	if err == nil && found.NodeID == 0 {
		err = errors.New("no " + selector)
	}
	return found.NodeID, err
}

// until repeats try, because the document may be replaced at any time, until it has no error.
func (b *tab) until(what string, try func(c context.Context) error) {
	b.t.Helper()
	var err error
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(30 * time.Millisecond) {
		c, cancel := context.WithTimeout(b.ctx, 20*time.Second)
		err = try(c)
		cancel()
		if err == nil {
			return
		}
	}
	b.t.Fatalf("%s: %v", what, err)
}

// see waits until an element is on the screen, and returns its middle.
func (b *tab) see(selector string) (x, y float64) {
	b.t.Helper()
	b.until("see "+selector, func(c context.Context) error {
		node, err := b.find(c, selector)
		if err != nil {
			return err
		}
		if _, err := chromedp.Call(c, dom.ScrollIntoViewIfNeeded, dom.ScrollIntoViewIfNeededParams{NodeID: node}); err != nil {
			return err
		}
		box, err := chromedp.Call(c, dom.GetBoxModel, dom.GetBoxModelParams{NodeID: node})
		if err != nil {
			return err
		}
		q := box.Model.Content
		x, y = (q[0]+q[4])/2, (q[1]+q[5])/2
		if q[0] == q[4] || q[1] == q[5] {
			return fmt.Errorf("%s has no size", selector)
		}
		b.xy[selector] = [2]float64{x, y}
		return nil
	})
	return x, y
}

// gone waits until no element matches.
func (b *tab) gone(selector string) {
	b.t.Helper()
	b.until("await the end of "+selector, func(c context.Context) error {
		if _, err := b.find(c, "html"); err != nil {
			return err
		}
		if _, err := b.find(c, selector); err == nil {
			return errors.New("it is still there")
		}
		return nil
	})
}

// mark gives an element an attribute by which its disappearance can be seen.
func (b *tab) mark(selector, attribute string) {
	b.t.Helper()
	b.until("mark "+selector, func(c context.Context) error {
		node, err := b.find(c, selector)
		if err != nil {
			return err
		}
		_, err = chromedp.Call(c, dom.SetAttributeValue, dom.SetAttributeValueParams{NodeID: node, Name: attribute})
		return err
	})
}

// source is the outer HTML of an element.
func (b *tab) source(c context.Context, selector string) (string, error) {
	node, err := b.find(c, selector)
	if err != nil {
		return "", err
	}
	got, err := chromedp.Call(c, dom.GetOuterHTML, dom.GetOuterHTMLParams{NodeID: node})
	return got.OuterHTML, err
}

// match waits until an element's source matches, and returns the first group.
func (b *tab) match(selector string, want *regexp.Regexp) string {
	b.t.Helper()
	group := ""
	b.until(fmt.Sprintf("await %v in %s", want, selector), func(c context.Context) error {
		s, err := b.source(c, selector)
		if err != nil {
			return err
		}
		m := want.FindStringSubmatch(s)
		if m == nil {
			return fmt.Errorf("it is %s", cut([]byte(s)))
		}
		group = m[1]
		return nil
	})
	return group
}

// text waits until an element is on the screen and returns its text.
func (b *tab) text(selector string) string {
	b.t.Helper()
	b.see(selector)
	var text strings.Builder
	b.until("read "+selector, func(c context.Context) error {
		s, err := b.source(c, selector)
		if err != nil {
			return err
		}
		text.Reset()
		z, skip := html.NewTokenizer(strings.NewReader(s)), false
		for {
			switch z.Next() {
			case html.ErrorToken:
				return nil
			case html.StartTagToken, html.EndTagToken:
				name, _ := z.TagName()
				if string(name) == "script" || string(name) == "style" {
					skip = !skip
				}
			case html.TextToken:
				if !skip {
					text.Write(z.Text())
				}
			}
		}
	})
	return text.String()
}

// open navigates and waits for an element.
func (b *tab) open(url, selector string) {
	b.t.Helper()
	b.do("open "+url, chromedp.Navigate(url))
	b.see(selector)
}

// address is the tab's URL.
func (b *tab) address() string {
	b.t.Helper()
	history, err := chromedp.Run(b.ctx, chromedp.NavigationEntries())
	if err != nil {
		b.t.Fatal(err)
	}
	return history.Entries[history.CurrentIndex].URL
}

// back goes back by one entry of the history and waits for an element of that page.
func (b *tab) back(selector string) {
	b.t.Helper()
	history, err := chromedp.Run(b.ctx, chromedp.NavigationEntries())
	if err != nil || history.CurrentIndex < 1 {
		b.t.Fatalf("no page to go back to: %v", err)
	}
	entry := history.Entries[history.CurrentIndex-1]
	b.do("go back", set(page.NavigateToHistoryEntry, page.NavigateToHistoryEntryParams{EntryID: entry.ID}))
	b.until("go back", func(c context.Context) error {
		history, err := chromedp.Run(c, chromedp.NavigationEntries()) // fails while one page gives way to the other
		if err == nil && history.Entries[history.CurrentIndex].URL != entry.URL {
			err = fmt.Errorf("the address is %s", history.Entries[history.CurrentIndex].URL)
		}
		return err
	})
	b.see(selector)
}

// focus moves the keyboard to an element.
func (b *tab) focus(selector string) {
	b.t.Helper()
	b.see(selector)
	b.until("focus "+selector, func(c context.Context) error {
		node, err := b.find(c, selector)
		if err != nil {
			return err
		}
		_, err = chromedp.Call(c, dom.Focus, dom.FocusParams{NodeID: node})
		return err
	})
}

// fill replaces a field's text by typing.
func (b *tab) fill(selector, text string) {
	b.t.Helper()
	b.focus(selector)
	b.do("type into "+selector, chromedp.KeyEvent("a", chromedp.KeyModifiers(chromedp.ModifierCtrl)), chromedp.KeyEvent(text))
}

// click presses an element with the mouse, count times without a pause.
func (b *tab) click(selector string, count int) {
	b.t.Helper()
	x, y := b.see(selector)
	for n := range count {
		b.press(x, y, n+1)
	}
}

// press is one click at a point of the window, the count-th of a quick series.
func (b *tab) press(x, y float64, count int) {
	b.t.Helper()
	for _, kind := range []input.DispatchMouseEventType{input.DispatchMouseEventTypeMousePressed, input.DispatchMouseEventTypeMouseReleased} {
		b.do("click", set(input.DispatchMouseEvent, input.DispatchMouseEventParams{
			Type: kind, X: x, Y: y, Button: input.MouseButtonLeft, ClickCount: int64(count)}))
	}
}

// try presses where an element was seen last: a page that is about to go away answers no question about it.
func (b *tab) try(selector string, count int) {
	b.t.Helper()
	b.press(b.xy[selector][0], b.xy[selector][1], count)
}

// inCase runs a subtest in the same tab.
func (b *tab) inCase(name string, test func(t *testing.T)) {
	outer := b.t
	outer.Run(name, func(t *testing.T) {
		b.t = t
		defer func() { b.t = outer }()
		test(t)
	})
}
