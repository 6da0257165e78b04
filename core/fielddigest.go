package core

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// MaxDigests bounds the digests of one submission, which a record has to hold.
const MaxDigests = 64

// restName is the Name under which the digest of all stands that has no other: it is no UTF-8 and sorts last.
const restName = "\xff"

// FieldDigest is one name of a submission and a digest of all that it holds. It only serves to name the fields
// that differ once the fingerprints have shown that something does, so 64 bits of a fast, non-cryptographic
// hash will do: who makes two of his own values collide leaves their name out of a list that he alone sees. It
// keeps no secret either, and is stored nowhere but in sealed records.
type FieldDigest struct {
	Name   string
	Digest uint64
}

// Digests returns a digest for each name, sorted by name: those of the fields of a form or of the top-level
// members of a JSON object, without what the fingerprint leaves out, at most MaxDigests. What cannot be told by
// name (names of more than 127 bytes, names after the first 63 of many, a body of another kind) is in one last digest that Differing does not name but SameFields sees. It is nil before Close and
// after an error.
func (s *Submission) Digests() []FieldDigest { return s.digestsIn(nil) }

// digestsIn is Digests, those of a form in used memory if that is enough.
func (s *Submission) digestsIn(used []FieldDigest) []FieldDigest {
	switch {
	case !s.closed || s.err != nil:
		return nil
	case s.body == bodyURLEncoded || s.body == bodyMultipart:
		return s.fields.digests(used)
	case s.digests != nil:
		return s.digests
	}
	return []FieldDigest{{restName, s.rest}}
}

// Differing returns the names, sorted, that only one of two lists of digests has or that have another digest
// there. Where a list holds the first names only, nothing is said of those behind.
func Differing(a, b []FieldDigest) []string {
	a, partA := named(a)
	b, partB := named(b)
	if partA {
		b = upTo(b, a[len(a)-1].Name)
	}
	if partB {
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

// SameFields reports whether two lists of digests say that the same was submitted. Fingerprints of one form
// that differ all the same do so by the query.
func SameFields(a, b []FieldDigest) bool {
	return slices.Equal(a, b)
}

// named returns the digests of a list that have a name, and reports whether they are only the first ones.
func named(list []FieldDigest) (names []FieldDigest, part bool) {
	n := len(list)
	if n == 0 || list[n-1].Name != restName {
		return list, false
	}
	return list[:n-1], n == MaxDigests
}

// upTo returns the head of a list up to a name.
func upTo(list []FieldDigest, name string) []FieldDigest {
	for len(list) > 0 && list[len(list)-1].Name > name {
		list = list[:len(list)-1]
	}
	return list
}

// digestList makes a list of digests from names in their order.
type digestList struct {
	digests [MaxDigests]uint64
	ends    [MaxDigests]int // where in text the names end
	n       int
	text    []byte
	rest    uint64 // of what has no place of its own
	more    bool   // there is such
}

// add takes the digest of all that stands under a name.
func (l *digestList) add(name []byte, d uint64) {
	if l.n == MaxDigests || len(name) > itemInline || len(name) > 0 && name[0] == restName[0] {
		l.addRest(d)
		return
	}
	l.text = append(l.text, name...)
	l.digests[l.n], l.ends[l.n] = d, len(l.text)
	l.n++
}

func (l *digestList) addRest(d uint64) {
	l.rest, l.more = fold(l.rest^d, digestFactor), true
}

// list returns what was added, in used memory if that is enough. The names share one string.
func (l *digestList) list(used []FieldDigest) []FieldDigest {
	if l.more && l.n == MaxDigests {
		l.n--
		l.addRest(l.digests[l.n])
	}
	list := listOf(used, l.n+1)[:l.n]
	names, from := string(l.text), 0
	for i := range list {
		list[i] = FieldDigest{names[from:l.ends[i]], l.digests[i]}
		from = l.ends[i]
	}
	if l.more {
		list = append(list, FieldDigest{restName, l.rest})
	}
	return list
}

// digests makes the digests of a form whose fields have been sorted.
func (f *fields) digests(used []FieldDigest) []FieldDigest {
	l := digestList{text: f.arena[len(f.arena):]}
	for i := 0; i < len(f.list); {
		first := f.list[i]
		name := f.arena[first.name:first.nameEnd]
		d := digestSeed
		for ; i < len(f.list); i++ {
			e := f.list[i]
			if e.prefix != first.prefix || !sameText(f.arena[e.name:e.nameEnd], name) {
				break
			}
			d = digestFold(d, f.arena[e.at:e.end])
		}
		if f.arena[first.at+1] == itemDigest {
			l.addRest(d)
		} else {
			l.add(name, d)
		}
	}
	return l.list(used)
}

// digests makes the digests of the members of an object, which are sorted.
func (j *jsonBody) digests(members []span) []FieldDigest {
	l := digestList{text: j.spare[:0]}
	for i := 0; i < len(members); {
		name := memberName(j.out[members[i].at:members[i].end])
		d := digestSeed
		for ; i < len(members); i++ {
			member := j.out[members[i].at:members[i].end]
			if !sameText(memberName(member), name) {
				break
			}
			d = digestFold(d, member)
		}
		l.add(name, d)
	}
	return l.list(nil)
}

// Two odd constants that anybody can check: the first digits of the square roots of 2 and 3.
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
