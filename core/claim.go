package core

import (
	"strconv"
	"strings"
)

// This file leads from the visitor's body to the origin: key, scope, claim, and what to do about a record
// that is there already.

// onBody has the first piece of the body, or all of it: the key must stand in it (contract §2).
func (x *Exchange) onBody(e *Event) *Effect {
	rule, s := x.rule, x.submission
	var malformed error
	var minted Key
	if e.Whole {
		malformed = s.Close()
	}
	if rule.Key.Kind == KeyField || rule.Key.Kind == KeyPointer {
		key, found := s.Key()
		if found && rule.Key.Kind == KeyPointer {
			if key, found = eventID(key); !found {
				return x.refuse(NoticeBadKey)
			}
		}
		if found && rule.Key.Kind == KeyField {
			var err error
			minted, x.minted, err = OpenKey(key, x.guard.secrets...)
			if err != nil {
				return x.refuse(NoticeForgedKey)
			}
			found = x.minted || rule.MintByOrigin && isOriginKey(key)
		}
		if !found {
			if malformed != nil && (rule.Required || s.fields.keySeen) {
				return x.refuse(NoticeBadBody)
			}
			return x.keyless()
		}
		x.keyText = key
		if x.crossSite {
			return x.refuse(NoticeCrossSite)
		}
	}
	switch {
	case malformed == ErrTooManyFields:
		return x.refuse(NoticeTooLarge)
	case malformed != nil:
		return x.refuse(NoticeBadBody)
	case x.subject == noSubject:
		return x.refuse(NoticeNoSubject)
	case rule.MaxBody > 0 && (x.length > rule.MaxBody || x.length < 0 && !e.Whole || x.size > rule.MaxBody):
		return x.refuse(NoticeTooLarge)
	}
	x.large = !e.Whole
	if override := s.Override(); override != "" {
		x.override = override
	}
	x.repeat = x.repeat || updates(x.override) && rule.Key.Kind == KeyField || x.minted && minted.repeats(x.method, x.path)
	if !x.large {
		x.joinFingerprint()
	}
	x.repeat = x.repeat && x.known // a body over 1 MiB keeps the once rule (contract §1)
	x.locate()
	if x.minted {
		x.shardPlace, x.shard = minted.store()
	}
	if x.recalls() {
		return x.replay()
	}
	return x.claim(Version{}, 1, false)
}

// joinFingerprint takes the fingerprint of a body that has been read whole.
func (x *Exchange) joinFingerprint() {
	x.known = true
	x.fingerprint = x.submission.Fingerprint()
	x.digests = x.submission.digestsIn(x.spare.fieldDigests())
	if x.spare != nil {
		x.spare.digests = x.digests
	}
}

// locate finds the record: the scope is subject × form, in repeat mode with the fingerprint (contract §1). A minted key
// says itself which claim store it is in.
func (x *Exchange) locate() {
	var room [partsRoom]byte
	p := parts(room[:0])
	p = p.text(x.subject)
	p = p.text(x.method)
	p = p.text(x.override)
	p = p.text(x.path)
	p = p.text(x.keyText)
	if x.repeat {
		p = p.bytes(x.fingerprint[:])
	}
	p.digest(x.root[:], &scopeLabel)
	x.recordName = x.root.name()
	if x.spare != nil {
		x.spare.name = nameText(&x.recordName)
	}
	x.trail = trailName(x.keyText)
	if !x.minted {
		x.shardPlace, x.shard = x.guard.region, clientShard(x.guard.region, x.trail)
	}
}

var scopeLabel = newLabel("singleshot scope 1")

// clientShard is the claim store of a key that was not minted here: one of a fixed number in one region, the
// same for all records of the key, so that its trail is found by the key alone (contract §2).
func clientShard(region byte, trail string) string {
	return shardName(region, uint16(trail[0]^trail[1])%clientShards)
}

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

func (x *Exchange) address(do *Effect) {
	do.Shard, do.Region, do.Name, do.Trail = x.shard, x.shardPlace, x.name(), x.trail
}

// name is the record's, as stores know it. A new exchange does not keep it, because most that wait do nothing else.
func (x *Exchange) name() string {
	if x.spare != nil {
		return x.spare.name
	}
	return nameText(&x.recordName)
}

// nameText is the name of a record or a trail as text, made with one allocation.
func nameText(name *[recordNameSize]byte) string {
	var text [recordNameSize / 3 * 4]byte
	text64.Encode(text[:], name[:])
	return string(text[:])
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
	do.Stream, do.Strip = x.large, x.rule.Strip && x.rule.Key.Kind == KeyField
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
