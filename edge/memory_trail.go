package edge

import (
	"container/heap"
	"context"
	"time"

	"github.com/singleshot-edge/singleshot/core"
)

// Of a trail there are the entries up to these two lengths: the first ones stay, the others go in a ring.
const (
	trailFirst = TrailFirst * core.TrailEntrySize
	trailMost  = (TrailFirst + TrailLast) * core.TrailEntrySize
)

type memoryTrail struct {
	name       string
	entries    []byte
	oldest     int // where the ring begins
	count      int
	mismatches int
	expires    time.Time
	place      int // in the heap
}

// Note is Store's.
func (m *MemoryStore) Note(ctx context.Context, at Address, n Note) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	m.sweep(now)
	m.note(at.Trail, n, now)
	return nil
}

// Trail is Store's.
func (m *MemoryStore) Trail(ctx context.Context, at Address) (Trail, error) {
	if err := ctx.Err(); err != nil {
		return Trail{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.trails[at.Trail]
	if t == nil || !t.expires.After(m.now()) {
		return Trail{}, nil
	}
	entries := append(make([]byte, 0, len(t.entries)), t.entries[:min(len(t.entries), trailFirst)]...)
	if len(t.entries) > trailFirst {
		entries = append(append(entries, t.entries[t.oldest:]...), t.entries[trailFirst:t.oldest]...)
	}
	return Trail{Entries: entries, Count: t.count}, nil
}

// Forget is Store's.
func (m *MemoryStore) Forget(ctx context.Context, at Address, names []string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sweep(m.now())
	for _, name := range names {
		m.remove(name)
	}
	if t := m.trails[at.Trail]; t != nil {
		heap.Remove(&m.due, t.place)
		delete(m.trails, at.Trail)
	}
	return nil
}

// note adds to a trail.
func (m *MemoryStore) note(name string, n Note, now time.Time) {
	t := m.trails[name]
	if len(n.Entries) == 0 && !n.Mismatch || t == nil && n.TTL <= 0 {
		return
	}
	if t == nil {
		t = &memoryTrail{name: name, oldest: trailFirst, expires: now.Add(n.TTL)}
		if m.trails == nil {
			m.trails = map[string]*memoryTrail{}
		}
		m.trails[name] = t
		heap.Push(&m.due, t)
	}
	if expires := now.Add(n.TTL); expires.After(t.expires) {
		t.expires = expires
		heap.Fix(&m.due, t.place)
	}
	t.add(n.Entries)
	if n.Mismatch {
		t.mismatches++
	}
}

// add puts entries to the others, over the oldest of those that do not stay.
func (t *memoryTrail) add(entries []byte) {
	t.count += len(entries) / core.TrailEntrySize
	room := min(len(entries), trailMost-len(t.entries))
	t.entries = append(t.entries, entries[:room]...)
	for entries = entries[room:]; len(entries) > 0; entries = entries[core.TrailEntrySize:] {
		copy(t.entries[t.oldest:], entries[:core.TrailEntrySize])
		if t.oldest += core.TrailEntrySize; t.oldest == trailMost {
			t.oldest = trailFirst
		}
	}
}
