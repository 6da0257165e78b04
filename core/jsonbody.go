package core

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"unsafe"
)

// jsonBody collects a JSON body and encodes it by value (contract §3), so that white space, the order of
// members and the spelling of escapes do not count:
//
//	'n'  'f'  't'             null, false, true
//	'd' text                  a number by its exact text: 1, 1.0 and 1e0 are three values
//	's' text                  a string, decoded
//	'a' value* 'z'            an array
//	'o' ('m' text value)* 'z' an object, its members sorted by name; members of one name as they came
//
// where text is a length (unsigned LEB128) and that many bytes. A body without anything but white space, which
// many clients send with a call that has no arguments, is no value at all.
type jsonBody struct {
	text     []byte
	outgrown bool // more than maxJSON: hashed by its bytes

	r     *jsonReader
	out   []byte
	spans []span // members of the objects that are open, those of each in the order of out
	spare []byte
	room  *jsonRoom // nil: every body has memory of its own
}

// jsonRoom is memory for one large JSON body at a time, which the exchanges of a guard hand on (Guard.Share). A collector
// that takes numbers for pointers, as TinyGo's does, holds on to large pieces that are long gone: a hundred bodies
// of 1 MiB drove its memory to 128 MiB, all that a Worker has.
type jsonRoom struct{ text, out, spare []byte }

// lend gives out a buffer of the room for as long as the body is read; where there is none, a new one.
func lend(room *[]byte, size int) []byte {
	b := *room
	*room = nil
	if cap(b) < size {
		b = make([]byte, 0, size)
	}
	return b[:0]
}

// giveBack returns it, perhaps grown.
func giveBack(room *[]byte, b []byte) {
	if cap(b) > keepBuffer && cap(b) > cap(*room) {
		*room = b[:0]
	}
}

// span is where a member stands in out.
type span struct{ at, end int }

func (j *jsonBody) reset() {
	if cap(j.text) > keepBuffer || cap(j.out) > keepBuffer {
		if j.room != nil {
			giveBack(&j.room.text, j.text)
			giveBack(&j.room.out, j.out)
			giveBack(&j.room.spare, j.spare)
		}
		*j = jsonBody{room: j.room}
		return
	}
	*j = jsonBody{text: j.text[:0], out: j.out[:0], spans: j.spans[:0], spare: j.spare[:0], room: j.room}
}

// write collects p, and reports false once the body is too long for that.
func (j *jsonBody) write(p []byte) bool {
	if j.outgrown || len(p) > maxJSON-len(j.text) {
		return false
	}
	if n := len(j.text) + len(p); n > keepBuffer && n > cap(j.text) && j.room != nil {
		j.text = append(lend(&j.room.text, maxJSON), j.text...)
	}
	j.text = append(j.text, p...)
	return true
}

// outgrowJSON goes on by the bytes of a body that has become too long. Its key must stand in what was
// collected so far and in the first bytes of p (contract §2: in the first 1 MiB).
func (s *Submission) outgrowJSON(p []byte) {
	if j := &s.json; !j.outgrown {
		n := maxJSON - len(j.text)
		j.text = append(j.text, p[:n]...)
		p = p[n:]
		s.fields.hash.reset()
		s.fields.hash.write(j.text)
		// The text is cut here, perhaps in the middle of a number.
		s.jsonKey(newJSONReader(bytes.TrimRight(j.text, "0123456789+-.eE")).text)
		j.reset()
		*j = jsonBody{outgrown: true, room: j.room}
	}
	s.fields.hash.write(p)
}

// closeJSON encodes the body that has been collected, takes the key and the digests of its top-level members
// from it, and lets go of what is large.
func (s *Submission) closeJSON() error {
	j := &s.json
	if j.outgrown {
		return nil
	}
	j.text = bytes.TrimPrefix(j.text, []byte("\xef\xbb\xbf")) // RFC 8259 §8.1 lets a reader ignore the mark
	if len(bytes.Trim(j.text, " \t\r\n")) == 0 {
		return nil
	}
	if len(j.text) > keepBuffer && j.room != nil {
		j.out = lend(&j.room.out, len(j.text)+len(j.text)/4)
		j.spare = lend(&j.room.spare, len(j.text)+len(j.text)/4)
	}
	// The text is a view of j.text, which nobody writes to before the reset.
	j.r = &jsonReader{text: unsafe.String(unsafe.SliceData(j.text), len(j.text)), line: 1}
	if s.jsonValue(true) != nil || j.r.end() != nil {
		return ErrBody
	}
	s.jsonKey(j.r.text)
	j.r = nil
	return nil
}

// jsonKey looks for the key and the method in a JSON text, which may be cut short.
func (s *Submission) jsonKey(text string) {
	find := func(pointer string) (jsonValue, bool) {
		var v jsonValue
		var found bool
		r := jsonReader{text: text, line: 1}
		_ = r.find(pointer, true, &v, &found) // whether the text is malformed was asked before
		return v, found
	}
	if s.o.JSONKey != "" && validPointer(s.o.JSONKey) {
		if v, ok := find(s.o.JSONKey); ok && (v.kind == jsonString || v.kind == jsonNumber) {
			s.fields.setKey([]byte(v.text))
		}
	}
	if !s.o.HTMX {
		return
	}
	if s.o.KeyField != "" {
		pointer := "/" + strings.ReplaceAll(strings.ReplaceAll(s.o.KeyField, "~", "~0"), "/", "~1")
		v, ok := find(pointer)
		if ok && v.kind == jsonArray { // a name that the form sends twice; the first counts
			v, ok = find(pointer + "/0")
		}
		if ok && v.kind == jsonString {
			s.fields.setKey([]byte(v.text))
		}
	}
	if v, ok := find("/_method"); ok && v.kind == jsonString {
		s.fields.setOverride([]byte(v.text))
	}
}

// jsonValue encodes the next value. Of the outermost object, the members that the contract leaves out are.
func (s *Submission) jsonValue(outermost bool) error {
	j := &s.json
	kind, text, err := j.r.value()
	if err != nil {
		return err
	}
	switch kind {
	case jsonNull:
		j.out = append(j.out, 'n')
	case jsonFalse:
		j.out = append(j.out, 'f')
	case jsonTrue:
		j.out = append(j.out, 't')
	case jsonNumber:
		j.out = appendText(append(j.out, 'd'), text)
	case jsonString:
		j.out = appendText(append(j.out, 's'), text)
	case jsonArray:
		j.out = append(j.out, 'a')
		for first := true; ; first = false {
			more, err := j.r.element(first)
			if err != nil {
				return err
			}
			if !more {
				break
			}
			if err := s.jsonValue(false); err != nil {
				return err
			}
		}
		j.out = append(j.out, 'z')
	case jsonObject:
		return s.jsonObject(outermost)
	}
	return nil
}

func (s *Submission) jsonObject(outermost bool) error {
	j := &s.json
	j.out = append(j.out, 'o')
	base := len(j.spans)
	for first := true; ; first = false {
		name, more, err := j.r.member(first)
		if err != nil {
			return err
		}
		if !more {
			break
		}
		at := len(j.out)
		j.out = appendText(append(j.out, 'm'), name)
		out := outermost && leftOut(j.out[len(j.out)-len(name):], &s.o)
		if err := s.jsonValue(false); err != nil {
			return err
		}
		if out {
			j.out = j.out[:at]
			continue
		}
		j.spans = append(withRoom(j.spans), span{at, len(j.out)})
	}
	members := j.spans[base:]
	j.sort(members)
	if outermost {
		s.digests = j.digests(members)
	}
	j.spans = j.spans[:base]
	j.out = append(j.out, 'z')
	return nil
}

// sort brings the members of one object, with which out ends, into the order of their names.
func (j *jsonBody) sort(members []span) {
	compare := func(a, b span) int {
		if c := bytes.Compare(memberName(j.out[a.at:a.end]), memberName(j.out[b.at:b.end])); c != 0 {
			return c
		}
		return a.at - b.at
	}
	if slices.IsSortedFunc(members, compare) {
		return
	}
	from := members[0].at
	slices.SortFunc(members, compare)
	j.spare = append(j.spare[:0], j.out[from:]...)
	j.out = j.out[:from]
	for i, m := range members {
		at := len(j.out)
		j.out = append(j.out, j.spare[m.at-from:m.end-from]...)
		members[i] = span{at, len(j.out)}
	}
}

// memberName returns the name of an encoded member.
func memberName(member []byte) []byte {
	n, size := binary.Uvarint(member[1:])
	return member[1+size : 1+size+int(n)]
}
