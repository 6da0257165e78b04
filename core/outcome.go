package core

import "strings"

// Outcome is what an answer of the origin does to the key (contract §1.1).
type Outcome byte

const (
	OutcomeCommit  Outcome = iota // the key is spent, the answer is kept
	OutcomeRelease                // the key is given back
	OutcomeUnknown                // whether the origin did its work is not known
)

func (o Outcome) String() string {
	switch o {
	case OutcomeCommit:
		return "commit"
	case OutcomeRelease:
		return "release"
	}
	return "unknown"
}

// Judged is what the outcome of an answer depends on.
type Judged struct {
	Status      int
	Headers     Headers // of the answer, as the origin sent them
	Redisplayed bool    // it is html that contains aria-invalid="true" or a class name of the rule's Redisplay
	Path        string  // of the request, as it was sent
}

// Judge decides what an answer does to the key. In the order of what wins (contract §1.1, §1.5):
//
//   - the origin's word, Idempotency-Outcome;
//   - under unknown = "hold", a gateway's 502, 504, 520, 522 or 524 is unknown: the work may have been done;
//   - every status but 2xx, 301, 302 and 303 is a release;
//   - a redirect to a sign-in page or to one of the rule's ReleaseRedirects is a release;
//   - a 200 that redisplays the form is a release;
//   - the rest commits.
func (r *Rule) Judge(a Judged) Outcome {
	switch word := trimOWS(a.Headers.Get("Idempotency-Outcome")); {
	case sameName(word, "commit"):
		return OutcomeCommit
	case sameName(word, "release"):
		return OutcomeRelease
	}
	if r.Hold {
		switch a.Status {
		case 502, 504, 520, 522, 524:
			return OutcomeUnknown
		}
	}
	if !commits(a.Status) || a.Status == 200 && a.Redisplayed {
		return OutcomeRelease
	}
	for i := range a.Headers {
		if place, ok := redirectPlace(a.Status, a.Headers[i]); ok && r.releasesAt(place, a.Path) {
			return OutcomeRelease
		}
	}
	return OutcomeCommit
}

// Final reports whether a status ends an answer of HTTP (RFC 9110 §15): the others are informational, or none.
func Final(status int) bool { return 200 <= status && status <= 599 }

// commits tells the statuses that may commit. 307 and 308 send the same submit on to another place; it has not
// been done here.
func commits(status int) bool {
	return 200 <= status && status <= 299 || status == 301 || status == 302 || status == 303
}

// redirectPlace returns where a header line sends the visitor. Location redirects with a 3xx only: with 201 and
// 202 it names what was made. htmx follows its own headers with every status that it gets to see.
func redirectPlace(status int, h Header) (string, bool) {
	switch {
	case sameName(h.Name, "Location"):
		return h.Value, status >= 300
	case sameName(h.Name, "HX-Redirect"):
		return h.Value, true
	case sameName(h.Name, "HX-Location"):
		place := hxLocationPath(h.Value)
		return place, place != ""
	}
	return "", false
}

// hxLocationPath returns the place in the value of HX-Location: the value, or the path in its JSON form. "" is
// what htmx cannot follow either.
func hxLocationPath(value string) string {
	value = trimOWS(value)
	if !strings.HasPrefix(value, "{") {
		return value
	}
	root, err := parseJSON([]byte(value))
	if v := root.member("path"); err == nil && v != nil && v.kind == jsonString {
		return v.text
	}
	return ""
}

// releasesAt reports whether a redirect to a place gives the key back.
func (r *Rule) releasesAt(place, posted string) bool {
	if LeadsToSignIn(place, posted) {
		return true
	}
	path, _ := resolvePath(posted, place)
	for _, glob := range r.ReleaseRedirects {
		if path != "" && matchGlob(glob, path) {
			return true
		}
	}
	return false
}

// answerTTL returns how many seconds a committed answer is kept: the origin's Idempotency-TTL if it is a whole
// number of seconds within the bounds of a rule's ttl, else what the rule says.
func answerTTL(h Headers, r *Rule) int {
	text := trimOWS(h.Get("Idempotency-TTL"))
	if len(text) > 9 { // int has 32 bits in wasm
		return r.TTL
	}
	n := 0
	for i := 0; i < len(text); i++ {
		if text[i] < '0' || text[i] > '9' {
			return r.TTL
		}
		n = n*10 + int(text[i]-'0')
	}
	if n < minTTL || n > maxTTL {
		return r.TTL
	}
	return n
}
