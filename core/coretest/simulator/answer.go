package simulator

import (
	"bytes"

	"github.com/singleshot-edge/singleshot/core"
)

// checkAnswer judges an answer by what the store showed this exchange last and by what its origin did.
func (w *world) checkAnswer(c *carrier, e *core.Effect, body []byte) {
	r := c.record
	lines := e.Headers
	if e.Source == core.SourceOrigin {
		lines = e.Edit.Set
	}
	if last(lines, "Idempotency-Status") != e.Outcome || e.Outcome == "" {
		w.broken("§4", r, "the answer to #%d does not say its Idempotency-Status", c.serial)
		return
	}
	if last(lines, "Idempotency-Replayed") == "true" != (e.Outcome == "replayed") {
		w.broken("§4", r, "the answer to #%d is wrong about Idempotency-Replayed", c.serial)
		return
	}
	if c.waits > 0 && c.waited > w.timing.wait*1000+int64(c.waits) {
		w.broken("I8", r, "#%d has waited %s of %s", c.serial, seconds(c.waited), seconds(w.timing.wait*1000))
		return
	}
	if e.Outcome == "replayed" && c.heard == 0 && !c.fromKV && !c.visit.looking {
		w.checkRecall(c, e)
		if w.violation != nil {
			return
		}
	}
	w.checkScope(c, e, body)
	switch e.Outcome {
	case "created":
		w.checkOwn(c, e, actCommit)
	case "released":
		if c.run == nil {
			w.checkShared(c, e, body, false)
		} else {
			w.checkOwn(c, e, actRelease)
		}
	case "replayed":
		w.checkReplay(c, e, body)
	case "mismatch":
		w.checkMismatch(c, e)
	case "running":
		w.checkRunning(c)
	case "unknown":
		w.checkUnknown(c, e, body)
	case "refused":
		w.checkRefused(c, e)
	default:
		w.broken("§4", r, "#%d gets a status that there is not: %s", c.serial, e.Outcome)
	}
}

// checkScope: no answer leaves its scope (I6). What the origin answered carries the number of its run.
func (w *world) checkScope(c *carrier, e *core.Effect, body []byte) {
	if e.Source == core.SourceOrigin {
		if c.run == nil || c.run.carrier != c {
			w.broken("I6", c.record, "#%d gets what the origin answered to somebody else", c.serial)
		}
		return
	}
	id := e.Headers.Get("X-Run")
	if id == "" {
		return
	}
	if c.seen.run == nil || c.seen.run.id != id || c.seen.run.record != c.record {
		w.broken("I6", c.record, "#%d gets the answer of run %s, which is not in its record", c.serial, id)
	}
	if e.Headers.Has("Set-Cookie") {
		// Cookies go to the same visitor alone, and only while the browser may have thrown the first answer away
		// (contract §4). The guards' clocks differ.
		if w.now-c.seen.written > w.timing.wait*1000+2*mostSkew {
			w.broken("§4", c.record, "#%d gets a cookie %s after the commit", c.serial, seconds(w.now-c.seen.written))
		}
		if f := c.form; f.rule.keying == keyEvent || f.rule.keying != keyHeader && w.visitors[c.visit.visitor].cookie == "" {
			w.broken("I6", c.record, "#%d has no subject and gets a cookie", c.serial)
		}
	}
}

// checkOwn: what the visitor is told about his own run is what was written.
func (w *world) checkOwn(c *carrier, e *core.Effect, verdict act) {
	want := c.outcome()
	switch {
	case c.run == nil:
		w.broken("§4", c.record, "#%d is told %s and never ran", c.serial, e.Outcome)
	case want.kind != verdict || want.unknown:
		w.broken("§1.1", c.record, "#%d is told %s; its origin's answer is a %s", c.serial, e.Outcome, want.kind)
	case c.settled != settles:
		w.broken("I3", c.record, "#%d is told %s, and the claim store did not say so", c.serial, e.Outcome)
	case e.Source == core.SourceInline && want.run != nil:
		w.broken("I10", c.record, "#%d does not get the origin's own answer", c.serial)
	}
}

// checkReplay: the committed answer, to the same submission.
func (w *world) checkReplay(c *carrier, e *core.Effect, body []byte) {
	m := &c.seen
	switch {
	case m.kind != actCommit:
		w.broken("I7", c.record, "#%d gets a replay of a %s", c.serial, m.kind)
		return
	case c.forwarded:
		w.broken("I7", c.record, "#%d ran and gets a replay", c.serial)
		return
	case c.compares(m) && m.payload != c.visit.payload:
		w.broken("I4", c.record, "#%d sends something else than #%d did and gets its answer", c.serial, m.serial)
		return
	case last(e.Headers, "Cache-Control") != "no-store":
		w.broken("§4", c.record, "the replay to #%d may be cached", c.serial)
		return
	}
	w.checkBody(c, e, body)
	if !c.fromKV && !c.recalled && w.violation == nil {
		c.record.noteReplay(w, c)
	}
}

// compares says whether this exchange's payload has to be held against that of a write. A wait link of a body over
// 1 MiB cannot: the body is gone, and was not hashed.
func (c *carrier) compares(m *meaning) bool {
	return c.form.rule.compare && m.known && !(c.visit.looking && c.visit.large)
}

// checkBody: the bytes of a kept answer are those that went out first, and its status is the first one, but
// where htmx and plain forms are told apart (contract §4) and where nothing was kept.
func (w *world) checkBody(c *carrier, e *core.Effect, body []byte) {
	run := c.seen.run
	if run == nil {
		return
	}
	if e.Source == core.SourceRecord || e.Source == core.SourceRecall {
		if !bytes.Equal(body, run.out) {
			w.broken("§1", c.record, "#%d gets other bytes than run %s answered", c.serial, run.id)
		}
		if e.Status != run.reply.status {
			w.broken("§1", c.record, "#%d gets %d; run %s answered %d", c.serial, e.Status, run.id, run.reply.status)
		}
		return
	}
	if e.Source != core.SourceInline {
		w.broken("§1", c.record, "#%d gets the bytes of something else than run %s", c.serial, run.id)
	}
	if len(run.body) > 0 && run.length <= 1<<20 && run.reply.status == 200 && !run.headers.Has("HX-Redirect") && !c.lostBody() {
		w.broken("§1", c.record, "#%d gets a tombstone; run %s is kept", c.serial, run.id)
	}
}

// lostBody says that the store had the head and no body: a release whose body has faded.
func (c *carrier) lostBody() bool { return len(c.stored) == 0 && !c.recalled }

// checkShared: who waited for a release gets it (contract §1.2).
func (w *world) checkShared(c *carrier, e *core.Effect, body []byte, unknown bool) {
	m := &c.seen
	if c.visit.looking && e.Headers.Get("X-Run") == "" {
		// The page of a wait link that says that nothing was sent.
		if m.kind == actCommit || !unknown && (m.unknown || m.kind == actClaim) {
			w.broken("§1.3", c.record, "the wait link of #%d says that nothing was sent; the store showed a %s", c.serial, m.kind)
		}
		return
	}
	switch {
	case m.kind != actRelease || m.unknown != unknown:
		w.broken("§1.2", c.record, "#%d is told %s; the store showed a %s", c.serial, e.Outcome, m.kind)
		return
	case c.waitedSince == 0 && !c.visit.looking:
		w.broken("§1.2", c.record, "#%d did not wait and is given somebody else's release", c.serial)
		return
	case c.compares(m) && m.payload != c.visit.payload:
		w.broken("I4", c.record, "#%d sends something else than #%d did and gets its release", c.serial, m.serial)
		return
	}
	w.checkBody(c, e, body)
}

func (w *world) checkMismatch(c *carrier, e *core.Effect) {
	m := &c.seen
	switch {
	case m.kind != actCommit:
		w.broken("I4", c.record, "#%d is told of a mismatch with a %s", c.serial, m.kind)
	case !c.form.rule.compare || m.payload == c.visit.payload:
		w.broken("I4", c.record, "#%d sends the same as #%d did and is told of a mismatch", c.serial, m.serial)
	case c.forwarded:
		w.broken("I4", c.record, "#%d is a mismatch and has reached the origin", c.serial)
	case c.mismatches >= core.MostMismatches:
		w.broken("§8", c.record, "#%d is the mismatch number %d of its key", c.serial, c.mismatches+1)
	case e.Status != 422:
		w.broken("I4", c.record, "the mismatch of #%d has status %d", c.serial, e.Status)
	}
}

// checkRunning: only after the wait budget, or when too many wait (contract §1.3, §8).
func (w *world) checkRunning(c *carrier) {
	switch {
	case c.forwarded:
		w.broken("§1.3", c.record, "#%d ran and is told that somebody else does", c.serial)
	case !c.busy && w.now-c.began < w.timing.wait*1000:
		w.broken("§1.3", c.record, "#%d is sent to wait after %s of %s", c.serial, seconds(w.now-c.began), seconds(w.timing.wait*1000))
	case !c.busy && c.seen.kind != actClaim && c.waits == 0:
		w.broken("§1.3", c.record, "#%d is told that somebody runs; the store showed a %s", c.serial, c.seen.kind)
	case c.granted:
		w.broken("§1.3", c.record, "#%d waits for its own claim", c.serial)
	}
}

// checkUnknown: nobody knows whether the origin did the work.
func (w *world) checkUnknown(c *carrier, e *core.Effect, body []byte) {
	hold := c.form.rule.hold
	switch {
	case c.run != nil:
		own := c.outcome()
		if own.unknown || c.settled == unsettled || c.settled == notSettled && c.storeFailed {
			return
		}
		switch {
		case c.settled == settles:
			w.broken("§4", c.record, "#%d is told unknown; its %s stands", c.serial, own.kind)
			return
		case w.weather.calm:
			w.broken("§1.6", c.record, "#%d is told unknown in calm weather", c.serial)
			return
		}
		if t := &c.record.truth; t.means.serial == c.serial && t.means.kind == own.kind {
			w.broken("I3", c.record, "#%d is told unknown; its %s stands and was written over", c.serial, own.kind)
		}
	case c.seen.kind == actRelease && c.seen.unknown && e.Status != 409:
		w.checkShared(c, e, body, true)
	case c.visit.looking && e.Status == 502 && (c.seen.kind == actClaim || c.seen.kind == actNone):
		// The run that it waited for was lost.
	case hold && c.seen.kind == actClaim && !c.seen.astray && w.fates[c.seen.serial] == fateRefused:
		w.broken("§1.7", c.record, "#%d is told unknown; #%d had the claim, reached no origin and said that the key is live", c.serial, c.seen.serial)
	case !hold:
		w.broken("§1.5", c.record, "#%d is told unknown where the rule says retry", c.serial)
	case c.seen.kind == actRelease && !c.seen.unknown, c.seen.kind == actCommit:
		w.broken("§1.5", c.record, "#%d is told unknown; the store showed a %s", c.serial, c.seen.kind)
	}
}

// checkRefused: the guard refuses only with a reason, and a visitor who is refused has not reached the origin.
func (w *world) checkRefused(c *carrier, e *core.Effect) {
	switch {
	case c.forwarded:
		w.broken("§1.7", c.record, "#%d reached the origin and is refused", c.serial)
	case e.Status == 503 && (c.storeFailed || c.unreadable || c.spoilt):
	case e.Status == 429 && c.mismatches >= core.MostMismatches && c.seen.kind == actCommit && c.seen.payload != c.visit.payload:
		w.tally.Refusals++
	case e.Status == 403 && c.guard.knows == oldOnly && c.form.rule.keying == keyField:
	case e.Status == 404 && c.visit.looking:
		if c.seen.kind == actCommit && c.record != nil && !c.unreadable && c.guard.knows != oldOnly {
			w.broken("§1.3", c.record, "the wait link of #%d finds nothing; #%d has committed", c.serial, c.seen.serial)
		}
	case e.Status == 400 && c.visit.looking && c.form.rule.keying == keyHeader:
	default:
		w.broken("§4", c.record, "#%d is refused with %d for no reason", c.serial, e.Status)
	}
}

// last returns the value of the last line of that name.
func last(h core.Headers, name string) string {
	for i := len(h) - 1; i >= 0; i-- {
		if h[i].Name == name {
			return h[i].Value
		}
	}
	return ""
}
