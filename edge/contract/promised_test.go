//go:build unix && promised

package contract_test

import (
	"strings"
	"testing"
)

// What the contract promises and the guard does not keep yet. `go test -tags promised ./edge/contract/` runs it
// with all the rest; a test that passes moves to the file of its section.

func TestAVeryLongForgedKeyIs403(t *testing.T) {
	g := shared(t)
	const why = "ik_… that fails its MAC or is malformed: 403, origin not called, no storage touched"
	r := g.origin.route("/")
	g.visitor(t).render(r).set("idempotency_key", "ik_"+strings.Repeat("A", 5000)).submit(asJSON).
		must(why, wants{status: 403, outcome: "refused", problem: "forged-key"})
	r.mustRun(t, why, 0)
}

func TestTheTrailIsAPageToo(t *testing.T) {
	g := shared(t)
	const why = "GET /_singleshot/keys/<key or digest> as page or JSON"
	f := g.visitor(t).render(g.origin.route("/"))
	f.submit(browser).must("fresh key", wants{outcome: "created"})
	g.visitor(t).get("/_singleshot/keys/"+f.key(), "Authorization", "Bearer "+adminSecret).
		must(why, wants{status: 200, has: []string{"<!doctype html", "commit"}, hasNot: []string{f.key()}})
}
