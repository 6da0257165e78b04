package coretest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/singleshot-edge/singleshot/core"
	"github.com/singleshot-edge/singleshot/edge"
)

var swapRules = []storeRule{
	{"a swap over nothing writes", "the first submit of a form claims its record", func(s *storeTest) {
		at, w := address(), claim(core.Version{})
		s.write(at, w)
		s.holds(s.read(at), w)
	}},
	{"a swap over the stored version writes", "the holder commits what it claimed", func(s *storeTest) {
		at := address()
		w := commit(s.write(at, claim(core.Version{})))
		s.write(at, w)
		s.holds(s.read(at), w)
	}},
	{"a refused swap changes nothing and returns what is stored", "a refused swap is the read: a replay costs one round trip", func(s *storeTest) {
		at := address()
		w := commit(s.write(at, claim(core.Version{})))
		s.write(at, w)
		for _, old := range []core.Version{{}, w.Old, version()} {
			s.holds(s.refused(at, commit(old)), w)
		}
		s.holds(s.read(at), w)
	}},
	{"a swap over a version finds nothing where nothing is", "a holder whose record is gone must not commit", func(s *storeTest) {
		at := address()
		s.absent(s.refused(at, commit(version())))
		s.absent(s.read(at))
	}},
	{"a write that keeps nothing forgets the record", "a forgotten key is a fresh one", func(s *storeTest) {
		at := address()
		s.write(at, forget(s.write(at, commit(core.Version{}))))
		s.absent(s.read(at))
		s.absent(s.refused(at, commit(version())))
		s.write(at, claim(core.Version{}))
	}},
	{"a version never comes back", "a dead holder must not commit into somebody else's claim of the same record", func(s *storeTest) {
		at := address()
		dead := s.write(at, claim(core.Version{}))
		s.write(at, forget(dead))
		w := claim(core.Version{})
		s.write(at, w)
		s.holds(s.refused(at, commit(dead)), w)
		if s.renew(at, dead, ages) {
			s.Error("Renew(dead) = true; want false")
		}
		s.holds(s.read(at), w)
	}},
	{"names are apart", "nobody sees another record's answer", func(s *storeTest) {
		long := addressOf(64)
		names := []string{
			long.Name, long.Name[:63], long.Name[:33], long.Name[:32],
			strings.Repeat("a", 31) + long.Name[:20], strings.Repeat("A", 31) + long.Name[:20],
			strings.Repeat("_", 20) + long.Name[:20], strings.Repeat("-", 20) + long.Name[:20],
		}
		writes := make([]edge.Write, len(names))
		for i, name := range names {
			writes[i] = claim(core.Version{})
			writes[i].Head = []byte(name)
			s.write(edge.Address{Shard: long.Shard, Region: long.Region, Name: name}, writes[i])
		}
		for i, name := range names {
			s.holds(s.read(edge.Address{Shard: long.Shard, Region: long.Region, Name: name}), writes[i])
		}
	}},
	{"an empty body is a body", "an answer without a body and one that has faded are told apart", func(s *storeTest) {
		for _, body := range [][]byte{nil, {}} {
			at, w := address(), commit(core.Version{})
			w.Body = body
			s.write(at, w)
			s.holds(s.read(at), w)
			s.holds(s.refused(at, claim(core.Version{})), w)
			if got, want := s.read(at).Event(core.EventChanged, time.Now()).HasBody, body != nil; got != want {
				s.Errorf("HasBody of %#v = %v; want %v", body, got, want)
			}
		}
	}},
	{"a head may be empty", "a store has no idea of what is in it", func(s *storeTest) {
		at, w := address(), claim(core.Version{})
		w.Head = []byte{}
		s.write(at, w)
		s.holds(s.read(at), w)
	}},
	{"large bytes come back as they were", "an answer of 1 MiB travels inside the record, sealed", func(s *storeTest) {
		const inline = core.InlineLimit / core.FrameSize * core.SealedFrameSize
		for _, size := range []struct{ head, body int }{{1 << 20, 0}, {512 << 10, inline}, {64, inline}} {
			at, w := address(), commit(core.Version{})
			w.Head, w.Body = noise(size.head), noise(size.body)
			s.write(at, w)
			s.holds(s.read(at), w)
			s.holds(s.refused(at, claim(core.Version{})), w)
		}
	}},
	{"bytes of every value come back", "sealed bytes look like noise", func(s *storeTest) {
		all := make([]byte, 256)
		for i := range all {
			all[i] = byte(i)
		}
		at, w := address(), commit(core.Version{})
		w.Head, w.Body = all, bytes.Repeat([]byte{0}, 300)
		s.write(at, w)
		s.holds(s.read(at), w)
	}},
	{"the store keeps its own copy", "the caller uses its buffers again", func(s *storeTest) {
		at, w := address(), commit(core.Version{})
		want := w
		want.Head, want.Body = bytes.Clone(w.Head), bytes.Clone(w.Body)
		s.write(at, w)
		clear(w.Head)
		clear(w.Body)
		s.holds(s.read(at), want)
	}},
	{"of many claims of one name one wins", "a form that is sent twenty times at once runs once (I1)", func(s *storeTest) {
		for range s.rounds(10) {
			s.race(8, address(), func(int) edge.Write { return claim(core.Version{}) })
		}
	}},
	{"of many claims of many names one each wins", "records do not hold each other up, nor mix", func(s *storeTest) {
		var all sync.WaitGroup
		for range s.rounds(10) {
			at := address()
			all.Go(func() { s.race(4, at, func(int) edge.Write { return claim(core.Version{}) }) })
		}
		all.Wait()
	}},
	{"of a late holder and those who take over one wins", "a holder that lost its lease neither commits nor releases (I3)", func(s *storeTest) {
		for range s.rounds(10) {
			at := address()
			held := s.write(at, lapsedClaim())
			s.race(6, at, func(i int) edge.Write {
				if i == 0 {
					return commit(held)
				}
				return takeover(held)
			})
		}
	}},
	{"of a renewal and a takeover one succeeds", "at most one live lease for a record (I1)", func(s *storeTest) {
		for range s.rounds(20) {
			at := address()
			held := s.write(at, lapsedClaim())
			var renewed, taken bool
			var err error
			var both sync.WaitGroup
			both.Go(func() { renewed, err = s.Renew(s.Context(), at, held, ages) })
			_, taken = s.swap(at, takeover(held))
			both.Wait()
			if err != nil || renewed == taken {
				s.Fatalf("Renew = %v, %v and Swap = %v; want exactly one of them", renewed, err, taken)
			}
		}
	}},
	{"swaps and reads of one name are linearizable", "all guards see one history of a record", (*storeTest).linearizable},
}

// race makes n writes of one record at once. One of them must win, all others must be shown it. It may run in
// any goroutine.
func (s *storeTest) race(n int, at edge.Address, write func(i int) edge.Write) {
	s.Helper()
	writes := make([]edge.Write, n)
	found := make([]edge.Row, n)
	won := make([]bool, n)
	errs := make([]error, n)
	var ready, all sync.WaitGroup
	ready.Add(n)
	for i := range n {
		writes[i] = write(i)
		all.Go(func() {
			ready.Done()
			ready.Wait()
			found[i], won[i], errs[i] = s.Swap(s.Context(), at, writes[i])
		})
	}
	all.Wait()
	winner := -1
	for i := range n {
		if errs[i] != nil {
			s.Errorf("Swap = %v; want no error", errs[i])
			return
		}
		if won[i] && winner >= 0 {
			s.Errorf("two of %d swaps over the same version were made; want one", n)
			return
		}
		if won[i] {
			winner = i
		}
	}
	if winner < 0 {
		s.Errorf("none of %d swaps was made; want one", n)
		return
	}
	for i := range n {
		if i != winner {
			s.holds(found[i], writes[winner])
		}
	}
	stored, _, err := s.Wait(s.Context(), at, core.Version{}, 0)
	if err != nil {
		s.Errorf("Wait = %v; want no error", err)
		return
	}
	s.holds(stored, writes[winner])
}

// linearizable lets some clients swap and read one record at random, and looks for an order of what they saw.
func (s *storeTest) linearizable() {
	const clients, calls = 5, 24
	type question struct{ old, next core.Version } // without next: a read
	type answer struct {
		found   core.Version
		swapped bool
	}
	at := address()
	seed := rand.Uint64()
	var clock atomic.Int64 // porcupine needs only the order of begins and ends
	var mu sync.Mutex
	var history []porcupine.Operation
	var all sync.WaitGroup
	for client := range clients {
		chance := rand.New(rand.NewPCG(seed, uint64(client)))
		all.Go(func() {
			var last core.Version
			for range calls {
				q := question{old: last}
				if chance.IntN(3) > 0 {
					q.next = version()
				}
				begin := clock.Add(1)
				var a answer
				var row edge.Row
				var err error
				if q.next == (core.Version{}) {
					row, _, err = s.Wait(s.Context(), at, core.Version{}, 0)
				} else {
					w := claim(q.old)
					w.Version = q.next
					row, a.swapped, err = s.Swap(s.Context(), at, w)
				}
				if err != nil {
					s.Errorf("seed %d: %v; want no error", seed, err)
					return
				}
				a.found = row.Version
				if last = a.found; a.swapped {
					last = q.next
				}
				end := clock.Add(1)
				mu.Lock()
				history = append(history, porcupine.Operation{ClientId: client, Input: q, Call: begin, Output: a, Return: end})
				mu.Unlock()
			}
		})
	}
	all.Wait()
	model := porcupine.Model{
		Init: func() any { return core.Version{} },
		Step: func(state, input, output any) (bool, any) {
			stored, q, a := state.(core.Version), input.(question), output.(answer)
			if a.swapped {
				return stored == q.old, q.next
			}
			return a.found == stored && (q.next == core.Version{} || stored != q.old), stored
		},
	}
	if !porcupine.CheckOperations(model, history) {
		s.Errorf("seed %d: %d calls have no order in which one store could have answered them so", seed, len(history))
	}
}

// noise is n bytes; nil for none.
func noise(n int) []byte {
	if n == 0 {
		return nil
	}
	var seed [32]byte
	out := make([]byte, n)
	rand.NewChaCha8(seed).Read(out)
	return out
}

// brief is bytes for a message.
func brief(b []byte) string {
	if len(b) > 24 {
		return fmt.Sprintf("of %d bytes (%x…)", len(b), b[:8])
	}
	return fmt.Sprintf("%q", b)
}
