package core

// head is what the guard wants to know of a request's head, picked out in one pass over its lines. Of lines with
// the same name the first counts, as for Headers.Get.
type head struct {
	accept, acceptLanguage, client, contentEncoding, contentType, currentURL string
	media, mode, origin, override, referer, site                             string
	cookie, fromOrigin                                                       bool // there is such a line: Cookie, Origin
	htmx                                                                     bool
}

func readHead(h Headers) (r head) {
	for i := len(h) - 1; i >= 0; i-- {
		name, value := h[i].Name, h[i].Value
		// Most lines are told apart from what is looked for by their length.
		switch len(name) {
		case 6:
			switch {
			case sameName(name, "Accept"):
				r.accept = value
			case sameName(name, "Cookie"):
				r.cookie = true
			case sameName(name, "Origin"):
				r.origin, r.fromOrigin = value, true
			}
		case 7:
			if sameName(name, "Referer") {
				r.referer = value
			}
		case 10:
			if sameName(name, "HX-Request") {
				r.htmx = value == "true"
			}
		case 12:
			if sameName(name, "Content-Type") {
				r.contentType = value
			}
		case 14:
			switch {
			case sameName(name, "Sec-Fetch-Site"):
				r.site = value
			case sameName(name, "Sec-Fetch-Mode"):
				r.mode = value
			case sameName(name, "HX-Current-URL"):
				r.currentURL = value
			}
		case 15:
			if sameName(name, "Accept-Language") {
				r.acceptLanguage = value
			}
		case 16:
			if sameName(name, "Content-Encoding") {
				r.contentEncoding = value
			}
		case 18:
			if sameName(name, "Idempotency-Client") {
				r.client = value
			}
		case 22:
			if sameName(name, "X-HTTP-Method-Override") {
				r.override = value
			}
		}
	}
	r.media, _ = contentType(r.contentType)
	return r
}

// carriesField says whether the body may hold a key field: what browsers send for forms, and the JSON of an
// htmx request (contract §2).
func (r *head) carriesField() bool {
	switch {
	case sameName(r.media, urlencodedMedia), sameName(r.media, "multipart/form-data"):
		return true
	case sameName(r.media, "application/json"):
		return r.htmx
	}
	return false
}

// fromElsewhere says whether the browser tells that another site sends this (contract §2).
func (r *head) fromElsewhere(scheme, host string) bool {
	if r.site != "" {
		return r.site == "cross-site"
	}
	return r.fromOrigin && !isOrigin(r.origin, scheme, host)
}

// fromSameOrigin says whether the browser tells that this very site sends it (contract §5).
func (r *head) fromSameOrigin(scheme, host string) bool {
	if r.site != "" {
		return r.site == "same-origin"
	}
	return isOrigin(r.origin, scheme, host)
}

// cameFrom is the page of this site that holds the form: a path, or "".
func (r *head) cameFrom(scheme, host string) string {
	page := r.currentURL
	if page == "" {
		page = r.referer
	}
	n := len(scheme) + len("://") + len(host)
	if len(page) > n && page[n] == '/' && isOrigin(page[:n], scheme, host) && safeHref(page[n:]) {
		return page[n:]
	}
	return ""
}

// isOrigin reports whether text is scheme://host, without putting that together.
func isOrigin(text, scheme, host string) bool {
	n := len(scheme)
	return len(text) == n+len("://")+len(host) && text[:n] == scheme && text[n:n+3] == "://" && text[n+3:] == host
}
