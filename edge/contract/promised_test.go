//go:build unix && promised

package contract_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"
)

// What the contract promises and the guard does not keep yet. `go test -tags promised ./edge/contract/` runs it
// with all the rest; a test that passes moves to the file of its section.

func TestTwentyMismatchesAndNoMore(t *testing.T) {
	g := shared(t)
	const why = "Bounds, per record over its time: 64 waiters at once and 20 mismatches, then 503 and 429"
	r := g.origin.route("/")
	f := g.visitor(t).render(r)
	first := f.submit(htmx)
	for range 20 {
		f.set("amount", "2").submit(htmx).must(why, wants{status: 422, outcome: "mismatch"})
	}
	f.set("amount", "2").submit(asJSON).must(why, wants{status: 429, problem: "busy"})
	f.submit(htmx).must("seen key, same fingerprint", wants{outcome: "replayed", replay: true}).same(why, first)
	r.mustRun(t, why, 1)
}

func TestStripTakesTheKeyOutOfTheBody(t *testing.T) {
	g := shared(t)
	const why = "Rule strip = true takes the key field out of the body (for origins that refuse unknown fields)."
	t.Run("urlencoded", func(t *testing.T) {
		t.Parallel()
		r := g.origin.route("/strip/")
		f := g.visitor(t).render(r).add("note", "a b&c")
		f.submit(browser).must(why, wants{outcome: "created"})
		if got, want := string(r.got()[0].body), f.without("idempotency_key").urlencoded(); got != want {
			t.Errorf("body = %q; want %q\n\t(%s)", got, want, why)
		}
		f.submit(browser).must(why, wants{outcome: "replayed", replay: true})
	})
	t.Run("multipart", func(t *testing.T) {
		t.Parallel()
		r := g.origin.route("/strip/")
		f := g.visitor(t).render(r).attach("scan", "a.bin", "image/png", "\x00\xff\r\n--b")
		f.upload(browser, "bound").must(why, wants{outcome: "created"})
		if got, want := r.got()[0].body, f.without("idempotency_key").multipart("bound"); !bytes.Equal(got, want) {
			t.Errorf("body = %q; want %q\n\t(%s)", got, want, why)
		}
	})
	t.Run("a large upload", func(t *testing.T) {
		t.Parallel()
		r := g.origin.route("/strip/")
		f := g.visitor(t).render(r)
		f.v.send(uploadOf(f, 3<<20, 1, false)).must(why, wants{status: 200, outcome: "created"})
		want, _ := io.ReadAll(uploadOf(f.without("idempotency_key"), 3<<20, 1, false).stream)
		if got := r.got()[0].body; !bytes.Equal(got, want) {
			t.Errorf("the origin got %d bytes; want the %d without the key\n\t(%s)", len(got), len(want), why)
		}
	})
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
	mark := g.log.mark()
	f.submit(browser).must(why, wants{outcome: "created"})
	if _, err := g.log.wait(mark, regexp.MustCompile("subject-unstable"), 5*time.Second); err != nil {
		t.Errorf("%v\n\t(%s)", err, why)
	}
}

func TestTheTrailOfAKey(t *testing.T) {
	g := shared(t)
	const why = "GET /_singleshot/keys/<key or digest> as page or JSON, by bearer or Basic password SINGLESHOT_ADMIN (404 while that is unset, 401 else)"
	r := g.origin.route("/", answer(422, "no"), order)
	v := g.visitor(t)
	f := v.render(r)
	f.set("item", "typed-value").submit(htmx)
	f.set("item", "typed-value").submit(htmx)
	f.set("item", "typed-value").submit(htmx).must("replay", wants{outcome: "replayed", replay: true})
	f.set("item", "other-value").submit(htmx).must("mismatch", wants{status: 422, outcome: "mismatch"})
	path := "/_singleshot/keys/" + f.key()
	admin := g.visitor(t)
	ask := func(method string, headers ...string) *reply {
		return admin.send(request{method: method, path: path, header: headers})
	}
	ask("GET", "Accept", "application/json").must(why, wants{status: 401, problem: "unauthorized"})
	ask("GET", "Authorization", "Bearer wrong").must(why, wants{status: 401})
	ask("DELETE", "Authorization", "Bearer wrong").must(why, wants{status: 401})
	got := ask("GET", "Accept", "application/json", "Authorization", "Bearer "+adminSecret).
		must(why, wants{status: 200, hasNot: []string{"typed-value", "other-value", f.key()}})
	if !json.Valid(got.body) {
		t.Errorf("trail = %s; want JSON", cut(got.body))
	}
	for _, event := range []string{"claim", "release", "commit", "replay", "mismatch"} {
		if !strings.Contains(strings.ToLower(string(got.body)), event) {
			t.Errorf("trail = %s; want %q in it\n\t(what happened (claim, waits, replays, mismatches, takeovers, commit, release))", cut(got.body), event)
		}
	}
	q, err := http.NewRequest("GET", "/", nil)
	if err != nil {
		t.Fatal(err)
	}
	q.SetBasicAuth("admin", adminSecret)
	ask("GET", "Accept", "text/html", "Authorization", q.Header.Get("Authorization")).must(why, wants{status: 200, has: []string{"<!doctype html"}, hasNot: []string{"typed-value"}})
	const forget = "DELETE forgets a record."
	if got := ask("DELETE", "Authorization", "Bearer "+adminSecret); got.status/100 != 2 {
		t.Errorf("DELETE = %d %s; want 2xx\n\t(%s)", got.status, cut(got.body), forget)
	}
	f.submit(htmx).must(forget, wants{status: 200, outcome: "created", has: []string{"Order 1003"}})
}

func TestUnderTheGuardsOwnPath(t *testing.T) {
	g := shared(t)
	const why = "not-found 404, unauthorized 401 under /_singleshot/"
	v := g.visitor(t)
	v.send(request{method: "GET", path: "/_singleshot/nothing", mode: asJSON}).must(why, wants{status: 404, problem: "not-found"})
	v.send(request{method: "GET", path: "/_singleshot/keys/ik_x", mode: asJSON}).must(why, wants{status: 401, problem: "unauthorized"})
}

func TestAVeryLongForgedKeyIs403(t *testing.T) {
	g := shared(t)
	const why = "ik_… that fails its MAC or is malformed: 403, origin not called, no storage touched"
	r := g.origin.route("/")
	g.visitor(t).render(r).set("idempotency_key", "ik_"+strings.Repeat("A", 5000)).submit(asJSON).
		must(why, wants{status: 403, outcome: "refused", problem: "forged-key"})
	r.mustRun(t, why, 0)
}
