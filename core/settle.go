package core

// This file leads from the origin's answer to the visitor: what is kept, commit or release, and what the
// visitor gets when the claim store is unsure.

// onForward has the head of the origin's answer, or none.
func (x *Exchange) onForward(e *Event) *Effect {
	if x.rule == nil {
		return x.passBack(e)
	}
	if e.Kind == EventOriginFailed {
		return x.originFailed(e.Sent)
	}
	if !Final(e.Status) {
		return x.originFailed(true) // no answer to a submit, or none of HTTP (RFC 9110 §15)
	}
	x.ending = x.spare.newEnding()
	x.raw = e.Headers
	x.ttl = int64(answerTTL(e.Headers, x.rule)) * 1000
	x.answer = Record{Status: e.Status, HTMX: x.htmx}
	x.page = PlanPage(e.Status, e.Headers)
	if x.page.Inject {
		x.inject = NewInjector(x.injection(e.Headers))
	}
	x.at = stageCollect
	do := x.do(DoCollect)
	do.Limit = x.rule.MaxAnswer
	do.Inject = x.page.Inject
	return do
}

// onCollect has the whole answer, or knows that it is too large to keep.
func (x *Exchange) onCollect(e *Event) *Effect {
	if e.Kind == EventOriginFailed && (e.Sent || x.answer.Status < 400) {
		return x.originFailed(true)
	}
	// An origin that refused before it had the whole request, and hung up on its own answer, has refused: what came
	// of the answer is the answer.
	x.answer.Length, x.tooLarge = e.Length, e.TooLarge
	if x.large && !x.known {
		if !e.Whole {
			x.at = stageUpload // the origin did not wait for the end of the body
			return x.do(DoDrain)
		}
		x.joinLate()
	}
	return x.settle()
}

// onUpload has the end of a body that the origin did not read to its end.
func (x *Exchange) onUpload(e *Event) *Effect {
	if e.Whole {
		x.joinLate()
	} else {
		x.submission = nil // it broke off: there is no fingerprint, and duplicates are not compared
	}
	return x.settle()
}

// joinLate takes the fingerprint of a large body at the commit (contract §3). A body that was malformed and
// that the origin accepted all the same has none; its duplicates are not compared.
func (x *Exchange) joinLate() {
	if x.submission.Close() == nil {
		x.joinFingerprint()
	}
	x.dropSubmission()
}

// settle decides between commit and release, and writes a large answer to KV first.
func (x *Exchange) settle() *Effect {
	x.verdict = x.rule.Judge(Judged{
		Status: x.answer.Status, Headers: x.raw, Path: x.path,
		Redisplayed: x.inject != nil && x.inject.Redisplayed(),
	})
	if x.tooLarge && x.verdict == OutcomeCommit && isAttachment(x.raw) {
		x.verdict = OutcomeRelease // a download that cannot be kept is fetched again (contract §4)
	}
	r := &x.answer
	r.Attempt, r.Claimed, r.Settled = x.attempt, x.claimed, x.now
	r.Known, r.Fingerprint, r.Digests = x.known, x.fingerprint, x.digests
	r.Headers = x.rule.keptHeaders(x.raw)
	r.State, r.Unknown = Released, x.verdict == OutcomeUnknown
	if x.verdict == OutcomeCommit {
		r.State = Committed
	}
	x.settled = x.fresh()
	x.body = newSealer(&x.guard.sealing[0], &x.root, x.settled)
	switch {
	case x.tooLarge:
		r.Body = BodyLost
	case r.Length == 0:
		r.Body = BodyEmpty
	case r.Length <= InlineLimit:
		r.Body = BodyInline
	case r.State == Committed:
		r.Body = BodyKV
		x.at = stageKeep
		do := x.do(DoKeep)
		do.Name, do.TTL = x.name()+"."+x.settled.String(), x.ttl
		return do
	default:
		r.Body = BodyLost
	}
	return x.write()
}

// onKeep knows whether the large answer is in KV: the record points there only if it is.
func (x *Exchange) onKeep(e *Event) *Effect {
	if e.Kind != EventKept {
		x.answer.Body = BodyLost
	}
	return x.write()
}

// write swaps the claim for the settled record.
func (x *Exchange) write() *Effect {
	x.at, x.tries, x.settledAt = stageSettle, 0, x.now
	switch {
	case x.answer.Unknown:
		x.note(TrailUnknown, x.answer.Status)
	case x.answer.State == Committed:
		x.note(TrailCommit, x.answer.Status)
	default:
		x.note(TrailRelease, x.answer.Status)
	}
	x.head = x.body.head(x.spare.buffer(spareSettled), &x.answer)
	x.spare.keep(spareSettled, x.head)
	return x.writeAgain()
}

// writeAgain is the write, with the same version each time, later each time, at most a second.
func (x *Exchange) writeAgain() *Effect {
	do := x.do(DoSwap)
	x.address(do)
	do.Old, do.Version, do.Head = x.version, x.settled, x.head
	do.Body, do.Note = x.answer.Body == BodyInline, x.notes
	do.TTL, do.BodyTTL = x.ttl, x.ttl
	do.Commit = x.answer.State == Committed
	if x.answer.State == Released {
		// Those who waited answer with it; the count of attempts stays for the record's time (ARCHITECTURE.md).
		do.TTL, do.BodyTTL = int64(x.rule.TTL)*1000, int64(x.rule.Wait)*1000
	}
	if x.tries > 0 {
		do.Delay = min(int64(retryDelay)<<min(x.tries-1, 10), 1000)
	}
	x.asked = x.now + do.Delay
	return do
}

// onSettle knows whether the record is settled.
func (x *Exchange) onSettle(e *Event) *Effect {
	switch {
	case e.Kind == EventSwapped, e.Kind == EventRefused && e.Version == x.settled:
		x.rememberCommit()
		if x.sent {
			return x.finish()
		}
		return x.respond(true)
	case e.Kind == EventRefused:
		// Taken over, or forgotten: a late holder neither commits nor releases (contract §1.6).
		if x.sent {
			return x.finish()
		}
		return x.respond(false)
	case e.Kind == EventSent:
		x.sent = true
		return x.writeAgain()
	case e.Kind == EventUndone && x.sent:
		// The claim ends with its lease: the visitor was told that the outcome is not known.
		return x.finish()
	case e.Kind == EventUndone:
		x.notes = x.notes[:len(x.notes)-TrailEntrySize] // of the commit that was not
		x.released(false)
		return x.write()
	}
	x.tries++
	switch {
	case x.tries == 1:
		return x.writeAgain()
	case !x.sent:
		// The visitor does not wait for the store: the answer goes out as unknown, and the write is repeated
		// until the lease ends (contract §1.7).
		return x.respondUnsure()
	case x.now >= x.settledAt+int64(x.rule.Lease)*1000:
		return x.finish()
	}
	return x.writeAgain()
}

func (x *Exchange) finish() *Effect {
	x.at = stageEnd
	return x.do(DoEnd)
}
