package core

import "unicode/utf8"

// appendEscaped appends s so that it is plain text both in html text and in a quoted attribute value. CR and LF
// become character references: the parser folds raw ones into LF (HTML standard, 13.2.3.5 "Preprocessing the
// input stream"), references keep a carried value as it was sent. What no document can hold, NUL and bytes that
// are not UTF-8, becomes U+FFFD.
func appendEscaped(dst []byte, s string) []byte {
	start := 0 // of what is not copied yet
	for i := 0; i < len(s); {
		size, in := 1, ""
		switch c := s[i]; {
		case '>' < c && c < utf8.RuneSelf: // letters: most of a text
		case c == '&':
			in = "&amp;"
		case c == '<':
			in = "&lt;"
		case c == '>':
			in = "&gt;"
		case c == '"':
			in = "&#34;"
		case c == '\'':
			in = "&#39;"
		case c == '\n':
			in = "&#10;"
		case c == '\r':
			in = "&#13;"
		case c == 0:
			in = "\uFFFD"
		case c >= utf8.RuneSelf:
			var r rune
			if r, size = utf8.DecodeRuneInString(s[i:]); r == utf8.RuneError {
				in = "\uFFFD"
			}
		}
		if in != "" {
			dst = append(append(dst, s[start:i]...), in...)
			start = i + size
		}
		i += size
	}
	return append(dst, s[start:]...)
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
