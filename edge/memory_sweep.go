package edge

import (
	"container/heap"
	"time"
)

// sweep lets go of what is over.
func (m *MemoryStore) sweep(now time.Time) {
	for len(m.due) > 0 && !m.due[0].due().After(now) {
		m.due[0].sweep(m, now)
	}
}

// dueItem is a record or a trail.
type dueItem interface {
	due() time.Time                      // when there is something to do for it
	sweep(m *MemoryStore, now time.Time) // does it, for the one on top of the heap
	moved(place int)                     // says where it is in the heap now
}

func (r *memoryRecord) due() time.Time {
	if ends := r.ends(); r.row.Body == nil || ends.Before(r.fades) {
		return ends
	}
	return r.fades
}

func (r *memoryRecord) sweep(m *MemoryStore, now time.Time) {
	if r.ends().After(now) {
		r.row.Body = nil
		heap.Fix(&m.due, r.place)
		return
	}
	heap.Remove(&m.due, r.place)
	delete(m.records, r.name)
}

func (r *memoryRecord) moved(place int) { r.place = place }

func (t *memoryTrail) due() time.Time { return t.expires }

func (t *memoryTrail) sweep(m *MemoryStore, _ time.Time) {
	heap.Remove(&m.due, t.place)
	delete(m.trails, t.name)
}

func (t *memoryTrail) moved(place int) { t.place = place }

// dueHeap is a heap of all that is kept, what is due first on top.
type dueHeap []dueItem

func (h dueHeap) Len() int           { return len(h) }
func (h dueHeap) Less(i, j int) bool { return h[i].due().Before(h[j].due()) }
func (h dueHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].moved(i)
	h[j].moved(j)
}

func (h *dueHeap) Push(x any) {
	item := x.(dueItem)
	item.moved(len(*h))
	*h = append(*h, item)
}

func (h *dueHeap) Pop() any {
	last := len(*h) - 1
	item := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	return item
}
