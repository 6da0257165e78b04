package core

import "strings"

// SubjectKind tells what a rule takes for the subject (contract §8).
type SubjectKind byte

const (
	SubjectVisitor       SubjectKind = iota // the guard's visitor cookie
	SubjectCookie                           // the value of the cookie Name
	SubjectHeader                           // the value of the header Name, not verified here
	SubjectJWT                              // Claim of the JWT in the cookie Name, or the bearer token if Name is "", not verified here
	SubjectAuthorization                    // the whole Authorization value
	SubjectNone                             // nobody: the key alone, with the form, is the scope
)

// SubjectSource is the value of `subject` in a rule.
type SubjectSource struct {
	Kind        SubjectKind
	Name, Claim string
}

// Find returns who submits, as bytes that go into the scope and nowhere else, and reports whether the request
// says it. The visitor is the verified value of the visitor cookie, or "". An empty value is none. Subjects of
// different sources are never equal: each begins with its kind, name and claim, set off by NUL, which none of
// them contains. SubjectNone is always found.
func (s SubjectSource) Find(h Headers, visitor string) (subject string, ok bool) {
	var value string
	switch s.Kind {
	case SubjectVisitor:
		value = visitor
	case SubjectCookie:
		value, _ = cookieValue(h, s.Name)
	case SubjectHeader:
		value = trimOWS(h.Get(s.Name))
	case SubjectAuthorization:
		value = trimOWS(h.Get("Authorization"))
	case SubjectJWT:
		if s.Name == "" {
			value = bearerToken(h)
		} else {
			value, _ = cookieValue(h, s.Name)
		}
		value = jwtClaim(value, s.Claim)
	case SubjectNone:
		return "none\x00\x00\x00", true
	}
	if value == "" {
		return "", false
	}
	name := s.Name
	if s.Kind == SubjectHeader {
		name = lowerText(name)
	}
	return subjectWords[s.Kind] + "\x00" + name + "\x00" + s.Claim + "\x00" + value, true
}

var subjectWords = [...]string{"visitor", "cookie", "header", "jwt", "authorization", "none"}

// parseSubjectSource reads the value of `subject`. A claim may contain colons, as claims named by a URL do.
func parseSubjectSource(text string) (SubjectSource, bool) {
	switch text {
	case "visitor":
		return SubjectSource{Kind: SubjectVisitor}, true
	case "authorization":
		return SubjectSource{Kind: SubjectAuthorization}, true
	case "none":
		return SubjectSource{Kind: SubjectNone}, true
	}
	kind, rest, _ := strings.Cut(text, ":")
	switch kind {
	case "cookie":
		return SubjectSource{Kind: SubjectCookie, Name: rest}, isCookieName(rest)
	case "header":
		return SubjectSource{Kind: SubjectHeader, Name: rest}, isToken(rest)
	case "jwt":
		if claim, ok := strings.CutPrefix(rest, "bearer:"); ok {
			return SubjectSource{Kind: SubjectJWT, Claim: claim}, isClaim(claim)
		}
		if rest, ok := strings.CutPrefix(rest, "cookie:"); ok {
			name, claim, _ := strings.Cut(rest, ":")
			return SubjectSource{SubjectJWT, name, claim}, isCookieName(name) && isClaim(claim)
		}
	}
	return SubjectSource{}, false
}

func isClaim(name string) bool {
	return name != "" && strings.IndexByte(name, 0) < 0
}
