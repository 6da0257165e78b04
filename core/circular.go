package core

import "strings"

// circular says why a request that came to that scheme and host would come back to the guard if it were sent on to the
// origin, "" where it would not. Only a local run can tell: nobody but the guard listens at a loopback address and port
// where it was reached. originURL is a Config's, "" where the platform is to know the origin, which has none there.
func circular(scheme, host, originURL string) string {
	host, port := splitPort(scheme, host)
	if !isLoopback(host) {
		return ""
	}
	if originURL == "" {
		return "no-origin"
	}
	scheme, host, _, _ = splitURL(originURL)
	host, theirs := splitPort(scheme, host)
	if isLoopback(host) && theirs == port {
		return "origin-is-guard"
	}
	return ""
}

// splitPort splits an authority, with the scheme's port where it has none.
func splitPort(scheme, host string) (name, port string) {
	if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
		return host[:i], host[i+1:]
	}
	if scheme == "http" {
		return host, "80"
	}
	return host, "443"
}

// isLoopback knows the names of this machine (RFC 6761 §6.3, RFC 1122 §3.2.1.3, RFC 4291 §2.5.3).
func isLoopback(host string) bool {
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || strings.HasPrefix(host, "127.") || host == "[::1]"
}
