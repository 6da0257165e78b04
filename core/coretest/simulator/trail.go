package simulator

import "github.com/singleshot-edge/singleshot/core"

// trail is what the claim store keeps of a key besides its records. Its entries are all of one size; the cell
// cuts them without understanding them.
type trail struct {
	name    string
	cell    *cell
	entries []byte
	count   int
	tally   int // mismatches
	expires int64

	// What came beside answers waits a second in the cell's memory; a restart loses it.
	later      []byte
	laterTally int
	laterTTL   int64
	laterAt    int64 // by the cell's clock, 0 for nothing
}

const (
	firstEntries = 8 // what the cell keeps of a long trail (contract §8)
	lastEntries  = 24
)

func (t *trail) add(note []byte, tally int, now, ttl int64) {
	if t.expires <= now {
		t.entries, t.count, t.tally, t.expires = t.entries[:0], 0, 0, 0
	}
	t.entries = append(t.entries, note...)
	const size = core.TrailEntrySize
	if over := len(t.entries) - (firstEntries+lastEntries)*size; over > 0 {
		t.entries = append(t.entries[:firstEntries*size], t.entries[firstEntries*size+over:]...)
	}
	t.count += len(note) / size
	t.tally += tally
	t.expires = max(t.expires, now+ttl)
}

const laterFor = 1000 // milliseconds

// wait puts off entries that came beside an answer.
func (t *trail) wait(note []byte, tally int, now, ttl int64) {
	t.settle(now)
	if t.laterAt == 0 {
		t.laterAt = now
	}
	t.later, t.laterTally, t.laterTTL = append(t.later, note...), t.laterTally+tally, max(t.laterTTL, ttl)
}

// flush writes what was put off.
func (t *trail) flush(now int64) {
	if t.laterAt == 0 {
		return
	}
	t.add(t.later, t.laterTally, now, t.laterTTL)
	t.lose()
}

// settle is flush where the second is over.
func (t *trail) settle(now int64) {
	if t.laterAt != 0 && now >= t.laterAt+laterFor {
		t.flush(t.laterAt + laterFor)
	}
}

func (t *trail) lose() { t.later, t.laterTally, t.laterTTL, t.laterAt = t.later[:0], 0, 0, 0 }

func (t *trail) mismatches(now int64) int {
	t.settle(now)
	if t.expires <= now {
		return t.laterTally
	}
	return t.tally + t.laterTally
}

// trailOf finds the trail that an effect names, and checks that it is the key's own, in the key's claim store.
func (w *world) trailOf(c *carrier, e *core.Effect) *trail {
	t := &c.form.trail
	if t.name == "" {
		t.name, t.cell = e.Trail, w.cellNamed(e.Shard)
	}
	switch {
	case t.name != e.Trail:
		w.broken("I6", c.record, "#%d notes what it does in the trail of another key", c.serial)
	case t.cell.name != e.Shard:
		w.broken("I6", c.record, "#%d looks for its trail in another claim store, %s", c.serial, e.Shard)
	}
	return t
}

// sendNote keeps what an answer adds to the trail, off the critical path.
func (w *world) sendNote(c *carrier, e *core.Effect) {
	if len(e.Note) == 0 {
		return
	}
	w.trailOf(c, e)
	k := w.newCall(callNote, c)
	k.form, k.note, k.mismatch, k.ttl, k.unheard = c.form, append(k.note[:0], e.Note...), e.Mismatch, e.TTL, true
	w.checkNote(c.record, k.note)
	if w.chance.hits(w.weather.lostBefore) {
		w.tally.Lost++
		w.dropCall(k)
		return
	}
	w.queueCall(w.now+w.transit(), arrivalDue, k)
}

// checkNote: entries of one size that show no field, key, path or subject.
func (w *world) checkNote(r *record, note []byte) {
	if len(note)%core.TrailEntrySize != 0 {
		w.broken("I9", r, "a trail's entries are not all of one size")
	}
	w.checkSecret(r, note)
}

// askTrail reads the trail for an operator.
func (w *world) askTrail(c *carrier, e *core.Effect) {
	w.trailOf(c, e)
	k := w.newCall(callTrail, c)
	k.form = c.form
	w.send(k)
}

// askForget forgets the records of a key and its trail, in KV too.
func (w *world) askForget(c *carrier, e *core.Effect) {
	w.trailOf(c, e)
	k := w.newCall(callForget, c)
	k.form, k.names = c.form, append([]string(nil), e.Forget...)
	w.send(k)
	for _, name := range e.Forget {
		if a := w.answers[name]; a != nil {
			a.expires = w.now
			if w.weather.kvSpreads {
				a.expires += w.chance.between(0, remembered) // elsewhere it can be read for a while
			}
		}
	}
}

// arriveTrail carries out a call about a trail.
func (w *world) arriveTrail(k *call) {
	t := &k.form.trail
	now := t.cell.clock(w)
	switch k.kind {
	case callNote:
		t.wait(k.note, bit(k.mismatch), now, k.ttl)
		w.dropCall(k)
	case callTrail:
		t.flush(now)
		k.event = core.Event{Kind: core.EventTrail}
		if t.expires > now {
			k.head = append(k.head[:0], t.entries...)
			k.event.Head, k.event.Length = k.head, int64(t.count)
		}
		w.reply(k)
	case callForget:
		t.flush(now)
		t.expires = 0
		for _, name := range k.names {
			if r := w.records[name]; r != nil {
				if k.carrier.generation == k.asker && !k.repeats {
					k.carrier.forgot = append(k.carrier.forgot, forgotten{r, r.truth.version, w.now})
				}
				w.forget(r)
			}
		}
		k.event = core.Event{Kind: core.EventForgotten}
		w.reply(k)
	}
}
