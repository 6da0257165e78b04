package core

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"
)

// jsonKind tells what a JSON value is. The zero value is null.
type jsonKind byte

const (
	jsonNull jsonKind = iota
	jsonFalse
	jsonTrue
	jsonNumber
	jsonString
	jsonArray
	jsonObject
)

// Bounds of one JSON text. The depth bounds the stack of whoever recurses over it; the number of values bounds
// the tree that parseJSON builds, some 90 bytes for each, which a text of commas would otherwise blow up to
// forty times its size. Code that reads request bodies goes through jsonReader, which builds nothing.
const (
	maxJSONDepth  = 64
	maxJSONValues = 1 << 16
)

// jsonValue is one value of a JSON text as a tree.
type jsonValue struct {
	kind jsonKind
	line int32  // of its first byte, 1-based
	text string // a string decoded (see jsonReader.text), a number as it was written
	// An object has as many names as items, in the order of the text, repeated names included.
	names []string
	items []jsonValue
}

// jsonError says where a text stops being JSON and why. It never quotes the text.
type jsonError struct {
	line int
	why  string
}

func (e *jsonError) Error() string {
	return "core: json: line " + strconv.Itoa(e.line) + ": " + e.why
}

// parseJSON reads one RFC 8259 text into a tree. It takes what the grammar takes and nothing more: no comments,
// no trailing commas, no byte order mark, nothing after the value. Beyond the grammar it refuses raw bytes that
// are not UTF-8 (RFC 8259 §8.1), more than maxJSONDepth levels and more than maxJSONValues values. Repeated
// names in an object are kept; member and at take the first. The error is a *jsonError.
func parseJSON(text []byte) (jsonValue, error) {
	r := newJSONReader(text)
	left := maxJSONValues
	v, err := r.tree(&left)
	if err != nil {
		return jsonValue{}, err
	}
	return v, r.end()
}

// tree reads one value with everything in it, and takes the number of its values from left.
func (r *jsonReader) tree(left *int) (jsonValue, error) {
	kind, text, err := r.value()
	if err != nil {
		return jsonValue{}, err
	}
	if *left--; *left < 0 {
		return jsonValue{}, r.fail("too many values")
	}
	v := jsonValue{kind: kind, line: int32(r.line), text: text}
	for first := true; kind == jsonArray || kind == jsonObject; first = false {
		var name string
		var more bool
		if kind == jsonObject {
			name, more, err = r.member(first)
		} else {
			more, err = r.element(first)
		}
		if err != nil {
			return jsonValue{}, err
		}
		if !more {
			break
		}
		item, err := r.tree(left)
		if err != nil {
			return jsonValue{}, err
		}
		if kind == jsonObject {
			v.names = append(v.names, name)
		}
		v.items = append(v.items, item)
	}
	return v, nil
}

// member returns the first member of an object with that name, or nil.
func (v *jsonValue) member(name string) *jsonValue {
	if v == nil || v.kind != jsonObject {
		return nil
	}
	for i, n := range v.names {
		if n == name {
			return &v.items[i]
		}
	}
	return nil
}

// at returns the value that a JSON pointer (RFC 6901) names, or nil if there is none or the pointer is malformed.
func (v *jsonValue) at(pointer string) *jsonValue {
	for v != nil && pointer != "" {
		var token string
		var ok bool
		if token, pointer, ok = pointerToken(pointer); !ok {
			return nil
		}
		if v.kind == jsonArray {
			i, ok := pointerIndex(token)
			if !ok || i >= len(v.items) {
				return nil
			}
			v = &v.items[i]
			continue
		}
		v = v.member(token)
	}
	return v
}

// pointerToken splits the first reference token off a JSON pointer and undoes ~0 and ~1 (RFC 6901 §3, §4).
func pointerToken(pointer string) (token, rest string, ok bool) {
	if pointer[0] != '/' {
		return "", "", false
	}
	token = pointer[1:]
	if i := strings.IndexByte(token, '/'); i >= 0 {
		token, rest = token[:i], token[i:]
	}
	if strings.IndexByte(token, '~') < 0 {
		return token, rest, true
	}
	plain := make([]byte, 0, len(token))
	for i := 0; i < len(token); i++ {
		c := token[i]
		if c == '~' {
			if i++; i == len(token) || token[i] != '0' && token[i] != '1' {
				return "", "", false
			}
			c = "~/"[token[i]-'0']
		}
		plain = append(plain, c)
	}
	return string(plain), rest, true
}

// pointerIndex reads an array index of a JSON pointer: digits without a leading zero (RFC 6901 §4). "-" names
// the element after the last, which never has a value.
func pointerIndex(token string) (int, bool) {
	if token == "" || len(token) > 9 || token[0] == '0' && len(token) > 1 {
		return 0, false
	}
	n := 0
	for i := 0; i < len(token); i++ {
		if token[i] < '0' || token[i] > '9' {
			return 0, false
		}
		n = n*10 + int(token[i]-'0')
	}
	return n, true
}

// validPointer reports whether text is a JSON pointer.
func validPointer(text string) bool {
	for ok := true; text != ""; {
		if _, text, ok = pointerToken(text); !ok {
			return false
		}
	}
	return true
}

// findJSON returns the value at a JSON pointer and reports whether there is one. It reads the whole text, so
// that a malformed one is an error wherever the fault is, and builds no tree: memory does not grow with the
// text. An array or object comes back with its kind alone. Of repeated names the first counts, as in at.
func findJSON(text []byte, pointer string) (v jsonValue, found bool, err error) {
	if !validPointer(pointer) {
		return jsonValue{}, false, errors.New("core: json: malformed pointer")
	}
	r := newJSONReader(text)
	if err := r.find(pointer, true, &v, &found); err != nil {
		return jsonValue{}, false, err
	}
	return v, found, r.end()
}

// find reads one value. If wanted, the value at pointer, seen from here, is stored in v.
func (r *jsonReader) find(pointer string, wanted bool, v *jsonValue, found *bool) error {
	kind, text, err := r.value()
	if err != nil {
		return err
	}
	if wanted && pointer == "" {
		*v, *found = jsonValue{kind: kind, line: int32(r.line), text: text}, true
		wanted = false
	}
	if kind != jsonArray && kind != jsonObject {
		return nil
	}
	var token string
	index, isIndex := 0, false
	if wanted {
		token, pointer, _ = pointerToken(pointer)
		index, isIndex = pointerIndex(token)
	}
	for i := 0; ; i++ {
		var name string
		var more, hit bool
		if kind == jsonObject {
			name, more, err = r.member(i == 0)
			hit = wanted && name == token
		} else {
			more, err = r.element(i == 0)
			hit = wanted && isIndex && i == index
		}
		if err != nil || !more {
			return err
		}
		if hit {
			wanted = false
		}
		if err := r.find(pointer, hit, v, found); err != nil {
			return err
		}
	}
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
