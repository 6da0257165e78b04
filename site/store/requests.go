package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// State is where a request stands.
type State string

// The states of a request, in their order.
const (
	Draft    State = "draft"
	Review   State = "review"
	Approved State = "approved"
)

// Request is a purchase request that people work on together.
type Request struct {
	ID       string
	Version  int64 // counts every change
	State    State
	Item     string
	Quantity int64
	Actor    string    // who made the last change
	Made     time.Time // UTC; only AddRequest reads it
}

// AddRequest keeps a new request as version 1.
func (s *Store) AddRequest(ctx context.Context, r Request) error {
	return s.do(ctx, "add a request", `INSERT INTO requests (id, version, state, item, quantity, actor, made) VALUES (?, 1, ?, ?, ?, ?, ?)`,
		r.ID, string(r.State), r.Item, r.Quantity, r.Actor, millis(r.Made))
}

// Request returns a request, or ErrNone.
func (s *Store) Request(ctx context.Context, id string) (Request, error) {
	return s.request(s.db.QueryRowContext(ctx, `SELECT id, version, state, item, quantity, actor FROM requests WHERE id = ?`, id))
}

// Change puts a request into a new form if it still has the version that next was made from; else nothing
// happens, and Change returns ErrNone. It returns the request with its new version.
func (s *Store) Change(ctx context.Context, next Request) (Request, error) {
	return s.request(s.db.QueryRowContext(ctx, `UPDATE requests SET version = version + 1, state = ?, item = ?, quantity = ?, actor = ?
		WHERE id = ? AND version = ? RETURNING id, version, state, item, quantity, actor`,
		string(next.State), next.Item, next.Quantity, next.Actor, next.ID, next.Version))
}

func (s *Store) request(row *sql.Row) (Request, error) {
	var r Request
	var state string
	err := row.Scan(&r.ID, &r.Version, &state, &r.Item, &r.Quantity, &r.Actor)
	if errors.Is(err, sql.ErrNoRows) {
		return Request{}, ErrNone
	}
	if err != nil {
		return Request{}, fmt.Errorf("store: a request: %w", err)
	}
	r.State = State(state)
	return r, nil
}
