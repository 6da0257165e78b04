package core

// jsonReader reads one RFC 8259 text from front to back and builds nothing: the caller asks for value, and
// after an array or object was opened, for element or member until there is no more. Strings without escapes
// are slices of one copy of the text. It refuses what parseJSON refuses, but has no bound on the number of
// values. It is used up by its first error.
type jsonReader struct {
	text  string
	pos   int
	line  int // of the last byte read, 1-based
	depth int
}

// newJSONReader makes a reader with a copy of the text.
func newJSONReader(text []byte) *jsonReader {
	return &jsonReader{text: string(text), line: 1}
}

func (r *jsonReader) fail(why string) error { return &jsonError{r.line, why} }

// value reads the next value: a scalar completely, of an array or object the opening bracket. The text is that
// of a string, decoded, or of a number, exactly as written; else "".
//
// A string is decoded to UTF-8. An escape of half a surrogate pair, which the grammar allows and JavaScript
// sends for broken text, becomes the three bytes that the UTF-8 pattern gives for it. Those bytes are refused
// where they stand raw, as all that is not UTF-8, so two strings are decoded to the same bytes only if they are
// the same sequence of UTF-16 units.
func (r *jsonReader) value() (jsonKind, string, error) {
	switch c := r.peek(); c {
	case '{', '[':
		if r.depth == maxJSONDepth {
			return 0, "", r.fail("too deep")
		}
		r.depth++
		r.pos++
		if c == '{' {
			return jsonObject, "", nil
		}
		return jsonArray, "", nil
	case '"':
		text, err := r.str()
		return jsonString, text, err
	case 't':
		return jsonTrue, "", r.word("true")
	case 'f':
		return jsonFalse, "", r.word("false")
	case 'n':
		return jsonNull, "", r.word("null")
	default:
		text, err := r.number()
		return jsonNumber, text, err
	}
}

// member reads the name of the next member of the innermost open object up to its value; more is false when the
// object has ended. The first call after the object was opened says so.
func (r *jsonReader) member(first bool) (name string, more bool, err error) {
	if more, err = r.next(first, '}'); !more {
		return "", false, err
	}
	if r.peek() != '"' {
		return "", false, r.fail("name expected")
	}
	if name, err = r.str(); err != nil {
		return "", false, err
	}
	if r.peek() != ':' {
		return "", false, r.fail("colon expected")
	}
	r.pos++
	return name, true, nil
}

// element reports whether the innermost open array has another element, and stands before it.
func (r *jsonReader) element(first bool) (more bool, err error) {
	return r.next(first, ']')
}

// next reads the closing bracket, or the comma before an item that is not the first.
func (r *jsonReader) next(first bool, closing byte) (bool, error) {
	c := r.peek()
	switch {
	case c == closing:
		r.pos++
		r.depth--
		return false, nil
	case first:
		return true, nil
	case c != ',':
		return false, r.fail("comma or end expected")
	}
	r.pos++
	if r.peek() == closing {
		return false, r.fail("comma before the end")
	}
	return true, nil
}

// end reports an error if anything but white space is left.
func (r *jsonReader) end() error {
	r.peek()
	if r.pos < len(r.text) {
		return r.fail("text after the value")
	}
	return nil
}

// peek skips white space and returns the byte after it, or 0 at the end (a raw 0 starts no value either).
func (r *jsonReader) peek() byte {
	for ; r.pos < len(r.text); r.pos++ {
		switch c := r.text[r.pos]; c {
		case '\n':
			r.line++
		case ' ', '\t', '\r':
		default:
			return c
		}
	}
	return 0
}

func (r *jsonReader) word(w string) error {
	if len(r.text)-r.pos < len(w) || r.text[r.pos:r.pos+len(w)] != w {
		return r.fail("value expected")
	}
	r.pos += len(w)
	return nil
}

// number reads RFC 8259 §6: no plus sign, no leading zero, digits on both sides of the point.
func (r *jsonReader) number() (string, error) {
	start := r.pos
	if r.at(0) == '-' {
		r.pos++
	}
	if r.at(0) == '0' {
		r.pos++
	} else if !r.digits() {
		if r.pos == len(r.text) && r.pos == start {
			return "", r.fail("unexpected end")
		}
		return "", r.fail("value expected")
	}
	if r.at(0) == '.' {
		if r.pos++; !r.digits() {
			return "", r.fail("digit expected")
		}
	}
	if r.at(0)|0x20 == 'e' {
		r.pos++
		if c := r.at(0); c == '+' || c == '-' {
			r.pos++
		}
		if !r.digits() {
			return "", r.fail("digit expected")
		}
	}
	return r.text[start:r.pos], nil
}

// digits skips digits and reports whether there was one.
func (r *jsonReader) digits() bool {
	start := r.pos
	for c := r.at(0); '0' <= c && c <= '9'; c = r.at(0) {
		r.pos++
	}
	return r.pos > start
}

// at returns the byte i after the position, or 0 beyond the end.
func (r *jsonReader) at(i int) byte {
	if r.pos+i < len(r.text) {
		return r.text[r.pos+i]
	}
	return 0
}
