package core

import (
	"bytes"
	"unicode/utf8"
)

// carry keeps the text fields of a form for the page that submits them as a new entry (contract §5).
type carry struct {
	limit   int    // bytes
	buf     []byte // names and values, one after the other
	spans   []carried
	open    bool // the open field is being kept
	dropped bool // something is missing
	at      carried
}

// carried says where in the buffer a field stands.
type carried struct{ name, value, end int }

func (c *carry) reset(limit int) {
	buf, spans := c.buf[:0], c.spans[:0]
	if cap(buf) > keepBuffer {
		buf, spans = nil, nil
	}
	*c = carry{limit: limit, buf: buf, spans: spans}
}

func (c *carry) begin() {
	c.open = c.limit > 0
	c.dropped = c.dropped || !c.open
	c.at.name = len(c.buf)
}

func (c *carry) put(p []byte) {
	if len(p) > c.limit-len(c.buf) {
		c.cancel()
		c.dropped = true
		return
	}
	c.buf = append(c.buf, p...)
}

// cancel forgets the open field.
func (c *carry) cancel() {
	if c.open {
		c.buf, c.open = c.buf[:c.at.name], false
	}
}

func (c *carry) endName() { c.at.value = len(c.buf) }

func (c *carry) end() {
	if !c.open {
		return
	}
	c.at.end = len(c.buf)
	if text := c.buf[c.at.name:]; !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0 {
		c.cancel()
		c.dropped = true
		return
	}
	c.spans = append(c.spans, c.at)
	c.open = false
}

func (c *carry) fields() []Field {
	if len(c.spans) == 0 {
		return nil
	}
	all := string(c.buf)
	list := make([]Field, len(c.spans))
	for i, at := range c.spans {
		list[i] = Field{Name: all[at.name:at.value], Value: all[at.value:at.end]}
	}
	return list
}
