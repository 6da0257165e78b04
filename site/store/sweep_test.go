//go:build !js && !wasip1

package store

import (
	"fmt"
	"testing"
	"time"
)

// Every table lets go of what is old with its next row, a bounded number at a time.
func TestOldRowsAreSweptByTheNextOnes(t *testing.T) {
	for _, c := range []struct {
		table string
		add   func(s *Store, id string, at time.Time) error
	}{
		{"orders", func(s *Store, _ string, at time.Time) error {
			_, err := s.Place(ctx, Order{Item: "tea", Amount: 1, Placed: at})
			return err
		}},
		{"payments", func(s *Store, id string, at time.Time) error {
			_, _, err := s.Pay(ctx, Payment{Key: id, Amount: 1, Made: at})
			return err
		}},
		{"jobs", func(s *Store, id string, at time.Time) error { return s.StartJob(ctx, Job{ID: id, Started: at}) }},
		{"job_runs", func(s *Store, id string, at time.Time) error { _, err := s.RunJob(ctx, id, at); return err }},
		{"exports", func(s *Store, id string, at time.Time) error { _, err := s.RunJob(ctx, id, at); return err }},
		{"requests", func(s *Store, id string, at time.Time) error {
			return s.AddRequest(ctx, Request{ID: id, State: Draft, Quantity: 1, Made: at})
		}},
		{"events", func(s *Store, id string, at time.Time) error { return s.AddEvent(ctx, id, at) }},
		{"runs", func(s *Store, id string, at time.Time) error { return s.AddRun(ctx, id, at) }},
	} {
		t.Run(c.table, func(t *testing.T) {
			s, n := memory(t), 0
			add := func(rows int, at time.Time, want int64, why string) {
				t.Helper()
				for range rows {
					n++
					if err := c.add(s, fmt.Sprint(n), at); err != nil {
						t.Fatal(err)
					}
				}
				if got, err := s.count(ctx, "count", `SELECT COUNT(*) FROM `+c.table); got != want || err != nil {
					t.Errorf("%d rows, %v; want %d: %s", got, err, want, why)
				}
			}
			add(45, when, 45, "they are new")
			add(1, when.Add(25*time.Hour), 46, "an answer of 24 hours ago may still name them")
			add(1, when.Add(25*time.Hour+time.Second), 27, "twenty of them go, and no more at a time")
			add(2, when.Add(26*time.Hour), 4, "the others follow")
			add(1, when.Add(48*time.Hour), 5, "what is younger stays")
		})
	}
	s := memory(t)
	if _, err := s.Place(ctx, Order{Amount: 1, Placed: when}); err != nil {
		t.Fatal(err)
	}
	if next, err := s.Place(ctx, Order{Amount: 1, Placed: when.Add(72 * time.Hour)}); next.Number != FirstNumber+1 || err != nil {
		t.Errorf("Place = %d, %v; want %d: a number that was swept is not given again", next.Number, err, FirstNumber+1)
	}
}
