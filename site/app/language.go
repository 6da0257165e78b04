package app

import (
	"net/http"
	"strconv"
	"strings"
)

// language is a language that the pages are written in, as its BCP 47 tag.
type language string

const (
	english  language = "en"
	japanese language = "ja"
)

// languages are all of them, in the order of the switch.
var languages = [...]language{english, japanese}

// name returns the language's name in itself.
func (l language) name() string {
	if l == japanese {
		return "日本語"
	}
	return "English"
}

// languageCookie remembers the visitor's choice. A year, in seconds.
const (
	languageCookie       = "lang"
	languageCookieMaxAge = 365 * 24 * 60 * 60
)

// known reports which of our languages a tag like "ja" or "en-GB" means, by its first subtag.
func known(tag string) (language, bool) {
	first, _, _ := strings.Cut(strings.TrimSpace(tag), "-")
	switch strings.ToLower(first) {
	case "en":
		return english, true
	case "ja":
		return japanese, true
	}
	return "", false
}

// languageOf says in which language to answer: the one the address asks for (?lang=ja), else the one chosen
// before, else the one the browser prefers, else English. chosen is true in the first case: then the answer
// should remember it.
func languageOf(r *http.Request) (lang language, chosen bool) {
	if lang, ok := known(r.URL.Query().Get("lang")); ok {
		return lang, true
	}
	if cookie, err := r.Cookie(languageCookie); err == nil {
		if lang, ok := known(cookie.Value); ok {
			return lang, false
		}
	}
	return preferred(strings.Join(r.Header.Values("Accept-Language"), ",")), false
}

// preferred picks from an Accept-Language header (RFC 9110 section 12.5.4): the highest weight wins, the
// first of equals. What cannot be read counts as not said.
func preferred(header string) language {
	best, weight := english, 0.0
	for part := range strings.SplitSeq(header, ",") {
		tag, params, _ := strings.Cut(part, ";")
		lang, ok := known(tag)
		if !ok {
			continue
		}
		q := 1.0
		if value, found := strings.CutPrefix(strings.TrimSpace(params), "q="); found {
			parsed, err := strconv.ParseFloat(value, 64)
			if err != nil || !(parsed >= 0 && parsed <= 1) {
				continue
			}
			q = parsed
		}
		if q > weight {
			best, weight = lang, q
		}
	}
	return best
}

// remember sets the cookie of a chosen language. No Expires: Max-Age says it without a comma, which some
// platforms take for the end of a header.
func remember(w http.ResponseWriter, lang language) {
	w.Header().Add("Set-Cookie", languageCookie+"="+string(lang)+"; Path=/; Max-Age="+
		strconv.Itoa(languageCookieMaxAge)+"; SameSite=Lax; HttpOnly")
}
