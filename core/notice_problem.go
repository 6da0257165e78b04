package core

import "strconv"

// appendProblem appends the notice as a problem document (RFC 9457 §3). Extension members: for mismatch
// "record", "differs" and, where it is true, "query"; for running "continue"; for done "record". A record has
// "href" and "title", or "committed" (RFC 3339) where it has no link.
func (n *Notice) appendProblem(dst []byte) []byte {
	k := n.kind()
	dst = append(dst, '{')
	if n.problem() {
		dst = append(dst, `"type":"urn:singleshot:`...)
		dst = append(dst, k.name...)
		dst = append(dst, `",`...)
	}
	dst = appendJSONString(append(dst, `"title":`...), n.say(k.title))
	dst = strconv.AppendInt(append(dst, `,"status":`...), int64(n.Status()), 10)
	detail := n.say(k.what)
	if call := n.say(k.call); call != "" {
		if n.Language != Japanese {
			detail += " "
		}
		detail += call
	}
	dst = appendJSONString(append(dst, `,"detail":`...), detail)
	if n.Type == NoticeMismatch || n.Type == NoticeDone {
		dst = n.appendRecordMember(dst)
	}
	if n.Type == NoticeMismatch {
		dst = append(dst, `,"differs":[`...)
		for i, name := range n.Differs {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendJSONString(dst, name)
		}
		dst = append(dst, ']')
		if n.Query {
			dst = append(dst, `,"query":true`...)
		}
	}
	if wait := n.waitPath(); wait != "" {
		dst = appendJSONString(append(dst, `,"continue":`...), wait)
	}
	return append(dst, "}\n"...)
}

// appendRecordMember appends the member "record", if anything is known of it.
func (n *Notice) appendRecordMember(dst []byte) []byte {
	if link, ok := NewLink(n.Record.Href, n.Record.Title); ok {
		dst = appendJSONString(append(dst, `,"record":{"href":`...), link.Href)
		if link.Title == "" {
			link.Title = link.Href
		}
		dst = appendJSONString(append(dst, `,"title":`...), link.Title)
		return append(dst, '}')
	}
	if n.Committed > 0 {
		dst = instantOf(n.Committed).appendRFC3339(append(dst, `,"record":{"committed":"`...))
		return append(dst, `"}`...)
	}
	return dst
}
