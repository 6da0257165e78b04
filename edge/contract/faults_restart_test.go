//go:build unix

package contract_test

import (
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// theGuardMayRestartAtAnyStep brings one submit to each step, with a duplicate that waits where one can, ends the
// guard at once, as a crash would, and starts it again over what is stored: with the same secret, and with a new
// one that makes the old one the previous.
func theGuardMayRestartAtAnyStep(t *testing.T) {
	g := own(t, config{entry: "edge/contract/testdata/faults.toml"})
	const (
		whyRotated   = "Names of records do not depend on the secret; a record says which secret sealed it. Rotation breaks no open form and loses no record."
		whyCommitted = "Once an answer is committed, the origin does not run again for that record"
	)
	invalid := answer(422, `{"error":"not a number"}`, "Content-Type", "application/json")
	type step struct {
		name, why, rule string
		plan            string // of the first submit; "" leaves it with an origin that works
		origin          script // of the first run
		answered        string // the first one's answer, where it has one before the end
		again, second   string // the plan of the submit after the start, and its answer
		runs            int
	}
	steps := []step{
		{name: "before the claim", why: "nothing happened", plan: "swap#1=slow:60000", second: "200 created", runs: 1},
		{name: "after the claim", why: whyDied, rule: "/short-lease/", plan: "swap#1=late:60000", second: "200 created", runs: 1},
		{name: "after the claim, hold", why: whyHold, rule: "/hold/", plan: "swap#1=late:60000", second: "409 unknown unknown", runs: 0},
		{name: "while the origin works", why: whyDied, rule: "/short-lease/", second: "200 created", runs: 2},
		{name: "while the origin works, hold", why: whyHold, rule: "/hold/", second: "409 unknown unknown", runs: 1},
		{name: "before the commit", why: whyDied, rule: "/short-lease/", plan: "swap#2=slow:60000", second: "200 created", runs: 2},
		{name: "before the commit, hold", why: whyHold, rule: "/hold/", plan: "swap#2=slow:60000", second: "409 unknown unknown", runs: 1},
		{name: "before a large answer is in KV", why: whyDied, rule: "/short-lease/", origin: answer(200, largeAnswer), plan: "put#1=slow:60000", second: "200 created", runs: 2},
		{name: "after a large answer is in KV", why: whyDied, rule: "/short-lease/", origin: answer(200, largeAnswer), plan: "put#1=late:60000", second: "200 created", runs: 2},
		{name: "after the commit", why: whyCommitted, plan: "swap#2=late:60000", second: "200 replayed", runs: 1},
		{name: "after the release", why: "the key is given back", origin: invalid, plan: "swap#2=late:60000", second: "200 created", runs: 2},
		{name: "after the answer", why: whyCommitted, origin: order, answered: "200 created", second: "200 replayed", runs: 1},
		{name: "after the answer, KV alone", why: whyCommitted, origin: order, answered: "200 created", again: "swap=before", second: "200 replayed", runs: 1},
		{name: "after an answer that could not be committed", why: whyCommit, rule: "/short-lease/", origin: order, plan: "swap#2+=before", answered: "200 unknown", second: "200 created", runs: 2},
		{name: "after a broken connection", why: whyHold, rule: "/hold/", origin: dropped, answered: "502 unknown origin", second: "409 unknown unknown", runs: 1},
	}
	type under struct {
		step
		route *route
		form  *form
		first *reply
	}
	for _, round := range []struct{ name, why string }{{"same secret", ""}, {"new secret", whyRotated}} {
		t.Run(round.name, func(t *testing.T) {
			open := newGate(t)
			v := g.visitor(t)
			var all []*under
			unused := v.render(g.origin.route("/"))
			for _, s := range steps {
				prefix := s.rule
				if prefix == "" {
					prefix = "/"
				}
				first := s.origin
				if first == nil && s.plan == "" {
					first = held(open.c, order)
				} else if first == nil {
					first = order
				}
				r := g.origin.route(prefix, first, order)
				all = append(all, &under{step: s, route: r, form: v.render(r)})
			}
			for _, u := range all {
				mark := g.log.Mark()
				sending := u.form.submitting(faults(u.plan))
				switch {
				case u.answered != "":
					u.first = sending.ended().said(u.why, u.answered)
					if u.again != "" {
						u.form.untilInKV()
					}
				case u.plan == "":
					u.route.await(t, 1)
					u.form.submitting(asJSON).onItsWay() // waits, and is cut off with the guard
				default:
					at := regexp.MustCompile(`faults: .* at ` + regexp.QuoteMeta(u.route.path) + `\.`)
					if _, err := g.log.Wait(mark, at, time.Minute); err != nil {
						t.Fatal(err)
					}
				}
			}
			if round.why != "" {
				g.vars["SINGLESHOT_SECRET"], g.vars["SINGLESHOT_SECRET_PREVIOUS"] = otherSecret, secret
			}
			g.restart(t)
			unused.submit(asJSON).said("a key rendered before is a fresh key "+round.why, "200 created")
			// Side by side, because most of them wait for a lease; not t.Parallel, which waits for other tests too.
			var checks sync.WaitGroup
			for _, u := range all {
				checks.Go(func() {
					why := strings.TrimSpace(u.name + ": " + u.why + " " + round.why)
					got := u.form.submit(faults(u.again)).said(why, u.second)
					if u.first != nil && u.second == "200 replayed" {
						got.same(why, u.first)
					}
					if got.status == 200 {
						u.form.submit(asJSON).said(why, "200 replayed").same(why, got)
						u.form.set("amount", "2").submit(asJSON).said(why, "422 mismatch mismatch")
					}
					u.route.mustRun(t, why, u.runs)
				})
			}
			checks.Wait()
		})
	}
}
