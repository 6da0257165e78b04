//go:build unix

package contract_test

import "testing"

const (
	whyBefore = "If the claim store cannot be reached before the origin was called, the origin is not called: … else 503; nothing lost, key live."
	whyLost   = "a swap whose acknowledgement was lost recognises itself when repeated"
	whyCommit = "If the commit fails after the origin answered, it is repeated until the lease ends; the visitor gets the origin's answer with Idempotency-Status: unknown."
	whyDied   = "If the holder dies, the outcome is unknown when the lease ends. Rule unknown: retry (default): the next submit runs, with the same Idempotency-Key"
	whyHold   = "hold: 409 unknown that says so, until the record's time is over or somebody forgets it"
	whyLate   = "A holder whose lease was taken over neither commits nor releases."
)

func TestFaultsOfTheClaim(t *testing.T) {
	tryFaults(t, []faultCase{
		{why: "one failure is repeated", plan: "swap#1=before",
			first: "200 created", ran: 1, second: "200 replayed", runs: 1, tells: "claim commit replay"},
		{why: whyLost, plan: "swap#1=after",
			first: "200 created", ran: 1, second: "200 replayed", runs: 1, tells: "claim commit replay"},
		{why: whyLost, plan: "swap#1=after, swap#2=slow:300",
			first: "200 created", ran: 1, second: "200 replayed", runs: 1, tells: "claim commit replay"},
		{why: whyBefore, plan: "swap=before",
			first: "503 refused store", ran: 0, second: "200 created", runs: 1, tells: "claim commit"},
		{why: whyBefore, plan: "swap=overloaded",
			first: "503 refused store", ran: 0, second: "200 created", runs: 1, tells: "claim commit"},
		{why: whyBefore, rule: "/hold/", plan: "swap=overloaded",
			first: "503 refused store", ran: 0, second: "200 created", runs: 1, tells: "claim commit"},
		{why: whyBefore + " The claim that nobody heard of lasts for its lease.", rule: "/short-lease/", plan: "swap=after",
			first: "503 refused store", ran: 0, second: "200 created", runs: 1, tells: "claim wait takeover commit"},
		{why: "a slow store delays", plan: "swap#1=slow:800",
			first: "200 created", ran: 1, second: "200 replayed", runs: 1, tells: "claim commit replay"},
		{why: "a word that comes after its lease counts for nothing: the claim is made anew", rule: "/short-lease/", plan: "swap#1=late:2300",
			first: "200 created", ran: 1, second: "200 replayed", runs: 1, tells: "claim commit replay"},
		{why: "killed before the claim: nothing happened", plan: "swap#1=cut-before",
			first: cutOff, ran: 0, second: "200 created", runs: 1, tells: "claim commit"},
		{why: whyDied, rule: "/short-lease/", plan: "swap#1=cut-after",
			first: cutOff, ran: 0, second: "200 created", runs: 1, tells: "claim wait takeover commit"},
		{why: whyHold, rule: "/hold/", plan: "swap#1=cut-after",
			first: cutOff, ran: 0, second: "409 unknown unknown", runs: 0, tells: "claim wait held"},
		{why: "the shard restarts before the claim", plan: "swap#1=restart-before",
			first: "200 created", ran: 1, second: "200 replayed", runs: 1, tells: "claim commit replay"},
		{why: whyLost, plan: "swap#1=restart-after",
			first: "200 created", ran: 1, second: "200 replayed", runs: 1, tells: "claim commit replay"},
	})
}

func TestUnderHoldAFaultyClaimIsGivenBack(t *testing.T) {
	g := faulty(t)
	const why = whyBefore + " Under hold, where nobody takes over, the claim that nobody heard of is given back."
	r := g.origin.route("/hold/")
	f := g.visitor(t).render(r)
	f.submit(faults("swap#1=after, swap#2=after")).said(why, "503 refused store")
	// It is given back behind the answer. Who comes before that shares what the first got: nothing was sent.
	got := f.submit(asJSON)
	for range 5 {
		if got.status == 200 {
			break
		}
		got.said(why, "502 released origin")
		got = f.submit(asJSON)
	}
	got.said(why, "200 created")
	r.mustRun(t, why, 1)
}

func TestFaultsOfTheCommit(t *testing.T) {
	invalid := answer(422, `{"error":"not a number"}`, "Content-Type", "application/json")
	tryFaults(t, []faultCase{
		{why: "one failure is repeated", plan: "swap#2=before",
			first: "200 created", ran: 1, second: "200 replayed", runs: 1, tells: "claim commit replay"},
		{why: whyLost, plan: "swap#2=after",
			first: "200 created", ran: 1, second: "200 replayed", runs: 1, tells: "claim commit replay"},
		{why: whyCommit, plan: "swap#2=before, swap#3=before",
			first: "200 unknown", ran: 1, second: "200 replayed", runs: 1, tells: "claim commit (wait) replay"},
		{why: whyCommit, plan: "swap#2=overloaded, swap#3=overloaded, swap#4=overloaded",
			first: "200 unknown", ran: 1, second: "200 replayed", runs: 1, tells: "claim commit (wait) replay"},
		{why: whyCommit, plan: "swap#2=after, swap#3=after",
			first: "200 unknown", ran: 1, second: "200 replayed", runs: 1, tells: "claim commit replay"},
		{why: whyCommit, rule: "/short-lease/", plan: "swap#2+=before",
			first: "200 unknown", ran: 1, second: "200 created", runs: 2, tells: "claim wait takeover commit"},
		{why: whyCommit + " " + whyHold, rule: "/hold/", plan: "swap#2+=before",
			first: "200 unknown", ran: 1, second: "409 unknown unknown", runs: 1, tells: "claim wait held"},
		{why: "a slow store delays", plan: "swap#2=slow:800",
			first: "200 created", ran: 1, second: "200 replayed", runs: 1, tells: "claim commit replay"},
		{why: "The lease is renewed until the commit.", rule: "/short-lease/", plan: "swap#2=slow:3000",
			first: "200 created", ran: 1, second: "200 replayed", runs: 1, tells: "claim commit replay"},
		{why: whyDied, rule: "/short-lease/", plan: "swap#2=cut-before",
			first: cutOff, ran: 1, second: "200 created", runs: 2, tells: "claim wait takeover commit"},
		{why: whyHold, rule: "/hold/", plan: "swap#2=cut-before",
			first: cutOff, ran: 1, second: "409 unknown unknown", runs: 1, tells: "claim wait held"},
		{why: "killed after the commit, before the answer: a double click cancels the first request, and the second gets its answer", plan: "swap#2=cut-after",
			first: cutOff, ran: 1, second: "200 replayed", runs: 1, tells: "claim commit replay"},
		{why: "the shard restarts before the commit", plan: "swap#2=restart-before",
			first: "200 created", ran: 1, second: "200 replayed", runs: 1, tells: "claim commit replay"},
		{why: whyLost, plan: "swap#2=restart-after",
			first: "200 created", ran: 1, second: "200 replayed", runs: 1, tells: "claim commit replay"},
		{why: "a release fails like a commit", origin: invalid, plan: "swap#2=before",
			first: "422 released", ran: 1, second: "200 created", runs: 2, tells: "claim release claim commit"},
		{why: whyLost, origin: invalid, plan: "swap#2=after",
			first: "422 released", ran: 1, second: "200 created", runs: 2, tells: "claim release claim commit"},
		{why: whyCommit + " Who waited for it shares the release.", origin: invalid, plan: "swap#2=before, swap#3=before, swap#4=before, swap#5=before, swap#6=before",
			first: "422 unknown", ran: 1, second: "422 released", runs: 1, tells: "claim release wait replay"},
		{why: whyDied, rule: "/short-lease/", origin: invalid, plan: "swap#2=cut-before",
			first: cutOff, ran: 1, second: "200 created", runs: 2, tells: "claim wait takeover commit"},
		{why: "killed after the release: the next submit runs", origin: invalid, plan: "swap#2=cut-after",
			first: cutOff, ran: 1, second: "200 created", runs: 2, tells: "claim release claim commit"},
		{why: "it is unknown at once (502), and the store fails too", origin: dropped, plan: "swap#2=before",
			first: "502 unknown origin", ran: 1, second: "200 created", runs: 2, tells: "claim unknown claim commit"},
		{why: "it is unknown at once (502), and the store stays away", rule: "/short-lease/", origin: dropped, plan: "swap#2+=before",
			first: "502 unknown origin", ran: 1, second: "200 created", runs: 2, tells: "claim wait takeover commit"},
		{why: whyHold, rule: "/hold/", origin: halved, plan: "swap#2=after",
			first: "502 unknown origin", ran: 1, second: "409 unknown unknown", runs: 1, tells: "claim unknown held"},
		{why: whyHold, rule: "/hold/", origin: halved, plan: "swap#2+=before",
			first: "502 unknown origin", ran: 1, second: "409 unknown unknown", runs: 1, tells: "claim wait held"},
		{why: "what could not be noted beside an answer is noted with the next", plan: "note=before", again: "note=before",
			first: "200 created", ran: 1, second: "200 replayed", runs: 1, tells: "claim commit replay"},
	})
}
