//go:build unix

package contract_test

import (
	"strconv"
	"sync"
	"testing"
)

const whyTrap = "an instance that traps is replaced without losing another request"

// TestTheEngineTrapsAtEachStep traps the engine in one submit. Its record is as if the exchange had been killed
// there, but its visitor is told.
func TestTheEngineTrapsAtEachStep(t *testing.T) {
	tryFaults(t, []faultCase{
		{why: whyTrap, plan: "begin=trap", first: "503 refused", second: "200 created", runs: 1, tells: "claim commit"},
		{why: whyTrap, plan: "feed=trap", first: "503 refused", second: "200 created", runs: 1, tells: "claim commit"},
		{why: whyTrap, plan: "next#1=trap", first: "503 refused", second: "200 created", runs: 1, tells: "claim commit"},
		{why: whyDied, rule: "/short-lease/", plan: "next#2=trap", first: "503 refused", second: "200 created", runs: 1,
			tells: "claim wait takeover commit"},
		{why: whyDied, rule: "/short-lease/", plan: "next#3=trap", first: "503 unknown", ran: 1, second: "200 created", runs: 2,
			tells: "claim wait takeover commit"},
		{why: whyHold, rule: "/hold/", plan: "next#3=trap", first: "503 unknown", ran: 1, second: "409 unknown", runs: 1,
			tells: "claim wait held"},
		{why: whyDied, rule: "/short-lease/", plan: "seal=trap", first: "503 unknown", ran: 1, second: "200 created", runs: 2,
			tells: "claim wait takeover commit"},
		{why: whyTrap + "; what is committed is replayed", plan: "next#5=trap", first: "503 unknown", ran: 1, second: "200 replayed", runs: 1, tells: "claim commit replay"},
		{why: whyTrap, plan: "", first: "200 created", ran: 1, again: "open=trap", second: "503 refused", runs: 1, tells: "claim commit"},
	})
}

func TestATrapLosesNoOtherRequest(t *testing.T) {
	g := faulty(t)
	open := newGate(t)
	const others = 8
	var checks sync.WaitGroup
	for range others {
		r := g.origin.route("/", held(open.c, order))
		f := g.visitor(t).render(r)
		first := f.submitting(asJSON)
		r.await(t, 1)
		second := f.submitting(asJSON).onItsWay()
		checks.Go(func() {
			one := first.ended().said(whyTrap, "200 created")
			second.ended().said(whyTrap, "200 replayed").same(whyTrap, one)
			r.mustRun(t, whyTrap, 1)
		})
	}
	for range 3 {
		r := g.origin.route("/")
		f := g.visitor(t).render(r)
		f.submit(faults("next#1=trap")).said(whyTrap, "503 refused")
		f.submit(asJSON).said("the next request has another instance", "200 created")
	}
	open.open()
	checks.Wait()
}

// exchangesOfRequestsThatWereCancelledAreDropped kills exchanges and looks at where the engine holds the next ones.
func exchangesOfRequestsThatWereCancelledAreDropped(t *testing.T) {
	const why = "exchanges abandoned by a cancelled request are dropped"
	g := own(t, config{entry: "edge/contract/testdata/faults.toml"})
	r := g.origin.route("/")
	const n = 40
	highest := 0
	// killed kills n exchanges, after so many minutes, and returns where they are held.
	killed := func(minutes int) map[int]bool {
		places := make(map[int]bool)
		for i := range n {
			plan := "swap#1=cut-before"
			if i == 0 {
				plan += ",clock=" + itoa(minutes*60_000)
			}
			got := g.visitor(t).render(r).submit(faults(plan)).said(why, cutOff)
			place, err := strconv.Atoi(got.header.Get("Engine-Place"))
			if err != nil {
				t.Fatal(err)
			}
			places[place] = true
			highest = max(highest, place)
		}
		if len(places) != n {
			t.Fatalf("%d killed exchanges are held in %d places: the fault does not do what it should", n, len(places))
		}
		return places
	}
	first := killed(0)
	for place := range killed(5) {
		if first[place] {
			t.Errorf("place %d was given out again after 5 minutes, which is less than waits and leases may last", place)
		}
	}
	before := highest
	killed(20)
	if highest > before {
		t.Errorf("place %d was added 20 minutes after %d exchanges were abandoned; want their places again\n\t(%s)", highest, 2*n, why)
	}
}
