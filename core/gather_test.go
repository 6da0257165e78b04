package core

import (
	"bytes"
	"testing"
)

func TestGathering(t *testing.T) {
	entry := func(b byte) []byte { return bytes.Repeat([]byte{b}, TrailEntrySize) }
	note := func(trail string, b byte) Note { return Note{Trail: trail, Entries: entry(b), TTL: 10} }
	add := func(g *Gathering, shard string, n Note, at int64, send, now bool, why string) {
		t.Helper()
		if s, u := g.Add(shard, n, at); s != send || u != now {
			t.Errorf("Add = %v, %v; want %v, %v: %s", s, u, send, now, why)
		}
	}
	take := func(g *Gathering, shard string, again bool, want []Note, why string) {
		t.Helper()
		notes, a := g.Take(shard)
		if len(notes) != len(want) || a != again {
			t.Fatalf("Take = %d notes, %v; want %d, %v: %s", len(notes), a, len(want), again, why)
		}
		for i, n := range notes {
			if w := want[i]; n.Trail != w.Trail || !bytes.Equal(n.Entries, w.Entries) || n.TTL != w.TTL || n.Tally != w.Tally {
				t.Errorf("note %d = %q, %d bytes, ttl %d, tally %d; want %q, %d, %d, %d: %s",
					i, n.Trail, len(n.Entries), n.TTL, n.Tally, w.Trail, len(w.Entries), w.TTL, w.Tally, why)
			}
		}
	}

	var g Gathering
	add(&g, "a", note("k", 1), 5000, true, false, "the first one sends what comes within a second")
	add(&g, "a", Note{Trail: "k", Entries: entry(2), TTL: 30}, 5400, false, false, "and takes this along")
	add(&g, "b", note("k", 3), 5400, true, false, "another store is another call")
	add(&g, "a", note("l", 4), 5999, false, false, "another key of the same store is the same call")
	take(&g, "a", false, []Note{{"k", append(entry(1), entry(2)...), 30, 0}, {"l", entry(4), 10, 0}}, "one note for each trail, kept for the longest time")
	take(&g, "a", false, nil, "nothing goes twice")
	take(&g, "c", false, nil, "nothing was ever there")

	mismatch := note("k", 6)
	mismatch.Tally = 1
	add(&g, "a", note("k", 5), 7000, true, false, "gathering begins anew")
	add(&g, "a", mismatch, 7100, true, true, "the store counts mismatches")
	add(&g, "a", mismatch, 7100, true, true, "each of them")
	take(&g, "a", false, []Note{{"k", append(append(entry(5), entry(6)...), entry(6)...), 10, 2}}, "what was gathered goes with it")

	add(&g, "a", note("k", 7), 9000, true, false, "this one dies")
	add(&g, "a", note("k", 8), 10_999, false, false, "it may still come")
	add(&g, "a", note("k", 9), 11_000, true, false, "it does not come any more")
	notes, _ := g.Take("a")
	g.Return("a", notes)
	add(&g, "a", note("l", 1), 12_000, true, false, "what could not be sent goes with the next")
	take(&g, "a", true, []Note{{"k", append(append(entry(7), entry(8)...), entry(9)...), 10, 0}, {"l", entry(1), 10, 0}}, "once: the caller is told")

	for i := range mostGathered/TrailEntrySize + 1 {
		last := (i+1)*TrailEntrySize >= mostGathered
		add(&g, "a", note("k", 1), 20_000, i == 0 || last, last, "a flood does not wait in memory")
	}
}
