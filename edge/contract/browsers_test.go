//go:build unix

package contract_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// engine is what these tests ask of a browser that is no Chromium. Every method returns when the browser has
// answered; a page that loads meanwhile is waited for by looking at it again.
type engine interface {
	open(url string) error
	reload() error
	back() error
	eval(expression string) (json.RawMessage, error) // the value of an expression, or of its promise
	press(x, y, times int) error                     // the mouse's button
	key(key string) error                            // typed into what has the focus
}

const enterKey = "\uE007" // WebDriver's Enter

// TestFirefox and TestWebKit try the module in the two other families of browsers: `make browsers`.
func TestFirefox(t *testing.T) { keepsInABrowser(t, "firefox", startFirefox) }

func TestWebKit(t *testing.T) { keepsInABrowser(t, "webkit", startWebKit) }

func keepsInABrowser(t *testing.T, name string, start func(t *testing.T) engine) {
	if !strings.Contains(os.Getenv("BROWSERS"), name) {
		t.Skip("make browsers runs this: its browser is not part of make test")
	}
	g := withLibraries(t)
	m := &moduleBench{guard: g, wire: cable(t, g)}
	w := &window{t: t, engine: start(t)}
	for version, h := range htmxes {
		for _, k := range markups[:3] {
			w.inCase(h.name+", "+k.name, func(t *testing.T) { w.ordersOnce(m, version, k.html, k.result) })
		}
	}
	w.inCase("plain, pressed many times", func(t *testing.T) {
		w.plain(m, "one submit per form at a time", func() { w.press(submitButton, 5) })
	})
	w.inCase("plain, Enter twice", func(t *testing.T) {
		w.plain(m, "whatever button or Enter", func() {
			w.press("input[name=amount]", 1)
			w.must("Enter", w.key(enterKey+enterKey))
		})
	})
	w.inCase("reload", func(t *testing.T) {
		r := m.origin.route("/")
		r.page = documentOf(r.path, moduleTag, markups[5].html, "en")
		w.visit(m.wire.url + r.path)
		key := w.text(`document.querySelector("[name=idempotency_key]").value`)
		w.must("reload", w.reload())
		w.until("another key", func() bool {
			again := w.text(`document.querySelector("[name=idempotency_key]")?.value ?? ""`)
			return again != "" && again != key
		})
	})
}

// ordersOnce presses twice while the first is under way, again when it has ended, and with another amount.
func (w *window) ordersOnce(m *moduleBench, version int, html, result string) {
	gate := newGate(w.t)
	r := m.origin.route("/", answer(422, "<p>No number</p>"), held(gate.c, order))
	r.document(version, html)
	w.visit(m.wire.url + r.path)
	w.press(submitButton, 1)
	w.shows(result, "No number") // the 422 allowance
	r.mustRun(w.t, "a failed validation leaves the key live", 1)
	w.press(submitButton, 1)
	r.await(w.t, 2)
	w.press(submitButton, 2)
	gate.open()
	w.shows(result, "Order 100")
	r.mustRun(w.t, "one submit per form at a time", 2)
	if n := len(m.wire.sent(r.path)); n != 2 {
		w.t.Errorf("the page sent %d times; want twice\n\t(one submit per form at a time)", n)
	}
	w.press(submitButton, 1)
	w.shows("body", "nothing was done twice")
	r.mustRun(w.t, "an unchanged duplicate gets the first answer back", 2)
	w.text(`document.querySelector("input[name=amount]").value = "13"`)
	w.press(submitButton, 1)
	w.shows(result, "Already submitted with different values")
	r.mustRun(w.t, "a changed resubmit is a mismatch", 2)
}

// plain submits without htmx, goes back, and submits again.
func (w *window) plain(m *moduleBench, why string, submit func()) {
	gate := newGate(w.t)
	r := m.origin.route("/")
	page, to := m.origin.at(r.path+"/new"), m.origin.at(r.path+"/receipt")
	page.page = documentOf(r.path, moduleTag, markups[5].html, "en")
	to.page = htmlPage(moduleTag + `<p id="receipt">Thank you</p>`)
	r.scripts = []script{held(gate.c, answer(http.StatusSeeOther, "", "Location", to.path))}
	w.visit(m.wire.url + page.path)
	submit()
	r.await(w.t, 1)
	gate.open()
	w.shows("body", "Thank you")
	r.mustRun(w.t, why, 1)
	w.must("back", w.back())
	w.shows("body", "This form has already")
	w.press(submitButton, 1)
	w.shows("body", "Thank you")
	r.mustRun(w.t, "Back: the form knows that its key is spent; sent again it gets the first answer back", 1)
}

// window is one window of a browser, and the case that it is in.
type window struct {
	engine
	t *testing.T
}

func (w *window) inCase(name string, run func(t *testing.T)) {
	whole := w.t
	whole.Run(name, func(t *testing.T) {
		w.t = t
		defer func() { w.t = whole }()
		run(t)
	})
}

func (w *window) must(what string, err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatalf("%s: %v", what, err)
	}
}

func (w *window) until(what string, done func() bool) {
	w.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if done() {
			return
		}
	}
	body, _ := w.eval("document.body.innerText")
	w.t.Fatalf("%s: the page says %s", what, body)
}

// visit opens a page and waits for the module.
func (w *window) visit(url string) {
	w.t.Helper()
	w.must("open "+url, w.open(url))
	w.until("the module", func() bool {
		ready, err := w.eval("globalThis.singleshot?.ready")
		return err == nil && string(ready) == "true"
	})
}

func (w *window) text(expression string) (s string) {
	w.t.Helper()
	value, err := w.eval(expression)
	if err == nil {
		err = json.Unmarshal(value, &s)
	}
	w.must(expression, err)
	return s
}

// shows waits until an element shows a text.
func (w *window) shows(selector, text string) {
	w.t.Helper()
	w.until(selector+" shows "+text, func() bool {
		value, err := w.eval(fmt.Sprintf("document.querySelector(%q)?.innerText ?? ''", selector))
		return err == nil && strings.Contains(string(value), text)
	})
}

// press presses the mouse's button on the middle of an element.
func (w *window) press(selector string, times int) {
	w.t.Helper()
	value, err := w.eval(fmt.Sprintf(`(({ x, y, width, height }) => [x + width / 2 | 0, y + height / 2 | 0])(document.querySelector(%q).getBoundingClientRect())`, selector))
	var at [2]int
	if err == nil {
		err = json.Unmarshal(value, &at)
	}
	if err == nil {
		err = w.engine.press(at[0], at[1], times)
	}
	w.must("press "+selector, err)
}

// pressing is the list of WebDriver's actions for the mouse, in both its protocols.
func pressing(x, y, times int) []any {
	actions := []any{map[string]any{"type": "pointerMove", "x": x, "y": y, "duration": 0}}
	for range times {
		actions = append(actions, map[string]any{"type": "pointerDown", "button": 0}, map[string]any{"type": "pointerUp", "button": 0},
			map[string]any{"type": "pause", "duration": 40})
	}
	return []any{map[string]any{"type": "pointer", "id": "mouse", "parameters": map[string]any{"pointerType": "mouse"}, "actions": actions}}
}

// typing is the same for the keyboard.
func typing(text string) []any {
	var actions []any
	for _, r := range text {
		actions = append(actions, map[string]any{"type": "keyDown", "value": string(r)}, map[string]any{"type": "keyUp", "value": string(r)})
	}
	return []any{map[string]any{"type": "key", "id": "keyboard", "actions": actions}}
}

// found is the path of a program, or the end of the test.
func found(t *testing.T, names ...string) string {
	t.Helper()
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatalf("none of %q is installed: make browsers installs them on Debian", names)
	return ""
}
