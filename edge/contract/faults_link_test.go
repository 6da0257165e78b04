//go:build unix

package contract_test

import (
	"strings"
	"testing"
	"time"
)

// The link of a "still running" answer meets a failing store, a shard that restarts, and a holder that died: it
// tells the truth, and runs nothing.
func TestFaultsOfTheWaitLink(t *testing.T) {
	g := faulty(t)
	const why = "a link of the guard … which waits on, replays, or says \"not sent, go back\""
	for _, c := range []struct {
		why, holder string // the plan of the first submit, whose origin works until the gate opens
		plan        string // of the link
		link        string // what it answers before the gate opens
		later       string // and after the first has ended
		runs        int    // in the end, after one more submit
	}{
		{why, "", "", "503 running running", "200 replayed", 1},
		{"the claim store fails: 503, and the link stays good", "", "wait=before", "503 refused store", "200 replayed", 1},
		{"the store fails while the link waits", "", "wait#2=before", "503 running running", "200 replayed", 1},
		{"the shard restarts with who waits at the link", "", "wait#2=restart-before", "503 running running", "200 replayed", 1},
		{"the holder died: nobody knows, and a link runs nothing", "renew#1=cut-before", "", "502 unknown origin", "502 unknown origin", 2},
	} {
		t.Run(strings.TrimSpace(c.holder+" "+c.plan), func(t *testing.T) {
			t.Parallel()
			open := newGate(t)
			r := g.origin.route("/hasty/", held(open.c, order), order)
			v := g.visitor(t)
			f := v.render(r)
			first := f.submitting(faults(c.holder))
			r.await(t, 1)
			late := f.submit(browser)
			late.must("After the wait budget: 503", wants{status: 503, outcome: "running"})
			link := waitLink(t, late)
			get := func(plan string) *reply {
				return v.send(request{method: "GET", path: link, mode: faults(plan)})
			}
			got := get(c.plan)
			for end := time.Now().Add(time.Minute); c.holder != "" && got.status == 503 && time.Now().Before(end); {
				got = get(c.plan) // until the lease of the dead is over
			}
			got.said(c.why, c.link)
			r.mustRun(t, c.why, 1)
			open.open()
			first.ended()
			get("").said(c.why, c.later)
			r.mustRun(t, c.why, 1)
			f.submit(htmx).must(c.why, wants{status: 200, replay: c.runs == 1, has: []string{"Order " + itoa(1000+c.runs)}})
			r.mustRun(t, c.why, c.runs)
		})
	}
}
