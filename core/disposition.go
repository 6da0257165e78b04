package core

import "bytes"

// disposition is what a part of multipart/form-data says of itself in its Content-Disposition line.
type disposition struct {
	name, fileName []byte
	named, isFile  bool // there is a name, a file name; either may be empty
}

// partDisposition reads the header lines of a part, in which it undoes escapes and folded lines in place. It
// reads as the browsers' counterparts do (WHATWG, multipart/form-data parsing): the first line and the first
// parameter of a name count, `filename*` does not, and what is not form-data has no name.
func partDisposition(head []byte) (d disposition) {
	head = unfold(head)
	for len(head) > 0 {
		line := head
		if i := bytes.IndexByte(head, '\n'); i >= 0 {
			line, head = head[:i], head[i+1:]
		} else {
			head = nil
		}
		colon := bytes.IndexByte(line, ':')
		if colon < 0 || !sameToken(trimSpace(line[:colon]), "content-disposition") {
			continue
		}
		list := trimSpace(line[colon+1:])
		kind := list
		if i := bytes.IndexByte(list, ';'); i >= 0 {
			kind, list = list[:i], list[i:]
		} else {
			list = nil
		}
		formData := sameToken(trimSpace(kind), "form-data")
		for len(list) > 0 {
			var name, value []byte
			name, value, list = partParameter(list)
			switch {
			case !d.named && formData && sameToken(name, "name"):
				d.name, d.named = value, true
			case !d.isFile && sameToken(name, "filename"):
				d.fileName, d.isFile = value, true
			}
		}
		return d
	}
	return d
}

// unfold joins folded lines, with one space in place of the fold (RFC 9112 §5.2), in place.
func unfold(head []byte) []byte {
	n := 0
	for i := 0; i < len(head); i++ {
		c := head[i]
		if c == '\n' && i+1 < len(head) && (head[i+1] == ' ' || head[i+1] == '\t') {
			for n > 0 && (head[n-1] == ' ' || head[n-1] == '\t' || head[n-1] == '\r') {
				n--
			}
			for i+1 < len(head) && (head[i+1] == ' ' || head[i+1] == '\t') {
				i++
			}
			c = ' '
		}
		head[n] = c
		n++
	}
	return head[:n]
}

// partParameter reads the first parameter of a list that starts with a semicolon. In quotes, %22, %0D and %0A
// are decoded, as browsers encode them, and \" as other clients do. A backslash is nothing else than itself
// (browsers escape none), so where a quote after a backslash is the last before a semicolon or the end, it
// closes the value.
func partParameter(list []byte) (name, value, rest []byte) {
	for len(list) > 0 && (list[0] == ';' || list[0] == ' ' || list[0] == '\t') {
		list = list[1:]
	}
	i := 0
	for i < len(list) && list[i] != '=' && list[i] != ';' {
		i++
	}
	name = trimSpace(list[:i])
	if i == len(list) || list[i] == ';' {
		return name, nil, list[i:]
	}
	list = trimSpace(list[i+1:])
	if len(list) == 0 || list[0] != '"' {
		end := bytes.IndexByte(list, ';')
		if end < 0 {
			end = len(list)
		}
		return name, trimSpace(list[:end]), list[end:]
	}
	list = list[1:]
	n := 0 // decoded bytes, written over those that were read
	for i = 0; i < len(list); i++ {
		c := list[i]
		switch {
		case c == '"':
			if n == 0 || list[i-1] != '\\' || closes(list[i+1:]) {
				return name, list[:n], list[i+1:]
			}
			n-- // the backslash
		case c == '%' && i+2 < len(list):
			switch {
			case list[i+1] == '2' && list[i+2] == '2':
				c = '"'
			case list[i+1] == '0' && list[i+2] == 'D':
				c = '\r'
			case list[i+1] == '0' && list[i+2] == 'A':
				c = '\n'
			}
			if c != '%' {
				i += 2
			}
		}
		list[n] = c
		n++
	}
	return name, list[:n], nil // a quote without an end
}

// closes reports whether a value can end here: white space, then a semicolon or nothing.
func closes(rest []byte) bool {
	rest = trimSpace(rest)
	return len(rest) == 0 || rest[0] == ';'
}

// trimSpace takes white space of a header line, CR included, off both ends.
func trimSpace(p []byte) []byte {
	for len(p) > 0 && (p[0] == ' ' || p[0] == '\t') {
		p = p[1:]
	}
	for len(p) > 0 && (p[len(p)-1] == ' ' || p[len(p)-1] == '\t' || p[len(p)-1] == '\r') {
		p = p[:len(p)-1]
	}
	return p
}

// sameToken reports whether p is the lower-case token, in any letter case.
func sameToken(p []byte, token string) bool {
	if len(p) != len(token) {
		return false
	}
	for i := range p {
		if lower(p[i]) != token[i] {
			return false
		}
	}
	return true
}
