//go:build unix

package contract_test

import (
	"strings"
	"testing"
	"time"
)

// TestComplaintsAboutCrashes holds what people report of other kits when something breaks, each case named after the
// symptom. They need a guard whose stores fail and whose exchanges die on demand.
func TestComplaintsAboutCrashes(t *testing.T) {
	g := faulty(t)
	for _, c := range []struct {
		symptom, from string
		check         func(t *testing.T)
	}{
		{"a late finisher frees the next holder's lock", "pathosDev/actor-ts#1082", func(t *testing.T) {
			const why = "commit and release are fenced by the claim's version; a late holder can do neither"
			open := newGate(t)
			r := g.origin.route("/short-lease/", held(open.c, answer(422, "late")), order)
			f := g.visitor(t).render(r)
			late := f.submitting(faults("renew=before"))
			r.await(t, 1)
			f.submit(htmx).must(why, wants{status: 200, outcome: "created"})
			open.open()
			late.ended().must(why, wants{status: 422, outcome: "unknown"})
			f.submit(htmx).must(why, wants{outcome: "replayed", replay: true, has: []string{"Order 1002"}})
			r.mustRun(t, why, 2)
		}},
		{"a handler slower than the lock runs twice", "KanishJebaMathewM/Truxify#4623, #5846", func(t *testing.T) {
			const why = "the lease is renewed while the handler works"
			open := newGate(t)
			r := g.origin.route("/short-lease/", held(open.c, order), order)
			f := g.visitor(t).render(r)
			first := f.submitting(faults("renew#1=after"))
			r.await(t, 1)
			second := f.submitting(htmx).onItsWay()
			second.unanswered(why, 3*time.Second) // one and a half leases
			open.open()
			first.ended().must(why, wants{outcome: "created"})
			second.ended().must(why, wants{outcome: "replayed", replay: true})
			r.mustRun(t, why, 1)
		}},
		{"the store fails after the work and the key is freed", "nestarc/idempotency 0.1.3", func(t *testing.T) {
			const why = "answer the client, never free the key"
			r := g.origin.route("/")
			f := g.visitor(t).render(r)
			f.submit(faults("swap#2=before, swap#3=before, swap#4=before")).must(why, wants{status: 200, outcome: "unknown", has: []string{"Order 1001"}})
			f.submit(htmx).must(why, wants{outcome: "replayed", replay: true, has: []string{"Order 1001"}})
			r.mustRun(t, why, 1)
		}},
		{"a full store throws claims out", "paveg/hono-idempotency#89", func(t *testing.T) {
			const why = "never evict a live claim: one that is held outlives a restart of its store"
			open := newGate(t)
			r := g.origin.route("/", held(open.c, order), order)
			f := g.visitor(t).render(r)
			first := f.submitting(htmx)
			r.await(t, 1)
			second := f.submitting(faults("swap#1=restart-before, wait#1=restart-before")).onItsWay()
			second.unanswered(why, 2*grace)
			open.open()
			first.ended().must(why, wants{outcome: "created"})
			second.ended().must(why, wants{outcome: "replayed", replay: true})
			r.mustRun(t, why, 1)
		}},
		{"a crash leaves 409 for days", "VilledeMontreal/express-idempotency#32, aws-powertools/powertools-lambda#53, ikyriak/IdempotentAPI#37", func(t *testing.T) {
			const why = "the key is free when the lease ends"
			r := g.origin.route("/short-lease/")
			f := g.visitor(t).render(r)
			f.submit(faults("swap#2=cut-before")).said("the holder dies", cutOff)
			f.submit(htmx).must(why, wants{status: 200, outcome: "created", has: []string{"Order 1002"}})
			attempts(t, r, "1", "2")
		}},
		{"a throw frees a claim whose work was done, and a 500 is kept", "pathosDev/actor-ts#984", func(t *testing.T) {
			const why = "a broken connection is unknown, 5xx releases and is never replayed"
			r := g.origin.route("/", dropped, answer(500, "oops"), order)
			f := g.visitor(t).render(r)
			f.submit(htmx).must(why, wants{status: 502, outcome: "unknown"})
			f.submit(htmx).must(why, wants{status: 500, outcome: "released"})
			f.submit(htmx).must(why, wants{status: 200, outcome: "created"})
			attempts(t, r, "1", "2", "3")
		}},
		{"a repeated claim collides with itself", "idempot-dev/idempot-js#185", func(t *testing.T) {
			const why = "the writer mints the version, a repeated swap recognises itself"
			r := g.origin.route("/")
			f := g.visitor(t).render(r)
			f.submit(faults("swap#1=after")).must(why, wants{status: 200, outcome: "created"})
			r.mustRun(t, why, 1)
		}},
		{"a record without its body is a 409", "paveg/hono-idempotency#92", func(t *testing.T) {
			const why = "a tombstone is a committed record and replays"
			r := g.origin.route("/", answer(200, largeAnswer))
			f := g.visitor(t).render(r)
			f.submit(faults("put=before")).must(why, wants{status: 200, outcome: "created"})
			f.submit(htmx).must(why, wants{status: 200, outcome: "replayed", replay: true})
			r.mustRun(t, why, 1)
		}},
		{"a withdrawal runs again after a timeout", "aws-powertools/powertools-lambda-python#8049", func(t *testing.T) {
			const why = `rules lease and unknown = "hold"`
			r := g.origin.route("/hold/", answer(504, "timeout"), order)
			f := g.visitor(t).render(r)
			f.submit(htmx).must(why, wants{status: 504, outcome: "unknown"})
			f.submit(htmx).must(why, wants{status: 409, outcome: "unknown"})
			r.mustRun(t, why, 1)
		}},
		{"the payload is not checked on the fast path", "aws-powertools/powertools-lambda-java#2260, -python#3821", func(t *testing.T) {
			const why = "every path compares, the KV path too"
			r := g.origin.route("/")
			f := g.visitor(t).render(r)
			f.submit(asJSON).must(why, wants{outcome: "created"})
			f.untilInKV()
			f.set("amount", "2").submit(faults("swap=before")).said(why, "422 mismatch mismatch")
		}},
		{"one bad stored answer cannot be thrown out", "aws-powertools/powertools-lambda-python#5620", func(t *testing.T) {
			const why = "GET and DELETE /_singleshot/keys/<key>"
			r := g.origin.route("/")
			f := g.visitor(t).render(r)
			f.submit(asJSON).must(why, wants{outcome: "created"})
			f.untilInKV()
			if got := g.events(t, f.key()); !strings.HasPrefix(got, "claim commit") {
				t.Errorf("the trail says %q; want to find the answer", got)
			}
			g.visitor(t).send(request{method: "DELETE", path: "/_singleshot/keys/" + f.key(), header: []string{"Authorization", "Bearer " + adminSecret}}).
				must(why, wants{status: 204})
			f.submit(faults("swap=before")).said("from KV too", "503 refused store")
			f.submit(asJSON).must(why, wants{status: 200, outcome: "created", has: []string{"Order 1002"}})
		}},
	} {
		t.Run(c.symptom, func(t *testing.T) {
			t.Parallel()
			t.Cleanup(func() {
				if t.Failed() {
					t.Logf("reported in %s", c.from)
				}
			})
			c.check(t)
		})
	}
}
