package core

// carry keeps the text fields of a form for the page that submits them as a new entry (contract §5).
type carry struct {
	limit   int    // bytes
	buf     []byte // names and values, one after the other
	spans   []carried
	open    bool // the open field is being kept
	dropped bool // something is missing
	at      carried
	// Where a form of usual size has room, as in fields.
	buf0   [384]byte
	spans0 [16]carried
}

// carried says where in the buffer a field stands.
type carried struct{ name, value, end uint32 }

func (c *carry) reset(limit int) {
	c.limit, c.open, c.dropped = limit, false, false
	c.buf, c.spans = c.buf[:0], c.spans[:0]
	if n := cap(c.buf); n == 0 || n > keepBuffer {
		c.buf, c.spans = c.buf0[:0], c.spans0[:0]
	}
}

func (c *carry) begin() {
	c.open = c.limit > 0
	c.dropped = c.dropped || !c.open
	c.at.name = uint32(len(c.buf))
}

// put takes bytes of the open field, first of its name, then of its value.
func (c *carry) put(p []byte) {
	switch {
	case !c.open:
	case len(p) > c.limit-len(c.buf):
		c.cancel()
		c.dropped = true
	default:
		c.buf = append(c.buf, p...)
	}
}

// cancel forgets the open field.
func (c *carry) cancel() {
	if c.open {
		c.buf, c.open = c.buf[:c.at.name], false
	}
}

func (c *carry) endName() { c.at.value = uint32(len(c.buf)) }

func (c *carry) end() {
	if c.open {
		c.at.end = uint32(len(c.buf))
		c.spans = append(withRoom(c.spans), c.at)
		c.open = false
	}
}

// fields returns what was kept, and whether that is all.
func (c *carry) fields() (list []Field, whole bool) {
	whole = !c.dropped
	all := string(c.buf)
	for _, at := range c.spans {
		field := Field{Name: all[at.name:at.value], Value: all[at.value:at.end]}
		if !carriable(field.Name) || !carriable(field.Value) {
			whole = false
			continue
		}
		if list == nil {
			list = make([]Field, 0, len(c.spans))
		}
		list = append(list, field)
	}
	return list, whole
}
