// Package store keeps what the demo origin remembers, in SQLite: D1 on Cloudflare Workers, an embedded SQLite
// natively, the same statements in both. Every method is one or two statements and no transaction, because D1
// has none over several calls. All methods may be called concurrently. Rows that are older than 25 hours go away with
// the writes of others (migrations/0003_sweep.sql).
//
// An error other than the ones that a method names means that the database could not be reached; after it, a
// write may or may not have happened.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"
)

// ErrNone says that there is no such row.
var ErrNone = errors.New("store: no such row")

// Store is the database.
type Store struct{ db *sql.DB }

// New keeps things in a database that has the schema of the migrations.
func New(db *sql.DB) *Store { return &Store{db} }

// count is the number that a statement answers with.
func (s *Store) count(ctx context.Context, what, query string, args ...any) (int64, error) {
	var n int64
	if err := s.db.QueryRowContext(ctx, query, args...).Scan(&n); err != nil {
		return 0, fmt.Errorf("store: %s: %w", what, err)
	}
	return n, nil
}

// do runs a statement that answers nothing.
func (s *Store) do(ctx context.Context, what, query string, args ...any) error {
	if _, err := s.db.ExecContext(ctx, query, args...); err != nil {
		return fmt.Errorf("store: %s: %w", what, err)
	}
	return nil
}

// broken reports whether a unique index on a column refused a write. Neither driver has an error value for it;
// the text is SQLite's own and the same in both.
func broken(err error, column string) bool {
	return err != nil && strings.Contains(err.Error(), "UNIQUE constraint failed: "+column)
}

func millis(t time.Time) int64 { return t.UnixMilli() }

func instant(ms int64) time.Time { return time.UnixMilli(ms).UTC() }
