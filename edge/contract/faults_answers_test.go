//go:build unix

package contract_test

import (
	"strings"
	"testing"
	"time"
)

// largeAnswer is one that stands in KV, not in the record.
var largeAnswer = strings.Repeat("<p>a long receipt %d</p>\n", 80_000)

func TestFaultsOfALargeAnswersPlace(t *testing.T) {
	g := faulty(t)
	const (
		whyTombstone = "Once an answer is committed, the origin does not run again for that record, also when the answer is too large to keep or KV lost it"
		whole, short = "200 replayed", "tombstone"
	)
	for _, c := range []struct {
		why, rule, plan, first string
		ran                    int
		again, second          string
		third                  string // without a fault
		runs                   int
	}{
		{why: "KV keeps the answer", first: "200 created", ran: 1, second: whole, third: whole, runs: 1},
		{why: whyTombstone, plan: "put#1=before", first: "200 created", ran: 1, second: short, third: short, runs: 1},
		{why: whyTombstone + " What KV did not confirm does not count.", plan: "put#1=after", first: "200 created", ran: 1, second: short, third: short, runs: 1},
		{why: whyTombstone + " KV says it has it, and lost it.", plan: "put#1=nothing", first: "200 created", ran: 1, second: short, third: short, runs: 1},
		{why: "KV is slow", plan: "put#1=slow:800", first: "200 created", ran: 1, second: whole, third: whole, runs: 1},
		{why: "KV fails at the replay, and is back", again: "get=before", first: "200 created", ran: 1, second: short, third: whole, runs: 1},
		{why: "KV does not know it yet (negatively cached)", again: "get=nothing", first: "200 created", ran: 1, second: short, third: whole, runs: 1},
		{why: "KV is slow at the replay", again: "get=slow:800", first: "200 created", ran: 1, second: whole, third: whole, runs: 1},
		{why: "the answer is in KV, the commit is lost and repeated", plan: "swap#2=after", first: "200 created", ran: 1, second: whole, third: whole, runs: 1},
		{why: whyDied, rule: "/short-lease/", plan: "put#1=cut-before", first: cutOff, ran: 1, second: "200 created", third: whole, runs: 2},
		{why: whyDied + " What is in KV without a commit is nobody's answer.", rule: "/short-lease/", plan: "put#1=cut-after", first: cutOff, ran: 1, second: "200 created", third: whole, runs: 2},
		{why: whyHold, rule: "/hold/", plan: "put#1=cut-after", first: cutOff, ran: 1, second: "409 unknown", third: "409 unknown", runs: 1},
	} {
		t.Run(faultCase{rule: c.rule, plan: c.plan, again: c.again}.name(), func(t *testing.T) {
			t.Parallel()
			prefix := c.rule
			if prefix == "" {
				prefix = "/"
			}
			r := g.origin.route(prefix, answer(200, largeAnswer))
			f := g.visitor(t).render(r)
			submit := func(plan, want string) *reply {
				t.Helper()
				if got := f.submit(browserFaults(plan)); want == short {
					return got.must(c.why, wants{status: 200, outcome: "replayed", replay: true, has: []string{"<!doctype html"}, hasNot: []string{"a long receipt"}})
				} else {
					return got.said(c.why, want)
				}
			}
			first := submit(c.plan, c.first)
			r.mustRun(t, c.why, c.ran)
			second := submit(c.again, c.second)
			third := submit("", c.third)
			if c.second == "200 created" {
				first = second
			}
			for _, got := range []*reply{second, third} {
				if first.status == 200 && len(got.body) > 1<<20 {
					got.same(c.why, first)
				}
			}
			r.mustRun(t, c.why, c.runs)
		})
	}
}

func browserFaults(plan string) mode { return mode(browser).with("Faults", plan) }

// The claim store cannot be reached: KV answers replays alone, or nobody does.
func TestFaultsOfBothStores(t *testing.T) {
	g := faulty(t)
	const why = "If the claim store cannot be reached before the origin was called, the origin is not called: replay from KV if it is there, else 503"
	for _, c := range []struct {
		why, plan, amount, want string
	}{
		{why, "swap=before", "1", "200 replayed"},
		{why, "swap=overloaded", "1", "200 replayed"},
		{why + " KV is slow.", "swap=before, get=slow:800", "1", "200 replayed"},
		{"every path compares, the KV path too", "swap=before", "2", "422 mismatch mismatch"},
		{why + " KV fails too.", "swap=before, get=before", "1", "503 refused store"},
		{why + " KV does not know it yet.", "swap=before, get=nothing", "1", "503 refused store"},
		{"a claim store that is back is asked first", "swap#1=before, get=before", "1", "200 replayed"},
		{"a read whose word is lost is read again", "swap#1=after", "1", "200 replayed"},
		{"the word of the store counts, not KV's", "get=nothing", "2", "422 mismatch mismatch"},
		{"killed while it reads", "swap=before, get=cut-before", "1", cutOff},
	} {
		t.Run(c.plan+" amount "+c.amount, func(t *testing.T) {
			t.Parallel()
			r := g.origin.route("/")
			f := g.visitor(t).render(r)
			first := f.submit(asJSON).said(c.why, "200 created")
			f.untilInKV()
			got := f.set("amount", c.amount).submit(faults(c.plan)).said(c.why, c.want)
			if c.want == "200 replayed" {
				got.same(c.why, first)
			}
			f.submit(asJSON).said("nothing was lost", "200 replayed").same(c.why, first)
			r.mustRun(t, c.why, 1)
		})
	}
	t.Run("KV never had it", func(t *testing.T) {
		t.Parallel()
		r := g.origin.route("/")
		f := g.visitor(t).render(r)
		first := f.submit(faults("put=before")).said("KV stands behind the answer: its failure is nobody's", "200 created")
		f.submit(faults("swap=before")).said(why, "503 refused store")
		f.submit(asJSON).said("the record has the answer", "200 replayed").same(why, first)
		r.mustRun(t, why, 1)
	})
	t.Run("what stands behind an answer delays none", func(t *testing.T) {
		t.Parallel()
		const why = "KV keeps every committed answer … off the critical path, and the trail is noted beside it"
		r := g.origin.route("/")
		f := g.visitor(t).render(r)
		for _, c := range []struct{ plan, want string }{{"put=slow:20000", "200 created"}, {"later=slow:20000", "200 replayed"}} {
			if got := f.submit(faults(c.plan)).said(why, c.want); got.took > 18*time.Second {
				t.Errorf("%s: the answer took %v\n\t(%s)", c.plan, got.took, why)
			}
		}
		r.mustRun(t, why, 1)
	})
	t.Run("another subject", func(t *testing.T) {
		t.Parallel()
		r := g.origin.route("/")
		alice, bob := g.visitor(t), g.visitor(t)
		f := alice.render(r)
		bob.render(r)
		f.submit(asJSON).said("", "200 created")
		f.as(bob).submit(faults("swap=before")).said("nobody sees another subject's answer, from KV neither", "503 refused store")
		r.mustRun(t, why, 1)
	})
}

// untilInKV returns when the form's answer can be read from KV, which is written behind the answer.
func (f *form) untilInKV() {
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if f.submit(faults("swap=before")).status == 200 {
			break
		}
	}
}

// An operator looks and forgets while stores fail.
func TestFaultsOfForgetting(t *testing.T) {
	g := faulty(t)
	const why = "DELETE forgets a record."
	for _, c := range []struct {
		name, plan string
		status     int    // of the DELETE
		then       string // what the next submit gets
		again      int    // the status of the same DELETE, repeated before that; 0: not repeated
	}{
		{"no fault", "", 204, "200 created", 0},
		{"the trail cannot be read", "read=before", 503, "200 replayed", 0},
		{"the claim store fails", "forget=before", 503, "200 replayed", 0},
		{"the claim store fails, and again", "forget=before", 503, "200 created", 204},
		{"KV fails: it can be repeated", "delete=before", 503, "200 created", 204},
		{"KV's word is lost: it can be repeated", "delete=after", 503, "200 created", 204},
		{"the store's word is lost: it is forgotten", "forget=after", 503, "200 created", 404},
		{"the shard restarts: it can be repeated", "forget=restart-before", 503, "200 created", 204},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := g.origin.route("/")
			f := g.visitor(t).render(r)
			f.submit(asJSON).said(why, "200 created")
			forget := func(plan string) *reply {
				return g.visitor(t).send(request{method: "DELETE", path: "/_singleshot/keys/" + f.key(), mode: faults(plan),
					header: []string{"Authorization", "Bearer " + adminSecret}})
			}
			forget(c.plan).must(why, wants{status: c.status})
			if c.again != 0 {
				forget("").must(why, wants{status: c.again})
				f.submit(faults("swap=before")).said("it is gone from KV too", "503 refused store")
			}
			f.submit(asJSON).said(why, c.then)
		})
	}
	t.Run("a claim that its holder left under hold", func(t *testing.T) {
		t.Parallel()
		const why = "hold: 409 unknown …, until the record's time is over or somebody forgets it"
		r := g.origin.route("/hold/")
		f := g.visitor(t).render(r)
		f.submit(faults("swap#1=cut-after")).said(why, cutOff)
		f.submit(asJSON).said(why, "409 unknown unknown")
		g.mustTell(t, why, f.key(), "claim wait held")
		g.visitor(t).send(request{method: "DELETE", path: "/_singleshot/keys/" + f.key(), header: []string{"Authorization", "Bearer " + adminSecret}}).
			must(why, wants{status: 204})
		f.submit(asJSON).said(why, "200 created")
		r.mustRun(t, why, 1)
	})
}
