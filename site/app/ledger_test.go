package app

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"
)

func TestMemoryLedger(t *testing.T) {
	ctx := context.Background()
	when := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)

	t.Run("an empty ledger has nothing", func(t *testing.T) {
		orders, total, err := new(Memory).Latest(ctx, 5)
		if len(orders) != 0 || total != 0 || err != nil {
			t.Errorf("Latest = %v, %d, %v; want none", orders, total, err)
		}
	})
	t.Run("numbers rise from the first", func(t *testing.T) {
		var m Memory
		for want := int64(FirstNumber); want < FirstNumber+3; want++ {
			order, err := m.Place(ctx, Order{Item: "tea", Amount: 1, Placed: when})
			if order.Number != want || err != nil {
				t.Errorf("Place = %d, %v; want %d", order.Number, err, want)
			}
		}
	})
	t.Run("an order comes back as it was placed", func(t *testing.T) {
		var m Memory
		placed, err := m.Place(ctx, Order{Item: "tea", Amount: 24, Placed: when})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := m.Order(ctx, placed.Number); got != placed || err != nil {
			t.Errorf("Order(%d) = %v, %v; want %v", placed.Number, got, err, placed)
		}
	})
	t.Run("numbers that were never given are no orders", func(t *testing.T) {
		var m Memory
		if _, err := m.Place(ctx, Order{}); err != nil {
			t.Fatal(err)
		}
		for _, number := range []int64{-1, 0, FirstNumber - 1, FirstNumber + 1, 1 << 62} {
			if _, err := m.Order(ctx, number); !errors.Is(err, ErrNoOrder) {
				t.Errorf("Order(%d) = %v; want ErrNoOrder", number, err)
			}
		}
	})
	t.Run("the latest come first and are limited, the total is not", func(t *testing.T) {
		var m Memory
		for range 7 {
			if _, err := m.Place(ctx, Order{}); err != nil {
				t.Fatal(err)
			}
		}
		orders, total, err := m.Latest(ctx, 5)
		if len(orders) != 5 || orders[0].Number != FirstNumber+6 || orders[4].Number != FirstNumber+2 || total != 7 || err != nil {
			t.Errorf("Latest(5) = %v, %d, %v; want five of seven, newest first", orders, total, err)
		}
	})
	t.Run("concurrent orders get different numbers", func(t *testing.T) {
		var m Memory
		var wait sync.WaitGroup
		for range 50 {
			wait.Go(func() { m.Place(ctx, Order{}) })
		}
		wait.Wait()
		orders, total, _ := m.Latest(ctx, 100)
		seen := make(map[int64]bool)
		for _, order := range orders {
			seen[order.Number] = true
		}
		if total != 50 || len(seen) != 50 {
			t.Errorf("%d orders with %d numbers; want 50 and 50", total, len(seen))
		}
	})
}
