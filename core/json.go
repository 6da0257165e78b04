package core

import "strconv"

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
// names in an object are kept; member takes the first. The error is a *jsonError.
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
