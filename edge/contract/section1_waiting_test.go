//go:build unix

package contract_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"
)

// grace is how long a test watches that something does not happen, after the last event it could await.
const grace = 300 * time.Millisecond

const whyWaits = "A duplicate that arrives while the first is still running waits and gets what the first gets"

func TestTwentyParallelDuplicatesRunOnce(t *testing.T) {
	g := shared(t)
	for _, c := range []struct {
		name string
		mode mode
	}{{"htmx", htmx}, {"no JavaScript", browser}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			open := newGate(t)
			r := g.origin.route("/", held(open.c, order))
			f := g.visitor(t).render(r)
			var all []*sending
			for range 20 {
				all = append(all, f.submitting(c.mode))
			}
			for _, s := range all {
				s.onItsWay()
			}
			r.await(t, 1)
			all[7].unanswered(whyWaits, grace)
			open.open()
			created, first := 0, all[0].ended()
			for _, s := range all {
				got := first
				if s != all[0] {
					got = s.ended()
				}
				if got.header.Get("Idempotency-Status") == "created" {
					created++
					got.must(whyWaits, wants{status: 200})
				} else {
					got.must(whyWaits, wants{status: 200, outcome: "replayed", replay: true})
				}
				got.same("origin ran once, 20 equal answers", first)
			}
			if created != 1 {
				t.Errorf("%d answers are created; want 1", created)
			}
			r.mustRun(t, "at most one live lease for a record (I1)", 1)
		})
	}
}

func TestDuplicatesInLockstepWithTheFirstEndRunOnce(t *testing.T) {
	g := shared(t)
	const why = "Once an answer is committed, the origin does not run again for that record"
	for range 8 {
		r := g.origin.route("/")
		f := g.visitor(t).render(r)
		for _, got := range f.parallel(6, htmx) {
			got.must(why, wants{status: 200, body: `<p data-order-number="1001">Order 1001</p>`, replay: got.header.Get("Idempotency-Status") != "created"})
		}
		r.mustRun(t, why, 1)
	}
}

func TestWaitersShareARelease(t *testing.T) {
	g := shared(t)
	const why = "gets what the first gets, a release too: nobody runs again because somebody else failed"
	open := newGate(t)
	r := g.origin.route("/", held(open.c, answer(422, "<p>Not a number</p>")), order)
	f := g.visitor(t).render(r)
	first := f.submitting(htmx)
	r.await(t, 1)
	var waiting []*sending
	for range 5 {
		waiting = append(waiting, f.submitting(htmx).onItsWay())
	}
	waiting[4].unanswered(whyWaits, 10*grace) // who comes to wait after the release runs instead
	open.open()
	one := first.ended().must(why, wants{status: 422, outcome: "released", body: "<p>Not a number</p>"})
	for _, s := range waiting {
		s.ended().must("Who waited for a release has Idempotency-Status: released and no Idempotency-Replayed.",
			wants{status: 422, outcome: "released"}).same(why, one)
	}
	r.mustRun(t, why, 1)
	f.submit(htmx).must("A submit that arrives after a release runs.", wants{status: 200, outcome: "created"})
	attempts(t, r, "1", "2")
}

func TestDuplicateInFlightWithAnotherPayloadWaits(t *testing.T) {
	g := shared(t)
	const why = "With another fingerprint it waits as well: 422 if the first commits, runs if it is released."
	t.Run("the first commits", func(t *testing.T) {
		t.Parallel()
		open := newGate(t)
		r := g.origin.route("/", held(open.c, order))
		f := g.visitor(t).render(r)
		first := f.submitting(htmx)
		r.await(t, 1)
		other := f.set("amount", "2").submitting(htmx).onItsWay()
		other.unanswered(why, grace)
		open.open()
		first.ended().must(why, wants{status: 200, outcome: "created"})
		other.ended().must(why, wants{status: 422, outcome: "mismatch"})
		r.mustRun(t, "a mismatch never reaches the origin (I4)", 1)
	})
	t.Run("the first is released", func(t *testing.T) {
		t.Parallel()
		open := newGate(t)
		r := g.origin.route("/", held(open.c, answer(422, "<p>Not a number</p>")), order)
		f := g.visitor(t).render(r)
		first := f.submitting(htmx)
		r.await(t, 1)
		other := f.set("amount", "2").submitting(htmx).onItsWay()
		other.unanswered(why, grace)
		open.open()
		first.ended().must(why, wants{status: 422, outcome: "released"})
		other.ended().must(why, wants{status: 200, outcome: "created", has: []string{"Order 1002"}})
		attempts(t, r, "1", "2")
	})
}

var (
	refreshMeta = regexp.MustCompile(`(?i)<meta[^>]*http-equiv="?refresh"?[^>]*content="[0-9]+; ?url=([^"]*)"`)
	hxGet       = regexp.MustCompile(`hx-get="([^"]*)"`)
)

// waitLink is the link that a "still running" answer leads to.
func waitLink(t *testing.T, r *reply) string {
	t.Helper()
	link := ""
	if m := refreshMeta.FindSubmatch(r.body); m != nil {
		link = string(m[1])
	} else if m := hxGet.FindSubmatch(r.body); m != nil {
		link = string(m[1])
	} else if h := r.header.Get("Refresh"); strings.Contains(h, "url=") {
		link = h[strings.Index(h, "url=")+4:]
	}
	link = strings.ReplaceAll(link, "&amp;", "&")
	if !strings.HasPrefix(link, "/_singleshot/") {
		t.Fatalf("the running answer leads to %q; want a link of the guard\n%s", link, cut(r.body))
	}
	return link
}

// runningFor brings a form into the state where its first submit outlasts the wait budget of a duplicate.
func runningFor(t *testing.T, g *guard, open *gate, m mode, next script) (v *visitor, r *route, first *sending, late *reply) {
	t.Helper()
	r = g.origin.route("/impatient/", held(open.c, next), order)
	v = g.visitor(t)
	f := v.render(r)
	first = f.submitting(m)
	r.await(t, 1)
	late = f.submit(m).must("After the wait budget: 503, Retry-After, Idempotency-Status: running",
		wants{status: 503, outcome: "running"})
	if late.header.Get("Retry-After") == "" {
		t.Error("no Retry-After; want one\n\t(After the wait budget: 503, Retry-After)")
	}
	if late.took < 900*time.Millisecond || late.took > 20*time.Second {
		t.Errorf("the duplicate waited %v; want about the rule's second", late.took)
	}
	return v, r, first, late
}

func TestAfterTheWaitBudgetAPageWaitsOn(t *testing.T) {
	g := shared(t)
	const why = "and a page that refreshes (without JavaScript) to a link of the guard, signed, bound to the subject, … which waits on, replays, or says \"not sent, go back\""
	for _, c := range []struct {
		name string
		mode mode
	}{{"page", browser}, {"htmx fragment", htmx}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			open := newGate(t)
			v, r, first, late := runningFor(t, g, open, c.mode, order)
			link := waitLink(t, late)
			get := func(v *visitor) *reply {
				return v.send(request{method: http.MethodGet, path: link, mode: c.mode})
			}
			get(v).must(why, wants{status: 503, outcome: "running"})
			waiting := v.sending(request{method: http.MethodGet, path: link, mode: c.mode}).onItsWay()
			open.open()
			first.ended().must(why, wants{status: 200, outcome: "created"})
			answer := waiting.ended()
			for end := time.Now().Add(time.Minute); answer.status == 503 && time.Now().Before(end); {
				answer = get(v) // on a busy machine the second that it waits may be over before the commit
			}
			answer.must(why, wants{status: 200, outcome: "replayed", replay: true, has: []string{"Order 1001"}})
			get(v).must("valid for the record's time", wants{status: 200, outcome: "replayed", replay: true, has: []string{"Order 1001"}})
			other := get(g.visitor(t))
			if strings.Contains(string(other.body), "Order 1001") {
				t.Errorf("another visitor got %d %s; want none of it\n\t(bound to the subject)", other.status, cut(other.body))
			}
			forged := v.send(request{method: http.MethodGet, path: link[:len(link)-3] + "AAA", mode: c.mode})
			if strings.Contains(string(forged.body), "Order 1001") {
				t.Errorf("a changed link got %d %s; want none of it\n\t(signed)", forged.status, cut(forged.body))
			}
			r.mustRun(t, why, 1)
		})
	}
	t.Run("not sent", func(t *testing.T) {
		t.Parallel()
		open := newGate(t)
		v, r, first, late := runningFor(t, g, open, browser, answer(422, "<p>Not a number</p>"))
		link := waitLink(t, late)
		open.open()
		first.ended().must(why, wants{status: 422, outcome: "released"})
		// While the released answer is kept for those who waited, the link may still show it: this waits that long.
		end := time.Now().Add(5 * time.Second)
		for {
			got := v.get(link)
			if got.header.Get("Idempotency-Status") == "released" && time.Now().Before(end) && got.status == 422 {
				time.Sleep(200 * time.Millisecond)
				continue
			}
			if strings.Contains(string(got.body), "Order") || got.status >= 500 {
				t.Errorf("the link of a released submit = %d %s; want \"not sent, go back\"\n\t(%s)", got.status, cut(got.body), why)
			}
			break
		}
		r.mustRun(t, "a link runs nothing", 1)
	})
}

func TestSixtyFourWaitersAtOnceAndNoMore(t *testing.T) {
	g := shared(t)
	const why = "Bounds, per record over its time: 64 waiters at once and 20 mismatches, then 503 and 429"
	open := newGate(t)
	r := g.origin.route("/", held(open.c, order))
	f := g.visitor(t).render(r)
	first := f.submitting(htmx)
	r.await(t, 1)
	var all []*sending
	for range 80 {
		all = append(all, f.submitting(htmx))
	}
	for _, s := range all {
		s.onItsWay()
	}
	// The sixteen that find no place are answered at once; then the other 64 wait.
	answered := make(chan *reply, len(all))
	for _, s := range all {
		go func() { answered <- <-s.reply }()
	}
	var got []*reply
	for limit := time.After(time.Minute); len(got) < 16; {
		select {
		case r := <-answered:
			got = append(got, r)
		case <-limit:
			t.Fatalf("%d of 80 were answered while the first was running; want 16\n\t(%s)", len(got), why)
		}
	}
	open.open()
	first.ended().must(why, wants{status: 200, outcome: "created"})
	for len(got) < len(all) {
		got = append(got, <-answered)
	}
	replayed, refused := 0, 0
	for _, r := range got {
		switch {
		case r.status == 200 && r.header.Get("Idempotency-Replayed") == "true":
			replayed++
		case r.status == 503:
			refused++
		default:
			t.Errorf("a duplicate got %d %s, %v; want 200 or 503\n\t(%s)", r.status, cut(r.body), r.err, why)
		}
	}
	if replayed != 64 || refused != 16 {
		t.Errorf("%d of 80 replayed, %d refused; want 64 and 16\n\t(%s)", replayed, refused, why)
	}
	r.mustRun(t, why, 1)
}

func TestALeaseIsRenewedWhileTheOriginWorks(t *testing.T) {
	g := shared(t)
	const why = "The lease is renewed while the origin works, by the claim store's clock."
	open := newGate(t)
	r := g.origin.route("/short-lease/", held(open.c, order))
	f := g.visitor(t).render(r)
	first := f.submitting(htmx)
	r.await(t, 1)
	second := f.submitting(htmx).onItsWay()
	second.unanswered(why, 5*time.Second) // two and a half leases
	open.open()
	one := first.ended().must(why, wants{status: 200, outcome: "created"})
	second.ended().must(why, wants{status: 200, outcome: "replayed", replay: true}).same(why, one)
	r.mustRun(t, why, 1)
}

func TestAVisitorWhoDisconnectsDoesNotStopTheExchange(t *testing.T) {
	g := shared(t)
	const why = "A visitor who disconnects does not stop the exchange"
	open := newGate(t)
	r := g.origin.route("/", held(open.c, order))
	f := g.visitor(t).render(r)
	first := f.submitting(browser)
	r.await(t, 1)
	first.cancel()
	first.ended()
	second := f.submitting(browser).onItsWay()
	second.unanswered("its second gets its answer", grace)
	open.open()
	second.ended().must("a double click cancels the first request, and the second gets its answer",
		wants{status: 200, outcome: "replayed", replay: true, has: []string{"Order 1001"}})
	r.mustRun(t, why, 1)
}

func TestAVisitorWhoDisconnectsAndComesBackLaterGetsTheAnswer(t *testing.T) {
	g := shared(t)
	const why = "A visitor who disconnects does not stop the exchange"
	open := newGate(t)
	left := make(chan struct{})
	r := g.origin.route("/", func(x *turn) { held(open.c, order)(x); close(left) })
	f := g.visitor(t).render(r)
	first := f.submitting(browser)
	r.await(t, 1)
	first.cancel()
	first.ended()
	open.open()
	<-left
	f.submit(browser).must(why, wants{status: 200, outcome: "replayed", replay: true, has: []string{"Order 1001"}})
	r.mustRun(t, why, 1)
}

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
