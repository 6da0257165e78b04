package edge

import (
	"container/heap"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/singleshot-edge/singleshot/core"
)

// MemoryStore is a Store inside this process, for one server and for tests: it is as atomic as any, but its
// records end with the process, and another process has others. The zero value is ready for use; it must not
// be copied afterwards.
//
// It starts no goroutine. What is over is swept by the calls that write, so its memory is that of the records
// that are there, and of those that ended since the last write.
type MemoryStore struct {
	// Now is the clock of all leases and retention times; nil means time.Now. It is set before the first call
	// and must be safe for concurrent use. The limit of Wait is real time whatever the clock says.
	Now func() time.Time

	mu      sync.Mutex
	records map[string]*memoryRecord
	trails  map[string]*memoryTrail
	answers map[string]*memoryAnswer
	due     dueHeap
	waiting map[string]*memoryWaiters
}

var _ Store = (*MemoryStore)(nil)

var errNoVersion = errors.New("edge: a write without a version")

type memoryRecord struct {
	name                  string
	row                   Row // but for Lease
	lease, expires, fades time.Time
	place                 int // in the heap
}

// ends is when the record is absent.
func (r *memoryRecord) ends() time.Time {
	if r.lease.After(r.expires) {
		return r.lease
	}
	return r.expires
}

// memoryWaiters are those who wait for one name; changed is closed with the next write.
type memoryWaiters struct {
	changed chan struct{}
	n       int
}

// Swap is Store's.
func (m *MemoryStore) Swap(ctx context.Context, at Address, w Write) (Row, bool, error) {
	if err := ctx.Err(); err != nil {
		return Row{}, false, err
	}
	if w.Version == (core.Version{}) {
		return Row{}, false, errNoVersion
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	m.sweep(now)
	found := m.seen(at, now)
	if found.Version != w.Old || w.Lapsed && found.Lease > 0 {
		return found, false, nil
	}
	m.put(at.Name, w, now)
	m.note(at.Trail, Note{Entries: w.Note, TTL: w.TTL}, now)
	return Row{}, true, nil
}

// Wait is Store's.
func (m *MemoryStore) Wait(ctx context.Context, at Address, old core.Version, limit time.Duration) (Row, bool, error) {
	if err := ctx.Err(); err != nil {
		return Row{}, false, err
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	m.mu.Lock()
	defer m.mu.Unlock()
	for {
		if found := m.seen(at, m.now()); found.Version != old {
			return found, true, nil
		}
		if limit <= 0 {
			return Row{}, false, nil
		}
		waiting := m.waiting[at.Name]
		if waiting == nil {
			waiting = &memoryWaiters{changed: make(chan struct{})}
			if m.waiting == nil {
				m.waiting = map[string]*memoryWaiters{}
			}
			m.waiting[at.Name] = waiting
		}
		if waiting.n >= MostWaiters {
			return Row{}, false, ErrBusy
		}
		waiting.n++
		m.mu.Unlock()
		var err error
		select {
		case <-waiting.changed:
		case <-timer.C:
			limit = 0
		case <-ctx.Done():
			err = ctx.Err()
		}
		m.mu.Lock()
		waiting.n--
		if waiting.n == 0 && m.waiting[at.Name] == waiting {
			delete(m.waiting, at.Name)
		}
		if err != nil {
			return Row{}, false, err
		}
	}
}

// Renew is Store's.
func (m *MemoryStore) Renew(ctx context.Context, at Address, version core.Version, lease time.Duration) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	m.sweep(now)
	r := m.records[at.Name]
	if r == nil || r.row.Version != version {
		return false, nil
	}
	r.lease = now.Add(lease)
	heap.Fix(&m.due, r.place)
	return true, nil
}

func (m *MemoryStore) now() time.Time {
	if m.Now != nil {
		return m.Now()
	}
	return time.Now()
}

// seen is what is stored for a name.
func (m *MemoryStore) seen(at Address, now time.Time) Row {
	r := m.records[at.Name]
	if r == nil || !r.ends().After(now) {
		return Row{}
	}
	row := r.row
	row.Lease = r.lease.Sub(now)
	if !r.fades.After(now) {
		row.Body = nil
	}
	if t := m.trails[at.Trail]; t != nil && t.expires.After(now) {
		row.Mismatches = t.mismatches
	}
	return row
}

// put stores a write in place of whatever is there, and wakes who waits.
func (m *MemoryStore) put(name string, w Write, now time.Time) {
	lease, expires := now.Add(w.Lease), now.Add(w.TTL)
	if !lease.After(now) && !expires.After(now) {
		m.remove(name)
		return
	}
	m.wake(name)
	r := m.records[name]
	there := r != nil
	if !there {
		if m.records == nil {
			m.records = map[string]*memoryRecord{}
		}
		r = &memoryRecord{name: name}
		m.records[name] = r
	}
	r.row = Row{Version: w.Version, Head: slices.Clone(w.Head), Body: slices.Clone(w.Body)}
	r.lease, r.expires, r.fades = lease, expires, now.Add(w.BodyTTL)
	if there {
		heap.Fix(&m.due, r.place)
	} else {
		heap.Push(&m.due, r)
	}
}

// remove takes away what is stored for a name, and wakes who waits.
func (m *MemoryStore) remove(name string) {
	if r := m.records[name]; r != nil {
		heap.Remove(&m.due, r.place)
		delete(m.records, name)
	}
	m.wake(name)
}

// wake wakes who waits for a name.
func (m *MemoryStore) wake(name string) {
	if waiting := m.waiting[name]; waiting != nil {
		close(waiting.changed)
		delete(m.waiting, name)
	}
}
