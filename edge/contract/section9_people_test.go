//go:build unix

package contract_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/chromedp"
)

// spoken is the accessible tree of an element's kind: role, name and what is in it, as assistive technology gets it.
func (b *tab) spoken(role string) []string {
	b.t.Helper()
	c, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	tree, err := chromedp.Call(c, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	if err != nil {
		b.t.Fatal(err)
	}
	text := func(v *accessibility.Value) string {
		var s string
		if v != nil {
			_ = json.Unmarshal(v.Value, &s) // roles and names are texts
		}
		return s
	}
	nodes := map[accessibility.NodeID]*accessibility.Node{}
	for _, n := range tree.Nodes {
		nodes[n.NodeID] = n
	}
	var inside func(n *accessibility.Node) string
	inside = func(n *accessibility.Node) string {
		s := ""
		switch r := text(n.Role); r {
		case "StaticText":
			return text(n.Name)
		case "button":
			return "[" + text(n.Name) + "]"
		}
		for _, id := range n.ChildIDs {
			if child := nodes[id]; child != nil {
				s += inside(child)
			}
		}
		return s
	}
	var found []string
	for _, n := range tree.Nodes {
		if text(n.Role) == role && !n.Ignored {
			found = append(found, inside(n))
		}
	}
	return found
}

// TestTheModuleIsForEverybody looks at each state of a form as assistive technology does, and with axe.
func TestTheModuleIsForEverybody(t *testing.T) {
	m := newModuleBench(t)
	axe, err := os.ReadFile(filepath.Join(root(), "node_modules/axe-core/axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	check := func(b *tab, state string) {
		b.t.Helper()
		broken := eval[string](b, string(axe)+`; axe.run(document, {resultTypes: ["violations"]}).then((r) =>
			r.violations.map((v) => v.id + ": " + v.nodes.map((n) => n.html).join(" | ")).join("\n"))`)
		if broken != "" {
			b.t.Errorf("%s: %s", state, broken)
		}
	}
	for _, l := range []struct{ language, spent, changed, started, fresh, hint string }{
		{"en", "This form has already gone through. Sent again without a change, it shows the same result.",
			"This form has already gone through with other values. To submit these, start a new entry.",
			"This is a new entry now. Nothing has been sent yet.", "Start a new entry with these values", "You had already sent this"},
		{"ja", "このフォームはすでに受け付けられています。同じ内容で送信すると、最初の結果が表示されます。",
			"このフォームは別の内容で受け付け済みです。今の内容を送信するには、新しい登録を始めてください。",
			"新しい登録になりました。まだ送信されていません。", "この内容で新しい登録を始める", "すでに送信済みのため"},
	} {
		t.Run(l.language, func(t *testing.T) {
			t.Parallel()
			b := newTab(t, m.browser)
			r := m.origin.route("/")
			r.page = documentOf(r.path, countTag+htmxTag(1)+`<meta name="viewport" content="width=device-width">`+moduleTag, `<main><h1>Order</h1>
				<form hx-post="P" hx-target="#result"><label>Amount <input name="amount" value="1"></label> <button id="go">Order</button></form>
				<div id="result" role="region" aria-live="polite" aria-label="Result"></div></main>`, l.language)
			b.ready(m.wire.url + r.path)
			b.again()
			if text := b.text(resultRegion + " " + hintLine); !strings.HasPrefix(text, l.hint) {
				t.Errorf("hint = %q; want %s…", text, l.hint)
			}
			if got := b.spoken("status"); len(got) != 0 {
				t.Errorf("beside a hint there are live regions %q; want the result's alone", got)
			}
			check(b, "hint")
			status := func(want string) {
				t.Helper()
				b.until("the status", func(context.Context) error {
					if got := strings.Join(b.spoken("status"), "|"); got != want {
						return fmt.Errorf("%q; want %q", got, want)
					}
					return nil
				})
				check(b, want)
			}
			eval[bool](b, `(document.forms[0].reset(), true)`)
			status(l.spent + "[" + l.fresh + "]")
			b.fill("input[name=amount]", "2")
			status(l.changed + "[" + l.fresh + "]")
			// By keyboard: the button comes after the form's own, and the focus goes on to the first field.
			b.focus(submitButton)
			b.do("Tab, Space", chromedp.KeyEvent("\t"), chromedp.KeyEvent(" "))
			status(l.started)
			if got := eval[string](b, `document.activeElement.name`); got != "amount" {
				t.Errorf("the focus is on %q; want the first field", got)
			}
			if eval[bool](b, `document.documentElement.scrollWidth > innerWidth`) {
				t.Errorf("the page scrolls sideways")
			}
		})
	}
}
