package core

// This file answers in the guard's own words.

// mismatch is the third branch: 422 that names what exists (contract §5).
func (x *Exchange) mismatch() *Effect {
	n := x.notice(NoticeMismatch)
	n.Record = x.record()
	n.Committed = x.other.Settled
	n.Differs = Differing(x.other.Digests, x.digests)
	n.Query = SameFields(x.other.Digests, x.digests) // nothing else is left to differ
	if x.minted && x.sameSite {
		n.NewKey = x.mint(x.method, x.path, x.repeat)
		if x.submission != nil {
			if fields, whole := x.submission.Carry(); len(fields) > 0 {
				n.Carry = &Carry{Action: x.action(), Fields: fields, Key: n.NewKey, Whole: whole, Multipart: x.multipart}
			}
		}
	}
	x.note(TrailMismatch, n.Status())
	do := x.give(n, statusMismatch)
	x.keepNotes(do)
	do.Mismatch = true
	return do
}

// keepNotes sends what happened to the trail beside an answer that no write goes with.
func (x *Exchange) keepNotes(do *Effect) {
	x.address(do)
	do.Note, do.TTL = x.notes, int64(x.rule.TTL)*1000
}

// running says that the first submit is still at work (contract §1.3).
func (x *Exchange) running() *Effect {
	n := x.notice(NoticeRunning)
	n.RetryAfter = 5
	if x.rule.Key.Kind == KeyField {
		n.Continue = x.waitLink()
	}
	x.note(TrailRunning, n.Status())
	do := x.give(n, statusRunning)
	x.keepNotes(do)
	return do
}

// held says that nobody knows how the run ended (rule unknown = "hold"). The trail hears of it, and of the claim: a holder
// that died has noted nothing there, and what the trail does not know of nobody can forget.
func (x *Exchange) held() *Effect {
	n := x.notice(NoticeUnknown)
	if x.other.State == Claimed {
		x.notes = x.appendFound(x.notes)
	}
	x.note(TrailHeld, n.Status())
	do := x.give(n, statusUnknown)
	x.keepNotes(do)
	return do
}

// noAnswer is the 502 for an origin that could not be reached or broke off.
func (x *Exchange) noAnswer(status string) *Effect {
	n := x.notice(NoticeOrigin)
	n.Sent = status == statusUnknown
	return x.give(n, status)
}

// unreachable is the same for a request that nothing guards.
func (x *Exchange) unreachable(sent bool) *Effect {
	n := x.notice(NoticeOrigin)
	n.Sent, n.Unguarded = sent, true
	return x.give(n, "")
}

// refuse is every other answer of the guard's own.
func (x *Exchange) refuse(kind string) *Effect {
	return x.give(x.notice(kind), statusRefused)
}

func (x *Exchange) notice(kind string) *Notice {
	return &Notice{Type: kind, Shape: x.shape, Language: x.language, Back: x.back}
}

// give ends the exchange with a notice.
func (x *Exchange) give(n *Notice, status string) *Effect {
	x.at = stageEnd
	x.dropSubmission()
	do := x.do(DoRespond)
	do.Status, do.Headers, do.Inline = n.Status(), n.appendHeaders(x.spare.lines()), n.Append(x.spare.buffer(spareInline))
	if status != "" {
		do.Headers = append(do.Headers, Header{"Idempotency-Status", status})
	}
	do.Outcome, do.Shard, do.Trail = status, x.shard, x.trail
	if x.rule != nil {
		do.Rule = x.rule.Match
	}
	return do
}

// record names what exists: the origin's word, else the place that the committed answer led to (contract §5).
func (x *Exchange) record() Link {
	link, ok := ParseRecordLink(x.other.Headers.Get("Idempotency-Record"))
	if !ok {
		link, ok = ledTo(&x.other)
	}
	if !ok { // 201 names what it made without leading there
		link, _ = NewLink(x.other.Headers.Get("Location"), "")
	}
	link.Href = x.movePlace(link.Href)
	return link
}

// ledTo is where a kept answer sent its visitor, http and https only.
func ledTo(r *Record) (Link, bool) {
	for _, line := range r.Headers {
		if place, ok := redirectPlace(r.Status, line); ok {
			if link, ok := NewLink(place, ""); ok {
				return link, true
			}
		}
	}
	return Link{}, false
}
