package core

import "unicode/utf8"

// Lengths of keys that were not minted by the guard (contract §2).
const (
	minForeignKey = 16
	maxForeignKey = 128
	maxEventID    = 256
)

// sfString reads the value of an Idempotency-Key header: a structured-field string (RFC 9651 §3.3.3) or the bare
// text, 16 to 128 characters of A-Za-z0-9-_ (contract §2, key = "header"). The quoted and the bare form are the
// same key. Parameters after the string are refused, as is a list, which is what two lines of the header become.
func sfString(value string) (string, bool) {
	value = trimOWS(value)
	if n := len(value); n >= 2 && value[0] == '"' && value[n-1] == '"' {
		value = value[1 : n-1]
	}
	if len(value) < minForeignKey || len(value) > maxForeignKey {
		return "", false
	}
	for i := 0; i < len(value); i++ {
		c := value[i]
		if !('a' <= lower(c) && lower(c) <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '_') {
			return "", false
		}
	}
	return value, true
}

// clientKey returns the client-made key of a request, whether the header was sent at all, and whether it is a
// key. Several lines are none: which of them the origin would take is not known.
func clientKey(h Headers) (key string, sent, ok bool) {
	for i := range h {
		if !sameName(h[i].Name, "Idempotency-Key") {
			continue
		}
		if sent {
			return "", true, false
		}
		sent = true
		key, ok = sfString(h[i].Value)
	}
	return key, sent, ok
}

// eventID checks the id that a webhook's sender gave an event, from a header or as string or number of a JSON
// body: 1 to 256 bytes without control characters, after white space around it is cut off. Senders use UUIDs,
// prefixed ids, numbers and URLs, so nothing else is asked of it. A longer id is no id; it is not shortened,
// because two events might begin alike.
func eventID(value string) (string, bool) {
	value = trimOWS(value)
	if value == "" || len(value) > maxEventID {
		return "", false
	}
	for i := 0; i < len(value); i++ {
		if value[i] < ' ' || value[i] == 0x7f {
			return "", false
		}
	}
	return value, true
}

// isOriginKey reports whether the value of a key field counts as a key under mint = "origin": 16 to 128
// characters, whatever they are (contract §2). Bytes that are not UTF-8 count as one character each.
func isOriginKey(value string) bool {
	n := utf8.RuneCountInString(value)
	return minForeignKey <= n && n <= maxForeignKey
}
