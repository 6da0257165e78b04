//go:build unix

package contract_test

import (
	"net/http"
	"strings"
	"testing"
)

// committing are the answers that spend a key, as applications give them.
var committing = []struct {
	name   string
	script script
	mode   mode
	why    string
}{
	{"200 fragment with HX-Trigger", order, htmx, "200 fragment"},
	{"200 whole page", answer(200, "<!doctype html><title>Order %d</title><p>Thank you"), browser, "Commit: 2xx"},
	{"201 with Location", answer(201, `{"id":%d}`, "Content-Type", "application/json", "Location", "/orders/1001"), htmx, "Commit: 2xx"},
	{"202 job card", answer(202, `<div class="job" hx-get="/jobs/%d">Working</div>`, "HX-Trigger", "job-started"), htmx, "202 job card"},
	{"204 with HX-Trigger", answer(204, "", "HX-Trigger", `{"saved":{"id":7}}`), htmx, "Commit: 2xx"},
	{"204 with HX-Redirect", answer(204, "", "HX-Redirect", "/orders/1001"), htmx, "Commit: 2xx"},
	{"200 with HX-Location", answer(200, "ok", "HX-Location", `{"path":"/orders/1001","target":"#main"}`), htmx, "Commit: 2xx"},
	{"301", answer(301, "", "Location", "/orders/1001"), browser, "Commit: 2xx, 301, 302, 303"},
	{"302", answer(302, "", "Location", "/orders/1001"), browser, "Commit: 2xx, 301, 302, 303"},
	{"303", answer(303, "", "Location", "/orders/1001"), browser, "Commit: 2xx, 301, 302, 303"},
	{"303 with a body", answer(303, `<a href="/orders/1001">See Order %d</a>`, "Location", "/orders/1001"), browser, "Commit: 2xx, 301, 302, 303"},
	{"200 binary", answer(200, "\x00\xff\xfe\x80%d\r\n\x00", "Content-Type", "application/octet-stream"), htmx, "same body bytes"},
}

func TestFreshKeyGetsTheOriginsAnswer(t *testing.T) {
	g := shared(t)
	for _, c := range committing {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := g.origin.route("/", c.script)
			first := g.visitor(t).render(r).submit(c.mode)
			first.must("fresh key: the origin's own answer, untouched but for the guard's headers", wants{outcome: "created"})
			r.mustRun(t, "fresh key", 1)
			want := &turn{ResponseWriter: &recorded{header: http.Header{}}, n: 1}
			c.script(want)
			rec := want.ResponseWriter.(*recorded)
			first.same("fresh key: the origin's own answer", &reply{t: t, status: rec.status, header: rec.header, body: rec.body})
		})
	}
}

// recorded keeps what a script says.
type recorded struct {
	header http.Header
	status int
	body   []byte
}

func (r *recorded) Header() http.Header { return r.header }
func (r *recorded) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
}
func (r *recorded) Write(p []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	r.body = append(r.body, p...)
	return len(p), nil
}

func TestSeenKeyWithTheSameFingerprintGetsTheCommittedAnswer(t *testing.T) {
	g := shared(t)
	for _, c := range committing {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := g.origin.route("/", c.script)
			f := g.visitor(t).render(r)
			first := f.submit(c.mode).must(c.why, wants{outcome: "created"})
			for range 2 {
				f.submit(c.mode).
					must("every replay has Cache-Control: no-store and Idempotency-Replayed: true", wants{outcome: "replayed", replay: true}).
					same("the committed answer: same status, same headers that matter, same body bytes", first)
			}
			r.mustRun(t, "each key commits once", 1)
		})
	}
}

func TestSeenKeyWithAnotherFingerprintIsRefusedAndTheOriginIsNotCalled(t *testing.T) {
	g := shared(t)
	const why = "seen key, other fingerprint: 422 that names the existing record; the origin is not called"
	record := answer(200, "<p>Order %d</p>", "Idempotency-Record", `</orders/1042>; title="Order 1042"`)
	t.Run("page", func(t *testing.T) {
		t.Parallel()
		r := g.origin.route("/", record)
		f := g.visitor(t).render(r)
		f.submit(browser).must("fresh key", wants{status: 200, outcome: "created", header: []string{"Idempotency-Record", ""}})
		f.set("amount", "2").submit(browser).must(why, wants{status: 422, outcome: "mismatch",
			has: []string{"<!doctype html", `role="status"`, `hc-alert`, `href="/orders/1042"`, "Order 1042"}})
		r.mustRun(t, why, 1)
	})
	t.Run("fragment", func(t *testing.T) {
		t.Parallel()
		r := g.origin.route("/", record)
		f := g.visitor(t).render(r)
		f.submit(htmx)
		f.set("amount", "2").submit(htmx).must(why, wants{status: 422, outcome: "mismatch",
			has:    []string{`<div class="hc-alert" data-variant="error" role="status">`, `href="/orders/1042"`, "Order 1042", "amount"},
			hasNot: []string{"<!doctype", "<html"}})
		r.mustRun(t, why, 1)
	})
	t.Run("problem+json", func(t *testing.T) {
		t.Parallel()
		r := g.origin.route("/", record)
		f := g.visitor(t).render(r)
		f.submit(htmx)
		p := f.set("amount", "2").submit(asJSON).must(why, wants{status: 422, outcome: "mismatch", problem: "mismatch"}).problem()
		if p.Record.Href != "/orders/1042" || p.Record.Title != "Order 1042" {
			t.Errorf("record = %+v; want /orders/1042, Order 1042\n\t(%s)", p.Record, why)
		}
		if len(p.Differs) != 1 || p.Differs[0] != "amount" {
			t.Errorf("differs = %q; want amount\n\t(It lists the names of the fields that differ, never values)", p.Differs)
		}
		r.mustRun(t, why, 1)
	})
	t.Run("then the first values again", func(t *testing.T) {
		t.Parallel()
		r := g.origin.route("/")
		f := g.visitor(t).render(r)
		first := f.submit(htmx)
		f.set("amount", "2").submit(htmx).must(why, wants{status: 422, outcome: "mismatch"})
		f.submit(htmx).must("seen key, same fingerprint", wants{outcome: "replayed", replay: true}).same("a mismatch changes nothing", first)
		r.mustRun(t, why, 1)
	})
}

func TestReleasedAnswerLeavesTheKeyLive(t *testing.T) {
	g := shared(t)
	for _, status := range []int{300, 307, 308, 400, 401, 403, 404, 409, 422, 429, 500, 501, 502, 503, 504} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			t.Parallel()
			const why = "Release: every other 3xx, every 4xx, every 5xx: the corrected resubmit of the same form commits"
			r := g.origin.route("/", answer(status, "<p>Refused %d</p>", "Location", "/elsewhere"), order)
			f := g.visitor(t).render(r)
			f.submit(browser).must(why, wants{status: status, outcome: "released", body: "<p>Refused 1001</p>"})
			second := f.set("amount", "2").submit(browser).must(why, wants{status: 200, outcome: "created"})
			f.set("amount", "2").submit(browser).must("seen key, same fingerprint", wants{outcome: "replayed", replay: true}).same(why, second)
			f.set("amount", "3").submit(browser).must("seen key, other fingerprint", wants{status: 422, outcome: "mismatch"})
			r.mustRun(t, why, 2)
			attempts(t, r, "1", "2")
		})
	}
}

// attempts checks Idempotency-Attempt of every run, and that all runs had the same key.
func attempts(t *testing.T, r *route, want ...string) {
	t.Helper()
	var got []string
	for _, s := range r.got() {
		got = append(got, s.header.Get("Idempotency-Attempt"))
		if key := s.header.Get("Idempotency-Key"); key == "" || key != r.got()[0].header.Get("Idempotency-Key") {
			t.Errorf("Idempotency-Key at the origin = %q; want the first run's %q", key, r.got()[0].header.Get("Idempotency-Key"))
		}
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("Idempotency-Attempt at the origin = %q; want %q\n\t(each run says so in Idempotency-Attempt)", got, want)
	}
}

func TestValidation422LeavesTheKeyLive(t *testing.T) {
	g := shared(t)
	const why = "422 validation … Release: … the corrected resubmit of the same form commits"
	r := g.origin.route("/", answer(422, `<p role="alert">The amount is not a number</p>`), order)
	f := g.visitor(t).render(r)
	wrong := f.set("amount", "many")
	wrong.submit(htmx).must(why, wants{status: 422, outcome: "released", body: `<p role="alert">The amount is not a number</p>`})
	first := f.set("amount", "2").submit(htmx).must(why, wants{status: 200, outcome: "created"})
	f.set("amount", "2").submit(htmx).must("seen key, same fingerprint", wants{outcome: "replayed", replay: true}).same(why, first)
	wrong.submit(htmx).must("seen key, other fingerprint", wants{status: 422, outcome: "mismatch"})
	r.mustRun(t, why, 2)
}

func TestUnchangedResubmitAfterAReleaseRuns(t *testing.T) {
	g := shared(t)
	const why = "A submit that arrives after a release runs."
	r := g.origin.route("/", answer(503, "busy"), answer(503, "busy"), order)
	f := g.visitor(t).render(r)
	f.submit(htmx).must(why, wants{status: 503, outcome: "released"})
	f.submit(htmx).must(why, wants{status: 503, outcome: "released"})
	f.submit(htmx).must(why, wants{status: 200, outcome: "created", has: []string{"Order 1003"}})
	attempts(t, r, "1", "2", "3")
}

func TestRedirectToASignInPageIsARelease(t *testing.T) {
	g := shared(t)
	const why = "A redirect to a sign-in page is a release, wherever it is said and on any host"
	cases := []struct {
		name    string
		headers []string // POSTED stands for the path of the form
		status  int
		release bool
		rule    string
	}{
		{"login", []string{"Location", "/login"}, 302, true, "/"},
		{"below a path, capitals", []string{"Location", "/Users/Sign_In?from=orders"}, 303, true, "/"},
		{"log-in", []string{"Location", "/log-in"}, 302, true, "/"},
		{"log_in", []string{"Location", "/log_in/"}, 302, true, "/"},
		{"signin on another host", []string{"Location", "https://id.example.com/signin"}, 302, true, "/"},
		{"sign-in", []string{"Location", "/account/sign-in"}, 301, true, "/"},
		{"wp-login.php", []string{"Location", "/wp-login.php?reauth=1"}, 302, true, "/"},
		{"authorize", []string{"Location", "https://id.example.com/oauth2/authorize?client_id=7"}, 302, true, "/"},
		{"saml2", []string{"Location", "https://login.example.com/tenant/saml2"}, 302, true, "/"},
		{"HX-Redirect", []string{"HX-Redirect", "/login"}, 204, true, "/"},
		{"HX-Location as a path", []string{"HX-Location", "/login"}, 200, true, "/"},
		{"HX-Location as JSON", []string{"HX-Location", `{"path":"/login","target":"#main"}`}, 200, true, "/"},
		{"next is the posted path", []string{"Location", "/start?next=POSTED"}, 302, true, "/"},
		{"return_to, encoded", []string{"Location", "/start?a=b&return_to=ENCODED"}, 302, true, "/"},
		{"returnurl, capitals", []string{"Location", "/start?ReturnUrl=ENCODED"}, 302, true, "/"},
		{"redirect_to is the posted path", []string{"Location", "https://shop.example/?redirect_to=POSTED"}, 302, true, "/"},
		{"redirect_uri is the posted path", []string{"Location", "https://id.example.com/?redirect_uri=ENCODED"}, 302, true, "/"},
		{"a glob of release_redirects", []string{"Location", "/start/again"}, 302, true, "/tuned/"},

		{"a segment that only begins so", []string{"Location", "/logins/7"}, 303, false, "/"},
		{"next is another path", []string{"Location", "/orders/7?next=/other"}, 303, false, "/"},
		{"the same place without the rule", []string{"Location", "/start/again"}, 302, false, "/"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var r *route
			r = g.origin.route(c.rule, func(x *turn) {
				if x.n > 1 {
					order(x)
					return
				}
				fill := strings.NewReplacer("POSTED", r.path, "ENCODED", strings.ReplaceAll(r.path, "/", "%2F"))
				answer(c.status, "", c.headers[0], fill.Replace(c.headers[1]))(x)
			})
			f := g.visitor(t).render(r)
			first := f.submit(browser)
			second := f.submit(browser)
			if c.release {
				first.must(why, wants{status: c.status, outcome: "released"})
				second.must(why, wants{status: 200, outcome: "created"})
				r.mustRun(t, why, 2)
			} else {
				first.must(why, wants{status: c.status, outcome: "created"})
				second.must(why, wants{outcome: "replayed", replay: true})
				r.mustRun(t, why, 1)
			}
		})
	}
}

func TestRedisplayedFormIsARelease(t *testing.T) {
	g := shared(t)
	const why = `A 200 html answer that redisplays the form with errors is a release: it contains aria-invalid="true", or one of the class names in the rule's redisplay`
	cases := []struct {
		name, prefix, body, media string
		release                   bool
	}{
		{"aria-invalid", "/", `<form method="post"><input name="amount" aria-invalid="true"></form>`, "text/html; charset=utf-8", true},
		{"a class of the rule", "/tuned/", `<form method="post"><input name="amount" class="field is-invalid"></form>`, "text/html", true},
		{"the same class without the rule", "/", `<form method="post"><input class="field is-invalid"></form>`, "text/html", false},
		{"aria-invalid is false", "/", `<form method="post"><input aria-invalid="false"></form>`, "text/html", false},
		{"not html", "/", `{"html":"aria-invalid=\"true\""}`, "application/json", false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := g.origin.route(c.prefix, answer(200, c.body, "Content-Type", c.media), order)
			f := g.visitor(t).render(r)
			first, second := f.submit(browser), f.submit(browser)
			if c.release {
				first.must(why, wants{status: 200, outcome: "released"})
				second.must(why, wants{status: 200, outcome: "created"})
				r.mustRun(t, why, 2)
			} else {
				first.must(why, wants{status: 200, outcome: "created"})
				second.must(why, wants{outcome: "replayed", replay: true})
				r.mustRun(t, why, 1)
			}
		})
	}
}

func TestTheOriginsWordWins(t *testing.T) {
	g := shared(t)
	const why = "The origin may say it: Idempotency-Outcome: commit | release wins over all of this."
	cases := []struct {
		name    string
		script  script
		release bool
	}{
		{"409 commit", answer(409, "<p>The slot is taken</p>", "Idempotency-Outcome", "commit"), false},
		{"422 commit", answer(422, "<p>Closed</p>", "Idempotency-Outcome", "commit"), false},
		{"500 commit", answer(500, "<p>Broken for good</p>", "Idempotency-Outcome", "commit"), false},
		{"sign-in redirect commit", answer(302, "", "Location", "/login", "Idempotency-Outcome", "commit"), false},
		{"200 release", answer(200, "<p>Try again</p>", "Idempotency-Outcome", "release"), true},
		{"303 release", answer(303, "", "Location", "/step2", "Idempotency-Outcome", "release"), true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := g.origin.route("/", c.script, order)
			f := g.visitor(t).render(r)
			first := f.submit(browser)
			second := f.submit(browser)
			if c.release {
				first.must(why, wants{outcome: "released", header: []string{"Idempotency-Outcome", ""}})
				second.must(why, wants{status: 200, outcome: "created"})
				r.mustRun(t, why, 2)
			} else {
				first.must(why, wants{outcome: "created", header: []string{"Idempotency-Outcome", ""}})
				second.must(why, wants{outcome: "replayed", replay: true}).same(why, first)
				r.mustRun(t, why, 1)
			}
		})
	}
}

func TestRepeatModeRunsAnotherPayloadAsItsOwnRecord(t *testing.T) {
	g := shared(t)
	const why = "in repeat mode: the fingerprint is part of the scope. Same payload: replay. Another payload: runs, as its own record"
	replays := func(t *testing.T, r *route, send func(amount string) *reply) {
		t.Helper()
		one := send("1").must(why, wants{outcome: "created"})
		two := send("2").must(why, wants{outcome: "created"})
		send("1").must(why, wants{outcome: "replayed", replay: true}).same(why, one)
		send("2").must(why, wants{outcome: "replayed", replay: true}).same(why, two)
		r.mustRun(t, why, 2)
	}
	t.Run("from a script", func(t *testing.T) {
		t.Parallel()
		r := g.origin.route("/")
		f := g.visitor(t).render(r)
		replays(t, r, func(amount string) *reply { return f.set("amount", amount).submit(fetched) })
	})
	t.Run("a marked form", func(t *testing.T) {
		t.Parallel()
		r := g.origin.route("/")
		r.page = htmlPage(strings.Replace(orderForm(r.path), "<form ", `<form data-idempotency="repeat" `, 1))
		f := g.visitor(t).render(r)
		replays(t, r, func(amount string) *reply { return f.set("amount", amount).submit(htmx) })
	})
	t.Run("a field's own hx-post", func(t *testing.T) {
		t.Parallel()
		form, check := g.origin.route("/"), g.origin.route("/")
		f := g.visitor(t).render(form)
		replays(t, check, func(amount string) *reply { return f.to(check.path).set("amount", amount).submit(htmx) })
		f.submit(htmx).must("inline validation does not spend the form", wants{status: 200, outcome: "created"})
	})
	t.Run("a body over 1 MiB", func(t *testing.T) {
		t.Parallel()
		const why = "(A body over 1 MiB keeps the once rule.)"
		r := g.origin.route("/")
		f := g.visitor(t).render(r).set("note", strings.Repeat("x", 2<<20))
		f.submit(fetched).must(why, wants{status: 200, outcome: "created"})
		f.submit(fetched).must(why, wants{status: 200, outcome: "replayed", replay: true})
		f.set("amount", "2").submit(fetched).must(why, wants{status: 422, outcome: "mismatch"})
		r.mustRun(t, why, 1)
	})
	t.Run("another button's formaction", func(t *testing.T) {
		t.Parallel()
		form, preview := g.origin.route("/"), g.origin.route("/")
		f := g.visitor(t).render(form)
		replays(t, preview, func(amount string) *reply { return f.to(preview.path).set("amount", amount).submit(browser) })
		f.submit(browser).must("the same key at another path is another record", wants{status: 200, outcome: "created"})
		form.mustRun(t, "a preview does not spend the form", 1)
	})
	for _, method := range []string{"put", "patch", "delete", "PUT"} {
		t.Run("_method "+method, func(t *testing.T) {
			t.Parallel()
			r := g.origin.route("/")
			f := g.visitor(t).render(r).add("_method", method)
			replays(t, r, func(amount string) *reply { return f.set("amount", amount).submit(browser) })
		})
	}
	t.Run("X-HTTP-Method-Override", func(t *testing.T) {
		t.Parallel()
		r := g.origin.route("/")
		f := g.visitor(t).render(r)
		replays(t, r, func(amount string) *reply {
			return f.set("amount", amount).submit(mode(htmx).with("X-HTTP-Method-Override", "PATCH"))
		})
	})
	t.Run("after an attachment", func(t *testing.T) {
		t.Parallel()
		r := g.origin.route("/", answer(200, "amount;%d\r\n", "Content-Type", "text/csv", "Content-Disposition", `attachment; filename="orders.csv"`))
		f := g.visitor(t).render(r)
		replays(t, r, func(amount string) *reply { return f.set("amount", amount).submit(browser) })
	})
	t.Run("htmx is no script in this sense", func(t *testing.T) {
		t.Parallel()
		r := g.origin.route("/")
		f := g.visitor(t).render(r)
		f.submit(htmx)
		f.set("amount", "2").submit(htmx).must("a Sec-Fetch-Mode that is there and not navigate, unless HX-Request is there", wants{status: 422, outcome: "mismatch"})
	})
	t.Run("nor is Turbo", func(t *testing.T) {
		t.Parallel()
		r := g.origin.route("/", answer(303, "", "Location", "/orders/1"))
		f := g.visitor(t).render(r)
		turbo := mode(fetched).with("Accept", "text/vnd.turbo-stream.html, text/html, application/xhtml+xml")
		f.submit(turbo)
		f.set("amount", "2").submit(turbo).must("or the request accepts text/vnd.turbo-stream.html", wants{status: 422, outcome: "mismatch"})
	})
	t.Run("a client that says nothing is in once mode", func(t *testing.T) {
		t.Parallel()
		r := g.origin.route("/")
		f := g.visitor(t).render(r)
		f.submit(bare)
		f.set("amount", "2").submit(bare).must("The 422 of the third branch belongs to the form that the key was rendered into", wants{status: 422, outcome: "mismatch"})
	})
}
