//go:build unix

package contract_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"
)

// A duplicate that waits, and what goes wrong with its wait; the first one's origin works until the gate opens.
func TestFaultsOfTheWait(t *testing.T) {
	g := faulty(t)
	for _, c := range []struct{ why, plan, duplicate string }{
		{"a wait that fails is asked for again", "wait#1=before", "200 replayed"},
		{"a wait whose word is lost is asked for again", "wait#1=late:1, wait#2=before", "200 replayed"},
		{"an overloaded store is asked again", "wait#1=overloaded, wait#2=overloaded, wait#3=overloaded", "200 replayed"},
		{"a wait that comes late finds the answer", "wait#1=slow:1500", "200 replayed"},
		{"the swap that reads is repeated too", "swap#1=before, wait#1=before, swap#3=before", "200 replayed"},
		{"the shard restarts with those who wait", "wait#1=restart-before", "200 replayed"},
		{"killed while it waits", "wait#1=cut-before", cutOff},
	} {
		t.Run(c.plan, func(t *testing.T) {
			t.Parallel()
			open := newGate(t)
			r := g.origin.route("/", held(open.c, order), order)
			f := g.visitor(t).render(r)
			first, other := f.submitting(asJSON), f.submitting(asJSON)
			r.await(t, 1)
			duplicate := f.submitting(faults(c.plan)).onItsWay()
			if c.duplicate != cutOff {
				duplicate.unanswered(c.why, 2*grace)
			} else {
				duplicate.ended().said(c.why, cutOff)
			}
			open.open()
			one, two := first.ended(), other.ended()
			if one.header.Get("Idempotency-Status") != "created" {
				one, two = two, one
			}
			one.said(c.why, "200 created")
			two.said(c.why, "200 replayed").same(c.why, one)
			if c.duplicate != cutOff {
				duplicate.ended().said(c.why, c.duplicate).same(c.why, one)
			}
			r.mustRun(t, c.why, 1)
			f.submit(asJSON).said(c.why, "200 replayed").same(c.why, one)
		})
	}
}

// Nobody who waits hammers a claim store that fails, and nobody waits for ever.
func TestWhoWaitsAtAStoreThatFailsAsksSeldom(t *testing.T) {
	g := faulty(t)
	const why = "After the wait budget: 503, Retry-After, Idempotency-Status: running"
	open := newGate(t)
	r := g.origin.route("/impatient/", held(open.c, order), order)
	f := g.visitor(t).render(r)
	first := f.submitting(asJSON)
	r.await(t, 1)
	mark := g.log.Mark()
	f.submit(faults("wait=overloaded")).said(why, "503 running running")
	line, err := g.log.Wait(mark, regexp.MustCompile(`"rule":"/impatient/\*\*","status":503`), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	var logged struct{ Store int }
	if err := json.Unmarshal([]byte(line[strings.IndexByte(line, '{'):]), &logged); err != nil {
		t.Fatal(err)
	}
	if logged.Store > 30 {
		t.Errorf("a second of waiting at a store that fails took %d calls; want at most 30", logged.Store)
	}
	open.open()
	first.ended().said(why, "200 created")
	r.mustRun(t, why, 1)
}

// The holder dies while others wait for it.
func TestFaultsOfAHolderWithWaiters(t *testing.T) {
	g := faulty(t)
	for _, c := range []struct {
		why, rule, plan string
		answers         string // of the two who wait, in any order
		runs            int
	}{
		{whyDied, "/short-lease/", "swap#1=cut-after", "200 created, 200 replayed", 1},
		{whyDied, "/short-lease/", "renew#1=cut-before", "200 created, 200 replayed", 2},
		{whyDied, "/short-lease/", "swap#2=cut-before", "200 created, 200 replayed", 2},
		{"killed after the commit: those who wait have its answer", "/short-lease/", "swap#2=cut-after", "200 replayed, 200 replayed", 1},
		{"the shard restarts with the claim and those who wait", "/short-lease/", "renew#1=restart-before", "200 replayed, 200 replayed", 1},
		{whyHold, "/hold/", "renew#1=cut-before", "409 unknown, 409 unknown", 1},
		{whyHold, "/hold/", "swap#1=cut-after", "409 unknown, 409 unknown", 0},
	} {
		t.Run(strings.Trim(c.rule, "/")+" "+c.plan, func(t *testing.T) {
			t.Parallel()
			r := g.origin.route(c.rule, func(x *turn) { time.Sleep(time.Second); order(x) }, order)
			f := g.visitor(t).render(r)
			first := f.submitting(faults(c.plan))
			if c.plan == "swap#1=cut-after" {
				first.ended().said(c.why, cutOff) // the claim stands
			} else {
				r.await(t, 1)
			}
			a, b := f.submitting(htmx), f.submitting(htmx)
			var got []string
			for _, s := range []*sending{a, b} {
				one := s.ended()
				got = append(got, itoa(one.status)+" "+one.header.Get("Idempotency-Status"))
				if one.status == 200 && !strings.Contains(string(one.body), "Order "+itoa(1000+c.runs)) {
					t.Errorf("a waiter got %s; want the order of run %d\n\t(%s)", cut(one.body), c.runs, c.why)
				}
			}
			if all := strings.Join(got, ", "); all != c.answers && got[1]+", "+got[0] != c.answers {
				t.Errorf("those who waited got %s; want %s\n\t(%s)", all, c.answers, c.why)
			}
			r.mustRun(t, c.why, c.runs)
		})
	}
}

// The lease is not renewed, or not in time.
func TestFaultsOfTheRenewal(t *testing.T) {
	g := faulty(t)
	for _, c := range []struct {
		why, plan     string
		first, second string
		runs          int
	}{
		{whyLate, "renew=before", "200 unknown", "200 created", 2},
		{whyLate, "renew=slow:9000", "200 unknown", "200 created", 2},
		{whyLate + " Its commit comes late too.", "renew=before, swap#2=slow:1500", "200 unknown", "200 created", 2},
		{"the renewal was made, its word lost", "renew=after", "200 created", "200 replayed", 1},
		{"one renewal is lost, the next one holds", "renew#1=before, renew#3=before", "200 created", "200 replayed", 1},
	} {
		t.Run(c.plan, func(t *testing.T) {
			t.Parallel()
			open := newGate(t)
			r := g.origin.route("/short-lease/", held(open.c, order), order)
			f := g.visitor(t).render(r)
			first := f.submitting(faults(c.plan))
			r.await(t, 1)
			second := f.submitting(htmx).onItsWay()
			if c.runs == 2 {
				second.ended().must(c.why, wants{status: 200, outcome: "created", has: []string{"Order 1002"}})
				open.open()
				first.ended().said(c.why, c.first)
			} else {
				second.unanswered(c.why, 5*time.Second/2)
				open.open()
				one := first.ended().said(c.why, c.first)
				second.ended().said(c.why, c.second).same(c.why, one)
			}
			r.mustRun(t, c.why, c.runs)
			f.submit(htmx).must("the record is the last holder's", wants{status: 200, outcome: "replayed", replay: true, has: []string{"Order " + itoa(1000+c.runs)}})
		})
	}
}

// The visitor goes while a store is slow; the exchange goes on.
func TestAVisitorWhoIsCutOffAtAnyStepLosesNothing(t *testing.T) {
	g := faulty(t)
	const why = "A visitor who disconnects does not stop the exchange: a double click cancels the first request, and the second gets its answer."
	for _, plan := range []string{"swap#1=slow:600", "swap#1=late:600", "swap#2=slow:600", "swap#2=late:600", "swap#1=after, swap#2=slow:600", "swap#2=before, swap#3=slow:600"} {
		t.Run(plan, func(t *testing.T) {
			t.Parallel()
			r := g.origin.route("/")
			f := g.visitor(t).render(r)
			first := f.submitting(faults(plan)).onItsWay()
			if strings.HasPrefix(plan, "swap#2") {
				r.await(t, 1)
			} else {
				time.Sleep(grace) // the request has reached the guard; the call takes twice as long
			}
			first.cancel()
			first.ended()
			second := f.submit(htmx)
			if second.status != 200 || !strings.Contains(string(second.body), "Order 1001") {
				t.Errorf("the second click got %d %s; want the one order\n\t(%s)", second.status, cut(second.body), why)
			}
			f.submit(htmx).said(why, "200 replayed").same(why, second)
			r.mustRun(t, why, 1)
		})
	}
}
