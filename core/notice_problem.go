package core

// problem writes the notice as a problem document (RFC 9457 §3). Extension members: for mismatch "record",
// "differs" and, where it is true, "query"; for running "continue"; for done "record". A record has "href" and
// "title", or "committed" (RFC 3339) where it has no link.
func (n *Notice) problem(w *noticeWriter) {
	k := n.kind()
	w.raw("{")
	if n.named() {
		w.raw(`"type":"urn:singleshot:`, k.name, `",`)
	}
	w.raw(`"title":`)
	w.json(w.sayOr(&k.callTitle, &k.title))
	w.raw(`,"status":`)
	w.number(n.Status())
	detail := w.sayOr(&k.callWhat, &k.what)
	if call := w.say(&k.call); call != "" {
		if n.Language != Japanese {
			detail += " "
		}
		detail += call
	}
	w.raw(`,"detail":`)
	w.json(detail)
	if n.Type == NoticeMismatch || n.Type == NoticeDone {
		n.recordMember(w)
	}
	if n.Type == NoticeMismatch {
		before := `,"differs":[`
		for _, name := range n.Differs {
			w.raw(before)
			w.json(name)
			before = ","
		}
		if len(n.Differs) == 0 {
			w.raw(before)
		}
		w.raw("]")
		if n.Query {
			w.raw(`,"query":true`)
		}
	}
	if wait := n.waitPath(); wait != "" {
		w.raw(`,"continue":`)
		w.json(wait)
	}
	w.raw("}\n")
}

// recordMember writes the member "record", if anything is known of it.
func (n *Notice) recordMember(w *noticeWriter) {
	if link, ok := NewLink(n.Record.Href, n.Record.Title); ok {
		if link.Title == "" {
			link.Title = link.Href
		}
		w.raw(`,"record":{"href":`)
		w.json(link.Href)
		w.raw(`,"title":`)
		w.json(link.Title)
		w.raw("}")
	} else if n.Committed > 0 {
		w.raw(`,"record":{"committed":"`)
		w.rfc3339(instantOf(n.Committed))
		w.raw(`"}`)
	}
}
