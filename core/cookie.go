package core

import "strings"

// cookieValue returns the value of the first cookie with that name in the Cookie lines of a request, of which
// HTTP/2 may send several (RFC 9113 §8.2.3). The first is the one that RFC 6265 §5.4 makes the more specific.
// Names are compared with their letter case; a value is as it was sent, quotes included.
func cookieValue(h Headers, name string) (string, bool) {
	for i := range h {
		if !sameName(h[i].Name, "Cookie") {
			continue
		}
		for rest := h[i].Value; rest != ""; {
			var pair string
			pair, rest, _ = strings.Cut(rest, ";")
			n, value, ok := strings.Cut(pair, "=")
			if ok && trimOWS(n) == name {
				return trimOWS(value), true
			}
		}
	}
	return "", false
}

// isCookieName tells the names that can be found in a Cookie line. RFC 6265 wants a token; applications use more.
func isCookieName(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] <= ' ' || s[i] >= 0x7f || s[i] == '=' || s[i] == ';' {
			return false
		}
	}
	return s != ""
}
