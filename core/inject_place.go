package core

import "strings"

// origin is scheme, host and port of a place, each as the URL Standard writes it, the port never empty.
type origin struct{ scheme, host, port string }

// place is a base for relative places.
type place struct {
	origin
	path string // without query
}

// where says on whose side a place is.
type where uint8

const (
	onSite    where = iota // the visitor's side, or the origin behind it
	elsewhere              // another site, or a scheme that sends the fields there
	nowhere                // javascript: sends nothing
)

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

// pathOf returns the path of path and query, "/" if it is empty.
func pathOf(page string) string {
	if i := strings.IndexAny(page, "?#"); i >= 0 {
		page = page[:i]
	}
	if page == "" || page[0] != '/' {
		return "/" + page
	}
	return page
}

// resolve returns the path of a place that stands in the page, resolved as a browser does it, and whose side it
// is on (URL Standard §4.4, for the two schemes there are).
func (j *Injector) resolve(ref string) (path string, at where) {
	base := j.base
	ref = trimPlace(ref)
	scheme, rest := schemeOf(ref)
	o, relative := base.origin, true
	switch {
	case scheme == "javascript":
		return "", nowhere
	case scheme != "" && scheme != "http" && scheme != "https":
		return "", elsewhere
	case scheme != "" && (scheme != base.scheme || strings.HasPrefix(rest, "//")):
		o.scheme, relative = scheme, false
	case scheme != "":
		ref = rest // "https:orders" is relative to a base that is https
	}
	if !relative || len(ref) > 1 && isSlash(ref[0]) && isSlash(ref[1]) {
		if relative {
			rest = ref
		}
		for rest != "" && isSlash(rest[0]) {
			rest = rest[1:]
		}
		end := strings.IndexAny(rest, `/\?#`)
		if end < 0 {
			end = len(rest)
		}
		o = authority(o.scheme, rest[:end])
		ref = rest[end:]
		if ref == "" || !isSlash(ref[0]) {
			ref = "/" + ref
		}
	}
	if o != j.site && !j.atUpstream(o) || o == (origin{}) {
		return "", elsewhere
	}
	if i := strings.IndexAny(ref, "?#"); i >= 0 {
		ref = ref[:i]
	}
	switch {
	case ref == "":
		return base.path, onSite
	case isSlash(ref[0]):
		return joinPath("/", ref), onSite
	}
	return joinPath(base.path, ref), onSite
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

// trimPlace takes out what a browser takes out before it reads a place: controls and spaces around it, tabs
// and newlines anywhere.
func trimPlace(s string) string {
	for s != "" && s[0] <= ' ' {
		s = s[1:]
	}
	for s != "" && s[len(s)-1] <= ' ' {
		s = s[:len(s)-1]
	}
	if !strings.ContainsAny(s, "\t\n\r") {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if c := s[i]; c != '\t' && c != '\n' && c != '\r' {
			b = append(b, c)
		}
	}
	return string(b)
}

// schemeOf splits a place into its scheme, in lower case, and what follows the colon; "" if it is relative.
func schemeOf(s string) (scheme, rest string) {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case isLetter(c):
		case i > 0 && ('0' <= c && c <= '9' || c == '+' || c == '-' || c == '.'):
		case i > 0 && c == ':':
			return lowerText(s[:i]), s[i+1:]
		default:
			return "", s
		}
	}
	return "", s
}

// isSlash reports whether c sets segments off: browsers take "\" for "/".
func isSlash(c byte) bool { return c == '/' || c == '\\' }

// joinPath resolves a relative path against a base path: dot segments go, what a browser percent-encodes in a
// path is percent-encoded, and what is percent-encoded stays as it is (URL Standard §4.4, path state).
func joinPath(base, ref string) string {
	out := make([]byte, 0, len(base)+len(ref))
	out = append(out, base[:strings.LastIndexByte(base, '/')+1]...)
	if ref != "" && isSlash(ref[0]) {
		out, ref = append(out[:0], '/'), ref[1:]
	}
	for {
		end := strings.IndexAny(ref, `/\`)
		last := end < 0
		segment := ref
		if !last {
			segment = ref[:end]
		}
		switch dots(segment) {
		case 1:
		case 2:
			// Back to the slash before the last one.
			n := len(out) - 1
			for n > 0 && out[n-1] != '/' {
				n--
			}
			out = out[:max(n, 1)]
		default:
			out = appendSegment(out, segment)
			if !last {
				out = append(out, '/')
			}
		}
		if last {
			return string(out)
		}
		ref = ref[end+1:]
	}
}

// dots returns 1 for ".", 2 for "..", percent-encoded or not, and 0 for every other segment.
func dots(s string) (n int) {
	for s != "" {
		switch {
		case s[0] == '.':
			s = s[1:]
		case len(s) >= 3 && s[0] == '%' && s[1] == '2' && lower(s[2]) == 'e':
			s = s[3:]
		default:
			return 0
		}
		n++
	}
	if n > 2 {
		return 0
	}
	return n
}

// appendSegment appends a segment of a path as a browser sends it (URL Standard §1.3, path percent-encode set).
func appendSegment(dst []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c <= ' ' || c >= 0x7F, c == '"', c == '<', c == '>', c == '`', c == '{', c == '}':
			dst = appendEscape(dst, c)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// setBase makes the first <base href> of the page the base of its relative places (HTML standard §4.2.3).
func (j *Injector) setBase(tag []byte) {
	for a, i, ok := nextAttr(tag, nameEnd(tag)); ok; a, i, ok = nextAttr(tag, i) {
		if !nameIs(tag[a.from:a.to], "href") {
			continue
		}
		j.based = true
		raw := tag[a.vfrom:a.vto]
		path, at := j.resolve(string(j.value(raw)))
		switch at {
		case onSite:
			j.base.path = path
			if to := j.upstreamEnd(raw); to > 0 {
				j.edit(a.vfrom, a.vfrom+to, j.n.Site)
			}
		case elsewhere:
			// Every relative place is elsewhere now.
			j.base = place{origin{scheme: j.base.scheme}, "/"}
		}
		return
	}
}
