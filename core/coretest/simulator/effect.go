package simulator

import (
	"bytes"

	"github.com/singleshot-edge/singleshot/core"
)

// carryOut does what the exchange asks for: each case is a method of the host's Carrier.
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
		if k.kind == callSwap {
			c.heard = k.sent
		}
		c.mismatches = event.Mismatches
		c.hear(w, k, event)
		if k.seen.kind == actCommit && c.heard > 0 {
			c.guard.recall(shown{c.record, k.seen, event.Version, c.heard})
		}
	case core.EventSwapped:
		c.hear(w, k, event)
		if k.means.kind == actCommit {
			c.guard.recall(shown{c.record, k.means, k.version, k.sent})
		}
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

// end is the host's last act.
func (w *world) end(c *carrier) {
	c.renewing = false
	if !c.answered {
		w.broken("I8", c.record, "#%d ends without an answer", c.serial)
	}
	w.drop(c)
}
