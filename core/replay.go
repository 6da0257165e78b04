package core

import "slices"

// This file gives a kept answer again: to who sent the same submission twice, and to who waited.

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
		do.Name = x.name() + "." + x.seen.String()
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
	do.Headers = slices.Grow(x.spare.lines(), len(r.Headers)+3)
	for _, line := range r.Headers {
		switch {
		case sameName(line.Name, "Set-Cookie") && !cookies && !lists(x.rule.ReplayHeaders, line.Name):
		case sameName(line.Name, "Idempotency-Record"):
		case leads(line.Name):
			do.Headers = append(do.Headers, Header{line.Name, x.movePlace(line.Value)})
		default:
			do.Headers = append(do.Headers, line)
		}
	}
	switch r.Body {
	case BodyInline:
		do.Source = SourceRecord
		if x.recalled != nil {
			do.Source, do.Inline = SourceRecall, x.recalled
		}
	case BodyEmpty:
		x.rememberReplay(nil)
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

// alreadyDone puts the short page of a tombstone in place of a body. A redirect needs no text.
func (x *Exchange) alreadyDone(do *Effect) {
	if do.Status >= 300 && do.Status < 400 {
		return
	}
	n := x.notice(NoticeDone)
	n.Record, n.Committed, n.Code = x.record(), x.other.Settled, do.Status
	if x.other.State == Released {
		n.Type = NoticeReleased // it says that nothing was done; the status is still the origin's
	} else {
		do.Status = n.Status()
	}
	do.Source, do.Inline = SourceInline, n.Append(x.spare.buffer(spareInline))
	for _, line := range n.Headers() {
		do.Headers = append(dropHeader(do.Headers, line.Name), line)
	}
}
