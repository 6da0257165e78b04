package edge

import (
	"sync"

	"github.com/singleshot-edge/singleshot/core"
)

// workspace is memory that one exchange after another works in, since making it is a large part of what a request
// costs. Only a carrier knows it, and only until its request has ended: what outlives that, such as a goroutine of
// the application that still reads or writes, finds that there is none any more.
type workspace struct {
	x       core.Exchange
	random  [32]byte
	request core.Request
	event   core.Event
}

var workspaces = sync.Pool{New: func() any { return new(workspace) }}

// mostLines is how many header lines there is memory for between two exchanges.
const mostLines = 64

// giveBack lets another exchange have the memory, without the visitor's header.
func (w *workspace) giveBack() {
	asked := w.request.Headers
	clear(asked)
	if cap(asked) > mostLines {
		asked = nil
	}
	w.request, w.event = core.Request{Headers: asked[:0]}, core.Event{}
	workspaces.Put(w)
}
