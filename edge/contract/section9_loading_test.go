//go:build unix

package contract_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// early runs a script in every document of the tab before the page's own, whatever its policy.
func (b *tab) early(source string) {
	b.t.Helper()
	c, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if _, err := chromedp.Call(c, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: source}); err != nil {
		b.t.Fatal(err)
	}
}

// watch counts what countTag counts, and what the browser complains about, where a policy forbids inline scripts.
const watch = `var ended = 0, violations = [], warnings = [];
	for (const name of ["htmx:afterRequest", "htmx:onLoadError", "htmx:finally:request"]) addEventListener(name, () => setTimeout(() => ended++, 20));
	addEventListener("securitypolicyviolation", (e) => violations.push(e.violatedDirective + " " + e.blockedURI + " " + e.sourceFile));
	for (const level of ["warn", "error"]) { const say = console[level]; console[level] = (...all) => { warnings.push(all.join(" ")); say.apply(console, all) } }`

// TestUnderAContentSecurityPolicy serves the form under the policies that sites have.
func TestUnderAContentSecurityPolicy(t *testing.T) {
	m := newModuleBench(t)
	const rest = "default-src 'none'; connect-src 'self'; style-src 'self'; form-action 'self'; base-uri 'none'; script-src "
	for _, p := range []struct {
		name, policy, tag string
		ready             bool
	}{
		{"strict", rest + "'self' 'wasm-unsafe-eval'", moduleTag, true},
		{"a nonce", rest + "'nonce-bm9uY2U' 'wasm-unsafe-eval'", strings.Replace(moduleTag, " defer", ` defer nonce="bm9uY2U"`, 1), true},
		{"strict-dynamic", rest + "'nonce-bm9uY2U' 'strict-dynamic' 'wasm-unsafe-eval'", strings.Replace(moduleTag, " defer", ` defer nonce="bm9uY2U"`, 1), true},
		{"trusted types", rest + "'self' 'wasm-unsafe-eval'; require-trusted-types-for 'script'; trusted-types htmx default", moduleTag, true},
		{"without WebAssembly", rest + "'self'", moduleTag, false},
	} {
		for version, h := range htmxes {
			if p.name == "trusted types" && version < 2 {
				continue // htmx 1.9 and 2 do not work under it
			}
			t.Run(p.name+", "+h.name, func(t *testing.T) {
				t.Parallel()
				b := newTab(t, m.browser)
				b.early(watch)
				if p.name == "trusted types" {
					b.early(`trustedTypes.createPolicy("default", {createHTML: (s) => s})`) // for htmx alone: scripts stay refused
				}
				gate := newGate(t)
				r := m.origin.route("/", answer(422, validation), held(gate.c, order))
				library := strings.Replace(htmxTag(version), "<script", `<script nonce="bm9uY2U"`, 1)
				config := `<meta name="htmx-config" content='{"includeIndicatorStyles":false,"includeIndicatorCSS":false}'>`
				r.page = documentOf(r.path, config+library+p.tag, markups[1].html, "en", "Content-Security-Policy", p.policy)
				b.open(m.wire.url+r.path, submitButton)
				if got := eval[bool](b, whenReady); got != p.ready {
					t.Fatalf("ready = %v; want %v: %s", got, p.ready, eval[string](b, `JSON.stringify([violations, warnings])`))
				}
				b.click(submitButton, 1)
				b.see(resultRegion + " .invalid") // 422
				b.click(submitButton, 1)
				r.await(t, 2)
				b.click(submitButton, 2) // held
				gate.open()
				b.match(resultRegion, orderNumber)
				b.ended(2)
				if n := len(m.wire.sent(r.path)); n != 2 {
					t.Errorf("the page sent %d times; want twice, one at a time", n)
				}
				b.click(submitButton, 1)
				b.ended(3)
				if got := eval[bool](b, `!!document.querySelector('`+hintLine+`')`); got != p.ready {
					t.Errorf("hint = %v; want %v", got, p.ready)
				}
				ours := eval[string](b, `violations.filter((v) => v.includes("_singleshot") || v.includes("wasm")).join("\n")`)
				if p.ready && ours != "" {
					t.Errorf("the policy was violated: %s", ours)
				}
				if n := eval[int](b, `warnings.filter((w) => w.startsWith("singleshot:")).length`); p.ready && n != 0 || !p.ready && n != 1 {
					t.Errorf("%d words in the console; want one where a part does not work, else none", n)
				}
			})
		}
	}
}

// TestHtmxAsAModule: the library is imported, and window.htmx need not be there.
func TestHtmxAsAModule(t *testing.T) {
	m := newModuleBench(t)
	for i, file := range []string{"htmx.org/dist/htmx.esm.js", "htmx4/dist/htmx.esm.js"} {
		t.Run(htmxes[i+1].name, func(t *testing.T) {
			t.Parallel()
			m.origin.library(t, "/lib/esm-"+fmt.Sprint(i)+".js", file)
			b := newTab(t, m.browser)
			r := m.origin.route("/")
			r.page = documentOf(r.path, countTag+`<script type="module">import "/lib/esm-`+fmt.Sprint(i)+`.js"; delete window.htmx</script>`+moduleTag, retryForm(""), "en")
			m.wire.cut(r.path, true, func(_ int, p posted) bool { return !retried(p) })
			b.ready(m.wire.url + r.path)
			if eval[bool](b, `"htmx" in window`) {
				t.Fatal("window.htmx is there; this tests without")
			}
			b.click(submitButton, 1)
			b.match(resultRegion, orderNumber)
			b.ended(1)
			m.wire.cut(r.path, true, nil)
			b.click(submitButton, 1)
			b.ended(2)
			b.see(resultRegion + " " + hintLine)
			r.mustRun(t, "works with htmx as ESM (no window.htmx)", 1)
		})
	}
}

// TestThePackageFolder loads the module from a folder of its own, as a module and with integrity.
func TestThePackageFolder(t *testing.T) {
	m := newModuleBench(t)
	folder := filepath.Join(root(), "build/browser/package")
	files, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(folder, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		media := map[string]string{".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm"}[filepath.Ext(f.Name())]
		m.origin.at("/package/" + f.Name()).page = func(t *turn) {
			t.Header().Set("Content-Type", media)
			_, _ = t.Write(text)
		}
	}
	integrity, err := os.ReadFile(filepath.Join(root(), "build/browser/integrity.json"))
	if err != nil {
		t.Fatal(err)
	}
	value := strings.Split(strings.SplitN(string(integrity), `"singleshot.js": "`, 2)[1], `"`)[0]
	for name, tag := range map[string]string{
		"as a module":    `<script type="module">import { singleshot } from "/package/singleshot.mjs"; window.same = singleshot === window.singleshot; window.came = true</script>`,
		"with integrity": `<script src="/package/singleshot.js" integrity="` + value + `" crossorigin="anonymous" defer></script><script>window.came = window.same = true</script>`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newTab(t, m.browser)
			r := m.origin.route("/")
			r.page = documentOf(r.path, countTag+htmxTag(1)+tag, markups[1].html, "en")
			b.open(m.wire.url+r.path, submitButton)
			b.until("the module", func(context.Context) error {
				if !eval[bool](b, `!!window.came && !!window.singleshot`) {
					return fmt.Errorf("not there")
				}
				return nil
			})
			if !eval[bool](b, `singleshot.ready.then((ready) => ready && same)`) {
				t.Fatal("ready = false, or another object")
			}
			b.again()
			b.see(resultRegion + " " + hintLine)
		})
	}
}

// TestTheModuleKeepsToItself: one global, and a second script tag changes nothing.
func TestTheModuleKeepsToItself(t *testing.T) {
	m := newModuleBench(t)
	b := newTab(t, m.browser)
	b.early(`addEventListener("DOMContentLoaded", () => 0); window.before = new Set(Object.getOwnPropertyNames(window))`)
	r := m.origin.route("/")
	r.page = documentOf(r.path, htmxTag(1)+moduleTag+moduleTag+countTag, markups[1].html, "en")
	b.ready(m.wire.url + r.path)
	if got := eval[string](b, `Object.getOwnPropertyNames(window).filter((name) => !before.has(name) && !["before", "htmx", "ended", "name", "event"].includes(name) && !/^\d+$/.test(name)).join(" ")`); got != "singleshot" {
		t.Errorf("globals = %q; want singleshot alone", got)
	}
	b.again()
	if n := eval[int](b, `document.querySelectorAll('`+hintLine+`').length`); n != 1 {
		t.Errorf("%d hints with two script tags; want one", n)
	}
}

// TestNoSubmitWaitsForTheModule keeps the wasm away: what the loader does, it does at once.
func TestNoSubmitWaitsForTheModule(t *testing.T) {
	m := newModuleBench(t)
	m.wire.stall(".wasm")
	for version, h := range htmxes {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			b := newTab(t, m.browser)
			gate := newGate(t)
			r := m.origin.route("/", answer(422, validation), held(gate.c, order))
			r.document(version, markups[0].html)
			b.open(m.wire.url+r.path, submitButton)
			b.click(submitButton, 1)
			b.see(resultRegion + " .invalid")
			b.click(submitButton, 1)
			r.await(t, 2)
			b.click("#second", 1)
			gate.open()
			b.match(resultRegion, orderNumber)
			if n := len(m.wire.sent(r.path)); n != 2 {
				t.Errorf("the page sent %d times; want twice, one at a time", n)
			}
		})
	}
}

// TestTheModulesMemoryIsFlat submits ten thousand forms, and says how fast the wasm starts (goal: 15 ms).
func TestTheModulesMemoryIsFlat(t *testing.T) {
	m := newModuleBench(t)
	b := newTab(t, m.browser)
	r := m.origin.route("/")
	r.document(1, markups[1].html)
	b.ready(m.wire.url + r.path)
	// Another instance of the same wasm, spoken to as engine.js does.
	const instance = `
		const wasm = performance.getEntriesByType("resource").find((e) => e.name.endsWith(".wasm")).name;
		const bytes = await (await fetch(wasm)).arrayBuffer();
		const imports = {wasi_snapshot_preview1: new Proxy({}, {get: () => () => 0})};
		const start = async () => { const x = (await WebAssembly.instantiate(bytes, imports)).instance.exports; x._initialize(); return x };`
	if size := eval[int](b, `(async () => {`+instance+` return bytes.byteLength })()`); size > 1<<20 {
		t.Skipf("%d bytes: the figures are TinyGo's, and this is standard Go's wasm", size)
	}
	best := eval[float64](b, `(async () => {`+instance+`
		let best = Infinity;
		for (let i = 0; i < 12; i++) { const from = performance.now(); await start(); best = Math.min(best, performance.now() - from) }
		return best;
	})()`)
	t.Logf("ready %.1f ms after the bytes are there", best)
	pages := eval[[]int](b, `(async () => {`+instance+`
		const x = await start(), at = x.buffer(), pages = [];
		const put = (...texts) => { let end = 0; return texts.map((t) => (end += new TextEncoder().encodeInto(t, new Uint8Array(x.memory.buffer, at + end, 65536 - end)).written)) };
		for (let i = 1; i <= 10000; i++) {
			const key = "ik_" + i;
			x.open(put("POST\n/orders\n")[0]);
			for (let f = 0; f < 10; f++) { x.field(...put("field" + f)); x.piece(...put("value " + i + "é".repeat(f * 30))); x.end() }
			x.close(0);
			const place = ["POST", "", "/orders", 0, key].join("\n");
			x.submit(...put(place), 0);
			x.answer(...put([200, "created", "", "/orders"].join("\n"), place), 0);
			x.save();
			if (i % 1000 === 0) pages.push(x.memory.buffer.byteLength / 65536);
		}
		return pages;
	})()`)
	t.Logf("pages of memory after each thousand submits: %v", pages)
	if last := pages[len(pages)-1]; last != pages[0] || last > 16 {
		t.Errorf("memory grows from %d to %d pages; want it flat, at most 16", pages[0], last)
	}
	// And the whole module: replays on one page leave nothing behind.
	const press = `(async () => {
		for (let i = 0; i < 25; i++) {
			const before = ended;
			document.querySelector("#go").click();
			while (ended === before) await new Promise((done) => setTimeout(done, 5));
		}
		return document.querySelectorAll("*").length;
	})()`
	if first, second := eval[int](b, press), eval[int](b, press); first != second {
		t.Errorf("the document has %d elements after 25 replays and %d after 50; want the same", first, second)
	}
	r.mustRun(t, "replays", 1)
}
