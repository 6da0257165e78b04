package core

import "slices"

// Rule says how requests to some paths are guarded (contract §8). Rules are read by ParseRules and not changed
// afterwards; one Rule may be used by any number of exchanges at once.
type Rule struct {
	Match        string   // path glob in normal form, see matchGlob
	Methods      []string // of POST, PUT, PATCH, DELETE
	Key          KeySource
	Required     bool // a request without a key is refused
	Subject      SubjectSource
	MintByOrigin bool // the origin renders the key field itself

	TTL   int // seconds a committed answer is replayed
	Lease int // seconds a claim lasts without renewal
	Wait  int // seconds a duplicate waits

	Ignore           []string // fields left out of the fingerprint
	Redisplay        []string // class names that mark a redisplayed form
	ReleaseRedirects []string // path globs in normal form
	ReplayHeaders    []string // header names, in any letter case

	MaxBody   int64 // bytes of a guarded request, 0: as many as the platform lets through
	MaxAnswer int64 // bytes of an answer that are kept

	Hold    bool // unknown = "hold": after an unknown outcome nobody runs
	Strip   bool // the key field is taken out of the body
	Compare bool // a duplicate's fingerprint is compared
}

// Bounds and defaults of a rule (contract §8, §4). Where the contract names no upper bound, the one here only
// keeps the number meaningful: seconds fit 32 bits, a lease or wait ends within a visitor's patience.
const (
	minTTL     = 60
	maxTTL     = 10 * 365 * 24 * 60 * 60
	maxLease   = 60 * 60
	maxWait    = 10 * 60
	maxMaxBody = 1 << 40
	maxAnswer  = 25165824
	eventWait  = 5
)

// DefaultRule is the implicit last rule: every form POST, the key in its field.
func DefaultRule() Rule { return defaultsFor(KeyField) }

// defaultsFor returns what a rule says about everything that it does not name.
func defaultsFor(kind KeyKind) Rule {
	r := Rule{
		Match:     "/**",
		Methods:   []string{"POST"},
		Key:       KeySource{Kind: kind},
		TTL:       24 * 60 * 60,
		Lease:     30,
		Wait:      20,
		MaxAnswer: 10 << 20,
		Compare:   true,
	}
	switch {
	case kind == KeyHeader:
		r.Subject.Kind = SubjectAuthorization
	case r.Key.isEvent():
		// Senders retry by themselves and some change the body between attempts (contract §2).
		r.Subject.Kind, r.Wait, r.Compare = SubjectNone, eventWait, false
	}
	return r
}

// Rules are the rules of a deployment in their order. The zero value has the implicit last rule alone.
type Rules []Rule

// implicitRule is shared by every Find that reaches it, so that an unruled request allocates nothing.
var implicitRule = DefaultRule()

// Find returns the first rule that names the method and whose glob matches the path, else the implicit last one
// for a POST. It returns nil for what is not guarded: where that rule says key = "off", where no rule names the
// method, and always for GET, HEAD and OPTIONS. A rule that matches the path but not the method leaves the
// request to the rules after it. The path is taken as it was sent. The rule is shared: it must not be changed.
func (rs Rules) Find(method, path string) *Rule {
	return rs.find(method, NormalPath(path))
}

// find is Find for a path in normal form.
func (rs Rules) find(method, path string) *Rule {
	if !guardable(method) {
		return nil
	}
	for i := range rs {
		r := &rs[i]
		if slices.Contains(r.Methods, method) && matchGlob(r.Match, path) {
			if r.Key.Kind == KeyOff {
				return nil
			}
			return r
		}
	}
	if method == "POST" {
		return &implicitRule
	}
	return nil
}

// guardable reports whether a rule may name the method. Methods are case-sensitive (RFC 9110 §9.1).
func guardable(method string) bool {
	return method == "POST" || method == "PUT" || method == "PATCH" || method == "DELETE"
}
