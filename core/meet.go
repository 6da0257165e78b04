package core

// This file decides about a record that is there already: replay, mismatch, wait, take over, run.

// meetRecord acts on a record that is there already.
func (x *Exchange) meetRecord(e *Event) *Effect {
	if e.Version == (Version{}) {
		if x.looking {
			return x.notSent()
		}
		return x.claim(Version{}, 1, false) // gone meanwhile: expired or forgotten
	}
	if !x.openRecord(e.Head, e.Version) {
		return x.refuse(NoticeStore)
	}
	x.lease, x.hasBody, x.mismatches, x.shown = e.Lease, e.HasBody, e.Mismatches, x.asked
	return x.act()
}

// openRecord reads a sealed head into x.other.
func (x *Exchange) openRecord(head []byte, version Version) bool {
	plain, s, err := openHead(x.spare.buffer(spareOpened), head, &x.root, x.guard.sealing...)
	if err != nil || version != (Version{}) && s.v != version {
		return false
	}
	x.spare.keep(spareOpened, plain)
	room := x.spare.newMet()
	record, err := decodeRecord(plain, &room.other)
	if err != nil {
		return false
	}
	*room = met{other: record, otherSealer: s, seen: s.v}
	x.met = room
	return true
}

// act decides about x.other.
func (x *Exchange) act() *Effect {
	switch decide(&x.other, circumstances{
		lease: x.lease, hold: x.rule.Hold,
		// At a wait link a large body is gone: its subject and key have to do.
		compare: x.rule.Compare && (x.known || !x.looking),
		known:   x.known, own: x.fingerprint, waitedFor: x.waitedFor,
	}) {
	case moveRun:
		if x.looking {
			return x.notSent()
		}
		return x.claim(x.seen, x.other.Attempt+1, false)
	case moveTakeOver:
		if x.looking {
			return x.notSent()
		}
		return x.claim(x.seen, x.other.Attempt+1, true)
	case moveWait:
		fresh := x.waitedFor != x.other.Attempt
		x.waitedFor = x.other.Attempt // the wait link too, where there is no time to wait here
		left := x.began + int64(x.rule.Wait)*1000 - x.now
		if left <= 0 {
			return x.running()
		}
		if fresh {
			x.note(TrailWait, 0)
		}
		x.at = stageWait
		do := x.do(DoWait)
		x.address(do)
		do.Old, do.Wait = x.seen, min(left, x.lease+1)
		return do
	case moveCompare:
		x.at = stageDrain
		return x.do(DoDrain)
	case moveShare:
		return x.share()
	case moveUnknown:
		return x.held()
	case moveMismatch:
		if !x.repeat && x.rule.Key.Kind == KeyField && isAttachment(x.other.Headers) {
			// A download leaves the page as it is; its form goes on with other values (contract §1).
			x.repeat, x.waitedFor = true, 0
			x.locate()
			if x.looking {
				return x.read()
			}
			return x.claim(Version{}, 1, false)
		}
		if x.mismatches >= MostMismatches {
			return x.refuse(NoticeBusy)
		}
		return x.mismatch()
	}
	return x.replay()
}

// onWait has news of somebody else's claim, or none.
func (x *Exchange) onWait(e *Event) *Effect {
	switch e.Kind {
	case EventChanged:
		return x.meetRecord(e)
	case EventBusy:
		return x.running()
	case EventTimedOut:
		if x.now >= x.began+int64(x.rule.Wait)*1000 {
			return x.running()
		}
	}
	if x.looking {
		return x.read()
	}
	// The lease may be over, or the store has restarted and forgotten who waits: a swap tells.
	if x.other.State == Claimed && e.Kind == EventTimedOut && !x.rule.Hold {
		return x.claim(x.seen, x.other.Attempt+1, true)
	}
	do := x.claim(Version{}, 1, false)
	if e.Kind == EventStoreFailed { // nobody hammers a store in trouble
		do.Delay = min(int64(retryDelay)<<x.misses, 1000)
		x.asked += do.Delay
		x.misses = min(x.misses+1, 10)
	}
	return do
}

// onDrain has the fingerprint of a duplicate's large body.
func (x *Exchange) onDrain(e *Event) *Effect {
	if x.submission.Close() != nil {
		return x.refuse(NoticeBadBody)
	}
	x.joinFingerprint()
	return x.act()
}
