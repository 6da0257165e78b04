//go:build unix

package contract_test

import (
	"fmt"
	"testing"
	"time"
)

// TestAFormMayHaveFieldsOfAnyName: what a script calls form.elements is a field, where there is one of that name.
func TestAFormMayHaveFieldsOfAnyName(t *testing.T) {
	m := newModuleBench(t)
	b := newTab(t, m.browser)
	for _, name := range []string{"matches", "elements", "dataset", "append", "form", "method", "action", "target", "submit", "id", "name"} {
		b.inCase(name, func(t *testing.T) {
			gate := newGate(t)
			r := m.origin.route("/", held(gate.c, order))
			page := m.origin.at(r.path + "/new") // a POST takes its own address out of the browser's cache
			page.page = documentOf(r.path, moduleTag, fmt.Sprintf(`<form method="post" action="P"><input name="amount" value="1"><input name="%s" value="2">
				<button id="go">Order</button></form>`, name), "en")
			b.open(m.wire.url+page.path, submitButton)
			if !eval[bool](b, whenReady) {
				t.Error("the module did not start")
			}
			b.click(submitButton, 1)
			r.await(t, 1)
			b.try(submitButton, 2)
			time.Sleep(50 * time.Millisecond)
			gate.open()
			b.match("body", orderNumber)
			if n := len(m.wire.sent(r.path)); n != 1 {
				t.Errorf("the page sent %d times; want once", n)
			}
			b.back("[data-singleshot=note]") // it knows that the key is spent
		})
	}
}

// TestASubmitThatIsStoppedLaterIsNotHeld: a page may send the form itself, from a listener behind the module's.
func TestASubmitThatIsStoppedLaterIsNotHeld(t *testing.T) {
	m := newModuleBench(t)
	b := newTab(t, m.browser)
	r := m.origin.route("/")
	r.document(0, `<form method="post" action="P"><input name="amount" value="1"><button id="go">Order</button></form>
		<script>
			addEventListener("load", () => addEventListener("submit", (event) => {
				event.preventDefault();
				new FormData(event.target);
				window.stopped = (window.stopped ?? 0) + 1;
			}));
		</script>`)
	b.ready(m.wire.url + r.path)
	for range 3 {
		b.click(submitButton, 1)
		time.Sleep(100 * time.Millisecond)
	}
	if n := eval[int](b, `window.stopped ?? 0`); n != 3 {
		t.Errorf("the page heard of %d submits; want 3", n)
	}
	if n := eval[int](b, `document.querySelectorAll("[data-singleshot=note]").length`); n != 0 {
		t.Error("the form says that it was sent; the page kept it")
	}
}
