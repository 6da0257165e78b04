//go:build !js && !wasip1

package store

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"
)

var (
	ctx  = context.Background()
	when = time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
)

func memory(t *testing.T) *Store {
	t.Helper()
	s, err := Memory()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestOrders(t *testing.T) {
	t.Run("an empty database has none", func(t *testing.T) {
		orders, total, err := memory(t).Latest(ctx, 5)
		if len(orders) != 0 || total != 0 || err != nil {
			t.Errorf("Latest = %v, %d, %v; want none", orders, total, err)
		}
	})
	t.Run("numbers rise from the first, and an order comes back as it was placed", func(t *testing.T) {
		s := memory(t)
		for want := int64(FirstNumber); want < FirstNumber+3; want++ {
			placed, err := s.Place(ctx, Order{Item: "tea", Amount: 24, Placed: when})
			if placed.Number != want || err != nil {
				t.Fatalf("Place = %d, %v; want %d", placed.Number, err, want)
			}
			if got, err := s.Order(ctx, want); got != placed || err != nil {
				t.Errorf("Order(%d) = %v, %v; want %v", want, got, err, placed)
			}
		}
	})
	t.Run("numbers that were never given are no orders", func(t *testing.T) {
		for _, number := range []int64{-1, 0, FirstNumber - 1, FirstNumber, 1 << 62} {
			if _, err := memory(t).Order(ctx, number); !errors.Is(err, ErrNone) {
				t.Errorf("Order(%d) = %v; want ErrNone", number, err)
			}
		}
	})
	t.Run("the latest come first and are limited, the total is not; concurrent orders get different numbers", func(t *testing.T) {
		s := memory(t)
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() { s.Place(ctx, Order{Amount: 1}) })
		}
		all.Wait()
		orders, total, err := s.Latest(ctx, 5)
		if len(orders) != 5 || orders[0].Number != FirstNumber+49 || orders[4].Number != FirstNumber+45 || total != 50 || err != nil {
			t.Errorf("Latest(5) = %v, %d, %v; want five of fifty, newest first", orders, total, err)
		}
	})
}

// The backstop: whatever the application does, one payment that did not fail for a key, and for a bill.
func TestPaymentsAreUniqueWhileTheyDidNotFail(t *testing.T) {
	tests := []struct {
		why     string
		before  []Payment
		pay     Payment
		already bool
	}{
		{"the first", nil, Payment{Key: "k", Bill: "b"}, false},
		{"the same key", []Payment{{Key: "k", Bill: "b"}}, Payment{Key: "k", Bill: "c"}, true},
		{"the same bill", []Payment{{Key: "k", Bill: "b"}}, Payment{Key: "l", Bill: "b"}, true},
		{"another key and bill", []Payment{{Key: "k", Bill: "b"}}, Payment{Key: "l", Bill: "c"}, false},
		{"after a failed one", []Payment{{Key: "k", Bill: "b", Failed: true}}, Payment{Key: "k", Bill: "b"}, false},
		{"a failed one after a settled one takes no place", []Payment{{Key: "k", Bill: "b"}}, Payment{Key: "k", Bill: "b", Failed: true}, false},
		{"no key is not the same key", []Payment{{Bill: "b"}}, Payment{Bill: "c"}, false},
		{"no bill is not the same bill", []Payment{{Key: "k"}}, Payment{Key: "l"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			s := memory(t)
			var first Payment
			for _, p := range tt.before {
				p.Amount, p.Made = 5, when
				kept, _, err := s.Pay(ctx, p)
				if err != nil {
					t.Fatal(err)
				}
				first = kept
			}
			tt.pay.Amount, tt.pay.Made = 5, when
			kept, already, err := s.Pay(ctx, tt.pay)
			if err != nil || already != tt.already || already && kept != first {
				t.Errorf("Pay = %+v, %v, %v; want already %v", kept, already, err, tt.already)
			}
		})
	}
}

func TestPaymentsUnderContentionSettleOnce(t *testing.T) {
	s := memory(t)
	var all sync.WaitGroup
	numbers := make(chan int64, 30)
	for range 30 {
		all.Go(func() {
			if p, _, err := s.Pay(ctx, Payment{Key: "k", Bill: "b", Amount: 5, Made: when}); err == nil {
				numbers <- p.Number
			}
		})
	}
	all.Wait()
	close(numbers)
	told := 0
	for n := range numbers {
		if told++; n != 1 {
			t.Errorf("a payment of number %d was told; want 1", n)
		}
	}
	settled, err := s.CountPayments(ctx)
	if told != 30 || settled != 1 || err != nil {
		t.Errorf("%d were told, %d settled, %v; want 30 and 1", told, settled, err)
	}
}

func TestJobRunsTwiceAndWorksOnce(t *testing.T) {
	s := memory(t)
	if err := s.StartJob(ctx, Job{ID: "j", Lines: 7, Started: when}); err != nil {
		t.Fatal(err)
	}
	for run, want := range []bool{true, false, false} {
		first, err := s.RunJob(ctx, "j", when)
		if first != want || err != nil {
			t.Errorf("run %d: RunJob = %v, %v; want %v", run+1, first, err, want)
		}
	}
	job, err := s.Job(ctx, "j")
	if want := (Job{ID: "j", Lines: 7, Started: when, Runs: 3, Done: true}); job != want || err != nil {
		t.Errorf("Job = %+v, %v; want %+v", job, err, want)
	}
	if _, err := s.Job(ctx, "none"); !errors.Is(err, ErrNone) {
		t.Errorf("Job = %v; want ErrNone", err)
	}
}

func TestRequestChangesFromItsVersionOnly(t *testing.T) {
	s := memory(t)
	if err := s.AddRequest(ctx, Request{ID: "r", State: Review, Item: "tea", Quantity: 3, Actor: "you"}); err != nil {
		t.Fatal(err)
	}
	now, err := s.Request(ctx, "r")
	if err != nil || now.Version != 1 {
		t.Fatalf("Request = %+v, %v; want version 1", now, err)
	}
	now.State = Approved
	var all sync.WaitGroup
	wins := make(chan int64, 20)
	for range 20 {
		all.Go(func() {
			if changed, err := s.Change(ctx, now); err == nil {
				wins <- changed.Version
			}
		})
	}
	all.Wait()
	close(wins)
	if len(wins) != 1 || <-wins != 2 {
		t.Errorf("%d of twenty changes of version 1 were made; want one, to version 2", len(wins))
	}
	if _, err := s.Request(ctx, "none"); !errors.Is(err, ErrNone) {
		t.Errorf("Request = %v; want ErrNone", err)
	}
}

func TestUniqueIndexesAreThere(t *testing.T) {
	if all, err := memory(t).UniqueIndexes(ctx); len(all) != 2 || err != nil {
		t.Errorf("UniqueIndexes = %q, %v; want two", all, err)
	}
}
