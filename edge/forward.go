package edge

import (
	"net/http"

	"github.com/singleshot-edge/singleshot/core"
)

// pass lets the application answer a request that is not guarded.
func (c *carrier) pass(e *core.Effect) *core.Effect {
	p := &page{c: c, w: c.w}
	defer p.end() // a panic goes on by itself
	c.serve(p.writer(), c.request(e))
	p.finish()
	return nil
}

// serve calls the application. The server removes the files of a form when the request is over, and knows them only by
// the request that it made.
func (c *carrier) serve(w http.ResponseWriter, r *http.Request) {
	c.handler.next.ServeHTTP(w, r)
	c.r.MultipartForm = r.MultipartForm
}

// forward lets the application answer a guarded request, while the claim is renewed.
func (c *carrier) forward(e *core.Effect) *core.Effect {
	c.renewal.start(c, e)
	c.release = keepAlive()
	a := newCollector(c)
	c.answer = a
	r := c.request(e)                   // a run has headers of its own
	delete(r.Header, "Accept-Encoding") // what is kept is kept uncompressed
	returned := false
	defer func() {
		if !returned {
			c.abandoned()
		}
	}()
	c.serve(a, r)
	returned = true
	return a.finish()
}

// abandoned is for an application that panicked, or ended its goroutine: it is not recovered, so that the panic
// goes on with its stack.
func (c *carrier) abandoned() {
	if e := c.answer.sent; e != nil { // a part of a large answer is on its way, and it was committed before
		c.beside(e)
		c.run(c.after(e))
		return
	}
	if c.joint != nil {
		c.joint.Undo()
	}
	// An upload that broke off never reached it whole.
	e := c.next(core.Event{Kind: core.EventOriginFailed, Sent: c.upload == nil || !c.upload.half()})
	if c.r.ProtoMajor < 2 { // the panic ends the connection; nothing must be sent on it any more
		if c.answer.outer == nil {
			c.answer.outer = http.Header{}
		}
		c.answer.outer.Set("Connection", "close")
	}
	c.run(e)
	_ = http.NewResponseController(c.w).Flush() // else the answer ends with the connection
}
