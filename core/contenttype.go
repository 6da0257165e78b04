package core

import "strings"

// bodyKind says how a body is read.
type bodyKind byte

const (
	bodyBytes bodyKind = iota // by its bytes
	bodyURLEncoded
	bodyMultipart
	bodyJSON
)

// urlencodedMedia is the type that browsers send forms as, unless the form says otherwise.
const urlencodedMedia = "application/x-www-form-urlencoded"

// kindOfBody tells by the media type, in any letter case, how a body is read.
func kindOfBody(media string) bodyKind {
	switch {
	case sameName(media, urlencodedMedia):
		return bodyURLEncoded
	case sameName(media, "multipart/form-data"):
		return bodyMultipart
	case sameName(media, "application/json"), len(media) > 5 && sameName(media[len(media)-5:], "+json"):
		return bodyJSON
	}
	return bodyBytes
}

// contentType splits a Content-Type value (RFC 9110 §8.3.1) into the media type, as sent, and the boundary
// parameter, "" if there is none.
func contentType(value string) (media, boundary string) {
	if value == urlencodedMedia {
		return value, "" // what nearly every form says
	}
	media, rest := value, ""
	if i := strings.IndexByte(value, ';'); i >= 0 {
		media, rest = value[:i], value[i:]
	}
	media = trimOWS(media)
	for rest != "" {
		var name, text string
		if name, text, rest = parameter(rest); sameName(name, "boundary") {
			return media, text
		}
	}
	return media, ""
}

// parameter reads the first parameter of a list that starts with a semicolon. A quoted value is unquoted.
func parameter(list string) (name, value, rest string) {
	list = strings.TrimLeft(list, "; \t")
	end := strings.IndexAny(list, "=;")
	if end < 0 || list[end] == ';' {
		if end < 0 {
			end = len(list)
		}
		return strings.Trim(list[:end], " \t"), "", list[end:]
	}
	name = strings.Trim(list[:end], " \t")
	list = strings.TrimLeft(list[end+1:], " \t")
	if list == "" || list[0] != '"' {
		end = strings.IndexByte(list, ';')
		if end < 0 {
			end = len(list)
		}
		return name, strings.Trim(list[:end], " \t"), list[end:]
	}
	var plain []byte // only where there was a backslash
	start := 1
	for i := 1; i < len(list); i++ {
		switch list[i] {
		case '\\':
			plain = append(plain, list[start:i]...)
			start = i + 1
			i++
		case '"':
			value = list[start:i]
			if plain != nil {
				value = string(append(plain, value...))
			}
			return name, value, list[i+1:]
		}
	}
	return name, "", "" // a quote without an end
}
