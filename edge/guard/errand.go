//go:build wasip1

package main

import "github.com/singleshot-edge/singleshot/core"

// errand is what the host does for an exchange beside what core asks for: before an effect, or after the answer.
type errand struct {
	doing  step
	effect core.Effect // the one that waits for it, or the answer that was sent
	notes  []core.Note // on their way to their claim store
	again  bool        // and not for the first time
	urgent bool        // and not to be gathered
	names  []string    // of records that KV has still to forget
}

type step byte

const (
	noting    step = iota // notes go where the effect looks for them
	deleting              // KV forgets records, one after the other
	holding               // a page is read until it is known which head it has (contract §6)
	answering             // the answer is sent
	gathering             // notes are gathered behind it
	closing               // and something is written behind it
)

// notes are of all exchanges.
var notes core.Gathering

// over stands in for an exchange of which only the errand is left.
var over core.Exchange

// carry tells the host an effect, or what has to be done before it.
func carry(handle uint32, e *core.Effect, now int64) uint32 {
	s := place(handle)
	s.asked, s.errand = e.Kind, nil
	switch {
	case e.Kind == core.DoTrail:
		if waiting, again := notes.Take(e.Shard); len(waiting) > 0 {
			s.errand = &errand{doing: noting, effect: *e, notes: waiting, again: again}
			return tellNotes(handle, &s.errand.effect, waiting)
		}
	case e.Kind == core.DoForget:
		// The claim store last: as long as it knows the trail, forgetting can be repeated.
		if len(e.Forget) > 0 {
			s.errand = &errand{doing: deleting, effect: *e, names: e.Forget}
			return tellDelete(handle, e.Forget[0])
		}
	case e.Kind == core.DoRespond && e.Hold:
		s.asked = core.DoCollect
		s.errand = &errand{doing: holding, effect: *e}
		return tellHold(handle)
	case e.Kind == core.DoRespond && e.KeepAll:
		s.errand = &errand{doing: answering, effect: *e}
		return tell(handle, e, true)
	case e.Kind == core.DoRespond && len(e.Note) > 0:
		if send, urgent := notes.Add(e.Shard, noteOf(e), now); send {
			s.errand = &errand{doing: answering, effect: *e, urgent: urgent}
			return tell(handle, e, true)
		}
	}
	return tell(handle, e, e.More)
}

func noteOf(e *core.Effect) core.Note {
	n := core.Note{Trail: e.Trail, Entries: e.Note, TTL: e.TTL}
	if e.Mismatch {
		n.Tally = 1
	}
	return n
}

// next takes the host's word and tells it what follows.
func (r *errand) next(handle uint32, x *core.Exchange, event *core.Event, said word) uint32 {
	e := &r.effect
	switch r.doing {
	case noting:
		r.noted(said)
		place(handle).errand = nil
		return tell(handle, e, false)
	case deleting:
		if said == failed {
			event.Kind = core.EventStoreFailed
			return carry(handle, x.Next(event), event.Now)
		}
		if r.names = r.names[1:]; len(r.names) > 0 {
			return tellDelete(handle, r.names[0])
		}
		place(handle).errand = nil
		return tell(handle, e, false)
	case holding:
		switch {
		case said == failed:
			return carry(handle, x.Next(event), event.Now)
		case x.Keyed() || event.TooLarge:
			e.Edit = core.JoinEdits(e.Edit, e.Held)
		case x.Changed():
			e.Edit = core.JoinEdits(e.Edit, e.Altered)
		}
		place(handle).errand = nil
		return tell(handle, e, false)
	case answering:
		r.doing = closing
		if e.KeepAll {
			return tellKeep(handle, e)
		}
		// The answer was the guard's own, and is sent: for a second of waiting only the place of the notes is kept.
		place(handle).x = &over
		*e = core.Effect{Kind: core.DoRespond, Shard: e.Shard, Region: e.Region}
		if !r.urgent {
			r.doing = gathering
			return tellPause(handle, core.GatherTime)
		}
		return r.send(handle)
	case gathering:
		r.doing = closing
		return r.send(handle)
	}
	r.noted(said)
	return tellEnd()
}

// send tells the host the notes that were gathered.
func (r *errand) send(handle uint32) uint32 {
	if r.notes, r.again = notes.Take(r.effect.Shard); len(r.notes) == 0 {
		return tellEnd()
	}
	return tellNotes(handle, &r.effect, r.notes)
}

// noted knows whether the notes are where they belong. What could not be sent goes with the next ones, once.
func (r *errand) noted(said word) {
	if said == failed && !r.again {
		notes.Return(r.effect.Shard, r.notes)
	}
}
