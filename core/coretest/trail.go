package coretest

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/singleshot-edge/singleshot/core"
	"github.com/singleshot-edge/singleshot/edge"
)

var trailRules = []storeRule{
	{"a trail keeps what comes, in its order", "two clicks and one click sent twice read differently (contract §10)", func(s *storeTest) {
		at := address()
		s.tells(at, nil, 0)
		s.note(at, edge.Note{Entries: entries(1, 1), TTL: ages})
		s.note(at, edge.Note{Entries: entries(2, 3), TTL: ages})
		s.note(at, edge.Note{Entries: entries(5, 1), TTL: ages})
		s.tells(at, entries(1, 5), 5)
		s.tells(address(), nil, 0)
		s.absent(s.read(at))
	}},
	{"a note is there exactly if its write is", "the trail tells no run that did not happen", func(s *storeTest) {
		at, w := address(), commit(core.Version{})
		w.Note = entries(1, 2)
		s.write(at, w)
		s.tells(at, w.Note, 2)
		refused := commit(core.Version{})
		refused.Note = entries(7, 1)
		s.refused(at, refused)
		s.refused(at, w)
		s.tells(at, w.Note, 2)
		s.note(at, edge.Note{Entries: entries(3, 1), TTL: ages})
		next := commit(w.Version)
		next.Note = entries(4, 2)
		s.write(at, next)
		s.tells(at, entries(1, 5), 5)
	}},
	{"a trail keeps its first 8 and its last 24 entries and counts the rest", "the bound of contract §8", func(s *storeTest) {
		for _, batch := range []int{3, 33, 90} {
			at := address()
			for n := 0; n < 90; n += batch {
				s.note(at, edge.Note{Entries: entries(n, min(batch, 90-n)), TTL: ages})
			}
			s.tells(at, append(entries(0, edge.TrailFirst), entries(90-edge.TrailLast, edge.TrailLast)...), 90)
		}
		at, w := address(), commit(core.Version{})
		s.note(at, edge.Note{Entries: entries(0, 32), TTL: ages})
		s.tells(at, entries(0, 32), 32)
		w.Note = entries(32, 1)
		s.write(at, w)
		s.tells(at, append(entries(0, 8), entries(9, 24)...), 33)
	}},
	{"mismatches are counted for the key and told with its records", "20 mismatches, then 429 (contract §8)", func(s *storeTest) {
		at, other := address(), address()
		other.Trail = at.Trail
		w := claim(core.Version{})
		s.write(at, w)
		s.write(other, claim(core.Version{}))
		told := func(n int) {
			s.Helper()
			for _, at := range []edge.Address{at, other} {
				if got := s.refused(at, claim(core.Version{})).Mismatches; got != n {
					s.Errorf("Mismatches of a refused swap = %d; want %d", got, n)
				}
				if got := s.read(at).Mismatches; got != n {
					s.Errorf("Mismatches of a read = %d; want %d", got, n)
				}
			}
		}
		told(0)
		s.note(at, edge.Note{Entries: entries(1, 2), TTL: ages})
		told(0)
		for n := range 3 {
			s.note(at, edge.Note{Entries: entries(n, 1), TTL: ages, Mismatch: true})
			told(n + 1)
		}
		got, next := s.waiting(s.Context(), at, w.Version), commit(w.Version)
		next.Note = entries(9, 1)
		pause()
		s.write(at, next)
		if got := await(s, got); got.Mismatches != 3 || got.err != nil {
			s.Errorf("Mismatches of who was woken = %d, %v; want 3", got.Mismatches, got.err)
		}
		told(3)
		if got := s.read(at).Event(core.EventRefused, time.Now()).Mismatches; got != 3 {
			s.Errorf("Mismatches of the event = %d; want 3", got)
		}
		apart := address()
		s.write(apart, claim(core.Version{}))
		if got := s.read(apart).Mismatches; got != 0 {
			s.Errorf("Mismatches of another key = %d; want 0", got)
		}
	}},
	{"a trail ends with the longest TTL of its notes", "what happened is told as long as any record of the key may be there", func(s *storeTest) {
		short, long, after := address(), address(), address()
		w := claim(core.Version{})
		s.write(short, w)
		s.note(short, edge.Note{Entries: entries(1, 1), TTL: soon, Mismatch: true})
		s.note(long, edge.Note{Entries: entries(1, 1), TTL: ages})
		s.note(long, edge.Note{Entries: entries(2, 1), TTL: soon})
		forgetful := forget(core.Version{})
		forgetful.Note = entries(3, 1)
		s.write(long, forgetful)
		s.note(after, edge.Note{Entries: entries(1, 1), TTL: soon})
		s.note(after, edge.Note{Entries: entries(2, 1), TTL: ages})
		if s.Advance != nil {
			s.pass(soon - time.Millisecond)
			s.tells(short, entries(1, 1), 1)
			s.pass(time.Millisecond)
		} else {
			s.pass(soon)
		}
		s.tells(short, nil, 0)
		if got := s.read(short).Mismatches; got != 0 {
			s.Errorf("Mismatches after the trail's end = %d; want 0", got)
		}
		s.tells(long, entries(1, 3), 3)
		if got := s.trail(after).Entries; !bytes.HasSuffix(got, entries(2, 1)) {
			s.Errorf("trail after the end of its first note = %q; want the longer one there", got)
		}
		s.note(short, edge.Note{Entries: entries(5, 1), TTL: ages})
		s.tells(short, entries(5, 1), 1)
		if got := s.read(short).Mismatches; got != 0 {
			s.Errorf("Mismatches of a new trail = %d; want 0", got)
		}
	}},
	{"forgetting removes the records and the trail, and nothing else", "who asks to be forgotten is", func(s *storeTest) {
		at, other, apart := address(), address(), address()
		other.Trail = at.Trail
		w, kept := commit(core.Version{}), commit(core.Version{})
		w.Note, kept.Note = entries(1, 2), entries(3, 1)
		s.write(at, w)
		s.write(other, claim(core.Version{}))
		s.write(apart, kept)
		s.note(at, edge.Note{Entries: entries(3, 1), TTL: ages, Mismatch: true})
		for range 2 { // a repeat does no harm
			s.forget(at, at.Name, other.Name, address().Name)
			s.absent(s.read(at))
			s.absent(s.read(other))
			s.tells(at, nil, 0)
		}
		s.holds(s.read(apart), kept)
		s.tells(apart, kept.Note, 1)

		s.absent(s.refused(at, commit(w.Version))) // a holder that was forgotten does not commit
		next := claim(core.Version{})
		s.write(at, next)
		s.holds(s.read(at), next)
		if got := s.read(at).Mismatches; got != 0 {
			s.Errorf("Mismatches after forgetting = %d; want 0", got)
		}
		s.forget(at)
		s.holds(s.read(at), next)
	}},
	{"forgetting wakes who waits", "a duplicate of a forgotten run need not wait for the end of its lease", func(s *storeTest) {
		at, w := address(), claim(core.Version{})
		s.write(at, w)
		got := s.waiting(s.Context(), at, w.Version)
		pause()
		s.forget(at, at.Name)
		end := await(s, got)
		s.absent(end.Row)
		if !end.changed || end.err != nil {
			s.Errorf("Wait = %v, %v; want a change", end.changed, end.err)
		}
	}},
	{"of many notes at once none is lost", "all guards write to one trail", func(s *storeTest) {
		at, w := address(), claim(core.Version{})
		s.write(at, w)
		var all sync.WaitGroup
		for n := range 16 {
			all.Go(func() {
				if err := s.Note(s.Context(), at, edge.Note{Entries: entries(n, 1), TTL: ages, Mismatch: true}); err != nil {
					s.Errorf("Note = %v; want no error", err)
				}
			})
		}
		all.Wait()
		trail := s.trail(at)
		if got := s.read(at).Mismatches; trail.Count != 16 || got != 16 {
			s.Errorf("Count = %d and Mismatches = %d; want 16 and 16", trail.Count, got)
		}
		for n := range 16 {
			if bytes.Count(trail.Entries, entries(n, 1)) != 1 {
				s.Errorf("entry %d is not there once", n)
			}
		}
	}},
	{"a trail is the caller's to keep", "the next note does not change what was read", func(s *storeTest) {
		at := address()
		note := entries(1, 2)
		s.note(at, edge.Note{Entries: note, TTL: ages})
		clear(note)
		before := s.trail(at)
		for n := range 3 {
			s.note(at, edge.Note{Entries: entries(10*n, 20), TTL: ages})
		}
		if !bytes.Equal(before.Entries, entries(1, 2)) {
			s.Errorf("entries that were read = %x; want them unchanged", before.Entries)
		}
		if e := before.Event(time.UnixMilli(5)); e.Kind != core.EventTrail || e.Now != 5 || e.Length != 2 || !bytes.Equal(e.Head, entries(1, 2)) {
			s.Errorf("Event = %+v; want the trail", e)
		}
	}},
	{"a context that is over ends these calls too", "an error, not an answer", func(s *storeTest) {
		at := address()
		ctx, cancel := context.WithCancel(s.Context())
		cancel()
		_, trail := s.Trail(ctx, at)
		for _, err := range []error{trail, s.Note(ctx, at, edge.Note{Entries: entries(1, 1), TTL: ages}), s.Forget(ctx, at, nil)} {
			if err == nil {
				s.Error("error = nil; want context.Canceled")
			}
		}
	}},
}

// entries are n entries for a trail that tell one from another, from number first on.
func entries(first, n int) (out []byte) {
	for i := range n {
		out = fmt.Appendf(out, "entry %0*d", core.TrailEntrySize-len("entry "), first+i)
	}
	return out
}

// note is a Note that must not fail.
func (s *storeTest) note(at edge.Address, n edge.Note) {
	s.Helper()
	if err := s.Note(s.Context(), at, n); err != nil {
		s.Fatalf("Note = %v; want no error", err)
	}
}

// forget is a Forget that must not fail.
func (s *storeTest) forget(at edge.Address, names ...string) {
	s.Helper()
	if err := s.Forget(s.Context(), at, names); err != nil {
		s.Fatalf("Forget = %v; want no error", err)
	}
}

// trail is a Trail that must not fail.
func (s *storeTest) trail(at edge.Address) edge.Trail {
	s.Helper()
	trail, err := s.Trail(s.Context(), at)
	if err != nil {
		s.Fatalf("Trail = %v; want no error", err)
	}
	return trail
}

// tells checks what a trail keeps, and how many entries it counts.
func (s *storeTest) tells(at edge.Address, entries []byte, count int) {
	s.Helper()
	if trail := s.trail(at); trail.Count != count || !bytes.Equal(trail.Entries, entries) {
		s.Errorf("trail = %d entries of %d: %q; want %d of %d: %q", len(trail.Entries)/core.TrailEntrySize, trail.Count,
			trail.Entries, len(entries)/core.TrailEntrySize, count, entries)
	}
}
