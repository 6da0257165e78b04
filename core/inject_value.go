package core

import (
	"bytes"
	"unicode/utf8"
)

// value returns an attribute's value without character references. The result is valid until the next call,
// or as long as raw.
func (j *Injector) value(raw []byte) []byte {
	if bytes.IndexByte(raw, '&') < 0 && bytes.IndexByte(raw, 0) < 0 {
		return raw
	}
	j.decoded = appendValue(j.decoded[:0], raw)
	return j.decoded
}

// appendValue appends an attribute's value without character references.
func appendValue(dst, raw []byte) []byte {
	for len(raw) > 0 {
		var n int
		dst, n = appendUnit(dst, raw)
		raw = raw[n:]
	}
	return dst
}

// appendUnit appends what the first character or character reference of raw, an attribute's value, stands for,
// and returns its length. Of the named references it knows those that stand for ASCII, which are all that can
// matter in a place; others stay as they are (HTML standard §13.2.5.72 to §13.2.5.80).
func appendUnit(dst, raw []byte) ([]byte, int) {
	switch {
	case raw[0] == 0:
		return utf8.AppendRune(dst, utf8.RuneError), 1
	case raw[0] != '&' || len(raw) < 3:
		return append(dst, raw[0]), 1
	case raw[1] == '#':
		if r, n := numericReference(raw); n > 0 {
			return utf8.AppendRune(dst, r), n
		}
		return append(dst, '&'), 1
	}
	n := 1
	for n < len(raw) && n < 24 && (isLetter(raw[n]) || '0' <= raw[n] && raw[n] <= '9') {
		n++
	}
	name := raw[1:n]
	if n < len(raw) && raw[n] == ';' {
		for i := range references {
			if string(name) == references[i].name {
				return append(dst, references[i].char), n + 1
			}
		}
		// A name of the old ones may still be the begin of this: "&ampx;".
	}
	for i := range references[:oldReferences] {
		// In an attribute an old name without ";" counts only where no letter, digit or "=" follows.
		if old := references[i].name; string(name) == old && (n == len(raw) || raw[n] != '=' && raw[n] != ';') {
			return append(dst, references[i].char), n
		}
	}
	return append(dst, '&'), 1
}

// numericReference reads &#…; or &#x…;, with or without the semicolon, and returns its length, 0 if it is none.
func numericReference(raw []byte) (rune, int) {
	i, base := 2, rune(10)
	if i < len(raw) && raw[i]|0x20 == 'x' {
		i, base = 3, 16
	}
	from, r := i, rune(0)
	for ; i < len(raw); i++ {
		d := rune(16)
		switch c := raw[i]; {
		case '0' <= c && c <= '9':
			d = rune(c - '0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			d = rune(c|0x20-'a') + 10
		}
		if d >= base {
			break
		}
		r = min(r*base+d, utf8.MaxRune+1)
	}
	if i == from {
		return 0, 0
	}
	if i < len(raw) && raw[i] == ';' {
		i++
	}
	switch {
	case r == 0 || r > utf8.MaxRune || 0xD800 <= r && r < 0xE000:
		r = utf8.RuneError
	case 0x80 <= r && r < 0xA0:
		if w := windows1252[r-0x80]; w != 0 {
			r = w
		}
	}
	return r, i
}

// windows1252 is what the references 0x80 to 0x9F stand for, by the table in HTML standard §13.2.5.80.
var windows1252 = [32]rune{
	0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0, 0x017D, 0,
	0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0, 0x017E, 0x0178,
}

// references are the named character references that stand for one ASCII character. The first oldReferences of
// them work without a semicolon too.
var references = [...]struct {
	name string
	char byte
}{
	{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'},
	{"AMP", '&'}, {"LT", '<'}, {"GT", '>'}, {"QUOT", '"'},
	{"apos", '\''}, {"sol", '/'}, {"bsol", '\\'}, {"colon", ':'}, {"period", '.'}, {"quest", '?'}, {"num", '#'},
	{"equals", '='}, {"percnt", '%'}, {"commat", '@'}, {"lowbar", '_'}, {"UnderBar", '_'}, {"semi", ';'},
	{"comma", ','}, {"excl", '!'}, {"dollar", '$'}, {"lpar", '('}, {"rpar", ')'}, {"ast", '*'}, {"midast", '*'},
	{"plus", '+'}, {"lsqb", '['}, {"lbrack", '['}, {"rsqb", ']'}, {"rbrack", ']'}, {"Hat", '^'}, {"grave", '`'},
	{"DiacriticalGrave", '`'}, {"lcub", '{'}, {"lbrace", '{'}, {"verbar", '|'}, {"vert", '|'},
	{"VerticalLine", '|'}, {"rcub", '}'}, {"rbrace", '}'}, {"Tab", '\t'}, {"NewLine", '\n'},
}

const oldReferences = 8
