package core

import "strings"

// bearerToken returns the token of the Authorization header (RFC 6750 §2.1), or "".
func bearerToken(h Headers) string {
	scheme, token, _ := strings.Cut(trimOWS(h.Get("Authorization")), " ")
	if !sameName(scheme, "Bearer") {
		return ""
	}
	return trimOWS(token)
}

// jwtClaim returns a claim of a signed JWT (RFC 7519, RFC 7515 compact form) as text: a string, or a number by
// its exact text. It is "" for any other claim or token. The signature is not looked at (contract §8): that is the
// origin's work. Who forges a claim still needs the key that was used with it.
func jwtClaim(token, claim string) string {
	parts := strings.Split(strings.Trim(token, `"`), ".")
	if len(parts) != 3 {
		return ""
	}
	payload, ok := decodeBase64URL(parts[1])
	if !ok {
		return ""
	}
	root, err := parseJSON(payload)
	if err != nil {
		return ""
	}
	v := root.member(claim)
	if v == nil || v.kind != jsonString && v.kind != jsonNumber {
		return ""
	}
	return v.text
}

// decodeBase64URL decodes unpadded base64url (RFC 4648 §5, RFC 7515 §2). Bits left over must be zero, so that
// one payload has one text.
func decodeBase64URL(s string) ([]byte, bool) {
	out := make([]byte, 0, len(s)*3/4)
	var held uint32
	var count uint
	for i := 0; i < len(s); i++ {
		c := s[i]
		var six byte
		switch {
		case 'A' <= c && c <= 'Z':
			six = c - 'A'
		case 'a' <= c && c <= 'z':
			six = c - 'a' + 26
		case '0' <= c && c <= '9':
			six = c - '0' + 52
		case c == '-':
			six = 62
		case c == '_':
			six = 63
		default:
			return nil, false
		}
		held = held<<6 | uint32(six)
		if count += 6; count >= 8 {
			count -= 8
			out = append(out, byte(held>>count))
		}
	}
	return out, count < 6 && held&(1<<count-1) == 0
}
