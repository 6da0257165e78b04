//go:build unix

package contract_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"
)

// logLine is what the log says of one guarded request.
type logLine struct {
	Key, Rule, Outcome string
	Status             int
	Store, KV          *int
	MS                 *float64
}

// lineSince waits for a line of the log that has that part.
func (g *guard) lineSince(t *testing.T, mark int, part string) (line logLine, text string) {
	t.Helper()
	text, err := g.log.Wait(mark, regexp.MustCompile(`\{"key":.*`+regexp.QuoteMeta(part)), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	text = text[strings.IndexByte(text, '{'):]
	if err := json.Unmarshal([]byte(text), &line); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return line, text
}

func TestOneLogLineForEachGuardedRequest(t *testing.T) {
	g := shared(t)
	if g.log == nil {
		t.Skip("GUARD_URL is set: this test reads the guard's log")
	}
	const why = "One structured log line per guarded request: digest, rule, status, outcome, store and KV calls, milliseconds."
	r := g.origin.route("/logged/", order)
	f := g.visitor(t).render(r)
	digest := ""
	for _, c := range []struct {
		outcome      string
		status       int
		fewest, most int // calls of the claim store before the answer
		send         func() *reply
	}{
		{"created", 200, 2, 2, func() *reply { return f.submit(htmx) }},
		{"replayed", 200, 0, 2, func() *reply { return f.submit(htmx) }}, // 0: it is recalled
		{"mismatch", 422, 1, 2, func() *reply { return f.set("amount", "2").submit(htmx) }},
	} {
		mark := g.log.Mark()
		c.send().must(why, wants{status: c.status, outcome: c.outcome, replay: c.outcome == "replayed"})
		line, text := g.lineSince(t, mark, `"rule":"/logged/**","status":`+itoa(c.status)+`,"outcome":"`+c.outcome+`"`)
		if line.Key == "" || line.Store == nil || line.KV == nil || line.MS == nil {
			t.Errorf("%s lacks something\n\t(%s)", text, why)
		}
		if line.Store != nil && (*line.Store < c.fewest || *line.Store > c.most) {
			t.Errorf("%s: %d calls of the claim store; want %d to %d\n\t(Critical round trips: fresh two swaps, replay and mismatch one)", c.outcome, *line.Store, c.fewest, c.most)
		}
		if digest == "" {
			digest = line.Key
		}
		if line.Key != digest {
			t.Errorf("the key is called %s, and %s before; want one digest", line.Key, digest)
		}
		if strings.Contains(text, f.key()) || strings.Contains(text, r.path) {
			t.Errorf("%s shows the key or the path\n\t(Logs carry digests and the rule's glob, never values, paths or queries)", text)
		}
	}
	mark := g.log.Mark()
	g.visitor(t).call(g.origin.route("/api/", created).path, "logged-key-000001", `{}`).must(why, wants{status: 201, outcome: "created"})
	if line, text := g.lineSince(t, mark, `"rule":"/api/**","status":201`); !strings.HasPrefix(line.Key, "weur-") {
		t.Errorf("%s\n\t(Keys that were not minted here live in 32 fixed shards of one region (REGION))", text)
	}
	const byDigest = "GET /_singleshot/keys/<key or digest>"
	got := g.visitor(t).send(request{method: "GET", path: "/_singleshot/keys/" + digest, mode: asJSON, header: []string{"Authorization", "Bearer " + adminSecret}}).
		must(byDigest, wants{status: 200, has: []string{`"event":"commit"`, `"event":"mismatch"`}})
	var trail struct{ Key string }
	if err := json.Unmarshal(got.body, &trail); err != nil || trail.Key != digest {
		t.Errorf("the trail calls the key %q, %v; want the log's %s", trail.Key, err, digest)
	}
}

func TestAStormOfDuplicatesSparesTheClaimStore(t *testing.T) {
	g := shared(t)
	if g.log == nil {
		t.Skip("GUARD_URL is set: this test reads the guard's log")
	}
	const why = "duplicates: the first answer back, same status, same body; for two seconds the isolate needs no claim store for it"
	f := g.visitor(t).render(g.origin.route("/recalled/", order))
	first := f.submit(htmx).must(why, wants{outcome: "created"})
	calls := 0
	const most = 50
	for range most {
		mark := g.log.Mark()
		f.submit(htmx).must(why, wants{status: 200, outcome: "replayed", replay: true}).same(why, first)
		line, _ := g.lineSince(t, mark, `"rule":"/recalled/**","status":200,"outcome":"replayed"`)
		calls += *line.Store
	}
	if calls > most/2 { // one asks whenever the machine took two seconds
		t.Errorf("%d duplicates made %d calls of the claim store; want few\n\t(%s)", most, calls, why)
	}
	f.set("amount", "7").submit(htmx).must("422 that names the existing record; the origin is not called", wants{status: 422, outcome: "mismatch", has: []string{"amount"}})
	f.set("amount", "1").submit(htmx).must(why, wants{outcome: "replayed", replay: true}).same(why, first)

	admin := []string{"Authorization", "Bearer " + adminSecret}
	const noted = "For every key the guard keeps what happened (claim, waits, replays, mismatches, takeovers, commit, release)"
	g.visitor(t).send(request{method: "GET", path: "/_singleshot/keys/" + f.key(), mode: asJSON, header: admin}).
		must(noted, wants{status: 200, has: []string{`"count":` + itoa(1+1+most+1+1)}})
	const forget = "DELETE forgets a record."
	g.visitor(t).send(request{method: "DELETE", path: "/_singleshot/keys/" + f.key(), header: admin}).must(forget, wants{status: 204})
	f.submit(htmx).must(forget, wants{outcome: "created", has: []string{"Order 1002"}})
}

func theLogMayLeaveOutWhatIsOrdinary(t *testing.T) {
	g := own(t, config{vars: map[string]string{"LOG": "warnings"}})
	const why = "with LOG = warnings only an outcome of unknown, or a warning, has a line"
	mark := g.log.Mark()
	f := g.visitor(t).render(g.origin.route("/"))
	f.submit(htmx).must(why, wants{outcome: "created"})
	f.submit(htmx).must(why, wants{outcome: "replayed", replay: true})
	g.visitor(t).render(g.origin.route("/hold/", dropped)).submit(htmx).must(why, wants{outcome: "unknown"})
	if line, text := g.lineSince(t, mark, ""); line.Outcome != "unknown" {
		t.Errorf("the first line is %s\n\t(%s)", text, why)
	}
}

func TestTheTrailTellsWhatThePersonDid(t *testing.T) {
	g := shared(t)
	const why = `with the module "two clicks", "one click, sent twice" and "the origin ran twice" read differently; without it "two requests"`
	for _, c := range []struct {
		summary string
		first   script
		clients []string // Idempotency-Client of each submit
	}{
		{"two clicks", order, []string{"attempt=1; trigger=click", "attempt=2; trigger=enter"}},
		{"one click, sent twice", order, []string{"attempt=1; trigger=click", "attempt=1; trigger=retry"}},
		{"the origin ran twice", dropped, []string{"attempt=1; trigger=click", "attempt=2; trigger=click"}},
		{"the origin ran twice, and had refused before", answer(503, "busy"), []string{"attempt=1; trigger=click", "attempt=2; trigger=click"}},
		{"two requests", order, []string{"", ""}},
		{"one request", order, []string{""}},
	} {
		t.Run(c.summary, func(t *testing.T) {
			t.Parallel()
			r := g.origin.route("/", c.first, order)
			f := g.visitor(t).render(r)
			for _, client := range c.clients {
				f.submit(mode(htmx).with("Idempotency-Client", client))
			}
			got := g.visitor(t).send(request{method: "GET", path: "/_singleshot/keys/" + f.key(), mode: asJSON, header: []string{"Authorization", "Bearer " + adminSecret}})
			for end := time.Now().Add(30 * time.Second); !strings.Contains(string(got.body), c.summary) && time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
				got = g.visitor(t).send(request{method: "GET", path: "/_singleshot/keys/" + f.key(), mode: asJSON, header: []string{"Authorization", "Bearer " + adminSecret}})
			}
			has := []string{`"summary":"` + c.summary + `"`}
			for _, client := range c.clients {
				if _, trigger, ok := strings.Cut(client, "trigger="); ok {
					has = append(has, `"trigger":"`+trigger+`"`)
				}
			}
			got.must(why, wants{status: 200, has: has})
		})
	}
}

func TestALongTrailKeepsItsEnds(t *testing.T) {
	g := shared(t)
	const why = "the trail keeps the first 8 and last 24 entries and counts the rest"
	f := g.visitor(t).render(g.origin.route("/"))
	f.submit(htmx).must("fresh key", wants{outcome: "created"})
	for range 10 {
		f.parallel(4, htmx)
	}
	var trail struct {
		Count   int
		Entries []struct {
			Event string
			At    time.Time
		}
	}
	for end := time.Now().Add(30 * time.Second); trail.Count < 42 && time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		got := g.visitor(t).send(request{method: "GET", path: "/_singleshot/keys/" + f.key(), mode: asJSON, header: []string{"Authorization", "Bearer " + adminSecret}})
		if err := json.Unmarshal(got.body, &trail); err != nil {
			t.Fatalf("%v in %s", err, cut(got.body))
		}
	}
	if trail.Count != 42 || len(trail.Entries) != 32 || trail.Entries[0].Event != "claim" || trail.Entries[1].Event != "commit" || trail.Entries[31].Event != "replay" {
		t.Errorf("the trail counts %d and has %d entries, first %s; want 42 and 32, the claim first\n\t(%s)", trail.Count, len(trail.Entries), trail.Entries[0].Event, why)
	}
}
