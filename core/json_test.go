package core

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestJSONKeepsWhatTheTextSays(t *testing.T) {
	text := []byte("\n{\"a\": [1, 1.0, -0.50e+3],\n \"s\": \"\\u00e9\\ud83d\\ude00\\/\\n\\b\\f\\r\\t\", \"n\": null, \"t\": true, \"f\": false,\n\"a\": {}, \"\": {\"x/y\": {\"~\": 7}}}")
	tests := []struct {
		pointer string
		kind    jsonKind
		text    string
		line    int32
		why     string
	}{
		{"", jsonObject, "", 2, "the empty pointer is the whole text; a line counts from 1, white space before it included"},
		{"/a", jsonArray, "", 2, "of repeated names the first counts"},
		{"/a/0", jsonNumber, "1", 2, "numbers by their exact text"},
		{"/a/1", jsonNumber, "1.0", 2, "1.0 is not 1"},
		{"/a/2", jsonNumber, "-0.50e+3", 2, "no digit is lost"},
		{"/s", jsonString, "é😀/\n\b\f\r\t", 3, "escapes and surrogate pairs are decoded"},
		{"/n", jsonNull, "", 3, ""},
		{"/t", jsonTrue, "", 3, ""},
		{"/f", jsonFalse, "", 3, ""},
		{"/", jsonObject, "", 4, "a name may be empty (RFC 6901 §5)"},
		{"//x~1y/~0", jsonNumber, "7", 4, "~1 is a slash, ~0 a tilde (RFC 6901 §4)"},
	}
	for _, tt := range tests {
		got, ok, err := findJSON(text, tt.pointer)
		if err != nil || !ok || got.kind != tt.kind || got.text != tt.text || got.line != tt.line {
			t.Errorf("find(%q) = %+v, %v, %v; want kind %d, %q, line %d: %s", tt.pointer, got, ok, err, tt.kind, tt.text, tt.line, tt.why)
		}
	}
	for _, pointer := range []string{"/b", "/a/3", "/a/-", "/a/00", "/a/01", "/a/+1", "/a/4294967296", "/s/0", "/n/x", "a", "/~", "/~2", "//x/y"} {
		if got, ok, err := findJSON(text, pointer); ok || err != nil {
			t.Errorf("find(%q) = %+v, %v, %v; want nothing", pointer, got, ok, err)
		}
	}
}

// findJSON reads a whole text for the value at a pointer, where that is one.
func findJSON(text []byte, pointer string) (v jsonValue, found bool, err error) {
	if !validPointer(pointer) {
		return v, false, nil
	}
	r := newJSONReader(text)
	if err := r.find(pointer, true, &v, &found); err != nil {
		return v, found, err
	}
	return v, found, r.end()
}

func TestJSONErrorSaysLineAndReason(t *testing.T) {
	deep := strings.Repeat("[", maxJSONDepth)
	tests := []struct{ text, want, why string }{
		{"", "line 1: unexpected end", "no value"},
		{"[1,\n2,\n]", "line 3: comma before the end", "no trailing comma"},
		{"{\n\"a\" 1}", "line 2: colon expected", ""},
		{"{1:2}", "line 1: name expected", ""},
		{"[1 2]", "line 1: comma or end expected", ""},
		{"[1", "line 1: comma or end expected", "text ends in an array"},
		{"[", "line 1: unexpected end", ""},
		{"{", "line 1: name expected", ""},
		{"01", "line 1: text after the value", "no leading zero"},
		{"+1", "line 1: value expected", "no plus sign"},
		{"1.", "line 1: digit expected", ""},
		{"1e", "line 1: digit expected", ""},
		{"-", "line 1: value expected", ""},
		{"nul", "line 1: value expected", ""},
		{"nulx", "line 1: value expected", ""},
		{"[" + strings.Repeat("[],{},", maxJSONDepth) + "1", "line 1: comma or end expected", "what is beside is not deep"},
		{"'a'", "line 1: value expected", "single quotes are JavaScript"},
		{"\ufeff1", "line 1: value expected", "a byte order mark is not white space"},
		{"1 // one", "line 1: text after the value", "no comments"},
		{`"a`, "line 1: string without an end", ""},
		{"\"a\n\"", "line 1: control character in a string", ""},
		{`"\x41"`, "line 1: unknown escape", ""},
		{"[1,\n[2,\n[3,]]]", "line 3: comma before the end", "in depth"},
		{`"\u12g4"`, "line 1: four hex digits expected", ""},
		{`"\`, "line 1: unknown escape", "the text ends in an escape"},
		{"\"\xff\"", "line 1: not UTF-8", "RFC 8259 §8.1"},
		{"\"\xed\xa0\x80\"", "line 1: not UTF-8", "a raw surrogate is not UTF-8, so its escape is unambiguous"},
		{deep + "[", "line 1: too deep", "the depth bounds the stack"},
		{deep + "]", "line 1: comma or end expected", "64 levels are not too deep"},
		{"[" + strings.Repeat("0,", maxJSONValues) + "0]", "line 1: too many values", "a small text must not become a large tree"},
	}
	for _, tt := range tests {
		_, err := parseJSON([]byte(tt.text))
		var e *jsonError
		if !errors.As(err, &e) || err.Error() != "core: json: "+tt.want {
			t.Errorf("parseJSON(%.20q) error = %v; want %s: %s", tt.text, err, tt.want, tt.why)
		}
	}
}

func TestJSONErrorNeverQuotesTheText(t *testing.T) {
	for _, text := range []string{`{"hunter2": hunter2}`, `{"a":"hunter2`, `hunter2`, `["hunter2" "hunter2"]`, `"\hunter2"`} {
		if _, err := parseJSON([]byte(text)); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("parseJSON error = %v; want one without the text", err)
		}
	}
}

func TestHalfSurrogatesStayDistinct(t *testing.T) {
	seen := map[string]string{}
	for _, text := range []string{`"\ud83d"`, `"\ude00"`, `"\ude00\ud83d"`, `"\ud83d\ude00"`, `"\ud83d\ud83d\ude00"`, `"\ufffd"`, `"\ud83d\u0041"`, `"\ud83dA\ude00"`, `"\ud83d\\ude00"`,
		`"\ud83d\n0041"`, `"\ud83du0041"`, `"\ud83d\ue000"`, `"\ud83d\udbff"`, `"\ud83d\udc00"`, `"\ud83d\udfff"`, `"\udbff\udfff"`, `"\udfff"`, `"\ue000"`, `"\udc00"`, `"\udc00\udc00"`} {
		v, err := parseJSON([]byte(text))
		if err != nil {
			t.Errorf("parseJSON(%s) error = %v; want none: JavaScript sends half pairs for broken text", text, err)
		}
		if other, ok := seen[v.text]; ok {
			t.Errorf("%s and %s decode to the same bytes; want different ones", text, other)
		}
		seen[v.text] = text
		again, err := parseJSON(appendJSONString(nil, v.text))
		if err != nil || again.text != v.text {
			t.Errorf("%s written and read again = %q, %v; want %q", text, again.text, err, v.text)
		}
	}
}

func TestAnEscapeIsItsCharacter(t *testing.T) { // contract §3, by value
	for escaped, plain := range map[string]string{
		`"\ud800\udc00"`: "\"\U00010000\"", `"\udbff\udfff"`: "\"\U0010ffff\"", `"\ud7ff"`: "\"\ud7ff\"", `"\ue000"`: "\"\ue000\"",
		`"\ud83d\ue000"`: "\"\\ud83d\ue000\"", `"\ud83d\ud7ff"`: "\"\\ud83d\ud7ff\"", `"\ud83d\u0041"`: `"\ud83dA"`, `"\ud83d\n0041"`: `"\ud83d\u000a0041"`,
		`"\udc00\udc00"`: `"\uDC00\udc00"`, `"\u00E9"`: `"é"`,
	} {
		a, err1 := parseJSON([]byte(escaped))
		b, err2 := parseJSON([]byte(plain))
		if err1 != nil || err2 != nil || a.text != b.text {
			t.Errorf("%s = %q, %v; %s = %q, %v; want the same", escaped, a.text, err1, plain, b.text, err2)
		}
	}
}

func TestWrittenStringIsSafeInHTML(t *testing.T) {
	tests := []struct{ in, want, why string }{
		{`plain é 😀`, `"plain é 😀"`, "what is safe stays readable"},
		{`</script><!--&'`, `"\u003c/script\u003e\u003c!--\u0026\u0027"`, "nothing ends a script element or an attribute"},
		{"\u2028\u2029", `"\u2028\u2029"`, "line ends in old JavaScript"},
		{"\"\\\n\r\t\x00\x1f\x7f", `"\"\\\n\r\t\u0000\u001f\u007f"`, "control characters are escaped"},
		{"a\xffb\xed\xa0", `"a\ufffdb\ufffd\ufffd"`, "bytes that are not UTF-8 become U+FFFD"},
		{"\xed\xa0\x80", `"\ud800"`, "a decoded half surrogate becomes its escape again"},
		{"\ufffd", "\"\ufffd\"", "the real U+FFFD stays"},
	}
	for _, tt := range tests {
		if got := string(appendJSONString(nil, tt.in)); got != tt.want {
			t.Errorf("appendJSONString(%q) = %s; want %s: %s", tt.in, got, tt.want, tt.why)
		}
	}
}

// FuzzParseJSON holds parseJSON against encoding/json: the same texts are valid, and every string and number
// reads the same. The differences are documented: raw bytes that are not UTF-8 and 65 levels are refused here,
// half surrogates are kept apart here and become U+FFFD there.
func FuzzParseJSON(f *testing.F) {
	for _, s := range []string{"", "null", ` {"a":[1,2.50,{"b":"\ud83d\ude00 \ud800 \n"}],"a":false} `, "[1,]", "{\"\xff\":1}", "[[[[]]]]", `"\u2028<&>"`, `"\ude00\ude00\ud83d\ud83d"`, "1e9999", "-0", `{"":{"":""}}`, "\ufeff{}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		v, err := parseJSON(text)
		if err != nil {
			if json.Valid(text) && utf8.Valid(text) && !strings.Contains(err.Error(), "too deep") && !strings.Contains(err.Error(), "too many") {
				t.Fatalf("parseJSON refused valid text: %v", err)
			}
			return
		}
		if !json.Valid(text) {
			t.Fatal("parseJSON took invalid text")
		}
		want := decodeOracle(t, text)
		if !sameTree(&v, want) {
			t.Fatalf("parseJSON = %+v; encoding/json reads %v", v, want)
		}
		if _, found, err := findJSON(text, ""); !found || err != nil {
			t.Fatalf("findJSON = %v, %v on a text that parseJSON takes", found, err)
		}
	})
}

// oracleObject keeps the members that encoding/json's tokens tell, repeated names included.
type oracleObject struct {
	names []string
	items []any
}

func decodeOracle(t *testing.T, text []byte) any {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var read func() any
	read = func() any {
		token, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		switch token {
		case json.Delim('['):
			items := []any{}
			for d.More() {
				items = append(items, read())
			}
			d.Token()
			return items
		case json.Delim('{'):
			var o oracleObject
			for d.More() {
				o.names = append(o.names, read().(string))
				o.items = append(o.items, read())
			}
			d.Token()
			return o
		}
		return token
	}
	return read()
}

func sameTree(v *jsonValue, want any) bool {
	sameList := func(items []any) bool {
		if len(items) != len(v.items) {
			return false
		}
		for i := range items {
			if !sameTree(&v.items[i], items[i]) {
				return false
			}
		}
		return true
	}
	switch want := want.(type) {
	case nil:
		return v.kind == jsonNull
	case bool:
		return want && v.kind == jsonTrue || !want && v.kind == jsonFalse
	case json.Number:
		return v.kind == jsonNumber && v.text == want.String()
	case string:
		return v.kind == jsonString && replaceSurrogates(v.text) == want
	case []any:
		return v.kind == jsonArray && sameList(want)
	case oracleObject:
		if v.kind != jsonObject || len(v.names) != len(want.names) {
			return false
		}
		for i, name := range want.names {
			if replaceSurrogates(v.names[i]) != name {
				return false
			}
		}
		return sameList(want.items)
	}
	panic("unknown " + strconv.Quote(string(v.text)))
}

// replaceSurrogates does to a decoded string what encoding/json does to half surrogates.
func replaceSurrogates(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		if _, ok := surrogateAt(s[i:]); ok {
			b.WriteRune(utf8.RuneError)
			i += 3
			continue
		}
		b.WriteByte(s[i])
		i++
	}
	return b.String()
}
