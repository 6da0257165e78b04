package edge

import (
	"context"
	"errors"
	"time"

	"github.com/singleshot-edge/singleshot/core"
)

// storeLimit bounds each call of a store: a database that hangs must not hang the visitor.
const storeLimit = 10 * time.Second

// limited is the context of the next call of the store. What is in memory does not hang, and needs no limit.
func (c *carrier) limited(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	c.storeCalls++
	if c.prompt {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, limit)
}

// failed says that a call of a store failed. One that was given up may still read what it was given.
func (c *carrier) failed(what string, err error) {
	c.spoiled = true
	c.log.failed(what, err)
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
	ctx, done := c.limited(c.ctx, storeLimit)
	found, swapped, err := c.store.Swap(ctx, place(e), w)
	done()
	switch {
	case err != nil:
		c.failed("a swap in the store", err)
		return c.next(core.Event{Kind: core.EventStoreFailed})
	case swapped:
		return c.next(core.Event{Kind: core.EventSwapped})
	}
	return c.found(core.EventRefused, found)
}

// commit is the swap of a commit as part of the application's transaction.
func (c *carrier) commit(at Address, w Write) *core.Effect {
	ctx, done := c.limited(c.ctx, storeLimit)
	err := c.joint.Commit(ctx, at, w)
	done()
	if err == nil {
		return c.next(core.Event{Kind: core.EventSwapped})
	}
	c.failed("the commit with the application's transaction", err)
	if errors.Is(err, ErrUndone) {
		return c.next(core.Event{Kind: core.EventUndone})
	}
	return c.next(core.Event{Kind: core.EventStoreFailed})
}

// found tells what is stored; its sealed body stays at hand.
func (c *carrier) found(kind core.EventKind, row Row) *core.Effect {
	c.record = row.Body
	return c.next(row.Event(kind, c.now()))
}

func (c *carrier) wait(e *core.Effect) *core.Effect {
	limit := milliseconds(e.Wait)
	// Who waits holds nothing: when the visitor goes, the wait ends.
	ctx, done := c.limited(c.r.Context(), limit+storeLimit)
	found, changed, err := c.store.Wait(ctx, place(e), e.Old, limit)
	done()
	switch {
	case errors.Is(err, ErrBusy):
		return c.next(core.Event{Kind: core.EventBusy})
	case c.r.Context().Err() != nil:
		// Where it was a deadline or the end of the server, there is somebody to be told.
		return c.next(core.Event{Kind: core.EventBusy})
	case err != nil:
		c.failed("a wait in the store", err)
		return c.next(core.Event{Kind: core.EventStoreFailed})
	case changed:
		return c.found(core.EventChanged, found)
	}
	return c.next(core.Event{Kind: core.EventTimedOut})
}

func (c *carrier) trail(e *core.Effect) *core.Effect {
	ctx, done := c.limited(c.ctx, storeLimit)
	t, err := c.store.Trail(ctx, place(e))
	done()
	if err != nil {
		c.failed("reading a trail", err)
		return c.next(core.Event{Kind: core.EventStoreFailed})
	}
	return c.next(t.Event(c.now()))
}

func (c *carrier) forget(e *core.Effect) *core.Effect {
	ctx, done := c.limited(c.ctx, storeLimit)
	err := c.store.Forget(ctx, place(e), e.Forget)
	done()
	if c.answers != nil {
		for _, name := range e.Forget {
			ctx, cancel := context.WithTimeout(c.ctx, storeLimit)
			err = errors.Join(err, c.answers.Drop(ctx, name))
			cancel()
		}
	}
	if err != nil {
		c.failed("forgetting a record", err)
		return c.next(core.Event{Kind: core.EventStoreFailed})
	}
	return c.next(core.Event{Kind: core.EventForgotten})
}
