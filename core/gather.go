package core

const (
	// GatherTime is for how long notes are gathered before they go to their claim store, in milliseconds.
	GatherTime = 1000

	// mostGathered is how many bytes of entries wait for one claim store.
	mostGathered = 8 << 10
)

// Note is what is to be added to the trail of a key.
type Note struct {
	Trail   string
	Entries []byte // of TrailEntrySize bytes each
	TTL     int64  // milliseconds for which they are kept
	Tally   int    // how many of them are mismatches, which the claim store counts
}

// Gathering holds what happened beside answers until it goes to the claim stores, so that a burst of duplicates is
// one call of theirs. A mismatch goes at once, because the store counts it; so does what has become much. What a guard that dies has gathered is
// missing in the trail, and nowhere else. Its zero value is ready; it is not safe for concurrent use.
type Gathering struct {
	stores []*gathered // those that are to be told something: few, whatever there are
}

// gathered is what one claim store is to be told.
type gathered struct {
	shard string
	notes []Note
	size  int   // bytes of their entries
	due   int64 // when somebody takes them; if they are still here a GatherTime later, nobody comes any more
	again bool  // some of them could not be sent once
}

// Add puts an entry down for the claim store of that name. With send, the caller has to Take and send what there is
// for that store: after GatherTime, or with now at once.
func (g *Gathering) Add(shard string, n Note, at int64) (send, now bool) {
	of := g.of(shard)
	of.add(n)
	now = n.Tally > 0 || of.size >= mostGathered
	if !now && at < of.due+GatherTime {
		return false, false
	}
	of.due = at + GatherTime
	return true, now
}

// Take returns what there is for a claim store, a Note for each trail, and forgets it. again says that some of it
// could not be sent before.
func (g *Gathering) Take(shard string) (notes []Note, again bool) {
	for i, of := range g.stores {
		if of.shard == shard {
			last := len(g.stores) - 1
			g.stores[i], g.stores[last] = g.stores[last], nil
			g.stores = g.stores[:last]
			return of.notes, of.again
		}
	}
	return nil, false
}

// Return takes back what could not be sent: it goes with what comes next for that store, once.
func (g *Gathering) Return(shard string, notes []Note) {
	of := g.of(shard)
	of.again = true
	for _, n := range notes {
		of.add(n)
	}
}

func (g *Gathering) of(shard string) *gathered {
	for _, of := range g.stores {
		if of.shard == shard {
			return of
		}
	}
	of := &gathered{shard: shard}
	g.stores = append(g.stores, of)
	return of
}

// add joins a note to what is there for its trail.
func (g *gathered) add(n Note) {
	g.size += len(n.Entries)
	for i := range g.notes {
		if have := &g.notes[i]; have.Trail == n.Trail {
			have.Entries = append(have.Entries, n.Entries...)
			have.TTL = max(have.TTL, n.TTL)
			have.Tally += n.Tally
			return
		}
	}
	n.Entries = append([]byte(nil), n.Entries...)
	g.notes = append(g.notes, n)
}
