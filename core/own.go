package core

import "strings"

// own answers under OwnPath.
func (x *Exchange) own(r *Request) *Effect {
	rest := x.path[len(OwnPath):]
	switch {
	case rest == "key" && x.method == "GET":
		if len(x.guard.faults) > 0 {
			return x.refuse(NoticeConfig)
		}
		return x.giveKey(r.Headers)
	case strings.HasPrefix(rest, waitPath) && (x.method == "GET" || x.method == "HEAD"):
		if len(x.guard.faults) > 0 {
			return x.refuse(NoticeConfig)
		}
		return x.look(rest[len(waitPath):], r.Headers)
	}
	if name, ok := strings.CutPrefix(rest, "keys/"); ok && len(x.guard.config.Admin) > 0 {
		return x.admin(name, r.Headers)
	}
	return x.refuse(NoticeNotFound)
}

// giveKey mints a key for a script of the same site (contract §2).
func (x *Exchange) giveKey(h Headers) *Effect {
	if site := h.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" ||
		h.Has("Origin") && h.Get("Origin") != x.scheme+"://"+x.host {
		return x.refuse(NoticeCrossSite)
	}
	path := queryValue(x.query, "action")
	if i := strings.IndexAny(path, "?#"); i >= 0 {
		path = path[:i]
	}
	if !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") {
		return x.refuse(NoticeNotFound)
	}
	method := strings.ToUpper(queryValue(x.query, "method"))
	if method == "" {
		method = "POST"
	}
	key := x.mintForForm(method, path, queryValue(x.query, "mode") == "repeat")
	if key == "" {
		return x.refuse(NoticeNotFound)
	}
	x.at = stageEnd
	do := x.do(DoRespond)
	do.Status = 200
	do.Headers = Headers{{"Content-Type", "application/json"}, {"Cache-Control", "no-store"}}
	if x.visitor == "" {
		do.Headers = append(do.Headers, x.freshVisitor())
	}
	do.Inline = []byte(`{"key":"` + key + `"}`)
	return do
}

// queryValue returns the first value of a query's parameter, decoded as forms are.
func queryValue(query, name string) string {
	for query != "" {
		var pair string
		pair, query, _ = strings.Cut(query, "&")
		if n, value, _ := strings.Cut(pair, "="); n == name {
			return decodeQuery(value)
		}
	}
	return ""
}
