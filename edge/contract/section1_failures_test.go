//go:build unix

package contract_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestABrokenConnectionToTheOriginIsUnknownAtOnce(t *testing.T) {
	g := shared(t)
	const why = "if the connection to the origin breaks after the request was sent, or its answer ends early, it is unknown at once (502)"
	for _, c := range []struct {
		name   string
		script script
	}{{"no answer", dropped}, {"half an answer", halved}, {"half an answer, chunked", halvedChunks}, {"no status of HTTP", odd}} {
		t.Run(c.name+", retry", func(t *testing.T) {
			t.Parallel()
			r := g.origin.route("/", c.script, order)
			f := g.visitor(t).render(r)
			f.submit(browser).must(why, wants{status: 502, outcome: "unknown"})
			second := f.submit(browser).must("Rule unknown: retry (default): the next submit runs, with the same Idempotency-Key",
				wants{status: 200, outcome: "created", has: []string{"Order 1002"}})
			f.submit(browser).must("seen key, same fingerprint", wants{outcome: "replayed", replay: true}).same(why, second)
			attempts(t, r, "1", "2")
		})
		t.Run(c.name+", hold", func(t *testing.T) {
			t.Parallel()
			r := g.origin.route("/hold/", c.script, order)
			f := g.visitor(t).render(r)
			f.submit(browser).must(why, wants{status: 502, outcome: "unknown"})
			const hold = "hold: 409 unknown that says so, until the record's time is over or somebody forgets it"
			f.submit(browser).must(hold, wants{status: 409, outcome: "unknown", has: []string{"<!doctype html"}})
			f.submit(asJSON).must(hold, wants{status: 409, outcome: "unknown", problem: "unknown"})
			time.Sleep(2500 * time.Millisecond) // the rule's lease
			f.submit(htmx).must(hold, wants{status: 409, outcome: "unknown"})
			r.mustRun(t, hold, 1)
		})
		t.Run(c.name+", problem+json", func(t *testing.T) {
			t.Parallel()
			r := g.origin.route("/", c.script, order)
			g.visitor(t).render(r).submit(asJSON).must(why, wants{status: 502, outcome: "unknown", problem: "origin"})
		})
	}
}

func TestAnAnswerCutInItsCompressionIsUnknown(t *testing.T) {
	g := shared(t)
	const why = "or its answer ends early, it is unknown at once (502)"
	r := g.origin.route("/", halvedGzip, order)
	f := g.visitor(t).render(r)
	f.submit(browser, "Accept-Encoding", "gzip").must(why, wants{status: 502, outcome: "unknown"})
	f.submit(browser).must(why, wants{status: 200, outcome: "created"})
	attempts(t, r, "1", "2")
}

func TestUnderHoldAGatewaysTimeoutIsUnknown(t *testing.T) {
	g := shared(t)
	const why = "under hold an answer 502, 504, 520, 522 or 524 is unknown too (the visitor gets it as it is)"
	for _, status := range []int{502, 504, 520, 522, 524} {
		t.Run(itoa(status), func(t *testing.T) {
			t.Parallel()
			r := g.origin.route("/hold/", answer(status, "<p>the gateway's own page</p>"), order)
			f := g.visitor(t).render(r)
			f.submit(browser).must(why, wants{status: status, outcome: "unknown", body: "<p>the gateway's own page</p>"})
			f.submit(browser).must("hold: 409 unknown", wants{status: 409, outcome: "unknown"})
			r.mustRun(t, why, 1)
		})
	}
	for _, status := range []int{500, 503} {
		t.Run(itoa(status), func(t *testing.T) {
			t.Parallel()
			r := g.origin.route("/hold/", answer(status, "<p>no</p>"), order)
			f := g.visitor(t).render(r)
			f.submit(browser).must("Release: … every 5xx", wants{status: status, outcome: "released"})
			f.submit(browser).must("Release: … every 5xx", wants{status: 200, outcome: "created"})
		})
	}
}

func TestWaitersOfABrokenConnectionDoNotRunAtOnce(t *testing.T) {
	g := shared(t)
	open := newGate(t)
	r := g.origin.route("/hold/", held(open.c, dropped), order)
	f := g.visitor(t).render(r)
	first := f.submitting(browser)
	r.await(t, 1)
	second := f.submitting(browser).onItsWay()
	second.unanswered(whyWaits, grace)
	open.open()
	first.ended().must("it is unknown at once (502)", wants{status: 502, outcome: "unknown"})
	second.ended().must("waits and gets what the first gets", wants{outcome: "unknown"})
	r.mustRun(t, "nobody runs again under hold", 1)
}

func aConnectionThatWasNeverMadeIsARelease(t *testing.T) {
	g := own(t, config{})
	const why = "A connection that was never made is a release (502)."
	r := g.origin.route("/")
	f := g.visitor(t).render(r)
	held := g.origin.route("/hold/")
	h := g.visitor(t).render(held)
	l := g.visitor(t).render(g.origin.route("/"))
	g.origin.close()
	f.submit(browser).must(why, wants{status: 502, outcome: "released", has: []string{"<!doctype html"}})
	f.submit(asJSON).must(why, wants{status: 502, outcome: "released", problem: "origin"})
	h.submit(htmx).must(why, wants{status: 502, outcome: "released"})
	// The client that still sends when its answer is there would lose it with the connection: this one waits.
	answered := make(chan struct{})
	upload := uploadOf(l, 3<<20, 1, false)
	upload.stream = io.MultiReader(io.LimitReader(upload.stream, 2<<20), after(answered))
	l.v.send(upload).must(why+" A large upload too.", wants{status: 502, outcome: "released"})
	close(answered)
	g.origin.reopen(t)
	l.v.send(uploadOf(l, 3<<20, 1, false)).must("nothing is lost and the key stays live", wants{status: 200, outcome: "created"})
	f.submit(browser).must("nothing is lost and the key stays live", wants{status: 200, outcome: "created"})
	h.submit(htmx).must(why+" Under hold too.", wants{status: 200, outcome: "created"})
	r.mustRun(t, why, 1)
}

func theGuardMayRestartBetweenFirstAndDuplicate(t *testing.T) {
	g := own(t, config{})
	const why = "Once an answer is committed, the origin does not run again for that record"
	small, redirect := g.origin.route("/"), g.origin.route("/", answer(303, "", "Location", "/orders/1001"))
	large := g.origin.route("/", answer(200, strings.Repeat("<p>a long receipt</p>\n", 80_000)))
	live := g.origin.route("/", answer(422, "<p>Not a number</p>"), order)
	v := g.visitor(t)
	fs, fr, fl, fv := v.render(small), v.render(redirect), v.render(large), v.render(live)
	unused := v.render(g.origin.route("/"))
	s1, r1, l1 := fs.submit(htmx), fr.submit(browser), fl.submit(browser)
	for _, first := range []*reply{s1, r1, l1} {
		first.must("fresh key", wants{outcome: "created"})
	}
	fv.submit(htmx).must("422 validation", wants{status: 422, outcome: "released"})
	g.restart(t)
	fs.submit(htmx).must(why, wants{outcome: "replayed", replay: true}).same(why, s1)
	fr.submit(browser).must(why, wants{outcome: "replayed", replay: true}).same(why, r1)
	fl.submit(browser).must(why, wants{outcome: "replayed", replay: true}).same(why, l1)
	fs.set("amount", "2").submit(htmx).must("seen key, other fingerprint", wants{status: 422, outcome: "mismatch"})
	fv.submit(htmx).must("the corrected resubmit of the same form commits", wants{status: 200, outcome: "created"})
	unused.submit(htmx).must("a key rendered before the restart is a fresh key", wants{status: 200, outcome: "created"})
	small.mustRun(t, why, 1)
	redirect.mustRun(t, why, 1)
	large.mustRun(t, why, 1)
	attempts(t, live, "1", "2")
}

func whenTheHolderDiesTheNextSubmitTakesOver(t *testing.T) {
	g := own(t, config{})
	const why = "If the holder dies, the outcome is unknown when the lease ends"
	open := newGate(t)
	retry := g.origin.route("/short-lease/", held(open.c, order), order)
	hold := g.origin.route("/hold/", held(open.c, order), order)
	v := g.visitor(t)
	f, h := v.render(retry), v.render(hold)
	f.submitting(htmx)
	h.submitting(htmx)
	retry.await(t, 1)
	hold.await(t, 1)
	g.restart(t)
	second := f.submit(htmx).must("Rule unknown: retry (default): the next submit runs, with the same Idempotency-Key",
		wants{status: 200, outcome: "created", has: []string{"Order 1002"}})
	f.submit(htmx).must("seen key, same fingerprint", wants{outcome: "replayed", replay: true}).same(why, second)
	attempts(t, retry, "1", "2")
	h.submit(htmx).must("hold: 409 unknown that says so", wants{status: 409, outcome: "unknown"})
	hold.mustRun(t, "hold: 409 unknown that says so", 1)
}

func TestAnAnswerTooLargeToKeepIsATombstone(t *testing.T) {
	g := shared(t)
	const why = "tombstone: duplicates get the status, the headers and a short \"already done\" body"
	body := strings.Repeat("<p>row</p>", 1000)
	t.Run("page", func(t *testing.T) {
		t.Parallel()
		r := g.origin.route("/little-kept/", answer(201, body, "HX-Trigger", "placed", "Content-Language", "en"))
		f := g.visitor(t).render(r)
		f.submit(browser).must("the origin's own answer", wants{status: 201, outcome: "created", body: body})
		for range 2 {
			f.submit(browser).must(why, wants{status: 201, outcome: "replayed", replay: true, hasNot: []string{"<p>row</p>"},
				header: []string{"HX-Trigger", "placed"}})
		}
		f.set("amount", "2").submit(browser).must("seen key, other fingerprint", wants{status: 422, outcome: "mismatch"})
		r.mustRun(t, "Once an answer is committed, the origin does not run again for that record, also when the answer is too large to keep", 1)
	})
	t.Run("no Content-Length", func(t *testing.T) {
		t.Parallel()
		r := g.origin.route("/little-kept/", func(x *turn) {
			x.Header().Set("Content-Type", "text/html")
			for range 10 {
				x.Write([]byte(strings.Repeat("<p>row</p>", 100)))
			}
		})
		f := g.visitor(t).render(r)
		f.submit(htmx).must("the origin's own answer", wants{status: 200, outcome: "created", body: body})
		f.submit(htmx).must(why, wants{status: 200, outcome: "replayed", replay: true, hasNot: []string{"<p>row</p>"}})
		r.mustRun(t, why, 1)
	})
	t.Run("not a byte is lost on the way", func(t *testing.T) {
		t.Parallel()
		const why = "the visitor's bytes are the origin's bytes (I10), and forms behind what can be kept get their keys too"
		var page strings.Builder
		for i := range 3000 {
			fmt.Fprintf(&page, "<p>%04d</p>", i)
		}
		page.WriteString(`<form method="post" action="/next"><button>Next</button></form>`)
		for _, headers := range [][]string{nil, {"Cache-Control", "max-age=60"}} {
			r := g.origin.route("/little-kept/", answer(200, page.String(), headers...))
			got := g.visitor(t).render(r).submit(browser).must(why, wants{status: 200, outcome: "created", header: []string{"Cache-Control", "private, no-cache"}})
			if strings.Count(unkeyed(got.body), keyInput) != 1 {
				t.Errorf("page ends in %q; want one key in its form\n\t(%s)", cut(got.body), why)
			}
			if plain := strings.ReplaceAll(unkeyed(got.body), keyInput, ""); plain != page.String() {
				t.Errorf("page has %d bytes without its key; want the origin's %d\n\t(%s)", len(plain), page.Len(), why)
			}
		}
	})
	t.Run("an attachment beyond is released", func(t *testing.T) {
		t.Parallel()
		r := g.origin.route("/little-kept/", answer(200, body, "Content-Type", "text/csv", "Content-Disposition", "attachment; filename=a.csv"))
		f := g.visitor(t).render(r)
		f.submit(browser).must("an attachment beyond: released", wants{status: 200, outcome: "released", body: body})
		f.submit(browser).must("an attachment beyond: released", wants{status: 200, outcome: "released", body: body})
		r.mustRun(t, "an attachment beyond: released", 2)
	})
}

// hungUp answers and closes with the request unread, which resets the connection.
func hungUp(t *turn) {
	raw(t, "HTTP/1.1 413 Content Too Large\r\nContent-Type: text/html\r\nContent-Length: 27\r\nConnection: close\r\n\r\n<p>Too large for us, go</p>")
}

// refusedEarly answers before it reads the upload, and then reads on, as RFC 9112 §9.6 asks: who closes at once, or after
// half a second as Go's server does, takes the answer away from those who are slower.
func refusedEarly(t *turn) {
	c := http.NewResponseController(t.ResponseWriter)
	if err := c.EnableFullDuplex(); err != nil {
		panic(err)
	}
	t.Header().Set("Content-Type", "text/html")
	t.Header().Set("Content-Length", "23")
	t.WriteHeader(http.StatusRequestEntityTooLarge)
	io.WriteString(t, "<p>Too large for us</p>")
	if err := c.Flush(); err != nil {
		panic(err)
	}
	io.Copy(io.Discard, t.request.Body)
}

func TestAnOriginThatAnswersBeforeItHasReadAnUpload(t *testing.T) {
	g := shared(t)
	const why = "every 4xx is a release, and the origin's own answer, also where it did not wait for the end of the body"
	upload := func(f *form, size int64) request {
		q := uploadOf(f, size, 1, false)
		q.insist = true // the guard may have answered, and closed, before the visitor has sent it all
		return q
	}
	for _, size := range []int64{2 << 20, 3 << 20} { // of more, the proxy before a Worker in wrangler dev loses answers
		t.Run(itoa(int(size>>20))+" MiB", func(t *testing.T) {
			t.Parallel()
			r := g.origin.route("/", refusedEarly, order)
			r.early = true
			f := g.visitor(t).render(r)
			f.v.send(upload(f, size)).must(why, wants{status: 413, outcome: "released", body: "<p>Too large for us</p>"})
			f.submit(browser).must("the corrected resubmit of the same form commits", wants{status: 200, outcome: "created"})
			r.mustRun(t, why, 2)
			if subject != "guard" {
				return // the handler reads the upload itself, and there is no connection that could be reset
			}
			// One that hangs up at once takes its own answer away, at least in part, and what the guard says of that is lost
			// in the proxy of wrangler dev now and then. The record is what counts: nothing but that answer is lost.
			rude := g.origin.route("/hold/", hungUp, order)
			rude.early = true
			f = g.visitor(t).render(rude)
			first, second := f.v.send(upload(f, size)), f.submit(browser)
			if first.status == 413 {
				first.must(why, wants{outcome: "released"})
			}
			if first.status == 413 || second.status == 200 {
				second.must("the corrected resubmit of the same form commits", wants{status: 200, outcome: "created"})
				rude.mustRun(t, why, 2)
			} else {
				second.must("A connection that breaks: unknown, and held", wants{status: 409, outcome: "unknown"})
				rude.mustRun(t, why, 1)
			}
		})
	}
}
