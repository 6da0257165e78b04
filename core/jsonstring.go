package core

import "unicode/utf8"

// str reads a string from its opening quote.
func (r *jsonReader) str() (string, error) {
	r.pos++
	start := r.pos
	var plain []byte // what was decoded so far, once there was an escape
	for r.pos < len(r.text) {
		c := r.text[r.pos]
		switch {
		case c == '"':
			part := r.text[start:r.pos]
			r.pos++
			if plain == nil {
				return part, nil
			}
			return string(append(plain, part...)), nil
		case c == '\\':
			if plain == nil {
				plain = make([]byte, 0, r.pos-start+16)
			}
			plain = append(plain, r.text[start:r.pos]...)
			r.pos++
			var err error
			if plain, err = r.escape(plain); err != nil {
				return "", err
			}
			start = r.pos
		case c < ' ':
			return "", r.fail("control character in a string")
		case c < utf8.RuneSelf:
			r.pos++
		default:
			u, size := utf8.DecodeRuneInString(r.text[r.pos:])
			if u == utf8.RuneError && size == 1 {
				return "", r.fail("not UTF-8")
			}
			r.pos += size
		}
	}
	return "", r.fail("string without an end")
}

// escape reads what follows a backslash and appends what it stands for.
func (r *jsonReader) escape(dst []byte) ([]byte, error) {
	c := r.at(0)
	r.pos++
	switch c {
	case '"', '\\', '/':
		return append(dst, c), nil
	case 'b':
		return append(dst, '\b'), nil
	case 'f':
		return append(dst, '\f'), nil
	case 'n':
		return append(dst, '\n'), nil
	case 'r':
		return append(dst, '\r'), nil
	case 't':
		return append(dst, '\t'), nil
	case 'u':
	default:
		return nil, r.fail("unknown escape")
	}
	u, ok := r.hex4(0)
	if !ok {
		return nil, r.fail("four hex digits expected")
	}
	r.pos += 4
	if u < 0xd800 || u > 0xdfff {
		return utf8.AppendRune(dst, u), nil
	}
	if u < 0xdc00 && r.at(0) == '\\' && r.at(1) == 'u' {
		if low, ok := r.hex4(2); ok && 0xdc00 <= low && low <= 0xdfff {
			r.pos += 6
			return utf8.AppendRune(dst, 0x10000+(u-0xd800)<<10+(low-0xdc00)), nil
		}
	}
	return append(dst, 0xe0|byte(u>>12), 0x80|byte(u>>6&0x3f), 0x80|byte(u&0x3f)), nil
}

// hex4 reads four hex digits that stand i bytes after the position.
func (r *jsonReader) hex4(i int) (rune, bool) {
	var u rune
	for end := i + 4; i < end; i++ {
		d, ok := unhex(r.at(i))
		if !ok {
			return 0, false
		}
		u = u<<4 | rune(d)
	}
	return u, true
}

// surrogateAt reports whether s starts with a surrogate as escape encodes it, and which.
func surrogateAt(s string) (rune, bool) {
	if len(s) < 3 || s[0] != 0xed || s[1] < 0xa0 || s[1] > 0xbf || s[2] < 0x80 || s[2] > 0xbf {
		return 0, false
	}
	return 0xd000 | rune(s[1]&0x3f)<<6 | rune(s[2]&0x3f), true
}

// unhex returns the value of one hex digit of either letter case.
func unhex(c byte) (byte, bool) {
	switch {
	case '0' <= c && c <= '9':
		return c - '0', true
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10, true
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}

// appendJSONString appends s as a JSON string that may also stand in an html script element or attribute: <, >,
// &, ', U+2028 and U+2029 are escaped. Surrogates that jsonReader decoded become their escapes again; any other
// byte that is not UTF-8 becomes U+FFFD.
func appendJSONString(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			i++
			switch {
			case c == '"' || c == '\\':
				dst = append(dst, '\\', c)
			case c == '\n':
				dst = append(dst, '\\', 'n')
			case c == '\r':
				dst = append(dst, '\\', 'r')
			case c == '\t':
				dst = append(dst, '\\', 't')
			case c < ' ' || c == 0x7f || c == '<' || c == '>' || c == '&' || c == '\'':
				dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
			default:
				dst = append(dst, c)
			}
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			if u, ok := surrogateAt(s[i:]); ok {
				r, size = u, 3
			}
		}
		switch {
		case r == utf8.RuneError && size == 1:
			dst = append(dst, `\ufffd`...)
		case r == 0x2028 || r == 0x2029 || 0xd800 <= r && r <= 0xdfff:
			dst = append(dst, '\\', 'u', hex[r>>12], hex[r>>8&15], hex[r>>4&15], hex[r&15])
		default:
			dst = append(dst, s[i:i+size]...)
		}
		i += size
	}
	return append(dst, '"')
}

// AppendJSONString is for messages between core and its host: it appends s as a JSON string.
func AppendJSONString(dst []byte, s string) []byte { return appendJSONString(dst, s) }
