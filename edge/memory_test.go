package edge_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/singleshot-edge/singleshot/core"
	"github.com/singleshot-edge/singleshot/core/coretest"
	"github.com/singleshot-edge/singleshot/edge"
)

// handClock stands still until it is moved.
type handClock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *handClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *handClock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func newHandClock() *handClock {
	return &handClock{now: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)}
}

func TestMemoryStoreIsAStore(t *testing.T) {
	coretest.TestStore(t, func(*testing.T) coretest.StoreUnderTest {
		clock := newHandClock()
		return coretest.StoreUnderTest{Store: &edge.MemoryStore{Now: clock.Now}, Advance: clock.Advance}
	})
}

func TestMemoryStoreIsAStoreByRealTime(t *testing.T) {
	coretest.TestStore(t, func(*testing.T) coretest.StoreUnderTest {
		return coretest.StoreUnderTest{Store: new(edge.MemoryStore)}
	})
}

func record(n int) edge.Address {
	return edge.Address{Shard: "weur-3", Region: 3, Name: fmt.Sprintf("%032d", n), Trail: fmt.Sprintf("%032d", n)}
}

func TestMemoryStoreSweepsWhatIsOver(t *testing.T) {
	clock := newHandClock()
	m := &edge.MemoryStore{Now: clock.Now}
	ctx := t.Context()
	write := func(n int, v core.Version, w edge.Write) {
		t.Helper()
		w.Version, w.Head = v, []byte("head")
		if _, swapped, err := m.Swap(ctx, record(n), w); !swapped || err != nil {
			t.Fatalf("Swap = %v, %v; want it made", swapped, err)
		}
	}
	kept := func(records, bodies, trails int, why string) {
		t.Helper()
		if r, b, tr := m.Kept(); r != records || b != bodies || tr != trails {
			t.Errorf("%d records, %d bodies and %d trails are kept; want %d, %d and %d: %s", r, b, tr, records, bodies, trails, why)
		}
	}
	for i := range 1000 {
		minutes := time.Duration(1+(i*7)%10) * time.Minute
		write(i, core.Version{1}, edge.Write{TTL: 2 * minutes, BodyTTL: minutes, Body: []byte("body")})
	}
	kept(1000, 1000, 0, "nothing is over")
	clock.Advance(5 * time.Minute)
	write(5000, core.Version{1}, edge.Write{TTL: time.Hour})
	kept(801, 500, 0, "a fifth is over, half the bodies are")
	if _, err := m.Renew(ctx, record(5000), core.Version{1}, 2*time.Hour); err != nil {
		t.Fatal(err)
	}
	clock.Advance(10 * time.Minute)
	if held, err := m.Renew(ctx, record(9999), core.Version{1}, time.Hour); held || err != nil {
		t.Fatalf("Renew = %v, %v; want it refused", held, err)
	}
	kept(301, 0, 0, "a renewal sweeps as well")
	clock.Advance(time.Hour)
	write(5001, core.Version{2}, edge.Write{TTL: time.Minute})
	kept(2, 0, 0, "a lease outlives the retention")
	write(5001, core.Version{3}, edge.Write{Old: core.Version{2}})
	kept(1, 0, 0, "a forgotten record is gone at once")
	clock.Advance(time.Hour)
	write(5002, core.Version{4}, edge.Write{})
	kept(0, 0, 0, "everything is over")

	for i := range 100 {
		write(i, core.Version{5}, edge.Write{TTL: time.Minute, Lease: time.Duration(1+i) * time.Hour})
	}
	for i := range 100 {
		if held, err := m.Renew(ctx, record(i), core.Version{5}, time.Duration(i%2)*time.Hour); !held || err != nil {
			t.Fatalf("Renew = %v, %v; want it held", held, err)
		}
	}
	clock.Advance(time.Minute)
	write(5003, core.Version{6}, edge.Write{})
	kept(50, 0, 0, "a renewal changes the order of the ends")
	clock.Advance(time.Hour)

	entry := make([]byte, core.TrailEntrySize)
	for i := range 100 {
		for _, minutes := range []int{1, 1 + i%2, 1} {
			if err := m.Note(ctx, record(i), edge.Note{Entries: entry, TTL: time.Duration(minutes) * time.Minute}); err != nil {
				t.Fatal(err)
			}
		}
	}
	kept(0, 0, 100, "a note is a write")
	clock.Advance(time.Minute)
	write(5004, core.Version{7}, edge.Write{Note: entry})
	kept(0, 0, 50, "a note makes a trail last, none makes it shorter, and a write that keeps nothing begins none")
	if err := m.Forget(ctx, record(1), nil); err != nil {
		t.Fatal(err)
	}
	kept(0, 0, 49, "a forgotten trail is gone at once")
	clock.Advance(time.Minute)
	write(5005, core.Version{8}, edge.Write{})
	kept(0, 0, 0, "everything is over")
}

func TestMemoryStoreNeedsAVersion(t *testing.T) {
	m := new(edge.MemoryStore)
	if _, swapped, err := m.Swap(t.Context(), record(1), edge.Write{TTL: time.Hour}); swapped || err == nil {
		t.Errorf("Swap(zero Version) = %v, %v; want an error", swapped, err)
	}
}

func TestMemoryStoreWaitsForExactlyItsLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // fails if a goroutine is left
		m := new(edge.MemoryStore)
		began := time.Now()
		if _, changed, err := m.Wait(t.Context(), record(1), core.Version{}, 20*time.Second); changed || err != nil {
			t.Errorf("Wait = %v, %v; want no change", changed, err)
		}
		if took := time.Since(began); took != 20*time.Second {
			t.Errorf("Wait took %v; want 20s", took)
		}
		if n := m.Waiting(); n != 0 {
			t.Errorf("%d names are waited for; want none", n)
		}
	})
}

func TestMemoryStoreFreesThePlaceOfWhoLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := new(edge.MemoryStore)
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for range edge.MostWaiters {
			all.Go(func() {
				if _, _, err := m.Wait(ctx, record(1), core.Version{}, time.Hour); !errors.Is(err, context.Canceled) {
					t.Errorf("Wait = %v; want context.Canceled", err)
				}
			})
		}
		synctest.Wait()
		if _, _, err := m.Wait(t.Context(), record(1), core.Version{}, time.Hour); !errors.Is(err, edge.ErrBusy) {
			t.Errorf("Wait number 65 = %v; want ErrBusy", err)
		}
		cancel()
		all.Wait()
		if n := m.Waiting(); n != 0 {
			t.Errorf("%d names are waited for; want none", n)
		}
		if _, changed, err := m.Wait(t.Context(), record(1), core.Version{}, time.Hour); changed || err != nil {
			t.Errorf("Wait = %v, %v; want a place, and no change", changed, err)
		}
	})
}

func TestMemoryStoreTellsWhoWaitsAtTheEndWhatExpired(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := new(edge.MemoryStore)
		v := core.Version{1}
		if _, swapped, err := m.Swap(t.Context(), record(1), edge.Write{Version: v, TTL: time.Minute}); !swapped || err != nil {
			t.Fatalf("Swap = %v, %v; want it made", swapped, err)
		}
		found, changed, err := m.Wait(t.Context(), record(1), v, 2*time.Minute)
		if !changed || err != nil || found.Version != (core.Version{}) {
			t.Errorf("Wait = %v, %v, %v; want the record absent", found, changed, err)
		}
	})
}

func TestRowBecomesAnEvent(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		row  edge.Row
		want core.Event
		why  string
	}{
		{edge.Row{}, core.Event{}, "absent"},
		{edge.Row{Lease: time.Nanosecond}, core.Event{Lease: 1}, "a lease that is alive is not over"},
		{edge.Row{Lease: 1500 * time.Microsecond}, core.Event{Lease: 2}, "nobody comes before its end"},
		{edge.Row{Lease: 20 * time.Second}, core.Event{Lease: 20_000}, "milliseconds"},
		{edge.Row{Lease: -time.Nanosecond}, core.Event{}, "over is over"},
		{edge.Row{Lease: -time.Hour}, core.Event{Lease: -3_599_999}, "over for long"},
		{edge.Row{Mismatches: 3}, core.Event{Mismatches: 3}, "counted on"},
		{edge.Row{Version: core.Version{7}, Body: []byte{}}, core.Event{Version: core.Version{7}, HasBody: true}, "an empty body is one"},
	} {
		got := c.row.Event(core.EventChanged, now)
		if got.Kind != core.EventChanged || got.Now != now.UnixMilli() || got.Version != c.want.Version || got.Lease != c.want.Lease || got.HasBody != c.want.HasBody || got.Mismatches != c.want.Mismatches {
			t.Errorf("Event = %+v; want %+v: %s", got, c.want, c.why)
		}
	}
}

func BenchmarkMemoryStoreClaimCommitForget(b *testing.B) {
	m := new(edge.MemoryStore)
	head, body := make([]byte, 300), make([]byte, 4<<10)
	claimed, committed, gone := core.Version{1}, core.Version{2}, core.Version{3}
	b.ReportAllocs()
	for b.Loop() {
		for _, w := range []edge.Write{
			{Version: claimed, Lease: time.Minute, TTL: time.Hour, Head: head},
			{Old: claimed, Version: committed, TTL: time.Hour, BodyTTL: time.Hour, Head: head, Body: body},
			{Old: committed, Version: gone},
		} {
			if _, swapped, err := m.Swap(b.Context(), record(1), w); !swapped || err != nil {
				b.Fatalf("Swap = %v, %v; want it made", swapped, err)
			}
		}
	}
}

func TestMemoryStoreWakesWhoStaysWhenAnotherLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, at := new(edge.MemoryStore), edge.Address{Shard: "weur-0", Name: "n", Trail: "t"}
		var woken atomic.Int32
		wait := func(ctx context.Context) {
			if _, changed, _ := m.Wait(ctx, at, core.Version{}, time.Hour); changed {
				woken.Add(1)
			}
		}
		leaves, leave := context.WithCancel(t.Context())
		go wait(t.Context())
		go wait(leaves)
		synctest.Wait()
		leave()
		synctest.Wait()
		for i := range 50 { // the next write may come before those who wait have looked
			if _, swapped, err := m.Swap(t.Context(), at, edge.Write{Old: core.Version{byte(i)}, Version: core.Version{byte(i + 1)}, TTL: time.Hour}); !swapped {
				t.Fatalf("write %d: %t, %v", i, swapped, err)
			}
		}
		began := time.Now()
		synctest.Wait()
		if woken.Load() != 1 || time.Since(began) != 0 || m.Waiting() != 0 {
			t.Errorf("%d woken after %v, %d wait; want who stayed, at once", woken.Load(), time.Since(began), m.Waiting())
		}
	})
}
