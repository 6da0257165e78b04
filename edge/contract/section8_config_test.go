//go:build unix

package contract_test

import (
	"regexp"
	"strings"
	"testing"
	"time"
)

const whyConfig = "A wrong rule, an unknown name, a missing or short secret: guarded posts answer 503 (urn:singleshot:config), the log says which and why, pages and everything else pass unchanged. Never half-guarded."

func wrongConfigurationIs503AndNamed(t *testing.T) {
	cases := []struct {
		name  string
		vars  map[string]string
		names string // what the log must name, as a pattern
	}{
		{"no secret", map[string]string{"SINGLESHOT_SECRET": "-"}, "SINGLESHOT_SECRET|Secret"},
		{"short secret", map[string]string{"SINGLESHOT_SECRET": "31-bytes-are-one-too-few-000000"}, "SINGLESHOT_SECRET|Secret"},
		{"RULES is no JSON", map[string]string{"RULES": `[{"match":`}, "RULES|Rules"},
		{"an unknown name in a rule", map[string]string{"RULES": `[{"match":"/a"},{"match":"/b","lees":30}]`}, "lees"},
		{"a wrong value", map[string]string{"RULES": `[{"match":"/pay/**","ttl":5}]`}, "ttl"},
	}
	g := own(t, config{vars: cases[0].vars})
	for i, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if i > 0 {
				g.vars["SINGLESHOT_SECRET"], g.vars["SINGLESHOT_SECRET_PREVIOUS"], g.vars["RULES"] = secret, "-", "[]"
				for k, v := range c.vars {
					g.vars[k] = v
				}
				g.restart(t)
			}
			r := g.origin.route("/")
			other := g.origin.route("/")
			other.page = answer(200, "ok", "Content-Type", "text/plain", "Cache-Control", "max-age=5")
			v := g.visitor(t)
			page := v.get(r.path).must("pages … pass unchanged", wants{status: 200, body: orderForm(r.path), header: []string{"Cache-Control", "", "Set-Cookie", ""}})
			f := v.formsIn(page.body)[0]
			f.submit(browser).must(whyConfig, wants{status: 503, has: []string{"<!doctype html"}})
			f.submit(asJSON).must(whyConfig, wants{status: 503, problem: "config"})
			r.mustRun(t, "Never half-guarded.", 0)
			v.get(other.path).must("everything else pass unchanged", wants{status: 200, body: "ok", header: []string{"Cache-Control", "max-age=5"}})
			if _, err := g.log.Wait(0, regexp.MustCompile(c.names), time.Minute); err != nil {
				t.Errorf("%v\n\t(the log says which and why)\n%s", err, g.log.Tail(30))
			}
			if log := g.log.Since(0); strings.Contains(strings.ReplaceAll(log, "SINGLESHOT_SECRET_PREVIOUS", ""), c.vars["SINGLESHOT_SECRET"]) && len(c.vars["SINGLESHOT_SECRET"]) > 1 {
				t.Errorf("the log shows the secret")
			}
		})
	}
	t.Run("ORIGIN_URL with a path", func(t *testing.T) {
		if subject != "guard" {
			t.Skip("an application of one process has no ORIGIN_URL")
		}
		g.vars["RULES"], g.vars["SINGLESHOT_SECRET"] = "[]", secret
		g.vars["ORIGIN_URL"] += "/app"
		g.restart(t)
		g.visitor(t).get("/any").must("there is no place to go", wants{status: 502, has: []string{"Nothing was passed on"}})
		if _, err := g.log.Wait(0, regexp.MustCompile("ORIGIN_URL must be scheme, host and port"), time.Minute); err != nil {
			t.Errorf("%v\n\t(the log says which and why)\n%s", err, g.log.Tail(30))
		}
	})
}

func aGuardThatWouldCallItselfSaysSo(t *testing.T) {
	g := own(t, config{entry: "edge/contract/testdata/faults.toml", vars: map[string]string{"ORIGIN_URL": "-"}})
	const why = "wrangler dev with no origin, or with itself as one, would call itself until it has no more connections"
	mark := g.log.Mark()
	g.visitor(t).get("/orders").must(why, wants{status: 502, has: []string{"Nothing was passed on"}})
	g.visitor(t).post("/orders", asJSON, urlencodedMedia, "amount=1").must(why, wants{status: 502, problem: "origin"})
	if _, err := g.log.Wait(mark, regexp.MustCompile(`"warning":"no-origin"`), time.Minute); err != nil {
		t.Errorf("%v\n\t(%s)", err, why)
	}
}

func shardsAndKeepMayChange(t *testing.T) {
	g := own(t, config{vars: map[string]string{"SHARDS": "3", "KEEP": "large"}})
	const why = "SHARDS (default 32) is the number of claim stores per region for new keys; changing it loses nothing."
	small := g.origin.route("/")
	large := g.origin.route("/", answer(200, strings.Repeat("<p>a long receipt %d</p>\n", 80_000)))
	v := g.visitor(t)
	var forms []*form
	var firsts []*reply
	for _, r := range []*route{small, small, small, large} {
		f := v.render(r)
		forms, firsts = append(forms, f), append(firsts, f.submit(browser).must(why, wants{outcome: "created"}))
	}
	unused := v.render(small)
	for _, c := range []struct{ shards, keep string }{{"64", "all"}, {"1", "large"}} {
		g.vars["SHARDS"], g.vars["KEEP"] = c.shards, c.keep
		g.restart(t)
		for i, f := range forms {
			f.submit(browser).must(why, wants{outcome: "replayed", replay: true}).same(why, firsts[i])
		}
	}
	unused.submit(browser).must(why, wants{status: 200, outcome: "created"})
	small.mustRun(t, why, 4)
	large.mustRun(t, why, 1)
}

func firstMatchingRuleWins(t *testing.T) {
	rules := `[
		{"match": "/shop/**", "key": "off"},
		{"match": "/shop/orders", "required": true},
		{"match": "/*/one", "required": true},
		{"match": "/d%C3%A9j%C3%A0", "required": true}
	]`
	g := own(t, config{rules: rules})
	const why = "first match wins; the last, implicit one guards every form POST with key = \"field\""
	for _, c := range []struct {
		path     string
		status   int
		required bool
	}{
		{"/shop/orders", 200, false},
		{"/a/one", 400, true},
		{"/a/b/one", 200, false},
		{"/d%c3%a9j%C3%A0", 400, true},
		{"/other", 200, false},
	} {
		t.Run(c.path, func(t *testing.T) {
			r := g.origin.at(c.path)
			g.visitor(t).post(r.path, browser, urlencodedMedia, "amount=1").must(why, wants{status: c.status})
		})
	}
	f := g.visitor(t).render(g.origin.at("/other"))
	f.submit(browser).must(why, wants{outcome: "created"})
	f.submit(browser).must(why, wants{outcome: "replayed", replay: true})
}

func theScriptTagIsOptional(t *testing.T) {
	g := own(t, config{vars: map[string]string{"INJECT_SCRIPT": "true"}})
	const why = `INJECT_SCRIPT = "true" adds the browser module's script tag to full pages, with the nonce of the page's CSP if it has one.`
	r := g.origin.route("/")
	nonce := g.origin.route("/")
	nonce.page = htmlPage(orderForm(nonce.path), "Content-Security-Policy", "script-src 'nonce-r4nd0m' 'self'")
	fragment := g.origin.route("/")
	fragment.page = htmlPage(`<p>a fragment</p>`)
	v := g.visitor(t)
	v.get(r.path).must(why, wants{status: 200, has: []string{`<script src="/_singleshot/singleshot.js`, `defer`}})
	v.get(nonce.path).must(why, wants{status: 200, has: []string{`nonce="r4nd0m"`}})
	v.send(request{method: "GET", path: fragment.path, mode: htmx}).must(why, wants{status: 200, hasNot: []string{"<script"}})
}

func TestAnUnstableSubjectIsLogged(t *testing.T) {
	g := shared(t)
	if g.log == nil {
		t.Skip("GUARD_URL is set: this test reads the guard's log")
	}
	const why = "cookie:NAME must keep its value for the whole sign-in: when an answer re-sets it, the log says subject-unstable."
	r := g.origin.route("/uid/", func(x *turn) {
		x.Header().Set("Set-Cookie", "uid=other; Path=/")
		order(x)
	})
	v := g.visitor(t)
	v.jar.set("uid", "alice")
	f := v.render(r)
	mark := g.log.Mark()
	f.submit(browser).must(why, wants{outcome: "created"})
	if _, err := g.log.Wait(mark, regexp.MustCompile("subject-unstable"), time.Minute); err != nil {
		t.Errorf("%v\n\t(%s)", err, why)
	}
}
