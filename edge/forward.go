package edge

import (
	"net/http"

	"github.com/singleshot-edge/singleshot/core"
)

// pass lets the application answer a request that is not guarded.
func (c *carrier) pass(e *core.Effect) *core.Effect {
	p := &page{c: c, w: c.w}
	defer p.end() // a panic goes on by itself
	c.handler.next.ServeHTTP(p.writer(), c.request(e))
	p.finish()
	return nil
}

// forward lets the application answer a guarded request, while the claim is renewed.
func (c *carrier) forward(e *core.Effect) *core.Effect {
	c.stopRenewal, c.release = c.renew(e), keepAlive()
	a := &collector{c: c, header: c.w.Header().Clone()}
	c.answer = a
	r := c.request(e)
	r.Header.Del("Accept-Encoding") // what is kept is kept uncompressed
	ctx := c.ctx
	if j, ok := c.store.(Joiner); ok {
		ctx, c.joint = j.Join(ctx)
	}
	returned := false
	defer func() {
		if !returned {
			c.abandoned()
		}
	}()
	c.handler.next.ServeHTTP(a, r.WithContext(ctx))
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
	for e != nil {
		if e.Kind == core.DoRespond {
			c.w.Header().Set("Connection", "close") // the panic ends it; nothing must be sent on it any more
		}
		e = c.carryOut(e)
	}
	_ = http.NewResponseController(c.w).Flush() // else the answer ends with the connection
}
