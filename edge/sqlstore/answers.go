package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// Keep is edge.Answers'.
func (s *Store) Keep(ctx context.Context, name string, value []byte, ttl time.Duration) error {
	_, err := s.db.ExecContext(ctx, s.say.keep, name, ttl.Milliseconds(), value)
	return failed(ctx, "keep", err)
}

// Fetch is edge.Answers'.
func (s *Store) Fetch(ctx context.Context, name string) ([]byte, error) {
	var value []byte
	err := s.db.QueryRowContext(ctx, s.say.fetch, name).Scan(&value)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return value, failed(ctx, "fetch", err)
}

// Drop is edge.Answers'.
func (s *Store) Drop(ctx context.Context, name string) error {
	_, err := s.db.ExecContext(ctx, s.say.drop, name)
	return failed(ctx, "drop", err)
}
