package edge

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/singleshot-edge/singleshot/core"
)

// carrier carries out what the exchange of one request decides. There is no decision here.
type carrier struct {
	*handler
	w   http.ResponseWriter
	r   *http.Request
	ctx context.Context // the visitor's, but it does not end when they go away (contract §1.8)

	mu sync.Mutex // over x: the application may read the visitor's body in a goroutine of its own
	x  *core.Exchange

	body   []byte  // what was read of the visitor's body
	upload *upload // the rest of it; nil: there is none

	answer *collector // the application's answer to a guarded request
	joint  Joint      // nil: the store has none
	sealed []byte     // the answer's body as the record gets it
	record []byte     // the sealed body that came with what is stored

	began                   time.Time
	stopRenewal, release    func()
	storeCalls, answerCalls int
	status                  int // of the answer that went out
}

// run goes on until the exchange ends.
func (c *carrier) run(e *core.Effect) {
	for e != nil {
		e = c.carryOut(e)
	}
}

// next says what happened.
func (c *carrier) next(e core.Event) *core.Effect {
	e.Now = c.now().UnixMilli()
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.x.Next(&e)
}

// pour appends to dst what a piece of an answer becomes on its way out.
func (c *carrier) pour(dst, piece []byte, last bool) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.x.Pour(dst, piece, last)
}

func (c *carrier) feed(piece []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.x.Feed(piece)
}

// carryOut does one effect and returns the next one; nil is the end.
func (c *carrier) carryOut(e *core.Effect) *core.Effect {
	switch e.Kind {
	case core.DoHash:
		return c.hash(e)
	case core.DoDrain:
		return c.drain()
	case core.DoSwap:
		return c.swap(e)
	case core.DoWait:
		return c.wait(e)
	case core.DoForward:
		if e.Lease == 0 {
			return c.pass(e)
		}
		return c.forward(e)
	case core.DoFetch:
		return c.fetch(e)
	case core.DoTrail:
		return c.trail(e)
	case core.DoForget:
		return c.forget(e)
	case core.DoKeep:
		return c.keep(e)
	case core.DoRespond:
		if onWorkers { // the instance ends with the answer
			c.beside(e)
			c.respond(e)
		} else {
			c.respond(e)
			c.flush(e)
			c.beside(e)
		}
		return c.after(e)
	}
	return nil // DoEnd
}
