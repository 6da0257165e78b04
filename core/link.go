package core

import (
	"strings"
	"unicode/utf8"
)

// Link is what an existing record is called and where it is (contract §5). Make one with NewLink or
// ParseRecordLink; the zero Link is none.
type Link struct {
	Href  string // http, https or relative; ASCII
	Title string // UTF-8 without control characters; may be empty
}

const (
	maxHref  = 2048 // bytes; longer ones are no link
	maxTitle = 200  // characters; longer ones are cut
)

// NewLink checks href, which may come from a Location line, and cleans title. A link is http or https with a
// host, or relative to a path of this host; anything else, what a browser would read as another host or scheme
// included, is none. Raw spaces and characters that are not ASCII are percent-encoded.
func NewLink(href, title string) (Link, bool) {
	href = strings.Trim(readable(href), " \t")
	if href == "" || len(href) > maxHref || !safeHref(href) {
		return Link{}, false
	}
	return Link{Href: percentEncode(href), Title: cleanTitle(readable(title))}, true
}

// ParseRecordLink reads the first link of an Idempotency-Record line, in the syntax of Link (RFC 8288 §3):
//
//	</orders/1042>; title="Order 1042"; title*=UTF-8''%E6%B3%A8%E6%96%87
//
// title* (RFC 8187) goes before title. Text may stand there as raw UTF-8 too, also where the line was read as
// Latin-1, as fetch does.
func ParseRecordLink(value string) (Link, bool) {
	value = trimOWS(readable(value))
	if value == "" || value[0] != '<' {
		return Link{}, false
	}
	href, rest, ok := strings.Cut(value[1:], ">")
	if !ok {
		return Link{}, false
	}
	var title, extended string
	var hasTitle, hasExtended bool
	for {
		rest = strings.TrimLeft(rest, " \t")
		if rest == "" || rest[0] != ';' {
			break // the end, the next link, or wrong syntax: what was read so far counts
		}
		var name, text string
		name, text, rest = linkParameter(rest[1:])
		switch {
		case sameName(name, "title") && !hasTitle:
			title, hasTitle = text, true
		case sameName(name, "title*") && !hasExtended:
			extended, hasExtended = extendedValue(text)
		}
	}
	if hasExtended {
		title = extended
	}
	return NewLink(href, title)
}

// linkParameter takes one parameter, name=token or name="quoted", off the front of s.
func linkParameter(s string) (name, text, rest string) {
	end := strings.IndexAny(s, "=;,")
	if end < 0 {
		return trimOWS(s), "", ""
	}
	name, rest = trimOWS(s[:end]), s[end:]
	if rest[0] != '=' {
		return name, "", rest
	}
	rest = strings.TrimLeft(rest[1:], " \t")
	if rest == "" || rest[0] != '"' {
		end = strings.IndexAny(rest, ";,")
		if end < 0 {
			end = len(rest)
		}
		return name, trimOWS(rest[:end]), rest[end:]
	}
	var b []byte
	for i := 1; i < len(rest); i++ {
		switch c := rest[i]; {
		case c == '"':
			return name, string(b), rest[i+1:]
		case c == '\\' && i+1 < len(rest):
			i++
			b = append(b, rest[i])
		default:
			b = append(b, c)
		}
	}
	return name, string(b), "" // never closed: take what is there
}

// extendedValue decodes charset'language'percent-encoded (RFC 8187 §3.2), UTF-8 or ISO-8859-1.
func extendedValue(s string) (string, bool) {
	charset, rest, ok := strings.Cut(s, "'")
	_, rest, again := strings.Cut(rest, "'")
	if !ok || !again {
		return "", false
	}
	b := make([]byte, 0, len(rest))
	for i := 0; i < len(rest); i++ {
		if rest[i] != '%' {
			b = append(b, rest[i])
			continue
		}
		if i+2 >= len(rest) {
			return "", false
		}
		high, low := hexDigit(rest[i+1]), hexDigit(rest[i+2])
		if high < 0 || low < 0 {
			return "", false
		}
		b = append(b, byte(high<<4|low))
		i += 2
	}
	switch {
	case sameName(charset, "UTF-8"):
		return string(b), utf8.Valid(b)
	case sameName(charset, "ISO-8859-1"):
		return latin1(string(b)), true
	}
	return "", false
}

// hexDigit returns the value of one hexadecimal digit, or -1.
func hexDigit(c byte) int {
	switch c = lower(c); {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	}
	return -1
}

// safeHref reports whether a browser on an http(s) page goes to an http(s) address for href. It is stricter
// than the URL standard where that is lenient: no backslash (a slash there), no control character (dropped
// there), no user name, no "//host".
func safeHref(href string) bool {
	for i := 0; i < len(href); i++ {
		if c := href[i]; c < ' ' || c == 0x7f || c == '\\' {
			return false
		}
	}
	if strings.HasPrefix(href, "//") {
		return false
	}
	end := strings.IndexAny(href, ":/?#")
	if end < 0 || href[end] != ':' {
		return true // relative
	}
	if scheme := href[:end]; !sameName(scheme, "http") && !sameName(scheme, "https") {
		return false
	}
	host, ok := strings.CutPrefix(href[end+1:], "//")
	if !ok {
		return false
	}
	if end := strings.IndexAny(host, "/?#"); end >= 0 {
		host = host[:end]
	}
	return host != "" && host[0] != ':' && !strings.ContainsAny(host, "@ ")
}

// localPath returns s in ASCII if it is a safe href that starts with the path of this host, which is all that a
// form may be sent to, else "".
func localPath(s string) string {
	if s == "" || s[0] != '/' || !safeHref(s) {
		return ""
	}
	return percentEncode(s)
}

// percentEncode encodes spaces, quotes, angle brackets and bytes that are not ASCII; % stays.
func percentEncode(s string) string {
	const digits = "0123456789ABCDEF"
	var b []byte
	for i := 0; i < len(s); i++ {
		if c := s[i]; c <= ' ' || c >= 0x7f || c == '"' || c == '<' || c == '>' {
			if b == nil {
				b = append(make([]byte, 0, len(s)+16), s[:i]...)
			}
			b = append(b, '%', digits[c>>4], digits[c&15])
		} else if b != nil {
			b = append(b, c)
		}
	}
	if b == nil {
		return s
	}
	return string(b)
}

// cleanTitle turns control characters into spaces, and runs of spaces into one, and cuts at maxTitle characters.
func cleanTitle(s string) string {
	var b []byte
	count, gap := 0, false
	for _, r := range s {
		if r <= ' ' || 0x7f <= r && r <= 0xa0 || r == 0x2028 || r == 0x2029 {
			gap = len(b) > 0
			continue
		}
		if gap {
			b = append(b, ' ')
			count++
			gap = false
		}
		if count >= maxTitle {
			return string(b) + "…"
		}
		b = utf8.AppendRune(b, r)
		count++
	}
	return string(b)
}

// readable gives the text of a header value, whichever way its bytes came: UTF-8 stays; UTF-8 that was read as
// Latin-1 (each byte a character, as fetch does) is put together again; other bytes are Latin-1.
func readable(s string) string {
	if !utf8.ValidString(s) {
		return latin1(s)
	}
	var b []byte
	for i, r := range s {
		if r > 0xff {
			return s
		}
		if r >= utf8.RuneSelf && b == nil {
			b = append(make([]byte, 0, len(s)), s[:i]...)
		}
		if b != nil {
			b = append(b, byte(r))
		}
	}
	if b == nil || !utf8.Valid(b) {
		return s
	}
	return string(b)
}

// latin1 reads each byte of s as one character.
func latin1(s string) string {
	b := make([]byte, 0, len(s)+8)
	for i := 0; i < len(s); i++ {
		b = utf8.AppendRune(b, rune(s[i]))
	}
	return string(b)
}
