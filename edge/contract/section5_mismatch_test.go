//go:build unix

package contract_test

import (
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
)

const evil = `"><script>alert(1)</script>`

func TestTheMismatchNamesTheRecord(t *testing.T) {
	g := shared(t)
	const why = "text and link of the origin's Idempotency-Record …, else the Location or HX-Redirect of the committed answer, else the time of the commit"
	cases := []struct {
		name        string
		script      script
		mode        mode
		href, title string
	}{
		{"Idempotency-Record", answer(303, "", "Location", "/thanks", "Idempotency-Record", `</orders/1042>; title="Order 1042"`), browser, "/orders/1042", "Order 1042"},
		{"title*", answer(200, "ok", "Idempotency-Record", `</orders/1042>; title*=UTF-8''%E6%B3%A8%E6%96%87%201042`), htmx, "/orders/1042", "注文 1042"},
		{"Location", answer(303, "", "Location", "/orders/1001"), browser, "/orders/1001", ""},
		{"HX-Redirect", answer(204, "", "HX-Redirect", "/orders/1001"), htmx, "/orders/1001", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := g.origin.route("/", c.script)
			f := g.visitor(t).render(r)
			f.submit(c.mode).must("fresh key", wants{outcome: "created", header: []string{"Idempotency-Record", ""}})
			other := f.set("amount", "2")
			has := []string{`href="` + c.href + `"`}
			if c.title != "" {
				has = append(has, c.title)
			}
			other.submit(browser).must(why, wants{status: 422, outcome: "mismatch", has: has})
			other.submit(htmx).must(why, wants{status: 422, outcome: "mismatch", has: has})
			if p := other.submit(asJSON).problem(); p.Record.Href != c.href || c.title != "" && p.Record.Title != c.title {
				t.Errorf("record = %+v; want %s, %q\n\t(%s)", p.Record, c.href, c.title, why)
			}
			f.submit(c.mode).must("seen key, same fingerprint", wants{outcome: "replayed", replay: true, header: []string{"Idempotency-Record", ""}})
		})
	}
	t.Run("time of the commit", func(t *testing.T) {
		t.Parallel()
		r := g.origin.route("/")
		f := g.visitor(t).render(r)
		f.submit(htmx)
		p := f.set("amount", "2").submit(asJSON).must(why, wants{status: 422, problem: "mismatch"}).problem()
		at, err := time.Parse(time.RFC3339, p.Record.Committed)
		if err != nil || time.Since(at).Abs() > time.Minute || p.Record.Href != "" {
			t.Errorf("record = %+v (%v); want the time of the commit\n\t(%s)", p.Record, err, why)
		}
		f.set("amount", "2").submit(htmx).must(why, wants{status: 422, has: []string{"<time", `datetime="`}})
	})
	t.Run("a place that is not http", func(t *testing.T) {
		t.Parallel()
		const why = "Everything from outside is escaped; links are http(s) only."
		r := g.origin.route("/", answer(200, "ok", "Idempotency-Record", `<javascript:alert(1)>; title="<b>`+strings.ReplaceAll(evil, `"`, "")+`"`))
		f := g.visitor(t).render(r)
		f.submit(htmx)
		f.set("amount", "2").submit(browser).must(why, wants{status: 422, hasNot: []string{"javascript:", "<script>alert", "<b>"}})
	})
}

func TestTheMismatchListsNamesNeverValues(t *testing.T) {
	g := shared(t)
	const why = "It lists the names of the fields that differ, never values"
	r := g.origin.route("/")
	f := g.visitor(t).render(r)
	f = f.set("item", "first-value").add("gone", "was-there").add(evil, "1")
	f.submit(htmx).must("fresh key", wants{outcome: "created"})
	second := f.set("item", "second-value").without("gone").set(evil, "2").add("extra", "new-value")
	p := second.submit(asJSON).must(why, wants{status: 422, problem: "mismatch", hasNot: []string{"first-value", "second-value", "was-there", "new-value"}}).problem()
	for _, name := range []string{"item", "gone", "extra", evil} {
		found := false
		for _, d := range p.Differs {
			found = found || d == name
		}
		if !found {
			t.Errorf("differs = %q; want %q in it\n\t(%s)", p.Differs, name, why)
		}
	}
	if len(p.Differs) != 4 {
		t.Errorf("differs = %q; want the four names and no other\n\t(%s)", p.Differs, why)
	}
	second.submit(htmx).must("Everything from outside is escaped", wants{status: 422, has: []string{"item", "extra"}, hasNot: []string{"<script>alert", "first-value", "was-there"}})
	second.submit(browser).must("Everything from outside is escaped", wants{status: 422, has: []string{"item", "extra"}, hasNot: []string{"<script>alert", "first-value", "was-there"}})
}

func TestSubmitAsANewEntry(t *testing.T) {
	g := shared(t)
	t.Run("page", func(t *testing.T) {
		t.Parallel()
		const why = `full-page POST: a complete page with the same alert, the link, and a form with the values just sent and a fresh key ("submit as a new entry")`
		r := g.origin.route("/")
		f := g.visitor(t).render(r)
		f.submit(browser)
		text := "two\r\nlines & <b>" + evil
		other := f.set("amount", "2").add("note", text).add("tag", "a").add("tag", "b")
		page := other.submit(browser).must(why, wants{status: 422, outcome: "mismatch", hasNot: []string{"<script>alert"}})
		forms := f.v.formsIn(page.body)
		if len(forms) != 1 {
			t.Fatalf("the page has %d forms; want one\n\t(%s)\n%s", len(forms), why, page.body)
		}
		again := forms[0]
		if again.action == "" {
			again.action = r.path
		}
		if again.key() == f.key() || !mintedKey.MatchString(again.key()) {
			t.Errorf("key = %q; want a fresh one\n\t(%s)", again.key(), why)
		}
		again.submit(browser).must("the way on: a fresh key", wants{status: 200, outcome: "created", has: []string{"Order 1002"}})
		again.submit(browser).must("the way on: a fresh key", wants{outcome: "replayed", replay: true})
		r.mustRun(t, why, 2)
		runs := r.got()
		got, want := valuesOf(t, runs[len(runs)-1].body), valuesOf(t, []byte(other.urlencoded()))
		delete(got, "idempotency_key")
		delete(want, "idempotency_key")
		for name := range want {
			if strings.ReplaceAll(strings.Join(got[name], "|"), "\r\n", "\n") != strings.ReplaceAll(strings.Join(want[name], "|"), "\r\n", "\n") {
				t.Errorf("%s = %q at the origin; want %q\n\t(%s)", name, got[name], want[name], why)
			}
		}
	})
	t.Run("htmx", func(t *testing.T) {
		t.Parallel()
		const why = `htmx: <div class="hc-alert" data-variant="error" role="status">…</div> with a button that submits the same values as a new entry`
		r := g.origin.route("/")
		f := g.visitor(t).render(r)
		f.submit(htmx)
		fragment := f.set("amount", "2").submit(htmx).must(why, wants{status: 422, outcome: "mismatch", has: []string{`<div class="hc-alert" data-variant="error" role="status">`, "<button"}})
		keys := keyPattern.FindAllString(string(fragment.body), -1)
		if len(keys) == 0 {
			t.Fatalf("no fresh key in %s\n\t(%s)", fragment.body, why)
		}
		for _, key := range keys {
			if key == f.key() {
				t.Errorf("the fragment has the spent key\n\t(the way on: a fresh key)")
			}
		}
		f.set("amount", "2").set("idempotency_key", keys[0]).submit(htmx).must(why, wants{status: 200, outcome: "created", has: []string{"Order 1002"}})
	})
	t.Run("files", func(t *testing.T) {
		t.Parallel()
		const why = "Files cannot be carried, and values that are not UTF-8 are not: the page says so and points back."
		r := g.origin.route("/")
		f := g.visitor(t).render(r).attach("scan", "scan.png", "image/png", "\x89PNG")
		f.upload(browser, "b")
		page := f.set("amount", "2").upload(browser, "b").must(why, wants{status: 422, outcome: "mismatch"})
		if !strings.Contains(strings.ToLower(string(page.body)), "file") {
			t.Errorf("the page says nothing of the file\n\t(%s)\n%s", why, page.body)
		}
	})
	t.Run("not UTF-8", func(t *testing.T) {
		t.Parallel()
		const why = "Files cannot be carried, and values that are not UTF-8 are not: the page says so and points back."
		r := g.origin.route("/")
		f := g.visitor(t).render(r)
		f.submit(browser)
		page := f.set("amount", "caf\xe9").submit(browser).must(why, wants{status: 422, outcome: "mismatch", has: []string{"not UTF-8"}})
		for _, form := range f.v.formsIn(page.body) {
			form.submit(browser)
		}
		r.mustRun(t, "nothing is offered that would send other values", 1)
	})
	t.Run("not for other sites", func(t *testing.T) {
		t.Parallel()
		const why = "Submitted values and controls that send again appear only for same-origin requests (Sec-Fetch-Site or Origin)."
		r := g.origin.route("/")
		f := g.visitor(t).render(r)
		f.submit(browser)
		f.set("amount", "sent-value").submit(bare).must(why, wants{status: 422, outcome: "mismatch", hasNot: []string{"sent-value", "<form", "<button", "ik_"}})
		f.set("amount", "sent-value").submit(mode(browser).with("Sec-Fetch-Site", "same-site", "Origin", "http://other.example")).
			must(why, wants{status: 422, outcome: "mismatch", hasNot: []string{"sent-value", "<form", "ik_"}})
	})
}

func TestAnswersOfTheGuardAreCompletePages(t *testing.T) {
	g := shared(t)
	const why = "Every answer of the guard itself has these three forms, in English and Japanese by Accept-Language, with a stable type"
	r := g.origin.route("/")
	f := g.visitor(t).render(r)
	f.submit(browser)
	other := f.set("amount", "2")
	forged := f.set("idempotency_key", "ik_forged")
	for name, send := range map[string]func(m mode, lang string) *reply{
		"mismatch":   func(m mode, lang string) *reply { return other.submit(m, "Accept-Language", lang) },
		"forged-key": func(m mode, lang string) *reply { return forged.submit(m, "Accept-Language", lang) },
	} {
		t.Run(name, func(t *testing.T) {
			v := f.v.inTest(t)
			other, forged = other.as(v), forged.as(v)
			en, ja := send(browser, "en-GB,en;q=0.9"), send(browser, "ja,en;q=0.8")
			for lang, page := range map[string]*reply{"en": en, "ja": ja} {
				page.must(why, wants{has: []string{"<!doctype html", `<html lang="` + lang + `"`, "<title>", `role="status"`, "<h1"}})
				if ct := page.header.Get("Content-Type"); !strings.HasPrefix(ct, "text/html") || !strings.Contains(strings.ToLower(ct), "utf-8") {
					t.Errorf("Content-Type = %q; want text/html in UTF-8", ct)
				}
				if cc := page.header.Get("Cache-Control"); !strings.Contains(cc, "no-store") {
					t.Errorf("Cache-Control = %q; want no-store", cc)
				}
				if _, err := html.Parse(strings.NewReader(string(page.body))); err != nil {
					t.Error(err)
				}
			}
			if !strings.ContainsAny(string(ja.body), "のはをに") || strings.ContainsAny(string(en.body), "のはをに") {
				t.Errorf("the two languages are\n%s\n%s\n\t(%s)", en.body, ja.body, why)
			}
			if fragment := send(htmx, "ja"); !strings.ContainsAny(string(fragment.body), "のはをに") {
				t.Errorf("fragment = %s; want Japanese\n\t(%s)", fragment.body, why)
			}
			p := send(asJSON, "ja").problem()
			if p.Type != "urn:singleshot:"+name || p.Status == 0 || p.Title == "" {
				t.Errorf("problem = %+v; want type, title and status\n\t(%s)", p, why)
			}
		})
	}
}
