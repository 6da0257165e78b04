package core

import (
	"crypto/subtle"
	"strings"
)

// The visitor cookie tells who submits where no rule says otherwise (contract §8). It is no session and no
// secret of the application: sixteen random bytes and a MAC, so that nobody can pick another visitor's
// scope. On plain http the __Host- prefix and Secure are not possible.
const (
	visitorCookieSecure = "__Host-singleshot"
	visitorCookiePlain  = "singleshot"

	visitorIDSize = 16
	visitorSize   = visitorIDSize + 16
)

func visitorCookieName(scheme string) string {
	if scheme == "https" {
		return visitorCookieSecure
	}
	return visitorCookiePlain
}

// mintVisitor returns the value of a new visitor cookie.
func mintVisitor(secret []byte, random [16]byte) string {
	var raw [visitorSize]byte
	copy(raw[:], random[:])
	visitorMAC(raw[visitorIDSize:], secret, raw[:visitorIDSize])
	return text64.EncodeToString(raw[:])
}

// openVisitor returns the visitor of a cookie value, or "" if it is not ours: then it counts as absent.
func openVisitor(value string, secrets ...[]byte) string {
	var raw [visitorSize]byte
	if len(value) != text64.EncodedLen(visitorSize) {
		return ""
	}
	if n, err := text64.Decode(raw[:], []byte(value)); err != nil || n != visitorSize {
		return ""
	}
	for _, secret := range secrets {
		if len(secret) == 0 {
			continue
		}
		var mac [16]byte
		visitorMAC(mac[:], secret, raw[:visitorIDSize])
		if subtle.ConstantTimeCompare(mac[:], raw[visitorIDSize:]) == 1 {
			return string(raw[:visitorIDSize])
		}
	}
	return ""
}

func visitorMAC(out, secret, id []byte) {
	var room [partsRoom]byte
	parts(room[:0]).bytes(secret).bytes(id).digest(out, &visitorLabel)
}

var visitorLabel = newLabel("singleshot visitor 1")

// visitorSetCookie is the header value that gives the visitor a cookie: a session cookie, out of reach of
// scripts, and not sent with posts from other sites.
func visitorSetCookie(scheme, value string) string {
	attributes := "; Path=/; HttpOnly; SameSite=Lax"
	if scheme == "https" {
		attributes += "; Secure"
	}
	return visitorCookieName(scheme) + "=" + value + attributes
}

// withoutCookie returns a Cookie header value without the cookies of that name; everything else stays as it
// was sent. It returns "" if nothing is left.
func withoutCookie(value, name string) string {
	var kept []byte
	size := len(value)
	for len(value) > 0 {
		pair := value
		if i := strings.IndexByte(value, ';'); i >= 0 {
			pair, value = value[:i], value[i+1:]
		} else {
			value = ""
		}
		start := 0
		for start < len(pair) && (pair[start] == ' ' || pair[start] == '\t') {
			start++
		}
		rest := pair[start:]
		if len(rest) > len(name) && rest[:len(name)] == name && rest[len(name)] == '=' {
			continue
		}
		if len(kept) > 0 {
			kept = append(kept, ';')
		} else {
			kept, pair = make([]byte, 0, size), rest
		}
		kept = append(kept, pair...)
	}
	return string(kept)
}
