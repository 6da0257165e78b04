package edge

import (
	"bytes"
	"net/http"
	"strconv"

	"github.com/singleshot-edge/singleshot/core"
)

// respond answers the visitor.
func (c *carrier) respond(e *core.Effect) {
	c.renewal.stop()
	c.letGo()
	if e.Source == core.SourceOrigin {
		c.answer.respond(e)
		return
	}
	status, headers, body := e.Status, e.Headers, e.Inline
	if e.Source == core.SourceRecord {
		var err error
		if body, err = c.open(e); err != nil {
			c.log.failed("opening a stored answer", err)
			status, body = http.StatusServiceUnavailable, []byte("Nothing was sent. Please try again.\n")
			headers = core.Headers{{Name: "Retry-After", Value: "1"}, {Name: "Cache-Control", Value: "no-store"},
				{Name: "Idempotency-Status", Value: "refused"}}
		}
	}
	if c.answer != nil {
		c.answer.withdraw()
	}
	replace(c.w.Header(), headers)
	c.send(status, body)
}

// send writes an answer whose headers are there.
func (c *carrier) send(status int, body []byte) {
	c.status = status
	h := c.w.Header()
	untyped(h)
	if !bodiless(status) && c.around == nil {
		h["Content-Length"] = []string{strconv.Itoa(len(body))}
	}
	c.wrap(h)
	c.w.WriteHeader(status)
	if len(body) > 0 && !bodiless(status) {
		_, _ = c.w.Write(body) // the visitor may be gone; the exchange goes on
	}
}

// flush lets the visitor have the answer before what is left to do, if that takes time. What cannot flush sends it
// at the end.
func (c *carrier) flush(e *core.Effect) {
	if len(e.Note) > 0 && !c.prompt || e.KeepAll || e.More {
		_ = http.NewResponseController(c.w).Flush()
	}
}

// beside keeps what goes with an answer and what nobody waits for.
func (c *carrier) beside(e *core.Effect) {
	if e.KeepAll {
		value := bytes.Clone(e.Head)
		if e.Body {
			value = append(value, c.sealed...)
		}
		if err := c.put(e.Name, value, e.TTL); err != nil {
			c.failed("keeping a copy of an answer", err)
		}
	}
	if len(e.Note) > 0 {
		n := Note{Entries: e.Note, TTL: milliseconds(e.TTL), Mismatch: e.Mismatch}
		ctx, done := c.limited(c.ctx, storeLimit)
		err := c.store.Note(ctx, place(e), n)
		done()
		if err != nil {
			c.failed("a note in the store", err)
		}
	}
}

// after is the end, unless the exchange goes on.
func (c *carrier) after(e *core.Effect) *core.Effect {
	c.log.request(c, e)
	if e.More {
		return c.next(core.Event{Kind: core.EventSent})
	}
	return nil
}
