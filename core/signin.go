package core

import "strings"

// signInSegments are the path segments, and signInParameters the query parameters, by which a redirect to a
// sign-in page is known (contract §1.1).
var (
	signInSegments = [...]string{"login", "log-in", "log_in", "signin", "sign-in", "sign_in", "wp-login.php",
		"authorize", "saml2"}
	signInParameters = [...]string{"next", "return_to", "returnurl", "redirect_to", "redirect_uri"}
)

// LeadsToSignIn reports whether a redirect to a place, in answer to a request for the path posted, leads to a
// sign-in page (contract §1.1).
func LeadsToSignIn(place, posted string) bool {
	path, query := resolvePath(posted, place)
	return isSignIn(path) || leadsBack(query, posted)
}

// isSignIn reports whether a path in normal form has the segment of a sign-in page, in any letter case. What
// some servers hang on a segment after a semicolon (;jsessionid=) does not count.
func isSignIn(path string) bool {
	for path != "" {
		var segment string
		segment, path, _ = strings.Cut(path, "/")
		segment, _, _ = strings.Cut(segment, ";")
		for _, word := range signInSegments {
			if sameName(segment, word) {
				return true
			}
		}
	}
	return false
}

// leadsBack reports whether a query names the path that was posted to as the place to come back to. The value
// may be a path or a whole URL, with a query of its own, and encoded twice, as it is after passing two pages.
func leadsBack(query, posted string) bool {
	for query != "" {
		var pair string
		pair, query, _ = strings.Cut(query, "&")
		name, value, _ := strings.Cut(pair, "=")
		name, value = decodeQuery(name), decodeQuery(value)
		for _, word := range signInParameters {
			if sameName(name, word) && (isPlace(value, posted) || isPlace(decodeQuery(value), posted)) {
				return true
			}
		}
	}
	return false
}

// isPlace reports whether a reference, seen from the root of the site, leads to a path.
func isPlace(ref, path string) bool {
	if ref == "" {
		return false
	}
	at, _ := resolvePath("/", ref)
	return at == withoutDots(NormalPath(path))
}
