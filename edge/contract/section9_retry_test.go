//go:build unix

package contract_test

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

const clientHeader = "Idempotency-Client"

// retryForm is markups[1] that asks for retries.
func retryForm(extra string) string {
	return strings.Replace(markups[1].html, "<form", `<form data-singleshot-retry="2" `+extra, 1)
}

func retried(p posted) bool { return strings.HasSuffix(p.header.Get(clientHeader), "trigger=retry") }

// unbound takes the boundary out, which the browser makes anew each time it writes a form down.
func unbound(b []byte) string { return boundaryPattern.ReplaceAllString(string(b), "BOUNDARY") }

var boundaryPattern = regexp.MustCompile(`----WebKitFormBoundary\w+`)

// TestRetryAfterANetworkFailure breaks connections after the guard has answered, until the module sends again.
func TestRetryAfterANetworkFailure(t *testing.T) {
	m := newModuleBench(t)
	const why = "automatic retry after a network failure with the same key and the same bytes: opt-in"
	for version, h := range htmxes {
		for _, form := range []struct{ name, extra string }{{"urlencoded", ""}, {"multipart", `hx-encoding="multipart/form-data"`}} {
			t.Run(h.name+", "+form.name, func(t *testing.T) {
				t.Parallel()
				b := newTab(t, m.browser)
				r := m.origin.route("/")
				r.document(version, retryForm(form.extra))
				m.wire.cut(r.path, true, func(_ int, p posted) bool { return !retried(p) })
				b.ready(m.wire.url + r.path)
				b.click(submitButton, 1)
				b.until("the first request", func(context.Context) error {
					if len(m.wire.sent(r.path)) == 0 {
						return fmt.Errorf("nothing was sent")
					}
					return nil
				})
				b.fill("input[name=amount]", "2") // nothing of what is typed meanwhile goes out
				b.click(submitButton, 1)
				b.match(resultRegion, orderNumber)
				b.ended(1)
				sent := m.wire.sent(r.path)
				last := sent[len(sent)-1]
				if !retried(last) || !strings.HasPrefix(last.header.Get(clientHeader), "attempt=1;") {
					t.Errorf("%s = %q; want attempt=1; trigger=retry", clientHeader, last.header.Get(clientHeader))
				}
				for _, p := range sent {
					if unbound(p.body) != unbound(sent[0].body) || unbound([]byte(p.header.Get("Content-Type"))) != unbound([]byte(sent[0].header.Get("Content-Type"))) {
						t.Errorf("a retry sent %q; want the first's %q\n\t(%s)", cut(p.body), cut(sent[0].body), why)
					}
				}
				if got := eval[int](b, "ended"); got != 1 {
					t.Errorf("htmx saw %d requests; want one", got)
				}
				r.mustRun(t, why, 1)
			})
		}
	}
}

// TestNoRetry covers what must not be sent again.
func TestNoRetry(t *testing.T) {
	m := newModuleBench(t)
	for version, h := range htmxes {
		for _, c := range []struct {
			name, html string
			cut        func(int, posted) bool
			script     script
		}{
			{"a form that does not ask", markups[1].html, all, order},
			{"an answer with a status", retryForm(""), nil, answer(503, "busy")},
			{"the component kit retries", retryForm("") + `<div data-hc-network-retry></div>`, all, order},
		} {
			t.Run(h.name+", "+c.name, func(t *testing.T) {
				t.Parallel()
				b := newTab(t, m.browser)
				r := m.origin.route("/", c.script)
				r.document(version, c.html)
				m.wire.cut(r.path, false, c.cut)
				b.ready(m.wire.url + r.path)
				b.click(submitButton, 1)
				b.ended(1)
				b.rest(800 * time.Millisecond)
				for _, p := range m.wire.sent(r.path) {
					if retried(p) {
						t.Errorf("it was sent again\n\t(opt-in, only after a network failure)")
					}
				}
			})
		}
		t.Run(h.name+", the person goes elsewhere", func(t *testing.T) {
			t.Parallel()
			b := newTab(t, m.browser)
			r := m.origin.route("/")
			r.document(version, retryForm("")+`<a id="away" href="/elsewhere">Away</a>`)
			m.wire.cut(r.path, false, all)
			b.ready(m.wire.url + r.path)
			b.click(submitButton, 1)
			b.until("the first request", func(context.Context) error {
				if len(m.wire.sent(r.path)) == 0 {
					return fmt.Errorf("nothing was sent")
				}
				return nil
			})
			b.do("leave", chromedp.Navigate(m.wire.url+"/elsewhere"))
			b.rest(100 * time.Millisecond)
			before := len(m.wire.sent(r.path)) // on a busy machine a retry may go out before the person is gone
			b.rest(1500 * time.Millisecond)
			if n := len(m.wire.sent(r.path)); n != before {
				t.Errorf("%d more requests after the person had left; want none", n-before)
			}
		})
		t.Run(h.name+", all tries fail", func(t *testing.T) {
			t.Parallel()
			b := newTab(t, m.browser)
			r := m.origin.route("/")
			r.document(version, retryForm(""))
			m.wire.cut(r.path, false, all)
			b.ready(m.wire.url + r.path)
			b.click(submitButton, 1)
			b.ended(1)
			m.wire.cut(r.path, false, nil)
			b.click(submitButton, 1) // it is not stuck
			b.match(resultRegion, orderNumber)
		})
	}
}

// TestTheTrailShowsWhatThePersonDid tells two presses from one that the browser sent twice.
func TestTheTrailShowsWhatThePersonDid(t *testing.T) {
	m := newModuleBench(t)
	const why = `with the module "two clicks" and "one click, sent twice" read differently`
	if m.vars == nil {
		t.Skip("GUARD_URL is set: the admin secret is not known")
	}
	trail := func(t *testing.T, b *tab) string {
		t.Helper()
		r := m.visitor(t).send(request{method: http.MethodGet, path: "/_singleshot/keys/" + b.formKey(), header: []string{
			"Accept", "application/json", "Authorization", "Bearer " + adminSecret}})
		return string(r.body)
	}
	for version, h := range htmxes {
		t.Run(h.name+", pressed again", func(t *testing.T) {
			t.Parallel()
			b := newTab(t, m.browser)
			r := m.origin.route("/")
			r.document(version, markups[1].html)
			b.ready(m.wire.url + r.path)
			b.click(submitButton, 1)
			b.ended(1)
			b.key("input[name=amount]", "\r")
			b.ended(2)
			eval[bool](b, `(document.forms[0].requestSubmit(), true)`)
			b.ended(3)
			var got []string
			for _, p := range m.wire.sent(r.path) {
				got = append(got, p.header.Get(clientHeader))
			}
			if want := "attempt=1; trigger=click|attempt=2; trigger=enter|attempt=3; trigger=replay"; strings.Join(got, "|") != want {
				t.Errorf("%s = %q; want %q", clientHeader, strings.Join(got, "|"), want)
			}
			b.until("the trail", func(context.Context) error {
				if text := trail(t, b); !strings.Contains(text, `"three clicks"`) {
					return fmt.Errorf("%s\n\t(%s)", text, why)
				}
				return nil
			})
		})
		t.Run(h.name+", sent again by the browser", func(t *testing.T) {
			t.Parallel()
			b := newTab(t, m.browser)
			r := m.origin.route("/")
			r.document(version, markups[1].html)
			// A kept-alive connection that the other side closes: the browser takes it for stale and sends again.
			m.wire.cut(r.path, true, func(n int, _ posted) bool { return n == 1 })
			b.ready(m.wire.url + r.path)
			eval[int](b, `fetch("/_singleshot/key?action=/x").then((r) => r.status)`)
			b.click(submitButton, 1)
			b.match(resultRegion, orderNumber)
			b.ended(1)
			if n := len(m.wire.sent(r.path)); n != 2 {
				t.Fatalf("%d requests on the wire; want the browser's own second one", n)
			}
			if got := eval[int](b, "ended"); got != 1 {
				t.Errorf("the page saw %d requests; want one", got)
			}
			r.mustRun(t, why, 1)
			b.until("the trail", func(context.Context) error {
				if text := trail(t, b); !strings.Contains(text, `"one click, sent twice"`) {
					return fmt.Errorf("%s\n\t(%s)", text, why)
				}
				return nil
			})
		})
	}
}
