//go:build unix

package contract_test

import (
	"strings"
	"testing"
)

// TestEveryAnswerOfTheGuardHasThreeForms brings the guard to each of its own answers that a visitor can see.
// mismatch and forged-key have cases of their own.
func TestEveryAnswerOfTheGuardHasThreeForms(t *testing.T) {
	g := shared(t)
	const why = "Every answer of the guard itself has these three forms, in English and Japanese by Accept-Language, with a stable type"
	// Each is set up for itself: the second gives the answer again and again.
	for _, c := range []struct {
		kind   string
		status int
		setUp  func(t *testing.T, v *visitor) func(m mode) *reply
	}{
		{"missing-key", 400, func(t *testing.T, v *visitor) func(m mode) *reply {
			f := v.render(g.origin.route("/required/")).without("idempotency_key")
			return func(m mode) *reply { return f.submit(m) }
		}},
		{"bad-key", 400, func(t *testing.T, v *visitor) func(m mode) *reply {
			f := v.render(g.origin.route("/api/"))
			return func(m mode) *reply { return f.submit(m, "Idempotency-Key", "short") }
		}},
		{"bad-body", 400, func(t *testing.T, v *visitor) func(m mode) *reply {
			f := v.render(g.origin.route("/required/"))
			return func(m mode) *reply {
				return v.post(f.action, m, "multipart/form-data; boundary=b", strings.TrimSuffix(string(f.multipart("b")), "--b--\r\n"))
			}
		}},
		{"no-subject", 400, func(t *testing.T, v *visitor) func(m mode) *reply {
			f := v.render(g.origin.route("/tenant/"))
			return func(m mode) *reply { return f.submit(m) }
		}},
		{"cross-site", 403, func(t *testing.T, v *visitor) func(m mode) *reply {
			f := v.render(g.origin.route("/"))
			return func(m mode) *reply { return f.submit(m.with("Sec-Fetch-Site", "cross-site")) }
		}},
		{"unknown", 409, func(t *testing.T, v *visitor) func(m mode) *reply {
			f := v.render(g.origin.route("/hold/", dropped))
			f.submit(browser)
			return func(m mode) *reply { return f.submit(m) }
		}},
		{"too-large", 413, func(t *testing.T, v *visitor) func(m mode) *reply {
			f := v.render(g.origin.route("/small/")).add("note", strings.Repeat("x", 3000))
			return func(m mode) *reply { return f.submit(m) }
		}},
		{"busy", 429, func(t *testing.T, v *visitor) func(m mode) *reply {
			f := v.render(g.origin.route("/"))
			f.submit(htmx)
			for range 20 {
				f.set("amount", "2").submit(htmx)
			}
			return func(m mode) *reply { return f.set("amount", "2").submit(m) }
		}},
		{"origin", 502, func(t *testing.T, v *visitor) func(m mode) *reply {
			f := v.render(g.origin.route("/", dropped))
			return func(m mode) *reply { return f.submit(m) }
		}},
		{"running", 503, func(t *testing.T, v *visitor) func(m mode) *reply {
			r := g.origin.route("/impatient/", held(newGate(t).c, order))
			f := v.render(r)
			f.submitting(htmx)
			r.await(t, 1)
			return func(m mode) *reply { return f.submit(m) }
		}},
		{"not-found", 404, func(t *testing.T, v *visitor) func(m mode) *reply {
			return func(m mode) *reply { return v.send(request{method: "GET", path: "/_singleshot/nothing", mode: m}) }
		}},
		{"unauthorized", 401, func(t *testing.T, v *visitor) func(m mode) *reply {
			return func(m mode) *reply { return v.send(request{method: "GET", path: "/_singleshot/keys/x", mode: m}) }
		}},
	} {
		t.Run(c.kind, func(t *testing.T) {
			t.Parallel()
			ask := c.setUp(t, g.visitor(t))
			for _, lang := range []string{"en", "ja"} {
				spoken := func(m mode) mode { return m.with("Accept-Language", lang) }
				page := ask(spoken(browser)).must(why, wants{status: c.status, has: []string{"<!doctype html", `<html lang="` + lang + `"`, "<h1", `role="status"`}})
				fragment := ask(spoken(htmx)).must(why, wants{status: c.status, has: []string{`class="hc-alert"`, `role="status"`}, hasNot: []string{"<html"}})
				problem := ask(spoken(asJSON)).must(why, wants{status: c.status, problem: c.kind})
				if got := problem.problem(); got.Title == "" || got.Status != c.status {
					t.Errorf("problem = %+v; want a title and the status %d\n\t(%s)", got, c.status, why)
				}
				for _, r := range []*reply{page, fragment, problem} {
					if japanese := strings.ContainsAny(string(r.body), "のはをにが"); japanese != (lang == "ja") {
						t.Errorf("in %s: %s\n\t(%s)", lang, cut(r.body), why)
					}
					if cc := r.header.Get("Cache-Control"); !strings.Contains(cc, "no-store") {
						t.Errorf("Cache-Control = %q; want no-store", cc)
					}
				}
			}
		})
	}
}
