package core

import "strings"

// This file makes the answers to visitors: the origin's own, a kept one given again, and the guard's.

// The words of Idempotency-Status (contract §4).
const (
	statusCreated  = "created"
	statusReplayed = "replayed"
	statusReleased = "released"
	statusMismatch = "mismatch"
	statusRunning  = "running"
	statusUnknown  = "unknown"
	statusRefused  = "refused"
)

// respond gives the visitor what the origin answered; written says whether the record is settled.
func (x *Exchange) respond(written bool) *Effect {
	status := statusUnknown
	switch {
	case !written || x.verdict == OutcomeUnknown:
	case x.verdict == OutcomeCommit:
		status = statusCreated
	default:
		status = statusReleased
	}
	x.at = stageEnd
	if x.answer.Status == 0 {
		return x.noAnswer(status)
	}
	do := x.do(DoRespond)
	do.Source = SourceOrigin
	do.Inject = x.inject != nil // what follows a body that was too large to collect goes through it too
	do.Outcome, do.Rule, do.Shard, do.Trail = status, x.rule.Match, x.shard, x.trail
	if x.setsSubject() {
		do.Warning = "subject-unstable"
	}
	do.Edit = x.originEdit(x.raw)
	do.Edit.Delete = append(do.Edit.Delete, "Content-Length", "Content-Encoding")
	if x.inject != nil && (!x.page.Hold || x.inject.Keyed() > 0 || x.tooLarge) {
		do.Edit = joinEdits(do.Edit, x.keyedEdit())
	}
	do.Edit.Set = append(do.Edit.Set, Header{"Idempotency-Status", status})
	do.Name = x.name
	if written && x.answer.State == Committed && !x.guard.config.KeepLargeOnly {
		do.KeepAll, do.TTL, do.Head, do.Body = true, x.ttl, x.head, x.answer.Body == BodyInline
	}
	return do
}

// setsSubject says whether the answer gives the visitor another subject: their next submit of the same key would
// be another record.
func (x *Exchange) setsSubject() bool {
	s := x.rule.Subject
	if s.Name == "" || s.Kind != SubjectCookie && s.Kind != SubjectJWT {
		return false
	}
	for _, line := range x.raw {
		if sameName(line.Name, "Set-Cookie") && strings.HasPrefix(line.Value, s.Name+"=") {
			return true
		}
	}
	return false
}

// respondUnsure answers while the store cannot be reached, and goes on.
func (x *Exchange) respondUnsure() *Effect {
	do := x.respond(false)
	x.at = stageSettle
	do.More = true
	return do
}

// originFailed is what a broken connection leaves: a release where nothing was sent, else an unknown outcome
// (contract §1.5).
func (x *Exchange) originFailed(sent bool) *Effect {
	if x.rule == nil {
		x.at = stageEnd
		return x.noAnswer("")
	}
	x.submission = nil
	x.released(sent)
	return x.write()
}

// released makes the record of a claim that brought no answer.
func (x *Exchange) released(unknown bool) {
	x.verdict = OutcomeRelease
	if unknown {
		x.verdict = OutcomeUnknown
	}
	x.ttl = int64(x.rule.TTL) * 1000
	x.settled = x.seed.next()
	x.body = newSealer(x.guard.secrets[0], &x.root, x.settled)
	x.answer = Record{
		State: Released, Unknown: unknown, Attempt: x.attempt, Claimed: x.claimed, Settled: x.now,
		Known: x.known, Fingerprint: x.fingerprint, Digests: x.digests, HTMX: x.htmx,
	}
}

// share gives somebody who waited the answer of the release that it waited for (contract §1.2).
func (x *Exchange) share() *Effect {
	status := statusReleased
	if x.other.Unknown {
		status = statusUnknown
	}
	x.at = stageEnd
	if x.other.Status == 0 {
		return x.noAnswer(status)
	}
	return x.again(status)
}

// replay gives the committed answer again, fetching a large body first.
func (x *Exchange) replay() *Effect {
	if x.other.Body == BodyKV {
		x.at = stageReplay
		do := x.do(DoFetch)
		do.Name = x.name + "." + x.seen.String()
		return do
	}
	x.at = stageEnd
	return x.again(statusReplayed)
}

func (x *Exchange) onReplay(e *Event) *Effect {
	x.at = stageEnd
	x.hasBody = e.Kind == EventFound
	if x.hasBody {
		x.other.Body = BodyInline
	} else {
		x.other.Body = BodyLost
	}
	return x.again(statusReplayed)
}

// again builds the answer from x.other.
func (x *Exchange) again(status string) *Effect {
	r := &x.other
	if r.Body == BodyInline && !x.hasBody {
		r.Body = BodyLost // the store kept the head longer than the body
	}
	do := x.do(DoRespond)
	do.Outcome, do.Rule = status, x.rule.Match
	x.address(do)
	do.Status = r.Status
	cookies := x.subject != "" && x.rule.Subject.Kind != SubjectNone && x.now-r.Settled <= int64(x.rule.Wait)*1000
	for _, line := range r.Headers {
		switch {
		case sameName(line.Name, "Set-Cookie") && !cookies && !lists(x.rule.ReplayHeaders, line.Name):
		case sameName(line.Name, "Cache-Control"), sameName(line.Name, "Idempotency-Record"):
		case leads(line.Name):
			do.Headers = append(do.Headers, Header{line.Name, x.movePlace(line.Value)})
		default:
			do.Headers = append(do.Headers, line)
		}
	}
	switch r.Body {
	case BodyInline:
		do.Source = SourceRecord
	case BodyLost:
		x.alreadyDone(do)
	}
	x.translate(do, r)
	x.note(TrailReplay, do.Status)
	x.keepNotes(do)
	do.Headers = append(dropHeader(do.Headers, "Cache-Control"), Header{"Cache-Control", "no-store"}, Header{"Idempotency-Status", status})
	if status == statusReplayed {
		do.Headers = append(do.Headers, Header{"Idempotency-Replayed", "true"})
	}
	return do
}

// translate makes an answer that was given to htmx work for a plain POST, and the other way round (contract §4).
func (x *Exchange) translate(do *Effect, r *Record) {
	link, led := ledTo(r)
	link.Href = x.movePlace(link.Href)
	switch {
	case r.HTMX && x.shape == ShapePage:
		if led {
			do.Status, do.Source, do.Inline = 303, SourceInline, nil
			do.Headers = withoutHTMX(do.Headers, link.Href)
		} else if r.Body == BodyInline && isHTML(r.Headers) {
			do.Before, do.After = WrapFragment(x.language)
		} else if r.Body == BodyEmpty {
			x.alreadyDone(do)
		}
	case !r.HTMX && x.shape == ShapeFragment:
		if r.Status >= 300 && r.Status < 400 && led {
			do.Status, do.Source, do.Inline = 200, SourceInline, nil
			do.Headers = dropHeader(dropHeader(do.Headers, "Location"), "Content-Type")
			do.Headers = append(do.Headers, Header{"HX-Redirect", link.Href})
		}
	}
}

// alreadyDone puts the short page of a tombstone in place of a body. A redirect needs no text, and htmx expects
// none with 204.
func (x *Exchange) alreadyDone(do *Effect) {
	if do.Status >= 300 && do.Status < 400 || x.shape == ShapeFragment && do.Status == 204 {
		return
	}
	n := x.notice(NoticeDone)
	n.Record, n.Committed, n.Code = x.record(), x.other.Settled, do.Status
	if x.other.State == Released {
		n.Type = NoticeReleased // it says that nothing was done; the status is still the origin's
	} else {
		do.Status = n.Status()
	}
	do.Source, do.Inline = SourceInline, n.Append(nil)
	for _, line := range n.Headers() {
		do.Headers = append(dropHeader(do.Headers, line.Name), line)
	}
}

// mismatch is the third branch: 422 that names what exists (contract §5).
func (x *Exchange) mismatch() *Effect {
	n := x.notice(NoticeMismatch)
	n.Record = x.record()
	n.Committed = x.other.Settled
	n.Differs = Differing(x.other.Digests, x.digests)
	// Where both lists of fields are whole and alike, nothing but the query is left to differ.
	n.Query = len(n.Differs) == 0 && len(x.digests) > 0 && len(x.digests) < MaxDigests && len(x.other.Digests) < MaxDigests
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

// noAnswer is the 502 for an origin that could not be reached or broke off.
func (x *Exchange) noAnswer(status string) *Effect {
	n := x.notice(NoticeOrigin)
	n.Sent = status == statusUnknown
	return x.give(n, status)
}

// refuse is every other answer of the guard's own.
func (x *Exchange) refuse(kind string) *Effect {
	status := statusRefused
	if kind == NoticeUnknown {
		status = statusUnknown
	}
	return x.give(x.notice(kind), status)
}

func (x *Exchange) notice(kind string) *Notice {
	return &Notice{Type: kind, Shape: x.shape, Language: x.language, Back: x.back}
}

// give ends the exchange with a notice.
func (x *Exchange) give(n *Notice, status string) *Effect {
	x.at, x.submission = stageEnd, nil
	do := x.do(DoRespond)
	do.Status, do.Headers, do.Inline = n.Status(), n.Headers(), n.Append(nil)
	if status != "" {
		do.Headers = append(do.Headers, Header{"Idempotency-Status", status})
	}
	do.Outcome, do.Name, do.Shard, do.Trail = status, x.name, x.shard, x.trail
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

// keptHeaders are the lines of an answer that its record keeps (contract §4). Idempotency-Record is kept for
// the 422 and never sent.
func (r *Rule) keptHeaders(h Headers) Headers {
	var kept Headers
	for _, line := range h {
		name := strings.ToLower(line.Name)
		switch name {
		case "content-type", "content-language", "content-disposition", "location", "link", "etag",
			"content-security-policy", "x-content-type-options", "x-frame-options", "referrer-policy",
			"permissions-policy", "set-cookie", "idempotency-record":
		default:
			if !strings.HasPrefix(name, "hx-") && !strings.HasPrefix(name, "cross-origin-") && !lists(r.ReplayHeaders, name) {
				continue
			}
		}
		kept = append(kept, Header{strings.Clone(line.Name), strings.Clone(line.Value)})
	}
	return kept
}

// lists says whether a list of header names has that one.
func lists(names []string, name string) bool {
	for _, n := range names {
		if sameName(n, name) {
			return true
		}
	}
	return false
}

func dropHeader(h Headers, name string) Headers {
	kept := h[:0]
	for _, line := range h {
		if !sameName(line.Name, name) {
			kept = append(kept, line)
		}
	}
	return kept
}

// withoutHTMX turns the head of an answer to htmx into that of a redirect.
func withoutHTMX(h Headers, place string) Headers {
	var kept Headers
	for _, line := range h {
		name := strings.ToLower(line.Name)
		if strings.HasPrefix(name, "hx-") || name == "content-type" || name == "location" || name == "etag" {
			continue
		}
		kept = append(kept, line)
	}
	return append(kept, Header{"Location", place})
}

func isHTML(h Headers) bool {
	media, _ := contentType(h.Get("Content-Type"))
	return sameName(media, "text/html")
}
