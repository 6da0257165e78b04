//go:build unix

package contract_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestReplayKeepsTheHeadersThatMatter(t *testing.T) {
	g := shared(t)
	const why = "status; body bytes as they went out …; Content-Type, Content-Language, Content-Disposition, Location, HX-*, Link, ETag, the page's security headers …, and names in the rule's replay_headers"
	keptHeaders := []string{
		"Content-Type", "text/html; charset=utf-8",
		"Content-Language", "ja",
		"Location", "/orders/1001",
		"HX-Trigger", `{"toast":"注文しました, とても"}`,
		"HX-Trigger-After-Swap", "swapped",
		"HX-Trigger-After-Settle", "settled",
		"HX-Push-Url", "/orders/1001",
		"HX-Retarget", "#order-result",
		"HX-Reswap", "outerHTML",
		"HX-Reselect", "#x",
		"HX-Refresh", "false",
		"Link", `</a.css>; rel=preload; as=style, </b.css>; rel=preload`,
		"ETag", `"v1"`,
		"Content-Security-Policy", "default-src 'self', script-src 'none'",
		"X-Content-Type-Options", "nosniff",
		"X-Frame-Options", "DENY",
		"Referrer-Policy", "same-origin",
		"Permissions-Policy", "camera=(), geolocation=()",
		"Cross-Origin-Opener-Policy", "same-origin",
		"Cross-Origin-Resource-Policy", "same-origin",
	}
	gone := []string{"X-Request-Id", "req-1", "Age", "7", "Server-Timing", "db;dur=53", "X-Other", "1", "Vary", "Accept"}
	strip := func(h []string) []string { // as the suite's client sees them: one line each
		var out []string
		for i := 0; i < len(h); i += 2 {
			if h[i] != "HX-Trigger" { // not ASCII on the way: compared as bytes below
				out = append(out, h[i], h[i+1])
			}
		}
		return out
	}
	t.Run("kept", func(t *testing.T) {
		t.Parallel()
		r := g.origin.route("/", answer(201, "<p>Order %d</p>", append(keptHeaders, gone...)...))
		f := g.visitor(t).render(r)
		first := f.submit(htmx).must("the origin's own answer", wants{status: 201, outcome: "created", header: []string{"X-Other", "1", "X-Request-Id", "req-1"}})
		f.submit(htmx).must(why, wants{status: 201, outcome: "replayed", replay: true, header: strip(keptHeaders)}).same(why, first).
			must("Never hop-by-hop, Date, Age, Server-Timing", wants{replay: true, header: []string{"Age", "", "Server-Timing", "", "X-Other", "", "X-Request-Id", ""}})
		r.mustRun(t, why, 1)
	})
	t.Run("replay_headers", func(t *testing.T) {
		t.Parallel()
		r := g.origin.route("/tuned/", answer(201, "<p>Order %d</p>", append([]string{"Set-Cookie", "a=1; Path=/"}, gone...)...))
		f := g.visitor(t).render(r)
		f.submit(htmx)
		f.submit(htmx).must("and names in the rule's replay_headers", wants{outcome: "replayed", replay: true, header: []string{"X-Request-Id", "req-1", "X-Other", ""}})
	})
}

func TestReplayIsByteExact(t *testing.T) {
	g := shared(t)
	const why = "same body bytes"
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	for _, c := range []struct {
		name, media, body string
	}{
		{"every byte", "application/octet-stream", string(all)},
		{"latin-1 html", "text/html; charset=iso-8859-1", "<p>caf\xe9</p>"},
		{"Shift_JIS html", "text/html; charset=Shift_JIS", "<p>\x92\x8d\x95\xb6</p>"},
		{"a form in the answer", "text/html", `<form method="post" action="/next"><input name="a"></form>`},
		{"nothing", "text/plain", ""},
		{"Japanese JSON", "application/json", `{"message":"注文"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := g.origin.route("/", answer(200, c.body, "Content-Type", c.media))
			f := g.visitor(t).render(r)
			first := f.submit(htmx).must(why, wants{status: 200, outcome: "created"})
			if c.name != "a form in the answer" && string(first.body) != c.body {
				t.Errorf("first body = %q; want the origin's %q\n\t(%s)", first.body, c.body, why)
			}
			f.submit(htmx).must(why, wants{outcome: "replayed", replay: true}).same("body bytes as they went out (keys injected included)", first)
			r.mustRun(t, why, 1)
		})
	}
}

func TestContentEncodingIsUndoneFirst(t *testing.T) {
	g := shared(t)
	const why = "Content-Encoding is undone first."
	plain := strings.Repeat("<p>Order 1001</p>", 200)
	r := g.origin.route("/", func(x *turn) {
		x.Header().Set("Content-Type", "text/html; charset=utf-8")
		x.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(x)
		io.WriteString(z, plain)
		z.Close()
	})
	f := g.visitor(t).render(r)
	f.submit(htmx, "Accept-Encoding", "gzip, br")
	second := f.submit(htmx) // a client that accepts no encoding
	second.must(why, wants{status: 200, outcome: "replayed", replay: true, body: plain})
	third := f.submit(htmx, "Accept-Encoding", "gzip").must(why, wants{status: 200, outcome: "replayed", replay: true})
	if third.header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(bytes.NewReader(third.body))
		if err != nil {
			t.Fatalf("gzip replay: %v", err)
		}
		third.body, _ = io.ReadAll(z)
	}
	if string(third.body) != plain {
		t.Errorf("replay for gzip = %q; want the page", cut(third.body))
	}
	r.mustRun(t, why, 1)
}

func TestSetCookieOfAReplay(t *testing.T) {
	g := shared(t)
	const why = "Set-Cookie goes only with replays to the same visitor within wait seconds of the commit (the browser threw the first answer away); later never, unless named."
	script := func(x *turn) {
		x.Header().Add("Set-Cookie", "sid=s%1; Path=/; Expires=Wed, 09 Jun 2027 10:18:14 GMT; HttpOnly")
		x.Header().Add("Set-Cookie", "cart=empty; Path=/")
		order(x)
	}
	want := []string{"sid=s%1; Path=/; Expires=Wed, 09 Jun 2027 10:18:14 GMT; HttpOnly", "cart=empty; Path=/"}
	cookies := func(r *reply) string {
		var own []string
		for _, c := range r.header.Values("Set-Cookie") {
			if !strings.Contains(c, "singleshot=") {
				own = append(own, c)
			}
		}
		return strings.Join(own, " | ")
	}
	expect := func(t *testing.T, r *reply, want string) {
		t.Helper()
		if got := cookies(r); got != want {
			t.Errorf("Set-Cookie = %q; want %q\n\t(%s)", got, want, why)
		}
	}
	t.Run("at once, then later", func(t *testing.T) {
		t.Parallel()
		r := g.origin.route("/impatient/", script) // wait = 1
		f := g.visitor(t).render(r)
		expect(t, f.submit(browser).must(why, wants{outcome: "created"}), strings.Join(want, " | "))
		expect(t, f.submit(browser).must(why, wants{outcome: "replayed", replay: true}), strings.Join(want, " | "))
		time.Sleep(2100 * time.Millisecond)
		expect(t, f.submit(browser).must(why, wants{outcome: "replayed", replay: true}), "")
	})
	t.Run("named", func(t *testing.T) {
		t.Parallel()
		r := g.origin.route("/tuned/", script)
		f := g.visitor(t).render(r)
		expect(t, f.submit(browser), strings.Join(want, " | "))
		expect(t, f.submit(browser).must(why, wants{outcome: "replayed", replay: true}), strings.Join(want, " | "))
	})
	t.Run("to who waited", func(t *testing.T) {
		t.Parallel()
		open := newGate(t)
		r := g.origin.route("/", held(open.c, script))
		f := g.visitor(t).render(r)
		first := f.submitting(browser)
		r.await(t, 1)
		second := f.submitting(browser).onItsWay()
		first.cancel()
		open.open()
		expect(t, second.ended().must(why, wants{status: 200, outcome: "replayed", replay: true}), strings.Join(want, " | "))
	})
	t.Run("not to API clients", func(t *testing.T) {
		t.Parallel()
		r := g.origin.route("/everybody/", script)
		v := g.visitor(t)
		f := v.render(r)
		f.submit(browser).must(why, wants{outcome: "created"})
		other := f.as(g.visitor(t)).submit(browser)
		if other.header.Get("Idempotency-Replayed") == "true" {
			expect(t, other, "")
		}
	})
}

func TestEveryGuardedAnswerHasItsStatus(t *testing.T) {
	g := shared(t)
	const why = "every guarded answer has Idempotency-Status: created, replayed, released, mismatch, running, unknown, refused"
	r := g.origin.route("/", answer(422, "no"), order)
	f := g.visitor(t).render(r)
	f.submit(htmx).must(why, wants{outcome: "released"})
	f.submit(htmx).must(why, wants{outcome: "created"})
	f.submit(htmx).must(why, wants{outcome: "replayed", replay: true})
	f.set("amount", "9").submit(htmx).must(why, wants{outcome: "mismatch"})
	f.set("idempotency_key", "ik_x").submit(htmx).must(why, wants{outcome: "refused"})
	g.visitor(t).get(r.path).must("a page is no guarded answer", wants{outcome: "-"})
}

func TestCrossModeReplay(t *testing.T) {
	g := shared(t)
	const why = "an answer given to htmx and replayed to a plain POST, and the other way round, still works"
	t.Run("303 to htmx", func(t *testing.T) {
		t.Parallel()
		r := g.origin.route("/", answer(303, "", "Location", "/orders/1001"))
		f := g.visitor(t).render(r)
		f.submit(browser).must(why, wants{status: 303, outcome: "created"})
		got := f.submit(htmx).must("303 Location and HX-Redirect translate into each other", wants{outcome: "replayed", replay: true, header: []string{"HX-Redirect", "/orders/1001"}})
		if got.status != 200 && got.status != 204 {
			t.Errorf("status = %d; want 200 or 204: scripts never see the headers of a redirect", got.status)
		}
		r.mustRun(t, why, 1)
	})
	t.Run("HX-Redirect to a plain POST", func(t *testing.T) {
		t.Parallel()
		r := g.origin.route("/", answer(204, "", "HX-Redirect", "/orders/1001"))
		f := g.visitor(t).render(r)
		f.submit(htmx).must(why, wants{status: 204, outcome: "created"})
		f.submit(browser).must("303 Location and HX-Redirect translate into each other", wants{status: 303, outcome: "replayed", replay: true, header: []string{"Location", "/orders/1001"}})
		r.mustRun(t, why, 1)
	})
	t.Run("HX-Location to a plain POST", func(t *testing.T) {
		t.Parallel()
		r := g.origin.route("/", answer(204, "", "HX-Location", `{"path":"/orders/1001","target":"#main"}`))
		f := g.visitor(t).render(r)
		f.submit(htmx).must(why, wants{status: 204, outcome: "created"})
		got := f.submit(browser).must(why, wants{outcome: "replayed", replay: true})
		if got.status != 303 && len(got.body) == 0 {
			t.Errorf("replay = %d with an empty body; want a place to go or the short page\n\t(%s)", got.status, why)
		}
	})
	t.Run("a place that is not http", func(t *testing.T) {
		t.Parallel()
		r := g.origin.route("/", answer(204, "", "HX-Redirect", "javascript:alert(1)"))
		f := g.visitor(t).render(r)
		f.submit(htmx)
		f.submit(browser).must("(http and https only)", wants{outcome: "replayed", replay: true, header: []string{"Location", ""}, hasNot: []string{"javascript:"}})
	})
	t.Run("a fragment to a plain POST", func(t *testing.T) {
		t.Parallel()
		r := g.origin.route("/")
		f := g.visitor(t).render(r)
		first := f.submit(htmx).must(why, wants{status: 200, outcome: "created"})
		f.submit(browser).must("a fragment is wrapped into a small page", wants{status: 200, outcome: "replayed", replay: true, has: []string{"<!doctype html", string(first.body)}})
		r.mustRun(t, why, 1)
	})
	t.Run("204 without a place to a plain POST", func(t *testing.T) {
		t.Parallel()
		r := g.origin.route("/", answer(204, "", "HX-Trigger", "saved"))
		f := g.visitor(t).render(r)
		f.submit(htmx).must(why, wants{status: 204, outcome: "created"})
		f.submit(browser).must(`an answer without a body or a place becomes the short "already done" page`, wants{status: 200, outcome: "replayed", replay: true, has: []string{"<!doctype html"}})
		r.mustRun(t, why, 1)
	})
	t.Run("the same mode again", func(t *testing.T) {
		t.Parallel()
		r := g.origin.route("/", answer(303, "", "Location", "/orders/1001"))
		f := g.visitor(t).render(r)
		first := f.submit(browser)
		f.submit(htmx)
		f.submit(browser).must(why, wants{status: 303, outcome: "replayed", replay: true}).same(why, first)
	})
}

func TestLargeAnswersAreReplayed(t *testing.T) {
	g := shared(t)
	const why = "an answer up to 1 MiB is in the record; a larger one, up to max_answer, is in KV before the record says so; beyond: tombstone"
	for _, size := range []int{100 << 10, 1<<20 - 5000, 1<<20 + 1, 3 << 20, 9 << 20} {
		t.Run(itoa(size), func(t *testing.T) {
			t.Parallel()
			r := g.origin.route("/", func(x *turn) {
				x.Header().Set("Content-Type", "application/pdf")
				io.Copy(x, noise(int64(size), int64(size)+int64(x.n)))
			})
			f := g.visitor(t).render(r)
			first := f.submit(browser).must("the origin's own answer", wants{status: 200, outcome: "created"})
			want, _ := io.ReadAll(noise(int64(size), int64(size)+1))
			if !bytes.Equal(first.body, want) {
				t.Errorf("first answer has %d bytes that differ from the origin's %d", len(first.body), size)
			}
			for range 2 {
				got := f.submit(browser).must(why, wants{status: 200, outcome: "replayed", replay: true})
				if !bytes.Equal(got.body, want) {
					t.Errorf("replay has %d bytes that differ from the origin's %d\n\t(%s)", len(got.body), size, why)
				}
			}
			r.mustRun(t, why, 1)
		})
	}
	t.Run("beyond max_answer", func(t *testing.T) {
		t.Parallel()
		r := g.origin.route("/", func(x *turn) {
			x.Header().Set("Content-Type", "application/pdf")
			io.Copy(x, noise(11<<20, 1))
		})
		f := g.visitor(t).render(r)
		first := f.submit(browser).must("the origin's own answer", wants{status: 200, outcome: "created"})
		if len(first.body) != 11<<20 {
			t.Errorf("first answer has %d bytes; want all 11 MiB", len(first.body))
		}
		if second := f.submit(browser).must("beyond: tombstone", wants{status: 200, outcome: "replayed", replay: true}); len(second.body) > 10_000 {
			t.Errorf("replay has %d bytes; want the short \"already done\" body", len(second.body))
		}
		r.mustRun(t, why, 1)
	})
}

func TestRetentionIsOver(t *testing.T) {
	g := shared(t)
	const why = "After the retention time the key is fresh again … retention: rule ttl, …, at least 60 s, from the commit, the same in both stores"
	r := g.origin.route("/minute/")
	f := g.visitor(t).render(r)
	const said = "Idempotency-TTL: the origin may say it"
	const held = "hold: 409 unknown that says so, until the record's time is over"
	own := g.origin.route("/", answer(200, "<p>Order %d</p>", "Idempotency-TTL", "60"))
	o := g.visitor(t).render(own)
	broken := g.origin.route("/minute-hold/", dropped, order)
	b := g.visitor(t).render(broken)
	began := time.Now()
	first := f.submit(browser).must(why, wants{outcome: "created"})
	o.submit(browser).must(said, wants{outcome: "created"})
	b.submit(browser).must(held, wants{status: 502, outcome: "unknown"})
	committed := time.Now()
	time.Sleep(time.Until(began.Add(45 * time.Second)))
	f.submit(browser).must(why, wants{outcome: "replayed", replay: true}).same(why, first)
	o.submit(browser).must(said, wants{outcome: "replayed", replay: true})
	b.submit(browser).must(held, wants{status: 409, outcome: "unknown"})
	time.Sleep(time.Until(committed.Add(63 * time.Second)))
	f.submit(browser).must(why, wants{outcome: "created", has: []string{"Order 1002"}})
	o.submit(browser).must(said, wants{outcome: "created", has: []string{"Order 1002"}})
	b.submit(browser).must(held, wants{outcome: "created", has: []string{"Order 1002"}})
	r.mustRun(t, why, 2)
}

func storesShowNothingWithoutTheSecret(t *testing.T) {
	g := own(t, config{})
	const why = "records are sealed …; KV or a Durable Object alone shows no field, no answer. Names are digests. Logs carry digests and the rule's glob, never values, paths or queries."
	const inBody, inQuery, inAnswer, inPath, inHeader = "value-of-a-field-81f2", "value-of-the-query-77ab", "text-of-the-answer-3c1d", "secret-path-9e0b", "header-value-5d5d"
	r := g.origin.at("/"+inPath+"/orders", answer(200, "<p>"+inAnswer+"</p>", "HX-Trigger", inHeader))
	big := g.origin.at("/"+inPath+"/big", answer(200, strings.Repeat("<p>"+inAnswer+"</p>", 60_000)))
	v := g.visitor(t)
	f := v.render(r).set("item", inBody)
	f.query = "?q=" + inQuery
	f.submit(htmx).must("fresh key", wants{outcome: "created"})
	f.submit(htmx).must("replay", wants{outcome: "replayed", replay: true})
	f.set("amount", inBody).submit(htmx).must("mismatch", wants{status: 422})
	b := v.render(big)
	b.submit(htmx).must("fresh key", wants{outcome: "created"})
	b.submit(htmx).must("replay", wants{outcome: "replayed", replay: true})
	log := g.log.Since(0)
	g.stop()
	needles := map[string]string{"a field": inBody, "the query": inQuery, "the answer": inAnswer, "the path": inPath, "a header": inHeader,
		"the key": f.key(), "the other key": b.key(), "the visitor cookie": v.jar.get("singleshot"), "the secret": secret}
	files := 0
	err := filepath.WalkDir(g.state, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.Contains(path, "/logs/") || strings.Contains(path, "/observability/") {
			return err // wrangler's own logs and traces are not our stores
		}
		files++
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for what, needle := range needles {
			if bytes.Contains(data, []byte(needle)) || strings.Contains(path, needle) {
				t.Errorf("%s shows %s\n\t(%s)", path, what, why)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 2 {
		t.Errorf("%d files of stored state in %s; want the Durable Object's and KV's", files, g.state)
	}
	for what, needle := range needles {
		if what != "the path" && strings.Contains(log, needle) { // wrangler itself prints paths
			t.Errorf("the log shows %s\n\t(%s)", what, why)
		}
	}
}

func TestReplayIsNotCachedByTheBrowser(t *testing.T) {
	g := shared(t)
	const why = "every replay has Cache-Control: no-store"
	r := g.origin.route("/", answer(200, "<p>Order %d</p>", "Cache-Control", "public, max-age=600"))
	f := g.visitor(t).render(r)
	f.submit(browser).must(why, wants{status: http.StatusOK, outcome: "created"})
	f.submit(browser).must(why, wants{outcome: "replayed", replay: true, header: []string{"Cache-Control", "no-store"}})
}
