package coretest

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/singleshot-edge/singleshot/core"
	"github.com/singleshot-edge/singleshot/edge"
)

// Loss is what happens to a call on its way to a store and back.
type Loss byte

// The two faults of a network, and none.
const (
	LoseNothing Loss = iota
	LoseRequest      // the call fails before the store hears of it
	LoseReply        // the store does it, and the call fails
)

// ErrLost is what a lost call returns. It does not say what was lost, as no network does.
var ErrLost = errors.New("coretest: lost on the way")

// Faulty is a store some of whose messages get lost. It is safe for concurrent use if Lose is.
type Faulty struct {
	edge.Store
	Lose func() Loss // for the next call
}

var _ edge.Store = Faulty{}

// Swap is the store's, unless a message gets lost.
func (f Faulty) Swap(ctx context.Context, at edge.Address, w edge.Write) (edge.Row, bool, error) {
	r, err := lossy(f.Lose(), func() (r reply, err error) {
		r.row, r.yes, err = f.Store.Swap(ctx, at, w)
		return r, err
	})
	return r.row, r.yes, err
}

// Wait is the store's, unless a message gets lost.
func (f Faulty) Wait(ctx context.Context, at edge.Address, old core.Version, limit time.Duration) (edge.Row, bool, error) {
	r, err := lossy(f.Lose(), func() (r reply, err error) {
		r.row, r.yes, err = f.Store.Wait(ctx, at, old, limit)
		return r, err
	})
	return r.row, r.yes, err
}

// Renew is the store's, unless a message gets lost.
func (f Faulty) Renew(ctx context.Context, at edge.Address, v core.Version, lease time.Duration) (bool, error) {
	return lossy(f.Lose(), func() (bool, error) { return f.Store.Renew(ctx, at, v, lease) })
}

// Note is the store's, unless a message gets lost.
func (f Faulty) Note(ctx context.Context, at edge.Address, n edge.Note) error {
	_, err := lossy(f.Lose(), func() (struct{}, error) { return struct{}{}, f.Store.Note(ctx, at, n) })
	return err
}

// Trail is the store's, unless a message gets lost.
func (f Faulty) Trail(ctx context.Context, at edge.Address) (edge.Trail, error) {
	return lossy(f.Lose(), func() (edge.Trail, error) { return f.Store.Trail(ctx, at) })
}

// Forget is the store's, unless a message gets lost.
func (f Faulty) Forget(ctx context.Context, at edge.Address, names []string) error {
	_, err := lossy(f.Lose(), func() (struct{}, error) { return struct{}{}, f.Store.Forget(ctx, at, names) })
	return err
}

// reply is what Swap and Wait say.
type reply struct {
	row edge.Row
	yes bool
}

func lossy[T any](loss Loss, call func() (T, error)) (reply T, err error) {
	if loss == LoseRequest {
		return reply, ErrLost
	}
	said, err := call()
	if loss == LoseReply && err == nil {
		return reply, ErrLost
	}
	return said, err
}

var faultRules = []storeRule{
	{"a write whose request was lost is made by its repeat", "nothing is lost and the key stays live (contract §1)", func(s *storeTest) {
		at, w := address(), claim(core.Version{})
		if !s.insist(at, w, LoseRequest) {
			s.Fatal("repeated claim = somebody else's; want ours")
		}
		s.holds(s.read(at), w)
		next := commit(w.Version)
		if !s.insist(at, next, LoseRequest, LoseRequest) {
			s.Fatal("repeated commit = refused; want it made")
		}
		s.holds(s.read(at), next)
	}},
	{"a write whose acknowledgement was lost recognises itself", "a claim must not wait for its own lease to end", func(s *storeTest) {
		at, w := address(), claim(core.Version{})
		if !s.insist(at, w, LoseReply) {
			s.Fatal("repeated claim = somebody else's; want ours")
		}
		s.holds(s.refused(at, w), w)
		next := commit(w.Version)
		got := s.waiting(s.Context(), at, w.Version)
		next.Note = entries(1, 3)
		if !s.insist(at, next, LoseReply, LoseRequest, LoseReply) {
			s.Fatal("repeated commit = refused; want it made")
		}
		s.tells(at, next.Note, 3) // once
		s.woken(await(s, got), next)
		s.holds(s.refused(at, next), next)
	}},
	{"a repeat does not make a write twice", "what happened after the first attempt stays", func(s *storeTest) {
		at, w := address(), lapsedClaim()
		s.write(at, w)
		next := takeover(w.Version)
		s.write(at, next)
		if s.insist(at, w, LoseReply) {
			s.Fatal("repeated claim = ours; want it taken over (I3)")
		}
		s.holds(s.read(at), next)
		s.write(at, forget(next.Version))
		late := commit(next.Version)
		if s.insist(at, late, LoseRequest) {
			s.Fatal("repeated commit = ours; want it forgotten")
		}
		s.absent(s.read(at))
	}},
	{"of many claims whose messages get lost one wins", "a bad network and a double click at once (I1)", func(s *storeTest) {
		for range s.rounds(9) {
			at := address()
			const n = 6
			writes := make([]edge.Write, n)
			won := make([]bool, n)
			var all sync.WaitGroup
			for i := range n {
				writes[i] = claim(core.Version{})
				all.Go(func() { won[i] = s.insist(at, writes[i], Loss(rand.IntN(3)), Loss(rand.IntN(3))) })
			}
			all.Wait()
			winners := 0
			for i := range n {
				if won[i] {
					winners++
					s.holds(s.read(at), writes[i])
				}
			}
			if winners != 1 {
				s.Fatalf("%d claims won; want 1", winners)
			}
		}
	}},
	{"a renewal that was lost can be repeated", "a holder renews every third of its lease and may miss one", func(s *storeTest) {
		at, w := address(), lapsedClaim()
		s.write(at, w)
		for _, loss := range []Loss{LoseRequest, LoseReply, LoseNothing} {
			f := Faulty{s.Store, func() Loss { return loss }}
			held, err := f.Renew(s.Context(), at, w.Version, ages)
			if loss == LoseNothing && (!held || err != nil) || loss != LoseNothing && !errors.Is(err, ErrLost) {
				s.Errorf("Renew = %v, %v; want it held, or ErrLost", held, err)
			}
		}
		s.holds(s.refused(at, takeover(w.Version)), w)
	}},
	{"a restart keeps what was reported and forgets who waits", "a waiter gets an error, not a wrong answer, and swaps again", func(s *storeTest) {
		if s.Restart == nil {
			s.Skip("this store promises nothing beyond its end")
		}
		running, done := address(), address()
		w := claim(core.Version{})
		s.write(running, w)
		answer := commit(s.write(done, claim(core.Version{})))
		answer.Body, answer.Note = noise(300<<10), entries(1, 2)
		s.write(done, answer)
		got := s.waiting(s.Context(), running, w.Version)
		pause()
		s.Restart()
		found := s.refused(running, takeover(w.Version))
		s.holds(found, w)
		if found.Lease <= ages-time.Hour || found.Lease > ages {
			s.Errorf("lease left = %v; want a little less than %v", found.Lease, ages)
		}
		s.holds(s.refused(done, claim(core.Version{})), answer)
		s.tells(done, answer.Note, 2)
		next := commit(w.Version)
		s.write(running, next)
		if got := await(s, got); got.err == nil {
			s.woken(got, next)
		}
		s.holds(s.read(running), next)
	}},
}

// insist makes a write as core's exchange does: after an error again, with the same version, and a refusal by
// that version is the success of an earlier attempt. The losses hit its first attempts.
func (s *storeTest) insist(at edge.Address, w edge.Write, losses ...Loss) bool {
	s.Helper()
	f := Faulty{s.Store, func() (loss Loss) {
		if len(losses) > 0 {
			loss, losses = losses[0], losses[1:]
		}
		return loss
	}}
	for range 10 {
		found, swapped, err := f.Swap(s.Context(), at, w)
		if err == nil {
			return swapped || found.Version == w.Version
		}
		if !errors.Is(err, ErrLost) {
			s.Errorf("Swap = %v; want no error", err)
			return false
		}
	}
	s.Error("Swap = lost every time; want an end")
	return false
}
