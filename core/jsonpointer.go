package core

import "strings"

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

// find reads one value, with everything in it, and builds no tree: memory does not grow with the text. If wanted, the
// value at pointer, seen from here, is stored in v: of an array or object its kind alone, of repeated names the first.
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
