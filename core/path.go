package core

import "strings"

// NormalPath brings the percent-encoding of a path, without its query, to one form, so that every spelling of a
// path meets the same rule and the same scope (contract §8: as it was sent, percent-encoding normalised). By
// RFC 3986 §6.2.2 escapes of unreserved characters are decoded and all others get upper-case digits. A byte that
// cannot stand raw in a path, a % without two digits included, is escaped; a rule may so be written in any
// script. Dot segments, repeated slashes and letter case stay: whether they matter is for the origin to say.
// The empty path is "/". NormalPath of its own result changes nothing, and does not allocate.
func NormalPath(path string) string {
	if path == "" {
		return "/"
	}
	for i := 0; i < len(path); i++ {
		if c := path[i]; c == '%' {
			if d, ok := escapeAt(path, i); !ok || isUnreserved(d) || !upperEscape(path, i) {
				return normalise(path, i)
			}
			i += 2
		} else if !isPathByte(c) {
			return normalise(path, i)
		}
	}
	return path
}

// normalise is NormalPath for a path that is in normal form before byte i only.
func normalise(path string, i int) string {
	out := make([]byte, i, len(path)+16)
	copy(out, path)
	for ; i < len(path); i++ {
		c := path[i]
		if c == '%' {
			d, ok := escapeAt(path, i)
			switch {
			case !ok:
				out = appendEscape(out, '%')
				continue
			case isUnreserved(d):
				out = append(out, d)
			default:
				out = appendEscape(out, d)
			}
			i += 2
		} else if isPathByte(c) {
			out = append(out, c)
		} else {
			out = appendEscape(out, c)
		}
	}
	return string(out)
}

// escapeAt returns the byte that the percent escape at s[i] stands for.
func escapeAt(s string, i int) (byte, bool) {
	if i+2 >= len(s) {
		return 0, false
	}
	high, ok1 := unhex(s[i+1])
	low, ok2 := unhex(s[i+2])
	return high<<4 | low, ok1 && ok2
}

func upperEscape(s string, i int) bool { return s[i+1] < 'a' && s[i+2] < 'a' }

func appendEscape(dst []byte, c byte) []byte {
	const hex = "0123456789ABCDEF"
	return append(dst, '%', hex[c>>4], hex[c&15])
}

// isUnreserved tells the characters that mean the same with and without an escape (RFC 3986 §2.3).
func isUnreserved(c byte) bool {
	return 'a' <= lower(c) && lower(c) <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '.' || c == '_' || c == '~'
}

// isPathByte tells the bytes that stand raw in a path: the slash and RFC 3986 §3.3 pchar.
func isPathByte(c byte) bool { return pathBytes[c>>6]>>(c&63)&1 == 1 }

// pathBytes has a bit for each of them. Every request has its path looked through.
var pathBytes = func() (set [4]uint64) {
	for _, c := range []byte("/-._~!$&'()*+,;=:@0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") {
		set[c>>6] |= 1 << (c & 63)
	}
	return set
}()

// resolvePath returns the path and the query that a reference in an answer to a request for base leads to. The
// path is in normal form, without dot segments, and "" where the reference has none (mailto:, javascript:). Host
// and fragment are left out; a backslash counts as a slash, as in every browser (WHATWG URL, special schemes).
func resolvePath(base, ref string) (path, query string) {
	ref = strings.Trim(ref, " \t")
	ref, _, _ = strings.Cut(ref, "#")
	ref, query, _ = strings.Cut(ref, "?")
	ref = strings.ReplaceAll(ref, `\`, "/")
	scheme := schemeLength(ref)
	ref = ref[scheme:]
	switch {
	case strings.HasPrefix(ref, "//"):
		ref = ref[2:]
		i := strings.IndexByte(ref, '/')
		if i < 0 {
			return "/", query
		}
		ref = ref[i:]
	case scheme > 0:
		return "", query
	case ref == "":
		ref = base
	case ref[0] != '/':
		ref = base[:strings.LastIndexByte(base, '/')+1] + ref
	}
	return withoutDots(NormalPath(ref)), query
}

// schemeLength returns the length of a scheme with its colon at the start of ref (RFC 3986 §3.1), or 0.
func schemeLength(ref string) int {
	for i := 0; i < len(ref); i++ {
		switch c := ref[i]; {
		case c == ':' && i > 0:
			return i + 1
		case 'a' <= lower(c) && lower(c) <= 'z':
		case i > 0 && ('0' <= c && c <= '9' || c == '+' || c == '-' || c == '.'):
		default:
			return 0
		}
	}
	return 0
}

// withoutDots removes the segments "." and ".." as RFC 3986 §5.2.4 does.
func withoutDots(path string) string {
	if !strings.Contains(path, "/.") && path[0] == '/' {
		return path
	}
	var kept []string
	segments := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for i, s := range segments {
		switch {
		case s == "..":
			kept = kept[:max(len(kept)-1, 0)]
		case s != ".":
			kept = append(kept, s)
			continue
		}
		if i == len(segments)-1 {
			kept = append(kept, "") // the directory itself, with its slash
		}
	}
	return "/" + strings.Join(kept, "/")
}

// decodeQuery undoes + and percent escapes of one name or value of a query; a % without two digits stays.
func decodeQuery(s string) string {
	if strings.IndexByte(s, '%') < 0 && strings.IndexByte(s, '+') < 0 {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '+' {
			c = ' '
		} else if d, ok := escapeAt(s, i); c == '%' && ok {
			c = d
			i += 2
		}
		out = append(out, c)
	}
	return string(out)
}
