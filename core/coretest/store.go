package coretest

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"testing"
	"time"

	"github.com/singleshot-edge/singleshot/core"
	"github.com/singleshot-edge/singleshot/edge"
)

// StoreUnderTest is a claim store and what a test may do to it.
type StoreUnderTest struct {
	edge.Store

	// Advance moves the store's clock on. With nil the clock is real: the suite then lets short times pass,
	// and leaves out what only a clock that stands still can show, the exact moment of an end.
	Advance func(time.Duration)

	// Restart ends the store as a crash would and starts it again over what it has made durable. With nil
	// the store promises nothing of the kind.
	Restart func()
}

// TestStore checks that a store keeps the contract of edge.Store, in one subtest for each rule. It calls open
// for each of them, with the subtest's t; a store may be handed out more than once, since every rule has names
// of its own.
func TestStore(t *testing.T, open func(t *testing.T) StoreUnderTest) {
	for _, rules := range [][]storeRule{swapRules, timeRules, waitRules, trailRules, faultRules, modelRules} {
		for _, rule := range rules {
			t.Run(rule.name, func(t *testing.T) {
				s := &storeTest{T: t, StoreUnderTest: open(t)}
				rule.check(s)
				if t.Failed() {
					t.Logf("the rule: %s", rule.why)
				}
			})
		}
	}
}

// storeRule is a rule and its check. The reason names what goes wrong for a visitor where it is broken.
type storeRule struct {
	name, why string
	check     func(s *storeTest)
}

// storeTest is one subtest.
type storeTest struct {
	*testing.T
	StoreUnderTest
}

const (
	ages = 24 * time.Hour        // a time that does not end during a test
	soon = 40 * time.Millisecond // a time that ends during a test
	hang = 20 * time.Second      // what is not there by then does not come
)

// address is a place where nothing has been stored yet.
func address() edge.Address { return addressOf(32) }

// addressOf is the same with a name of n characters.
func addressOf(n int) edge.Address {
	raw := make([]byte, 2*n)
	rand.Read(raw)
	text := base64.RawURLEncoding.EncodeToString(raw)
	return edge.Address{Shard: "weur-3", Region: 3, Name: text[:n], Trail: text[n : 2*n]}
}

// version is one that nobody has used.
func version() (v core.Version) {
	rand.Read(v[:])
	return v
}

// claim is a write that claims a record over old, for a lease that does not end during a test.
func claim(old core.Version) edge.Write {
	return edge.Write{Old: old, Version: version(), Lease: ages, TTL: ages, Head: []byte("claimed")}
}

// lapsedClaim is a claim whose lease is over as soon as it is written.
func lapsedClaim() edge.Write {
	w := claim(core.Version{})
	w.Lease = 0
	return w
}

// commit is a write that settles a record over old.
func commit(old core.Version) edge.Write {
	return edge.Write{Old: old, Version: version(), TTL: ages, BodyTTL: ages, Head: []byte("committed"), Body: []byte("the answer")}
}

// takeover is a claim over a lease that has ended.
func takeover(old core.Version) edge.Write {
	w := claim(old)
	w.Lapsed = true
	return w
}

// forget is a write that leaves nothing.
func forget(old core.Version) edge.Write {
	return edge.Write{Old: old, Version: version(), Head: []byte{}}
}

// pass lets a time pass by the store's clock.
func (s *storeTest) pass(d time.Duration) {
	if s.Advance != nil {
		s.Advance(d)
		return
	}
	time.Sleep(d + 20*time.Millisecond) // clocks have a grain
}

// rounds is how often a race is run: n times, a third of it where each call costs a real round trip.
func (s *storeTest) rounds(n int) int {
	if s.Advance == nil {
		return n / 3
	}
	return n
}

// swap is a Swap that must not fail.
func (s *storeTest) swap(at edge.Address, w edge.Write) (edge.Row, bool) {
	s.Helper()
	found, swapped, err := s.Swap(s.Context(), at, w)
	if err != nil {
		s.Fatalf("Swap = %v; want no error", err)
	}
	return found, swapped
}

// write is a Swap that must be made. It returns the version that is stored now.
func (s *storeTest) write(at edge.Address, w edge.Write) core.Version {
	s.Helper()
	if found, swapped := s.swap(at, w); !swapped {
		s.Fatalf("Swap = refused by %s; want the write made", told(found))
	}
	return w.Version
}

// refused is a Swap that must be refused. It returns what is stored.
func (s *storeTest) refused(at edge.Address, w edge.Write) edge.Row {
	s.Helper()
	found, swapped := s.swap(at, w)
	if swapped {
		s.Fatalf("Swap = made; want it refused")
	}
	return found
}

// read returns what is stored.
func (s *storeTest) read(at edge.Address) edge.Row {
	s.Helper()
	found, changed, err := s.Wait(s.Context(), at, core.Version{}, 0)
	if err != nil {
		s.Fatalf("Wait = %v; want no error", err)
	}
	if changed != (found.Version != core.Version{}) {
		s.Fatalf("Wait for no time = %s, %v; want a row, or the word that there is none", told(found), changed)
	}
	return found
}

// renew is a Renew that must not fail.
func (s *storeTest) renew(at edge.Address, v core.Version, lease time.Duration) bool {
	s.Helper()
	held, err := s.Renew(s.Context(), at, v, lease)
	if err != nil {
		s.Fatalf("Renew = %v; want no error", err)
	}
	return held
}

// absent checks that a row says that there is none.
func (s *storeTest) absent(found edge.Row) {
	s.Helper()
	if found.Version != (core.Version{}) || len(found.Head) > 0 || found.Body != nil || found.Lease > 0 {
		s.Errorf("found %s; want the record absent", told(found))
	}
}

// holds checks that a row is what was written, but for its lease.
func (s *storeTest) holds(found edge.Row, w edge.Write) {
	s.Helper()
	want := edge.Row{Version: w.Version, Head: w.Head, Body: w.Body}
	if found.Version != w.Version || !bytes.Equal(found.Head, w.Head) || !bytes.Equal(found.Body, w.Body) || (found.Body == nil) != (w.Body == nil) {
		s.Errorf("found %s; want %s", told(found), told(want))
	}
}

// waited is what a Wait said.
type waited struct {
	edge.Row
	changed bool
	err     error
}

// waiting starts a Wait that does not end by itself during a test.
func (s *storeTest) waiting(ctx context.Context, at edge.Address, old core.Version) <-chan waited {
	out := make(chan waited, 1)
	go func() {
		row, changed, err := s.Wait(ctx, at, old, hang)
		out <- waited{row, changed, err}
	}()
	return out
}

// await returns the next value of a channel.
func await[T any](s *storeTest, from <-chan T) (v T) {
	s.Helper()
	select {
	case v = <-from:
	case <-time.After(hang):
		s.Fatal("nothing came; want an end within the limit")
	}
	return v
}

// pause is long enough for a call that has been started to get to the store, in most runs. Nothing depends on
// it: a call that comes later only makes a test weaker.
func pause() { time.Sleep(15 * time.Millisecond) }

// told is a row in short.
func told(r edge.Row) string {
	if r.Version == (core.Version{}) && r.Head == nil && r.Body == nil {
		return "nothing"
	}
	body := "no body"
	if r.Body != nil {
		body = "body " + brief(r.Body)
	}
	return "version " + r.Version.String() + ", lease " + r.Lease.String() + ", head " + brief(r.Head) + ", " + body
}
