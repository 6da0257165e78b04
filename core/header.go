package core

// Header is one field line of a request or an answer (RFC 9110 §5). The name keeps the letter case in which
// it came; compare with sameName. A field that was sent on several lines stands in several Headers.
type Header struct {
	Name, Value string
}

// Headers are the field lines of one message, in order.
type Headers []Header

// Get returns the value of the first line with that name, in any letter case, or "".
func (h Headers) Get(name string) string {
	for i := range h {
		if sameName(h[i].Name, name) {
			return h[i].Value
		}
	}
	return ""
}

// Has reports whether there is a line with that name, in any letter case.
func (h Headers) Has(name string) bool {
	for i := range h {
		if sameName(h[i].Name, name) {
			return true
		}
	}
	return false
}

// sameName reports whether two ASCII tokens are equal but for letter case.
func sameName(a, b string) bool { return len(a) == len(b) && sameFolded(a, b) }

// sameFolded is kept out of line, so that the length, which mostly decides, is compared where it is asked for.
//
//go:noinline
func sameFolded(a, b string) bool {
	if a == b {
		return true
	}
	for i := 0; i < len(a); i++ {
		if a[i] != b[i] && lower(a[i]) != lower(b[i]) {
			return false
		}
	}
	return true
}

// lower folds one ASCII letter; every other byte stays.
func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// lowerText folds the ASCII letters of a text. strings.ToLower brings Unicode's tables into the engine.
func lowerText(s string) string {
	for i := 0; i < len(s); i++ {
		if lower(s[i]) != s[i] {
			b := []byte(s)
			for ; i < len(b); i++ {
				b[i] = lower(b[i])
			}
			return string(b)
		}
	}
	return s
}
