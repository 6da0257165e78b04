//go:build unix

package core

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// compare loads each page, and what an Injector made of it, as documents without scripts, and says where the
// browser and we disagree: a form that sends its fields by POST to this site has one field of ours, other forms
// have none; without these fields the two trees are equal.
const compare = `
const htmlNamespace = 'http://www.w3.org/1999/xhtml';
const formatting = new Set('A B BIG CODE EM FONT I NOBR S SMALL STRIKE STRONG TT U'.split(' '));
const frames = {};
function load(name, markup) {
	if (!frames[name]) {
		frames[name] = document.createElement('iframe');
		frames[name].sandbox = 'allow-same-origin';
		document.body.append(frames[name]);
	}
	const doc = frames[name].contentDocument;
	doc.open(); doc.write(markup); doc.close();
	return doc;
}
function difference(page, output) {
	const before = load('before', page), after = load('after', output);
	const ours = [...after.querySelectorAll('input[name=idempotency_key]')];
	for (const form of after.querySelectorAll('form')) {
		if (form.namespaceURI !== htmlNamespace || form.closest('select')) continue;
		const wanted = (/^post$/i.test(form.getAttribute('method') ?? '') || form.hasAttribute('hx-post') || form.hasAttribute('data-hx-post')) &&
			!(form.getAttribute('action') ?? '').includes('evil.example') && form.getAttribute('data-idempotency') !== 'off';
		const keys = ours.filter(field => field.form === form).length;
		if (keys !== (wanted ? 1 : 0)) return keys + ' keys in ' + form.outerHTML;
	}
	if (ours.some(field => !field.form)) return 'a key outside of forms';
	if (ours.some(field => formatting.has(field.parentNode.tagName))) return ''; // see displacedInput
	for (const field of ours) field.remove();
	for (const t of after.querySelectorAll('turbo-stream > template')) {
		t.content?.querySelectorAll('form > input[name=idempotency_key]').forEach(field => field.remove());
	}
	before.normalize(); after.normalize();
	const was = before.documentElement.outerHTML, is = after.documentElement.outerHTML;
	return was === is ? '' : 'another tree: ' + is + ' instead of ' + was;
}
const differences = pairs => pairs.map(([page, output]) => difference(page, output));
`

// TestBrowserFindsTheKeys asks a browser, the judge of what a form is, about pages put together from pieces.
// CHROMIUM is its path.
func TestBrowserFindsTheKeys(t *testing.T) {
	path := os.Getenv("CHROMIUM")
	if path == "" || testing.Short() {
		t.Skip("needs a browser: set CHROMIUM to its path, and no -short")
	}
	profile := t.TempDir()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.UserDataDir(profile),
		chromedp.Env("TMPDIR="+profile), chromedp.NoSandbox)
	ctx, end := chromedp.NewExecAllocator(context.Background(), options...)
	defer end()
	ctx, end = chromedp.NewContext(ctx)
	defer end()
	ctx, end = context.WithTimeout(ctx, 5*time.Minute)
	defer end()
	if _, err := chromedp.Run(ctx, chromedp.Evaluate[chromedp.Void](compare)); err != nil {
		t.Fatal(err)
	}
	unlike := func(page string) bool {
		return strings.Contains(page, "<frameset") || strings.Contains(page, "<noscript") || strayEnd(page)
	}
	random := rand.New(rand.NewPCG(7, 8))
	for range 10 {
		var pairs [][2]string
		for range 300 {
			var b strings.Builder
			for range 2 + random.IntN(14) {
				b.WriteString(pieces[random.IntN(len(pieces))])
			}
			n, _ := counting("/shop/cart")
			output, _ := inject(n, b.String(), 0)
			if !unlike(b.String()) {
				pairs = append(pairs, [2]string{b.String(), output})
			}
		}
		data, err := json.Marshal(pairs)
		if err != nil {
			t.Fatal(err)
		}
		got, err := chromedp.Run(ctx, chromedp.Evaluate[[]string]("differences("+string(data)+")"))
		if err != nil {
			t.Fatal(err)
		}
		for i, difference := range got {
			if difference != "" {
				t.Errorf("%s\npage   %q\noutput %q", difference, pairs[i][0], pairs[i][1])
			}
		}
	}
}
