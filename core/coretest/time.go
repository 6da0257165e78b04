package coretest

import (
	"time"

	"github.com/singleshot-edge/singleshot/core"
)

var timeRules = []storeRule{
	{"a live lease is told and refuses a takeover", "a duplicate waits while the first runs", func(s *storeTest) {
		at, w := address(), claim(core.Version{})
		s.write(at, w)
		found := s.refused(at, takeover(w.Version))
		s.holds(found, w)
		if found.Lease <= ages-time.Hour || found.Lease > ages {
			s.Errorf("lease left = %v; want a little less than %v", found.Lease, ages)
		}
		if got := s.read(at).Lease; got <= ages-time.Hour || got > ages {
			s.Errorf("lease left by Wait = %v; want a little less than %v", got, ages)
		}
	}},
	{"a lease ends by itself", "a guard that died does not hold a form for ever", func(s *storeTest) {
		at, w := address(), claim(core.Version{})
		w.Lease = soon
		s.write(at, w)
		if s.Advance != nil {
			s.pass(soon - time.Millisecond)
			if found := s.refused(at, takeover(w.Version)); found.Lease != time.Millisecond {
				s.Errorf("lease left = %v; want 1ms", found.Lease)
			}
			s.pass(time.Millisecond)
		} else {
			s.pass(soon)
		}
		if found := s.refused(at, claim(core.Version{})); found.Lease > 0 {
			s.Errorf("lease left after its end = %v; want none", found.Lease)
		}
		next := takeover(w.Version)
		s.write(at, next)
		s.holds(s.refused(at, commit(w.Version)), next) // I3
	}},
	{"a settled record has no lease", "whoever finds it need not wait", func(s *storeTest) {
		at := address()
		s.write(at, commit(core.Version{}))
		if found := s.read(at); found.Lease > 0 {
			s.Errorf("lease left = %v; want none", found.Lease)
		}
	}},
	{"without Lapsed a swap does not ask for the lease", "the holder commits while its lease is alive", func(s *storeTest) {
		at := address()
		s.write(at, commit(s.write(at, claim(core.Version{}))))
	}},
	{"the end of a lease is no permission without the version", "who wants to take over has to know from whom", func(s *storeTest) {
		at, w := address(), lapsedClaim()
		s.write(at, w)
		s.holds(s.refused(at, takeover(version())), w)
		s.holds(s.refused(at, takeover(core.Version{})), w)
	}},
	{"a takeover of nothing is a claim", "an absent record has no lease", func(s *storeTest) {
		at, w := address(), takeover(core.Version{})
		s.write(at, w)
		s.holds(s.read(at), w)
	}},
	{"the holder renews", "a slow origin keeps its claim", func(s *storeTest) {
		at, w := address(), lapsedClaim()
		s.write(at, w)
		if !s.renew(at, w.Version, ages) {
			s.Fatal("Renew(holder) = false; want true")
		}
		found := s.refused(at, takeover(w.Version))
		s.holds(found, w)
		if found.Lease <= ages-time.Hour || found.Lease > ages {
			s.Errorf("lease left = %v; want a little less than %v", found.Lease, ages)
		}
	}},
	{"a renewal counts from now", "a holder that stops renewing loses the claim after one lease", func(s *storeTest) {
		at, w := address(), claim(core.Version{})
		s.write(at, w)
		if !s.renew(at, w.Version, soon) {
			s.Fatal("Renew(holder) = false; want true")
		}
		s.pass(soon)
		s.write(at, takeover(w.Version))
	}},
	{"only the holder renews", "a claim that was taken over, settled or forgotten has another owner or none", func(s *storeTest) {
		at := address()
		if s.renew(at, version(), ages) {
			s.Error("Renew(of nothing) = true; want false")
		}
		first := s.write(at, lapsedClaim())
		if s.renew(at, version(), ages) || s.renew(at, core.Version{}, ages) {
			s.Error("Renew(another version) = true; want false")
		}
		second := s.write(at, takeover(first))
		if s.renew(at, first, ages) {
			s.Error("Renew(after a takeover) = true; want false")
		}
		third := s.write(at, commit(second))
		if s.renew(at, second, ages) {
			s.Error("Renew(after the commit) = true; want false")
		}
		if found := s.read(at); found.Lease > 0 {
			s.Errorf("lease left of a settled record = %v; want none", found.Lease)
		}
		s.write(at, forget(third))
		if s.renew(at, third, ages) {
			s.Error("Renew(of a forgotten record) = true; want false")
		}
	}},
	{"a record ends with its TTL", "after the retention the same key is fresh", func(s *storeTest) {
		at, w := address(), commit(core.Version{})
		w.TTL = soon
		s.write(at, w)
		if s.Advance != nil {
			s.pass(soon - time.Millisecond)
			s.holds(s.read(at), w)
			s.pass(time.Millisecond)
		} else {
			s.pass(soon)
		}
		s.absent(s.read(at))
		s.absent(s.refused(at, commit(w.Version)))
		if s.renew(at, w.Version, ages) {
			s.Error("Renew(after its end) = true; want false")
		}
		s.absent(s.read(at))
		next := claim(core.Version{})
		s.write(at, next)
		s.holds(s.read(at), next)
	}},
	{"each write has its own TTL", "the retention counts from the commit", func(s *storeTest) {
		at, w := address(), claim(core.Version{})
		w.TTL = soon // its lease keeps it for the commit
		next := commit(s.write(at, w))
		s.write(at, next)
		s.pass(soon)
		s.holds(s.read(at), next)
	}},
	{"a live lease keeps the record", "a job that runs for longer than the retention is still running (I1)", func(s *storeTest) {
		at, w := address(), claim(core.Version{})
		w.TTL = soon
		if s.Advance != nil {
			w.Lease = soon
		}
		s.write(at, w)
		s.pass(soon - time.Millisecond)
		if !s.renew(at, w.Version, ages) {
			s.Fatal("Renew(holder) = false; want true")
		}
		s.pass(time.Millisecond)
		s.holds(s.refused(at, claim(core.Version{})), w)
		s.holds(s.refused(at, takeover(w.Version)), w)
		next := claim(w.Version)
		next.TTL = 0
		s.write(at, next)
		s.holds(s.read(at), next)
		if !s.renew(at, next.Version, 0) {
			s.Error("Renew(holder) = false; want true")
		}
		s.absent(s.read(at))
	}},
	{"a body fades before its record", "the answer of a release is for those who waited; the attempts count on", func(s *storeTest) {
		at, w := address(), commit(core.Version{})
		w.BodyTTL = soon
		s.write(at, w)
		if s.Advance != nil {
			s.pass(soon - time.Millisecond)
			s.holds(s.read(at), w)
			s.pass(time.Millisecond)
		} else {
			s.pass(soon)
		}
		w.Body = nil
		s.holds(s.read(at), w)
		s.holds(s.refused(at, claim(core.Version{})), w)
		next := commit(w.Version)
		s.write(at, next)
		s.holds(s.read(at), next)
	}},
}
