package core

import "unicode/utf8"

// appendEscaped appends s so that it is plain text both in html text and in a quoted attribute value. CR and LF
// become character references: the parser folds raw ones into LF (HTML standard, 13.2.3.5 "Preprocessing the
// input stream"), references keep a carried value as it was sent. What no document can hold, NUL and bytes that
// are not UTF-8, becomes U+FFFD.
func appendEscaped(dst []byte, s string) []byte {
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError {
				dst = append(dst, "\uFFFD"...)
			} else {
				dst = append(dst, s[i:i+size]...)
			}
			i += size
			continue
		}
		i++
		switch c {
		case '&':
			dst = append(dst, "&amp;"...)
		case '<':
			dst = append(dst, "&lt;"...)
		case '>':
			dst = append(dst, "&gt;"...)
		case '"':
			dst = append(dst, "&#34;"...)
		case '\'':
			dst = append(dst, "&#39;"...)
		case '\n':
			dst = append(dst, "&#10;"...)
		case '\r':
			dst = append(dst, "&#13;"...)
		case 0:
			dst = append(dst, "\uFFFD"...)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// carriable reports whether s survives a hidden input unchanged: it is UTF-8 and has no NUL.
func carriable(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] == 0 {
			return false
		}
	}
	return utf8.ValidString(s)
}
