package core

import (
	"strconv"
	"strings"
)

// This file leads from the scope to the origin: the claim, and what follows where the claim store is unsure.

// claim writes a claimed record over what is stored under old: nothing, a released record or, with lapsed, a
// claim whose lease is over.
func (x *Exchange) claim(old Version, attempt int, lapsed bool) *Effect {
	x.at, x.tries, x.tookOver = stageClaim, 0, lapsed
	x.version, x.attempt = x.fresh(), attempt
	x.claimed, x.asked = x.now, x.now
	x.old, x.lapsed = old, lapsed
	return x.claimAgain()
}

// claimAgain is the write of the claim, the same each time: it recognises itself.
func (x *Exchange) claimAgain() *Effect {
	record := Record{
		State: Claimed, Attempt: x.attempt, Claimed: x.claimed,
		Known: x.known, Fingerprint: x.fingerprint, Digests: x.digests,
	}
	s := newSealer(&x.guard.sealing[0], &x.root, x.version)
	do := x.do(DoSwap)
	x.address(do)
	do.Old, do.Version, do.Lapsed = x.old, x.version, x.lapsed
	do.Head = s.head(x.spare.buffer(spareClaim), &record)
	x.spare.keep(spareClaim, do.Head)
	if x.lapsed {
		do.Note = x.appendFound(nil)
	}
	do.Lease = int64(x.rule.Lease) * 1000
	do.TTL = int64(x.rule.TTL) * 1000
	return do
}

// onClaim has the claim store's word. A refused swap is the read.
func (x *Exchange) onClaim(e *Event) *Effect {
	lease := int64(x.rule.Lease) * 1000
	switch {
	case e.Kind == EventRefused && e.Version != x.version:
		return x.meetRecord(e)
	case e.Kind == EventRefused:
		lease = e.Lease // our own write, whose acknowledgement was lost
		fallthrough
	case e.Kind == EventSwapped:
		if x.now-x.asked < lease {
			return x.forward()
		}
		// The store's word took longer than the lease: somebody else may hold the key by now.
		if x.late {
			return x.fallBack()
		}
		x.late = true
		tookOver := x.tookOver
		do := x.claim(x.version, x.attempt, false)
		x.tookOver = tookOver // it is the same claim to the trail
		return do
	case x.tries == 0:
		x.tries++
		x.asked = x.now + retryDelay
		do := x.claimAgain()
		do.Delay = retryDelay
		return do
	}
	return x.fallBack()
}

// retryDelay is how long the exchange waits before it repeats a write to a store that failed, milliseconds.
const retryDelay = 50

// fallBack asks KV because the claim store failed before the origin was called: a committed record never
// changes, so what is there may be replayed; otherwise nothing is lost and the key stays live (contract §1.7).
func (x *Exchange) fallBack() *Effect {
	x.at = stageFallback
	do := x.do(DoFetch)
	do.Name = x.name()
	return do
}

func (x *Exchange) onFallback(e *Event) *Effect {
	if e.Kind == EventFound && x.openRecord(e.Head, Version{}) && x.other.State == Committed {
		x.hasBody = e.HasBody
		return x.act()
	}
	do := x.refuse(NoticeStore)
	if x.rule.Hold {
		// The claim may have been written all the same. Nobody would take it over under hold, and nothing was
		// sent: it is given back, so that the key stays live (contract §1.7).
		x.released(false)
		x.head = x.body.head(x.spare.buffer(spareSettled), &x.answer)
		x.at, x.tries, x.settledAt = stageSettle, 1, x.now
		do.More = true
	}
	return do
}

// forward calls the origin: the claim is ours.
func (x *Exchange) forward() *Effect {
	x.at = stageForward
	if x.tookOver {
		x.note(TrailTakeover, 0)
	} else {
		x.note(TrailClaim, 0)
	}
	if !x.large {
		x.dropSubmission()
	}
	do := x.do(DoForward)
	x.address(do)
	do.Version = x.version
	do.Lease = int64(x.rule.Lease) * 1000
	do.Stream, do.Strip = x.large, x.rule.Strip
	do.Edit, x.edit, x.met = x.edit, HeaderEdit{}, nil
	if do.Edit.Delete == nil {
		do.Edit.Delete = ownWords[len(cookieWord):]
	} else {
		do.Edit.Delete = ownWords[:]
	}
	do.Edit.Set = append(do.Edit.Set,
		Header{"Idempotency-Key", x.originKey()},
		Header{"Idempotency-Attempt", strconv.Itoa(x.attempt)})
	x.keyText = "" // the record is found: a thousand that wait for their origin do not keep it
	return do
}

// ownWords are ours also where a client sends them, after that which meetVisitor takes out.
var ownWords = [...]string{cookieWord[0], "Idempotency-Key", "Idempotency-Attempt", "Idempotency-Outcome", "Idempotency-Status", "Idempotency-Replayed"}

// originKey is the key as the origin gets it, a structured-field string. In repeat mode every payload is a
// submission of its own, and an origin with a unique constraint on the key must see that.
func (x *Exchange) originKey() string {
	key := x.keyText
	if x.repeat {
		key += "." + text64.EncodeToString(x.fingerprint[:9])
	}
	var quoted strings.Builder
	quoted.Grow(len(key) + 2)
	quoted.WriteByte('"')
	for i := 0; i < len(key); i++ {
		if key[i] == '"' || key[i] == '\\' {
			quoted.WriteByte('\\')
		}
		quoted.WriteByte(key[i])
	}
	quoted.WriteByte('"')
	return quoted.String()
}
