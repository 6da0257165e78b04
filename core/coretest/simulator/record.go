package simulator

import "github.com/singleshot-edge/singleshot/core"

// act is what a write makes of a record.
type act uint8

const (
	actNone act = iota
	actClaim
	actCommit
	actRelease
)

func (a act) String() string { return [...]string{"nothing", "claim", "commit", "release"}[a] }

// meaning is what the simulation knows about a write: who made it and what it stands for. It travels with the
// stored bytes, beside the system under test, and is never shown to it.
type meaning struct {
	kind    act
	serial  int // of the exchange that wrote
	payload int8
	known   bool // the fingerprint is in it
	unknown bool // released without knowing whether the origin did the work
	astray  bool // a repeated message wrote it: its exchange may long have ended and know nothing of it
	attempt int
	run     *run  // whose answer is kept; nil where the origin gave none
	written int64 // when it was carried out, simulated milliseconds
}

// truth is the state of a record as the order of writes at its claim store makes it. It is kept by the
// invariants' own rules, so that it differs from the row as soon as the cell does something else.
type truth struct {
	means   meaning
	version core.Version
	holder  *carrier // of a claim
	asker   uint32   // its generation
	attempt int
	lease   int64 // end of it, by the cell's clock
	expires int64 // end of retention, by the cell's clock
}

// record is one record: its row in a claim store, who waits for it there, and the truth.
type record struct {
	name    string
	scope   *scope
	index   int
	cell    *cell
	row     row
	waiters []*call
	truth   truth
	marked  string
	ends    int            // how often its time was over or it was forgotten
	works   int            // how often the origin has done its work since then
	worksAt int            // ends by then
	firsts  []core.Version // the writes over nothing
	gone    forgotten      // what an operator has been told of
	told    int64          // when, in ticks
	again   bool           // one write was carried out twice, because the record had ended in between: no history
	history history
}

// scope is subject × form × key, in repeat mode × payload, as the oracle sees it: it must have one name, and
// nobody else may have that one.
type scope struct {
	form    *form
	visitor int8
	record  *record
}

// recordOf finds or makes the record that a carrier's effect names, and checks that name and claim store are
// what they always were for this scope (I6).
func (w *world) recordOf(c *carrier, e *core.Effect) *record {
	if r := c.record; r != nil && r.name == e.Name && r.cell.name == e.Shard {
		return r
	}
	s := w.scopeOf(c)
	if s.record != nil && s.record.name != e.Name && !c.repeat && c.form.rule.attaches {
		// After a download was committed the form goes on in repeat mode (contract §1).
		c.repeat, c.seen, c.waitedSince = true, meaning{}, 0
		s = w.scopeOf(c)
	}
	r := w.records[e.Name]
	if r == nil {
		r = w.newRecord()
		r.name, r.scope, r.cell = e.Name, s, w.cellNamed(e.Shard)
		w.records[e.Name] = r
		w.checkSecret(r, []byte(e.Name), []byte(e.Shard), []byte(e.Trail))
	}
	switch {
	case s.record == nil:
		s.record = r
	case s.record != r:
		w.broken("I6", r, "#%d looks for its record under a name that its scope never had", c.serial)
	}
	if r.scope != s {
		w.broken("I6", r, "two scopes share a record: #%d gets at that of another", c.serial)
	}
	if r.cell.name != e.Shard {
		w.broken("I1", r, "#%d looks for its record in another claim store, %s", c.serial, e.Shard)
	}
	c.record = r
	if c.line > 0 && w.story != nil {
		w.story.lines[c.line-1].record = r.index
	}
	return r
}

func (w *world) newRecord() *record {
	var r *record
	if n := len(w.recordPool); w.usedRecords < n {
		r = w.recordPool[w.usedRecords]
		head, body, waiters, ops, firsts := r.row.head[:0], r.row.body[:0], r.waiters[:0], r.history[:0], r.firsts[:0]
		*r = record{waiters: waiters, history: ops, firsts: firsts}
		r.row.head, r.row.body = head, body
	} else {
		r = new(record)
		w.recordPool = append(w.recordPool, r)
	}
	w.usedRecords++
	r.index = w.usedRecords
	return r
}

// lapse takes note that a record's time is over.
func (w *world) lapse(r *record, now int64) {
	t := &r.truth
	if t.means.kind == actNone || t.expires > now {
		return
	}
	if t.means.kind == actClaim && t.lease > now {
		return // the lease is what counts (I1); the row may be gone
	}
	w.tally.Expired++
	if w.story != nil {
		w.say(r, "the time of R%d is over", r.index)
	}
	r.noteEnd(w)
	r.ends++
	*t = truth{}
}

// forget is an operator's DELETE: the record is gone, whatever it was.
func (w *world) forget(r *record) {
	if r.truth.means.kind != actNone {
		w.tally.Forgotten++
		if w.story != nil {
			w.say(r, "an operator forgets R%d", r.index)
		}
		if h := r.truth.holder; h != nil && h.generation == r.truth.asker {
			h.forgotten = true
		}
		r.noteEnd(w)
		r.ends++
		r.truth = truth{}
	}
	r.row.version = core.Version{}
	w.wake(r, r.cell.clock(w))
	w.checkRow(r)
}
