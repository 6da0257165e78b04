package core

import "strings"

// neverReplayed are the headers that no rule can name: of one connection or one moment (contract §4), undone or
// set by the guard for every replay.
const neverReplayed = " connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade" +
	" date age server-timing content-encoding content-length cache-control "

func replayHeaderFault(name string) string {
	folded := lowerText(name)
	switch {
	case !isToken(name):
		return "must be names of headers"
	case strings.Contains(neverReplayed, " "+folded+" ") || strings.HasPrefix(folded, "idempotency-"):
		return "must not name what belongs to one connection, one moment or the guard: " + folded
	}
	return ""
}

// isToken reports whether s is a token, as names of headers are (RFC 9110 §5.6.2).
func isToken(s string) bool {
	for i := 0; i < len(s); i++ {
		c := lower(s[i])
		if !('a' <= c && c <= 'z' || '0' <= c && c <= '9' || c != 0 && strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0) {
			return false
		}
	}
	return s != ""
}
