package core

import "strings"

// Language is a language in which the guard answers.
type Language byte

// The languages of the guard's own answers (contract §5).
const (
	English Language = iota
	Japanese
)

// String returns the language tag (BCP 47).
func (l Language) String() string {
	if l == Japanese {
		return "ja"
	}
	return "en"
}

// ParseLanguage chooses the language for the value of an Accept-Language line (RFC 9110 §12.5.4): Japanese where
// it is preferred to English, by weight and, at equal weight, by place; else English. Wrong syntax is skipped.
func ParseLanguage(acceptLanguage string) Language {
	if strings.IndexByte(acceptLanguage, 'j') < 0 && strings.IndexByte(acceptLanguage, 'J') < 0 {
		return English // without a j, Japanese is not in it
	}
	english, japanese := 0, 0 // weights in thousandths; 0 is "not wanted"
	wildcard := 0
	first := English
	for rest := acceptLanguage; rest != ""; {
		var tag string
		var weight int
		tag, weight, rest = nextWeighted(rest)
		primary, _, _ := strings.Cut(tag, "-")
		switch {
		case primary == "*":
			wildcard = max(wildcard, weight)
		case sameName(primary, "en"):
			if english == 0 && japanese == 0 {
				first = English
			}
			english = max(english, weight)
		case sameName(primary, "ja"):
			if english == 0 && japanese == 0 {
				first = Japanese
			}
			japanese = max(japanese, weight)
		}
	}
	if english == 0 {
		english = wildcard
	}
	if japanese > english || japanese == english && japanese > 0 && first == Japanese {
		return Japanese
	}
	return English
}

// nextWeighted takes the first member off a list of weighted values, such as Accept has them (RFC 9110 §12.4.2).
// weight is in thousandths: 1000 where none is given, 0 where it cannot be read. Other parameters are dropped.
func nextWeighted(list string) (value string, weight int, rest string) {
	member, rest, _ := strings.Cut(list, ",")
	value, parameters, _ := strings.Cut(member, ";")
	weight = 1000
	for parameters != "" {
		var p string
		p, parameters, _ = strings.Cut(parameters, ";")
		if name, q, ok := strings.Cut(p, "="); ok && sameName(trimOWS(name), "q") {
			weight = parseWeight(trimOWS(q))
		}
	}
	return trimOWS(value), weight, rest
}

// parseWeight reads a qvalue, "0" to "1" with at most three digits after the point, in thousandths.
func parseWeight(q string) int {
	if q == "" || len(q) > 5 || len(q) > 1 && q[1] != '.' {
		return 0
	}
	weight, unit := 0, 1000
	for i := 0; i < len(q); i++ {
		if i == 1 {
			continue
		}
		if q[i] < '0' || '9' < q[i] {
			return 0
		}
		weight += int(q[i]-'0') * unit
		unit /= 10
	}
	if weight > 1000 {
		return 0
	}
	return weight
}

// trimOWS cuts the optional white space of a header value (RFC 9110 §5.6.3) off both ends.
func trimOWS(s string) string { return strings.Trim(s, " \t") }
