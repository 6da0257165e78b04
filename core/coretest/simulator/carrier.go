package simulator

import (
	"bytes"

	"github.com/singleshot-edge/singleshot/core"
)

// carrier carries out what one exchange decides: edge/host/entry.js in Go. There is no decision in it.
type carrier struct {
	index      int32
	generation uint32
	alive      bool
	serial     int    // of the exchange within the simulation, from 1
	step       uint32 // events so far
	x          *core.Exchange
	e          *core.Effect
	guard      *guard
	visit      visit
	form       *form
	headers    core.Headers

	// What the host holds.
	body     []byte // what the visitor sends
	fed      int    // how much of it was fed
	whole    bool
	stored   []byte // the sealed body that came last from a store
	out      []byte // the origin's answer as it goes out
	sealed   []byte // the same, sealed
	hasSeal  bool
	wrote    core.Version // of the last write
	head     []byte       // and its head
	renewing bool
	renewal  call // what the interval sends
	run      *run
	pending  core.Event // ready to be told when the next step is due
	ready    bool

	// What the simulation knows and the exchange does not.
	record      *record
	repeat      bool
	began       int64
	asked       int64 // the same in ticks
	line        int   // of the story that tells how it began, from 1
	effects     int
	granted     bool // the last word of the claim store was that the claim is this exchange's
	claim       core.Version
	forwarded   bool
	answered    bool
	gone        bool // the visitor has left
	storeFailed bool // an excuse for a refusal
	unreadable  bool // stored bytes that this guard cannot open, another one
	spoilt      bool // KV returned other bytes than were written
	trouble     bool // the claim may lapse although the guard is well
	busy        bool
	forgotten   bool  // an operator has forgotten its claim
	waitedSince int64 // when it first heard that somebody else runs, 0 for never
	waitedEnds  int   // how often the record had ended by then
	waited      int64 // milliseconds in the claim store
	waits       int
	seen        meaning // of what a store showed last
	seenVersion core.Version
	mismatches  int  // of the key, as the store counted then
	fromKV      bool // and it was KV
	joined      bool // a large body has been hashed
	settled     settlement
	lost        bool // the large answer could not be written to KV
}

// settlement is what the claim store said last about this exchange's commit or release.
type settlement uint8

const (
	notSettled settlement = iota
	settles               // it stands
	superseded            // something else is there
	unsettled             // the store failed
)

// fate is what became of an exchange, for those who meet its claim later.
type fate uint8

const (
	fateForwarded fate = 1 << iota // it reached the origin
	fateSettled                    // it tried to settle
	fateRefused                    // it answered that nothing was sent
)

// working says that the exchange is between its claim and its answer.
func (c *carrier) working() bool { return c.alive && c.forwarded && !c.answered }

func (w *world) newCarrier() *carrier {
	var c *carrier
	if n := len(w.freeCarriers); n > 0 {
		c = w.carriers[w.freeCarriers[n-1]]
		w.freeCarriers = w.freeCarriers[:n-1]
		index, generation := c.index, c.generation
		headers, body, stored, out, sealed, head := c.headers[:0], c.body[:0], c.stored[:0], c.out[:0], c.sealed[:0], c.head[:0]
		*c = carrier{index: index, generation: generation, headers: headers, body: body, stored: stored, out: out, sealed: sealed, head: head}
	} else {
		c = &carrier{index: int32(len(w.carriers))}
		w.carriers = append(w.carriers, c)
	}
	c.alive = true
	w.serials++
	c.serial = w.serials
	w.fates = append(w.fates, 0)
	return c
}

// drop ends a carrier's life; whatever is still under way for it finds another generation.
func (w *world) drop(c *carrier) {
	c.alive = false
	c.generation++
	c.x, c.e = nil, nil
	w.freeCarriers = append(w.freeCarriers, c.index)
}

// tell gives the exchange an event and goes on with what it says.
func (w *world) tell(c *carrier, event *core.Event) {
	if w.seams.event != nil {
		w.seams.event(w, c, event)
	}
	event.Now = w.now + c.guard.skew
	c.step++
	c.e = c.x.Next(event)
	w.proceed(c)
}

// later tells the exchange an event after some time.
func (w *world) later(c *carrier, event core.Event, delay int64) {
	c.pending, c.ready = event, true
	w.queueCarrier(w.now+delay, resumeDue, c)
}

func (w *world) queueCarrier(at int64, kind happening, c *carrier) {
	w.queue.push(due{at: at, tie: w.tie(), generation: c.generation, who: c.index, kind: kind})
}

// resume goes on with a carrier whose delay is over.
func (w *world) resume(c *carrier) {
	if c.ready {
		c.ready = false
		w.tell(c, &c.pending)
		return
	}
	w.carryOut(c)
}

func (w *world) proceed(c *carrier) {
	c.effects++
	if c.effects > 100+int(w.timing.lease)*2 {
		w.broken("I8", c.record, "#%d has had %d effects and does not end", c.serial, c.effects)
		return
	}
	if w.chance.hits(w.weather.crash) {
		w.crash(c.guard)
		return
	}
	if c.e.Delay > 0 {
		w.queueCarrier(w.now+c.e.Delay, resumeDue, c)
		return
	}
	w.carryOut(c)
}

func (w *world) carryOut(c *carrier) {
	if w.seams.effect != nil {
		w.seams.effect(w, c, c.e)
	}
	switch e := c.e; e.Kind {
	case core.DoHash:
		w.hash(c)
	case core.DoDrain:
		w.feedRest(c)
		c.joined = true
		w.later(c, core.Event{Kind: core.EventHashed, Whole: true}, w.transit())
	case core.DoSwap:
		w.swap(c, e)
	case core.DoWait:
		w.wait(c, e)
	case core.DoForward:
		w.forward(c, e)
	case core.DoCollect:
		w.collect(c)
	case core.DoFetch:
		w.fetch(c, e)
	case core.DoTrail:
		w.askTrail(c, e)
	case core.DoForget:
		w.askForget(c, e)
	case core.DoKeep:
		c.seal()
		w.put(c, e.Name, nil, c.sealed, e.TTL, true)
	case core.DoEnd:
		w.end(c)
	case core.DoRespond:
		w.respond(c, e)
	default:
		w.broken("host", c.record, "#%d asks for an effect that the host does not know: %d", c.serial, e.Kind)
	}
}

// hash feeds the visitor's body. Of a large one the first piece stands for the first MiB.
func (w *world) hash(c *carrier) {
	n := len(c.body)
	if c.visit.large {
		n -= 8 // the key stands in it (contract §2)
	}
	w.feed(c, n)
	c.whole = !c.visit.large
	w.later(c, core.Event{Kind: core.EventHashed, Whole: c.whole}, w.chance.between(0, 5))
}

func (w *world) feed(c *carrier, to int) {
	piece := c.body[c.fed:to]
	if w.seams.feed != nil {
		piece = w.seams.feed(w, c, piece)
	}
	c.x.Feed(piece)
	c.fed = to
}

func (w *world) feedRest(c *carrier) {
	if !c.whole {
		w.feed(c, len(c.body))
		c.whole = true
	}
}

// swap is the host's compare-and-set.
func (w *world) swap(c *carrier, e *core.Effect) {
	r := w.recordOf(c, e)
	if w.violation != nil {
		return
	}
	if e.Body && !c.hasSeal {
		c.seal()
	}
	w.checkVersion(c, e)
	k := w.newCall(callSwap, c)
	k.record, k.old, k.version, k.lapsed = r, e.Old, e.Version, e.Lapsed
	k.lease, k.ttl, k.bodyTTL = e.Lease, e.TTL, e.BodyTTL
	k.head = append(k.head[:0], e.Head...)
	k.body, k.hasBody = k.body[:0], e.Body
	if e.Body {
		k.body = append(k.body, c.sealed...)
	}
	k.note = append(k.note[:0], e.Note...)
	w.trailOf(c, e)
	k.means = meaning{kind: actClaim, serial: c.serial, payload: c.visit.payload, known: !c.visit.large}
	if e.Lease == 0 {
		k.means = c.outcome()
		w.fates[c.serial] |= fateSettled
	} else if c.claim != e.Version {
		c.claim, c.granted = e.Version, false
	}
	if w.seams.swap != nil {
		w.seams.swap(w, c, k)
	}
	r.noteCall(w, c, k)
	if w.story != nil {
		w.say(r, "#%d asks %s for a %s (%s → %s)", c.serial, r.cell.name, k.means.kind, w.versionText(r, k.old), w.versionText(r, k.version))
	}
	w.send(k)
}

// outcome is what this exchange's settling write stands for, by what its origin did.
func (c *carrier) outcome() meaning {
	m := meaning{kind: actRelease, serial: c.serial, payload: c.visit.payload, known: !c.visit.large || c.joined, run: c.run}
	switch {
	case c.run == nil || c.run.failed:
		m.run = nil
		m.unknown = c.run != nil && c.run.sent
		m.known = !c.visit.large
	case c.run.verdict == actCommit:
		m.kind = actCommit
	case c.run.verdict == actNone:
		m.unknown = true
	}
	return m
}

func (c *carrier) seal() {
	c.sealed, c.hasSeal = c.x.Seal(c.sealed[:0], c.out, true), true
}

func (w *world) wait(c *carrier, e *core.Effect) {
	r := w.recordOf(c, e)
	if w.violation != nil {
		return
	}
	k := w.newCall(callWait, c)
	k.record, k.old, k.wait = r, e.Old, e.Wait
	if w.seams.wait != nil {
		w.seams.wait(w, c, k)
	}
	r.noteCall(w, c, k)
	w.send(k)
}

// noteWaited adds what a carrier waited in the claim store, and holds it against its budget (I8).
func (w *world) noteWaited(k *call) {
	c := k.carrier
	if k.unheard || c.generation != k.asker {
		return
	}
	c.waited += w.now - k.arrived
	c.waits++
	if c.waited > w.timing.wait*1000+int64(c.waits) {
		w.broken("I8", k.record, "#%d has waited %s of %s", c.serial, seconds(c.waited), seconds(w.timing.wait*1000))
	}
}

// answer takes the answer of a call back to its carrier.
func (w *world) answer(k *call) {
	c := k.carrier
	if c.generation != k.asker || c.step != k.step || !c.alive || k.unheard {
		w.dropCall(k)
		return
	}
	if w.thaw(c.guard, replyDue, k.index, k.generation) {
		return
	}
	c.pending = k.event
	event := &c.pending
	if event.HasBody {
		c.stored = append(c.stored[:0], k.body...)
	} else {
		c.stored = c.stored[:0]
	}
	switch event.Kind {
	case core.EventFound:
		if len(event.Head) > 0 {
			c.seen, c.fromKV = k.seen, true
		}
	case core.EventStoreFailed:
		c.storeFailed = true
		if w.story != nil {
			w.say(k.record, "#%d hears that its %s failed", c.serial, k.what())
		}
	case core.EventBusy:
		c.busy = true
	case core.EventRefused, core.EventChanged:
		c.seen, c.seenVersion, c.fromKV = k.seen, event.Version, false
		c.mismatches = event.Mismatches
		c.hear(w, k, event)
	case core.EventSwapped:
		c.hear(w, k, event)
	case core.EventKeepFailed:
		c.lost = true
	}
	if k.record != nil {
		k.record.noteReturn(w, c, k, event)
	}
	if k.broken {
		w.dropCall(k)
		w.giveUp(c)
		return
	}
	w.tell(c, event)
	w.dropCall(k) // after Next: the event's head is the call's
}

// hear takes note of the claim store's word about this exchange's claim and settlement.
func (c *carrier) hear(w *world, k *call, event *core.Event) {
	own := event.Kind == core.EventSwapped || event.Version == k.version && k.kind == callSwap
	switch {
	case k.kind == callWait:
		c.granted = false
	case k.means.kind == actClaim:
		c.granted = own
		if own && w.now-k.sent >= w.lease {
			c.storeFailed = true // a word that comes after the lease is none
		}
	case own:
		c.settled = settles
	default:
		c.settled = superseded
	}
	if event.Kind != core.EventSwapped && event.Version != (core.Version{}) && !c.guard.opens(event.Head) {
		c.unreadable = true
	}
	if event.Kind != core.EventSwapped && !own && c.waitedSince == 0 && c.seen.kind == actClaim && event.Lease > 0 {
		c.waitedSince, c.waitedEnds = w.now, k.record.ends
	}
}

// opens says whether a guard knows the secret of a stored head.
func (g *guard) opens(head []byte) bool {
	return g.knows != oldOnly || len(head) < 5 || !bytes.Equal(head[1:5], newSecretID())
}

// forward sends the request to the origin.
func (w *world) forward(c *carrier, e *core.Effect) {
	w.checkForward(c, e)
	if w.violation != nil {
		return
	}
	c.forwarded = true
	w.fates[c.serial] |= fateForwarded
	c.run = w.newRun(c, e)
	if e.Lease > 0 {
		c.renewing = true
		c.renewal = call{record: c.record, version: e.Version, lease: e.Lease}
		w.queueCarrier(w.now+max(1, e.Lease/3), renewDue, c)
	}
	w.request(c)
}

// renew is the host's interval.
func (w *world) renew(c *carrier) {
	if !c.renewing {
		return
	}
	if w.now-c.began > 100*w.lease+60_000 {
		w.broken("I8", c.record, "#%d still renews its claim after %s: it stands at effect %d", c.serial, seconds(w.now-c.began), c.e.Kind)
		return
	}
	if w.thaw(c.guard, renewDue, c.index, c.generation) {
		return
	}
	w.queueCarrier(w.now+max(1, c.renewal.lease/3), renewDue, c)
	if w.seams.renew != nil && w.seams.renew(w, c) {
		return
	}
	if w.chance.hits(w.weather.renewal) {
		c.trouble = true
		w.tally.LostRenewals++
		if w.story != nil {
			w.say(c.record, "~ lost: a renewal of #%d", c.serial)
		}
		return
	}
	k := w.newCall(callRenew, c)
	k.record, k.version, k.lease = c.record, c.renewal.version, c.renewal.lease
	transit := w.transit()
	if transit > w.lease/8 {
		c.trouble = true
	}
	w.tally.Renewals++
	w.queueCall(w.now+transit, arrivalDue, k)
}

// collect reads the origin's answer: the piece that is there goes through the engine.
func (w *world) collect(c *carrier) {
	r := c.run
	if r.cutShort {
		w.later(c, core.Event{Kind: core.EventOriginFailed, Sent: true}, w.chance.between(1, 50))
		r.failed, r.sent = true, true
		if w.story != nil {
			w.say(c.record, "~ broken: the answer to #%d ends early", c.serial)
		}
		return
	}
	c.out = c.x.Pour(c.out[:0], r.body, true)
	r.out = append(r.out[:0], c.out...)
	length := int64(len(c.out))
	if r.length > length {
		length = r.length // a large answer without its bytes
	}
	if c.visit.large && !c.whole && w.chance.pick(3) > 0 {
		w.feedRest(c)
	}
	c.joined = c.joined || c.whole
	w.later(c, core.Event{Kind: core.EventBody, Length: length, TooLarge: length > c.e.Limit, Whole: c.whole}, w.transit())
}

// end is the host's last act.
func (w *world) end(c *carrier) {
	c.renewing = false
	if !c.answered {
		w.broken("I8", c.record, "#%d ends without an answer", c.serial)
	}
	w.drop(c)
}
