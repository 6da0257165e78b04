package coretest

import (
	"context"
	"errors"
	"time"

	"github.com/singleshot-edge/singleshot/core"
	"github.com/singleshot-edge/singleshot/edge"
)

var waitRules = []storeRule{
	{"a wait for no time is a read", "a wait link looks without a wish to change anything", func(s *storeTest) {
		at, w := address(), commit(core.Version{})
		s.absent(s.read(at))
		s.write(at, w)
		s.holds(s.read(at), w)
		if found, changed, err := s.Wait(s.Context(), at, w.Version, -time.Second); changed || err != nil {
			s.Errorf("Wait = %s, %v, %v; want no change", told(found), changed, err)
		}
	}},
	{"a wait returns at once where the version differs already", "the news came between the swap and the wait", func(s *storeTest) {
		at, w := address(), claim(core.Version{})
		s.write(at, w)
		for _, old := range []core.Version{{}, version()} {
			got := await(s, s.waiting(s.Context(), at, old))
			s.woken(got, w)
			if got.Lease <= 0 {
				s.Errorf("lease left = %v; want a live one", got.Lease)
			}
		}
		s.absent(await(s, s.waiting(s.Context(), address(), version())).Row)
	}},
	{"a wait ends with its limit", "nothing waits beyond its budget (I8)", func(s *storeTest) {
		at, w := address(), claim(core.Version{})
		s.write(at, w)
		began := time.Now()
		found, changed, err := s.Wait(s.Context(), at, w.Version, soon)
		took := time.Since(began)
		if changed || err != nil || took < soon-time.Millisecond || took > hang {
			s.Errorf("Wait = %s, %v, %v after %v; want no change after %v", told(found), changed, err, took, soon)
		}
	}},
	{"a write wakes who waits, with the new row", "a duplicate gets what the first gets, in the same moment", func(s *storeTest) {
		at, w := address(), claim(core.Version{})
		first := s.waiting(s.Context(), at, core.Version{})
		pause()
		s.write(at, w)
		s.woken(await(s, first), w)

		second, next := s.waiting(s.Context(), at, w.Version), commit(w.Version)
		pause()
		s.write(at, next)
		s.woken(await(s, second), next)

		third := s.waiting(s.Context(), at, next.Version)
		pause()
		s.write(at, forget(next.Version))
		got := await(s, third)
		s.absent(got.Row)
		if !got.changed || got.err != nil {
			s.Errorf("Wait = %v, %v; want a change", got.changed, got.err)
		}
	}},
	{"a write that comes with the wait is not missed", "a wakeup that is lost makes a visitor wait for nothing", func(s *storeTest) {
		for range s.rounds(30) {
			at, w := address(), claim(core.Version{})
			got := s.waiting(s.Context(), at, core.Version{})
			s.write(at, w)
			s.woken(await(s, got), w)
		}
	}},
	{"who follows a record sees its last version", "of many changes some may be missed, but not the end", func(s *storeTest) {
		at := address()
		versions := make([]core.Version, 20)
		for i := range versions {
			versions[i] = version()
		}
		last := versions[len(versions)-1]
		ctx, cancel := context.WithTimeout(s.Context(), hang)
		defer cancel()
		followed := make(chan error, 1)
		go func() {
			var old core.Version
			for old != last {
				found, changed, err := s.Wait(ctx, at, old, hang)
				if err != nil || !changed {
					followed <- errors.Join(err, errors.New("the follower saw no change"))
					return
				}
				old = found.Version
			}
			followed <- nil
		}()
		var old core.Version
		for _, v := range versions {
			w := claim(old)
			w.Version = v
			old = s.write(at, w)
		}
		if err := await(s, followed); err != nil {
			s.Error(err)
		}
	}},
	{"only a write to the same name wakes", "the end of a wait means something", func(s *storeTest) {
		at, w := address(), claim(core.Version{})
		s.write(at, w)
		got := make(chan waited, 1)
		go func() {
			row, changed, err := s.Wait(s.Context(), at, w.Version, 3*soon)
			got <- waited{row, changed, err}
		}()
		pause()
		s.renew(at, w.Version, ages)
		s.refused(at, claim(core.Version{}))
		s.refused(at, takeover(w.Version))
		s.write(address(), claim(core.Version{}))
		if got := await(s, got); got.changed || got.err != nil {
			s.Errorf("Wait = %s, %v, %v; want no change", told(got.Row), got.changed, got.err)
		}
	}},
	{"one too many waiters is told so, and the others are woken", "64 waiters at once, then 503 (contract §8)", func(s *storeTest) {
		at, w := address(), claim(core.Version{})
		s.write(at, w)
		got := make(chan waited, edge.MostWaiters+1)
		for range edge.MostWaiters + 1 {
			go func() {
				row, changed, err := s.Wait(s.Context(), at, w.Version, hang)
				got <- waited{row, changed, err}
			}()
		}
		if got := await(s, got); !errors.Is(got.err, edge.ErrBusy) {
			s.Fatalf("Wait number %d = %v; want ErrBusy", edge.MostWaiters+1, got.err)
		}
		// The limit is for those who wait, of this record, at the same time.
		s.holds(s.read(at), w)
		other := claim(core.Version{})
		elsewhere := address()
		also := s.waiting(s.Context(), elsewhere, core.Version{})
		s.write(elsewhere, other)
		s.woken(await(s, also), other)

		next := commit(w.Version)
		s.write(at, next)
		for range edge.MostWaiters {
			s.woken(await(s, got), next)
		}
		if got, changed, err := s.Wait(s.Context(), at, next.Version, soon); changed || err != nil {
			s.Errorf("Wait after all were woken = %s, %v, %v; want a place, and no change", told(got), changed, err)
		}
	}},
	{"those whose time is over leave their places", "64 waiters at once, not in all", func(s *storeTest) {
		at, w := address(), claim(core.Version{})
		s.write(at, w)
		got := make(chan error, edge.MostWaiters)
		for range edge.MostWaiters {
			go func() {
				_, _, err := s.Wait(s.Context(), at, w.Version, soon)
				got <- err
			}()
		}
		for range edge.MostWaiters {
			if err := await(s, got); err != nil {
				s.Fatalf("Wait = %v; want no change", err)
			}
		}
		if found, changed, err := s.Wait(s.Context(), at, w.Version, time.Millisecond); changed || err != nil {
			s.Errorf("Wait = %s, %v, %v; want a place, and no change", told(found), changed, err)
		}
	}},
	{"a wait ends with its context", "a server that shuts down does not hang on those who wait", func(s *storeTest) {
		at, w := address(), claim(core.Version{})
		s.write(at, w)
		ctx, cancel := context.WithCancel(s.Context())
		got := s.waiting(ctx, at, w.Version)
		pause()
		cancel()
		if got := await(s, got); !errors.Is(got.err, context.Canceled) {
			s.Errorf("Wait = %v; want context.Canceled", got.err)
		}
		s.write(at, commit(w.Version)) // whoever left does not stand in the way
	}},
	{"a context that is over ends a call before it begins", "an error, not an answer", func(s *storeTest) {
		at := address()
		ctx, cancel := context.WithCancel(s.Context())
		cancel()
		_, _, swap := s.Swap(ctx, at, claim(core.Version{}))
		_, _, wait := s.Wait(ctx, at, version(), hang)
		_, renew := s.Renew(ctx, at, version(), ages)
		for _, err := range []error{swap, wait, renew} {
			if !errors.Is(err, context.Canceled) {
				s.Errorf("error = %v; want context.Canceled", err)
			}
		}
	}},
}

// woken checks that a wait ended with what was written.
func (s *storeTest) woken(got waited, w edge.Write) {
	s.Helper()
	if !got.changed || got.err != nil {
		s.Fatalf("Wait = %v, %v; want a change", got.changed, got.err)
	}
	s.holds(got.Row, w)
}
