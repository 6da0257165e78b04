package simulator

import (
	"fmt"
	"io"
)

// Tally counts what happened, so that a run that found nothing can show that it looked.
type Tally struct {
	Simulations, Exchanges, Steps                             int64
	Answers                                                   [statuses]int64
	Runs, Reruns, SideEffects, Commits, Releases, Takeovers   int64
	Twofold, Overtaken                                        int64
	Expired, Forgotten, Returns, Busy, Left, Refusals         int64
	Crashes, Killed, Freezes, Restarts                        int64
	Lost, Unacknowledged, Late, Twice, Renewals, LostRenewals int64
	Reads, Writes, KVFailures, Spoilt                         int64
	Refused, Broken                                           int64
	Recalls                                                   int64
	Histories, Operations                                     int64
}

// The words of Idempotency-Status, in the order in which the tally lists them.
const (
	statusCreated = iota
	statusReplayed
	statusReleased
	statusMismatch
	statusRunning
	statusUnknown
	statusRefused
	statuses
)

var statusWords = [statuses]string{"created", "replayed", "released", "mismatch", "running", "unknown", "refused"}

func statusIndex(word string) int {
	for i, w := range statusWords {
		if w == word {
			return i
		}
	}
	return statusRefused
}

// Add adds another tally.
func (t *Tally) Add(o *Tally) {
	for i := range t.Answers {
		t.Answers[i] += o.Answers[i]
	}
	a, b := t.counts(), o.counts()
	for i := range a {
		*a[i].n += *b[i].n
	}
}

type count struct {
	n    *int64
	text string
}

func (t *Tally) counts() []count {
	return []count{
		{&t.Simulations, "simulations"}, {&t.Exchanges, "exchanges"}, {&t.Steps, "steps"},
		{&t.Runs, "runs of the origin"}, {&t.Reruns, "of them announced as attempt 2 or later"}, {&t.SideEffects, "side effects"},
		{&t.Twofold, "of them for work that had been done before, after a takeover or an unknown outcome"},
		{&t.Overtaken, "of them after another run's commit, by a request that was on its way before it"},
		{&t.Commits, "commits"}, {&t.Releases, "releases"}, {&t.Takeovers, "takeovers"},
		{&t.Expired, "records whose time ended"}, {&t.Forgotten, "records forgotten"}, {&t.Returns, "visitors who came back at the end of the retention"},
		{&t.Busy, "waiters turned away"}, {&t.Left, "visitors who left"}, {&t.Refusals, "mismatches beyond the limit"},
		{&t.Crashes, "guards that died"}, {&t.Killed, "exchanges that died"}, {&t.Freezes, "guards that stood still"}, {&t.Restarts, "claim stores that restarted"},
		{&t.Lost, "calls lost"}, {&t.Unacknowledged, "acknowledgements lost"}, {&t.Late, "calls carried out after their failure was reported"},
		{&t.Twice, "calls carried out twice"}, {&t.Renewals, "renewals"}, {&t.LostRenewals, "renewals lost"},
		{&t.Recalls, "replays without a call of the claim store"},
		{&t.Reads, "reads from KV"}, {&t.Writes, "writes to KV"}, {&t.KVFailures, "writes to KV that failed"}, {&t.Spoilt, "reads that KV spoilt"},
		{&t.Refused, "connections refused by the origin"}, {&t.Broken, "connections to the origin that broke"},
		{&t.Histories, "histories checked"}, {&t.Operations, "operations in them"},
	}
}

// Write writes the tally as a list.
func (t *Tally) Write(to io.Writer) {
	for _, c := range t.counts() {
		fmt.Fprintf(to, "%14d %s\n", *c.n, c.text)
	}
	for i, word := range statusWords {
		fmt.Fprintf(to, "%14d answers: %s\n", t.Answers[i], word)
	}
}
