//go:build unix

package contract_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// The faults of claim store, KV, shard and visitor are real ones: testdata/faults.js is the guard as it is
// deployed, in workerd, and does to the calls of one request what its header Faults says. Each case looks at
// what the visitor gets, how often the origin ran, and what is stored: by the next submit and by the trail.

var (
	faultyOnce  sync.Once
	faultyGuard *guard
	faultyErr   error
)

// faulty returns the guard whose stores fail as a test asks. The test runs in parallel to others from here on.
func faulty(t *testing.T) *guard {
	t.Helper()
	if testing.Short() {
		t.Skip("needs the guard in workerd: not part of -short")
	}
	if os.Getenv("GUARD_URL") != "" {
		t.Skip("GUARD_URL is set: this test needs a guard whose stores fail when it asks")
	}
	if subject != "guard" {
		t.Skip("the entry of these faults is the Worker's; package edge does the like to its stores")
	}
	t.Parallel()
	faultyOnce.Do(func() { faultyGuard, faultyErr = start(config{entry: "edge/contract/testdata/faults.toml"}) })
	if faultyErr != nil {
		t.Fatal(faultyErr)
	}
	return faultyGuard
}

// faults makes a submit whose calls go wrong as the plan says.
func faults(plan string) mode { return mode(asJSON).with("Faults", plan) }

// cutOff is what the test's entry answers for an exchange that was killed: its visitor has gone.
const cutOff = "599"

// said checks an answer against a short text: the status, the outcome, and the type of a problem.
func (r *reply) said(why, want string) *reply {
	r.t.Helper()
	parts := append(strings.Fields(want), "", "")
	status, err := strconv.Atoi(parts[0])
	if err != nil {
		r.t.Fatal(err)
	}
	return r.must(why, wants{status: status, outcome: parts[1], problem: parts[2], replay: parts[1] == "replayed"})
}

// events are what the trail of a key says, in order.
func (g *guard) events(t *testing.T, key string) string {
	t.Helper()
	got := g.visitor(t).send(request{method: "GET", path: "/_singleshot/keys/" + key, mode: asJSON, header: []string{"Authorization", "Bearer " + adminSecret}})
	if got.status == 404 {
		return ""
	}
	var trail struct{ Entries []struct{ Event string } }
	if err := json.Unmarshal(got.body, &trail); err != nil {
		t.Fatalf("trail = %d %s: %v", got.status, cut(got.body), err)
	}
	var events []string
	for _, e := range trail.Entries {
		events = append(events, e.Event)
	}
	return strings.Join(events, " ")
}

var mayBeMissing = regexp.MustCompile(`\([a-z]+\) `)

// mustTell checks the trail of a key, where an event in brackets may be missing. What happened beside an answer is
// noted after it.
func (g *guard) mustTell(t *testing.T, why, key, want string) {
	t.Helper()
	got := ""
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		got = g.events(t, key)
		if got == strings.NewReplacer("(", "", ")", "").Replace(want) || got == mayBeMissing.ReplaceAllString(want, "") {
			return
		}
	}
	t.Errorf("the trail says %q; want %q\n\t(%s)", got, want, why)
}

// faultCase is one pair of a fault and a step. The same form is submitted twice, one after the other.
type faultCase struct {
	why    string
	rule   string // prefix of the path; "" for the implicit rule
	origin script // what the first run answers; nil for an order
	plan   string // of the first submit
	first  string // its answer
	ran    int    // how often the origin had run by then
	again  string // the plan of the second submit
	second string // its answer
	runs   int    // how often the origin ran in the end
	tells  string // the trail in the end
}

func (c faultCase) name() string {
	name := strings.Trim(c.rule, "/") + " " + c.plan
	if c.again != "" {
		name += " then " + c.again
	}
	return strings.TrimSpace(name)
}

func tryFaults(t *testing.T, cases []faultCase) {
	g := faulty(t)
	for _, c := range cases {
		t.Run(c.name(), func(t *testing.T) {
			t.Parallel()
			prefix, scripts := c.rule, []script{order}
			if prefix == "" {
				prefix = "/"
			}
			if c.origin != nil {
				scripts = []script{c.origin, order}
			}
			r := g.origin.route(prefix, scripts...)
			f := g.visitor(t).render(r)
			first := f.submit(faults(c.plan)).said(c.why, c.first)
			r.mustRun(t, c.why, c.ran)
			second := f.submit(faults(c.again)).said(c.why, c.second)
			if strings.HasPrefix(c.first, "200 ") && strings.HasPrefix(c.second, "200 replayed") && c.runs == 1 && c.origin == nil {
				second.same(c.why, first)
			}
			r.mustRun(t, c.why, c.runs)
			g.mustTell(t, c.why, f.key(), c.tells)
			var want []string
			for i := range r.got() {
				want = append(want, r.got()[i].header.Get("Idempotency-Attempt"))
			}
			attempts(t, r, want...) // one key for all runs
		})
	}
}
