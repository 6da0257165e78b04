package core

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// MaxDigests is the number of names that Digests and Differing can tell of; a record has to hold them.
const MaxDigests = 64

// FieldDigest is one name of a submission and a digest of all that it holds. It only serves to name the fields
// that differ once the fingerprints have shown that something does, so 64 bits of a fast, non-cryptographic
// hash will do: who makes two of his own values collide leaves their name out of a list that he alone sees. It
// is no secret-keeper either, and is stored nowhere but in sealed records.
type FieldDigest struct {
	Name   string
	Digest uint64
}

// Digests returns a digest for each name, sorted by name: those of the fields of a form or of the top-level
// members of a JSON object, without what the fingerprint leaves out. There are at most MaxDigests, the first
// ones. Of a name longer than 127 bytes stand the first 96 and an ellipsis. It is nil before Close, after an
// error, and of other bodies.
func (s *Submission) Digests() []FieldDigest {
	if !s.closed || s.err != nil {
		return nil
	}
	if s.body == bodyJSON {
		return s.digests
	}
	return s.fields.digests()
}

// Differing returns the names that only one of two lists has or for which their digests differ, sorted. Where a
// list is full, nothing is said of names behind its last.
func Differing(a, b []FieldDigest) []string {
	if len(a) == MaxDigests {
		b = upTo(b, a[len(a)-1].Name)
	}
	if len(b) == MaxDigests {
		a = upTo(a, b[len(b)-1].Name)
	}
	var names []string
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].Name < b[0].Name:
			names = append(names, a[0].Name)
			a = a[1:]
		case len(a) == 0 || b[0].Name < a[0].Name:
			names = append(names, b[0].Name)
			b = b[1:]
		default:
			if a[0].Digest != b[0].Digest {
				names = append(names, a[0].Name)
			}
			a, b = a[1:], b[1:]
		}
	}
	return names
}

// upTo returns the head of a list up to a name.
func upTo(list []FieldDigest, name string) []FieldDigest {
	for len(list) > 0 && list[len(list)-1].Name > name {
		list = list[:len(list)-1]
	}
	return list
}

// digests makes the digests of a form whose fields have been sorted.
func (f *fields) digests() []FieldDigest {
	var list []FieldDigest
	for i := 0; i < len(f.list) && len(list) < MaxDigests; {
		first := f.list[i]
		name := f.arena[first.name:first.nameEnd]
		d := digestSeed
		for ; i < len(f.list); i++ {
			e := f.list[i]
			if e.prefix != first.prefix || !bytes.Equal(f.arena[e.name:e.nameEnd], name) {
				break
			}
			d = digestFold(d, f.arena[e.at:e.end])
		}
		list = appendDigest(list, name, d, len(f.list))
	}
	return list
}

// digests makes the digests of the members of an object, which are sorted.
func (j *jsonBody) digests(members []span) []FieldDigest {
	var list []FieldDigest
	for i := 0; i < len(members) && len(list) < MaxDigests; {
		name := memberName(j.out[members[i].at:members[i].end])
		d := digestSeed
		for ; i < len(members); i++ {
			m := j.out[members[i].at:members[i].end]
			if !bytes.Equal(memberName(m), name) {
				break
			}
			d = digestFold(d, m)
		}
		list = appendDigest(list, name, d, len(members))
	}
	return list
}

// appendDigest adds a name. Long names that have their head in common are one name here.
func appendDigest(list []FieldDigest, name []byte, d uint64, most int) []FieldDigest {
	if list == nil {
		list = make([]FieldDigest, 0, min(most, MaxDigests))
	}
	text := ""
	if len(name) > itemInline {
		head := name[:longNameHead]
		for n := 1; n < utf8.UTFMax && len(head) > 0; n++ { // do not cut a character in two
			if r, size := utf8.DecodeLastRune(head); r != utf8.RuneError || size != 1 {
				break
			}
			head = head[:len(head)-1]
		}
		text = string(head) + "…"
	} else {
		text = string(name)
	}
	if n := len(list); n > 0 && list[n-1].Name == text {
		list[n-1].Digest = fold(list[n-1].Digest^d, digestFactor)
		return list
	}
	return append(list, FieldDigest{text, d})
}

// The two odd constants are the first digits of the square roots of 2 and 3: nothing up the sleeve.
const (
	digestSeed   uint64 = 0x6a09e667f3bcc909
	digestFactor uint64 = 0xbb67ae8584caa73b
)

// digestFold takes the bytes of one encoded field into a digest: eight at a time, each multiplied to 128 bits
// that are folded in two.
func digestFold(d uint64, p []byte) uint64 {
	n := uint64(len(p))
	for ; len(p) >= 8; p = p[8:] {
		d = fold(d^binary.LittleEndian.Uint64(p), digestFactor)
	}
	var tail [8]byte
	copy(tail[:], p)
	d = fold(d^binary.LittleEndian.Uint64(tail[:]), digestFactor)
	return fold(d^n, digestSeed)
}

func fold(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return high ^ low
}
