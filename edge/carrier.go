package edge

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/singleshot-edge/singleshot/core"
)

// storeLimit bounds each call of a store: a database that hangs must not hang the visitor.
const storeLimit = 10 * time.Second

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

// stored calls the store, with a limit of its own.
func (c *carrier) stored(ctx context.Context, limit time.Duration, call func(ctx context.Context) error) error {
	c.storeCalls++
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return call(ctx)
}

func place(e *core.Effect) Address {
	return Address{Shard: e.Shard, Region: e.Region, Name: e.Name, Trail: e.Trail}
}

func milliseconds(n int64) time.Duration { return time.Duration(n) * time.Millisecond }

func (c *carrier) swap(e *core.Effect) *core.Effect {
	time.Sleep(milliseconds(e.Delay))
	w := Write{
		Old: e.Old, Version: e.Version, Lapsed: e.Lapsed, Head: e.Head, Note: e.Note,
		Lease: milliseconds(e.Lease), TTL: milliseconds(e.TTL), BodyTTL: milliseconds(e.BodyTTL),
	}
	if e.Body {
		w.Body = c.seal()
	}
	if c.joint != nil && e.Lease == 0 {
		if e.Commit && c.joint.Open() {
			return c.commit(place(e), w)
		}
		c.joint.Undo() // the key is given back, and so is what was done for it
	}
	var found Row
	var swapped bool
	err := c.stored(c.ctx, storeLimit, func(ctx context.Context) (err error) {
		found, swapped, err = c.store.Swap(ctx, place(e), w)
		return err
	})
	switch {
	case err != nil:
		c.log.failed("a swap in the store", err)
		return c.next(core.Event{Kind: core.EventStoreFailed})
	case swapped:
		return c.next(core.Event{Kind: core.EventSwapped})
	}
	return c.found(core.EventRefused, found)
}

// commit is the swap of a commit as part of the application's transaction.
func (c *carrier) commit(at Address, w Write) *core.Effect {
	err := c.stored(c.ctx, storeLimit, func(ctx context.Context) error { return c.joint.Commit(ctx, at, w) })
	switch {
	case err == nil:
		return c.next(core.Event{Kind: core.EventSwapped})
	case errors.Is(err, ErrUndone):
		c.log.failed("the commit with the application's transaction", err)
		return c.next(core.Event{Kind: core.EventUndone})
	}
	c.log.failed("the commit with the application's transaction", err)
	return c.next(core.Event{Kind: core.EventStoreFailed})
}

// found tells what is stored; its sealed body stays at hand.
func (c *carrier) found(kind core.EventKind, row Row) *core.Effect {
	c.record = row.Body
	return c.next(row.Event(kind, c.now()))
}

func (c *carrier) wait(e *core.Effect) *core.Effect {
	limit := milliseconds(e.Wait)
	var found Row
	var changed bool
	// Who waits holds nothing: with the visitor goes the exchange.
	err := c.stored(c.r.Context(), limit+storeLimit, func(ctx context.Context) (err error) {
		found, changed, err = c.store.Wait(ctx, place(e), e.Old, limit)
		return err
	})
	switch {
	case errors.Is(err, ErrBusy):
		return c.next(core.Event{Kind: core.EventBusy})
	case c.r.Context().Err() != nil:
		return nil
	case err != nil:
		c.log.failed("a wait in the store", err)
		return c.next(core.Event{Kind: core.EventStoreFailed})
	case changed:
		return c.found(core.EventChanged, found)
	}
	return c.next(core.Event{Kind: core.EventTimedOut})
}

func (c *carrier) fetch(e *core.Effect) *core.Effect {
	value, err := c.kept(e.Name)
	if err != nil {
		c.log.failed("reading an answer", err)
	}
	if err != nil || value == nil {
		return c.next(core.Event{Kind: core.EventMissing})
	}
	if strings.Contains(e.Name, ".") { // the body alone; under a record's name stands its head as well
		c.record = value
		return c.next(core.Event{Kind: core.EventFound, HasBody: true})
	}
	head, rest, err := core.SplitStored(value)
	if err != nil {
		c.log.failed("reading an answer", err)
		return c.next(core.Event{Kind: core.EventMissing})
	}
	c.record = rest
	return c.next(core.Event{Kind: core.EventFound, Head: head, HasBody: len(rest) > 0})
}

func (c *carrier) kept(name string) ([]byte, error) {
	if c.answers == nil {
		return nil, nil
	}
	c.answerCalls++
	ctx, cancel := context.WithTimeout(c.ctx, storeLimit)
	defer cancel()
	return c.answers.Fetch(ctx, name)
}

// put keeps an answer.
func (c *carrier) put(name string, value []byte, ttl int64) error {
	c.answerCalls++
	ctx, cancel := context.WithTimeout(c.ctx, storeLimit)
	defer cancel()
	return c.answers.Keep(ctx, name, value, milliseconds(ttl))
}

func (c *carrier) keep(e *core.Effect) *core.Effect {
	if c.answers == nil {
		return c.next(core.Event{Kind: core.EventKeepFailed})
	}
	if err := c.put(e.Name, c.seal(), e.TTL); err != nil {
		c.log.failed("keeping an answer", err)
		return c.next(core.Event{Kind: core.EventKeepFailed})
	}
	return c.next(core.Event{Kind: core.EventKept})
}

func (c *carrier) trail(e *core.Effect) *core.Effect {
	var t Trail
	err := c.stored(c.ctx, storeLimit, func(ctx context.Context) (err error) {
		t, err = c.store.Trail(ctx, place(e))
		return err
	})
	if err != nil {
		c.log.failed("reading a trail", err)
		return c.next(core.Event{Kind: core.EventStoreFailed})
	}
	return c.next(t.Event(c.now()))
}

func (c *carrier) forget(e *core.Effect) *core.Effect {
	err := c.stored(c.ctx, storeLimit, func(ctx context.Context) error {
		return c.store.Forget(ctx, place(e), e.Forget)
	})
	if c.answers != nil {
		for _, name := range e.Forget {
			ctx, cancel := context.WithTimeout(c.ctx, storeLimit)
			err = errors.Join(err, c.answers.Drop(ctx, name))
			cancel()
		}
	}
	if err != nil {
		c.log.failed("forgetting a record", err)
		return c.next(core.Event{Kind: core.EventStoreFailed})
	}
	return c.next(core.Event{Kind: core.EventForgotten})
}

// seal is the collected answer as the record that the last effect writes gets it.
func (c *carrier) seal() []byte {
	if c.sealed != nil {
		return c.sealed
	}
	for rest := c.answer.out; ; {
		n := min(len(rest), core.FrameSize)
		last := n == len(rest)
		c.sealed = c.x.Seal(c.sealed, rest[:n], last)
		if rest = rest[n:]; last {
			return c.sealed
		}
	}
}

// open is the stored body, opened, between what stands before and after it.
func (c *carrier) open(e *core.Effect) (body []byte, err error) {
	body = bytes.Clone(e.Before)
	for rest := c.record; ; {
		n := min(len(rest), core.SealedFrameSize)
		last := n == len(rest)
		if body, err = c.x.Open(body, rest[:n], last); err != nil {
			return nil, err
		}
		if rest = rest[n:]; last {
			return append(body, e.After...), nil
		}
	}
}

// respond answers the visitor.
func (c *carrier) respond(e *core.Effect) {
	c.stopRenewal()
	c.release()
	c.release = func() {}
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
	replace(c.w.Header(), headers)
	c.send(status, body)
}

// send writes an answer whose headers are there.
func (c *carrier) send(status int, body []byte) {
	c.status = status
	h := c.w.Header()
	untyped(h)
	if !bodiless(status) {
		h["Content-Length"] = []string{strconv.Itoa(len(body))}
	}
	c.w.WriteHeader(status)
	if len(body) > 0 && !bodiless(status) {
		_, _ = c.w.Write(body) // the visitor may be gone; the exchange goes on
	}
}

// flush lets the visitor have the answer before what is left to do. What cannot flush sends it at the end.
func (c *carrier) flush(e *core.Effect) {
	if len(e.Note) > 0 || e.KeepAll || e.More {
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
			c.log.failed("keeping a copy of an answer", err)
		}
	}
	if len(e.Note) > 0 {
		n := Note{Entries: e.Note, TTL: milliseconds(e.TTL), Mismatch: e.Mismatch}
		err := c.stored(c.ctx, storeLimit, func(ctx context.Context) error { return c.store.Note(ctx, place(e), n) })
		if err != nil {
			c.log.failed("a note in the store", err)
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
