package core

import "strings"

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
