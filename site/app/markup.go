package app

import "strconv"

// markup is HTML that one of us wrote. An untyped constant becomes one by itself; a string variable does
// not, so text from outside cannot get into a page unescaped without a conversion, and a test allows
// conversions in this file only. html/template would guard more kinds of context, but a stock worker starts
// a Go instance for every request, and there it costs 1.2 MB gzipped and a few milliseconds each time.
type markup string

// buffer collects one answer's body, in one language. The zero language is English.
type buffer struct {
	language language
	bytes    []byte
}

// put appends format, with each {} replaced by the next argument: a string is escaped for text and for
// quoted attribute values, numbers are written in decimal, markup goes in as it is, a text in the buffer's
// language. The number of {} and of
// arguments must be equal; put panics if not, or if an argument is of another type: both are mistakes in
// the page that its test shows.
func (b *buffer) put(format markup, args ...any) {
	for i := 0; i < len(format); i++ {
		if format[i] != '{' || i+1 == len(format) || format[i+1] != '}' {
			b.bytes = append(b.bytes, format[i])
			continue
		}
		i++
		if len(args) == 0 {
			panic("app: more {} than arguments in " + string(format))
		}
		b.value(args[0])
		args = args[1:]
	}
	if len(args) > 0 {
		panic("app: more arguments than {} in " + string(format))
	}
}

func (b *buffer) value(arg any) {
	switch v := arg.(type) {
	case markup:
		b.bytes = append(b.bytes, v...)
	case text:
		b.bytes = append(b.bytes, v.in(b.language)...)
	case string:
		b.bytes = appendEscaped(b.bytes, v)
	case language:
		b.bytes = appendEscaped(b.bytes, string(v))
	case int:
		b.bytes = strconv.AppendInt(b.bytes, int64(v), 10)
	case int64:
		b.bytes = strconv.AppendInt(b.bytes, v, 10)
	default:
		panic("app: put cannot write an argument of this type")
	}
}

// fill is put for a phrase that goes into another one.
func fill(l language, format markup, args ...any) markup {
	b := buffer{language: l}
	b.put(format, args...)
	return markup(b.bytes)
}

// appendEscaped appends text so that it stands for itself between tags and in quoted attribute values.
func appendEscaped(dst []byte, text string) []byte {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '&':
			dst = append(dst, "&amp;"...)
		case '<':
			dst = append(dst, "&lt;"...)
		case '>':
			dst = append(dst, "&gt;"...)
		case '"':
			dst = append(dst, "&quot;"...)
		case '\'':
			dst = append(dst, "&#39;"...)
		case 0:
			// The HTML standard reads NUL as a parse error; U+FFFD is what a browser would make of it.
			dst = append(dst, "\uFFFD"...)
		default:
			dst = append(dst, text[i])
		}
	}
	return dst
}
