package core

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// entry is one field in the arena: its kind at at, its name's bytes from name to nameEnd, the rest up to end.
// prefix holds the first eight bytes of the name, so that sorting seldom has to look there.
type entry struct {
	prefix                 uint64
	at, name, nameEnd, end uint32
}

// prefix returns the first eight bytes of the open field's name, the first on top, short names filled up with 0.
func (f *fields) prefix() uint64 {
	n := f.nameEnd - f.name
	if n >= 8 {
		return binary.BigEndian.Uint64(f.arena[f.name:])
	}
	if f.name+8 <= len(f.arena) {
		return binary.BigEndian.Uint64(f.arena[f.name:]) &^ (1<<(64-8*n) - 1)
	}
	var head [8]byte
	copy(head[:], f.arena[f.name:f.nameEnd])
	return binary.BigEndian.Uint64(head[:])
}

// sort brings the fields into the order of the canonical form: by the bytes of their names, those of one name
// as they came.
func (f *fields) sort() {
	list := f.list
	if len(list) > 32 {
		slices.SortFunc(list, f.compare)
		return
	}
	for i := 1; i < len(list); i++ {
		e := list[i]
		j := i
		for ; j > 0 && (e.prefix < list[j-1].prefix || e.prefix == list[j-1].prefix && f.compare(e, list[j-1]) < 0); j-- {
			list[j] = list[j-1]
		}
		list[j] = e
	}
}

func (f *fields) compare(a, b entry) int {
	switch {
	case a.prefix < b.prefix:
		return -1
	case a.prefix > b.prefix:
		return 1
	}
	if c := bytes.Compare(f.arena[a.name:a.nameEnd], f.arena[b.name:b.nameEnd]); c != 0 {
		return c
	}
	return int(a.at) - int(b.at)
}
