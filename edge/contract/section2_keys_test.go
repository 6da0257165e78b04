//go:build unix

package contract_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"
)

var mintedKey = regexp.MustCompile(`^ik_[A-Za-z0-9_-]{20,125}$`)

func TestEveryRenderMintsAKey(t *testing.T) {
	g := shared(t)
	const why = "Minted on every render …: ik_ + URL-safe text, at most 128 characters"
	v := g.visitor(t)
	r := g.origin.route("/")
	keys := map[string]bool{}
	for range 20 {
		key := v.render(r).key()
		if !mintedKey.MatchString(key) || len(key) > 128 {
			t.Errorf("key = %q; want ik_ and URL-safe text, at most 128 characters\n\t(%s)", key, why)
		}
		if keys[key] {
			t.Errorf("key %q came twice\n\t(The same form rendered twice: two keys.)", key)
		}
		keys[key] = true
	}
}

func TestTwoFormsAndTwoTabsAreIndependent(t *testing.T) {
	g := shared(t)
	const why = "Two forms on one page, two tabs: independent keys. The same form rendered twice: two keys."
	t.Run("two forms", func(t *testing.T) {
		t.Parallel()
		a, b := g.origin.route("/"), g.origin.route("/")
		page := g.origin.route("/")
		page.page = htmlPage(orderForm(a.path) + orderForm(b.path) + orderForm(a.path))
		v := g.visitor(t)
		first, second, third := v.renderAt(page.path, 0), v.renderAt(page.path, 1), v.renderAt(page.path, 2)
		for _, f := range []*form{first, second, third} {
			f.submit(browser).must(why, wants{status: 200, outcome: "created"})
		}
		second.set("amount", "2").submit(browser).must("seen key, other fingerprint", wants{status: 422, outcome: "mismatch"})
		a.mustRun(t, why, 2)
		b.mustRun(t, why, 1)
	})
	t.Run("two tabs", func(t *testing.T) {
		t.Parallel()
		r := g.origin.route("/")
		v := g.visitor(t)
		one, two := v.render(r), v.render(r)
		one.submit(browser).must(why, wants{status: 200, outcome: "created"})
		two.submit(browser).must(why, wants{status: 200, outcome: "created"})
		one.submit(browser).must(why, wants{status: 200, outcome: "replayed", replay: true, has: []string{"Order 1001"}})
		two.submit(browser).must(why, wants{status: 200, outcome: "replayed", replay: true, has: []string{"Order 1002"}})
		r.mustRun(t, why, 2)
	})
}

func TestForgedKeyIs403AndTouchesNoStorage(t *testing.T) {
	g := shared(t)
	const why = "ik_… that fails its MAC or is malformed: 403, origin not called, no storage touched"
	r := g.origin.route("/")
	f := g.visitor(t).render(r)
	key := f.key()
	swap := func(i int) string {
		c := byte('A')
		if key[i] == c {
			c = 'B'
		}
		return key[:i] + string(c) + key[i+1:]
	}
	for name, forged := range map[string]string{
		"first character changed":  swap(3),
		"middle character changed": swap(len(key) / 2),
		"near the end changed":     swap(len(key) - 2),
		"cut":                      key[:len(key)-1],
		"longer":                   key + "A",
		"only the mark":            "ik_",
		"the recipe's example":     "ik_7d1f9c2e",
		"not URL-safe":             "ik_" + strings.Repeat("+/", 40),
		"long":                     "ik_" + strings.Repeat("A", 400),
		"with a zero byte":         key + "\x00",
	} {
		t.Run(name, func(t *testing.T) {
			before := r.runs()
			f := f.set("idempotency_key", forged).as(f.v.inTest(t))
			mark := 0
			if g.log != nil {
				mark = g.log.Mark()
			}
			f.submit(browser).must(why, wants{status: 403, outcome: "refused", has: []string{"<!doctype html"}})
			f.submit(asJSON).must(why, wants{status: 403, outcome: "refused", problem: "forged-key"})
			f.submit(htmx).must(why, wants{status: 403, outcome: "refused", has: []string{`class="hc-alert"`}})
			r.mustRun(t, why, before)
			if g.log != nil && strings.Contains(g.log.Since(mark), forged) && len(forged) > 3 {
				t.Errorf("the log shows the key\n\t(Logs carry digests and the rule's glob, never values)")
			}
		})
	}
	if g.log != nil {
		mark := g.log.Mark()
		f.set("idempotency_key", "ik_"+strings.Repeat("A", 64)).submit(browser)
		if _, err := g.log.Wait(mark, regexp.MustCompile(`"status":403,"outcome":"refused","store":0,"kv":0`), time.Minute); err != nil {
			t.Errorf("%v\n\t(no storage touched (the log line counts store and KV calls))", err)
		}
	}
	f.submit(browser).must("nothing is lost and the key stays live", wants{status: 200, outcome: "created"})
}

func TestAnyOtherValueCountsAsNoKey(t *testing.T) {
	g := shared(t)
	const why = "Any other value in the field counts as no key. A guarded form without a key: passes unguarded, unless the rule says required: 400."
	for name, value := range map[string]string{
		"empty": "", "a UUID": "7d1f9c2e-0000-4000-8000-000000000000", "words": "my key", "other mark": "IK_7d1f9c2e",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := g.origin.route("/")
			f := g.visitor(t).render(r).set("idempotency_key", value)
			f.submit(browser).must(why, wants{status: 200, has: []string{"Order 1001"}})
			f.submit(browser).must(why, wants{status: 200, has: []string{"Order 1002"}})
			r.mustRun(t, why, 2)
			required := g.origin.route("/required/")
			f.to(required.path).submit(asJSON).must(why, wants{status: 400, outcome: "refused", problem: "missing-key"})
			required.mustRun(t, why, 0)
		})
	}
	t.Run("no field at all", func(t *testing.T) {
		t.Parallel()
		r := g.origin.route("/")
		f := g.visitor(t).render(r).without("idempotency_key")
		f.submit(browser).must(why, wants{status: 200, has: []string{"Order 1001"}})
		f.submit(browser).must(why, wants{status: 200, has: []string{"Order 1002"}})
		required := g.origin.route("/required/")
		g.visitor(t).render(required).without("idempotency_key").submit(browser).
			must(why, wants{status: 400, outcome: "refused", has: []string{"<!doctype html"}})
		g.visitor(t).render(required).submit(browser).must("a key of the form", wants{status: 200, outcome: "created"})
		required.mustRun(t, why, 1)
	})
}

func TestTheKeyMustStandInTheFirstMiB(t *testing.T) {
	g := shared(t)
	const why = "The key must stand in the first 1 MiB of the body."
	pad := strings.Repeat("x", 1<<20)
	t.Run("at the start", func(t *testing.T) {
		t.Parallel()
		r := g.origin.route("/")
		f := g.visitor(t).render(r).add("note", pad)
		first := f.submit(browser).must(why, wants{status: 200, outcome: "created"})
		f.submit(browser).must(why, wants{outcome: "replayed", replay: true}).same(why, first)
		r.mustRun(t, why, 1)
	})
	t.Run("behind it", func(t *testing.T) {
		t.Parallel()
		r := g.origin.route("/")
		f := g.visitor(t).render(r).add("note", pad).reversed()
		f.submit(browser).must(why, wants{status: 200, has: []string{"Order 1001"}})
		f.submit(browser).must(why, wants{status: 200, has: []string{"Order 1002"}})
		if got := r.got(); len(got) == 2 && string(got[1].body) != f.urlencoded() {
			t.Errorf("the origin got %d bytes; want the body as it was sent", len(got[1].body))
		}
		required := g.origin.route("/required/")
		g.visitor(t).render(required).add("note", pad).reversed().submit(asJSON).must(why, wants{status: 400, problem: "missing-key"})
		required.mustRun(t, why, 0)
	})
}

func TestTheSameKeyElsewhereIsAnotherRecord(t *testing.T) {
	g := shared(t)
	const why = "The same key from another subject, or at another path, is another record: nobody sees another subject's answer."
	t.Run("another visitor", func(t *testing.T) {
		t.Parallel()
		r := g.origin.route("/")
		alice, bob := g.visitor(t), g.visitor(t)
		f := alice.render(r)
		bob.render(r) // Bob has a visitor cookie of his own
		f.submit(browser).must(why, wants{status: 200, outcome: "created", has: []string{"Order 1001"}})
		f.as(bob).submit(browser).must(why, wants{status: 200, outcome: "created", has: []string{"Order 1002"}})
		f.submit(browser).must(why, wants{outcome: "replayed", replay: true, has: []string{"Order 1001"}})
		r.mustRun(t, why, 2)
	})
	t.Run("without the visitor cookie", func(t *testing.T) {
		t.Parallel()
		const why = "Without it the minted key alone is the scope, never shared with cookie-bearing submits and never with Set-Cookie."
		r := g.origin.route("/", func(x *turn) { x.Header().Set("Set-Cookie", "sid=secret"); order(x) })
		alice := g.visitor(t)
		f := alice.render(r)
		f.submit(browser).must(why, wants{status: 200, outcome: "created", has: []string{"Order 1001"}})
		nobody := f.as(g.visitor(t))
		nobody.submit(browser).must(why, wants{status: 200, outcome: "created", has: []string{"Order 1002"}})
		f.as(g.visitor(t)).submit(browser).must(why, wants{status: 200, outcome: "replayed", replay: true, has: []string{"Order 1002"},
			header: []string{"Set-Cookie", ""}})
		r.mustRun(t, why, 2)
	})
	t.Run("a forged visitor cookie", func(t *testing.T) {
		t.Parallel()
		const why = "The subject visitor is a signed first-party cookie"
		r := g.origin.route("/")
		alice, mallory := g.visitor(t), g.visitor(t)
		f := alice.render(r)
		f.submit(browser).must(why, wants{status: 200, outcome: "created"})
		value := alice.jar.get("singleshot")
		mallory.jar.set("singleshot", value[:len(value)-2]+"AA")
		f.as(mallory).submit(browser).must(why, wants{outcome: "created", has: []string{"Order 1002"}})
	})
	t.Run("another path", func(t *testing.T) {
		t.Parallel()
		a, b := g.origin.route("/"), g.origin.route("/")
		f := g.visitor(t).render(a)
		f.submit(browser).must(why, wants{status: 200, outcome: "created"})
		f.to(b.path).submit(browser).must(why, wants{status: 200, outcome: "created"})
		f.submit(browser).must(why, wants{outcome: "replayed", replay: true})
		a.mustRun(t, why, 1)
		b.mustRun(t, why, 1)
	})
	t.Run("percent-encoding is normalised", func(t *testing.T) {
		t.Parallel()
		const why = "Globs and scopes see the path as it was sent, percent-encoding normalised."
		r := g.origin.route("/")
		plain := g.origin.at(strings.Replace(r.path, "/orders", "/o%72ders", 1))
		f := g.visitor(t).render(r)
		f.submit(browser).must(why, wants{status: 200, outcome: "created"})
		f.to(plain.path).submit(browser).must(why, wants{outcome: "replayed", replay: true})
		plain.mustRun(t, why, 0)
	})
	t.Run("_method enters the scope", func(t *testing.T) {
		t.Parallel()
		r := g.origin.route("/")
		f := g.visitor(t).render(r)
		f.submit(browser).must("fresh", wants{outcome: "created"})
		f.add("_method", "delete").submit(browser).must("_method and X-HTTP-Method-Override enter the scope", wants{outcome: "created", has: []string{"Order 1002"}})
	})
}

func TestSubjectsOfRules(t *testing.T) {
	g := shared(t)
	// Unsigned tokens: "jwt: and header: are not verified here."
	token := func(sub string) string {
		return "eyJhbGciOiJub25lIn0." + b64(`{"sub":"`+sub+`","exp":1999999999,"jti":"`+sub+`"}`) + "."
	}
	t.Run("cookie", func(t *testing.T) {
		t.Parallel()
		const why = `subject = "cookie:uid"`
		r := g.origin.route("/uid/")
		v := g.visitor(t)
		v.jar.set("uid", "alice")
		f := v.render(r)
		first := f.submit(browser).must(why, wants{outcome: "created"})
		same := g.visitor(t)
		same.jar.set("uid", "alice")
		f.as(same).submit(browser).must(why, wants{outcome: "replayed", replay: true}).same(why, first)
		other := g.visitor(t)
		other.jar.set("uid", "bob")
		f.as(other).submit(browser).must(why, wants{outcome: "created"})
		f.as(g.visitor(t)).submit(asJSON).must("a request without the subject that its rule names: 400", wants{status: 400, outcome: "refused", problem: "no-subject"})
		r.mustRun(t, why, 2)
	})
	t.Run("header", func(t *testing.T) {
		t.Parallel()
		const why = `subject = "header:X-Tenant"`
		r := g.origin.route("/tenant/")
		f := g.visitor(t).render(r)
		f.submit(browser, "X-Tenant", "a").must(why, wants{outcome: "created"})
		f.submit(browser, "X-Tenant", "b").must(why, wants{outcome: "created"})
		f.submit(browser, "X-Tenant", "a").must(why, wants{outcome: "replayed", replay: true, has: []string{"Order 1001"}})
		f.submit(asJSON).must("a request without the subject that its rule names: 400", wants{status: 400, problem: "no-subject"})
	})
	t.Run("claim of a cookie's token", func(t *testing.T) {
		t.Parallel()
		const why = `subject = "jwt:cookie:NAME:claim"`
		r := g.origin.route("/jwt/")
		v := g.visitor(t)
		v.jar.set("session", token("alice"))
		f := v.render(r)
		f.submit(browser).must(why, wants{outcome: "created"})
		v.jar.set("session", "eyJhbGciOiJub25lIiwidiI6Mn0."+b64(`{"iat":2,"sub":"alice"}`)+".sig")
		f.submit(browser).must(why+": a refreshed token of the same person", wants{outcome: "replayed", replay: true})
		v.jar.set("session", token("bob"))
		f.submit(browser).must(why, wants{outcome: "created"})
		v.jar.set("session", "nonsense")
		f.submit(asJSON).must("a request without the subject that its rule names: 400", wants{status: 400, problem: "no-subject"})
	})
	t.Run("claim of the bearer token", func(t *testing.T) {
		t.Parallel()
		const why = "prefer jwt:bearer:sub"
		r := g.origin.route("/api-jwt/")
		v := g.visitor(t)
		send := func(auth string) *reply {
			return v.post(r.path, asJSON, "application/json", `{"amount":1}`, "Idempotency-Key", `"0123456789abcdef"`, "Authorization", auth)
		}
		send("Bearer "+token("alice")).must(why, wants{outcome: "created"})
		send("Bearer eyJhIjoxfQ."+b64(`{"sub":"alice","n":2}`)+".x").must(why, wants{outcome: "replayed", replay: true})
		send("Bearer "+token("bob")).must(why, wants{outcome: "created"})
		send("Basic YTpi").must("a request without the subject that its rule names: 400", wants{status: 400, problem: "no-subject"})
	})
	t.Run("none", func(t *testing.T) {
		t.Parallel()
		const why = `subject = "none"`
		r := g.origin.route("/everybody/")
		f := g.visitor(t).render(r)
		f.submit(browser).must(why, wants{outcome: "created"})
		f.as(g.visitor(t)).submit(browser).must(why, wants{outcome: "replayed", replay: true})
	})
}

func TestAScriptGetsAFreshKey(t *testing.T) {
	g := shared(t)
	const why = `GET /_singleshot/key?action=/orders gives a fresh key to same-origin scripts ({"key":"ik_…"}) and sets the visitor cookie.`
	r := g.origin.route("/")
	v := g.visitor(t)
	var body struct{ Key string }
	ask := func(m mode) *reply {
		return v.send(request{method: http.MethodGet, path: "/_singleshot/key?action=" + url.QueryEscape(r.path), mode: m})
	}
	got := ask(fetched).must(why, wants{status: 200})
	if err := json.Unmarshal(got.body, &body); err != nil || !mintedKey.MatchString(body.Key) {
		t.Fatalf("%s = %s, %v; want a key\n\t(%s)", got.what, cut(got.body), err, why)
	}
	if v.jar.get("singleshot") == "" {
		t.Errorf("no visitor cookie in %v\n\t(%s)", got.header, why)
	}
	if cc := got.header.Get("Cache-Control"); !strings.Contains(cc, "no-store") {
		t.Errorf("Cache-Control = %q; want no-store: a key is for one form", cc)
	}
	f := &form{v: v, action: r.path, fields: []field{{name: "idempotency_key", value: body.Key}, {name: "amount", value: "1"}}}
	f.submit(htmx).must("a fresh key", wants{outcome: "created"})
	f.submit(htmx).must("seen key, same fingerprint", wants{outcome: "replayed", replay: true})
	f.set("amount", "2").submit(htmx).must("a key of this form is in once mode", wants{status: 422, outcome: "mismatch"})
	cross := ask(mode(fetched).with("Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example"))
	if strings.Contains(string(cross.body), `"ik_`) {
		t.Errorf("a script of another site got %d %s; want no key\n\t(to same-origin scripts)", cross.status, cut(cross.body))
	}
	r.mustRun(t, why, 1)

	put := g.origin.route("/updates/")
	got = v.send(request{method: http.MethodGet, path: "/_singleshot/key?method=put&action=" + url.QueryEscape(put.path), mode: fetched})
	if err := json.Unmarshal(got.body, &body); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ amount, outcome string }{{"1", "created"}, {"1", "replayed"}, {"2", "mismatch"}} {
		update := request{method: http.MethodPut, path: put.path, mode: htmx, header: []string{"Content-Type", urlencodedMedia},
			body: []byte("idempotency_key=" + body.Key + "&amount=" + c.amount)}
		v.send(update).must("&method=put: a key of a form of that method", wants{outcome: c.outcome, replay: c.outcome == "replayed"})
	}
	if n := len(r.read()); n != 0 {
		t.Errorf("the origin got %d requests for keys; want none", n)
	}
}

func TestTheFieldBeatsTheHeader(t *testing.T) {
	g := shared(t)
	const why = "The field beats any Idempotency-Key header (some browsers add their own)."
	r := g.origin.route("/")
	f := g.visitor(t).render(r)
	f.submit(browser, "Idempotency-Key", `"11111111-1111-4111-8111-111111111111"`).must(why, wants{outcome: "created"})
	f.submit(browser, "Idempotency-Key", `"22222222-2222-4222-8222-222222222222"`).must(why, wants{outcome: "replayed", replay: true})
	r.mustRun(t, why, 1)
	if got := r.got()[0].header.Values("Idempotency-Key"); len(got) != 1 || strings.Contains(got[0], "1111") {
		t.Errorf("Idempotency-Key at the origin = %q; want the guard's\n\t(replacing any on guarded requests)", got)
	}
}

func TestTheFirstOfSeveralKeyFieldsCounts(t *testing.T) {
	g := shared(t)
	const why = "the field idempotency_key of an urlencoded or multipart body (the first one, if repeated)"
	r := g.origin.route("/")
	v := g.visitor(t)
	f, other := v.render(r), v.render(r)
	twice := f.add("idempotency_key", other.key())
	twice.submit(browser).must(why, wants{outcome: "created"})
	f.submit(browser).must(why, wants{outcome: "replayed", replay: true})
	twice.upload(browser, "b1").must(why, wants{outcome: "replayed", replay: true})
	other.submit(browser).must(why, wants{outcome: "created"})
	r.mustRun(t, why, 2)
}

func TestAKeyInAJSONBodyOfHtmx(t *testing.T) {
	g := shared(t)
	const why = "and of a JSON body of an htmx request"
	r := g.origin.route("/")
	f := g.visitor(t).render(r)
	send := func(m mode, amount string) *reply {
		body, _ := json.Marshal(map[string]any{"idempotency_key": f.key(), "item": "tea", "amount": amount})
		return f.v.post(r.path, m, "application/json", string(body))
	}
	first := send(htmx, "1").must(why, wants{outcome: "created"})
	send(htmx, "1").must(why, wants{outcome: "replayed", replay: true}).same(why, first)
	send(htmx, "2").must(why, wants{status: 422, outcome: "mismatch"})
	r.mustRun(t, why, 1)
	send(fetched, "3").must("of an htmx request: another script's JSON holds no key", wants{status: 200, has: []string{"Order 1002"}})
	send(fetched, "3").must("of an htmx request: another script's JSON holds no key", wants{status: 200, has: []string{"Order 1003"}})
}

func TestKeysOfAnOriginThatRendersItsOwn(t *testing.T) {
	g := shared(t)
	const why = `An origin that renders its own idempotency_key values keeps them under the rule mint = "origin" (16 to 128 characters, not signed, once mode; other lengths count as no key).`
	render := func(t *testing.T, r *route, key string) *form {
		r.page = htmlPage(`<form method="post" action="` + r.path + `"><input type="hidden" name="idempotency_key" value="` + key + `"><input name="amount" value="1"></form>`)
		f := g.visitor(t).render(r)
		if got := f.key(); got != key {
			t.Errorf("key in the page = %q; want the origin's own %q\n\t(%s)", got, key, why)
		}
		return f
	}
	for _, key := range []string{"0123456789abcdef", strings.Repeat("k", 128)} {
		t.Run(key[:8], func(t *testing.T) {
			t.Parallel()
			r := g.origin.route("/own-keys/")
			f := render(t, r, key)
			first := f.submit(browser).must(why, wants{outcome: "created"})
			f.submit(browser).must(why, wants{outcome: "replayed", replay: true}).same(why, first)
			f.set("amount", "2").submit(browser).must(why, wants{status: 422, outcome: "mismatch"})
			f.as(g.visitor(t)).submit(browser).must("another subject", wants{outcome: "created"})
			r.mustRun(t, why, 2)
		})
	}
	for _, key := range []string{"0123456789abcde", strings.Repeat("k", 129)} {
		t.Run("length "+itoa(len(key)), func(t *testing.T) {
			t.Parallel()
			r := g.origin.route("/own-keys/")
			f := render(t, r, key)
			f.submit(browser).must(why, wants{status: 200})
			f.submit(browser).must(why, wants{status: 200, has: []string{"Order 1002"}})
			r.mustRun(t, why, 2)
		})
	}
}

func TestAPostFromAnotherSiteIsRefused(t *testing.T) {
	g := shared(t)
	const why = "A POST with a field key from another site: 403 (Sec-Fetch-Site: cross-site; without that header a foreign Origin, null included)."
	t.Run("without a key", func(t *testing.T) {
		t.Parallel()
		r := g.origin.route("/")
		g.visitor(t).render(r).without("idempotency_key").submit(mode(browser).with("Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example")).
			must("A POST with a field key: whatever has none passes", wants{status: 200, has: []string{"Order 1001"}})
	})
	for _, c := range []struct {
		name    string
		mode    mode
		refused bool
	}{
		{"Sec-Fetch-Site: cross-site", mode(browser).with("Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example"), true},
		{"cross-site, with our own Origin", mode(browser).with("Sec-Fetch-Site", "cross-site"), true},
		{"a foreign Origin alone", mode(bare).with("Origin", "https://evil.example"), true},
		{"Origin: null", mode(bare).with("Origin", "null"), true},
		{"same-origin", browser, false},
		{"same-site", mode(browser).with("Sec-Fetch-Site", "same-site"), false},
		{"none, a reload by hand", mode(browser).with("Sec-Fetch-Site", "none", "Origin", ""), false},
		{"same-origin with Origin: null (a privacy setting)", mode(browser).with("Origin", "null"), false},
		{"nothing said", bare, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := g.origin.route("/")
			f := g.visitor(t).render(r)
			if c.refused {
				f.submit(c.mode).must(why, wants{status: 403, outcome: "refused", hasNot: []string{"<form"}})
				f.submit(c.mode.with("Accept", "application/json")).must(why, wants{status: 403, problem: "cross-site"})
				r.mustRun(t, why, 0)
				f.submit(browser).must("the key stays live", wants{status: 200, outcome: "created"})
			} else {
				f.submit(c.mode).must(why, wants{status: 200, outcome: "created"})
			}
		})
	}
}

func rotatingTheSecretBreaksNothing(t *testing.T) {
	g := own(t, config{})
	const why = "SINGLESHOT_SECRET_PREVIOUS is accepted too … Rotation breaks no open form and loses no record."
	r := g.origin.route("/")
	v := g.visitor(t)
	done, open := v.render(r), v.render(r)
	first := done.submit(browser).must(why, wants{outcome: "created"})
	g.vars["SINGLESHOT_SECRET"], g.vars["SINGLESHOT_SECRET_PREVIOUS"] = otherSecret, secret
	g.restart(t)
	done.submit(browser).must(why, wants{outcome: "replayed", replay: true}).same(why, first)
	done.set("amount", "2").submit(browser).must(why, wants{status: 422, outcome: "mismatch"})
	second := open.submit(browser).must(why, wants{outcome: "created"})
	fresh := v.render(r)
	third := fresh.submit(browser).must(why, wants{outcome: "created"})
	g.vars["SINGLESHOT_SECRET"], g.vars["SINGLESHOT_SECRET_PREVIOUS"] = secret, otherSecret // and back
	g.restart(t)
	done.submit(browser).must(why, wants{outcome: "replayed", replay: true}).same(why, first)
	open.submit(browser).must(why, wants{outcome: "replayed", replay: true}).same(why, second)
	fresh.submit(browser).must(why, wants{outcome: "replayed", replay: true}).same(why, third)
	r.mustRun(t, why, 3)
	g.vars["SINGLESHOT_SECRET"], g.vars["SINGLESHOT_SECRET_PREVIOUS"] = otherSecret[:32]+"x", "-"
	g.restart(t)
	done.submit(asJSON).must("a key whose secret is gone fails its MAC", wants{status: 403, problem: "forged-key"})
	r.mustRun(t, why, 3)
}

func TestAVeryLongForgedKeyIs403(t *testing.T) {
	g := shared(t)
	const why = "ik_… that fails its MAC or is malformed: 403, origin not called, no storage touched"
	r := g.origin.route("/")
	g.visitor(t).render(r).set("idempotency_key", "ik_"+strings.Repeat("A", 5000)).submit(asJSON).
		must(why, wants{status: 403, outcome: "refused", problem: "forged-key"})
	r.mustRun(t, why, 0)
}
