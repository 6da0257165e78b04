package sqlstore

import (
	"bytes"
	"context"
	"database/sql"
	"errors"

	"github.com/singleshot-edge/singleshot/core"
	"github.com/singleshot-edge/singleshot/edge"
)

// Note is edge.Store's.
func (s *Store) Note(ctx context.Context, at edge.Address, n edge.Note) error {
	err := s.within(ctx, func(tx *sql.Tx) error { return s.note(ctx, tx, at.Trail, n) })
	return failed(ctx, "note", err)
}

// note adds to a trail, in a transaction.
func (s *Store) note(ctx context.Context, q querier, name string, n edge.Note) error {
	var there bool
	var count, mismatches int
	var entries []byte
	if err := q.QueryRowContext(ctx, s.say.open, name, []byte{}).Scan(&there, &count, &mismatches, &entries); err != nil {
		return err
	}
	if !there {
		count, mismatches, entries = 0, 0, nil
	}
	const first, most = edge.TrailFirst * core.TrailEntrySize, (edge.TrailFirst + edge.TrailLast) * core.TrailEntrySize
	all := bytes.Join([][]byte{entries, n.Entries}, nil)
	if rest := len(all) - most; rest > 0 {
		all = append(all[:first:first], all[first+rest:]...)
	}
	if n.Mismatch {
		mismatches++
	}
	count += len(n.Entries) / core.TrailEntrySize
	_, err := q.ExecContext(ctx, s.say.note, name, n.TTL.Milliseconds(), count, mismatches, all)
	return err
}

// Trail is edge.Store's.
func (s *Store) Trail(ctx context.Context, at edge.Address) (edge.Trail, error) {
	var t edge.Trail
	err := s.db.QueryRowContext(ctx, s.say.trail, at.Trail).Scan(&t.Count, &t.Entries)
	if errors.Is(err, sql.ErrNoRows) {
		return edge.Trail{}, nil
	}
	return t, failed(ctx, "trail", err)
}
