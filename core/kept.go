package core

// This file says which header lines of an answer are kept, and what becomes of them in another shape.

// keptHeaders are the lines of an answer that its record keeps (contract §4). Idempotency-Record is kept for
// the 422 and never sent.
func (r *Rule) keptHeaders(h Headers) Headers {
	kept := make(Headers, 0, len(h))
	for _, line := range h {
		if nameStarts(line.Name, "hx-") || nameStarts(line.Name, "cross-origin-") ||
			lists(keptNames[:], line.Name) || lists(r.ReplayHeaders, line.Name) {
			keep(&line.Name, &line.Value)
			kept = append(kept, line)
		}
	}
	return kept
}

var keptNames = [...]string{
	"content-type", "content-language", "content-disposition", "location", "link", "etag",
	"content-security-policy", "x-content-type-options", "x-frame-options", "referrer-policy",
	"permissions-policy", "set-cookie", "idempotency-record",
}

// nameStarts says whether a header name begins so, in any letter case.
func nameStarts(name, prefix string) bool {
	return len(name) >= len(prefix) && sameName(name[:len(prefix)], prefix)
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
		if !nameStarts(line.Name, "hx-") && !lists(ofTheBody[:], line.Name) {
			kept = append(kept, line)
		}
	}
	return append(kept, Header{"Location", place})
}

var ofTheBody = [...]string{"content-type", "location", "etag"}

func isHTML(h Headers) bool {
	media, _ := contentType(h.Get("Content-Type"))
	return sameName(media, "text/html")
}
