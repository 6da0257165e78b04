package edge

import (
	"context"
	"errors"
	"time"

	"github.com/singleshot-edge/singleshot/core"
)

// storeLimit bounds each call of a store: a database that hangs must not hang the visitor.
const storeLimit = 10 * time.Second

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
