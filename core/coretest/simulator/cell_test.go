//go:build !js && !wasip1

package simulator

import (
	"bytes"
	"context"
	"sync"
	"testing"
	"time"

	"github.com/singleshot-edge/singleshot/core"
	"github.com/singleshot-edge/singleshot/core/coretest"
	"github.com/singleshot-edge/singleshot/edge"
)

// The simulation's claim store is held against the suite that the real ones pass.
func TestCellIsAStore(t *testing.T) {
	coretest.TestStore(t, func(*testing.T) coretest.StoreUnderTest {
		s := newCellStore()
		return coretest.StoreUnderTest{Store: s, Advance: s.advance}
	})
}

// cellStore lets several goroutines ask the cells of one world.
type cellStore struct {
	mu      sync.Mutex
	changed *sync.Cond
	w       *world
	nobody  *carrier
	forms   map[string]*form
}

var _ edge.Store = (*cellStore)(nil)

func newCellStore() *cellStore {
	w := newWorld()
	w.weather.calm, w.timing, w.now = true, timings[2], epoch
	w.cells = make([]cell, 0, 1000)
	s := &cellStore{w: w, nobody: w.newCarrier(), forms: map[string]*form{}}
	s.changed = sync.NewCond(&s.mu)
	return s
}

func (s *cellStore) advance(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.w.now += d.Milliseconds()
}

// unanswered is no kind of event.
const unanswered = core.EventKind(255)

// call begins a call about a record and its trail.
func (s *cellStore) call(kind callKind, at edge.Address) *call {
	w := s.w
	f := s.forms[at.Trail]
	if f == nil {
		f = w.newForm()
		f.rule, f.trail.cell = &rulings[0], w.cellNamed(at.Shard)
		s.forms[at.Trail] = f
	}
	r := w.records[at.Name]
	if r == nil {
		r = w.newRecord()
		r.name, r.scope, r.cell = at.Name, &scope{form: f, visitor: -1}, w.cellNamed(at.Shard)
		w.records[at.Name] = r
	}
	k := w.newCall(kind, s.nobody)
	k.record, k.form, k.asker = r, f, s.nobody.generation+1 // nobody's waiting is counted
	k.event.Kind = unanswered
	return k
}

// arrive carries out a call; what the invariants think of it is of no interest here.
func (s *cellStore) arrive(k *call) core.Event {
	s.w.violation = nil
	s.w.arrive(k)
	s.w.queue = s.w.queue[:0]
	s.changed.Broadcast()
	return k.event
}

func rowOf(e core.Event, k *call) edge.Row {
	r := edge.Row{Version: e.Version, Lease: time.Duration(e.Lease) * time.Millisecond, Head: bytes.Clone(e.Head), Mismatches: e.Mismatches}
	if e.HasBody {
		r.Body = append([]byte{}, k.body...)
	}
	return r
}

func (s *cellStore) Swap(ctx context.Context, at edge.Address, w edge.Write) (edge.Row, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.call(callSwap, at)
	k.old, k.version, k.lapsed = w.Old, w.Version, w.Lapsed
	k.lease, k.ttl, k.bodyTTL = w.Lease.Milliseconds(), w.TTL.Milliseconds(), w.BodyTTL.Milliseconds()
	k.head, k.body, k.hasBody, k.note = append(k.head, w.Head...), append(k.body, w.Body...), w.Body != nil, append(k.note, w.Note...)
	k.means.kind = actClaim
	e := s.arrive(k)
	if e.Kind == core.EventSwapped {
		return edge.Row{}, true, ctx.Err()
	}
	return rowOf(e, k), false, ctx.Err()
}

func (s *cellStore) Wait(ctx context.Context, at edge.Address, old core.Version, limit time.Duration) (edge.Row, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.call(callWait, at)
	k.old, k.wait = old, limit.Milliseconds()
	s.arrive(k)
	stop := func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if k.event.Kind == unanswered {
			s.w.waitEnds(k)
			s.changed.Broadcast()
		}
	}
	defer time.AfterFunc(limit, stop).Stop()
	defer context.AfterFunc(ctx, stop)()
	for k.event.Kind == unanswered {
		s.changed.Wait()
	}
	switch k.event.Kind {
	case core.EventBusy:
		return edge.Row{}, false, edge.ErrBusy
	case core.EventTimedOut:
		return edge.Row{}, false, ctx.Err()
	}
	return rowOf(k.event, k), true, ctx.Err()
}

func (s *cellStore) Renew(ctx context.Context, at edge.Address, v core.Version, lease time.Duration) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.call(callRenew, at)
	k.version, k.lease = v, lease.Milliseconds()
	found := k.record.seen(k.record.cell.clock(s.w))
	held := found != nil && found.version == v
	s.arrive(k)
	return held, ctx.Err()
}

func (s *cellStore) Note(ctx context.Context, at edge.Address, n edge.Note) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.call(callNote, at)
	k.note, k.ttl, k.mismatch = append(k.note, n.Entries...), n.TTL.Milliseconds(), n.Mismatch
	s.arrive(k)
	f := s.forms[at.Trail]
	f.trail.flush(f.trail.cell.clock(s.w))
	return ctx.Err()
}

func (s *cellStore) Trail(ctx context.Context, at edge.Address) (edge.Trail, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.arrive(s.call(callTrail, at))
	return edge.Trail{Entries: bytes.Clone(e.Head), Count: int(e.Length)}, ctx.Err()
}

func (s *cellStore) Forget(ctx context.Context, at edge.Address, names []string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.call(callForget, at)
	k.names = names
	s.arrive(k)
	return ctx.Err()
}
