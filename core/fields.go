package core

import (
	"bytes"
	"strings"
)

// The kinds of a field and the forms of an item in the canonical form, see Fingerprint.
const (
	textField  = 't'
	fileField  = 'f'
	itemInline = 127  // bytes of a name or value that is kept; a longer one is hashed
	itemDigest = 0x80 // stands for the length of a longer one
)

// What a value says, besides standing in the form.
const (
	catchKey = iota + 1
	catchMethod
)

// fields collects the fields of one form in canonical form. For each field a parser calls begin and then, in
// pieces of any size, what the field is made of: text up to endName and text up to endText, or text up to
// endName, raw up to endFileName and raw up to endFile.
type fields struct {
	formState
	arena []byte  // the fields one after the other, each as Fingerprint says
	list  []entry // where they are
	carry carry
	hash  contentHash // of the open item, of a body that is no form, then of the canonical form
	one   [1]byte     // char's argument on its way through rawSlow
	// Where a form of usual size has room, so that a new Submission is one allocation.
	arena0 [512]byte
	list0  [16]entry
}

// formState is what fields has to forget before the next form. It holds no buffers.
type formState struct {
	o     *SubmissionOptions
	count int // fields begun

	// The open field.
	at, name, nameEnd int
	kind              byte
	skip              bool // left out: nothing of it is kept
	full              bool // a file with a name or content
	catch             byte // catchKey or catchMethod: what the value says

	// The open item.
	start  int // where its bytes begin in arena
	inName bool
	long   bool // it has outgrown the arena and goes to hash
	cr     bool // its last byte was CR, for which LF was written
	slow   bool // long, skip, catch or carried: not simply appended

	// The end of a long name: enough for the longest token name in brackets.
	tail [32]byte

	// What the values said.
	keySeen, hasKey bool
	key             string
	overrideSeen    bool
	override        string
}

func (f *fields) reset(o *SubmissionOptions) {
	f.formState = formState{o: o}
	f.arena, f.list = f.arena[:0], f.list[:0]
	if n := cap(f.arena); n == 0 || n > keepBuffer {
		f.arena = f.arena0[:0]
	}
	if n := cap(f.list); n == 0 || n > keepBuffer/32 {
		f.list = f.list0[:0]
	}
	f.carry.reset(o.CarryLimit)
}

// begin opens a field with its name.
func (f *fields) begin(kind byte) {
	f.count++
	f.kind, f.skip, f.full, f.catch = kind, false, false, 0
	f.at = len(f.arena)
	f.arena = append(f.arena, kind)
	if kind == textField {
		f.carry.begin()
	} else {
		f.carry.open = false
	}
	f.beginItem()
	f.inName = true
}

func (f *fields) beginItem() {
	f.arena = append(f.arena, 0)
	f.start = len(f.arena)
	f.inName, f.long, f.cr = false, false, false
	f.slow = f.skip && f.catch == 0
}

// text takes bytes of a name or a text value, in which CR, LF and CRLF are one line end.
func (f *fields) text(p []byte) {
	if len(p) == 0 {
		return
	}
	if f.cr && p[0] == '\n' {
		p = p[1:]
	}
	f.cr = false
	for {
		i := bytes.IndexByte(p, '\r')
		if i < 0 {
			f.raw(p)
			return
		}
		f.raw(p[:i])
		f.raw(newline)
		p = p[i+1:]
		if len(p) == 0 {
			f.cr = true
			return
		}
		if p[0] == '\n' {
			p = p[1:]
		}
	}
}

var newline = []byte{'\n'}

// char takes one byte of a name or a text value.
func (f *fields) char(c byte) {
	switch {
	case c == '\r':
		f.cr = true
		c = '\n'
	case f.cr:
		f.cr = false
		if c == '\n' {
			return
		}
	}
	if f.slow || len(f.arena)-f.start >= itemInline {
		f.one[0] = c
		f.rawSlow(f.one[:])
		return
	}
	f.arena = append(f.arena, c)
}

// raw takes bytes as they are.
func (f *fields) raw(p []byte) {
	if f.slow || len(f.arena)-f.start+len(p) > itemInline {
		f.rawSlow(p)
		return
	}
	f.arena = append(f.arena, p...)
}

func (f *fields) rawSlow(p []byte) {
	if len(p) == 0 {
		return
	}
	f.full = true
	switch {
	case f.skip && f.catch != 0:
		if len(f.arena)-f.start+len(p) <= maxFieldKey {
			f.arena = append(f.arena, p...)
			return
		}
		if start := string(append(f.arena[f.start:], p[:min(len(p), len(keyPrefix))]...)); f.catch == catchKey && strings.HasPrefix(start, keyPrefix) {
			f.key, f.hasKey = keyPrefix, true // no minted key is that long: enough of it to be refused (contract §2)
		}
		f.carry.put(f.arena[f.start:])
		f.carry.put(p)
		f.arena = f.arena[:f.start]
		f.catch, f.slow = 0, true // too long to be a key or a method
	case f.skip:
		f.carry.put(p)
	case f.long:
		f.putLong(p)
	default:
		f.long, f.slow = true, true
		f.hash.reset()
		f.putLong(f.arena[f.start:])
		f.putLong(p)
		f.arena = f.arena[:f.start]
	}
}

func (f *fields) putLong(p []byte) {
	f.hash.write(p)
	f.carry.put(p)
	if f.inName {
		n := copy(f.tail[:], f.tail[min(len(p), len(f.tail)):])
		copy(f.tail[n:], p[max(0, len(p)-len(f.tail)):])
	}
}

// endItem completes the open item in the arena.
func (f *fields) endItem() {
	if f.long {
		f.arena[f.start-1] = itemDigest
		f.arena = f.hash.appendSum(f.arena)
		return
	}
	f.carry.put(f.arena[f.start:])
	f.arena[f.start-1] = byte(len(f.arena) - f.start)
}

// endName closes the name. What the name says about the value is decided here.
func (f *fields) endName() {
	f.endItem()
	f.name, f.nameEnd = f.start, len(f.arena)
	if f.long {
		f.skip = tokenField(f.tail[:])
	} else {
		name := f.arena[f.name:]
		f.skip = leftOut(name, f.o)
		if f.kind == textField {
			switch {
			case f.skip && isKeyField(name, f.o):
				f.carry.cancel()
				if !f.keySeen {
					f.keySeen, f.catch = true, catchKey
				}
			case !f.overrideSeen && sameBytes(name, "_method"):
				f.overrideSeen, f.catch = true, catchMethod
			}
		}
	}
	f.carry.endName()
	f.full = false
	f.beginItem()
}

// endText closes a field that is a text.
func (f *fields) endText() error {
	switch {
	case f.catch == catchKey:
		f.setKey(f.arena[f.start:])
	case f.catch == catchMethod && !f.long:
		f.setOverride(f.arena[f.start:])
	}
	f.endItem()
	f.carry.end()
	return f.endField(f.skip)
}

// endFileName closes the name of a file. What follows is its content.
func (f *fields) endFileName() {
	f.full = f.full || len(f.arena) > f.start
	f.endItem()
	f.long, f.slow = true, true
	f.hash.reset()
}

// endFile closes a field that is a file. An empty part without a file name is what browsers send for an input
// in which no file was chosen; it does not count (contract §3).
func (f *fields) endFile() error {
	if f.full {
		f.carry.dropped = true
	}
	if f.full && !f.skip {
		f.arena = f.hash.appendSum(f.arena)
	}
	return f.endField(f.skip || !f.full)
}

func (f *fields) endField(drop bool) error {
	if f.count > maxFields {
		return ErrTooManyFields
	}
	if drop {
		f.arena = f.arena[:f.at]
		return nil
	}
	f.list = append(withRoom(f.list), entry{f.prefix(), uint32(f.at), uint32(f.name), uint32(f.nameEnd), uint32(len(f.arena))})
	return nil
}

// withRoom returns the list with room for one more. TinyGo's append takes the elements of what it makes for pointers,
// and every number among them that looks like an address holds memory and is followed; make knows better.
func withRoom[T any](list []T) []T {
	if len(list) < cap(list) {
		return list
	}
	more := make([]T, len(list), 2*len(list)+16)
	copy(more, list)
	return more
}

func (f *fields) setKey(value []byte) {
	f.keySeen = true
	if len(value) <= maxFieldKey {
		f.key, f.hasKey = string(value), true
	}
}

func (f *fields) setOverride(value []byte) {
	f.overrideSeen = true
	if len(value) > maxMethod {
		return
	}
	upper := make([]byte, len(value))
	for i, c := range value {
		if 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		upper[i] = c
	}
	f.override = string(upper)
}
