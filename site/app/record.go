package app

import (
	"net/http"
	"strings"
	"unicode/utf16"
)

// nameRecord says which record an answer made, so that whoever keeps the answer can name it to a person later. It
// is what an application may offer to a guard; everything works without it. title* carries what ASCII cannot
// (RFC 8288 section 3.4.1).
func nameRecord(h http.Header, l language, address string, title text) {
	record := "<" + address + `>; title="` + title.plain(english) + `"`
	if l != english {
		record += "; title*=UTF-8''" + percentEncoded(title.plain(l))
	}
	h.Set("Idempotency-Record", record)
}

// toast lets the kit show a message when the answer is there, and the list of orders read itself again.
func toast(h http.Header, message string) {
	h.Set("HX-Trigger", `{"hc:toast":{"message":`+jsonText(message)+`,"variant":"success"},"orders-changed":{}}`)
}

// jsonText writes text as a JSON string in ASCII, because header values are not UTF-8 in browsers.
func jsonText(text string) string {
	const hex = "0123456789abcdef"
	quoted := []byte{'"'}
	for _, unit := range utf16.Encode([]rune(text)) {
		if unit >= ' ' && unit <= '~' && unit != '"' && unit != '\\' {
			quoted = append(quoted, byte(unit))
		} else {
			quoted = append(quoted, '\\', 'u', hex[unit>>12], hex[unit>>8&15], hex[unit>>4&15], hex[unit&15])
		}
	}
	return string(append(quoted, '"'))
}

// percentEncoded writes text as an RFC 8187 ext-value's value-chars, encoding all but letters and digits.
func percentEncoded(text string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for _, c := range []byte(text) {
		if '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' {
			b.WriteByte(c)
		} else {
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		}
	}
	return b.String()
}
