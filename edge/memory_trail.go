package edge

import (
	"bytes"
	"container/heap"
	"context"
	"time"

	"github.com/singleshot-edge/singleshot/core"
)

type memoryTrail struct {
	name       string
	entries    []byte
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
	return Trail{Entries: t.entries, Count: t.count}, nil
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
		t = &memoryTrail{name: name, expires: now.Add(n.TTL)}
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
	const first, most = TrailFirst * core.TrailEntrySize, (TrailFirst + TrailLast) * core.TrailEntrySize
	all := bytes.Join([][]byte{t.entries, n.Entries}, nil) // a new one: the old one may have been handed out
	if rest := len(all) - most; rest > 0 {
		all = append(all[:first:first], all[first+rest:]...)
	}
	t.entries = all
	t.count += len(n.Entries) / core.TrailEntrySize
	if n.Mismatch {
		t.mismatches++
	}
}
