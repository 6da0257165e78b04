package core

import (
	"bytes"
	"strings"
)

// stripKey appends body to dst without its key fields, for origins that refuse unknown fields (rule strip,
// contract §7). body is the part of a submission that was read before the claim, and the key stands in it; what
// follows a larger one goes on as it is. Everything that stays keeps its bytes.
func stripKey(dst, body []byte, value string) []byte {
	media, boundary := contentType(value)
	switch {
	case sameName(media, "application/x-www-form-urlencoded"):
		return stripURLEncoded(dst, body)
	case sameName(media, "multipart/form-data") && boundary != "":
		return stripMultipart(dst, body, "--"+boundary)
	case sameName(media, "application/json"):
		return stripJSON(dst, body)
	}
	return append(dst, body...)
}

// stripURLEncoded leaves out the pairs of the key, each with the ampersand that sets it off.
func stripURLEncoded(dst, body []byte) []byte {
	start := len(dst)
	for len(body) > 0 {
		pair, rest := body, []byte(nil)
		if i := bytes.IndexByte(body, '&'); i >= 0 {
			pair, rest = body[:i], body[i+1:]
		}
		name := pair
		if i := bytes.IndexByte(pair, '='); i >= 0 {
			name = pair[:i]
		}
		// A percent-encoded byte takes three: a longer name cannot be the key's, and is not decoded.
		if len(name) > 3*len(KeyFieldName) || decodeQuery(string(name)) != KeyFieldName {
			if len(dst) > start {
				dst = append(dst, '&')
			}
			dst = append(dst, pair...)
		}
		body = rest
	}
	return dst
}

// stripMultipart leaves out the parts of the key, each with the delimiter before it.
func stripMultipart(dst, body []byte, delimiter string) []byte {
	next := func(from int) int { // where the next delimiter begins, its line end included
		for from <= len(body) {
			i := bytes.Index(body[from:], []byte(delimiter))
			if i < 0 {
				break
			}
			at := from + i
			if at == 0 || body[at-1] == '\n' {
				return at
			}
			from = at + 1
		}
		return len(body)
	}
	at := next(0)
	dst = append(dst, body[:at]...)
	for at < len(body) {
		end := next(at + len(delimiter))
		part := body[at:end]
		if head, ok := partHead(part); ok {
			d := partDisposition(bytes.Clone(head))
			if d.named && !d.isFile && string(d.name) == KeyFieldName {
				at = end
				continue
			}
		}
		dst = append(dst, part...)
		at = end
	}
	return dst
}

// partHead returns the header lines of a part that begins with its delimiter.
func partHead(part []byte) ([]byte, bool) {
	line := bytes.IndexByte(part, '\n')
	if line < 0 {
		return nil, false
	}
	part = part[line+1:]
	if end := bytes.Index(part, []byte("\r\n\r\n")); end >= 0 {
		return part[:end], true
	}
	if end := bytes.Index(part, []byte("\n\n")); end >= 0 {
		return part[:end], true
	}
	return nil, false
}

// stripJSON leaves out the top-level members of the key. A text that is no object stays as it is.
func stripJSON(dst, body []byte) []byte {
	r := newJSONReader(body)
	if kind, _, err := r.value(); err != nil || kind != jsonObject {
		return append(dst, body...)
	}
	start, kept := len(dst), 0
	dst = append(dst, r.text[:r.pos]...)
	for first := true; ; first = false {
		from := r.pos
		name, more, err := r.member(first)
		if err != nil {
			return append(dst[:start], body...)
		}
		if !more {
			return append(dst, r.text[from:]...)
		}
		if err := r.skip(); err != nil {
			return append(dst[:start], body...)
		}
		if name == KeyFieldName {
			continue
		}
		member := r.text[from:r.pos]
		if kept == 0 {
			member = strings.TrimPrefix(strings.TrimLeft(member, " \t\r\n"), ",")
		}
		kept++
		dst = append(dst, member...)
	}
}

// skip reads one value with all that is in it.
func (r *jsonReader) skip() error {
	kind, _, err := r.value()
	for first := true; err == nil && (kind == jsonObject || kind == jsonArray); first = false {
		more := false
		if kind == jsonObject {
			_, more, err = r.member(first)
		} else {
			more, err = r.element(first)
		}
		if err != nil || !more {
			return err
		}
		err = r.skip()
	}
	return err
}
