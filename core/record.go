package core

import (
	"encoding/binary"
	"errors"
)

// State is the state of a record (contract, table of words).
type State byte

// The states. Absent is never stored.
const (
	Absent State = iota
	Claimed
	Committed
	Released
)

// String returns the contract's word.
func (s State) String() string {
	switch s {
	case Claimed:
		return "claimed"
	case Committed:
		return "committed"
	case Released:
		return "released"
	}
	return "absent"
}

// BodyPlace says where the body of a kept answer is.
type BodyPlace byte

// The places of a body.
const (
	BodyEmpty  BodyPlace = iota // the answer has no body
	BodyInline                  // in the claim store, beside the head
	BodyKV                      // in KV, under the record's name and version
	BodyLost                    // nowhere: a tombstone
)

// Record is what is kept for a key in a scope (contract §4). The claim store sees it sealed; docs/stored-records.md
// describes each byte.
type Record struct {
	State       State
	Attempt     int   // runs of the origin, this one included; from 1
	Claimed     int64 // when the origin's run began, unix milliseconds of the guard
	Settled     int64 // when it was committed or released, unix milliseconds of the guard; 0 while claimed
	Known       bool  // the fingerprint is there; a large body is claimed before it is hashed
	Fingerprint Fingerprint
	Digests     []FieldDigest // for naming the fields that differ

	// What follows is there once the record is settled.
	Unknown bool // released without knowing whether the origin did the work
	HTMX    bool // the answer was given to an htmx request
	Status  int
	Headers Headers
	Body    BodyPlace
	Length  int64 // of the body, in bytes
}

var errRecord = errors.New("core: record is not in its one encoding")

const (
	recordKnown = 1 << iota
	recordUnknown
	recordHTMX
	recordFlags = recordKnown | recordUnknown | recordHTMX
)

// appendRecord writes the one encoding of a record: integers as shortest varints, texts with their length.
func appendRecord(dst []byte, r *Record) []byte {
	var flags byte
	if r.Known {
		flags |= recordKnown
	}
	if r.Unknown {
		flags |= recordUnknown
	}
	if r.HTMX {
		flags |= recordHTMX
	}
	dst = append(dst, byte(r.State), flags, byte(r.Body))
	dst = binary.AppendUvarint(dst, uint64(r.Attempt))
	dst = binary.AppendUvarint(dst, uint64(r.Claimed))
	dst = binary.AppendUvarint(dst, uint64(r.Settled))
	dst = binary.AppendUvarint(dst, uint64(r.Length))
	dst = binary.AppendUvarint(dst, uint64(r.Status))
	if r.Known {
		dst = append(dst, r.Fingerprint[:]...)
	}
	dst = binary.AppendUvarint(dst, uint64(len(r.Digests)))
	for i := range r.Digests {
		dst = appendText(dst, r.Digests[i].Name)
		dst = binary.BigEndian.AppendUint64(dst, r.Digests[i].Digest)
	}
	dst = binary.AppendUvarint(dst, uint64(len(r.Headers)))
	for i := range r.Headers {
		dst = appendText(dst, r.Headers[i].Name)
		dst = appendText(dst, r.Headers[i].Value)
	}
	return dst
}

// recordRoom is at least what the encoding of a record takes, in bytes.
func recordRoom(r *Record) int {
	n := 3 + 7*binary.MaxVarintLen64 + len(r.Fingerprint)
	for i := range r.Digests {
		n += binary.MaxVarintLen32 + len(r.Digests[i].Name) + 8
	}
	for i := range r.Headers {
		n += 2*binary.MaxVarintLen32 + len(r.Headers[i].Name) + len(r.Headers[i].Value)
	}
	return n
}

// decodeRecord reads what appendRecord wrote and nothing else: any accepted bytes encode to themselves. The lists are
// in the memory of used's where that is enough.
func decodeRecord(b []byte, used *Record) (Record, error) {
	var r Record
	d := decoder{rest: b}
	r.State = State(d.byte())
	flags := d.byte()
	r.Body = BodyPlace(d.byte())
	r.Known = flags&recordKnown != 0
	r.Unknown = flags&recordUnknown != 0
	r.HTMX = flags&recordHTMX != 0
	r.Attempt = int(d.uint(1 << 31))
	r.Claimed = int64(d.uint(1 << 62))
	r.Settled = int64(d.uint(1 << 62))
	r.Length = int64(d.uint(1 << 62))
	r.Status = int(d.uint(1 << 16))
	if r.Known {
		copy(r.Fingerprint[:], d.take(len(r.Fingerprint)))
	}
	if n := d.count(9); n > 0 {
		r.Digests = listOf(used.Digests, n)
		for i := range r.Digests {
			r.Digests[i].Name = d.text()
			if raw := d.take(8); raw != nil {
				r.Digests[i].Digest = binary.BigEndian.Uint64(raw)
			}
		}
	}
	if n := d.count(2); n > 0 {
		r.Headers = listOf(used.Headers, n)
		for i := range r.Headers {
			r.Headers[i] = Header{d.text(), d.text()}
		}
	}
	if d.failed || len(d.rest) != 0 || flags&^recordFlags != 0 ||
		r.State < Claimed || r.State > Released || r.Body > BodyLost {
		return Record{}, errRecord
	}
	return r, nil
}

// decoder reads the parts of an encoding. After the first part that does not fit, failed stays true and
// every further part is zero.
type decoder struct {
	rest   []byte
	texts  string // rest as it was at the first text, which all of them are parts of
	failed bool
}

func (d *decoder) take(n int) []byte {
	if d.failed || n > len(d.rest) {
		d.failed = true
		return nil
	}
	part := d.rest[:n]
	d.rest = d.rest[n:]
	return part
}

func (d *decoder) byte() byte {
	if part := d.take(1); part != nil {
		return part[0]
	}
	return 0
}

// uint reads a varint up to limit in its shortest form.
func (d *decoder) uint(limit uint64) uint64 {
	v, n := binary.Uvarint(d.rest)
	if d.failed || n <= 0 || v > limit || n > 1 && d.rest[n-1] == 0 {
		d.failed = true
		return 0
	}
	d.rest = d.rest[n:]
	return v
}

// count reads how many parts follow, of at least size bytes each, so that a wrong count cannot ask for more
// memory than its bytes have.
func (d *decoder) count(size int) int {
	n := d.uint(1 << 20)
	if d.failed || n > uint64(len(d.rest)/size) {
		d.failed = true
		return 0
	}
	return int(n)
}

func (d *decoder) text() string {
	n := d.uint(1 << 20)
	if d.texts == "" {
		d.texts = string(d.rest)
	}
	from := len(d.texts) - len(d.rest)
	return d.texts[from : from+len(d.take(int(n)))]
}
