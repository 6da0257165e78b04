//go:build unix

package contract_test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"

	"github.com/singleshot-edge/singleshot/core"
)

// control is one control of a generated form.
type control struct{ kind, name, value string }

// generate makes a form out of everything that browsers and the versions of htmx write down in their own ways.
func generate(r *rand.Rand) []control {
	names := []string{"a", "b", "items[]", "10", "2", "z z", "é", "名前", "_csrf", "order[csrf_token]", "_charset_", "receipt", "x+y&z=1", "q\"uote"}
	values := []string{"", "1", "two words", "a\nb", "a\r\nb\rc", "日本語 ☂ 😀", "+%20&=", "'()*!~-._", "<b>\"quoted\"</b>", " edge ", strings.Repeat("long ", 200)}
	kinds := []string{"text", "text", "text", "hidden", "textarea", "textarea", "checkbox", "radio", "select", "multiple", "disabled", "file", "chosen", "fieldset"}
	pick := func(list []string) string { return list[r.IntN(len(list))] }
	var form []control
	for range 1 + r.IntN(12) {
		form = append(form, control{pick(kinds), pick(names), pick(values)})
	}
	return form
}

// markup writes a form of controls. The button has a name of its own: one that it shares with a field has another
// place in every version (documented).
func generated(form []control, attributes string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<form %s>`, attributes)
	for i, c := range form {
		n, v := html.EscapeString(c.name), html.EscapeString(c.value)
		switch c.kind {
		case "textarea":
			fmt.Fprintf(&b, "<textarea name=\"%s\">\n%s</textarea>", n, v)
		case "checkbox", "radio":
			checked := ""
			if i%3 > 0 {
				checked = "checked"
			}
			fmt.Fprintf(&b, `<input type="%s" name="%s" value="%s" %s>`, c.kind, n, v, checked)
		case "select":
			fmt.Fprintf(&b, `<select name="%s"><option>none<option value="%s" selected>x</select>`, n, v)
		case "multiple":
			fmt.Fprintf(&b, `<select name="%s" multiple><option value="%s" selected>x<option>no<option value="3" selected>3</select>`, n, v)
		case "disabled":
			fmt.Fprintf(&b, `<input name="%s" value="%s" disabled>`, n, v)
		case "fieldset":
			fmt.Fprintf(&b, `<fieldset disabled><input name="%s" value="%s"></fieldset>`, n, v)
		case "file", "chosen":
			fmt.Fprintf(&b, `<input type="file" name="%s" data-content="%s" class="%s">`, n, v, c.kind)
		default:
			fmt.Fprintf(&b, `<input type="%s" name="%s" value="%s">`, c.kind, n, v)
		}
	}
	b.WriteString(`<button id="go" name="act" value="go now">Go</button></form>`)
	return b.String()
}

// TestTheBrowserComputesTheGuardsFingerprint sends generated forms as plain HTML and by each version of htmx, and
// compares what the module said before with what the guard's code makes of the bytes that came.
func TestTheBrowserComputesTheGuardsFingerprint(t *testing.T) {
	m := newModuleBench(t)
	const why = "The browser module computes the same fingerprint from the same code."
	const most = 50 // forms, for each way and encoding
	for version := -1; version < len(htmxes); version++ {
		name := "plain"
		if version >= 0 {
			name = htmxes[version].name
		}
		for _, encoding := range []string{"application/x-www-form-urlencoded", "multipart/form-data"} {
			t.Run(name+", "+encoding, func(t *testing.T) {
				t.Parallel()
				forms := most
				if version < 0 {
					forms = most / 2 // a frame loads for each
				}
				random := rand.New(rand.NewPCG(uint64(version+2), uint64(len(encoding))))
				b := newTab(t, m.browser)
				r := m.origin.route("/", answer(200, "ok"))
				page := m.origin.at(r.path + "/forms")
				var all strings.Builder
				for i := range forms {
					attributes := fmt.Sprintf(`method="post" action="%s?form=%d" enctype="%s" data-singleshot-ignore="receipt"`, r.path, i, encoding)
					if version < 0 {
						attributes += ` target="sink"`
					} else {
						attributes += fmt.Sprintf(` hx-post="%s?form=%d" hx-encoding="%s" hx-swap="none"`, r.path, i, encoding)
					}
					all.WriteString(generated(generate(random), attributes))
				}
				page.page = documentOf(page.path, countTag+htmxTag(version)+moduleTag, all.String()+`<iframe name="sink"></iframe>`, "en")
				b.ready(m.wire.url + page.path)
				told := eval[string](b, submitAll)
				var said map[string]string
				if err := json.Unmarshal([]byte(told), &said); err != nil {
					t.Fatal(err)
				}
				b.until("all forms on the wire", func(context.Context) error {
					if n := len(m.wire.sent(r.path)); n != forms {
						return fmt.Errorf("%d of %d", n, forms)
					}
					return nil
				})
				for _, p := range m.wire.sent(r.path) {
					u, err := url.Parse(p.uri)
					if err != nil {
						t.Fatal(err)
					}
					var s core.Submission
					s.Reset(core.SubmissionOptions{
						Method: "POST", Path: core.NormalPath(u.EscapedPath()), Query: u.RawQuery, KeyField: core.KeyFieldName,
						ContentType: p.header.Get("Content-Type"), Ignore: []string{"receipt"},
					})
					if _, err := s.Write(p.body); err != nil {
						t.Fatal(err)
					}
					if err := s.Close(); err != nil {
						t.Fatal(err)
					}
					f := s.Fingerprint()
					if got, want := said[u.Query().Get("form")], hex.EncodeToString(f[:]); got != want {
						t.Errorf("form %s: the page said %s, the guard %s\n\tbody %s\n\t(%s)", u.Query().Get("form"), got, want, cut(p.body), why)
					}
				}
			})
		}
	}
}

// submitAll chooses files, presses the button of each form, and returns what the module told of each.
const submitAll = `(async () => {
	const said = {};
	let waiting;
	const sink = document.querySelector("form[target] ~ iframe");
	addEventListener("singleshot:submit", (event) => {
		said[new URL(event.target.action).searchParams.get("form")] = event.detail.fingerprint;
		if (event.detail.fingerprint) waiting?.();
	});
	for (const input of document.querySelectorAll("input.chosen")) {
		const list = new DataTransfer();
		list.items.add(new File([input.dataset.content.repeat(40)], "a \"file\" é.txt"));
		input.files = list.files;
	}
	for (const form of document.forms) {
		const told = new Promise((done) => (waiting = done));
		const taken = sink && new Promise((done) => sink.addEventListener("load", done, {once: true}));
		form.querySelector("#go").click();
		await told;
		await taken;
	}
	return JSON.stringify(said);
})()`
