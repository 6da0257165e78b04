package edge

import (
	"context"
	"strings"

	"github.com/singleshot-edge/singleshot/core"
)

func (c *carrier) fetch(e *core.Effect) *core.Effect {
	value, err := c.kept(e.Name)
	if err != nil {
		c.failed("reading an answer", err)
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
		c.failed("keeping an answer", err)
		return c.next(core.Event{Kind: core.EventKeepFailed})
	}
	return c.next(core.Event{Kind: core.EventKept})
}

// seal is the collected answer as the record that the last effect writes gets it.
func (c *carrier) seal() []byte {
	if c.sealed != nil {
		return c.sealed
	}
	rest := c.answer.out
	c.sealed = make([]byte, 0, len(rest)+(len(rest)/core.FrameSize+1)*(core.SealedFrameSize-core.FrameSize))
	for {
		n := min(len(rest), core.FrameSize)
		last := n == len(rest)
		c.sealed = c.work.x.Seal(c.sealed, rest[:n], last)
		if rest = rest[n:]; last {
			return c.sealed
		}
	}
}

// open is the stored body, opened, between what stands before and after it.
func (c *carrier) open(e *core.Effect) (body []byte, err error) {
	body = append(make([]byte, 0, len(e.Before)+len(c.record)+len(e.After)), e.Before...)
	for rest := c.record; ; {
		n := min(len(rest), core.SealedFrameSize)
		last := n == len(rest)
		if body, err = c.work.x.Open(body, rest[:n], last); err != nil {
			return nil, err
		}
		if rest = rest[n:]; last {
			return append(body, e.After...), nil
		}
	}
}
