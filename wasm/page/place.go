package page

import "github.com/singleshot-edge/singleshot/core"

// Place is where a submit goes: what the guard tells the records of one key apart by (contract §1, §2). The same
// key at another place is another record.
type Place struct {
	Key      string
	Method   string // of the request, in upper case
	Override string // what _method or X-HTTP-Method-Override says, in upper case; "" for nothing
	Path     string // normalised (core.NormalPath)
	Repeat   bool   // the submit was in repeat mode, as Page.Submit has said
}

// repeats says whether a small submit to this place is in repeat mode.
func (l *Place) repeats() bool { return core.Repeats(l.Key, l.Method, l.Path, l.Override) }

// name is that of the mark of this place in one mode or the other.
func (l *Place) name(repeat bool) digest {
	text := "\n" + l.Method + "\n" + l.Override + "\n" + l.Path
	if repeat {
		text += "\n"
	}
	return sum(l.Key, []byte(text))
}

// Weight is how large a body is, which decides whether it can be in repeat mode: one over 1 MiB cannot.
type Weight byte

// The weights.
const (
	Small  Weight = iota
	Unsure        // how the browser writes it out decides
	Large
)
