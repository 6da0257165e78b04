package sqlstore

import (
	"context"
	"sync"
	"time"

	"github.com/singleshot-edge/singleshot/core"
	"github.com/singleshot-edge/singleshot/edge"
)

// How often a record is looked at while somebody waits for it: often at first, because most runs are short. A
// write by this process needs no look.
const (
	pollFirst = 10 * time.Millisecond
	pollLast  = 500 * time.Millisecond
)

// Wait is edge.Store's. The limit of edge.MostWaiters is kept in each process.
func (s *Store) Wait(ctx context.Context, at edge.Address, old core.Version, limit time.Duration) (edge.Row, bool, error) {
	if limit <= 0 {
		found, err := s.read(ctx, at)
		return found, err == nil && found.Version != old, failed(ctx, "wait", err)
	}
	end := time.Now().Add(limit)
	place, leave := s.waiting.enter(at.Name)
	if place == nil {
		return edge.Row{}, false, edge.ErrBusy
	}
	defer leave()
	looks := false // it is this one that looks, for all who wait here
	defer func() {
		if looks {
			<-place.looks
		}
	}()
	for pause := pollFirst; ; pause = min(pause*3/2, pollLast) {
		changed := s.waiting.next(place)
		found, err := s.read(ctx, at)
		if err != nil {
			return edge.Row{}, false, failed(ctx, "wait", err)
		}
		if found.Version != old {
			s.waiting.wake(at.Name) // the others look for themselves
			return found, true, nil
		}
		left := time.Until(end)
		if left <= 0 {
			return edge.Row{}, false, nil
		}
		if !looks {
			pause = pollFirst
		}
		looks, err = place.rest(ctx, changed, looks, left, min(pause, left))
		if err != nil {
			return edge.Row{}, false, failed(ctx, "wait", err)
		}
	}
}

// waiting are those who wait in this process, by the name of the record.
type waiting struct {
	mu     sync.Mutex
	places map[string]*place
}

// place is where all who wait for one record in this process meet.
type place struct {
	n       int
	changed chan struct{} // closed by the next write
	looks   chan struct{} // holds one value while one of them looks at the database
}

// enter takes part; nil: too many do.
func (w *waiting) enter(name string) (p *place, leave func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	p = w.places[name]
	if p == nil {
		p = &place{changed: make(chan struct{}), looks: make(chan struct{}, 1)}
		if w.places == nil {
			w.places = map[string]*place{}
		}
		w.places[name] = p
	}
	if p.n >= edge.MostWaiters {
		return nil, nil
	}
	p.n++
	return p, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if p.n--; p.n == 0 {
			delete(w.places, name)
		}
	}
}

// next is closed with the next write by this process.
func (w *waiting) next(p *place) <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	return p.changed
}

// wake lets those who wait look.
func (w *waiting) wake(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if p := w.places[name]; p != nil {
		close(p.changed)
		p.changed = make(chan struct{})
	}
}

// rest returns when it is time to look again: after a write, at the end of the time that is left or, for the one
// who looks for all, after a pause. It says whether this is the one from now on.
func (p *place) rest(ctx context.Context, changed <-chan struct{}, looks bool, left, pause time.Duration) (bool, error) {
	var turn chan<- struct{}
	if !looks {
		turn, pause = p.looks, left
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-changed:
	case <-timer.C:
	case turn <- struct{}{}:
		return true, nil
	case <-ctx.Done():
		return looks, ctx.Err()
	}
	return looks, nil
}
