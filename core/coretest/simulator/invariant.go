package simulator

import (
	"bytes"

	"github.com/singleshot-edge/singleshot/core"
)

// This file holds what must be true after every step (ARCHITECTURE.md, I1 to I9; contract sections where the
// invariants say less). Everything is judged by the order of writes at the claim store and by what the visitors
// did, never by what the exchange believes.

// checkWrite judges a swap that the cell is about to carry out, and moves the truth on.
func (w *world) checkWrite(r *record, k *call, now int64) {
	t := &r.truth
	old := *t
	r.again = r.again || k.repeats // the first one was refused, or what it wrote is gone
	if k.old == (core.Version{}) {
		for _, v := range r.firsts {
			r.again = r.again || v == k.version
		}
		r.firsts = append(r.firsts, k.version)
	}
	w.checkSecret(r, k.head, k.body)
	w.checkNote(r, k.note)
	switch k.means.kind {
	case actClaim:
		w.checkClaim(r, k, now)
	default:
		w.checkSettle(r, k, now)
	}
	if w.violation != nil {
		return
	}
	t.version, t.means = k.version, k.means
	t.means.written = w.now
	k.means.written = w.now
	t.lease, t.expires = now+k.lease, now+k.ttl
	switch k.means.kind {
	case actClaim:
		t.holder, t.asker = k.carrier, k.asker
		t.attempt = old.attempt + 1
		if old.means.kind == actClaim && old.means.serial == k.serial && !k.lapsed {
			// It claims again because the store's word came late; it has not run. (A repeated message may have
			// claimed for it too, without its knowledge. That it takes over, as anybody would.)
			t.attempt = old.attempt
		}
		t.means.attempt = t.attempt
		t.expires = max(t.expires, t.lease)
		if w.story != nil {
			w.say(r, "%s claims R%d for #%d (attempt %d), lease %s", r.cell.name, r.index, k.serial, t.attempt, seconds(k.lease))
		}
	default:
		t.holder = nil
		t.means.attempt = t.attempt
		// Retention is what the rule and the origin say (contract §4), whatever the write asked for.
		t.expires = now + w.retention(k.means)
		if w.story != nil {
			w.say(r, "%s carries out the %s of R%d by #%d", r.cell.name, k.means.kind, r.index, k.serial)
		}
	}
	k.means.attempt = t.attempt
}

// retention is how long a settled record is kept, milliseconds.
func (w *world) retention(m meaning) int64 {
	if m.kind == actCommit && m.run != nil && m.run.ttl > 0 {
		return m.run.ttl
	}
	return w.timing.ttl * 1000
}

// checkClaim: a claim stands on nothing, on a release, or on a claim whose lease is over.
func (w *world) checkClaim(r *record, k *call, now int64) {
	t := &r.truth
	switch t.means.kind {
	case actCommit:
		w.broken("I2", r, "#%d claims over the commit of #%d", k.serial, t.means.serial)
	case actClaim:
		switch {
		case t.lease > now && t.means.serial != k.serial:
			w.broken("I1", r, "#%d claims while #%d holds a lease for %s more", k.serial, t.means.serial, seconds(t.lease-now))
		case k.hold() && t.means.serial != k.serial:
			w.broken("I7", r, "#%d takes over under unknown = hold", k.serial)
		default:
			if t.means.serial == k.serial {
				break
			}
			w.tally.Takeovers++
			if h := t.holder; h.generation == t.asker && h.working() && !h.trouble && !t.means.astray {
				w.broken("I1", r, "#%d takes over from #%d, which is well and renews its lease", k.serial, t.means.serial)
			}
		}
	case actRelease:
		if t.means.unknown && k.hold() {
			w.broken("I7", r, "#%d runs after an unknown outcome under unknown = hold", k.serial)
		}
		c := k.carrier
		if c.generation == k.asker && c.waitedSince > 0 && c.waitedSince < t.means.written && c.waitedEnds == r.ends && k.means.known &&
			(!c.form.rule.compare || t.means.known && t.means.payload == c.visit.payload) {
			w.broken("§1.2", r, "#%d waited and runs because #%d failed", k.serial, t.means.serial)
		}
	}
}

// checkSettle: only the holder commits or releases.
func (w *world) checkSettle(r *record, k *call, now int64) {
	t := &r.truth
	switch {
	case t.means.kind == actCommit:
		w.broken("I2", r, "#%d writes over the commit of #%d", k.serial, t.means.serial)
	case t.means.kind != actClaim || t.means.serial != k.serial || t.version != k.old:
		w.broken("I3", r, "#%d settles a record that it does not hold", k.serial)
	case k.means.kind == actCommit:
		w.tally.Commits++
	default:
		w.tally.Releases++
	}
}

func (k *call) hold() bool { return k.record.scope.form.rule.hold }

// checkRenewal moves the truth's lease on where the renewal is the holder's.
func (w *world) checkRenewal(r *record, k *call, now int64) {
	t := &r.truth
	if t.means.kind != actClaim || t.version != k.version {
		return
	}
	t.lease = now + k.lease
	t.expires = max(t.expires, t.lease)
}

// checkRow: after every step the cell holds what the truth says.
func (w *world) checkRow(r *record) {
	now := r.cell.clock(w)
	found, t := r.seen(now), &r.truth
	if t.means.kind == actNone {
		if found != nil && t.expires <= now && r.row.means.kind != actNone {
			w.broken("§1.9", r, "the claim store shows a record whose time is over")
		}
		return
	}
	switch {
	case found == nil && t.means.kind == actClaim:
		w.broken("I1", r, "the claim of #%d has a lease for %s more and is gone", t.means.serial, seconds(t.lease-now))
	case found == nil:
		w.broken("I2", r, "the %s of #%d is gone before its time", t.means.kind, t.means.serial)
	case found.version != t.version:
		w.broken("I2", r, "the claim store holds another write than the last one, that of #%d", t.means.serial)
	case t.means.kind == actClaim && found.lease != t.lease:
		w.broken("I1", r, "the lease of #%d ends at another time than it was given", t.means.serial)
	}
}

// checkWoken: nobody waits on when there is news.
func (w *world) checkWoken(r *record) {
	if len(r.waiters) > 0 {
		w.broken("I8", r, "#%d waits on, although there is news", r.waiters[0].serial)
	}
}

// checkRead: what a refused swap and a wait show is what is there.
func (w *world) checkRead(r *record, found *row, now int64) {
	switch {
	case found == nil:
	case r.truth.means.kind == actNone:
		w.broken("§1.9", r, "the claim store shows a record whose time is over")
	case found.version != r.truth.version:
		w.broken("I2", r, "the claim store shows another write than the last one, that of #%d", r.truth.means.serial)
	}
}

// checkForward judges a request to the origin at the moment at which the guard sends it.
func (w *world) checkForward(c *carrier, e *core.Effect) {
	r := c.record
	if c.visit.looking {
		w.broken("I7", r, "the wait link of #%d reaches the origin", c.serial)
		return
	}
	if r == nil || !c.granted {
		w.broken("I5", r, "#%d reaches the origin without the claim store's word", c.serial)
		return
	}
	now := r.cell.clock(w)
	w.lapse(r, now)
	t := &r.truth
	switch {
	case c.forgotten:
		return // whoever forgets a record that is running lets it run again
	case t.means.kind == actCommit && c.form.rule.compare && t.means.payload != c.visit.payload:
		w.broken("I4", r, "#%d is a mismatch with #%d and reaches the origin", c.serial, t.means.serial)
	case t.means.kind == actCommit:
		w.broken("I7", r, "#%d reaches the origin after the commit of #%d", c.serial, t.means.serial)
	case t.means.kind == actClaim && t.means.serial != c.serial:
		w.broken("I1", r, "#%d reaches the origin while #%d holds the claim", c.serial, t.means.serial)
	case t.means.kind != actClaim:
		w.broken("I7", r, "#%d reaches the origin and holds no claim", c.serial)
	case t.lease <= now:
		w.broken("I1", r, "#%d reaches the origin %s after its lease ended", c.serial, seconds(now-t.lease))
	}
	if w.violation != nil {
		return
	}
	attempt := number(e.Edit.Set.Get("Idempotency-Attempt"))
	if attempt != t.attempt {
		w.broken("I7", r, "the run of #%d is announced as attempt %d; it is attempt %d", c.serial, attempt, t.attempt)
	}
	key := e.Edit.Set.Get("Idempotency-Key")
	switch {
	case key == "":
		w.broken("I7", r, "the run of #%d has no Idempotency-Key", c.serial)
	case r.marked == "":
		r.marked = key
	case r.marked != key:
		w.broken("I7", r, "the origin gets another Idempotency-Key for #%d than for the runs before", c.serial)
	}
}

// checkWork counts the work of one submission. It may be done again after a takeover or where nobody knows; in calm
// weather there is neither.
func (w *world) checkWork(run *run) {
	r := run.record
	if t := &r.truth; t.means.kind == actCommit && t.means.serial != run.serial {
		w.tally.Overtaken++
	}
	if run.verdict != actCommit {
		return
	}
	if r.worksAt != r.ends {
		r.works, r.worksAt = 0, r.ends
	}
	if r.works++; r.works > 1 {
		w.tally.Twofold++
		if w.weather.calm {
			w.broken("§1", r, "the work of R%d is done twice in calm weather", r.index)
		}
	}
}

// checkVersion: a version names one write. It is the salt of the sealing key, so two heads under one would show
// each other (I9).
func (w *world) checkVersion(c *carrier, e *core.Effect) {
	switch {
	case e.Version != c.wrote:
		c.wrote, c.head = e.Version, append(c.head[:0], e.Head...)
	case !bytes.Equal(e.Head, c.head):
		w.broken("I9", c.record, "#%d seals two writes with one version", c.serial)
	}
}

// checkSecret: stored bytes show no field, key, path or subject (I9).
func (w *world) checkSecret(r *record, parts ...[]byte) {
	if r == nil {
		return
	}
	f := r.scope.form
	for _, part := range parts {
		if bytes.Contains(part, markBytes) || len(f.keyBytes) > 0 && bytes.Contains(part, f.keyBytes) {
			w.broken("I9", r, "stored bytes show what was submitted")
			return
		}
		if v := r.scope.visitor; v >= 0 && len(part) > 0 {
			if id := w.visitors[v].id; len(id) > 0 && (bytes.Contains(part, id) || bytes.Contains(part, w.visitors[v].cookieBytes)) {
				w.broken("I9", r, "stored bytes show who submitted")
				return
			}
		}
	}
}

var markBytes = []byte(mark)

// number reads a small whole number; -1 for anything else.
func number(text string) int {
	n := 0
	for i := 0; i < len(text); i++ {
		if text[i] < '0' || text[i] > '9' {
			return -1
		}
		n = n*10 + int(text[i]-'0')
	}
	if text == "" {
		return -1
	}
	return n
}
