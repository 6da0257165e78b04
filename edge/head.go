package edge

import (
	"net/http"

	"github.com/singleshot-edge/singleshot/core"
)

// head is a header as it was at one moment: what http.Header.Clone is, without its map.
type head []field

type field struct {
	name   string
	values []string
}

// get returns the values of a name in its canonical form, nil where it is not there.
func (h head) get(name string) []string {
	for _, f := range h {
		if f.name == name {
			return f.values
		}
	}
	return nil
}

func (h head) has(name string) bool {
	for _, f := range h {
		if f.name == name {
			return true
		}
	}
	return false
}

// without takes a name out.
func (h head) without(name string) head {
	for i, f := range h {
		if f.name == name {
			return append(h[:i], h[i+1:]...)
		}
	}
	return h
}

// guesses says whether net/http would guess the Content-Type of this answer from its first bytes.
func (h head) guesses() bool {
	return !h.has("Content-Type") && empty(h.get("Content-Encoding")) && empty(h.get("Transfer-Encoding"))
}

func empty(values []string) bool { return len(values) == 0 || values[0] == "" }

// lines are those of the header as core reads them.
func (h head) lines() core.Headers {
	out := make(core.Headers, 0, len(h)+1)
	for _, f := range h {
		for _, value := range f.values {
			out = append(out, core.Header{Name: f.name, Value: value})
		}
	}
	return out
}

func (h head) copyTo(to http.Header) {
	for _, f := range h {
		to[f.name] = f.values
	}
}
