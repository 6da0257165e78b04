package edge

import (
	"context"
	"crypto/rand"
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

	mu      sync.Mutex // over work: the application may read the visitor's body in a goroutine of its own
	work    *workspace // nil: the request has ended
	spoiled bool       // a store that failed may still read what it was given: work is not used again

	around []string // the Content-Encoding of a middleware that compresses what is written here; nil: there is none

	body   []byte  // what was read of the visitor's body
	reader body    // and how the application reads it
	upload *upload // the rest of it; nil: there is none

	answer  *collector // the application's answer to a guarded request
	renewal renewal    // of its claim
	joint   Joint      // nil: the store has none
	sealed  []byte     // the answer's body as the record gets it
	record  []byte     // the sealed body that came with what is stored

	began                   time.Time
	release                 func() // of the platform; nil: there is nothing to release
	storeCalls, answerCalls int
	status                  int // of the answer that went out
}

// run goes on until the exchange ends.
func (c *carrier) run(e *core.Effect) {
	for e != nil {
		e = c.carryOut(e)
	}
}

// begin gives the first effect.
func (c *carrier) begin() *core.Effect {
	w := workspaces.Get().(*workspace)
	c.work = w
	rand.Read(w.random[:]) // it never fails
	w.request = core.Request{
		Method: c.r.Method, URL: c.address(c.r), Headers: appendLines(w.request.Headers, c.r.Header),
		Region: region(c.r), Length: c.r.ContentLength,
	}
	return w.x.Begin(c.guard, &w.request, c.began.UnixMilli(), w.random)
}

// end is the end of the request, whole if nothing panicked: its memory goes to another.
func (c *carrier) end(whole bool) {
	c.wrap(c.w.Header()) // for whoever answers in place of a panic
	c.renewal.stop()
	c.letGo()
	c.mu.Lock()
	defer c.mu.Unlock()
	if whole && !c.spoiled {
		c.work.giveBack()
	}
	c.work = nil
}

// letGo tells the platform that nothing is left to do for this request.
func (c *carrier) letGo() {
	if c.release != nil {
		c.release()
		c.release = nil
	}
}

// next says what happened. After the end nothing follows.
func (c *carrier) next(e core.Event) *core.Effect {
	e.Now = c.now().UnixMilli()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.work == nil {
		return nil
	}
	c.work.event = e
	return c.work.x.Next(&c.work.event)
}

// pour appends to dst what a piece of an answer becomes on its way out. After the end nothing goes out.
func (c *carrier) pour(dst, piece []byte, last bool) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.work == nil {
		return dst
	}
	return c.work.x.Pour(dst, piece, last)
}

// keyed says whether a key was put into the answer so far, and whether anything in it was changed.
func (c *carrier) keyed() (keyed, changed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.work == nil {
		return false, false
	}
	return c.work.x.Keyed(), c.work.x.Changed()
}

func (c *carrier) feed(piece []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.work != nil {
		c.work.x.Feed(piece)
	}
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
