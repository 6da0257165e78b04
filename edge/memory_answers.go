package edge

import (
	"container/heap"
	"context"
	"slices"
	"time"
)

var _ Answers = (*MemoryStore)(nil)

type memoryAnswer struct {
	name    string
	value   []byte
	expires time.Time
	place   int // in the heap
}

// Keep is Answers'.
func (m *MemoryStore) Keep(ctx context.Context, name string, value []byte, ttl time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	m.sweep(now)
	m.drop(name)
	a := &memoryAnswer{name: name, value: slices.Clone(value), expires: now.Add(ttl)}
	if m.answers == nil {
		m.answers = map[string]*memoryAnswer{}
	}
	m.answers[name] = a
	heap.Push(&m.due, a)
	return nil
}

// Fetch is Answers'. The value must not be changed.
func (m *MemoryStore) Fetch(ctx context.Context, name string) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	a := m.answers[name]
	if a == nil || !a.expires.After(m.now()) {
		return nil, nil
	}
	return a.value, nil
}

// Drop is Answers'.
func (m *MemoryStore) Drop(ctx context.Context, name string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.drop(name)
	return nil
}

func (m *MemoryStore) drop(name string) {
	if a := m.answers[name]; a != nil {
		heap.Remove(&m.due, a.place)
		delete(m.answers, name)
	}
}

func (a *memoryAnswer) due() time.Time { return a.expires }

func (a *memoryAnswer) sweep(m *MemoryStore, _ time.Time) { m.drop(a.name) }

func (a *memoryAnswer) moved(place int) { a.place = place }
