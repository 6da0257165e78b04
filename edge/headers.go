package edge

import (
	"net/http"
	"slices"

	"github.com/singleshot-edge/singleshot/core"
)

// lines are header fields as core reads them.
func lines(h http.Header) core.Headers { return appendLines(make(core.Headers, 0, len(h)), h) }

func appendLines(dst core.Headers, h http.Header) core.Headers {
	for name, values := range h {
		for _, value := range values {
			dst = append(dst, core.Header{Name: name, Value: value})
		}
	}
	return dst
}

// edit applies a change: names go, lines are set. Of cookies there may be several, in a list that may be the
// application's own for all of its answers.
func edit(h http.Header, e core.HeaderEdit) {
	for _, name := range e.Delete {
		h.Del(name)
	}
	values := make([]string, len(e.Set)) // of all
	for i, line := range e.Set {
		if name := http.CanonicalHeaderKey(line.Name); name == "Set-Cookie" || name == "Cookie" {
			h[name] = append(slices.Clip(h[name]), line.Value)
		} else {
			values[i] = line.Value
			h[name] = values[i : i+1 : i+1]
		}
	}
}

// replace puts lines in the place of those that have their names; cookies come beside those that are there.
func replace(h http.Header, with core.Headers) {
	for _, line := range with {
		if name := http.CanonicalHeaderKey(line.Name); name != "Set-Cookie" {
			delete(h, name)
		}
	}
	values := make([]string, len(with)) // of most
	for i, line := range with {
		name := http.CanonicalHeaderKey(line.Name)
		if there := h[name]; there != nil {
			h[name] = append(slices.Clip(there), line.Value)
		} else {
			values[i] = line.Value
			h[name] = values[i : i+1 : i+1]
		}
	}
}

// unwrap takes the Content-Encoding away that a middleware has set, as gorilla's does, before it asks for what it
// compresses: it says nothing about what the application writes.
func (c *carrier) unwrap(h http.Header) {
	if around := h["Content-Encoding"]; !empty(around) {
		c.around = around
		delete(h, "Content-Encoding")
	}
}

// wrap puts it back, before the head goes out: what it says was applied last (RFC 9110 §8.4).
func (c *carrier) wrap(h http.Header) {
	if c.around != nil {
		h["Content-Encoding"] = append(slices.Clip(h["Content-Encoding"]), c.around...)
		c.around = nil
	}
}

// untyped keeps net/http from guessing a Content-Type where there is none.
func untyped(h http.Header) {
	if _, ok := h["Content-Type"]; !ok {
		h["Content-Type"] = nil
	}
}

// guesses says whether net/http would guess the Content-Type of an answer from its first bytes.
func guesses(h http.Header) bool {
	_, typed := h["Content-Type"]
	return !typed && h.Get("Content-Encoding") == "" && h.Get("Transfer-Encoding") == ""
}

// guessed is how many bytes it looks at.
const guessed = 512

// bodiless says whether an answer with this status has no body (RFC 9110 §6.4.1).
func bodiless(status int) bool {
	return status < 200 || status == http.StatusNoContent || status == http.StatusNotModified
}

// Content encodings, as far as html goes through the injector.
const (
	plain  = iota
	zipped // gzip: it is undone
	opaque // any other: it passes as it is
)

// encoding is that of an answer, by its lines of Content-Encoding.
func encoding(all []string) int {
	if onWorkers {
		return plain // there the header asks the platform to encode what is written
	}
	switch {
	case len(all) == 0 || len(all) == 1 && (all[0] == "" || all[0] == "identity"):
		return plain
	case len(all) == 1 && (all[0] == "gzip" || all[0] == "x-gzip"):
		return zipped
	}
	return opaque
}

// asOpaque tells core of an encoding that cannot be undone here: it takes none for html that it does not know.
func asOpaque(h core.Headers) core.Headers {
	return append(h, core.Header{Name: "Content-Encoding", Value: "opaque"})
}
