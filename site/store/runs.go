package store

import (
	"context"
	"time"
)

// AddRun notes that the application ran for an attack of the page of attacks.
func (s *Store) AddRun(ctx context.Context, attack string, now time.Time) error {
	return s.do(ctx, "note a run", `INSERT INTO runs (attack, at) VALUES (?, ?)`, attack, millis(now))
}

// CountRuns is how often the application ran for an attack.
func (s *Store) CountRuns(ctx context.Context, attack string) (int64, error) {
	return s.count(ctx, "count runs", `SELECT COUNT(*) FROM runs WHERE attack = ?`, attack)
}

// AddEvent notes that the webhook's handler worked on an event.
func (s *Store) AddEvent(ctx context.Context, id string, now time.Time) error {
	return s.do(ctx, "note an event", `INSERT INTO events (id, at) VALUES (?, ?)`, id, millis(now))
}

// CountEvents is how often the webhook's handler worked on an event.
func (s *Store) CountEvents(ctx context.Context, id string) (int64, error) {
	return s.count(ctx, "count events", `SELECT COUNT(*) FROM events WHERE id = ?`, id)
}
