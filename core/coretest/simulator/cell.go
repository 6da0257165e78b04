package simulator

import "github.com/singleshot-edge/singleshot/core"

// mostWaiters is the cell's own limit for one record (contract §8).
const mostWaiters = 64

// row is what the claim store holds for a name. This file is edge/host/cell.js in Go: it knows versions, bytes,
// leases and expiry and has no idea of idempotency. means is what the simulation knows about the row; the cell
// never looks at it.
type row struct {
	version        core.Version
	lease, expires int64 // by the cell's clock
	fades          int64
	head, body     []byte
	hasBody        bool
	means          meaning
}

// cell is one claim store.
type cell struct {
	name  string
	index int32
	skew  int64 // of its clock, milliseconds; another after a restart
}

func (s *cell) clock(w *world) int64 { return w.now + s.skew }

// seen is what is stored for a name: nil for nothing. A claim that is held outlives its time.
func (r *record) seen(now int64) *row {
	if r.row.version == (core.Version{}) || max(r.row.expires, r.row.lease) <= now {
		return nil
	}
	return &r.row
}

// show puts a row into the answer to a call.
func (k *call) show(kind core.EventKind, found *row, now int64) {
	k.event = core.Event{Kind: kind}
	k.seen = meaning{}
	k.body = k.body[:0]
	if found == nil {
		return
	}
	k.event.Version, k.event.Lease = found.version, found.lease-now
	k.event.Mismatches = k.record.scope.form.trail.mismatches(now)
	k.head = append(k.head[:0], found.head...)
	k.event.Head = k.head
	if found.hasBody && found.fades > now {
		k.event.HasBody = true
		k.body = append(k.body, found.body...)
	}
	k.seen = found.means
}

// arrive carries out a call at the claim store.
func (w *world) arrive(k *call) {
	k.arrived = w.now
	switch k.kind {
	case callNote, callTrail, callForget:
		w.arriveTrail(k)
		return
	}
	r, now := k.record, k.record.cell.clock(w)
	if w.seams.arrival != nil {
		w.seams.arrival(w, k)
	}
	w.lapse(r, now)
	switch k.kind {
	case callSwap:
		found := r.seen(now)
		if found.v() != k.old || k.lapsed && found != nil && found.lease > now {
			w.checkRead(r, found, now)
			k.show(core.EventRefused, found, now)
			if w.story != nil {
				w.say(r, "%s refuses the %s of #%d: %s is there", r.cell.name, k.means.kind, k.serial, w.rowText(r, found, now))
			}
			w.reply(k)
			return
		}
		w.checkWrite(r, k, now)
		into := &r.row
		into.version, into.lease, into.expires, into.fades = k.version, now+k.lease, now+k.ttl, now+k.bodyTTL
		into.head = append(into.head[:0], k.head...)
		into.body = append(into.body[:0], k.body...)
		into.hasBody, into.means = k.hasBody, k.means
		if len(k.note) > 0 {
			r.scope.form.trail.flush(now)
			r.scope.form.trail.add(k.note, 0, now, k.ttl)
		}
		w.wake(r, now)
		w.checkWoken(r)
		w.checkRow(r)
		k.event = core.Event{Kind: core.EventSwapped}
		w.reply(k)
	case callWait:
		found := r.seen(now)
		switch {
		case found.v() != k.old:
			w.checkRead(r, found, now)
			k.show(core.EventChanged, found, now)
			w.reply(k)
		case k.wait <= 0:
			k.event = core.Event{Kind: core.EventTimedOut}
			w.reply(k)
		case len(r.waiters) >= mostWaiters:
			w.tally.Busy++
			if w.story != nil {
				w.say(r, "%s turns #%d away: %d wait already", r.cell.name, k.serial, mostWaiters)
			}
			k.event = core.Event{Kind: core.EventBusy}
			w.reply(k)
		default:
			r.waiters = append(r.waiters, k)
			w.queueCall(w.now+k.wait, waitOver, k)
			if w.story != nil {
				w.say(r, "#%d waits at %s, at most %s", k.serial, r.cell.name, seconds(k.wait))
			}
		}
	case callRenew:
		if found := r.seen(now); found != nil && found.version == k.version {
			r.row.lease = now + k.lease
			w.checkRenewal(r, k, now)
			if w.story != nil {
				w.say(r, "%s renews the claim of #%d for %s", r.cell.name, k.serial, seconds(k.lease))
			}
		}
		w.checkRow(r)
		w.dropCall(k)
	}
}

// v is the version of a row, the zero Version for none.
func (r *row) v() core.Version {
	if r == nil {
		return core.Version{}
	}
	return r.version
}

// wake answers all who wait for a record.
func (w *world) wake(r *record, now int64) {
	if w.seams.deaf != nil && w.seams.deaf(w, r) {
		return
	}
	for _, k := range r.waiters {
		k.over = true
		k.show(core.EventChanged, r.seen(now), now)
		w.noteWaited(k)
		w.reply(k)
	}
	r.waiters = r.waiters[:0]
}

// waitEnds is a waiter's timer in the cell.
func (w *world) waitEnds(k *call) {
	r := k.record
	for i, other := range r.waiters {
		if other == k {
			r.waiters = append(r.waiters[:i], r.waiters[i+1:]...)
			break
		}
	}
	k.over = true
	k.event = core.Event{Kind: core.EventTimedOut}
	w.noteWaited(k)
	w.reply(k)
}

// restart loses a cell's memory: who waits is forgotten and hears of a broken call, and so is what happened
// beside answers within the last second. What is stored stays.
func (w *world) restart(s *cell) {
	w.tally.Restarts++
	if w.story != nil {
		w.say(nil, "%s restarts and forgets who waits", s.name)
	}
	for _, f := range w.forms[:w.usedForm] {
		if f.trail.cell == s {
			f.trail.settle(s.clock(w))
			f.trail.lose()
		}
	}
	for _, r := range w.recordPool[:w.usedRecords] {
		if r.cell != s {
			continue
		}
		for _, k := range r.waiters {
			k.over = true
			w.noteWaited(k)
			w.fail(k, w.now+w.chance.between(1, 300))
		}
		r.waiters = r.waiters[:0]
		if w.seams.restart != nil {
			w.seams.restart(w, r)
		}
	}
}
