package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/singleshot-edge/singleshot/core"
	"github.com/singleshot-edge/singleshot/edge"
)

// Store is an edge.Store, an edge.Answers and an edge.Joiner in a database. It is safe for concurrent use, and any
// number of processes share the tables.
//
// It starts no goroutine: what is over is swept by calls that write, some rows at a time.
type Store struct {
	db      *sql.DB
	dialect Dialect
	say     *statements
	waiting waiting

	mu    sync.Mutex
	swept time.Time // by this process
}

var (
	_ edge.Joiner  = (*Store)(nil)
	_ edge.Answers = (*Store)(nil)
)

// Open makes the tables where they are not there, and returns the store in them. db stays the caller's: Open changes
// none of its settings, and nothing of the store is left open when db closes. Each guarded request takes up to two
// connections at a time, one that waits for another takes none meanwhile.
func Open(ctx context.Context, db *sql.DB, d Dialect) (*Store, error) {
	say, err := d.statements()
	if err != nil {
		return nil, err
	}
	if err := d.migrate(ctx, db); err != nil {
		return nil, fmt.Errorf("sqlstore: make the tables: %w", err)
	}
	return &Store{db: db, dialect: d, say: say}, nil
}

// querier is a database or a transaction.
type querier interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// within runs fn in a transaction.
func (s *Store) within(ctx context.Context, fn func(tx *sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := fn(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// failed is an error of a call: the context's own where that is over.
func failed(ctx context.Context, what string, err error) error {
	if err == nil {
		return nil
	}
	if over := ctx.Err(); over != nil {
		err = over
	}
	return fmt.Errorf("sqlstore: %s: %w", what, err)
}

// errRefused takes back a transaction whose swap was refused.
var errRefused = errors.New("refused")

// errUnsettled is what is left if a record changes back and forth between each write and read.
var errUnsettled = errors.New("the record keeps changing")

// Swap is edge.Store's.
func (s *Store) Swap(ctx context.Context, at edge.Address, w edge.Write) (edge.Row, bool, error) {
	if w.Version == (core.Version{}) {
		return edge.Row{}, false, errors.New("sqlstore: a write without a version")
	}
	for range 10 {
		swapped, err := s.try(ctx, at, w)
		if err != nil {
			return edge.Row{}, false, failed(ctx, "swap", err)
		}
		if swapped {
			s.waiting.wake(at.Name)
			s.sweepSometimes(ctx)
			return edge.Row{}, true, nil
		}
		found, err := s.read(ctx, at)
		if err != nil {
			return edge.Row{}, false, failed(ctx, "swap", err)
		}
		// What refused the write may be gone by now: then it is tried again, so that a refusal shows its reason.
		if found.Version != w.Old || w.Lapsed && found.Lease > 0 {
			return found, false, nil
		}
	}
	return edge.Row{}, false, failed(ctx, "swap", errUnsettled)
}

// try makes the write with its note, or nothing.
func (s *Store) try(ctx context.Context, at edge.Address, w edge.Write) (swapped bool, err error) {
	if len(w.Note) == 0 {
		return s.put(ctx, s.db, at, w)
	}
	err = s.within(ctx, func(tx *sql.Tx) error {
		if swapped, err = s.put(ctx, tx, at, w); err != nil || swapped {
			return err
		}
		return errRefused
	})
	if err == errRefused {
		err = nil
	}
	return swapped && err == nil, err
}

// put makes the write and its note by q, which is a transaction if there is a note.
func (s *Store) put(ctx context.Context, q querier, at edge.Address, w edge.Write) (swapped bool, err error) {
	statement, head := s.say.swap, w.Head
	if head == nil {
		head = []byte{}
	}
	args := []any{at.Name, w.Version[:], w.Lease.Milliseconds(), w.TTL.Milliseconds(), w.BodyTTL.Milliseconds(), head, nil}
	if w.Body != nil {
		args[6] = w.Body
	}
	switch {
	case w.Old == (core.Version{}):
		statement = s.say.claim
	case w.Lapsed:
		statement = s.say.lapsed
		fallthrough
	default:
		args = append(args, w.Old[:])
	}
	result, err := q.ExecContext(ctx, statement, args...)
	if err != nil {
		return false, err
	}
	n, err := result.RowsAffected()
	if err != nil || n == 0 {
		return false, err
	}
	if len(w.Note) > 0 {
		err = s.note(ctx, q, at.Trail, edge.Note{Entries: w.Note, TTL: w.TTL})
	}
	return err == nil, err
}

// read returns what is stored.
func (s *Store) read(ctx context.Context, at edge.Address) (edge.Row, error) {
	var row edge.Row
	var version, body []byte
	var lease int64
	var embodied bool
	err := s.db.QueryRowContext(ctx, s.say.read, at.Name, at.Trail).Scan(&version, &lease, &row.Head, &body, &embodied, &row.Mismatches)
	if errors.Is(err, sql.ErrNoRows) {
		return edge.Row{}, nil
	}
	if err != nil {
		return edge.Row{}, err
	}
	if len(version) != len(row.Version) {
		return edge.Row{}, errors.New("a version of another length")
	}
	copy(row.Version[:], version)
	row.Lease = time.Duration(lease) * time.Millisecond
	if embodied {
		row.Body = append([]byte{}, body...)
	}
	return row, nil
}

// Renew is edge.Store's.
func (s *Store) Renew(ctx context.Context, at edge.Address, version core.Version, lease time.Duration) (bool, error) {
	result, err := s.db.ExecContext(ctx, s.say.renew, at.Name, version[:], lease.Milliseconds())
	if err != nil {
		return false, failed(ctx, "renew", err)
	}
	n, err := result.RowsAffected()
	return n > 0, failed(ctx, "renew", err)
}

// Forget is edge.Store's.
func (s *Store) Forget(ctx context.Context, at edge.Address, names []string) error {
	err := s.within(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, s.say.forgetTrail, at.Trail); err != nil {
			return err
		}
		for _, name := range names {
			if _, err := tx.ExecContext(ctx, s.say.forget, name); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return failed(ctx, "forget", err)
	}
	for _, name := range names {
		s.waiting.wake(name)
	}
	return nil
}
