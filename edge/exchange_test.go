package edge_test

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/singleshot-edge/singleshot/core"
	"github.com/singleshot-edge/singleshot/core/coretest"
	"github.com/singleshot-edge/singleshot/edge"
)

// exchanges carries out core's exchanges over a store, as far as an API call with a small answer needs it.
type exchanges struct {
	guard  *core.Guard
	store  edge.Store
	origin func() string
	runs   atomic.Int32
}

func newExchanges(t *testing.T, store edge.Store, origin func() string) *exchanges {
	t.Helper()
	config, faults := core.ParseConfig(func(name string) string {
		return map[string]string{
			"SINGLESHOT_SECRET": "a-secret-for-tests-0123456789abcdef",
			"RULES":             `[{"match": "/api/**", "key": "header", "lease": 2, "wait": 20}]`,
		}[name]
	})
	if len(faults) > 0 {
		t.Fatalf("ParseConfig = %v; want no fault", faults)
	}
	return &exchanges{guard: core.NewGuard(config, faults), store: store, origin: origin}
}

// sent is what the visitor gets.
type sent struct {
	status  int
	outcome string
	body    string
}

func (h *exchanges) send(ctx context.Context, t *testing.T, key, payload string) sent {
	var random [32]byte
	rand.Read(random[:])
	x, e := h.guard.Begin(&core.Request{
		Method: "POST", URL: "https://shop.example/api/orders", Region: -1, Length: int64(len(payload)),
		Headers: core.Headers{{Name: "Idempotency-Key", Value: key}, {Name: "Authorization", Value: "Bearer one"},
			{Name: "Content-Type", Value: "application/json"}},
	}, time.Now().UnixMilli(), random)
	var answer, sealed, record []byte
	renewed := func() {}
	for {
		time.Sleep(time.Duration(e.Delay) * time.Millisecond)
		at := edge.Address{Shard: e.Shard, Region: e.Region, Name: e.Name, Trail: e.Trail}
		event := core.Event{Now: time.Now().UnixMilli()}
		switch e.Kind {
		case core.DoHash:
			x.Feed([]byte(payload))
			event.Kind, event.Whole = core.EventHashed, true
		case core.DoSwap:
			w := edge.Write{
				Old: e.Old, Version: e.Version, Lapsed: e.Lapsed, Head: e.Head, Note: e.Note, Lease: time.Duration(e.Lease) * time.Millisecond,
				TTL: time.Duration(e.TTL) * time.Millisecond, BodyTTL: time.Duration(e.BodyTTL) * time.Millisecond,
			}
			if e.Body {
				if sealed == nil {
					sealed = x.Seal(nil, answer, true)
				}
				w.Body = sealed
			}
			found, swapped, err := h.store.Swap(ctx, at, w)
			switch {
			case err != nil:
				event.Kind = core.EventStoreFailed
			case swapped:
				event.Kind = core.EventSwapped
			default:
				event, record = found.Event(core.EventRefused, time.Now()), found.Body
			}
		case core.DoWait:
			found, changed, err := h.store.Wait(ctx, at, e.Old, time.Duration(e.Wait)*time.Millisecond)
			switch {
			case errors.Is(err, edge.ErrBusy):
				event.Kind = core.EventBusy
			case err != nil:
				event.Kind = core.EventStoreFailed
			case changed:
				event, record = found.Event(core.EventChanged, time.Now()), found.Body
			default:
				event.Kind, event.Now = core.EventTimedOut, time.Now().UnixMilli()
			}
		case core.DoForward:
			renewed = h.renew(ctx, t, at, e.Version, time.Duration(e.Lease)*time.Millisecond)
			h.runs.Add(1)
			answer = []byte(h.origin())
			event = core.Event{Kind: core.EventHead, Now: time.Now().UnixMilli(), Status: 201}
		case core.DoCollect:
			renewed()
			event.Kind, event.Length, event.Whole = core.EventBody, int64(len(answer)), true
		case core.DoFetch:
			event.Kind = core.EventMissing
		case core.DoRespond:
			out := sent{e.Status, e.Outcome, string(e.Inline)}
			switch e.Source {
			case core.SourceOrigin:
				out.status, out.body = 201, string(answer)
			case core.SourceRecord:
				opened, err := x.Open(nil, record, true)
				if err != nil {
					t.Errorf("Open = %v; want the body that was stored", err)
				}
				out.body = string(opened)
			}
			if len(e.Note) > 0 {
				n := edge.Note{Entries: e.Note, TTL: time.Duration(e.TTL) * time.Millisecond, Mismatch: e.Mismatch}
				if err := h.store.Note(ctx, at, n); err != nil {
					t.Errorf("Note = %v; want no error", err)
				}
			}
			return out
		default:
			t.Errorf("effect %d; want none of this kind", e.Kind)
			return sent{}
		}
		e = x.Next(&event)
	}
}

// renew renews a claim every third of its lease until the returned function is called.
func (h *exchanges) renew(ctx context.Context, t *testing.T, at edge.Address, v core.Version, lease time.Duration) (stop func()) {
	over := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() {
		for {
			select {
			case <-time.After(lease / 3):
			case <-over:
				return
			}
			if held, err := h.store.Renew(ctx, at, v, lease); !held || err != nil {
				t.Errorf("Renew = %v, %v; want it held", held, err)
			}
		}
	})
	return func() {
		close(over)
		running.Wait()
	}
}

func TestDuplicatesMeetInAMemoryStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newExchanges(t, new(edge.MemoryStore), func() string {
			time.Sleep(7 * time.Second) // more than three leases
			return "order 1001"
		})
		const key = "0123456789abcdef0123"
		outcomes := make(chan string, 20)
		var all sync.WaitGroup
		for range cap(outcomes) {
			all.Go(func() {
				got := h.send(t.Context(), t, key, `{"amount": 5}`)
				if got.status != 201 || got.body != "order 1001" {
					t.Errorf("answer = %+v; want the origin's", got)
				}
				outcomes <- got.outcome
			})
		}
		all.Wait()
		close(outcomes)
		count := map[string]int{}
		for outcome := range outcomes {
			count[outcome]++
		}
		if h.runs.Load() != 1 || count["created"] != 1 || count["replayed"] != 19 {
			t.Errorf("%d runs, outcomes %v; want one run, one created, 19 replayed", h.runs.Load(), count)
		}
		if got := h.send(t.Context(), t, key, `{"amount": 6}`); got.status != 422 || h.runs.Load() != 1 {
			t.Errorf("another amount = %+v after %d runs; want a mismatch (I4)", got, h.runs.Load())
		}
		time.Sleep(25 * time.Hour)
		if got := h.send(t.Context(), t, key, `{"amount": 6}`); got.outcome != "created" || h.runs.Load() != 2 {
			t.Errorf("after the retention = %+v after %d runs; want a fresh key", got, h.runs.Load())
		}
	})
}

func TestLostAcknowledgementsRunNothingTwice(t *testing.T) {
	for _, loss := range []coretest.Loss{coretest.LoseRequest, coretest.LoseReply} {
		synctest.Test(t, func(t *testing.T) {
			n := 0
			store := coretest.Faulty{Store: new(edge.MemoryStore), Lose: func() coretest.Loss {
				n++
				if n%2 == 1 { // every call once
					return loss
				}
				return coretest.LoseNothing
			}}
			h := newExchanges(t, store, func() string { return "order 1001" })
			if got := h.send(t.Context(), t, "0123456789abcdef0123", "{}"); got.status != 201 || got.outcome != "created" || h.runs.Load() != 1 {
				t.Errorf("loss %d: answer = %+v after %d runs; want the origin's after one", loss, got, h.runs.Load())
			}
		})
	}
}
