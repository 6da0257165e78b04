package simulator

import "github.com/singleshot-edge/singleshot/core"

// callKind is what a guard asks a store.
type callKind uint8

const (
	callSwap callKind = iota
	callWait
	callRenew
	callNote
	callTrail
	callForget
	callGet
	callPut
)

// call is one call of a guard to the claim store or to KV, with its answer. The bytes are copies: a call may be
// carried out long after its exchange is gone.
type call struct {
	index      int32
	generation uint32
	kind       callKind

	// Who waits for the answer; nobody does for renewals and for what is off the critical path.
	carrier *carrier
	asker   uint32 // generation of the carrier
	step    uint32 // of the carrier; an answer to an earlier step comes too late
	serial  int
	sent    int64 // when

	// What is asked.
	record       *record
	old, version core.Version
	lapsed       bool
	lease        int64
	ttl, bodyTTL int64
	wait         int64
	name         string // in KV
	head, body   []byte
	hasBody      bool
	note         []byte // for the trail
	mismatch     bool   // one more of those counts
	names        []string
	form         *form   // whose trail it is
	means        meaning // of what is written

	// What is answered.
	event   core.Event
	seen    meaning // of the row or the answer that the event shows
	arrived int64   // when it reached the store
	over    bool    // a wait that has been answered
	noted   int     // its place in the record's history, from 1
	broken  bool    // the host cannot make sense of it and gives up
	repeats bool    // it is the second one
	unheard bool    // nobody hears the answer: it was lost, or it is a second one
}

func (w *world) newCall(kind callKind, c *carrier) *call {
	var k *call
	if n := len(w.freeCalls); n > 0 {
		k = w.calls[w.freeCalls[n-1]]
		w.freeCalls = w.freeCalls[:n-1]
		head, body, note := k.head[:0], k.body[:0], k.note[:0]
		*k = call{index: k.index, generation: k.generation, head: head, body: body, note: note}
	} else {
		k = &call{index: int32(len(w.calls))}
		w.calls = append(w.calls, k)
	}
	k.kind, k.carrier, k.asker, k.step, k.serial, k.sent = kind, c, c.generation, c.step, c.serial, w.now
	return k
}

func (w *world) dropCall(k *call) {
	k.generation++
	w.freeCalls = append(w.freeCalls, k.index)
}

func (w *world) queueCall(at int64, kind happening, k *call) {
	w.queue.push(due{order: w.orderAt(at), generation: k.generation, who: k.index, kind: kind})
}

// send gives a call to the claim store to the network, which decides what becomes of it.
func (w *world) send(k *call) {
	c, weather := &w.chance, &w.weather
	arrival := w.now + w.transit()
	if k.record != nil && c.hits(weather.edge) {
		if left := k.record.truth.lease - k.record.cell.clock(w); left > 0 {
			arrival = w.now + max(1, left+c.between(-3, 3))
			k.trouble(w)
		}
	}
	if arrival-w.now > w.lease/8 {
		k.trouble(w)
	}
	switch {
	case c.hits(weather.lostBefore):
		k.trouble(w)
		w.tally.Lost++
		if w.story != nil {
			w.say(k.record, "~ lost: %s of #%d never arrives", k.what(), k.serial)
		}
		w.fail(k, w.now+w.patience())
		return
	case c.hits(weather.lostAfter):
		k.trouble(w)
		w.tally.Unacknowledged++
		twin := w.twin(k)
		twin.unheard = true
		w.queueCall(arrival, arrivalDue, twin)
		if w.story != nil {
			w.say(k.record, "~ lost: #%d will not hear the answer to its %s", k.serial, k.what())
		}
		w.fail(k, max(arrival+1, w.now+w.patience()))
		return
	case c.hits(weather.late):
		k.trouble(w)
		w.tally.Late++
		twin := w.twin(k)
		twin.unheard = true
		failed := w.now + w.patience()
		w.queueCall(failed+c.between(1, w.lease*2), arrivalDue, twin)
		if w.story != nil {
			w.say(k.record, "~ late: %s of #%d arrives after its failure was reported", k.what(), k.serial)
		}
		w.fail(k, failed)
		return
	case c.hits(weather.twice):
		w.tally.Twice++
		twin := w.twin(k)
		twin.unheard = true
		twin.repeats, twin.means.astray = true, true
		w.queueCall(arrival+c.between(0, w.lease), arrivalDue, twin)
		if w.story != nil {
			w.say(k.record, "~ repeated: %s of #%d arrives twice", k.what(), k.serial)
		}
	}
	w.queueCall(arrival, arrivalDue, k)
}

// patience is how long it takes until a failure is noticed.
func (w *world) patience() int64 { return w.chance.between(1, 1500) }

// twin is a copy of a call that has a life of its own.
func (w *world) twin(k *call) *call {
	t := w.newCall(k.kind, k.carrier)
	index, generation, head, body, note := t.index, t.generation, t.head, t.body, t.note
	*t = *k
	t.index, t.generation = index, generation
	t.head, t.body, t.note = append(head, k.head...), append(body, k.body...), append(note, k.note...)
	return t
}

// fail reports a failure to the guard at some time.
func (w *world) fail(k *call, at int64) {
	k.event = core.Event{Kind: core.EventStoreFailed}
	w.queueCall(at, replyDue, k)
}

// reply sends the answer back.
func (w *world) reply(k *call) {
	if k.unheard {
		w.dropCall(k)
		return
	}
	transit := w.transit()
	if transit > w.lease/8 {
		k.trouble(w)
	}
	w.queueCall(w.now+transit, replyDue, k)
}

// trouble notes that the claim of this call's exchange may lapse although its guard is well.
func (k *call) trouble(w *world) {
	if k.carrier.generation == k.asker {
		k.carrier.trouble = true
	}
}

func (k *call) what() string {
	switch k.kind {
	case callSwap:
		return k.means.kind.String()
	case callWait:
		return "wait"
	case callRenew:
		return "renewal"
	case callNote:
		return "note"
	case callTrail:
		return "reading of the trail"
	case callForget:
		return "forgetting"
	case callGet:
		return "read from KV"
	}
	return "write to KV"
}
