package simulator

import (
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
	claimed  core.Version // what the interval renews
	interval int64        // milliseconds that it renews for
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
	mismatches  int   // of the key, as the store counted then
	fromKV      bool  // and it was KV
	heard       int64 // when the claim store was asked that showed it, simulated milliseconds; 0 where it has not been heard
	recalled    bool  // no store was asked: the guard recalls it
	forgot      []forgotten
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
	fateRefused                    // it answered that nothing was sent, and the key is live
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
		*c = carrier{index: index, generation: generation, x: c.x, headers: headers, body: body, stored: stored, out: out, sealed: sealed, head: head}
	} else {
		c = &carrier{index: int32(len(w.carriers)), x: new(core.Exchange)}
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
	c.e = nil
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
	w.queue.push(due{order: w.orderAt(at), generation: c.generation, who: c.index, kind: kind})
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
