package core

import "strings"

// origin is scheme, host and port of a place, each as the URL Standard writes it, the port never empty.
type origin struct{ scheme, host, port string }

// originOf reads scheme://host[:port]. The zero origin is like no other.
func originOf(s string) (o origin) {
	scheme, rest, ok := strings.Cut(s, "://")
	if !ok {
		return origin{}
	}
	if i := strings.IndexAny(rest, `/\?#`); i >= 0 {
		rest = rest[:i]
	}
	return authority(lowerText(scheme), rest)
}

// authority reads host[:port]. With user information in it the result is the zero origin: no form of a site
// has that, and many a trick does.
func authority(scheme, s string) origin {
	if strings.IndexByte(s, '@') >= 0 || s == "" {
		return origin{}
	}
	host, port := s, ""
	if i := strings.LastIndexByte(s, ':'); i >= 0 && strings.IndexByte(s[i:], ']') < 0 {
		host, port = s[:i], strings.TrimLeft(s[i+1:], "0")
	}
	if port == "" {
		port = defaultPort(scheme)
	}
	return origin{scheme, lowerText(host), port}
}

// defaultPort returns the port that a scheme has if none is said.
func defaultPort(scheme string) string {
	switch scheme {
	case "http":
		return "80"
	case "https":
		return "443"
	}
	return ""
}

// atUpstream reports whether an origin is the one behind ORIGIN_URL. An application behind a proxy that ends
// TLS may take its own scheme for the other one: http and https are one there, if both are at their own port.
func (j *Injector) atUpstream(o origin) bool {
	up := j.up
	if up.host == "" || o.host != up.host {
		return false
	}
	return o.port == up.port || o.port == defaultPort(o.scheme) && up.port == defaultPort(up.scheme)
}

// upstreamEnd returns how much of raw, an attribute's value as it stands in the page, is the origin behind
// ORIGIN_URL, 0 if the place is not there.
func (j *Injector) upstreamEnd(raw []byte) int {
	// The value is decoded character by character, so that each can be found again in raw.
	var text []byte
	var ends []int
	for i := 0; i < len(raw); {
		var n int
		from := len(text)
		text, n = appendUnit(text, raw[i:])
		i += n
		switch c := text[from]; {
		case c == '\t' || c == '\n' || c == '\r' || from == 0 && c <= ' ':
			text = text[:from]
		default:
			for range len(text) - from {
				ends = append(ends, i)
			}
		}
	}
	s := string(text)
	scheme, rest := schemeOf(s)
	switch {
	case scheme == "http" || scheme == "https":
		if len(rest) < 2 || !isSlash(rest[0]) || !isSlash(rest[1]) {
			return 0
		}
	case scheme != "":
		return 0
	default:
		rest = s
		scheme = j.base.scheme
		if len(rest) < 2 || !isSlash(rest[0]) || !isSlash(rest[1]) {
			return 0
		}
	}
	for rest != "" && isSlash(rest[0]) {
		rest = rest[1:]
	}
	end := strings.IndexAny(rest, `/\?#`)
	if end < 0 {
		end = len(strings.TrimRight(rest, " "))
	}
	o := authority(scheme, rest[:end])
	end += len(s) - len(rest)
	if end == 0 || o == j.site || !j.atUpstream(o) {
		return 0
	}
	return ends[end-1]
}
