package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"

	"github.com/singleshot-edge/singleshot/edge"
)

// Transact runs fn in a transaction of the store's database.
//
// In a request that edge.Handler guards with this store, it is the transaction that the commit of the request's key
// joins: it is not committed here but after the handler has answered, together with the record, in one step. So what
// fn did and the answer to it are there together or not at all, whenever the process dies; the next submit of the key
// then either replays or runs, and the effect is there once. A run that lost its claim to another one is rolled back
// too. Where the answer gives the key back (a 422, a sign-in redirect, a panic), the transaction is rolled back. All
// calls of one request share it. ctx must come from the request's.
//
// In every other request, and outside of requests, the transaction is fn's own and committed when fn returns nil.
//
// An error of fn rolls the transaction back and is returned. fn must not commit, roll back or keep tx, nor call
// Transact: that would wait for itself.
func (s *Store) Transact(ctx context.Context, fn func(tx *sql.Tx) error) error {
	if j, ok := ctx.Value(jointKey{s}).(*joint); ok {
		return j.transact(fn)
	}
	return s.within(ctx, fn)
}

type jointKey struct{ store *Store }

// Join is edge.Joiner's.
func (s *Store) Join(ctx context.Context) (context.Context, edge.Joint) {
	j := &joint{s: s, ctx: ctx}
	return context.WithValue(ctx, jointKey{s}, j), j
}

// joint is the transaction of one run.
type joint struct {
	s   *Store
	ctx context.Context // of the run: the transaction must not end with a context that fn's caller made

	mu     sync.Mutex
	tx     *sql.Tx
	unsure bool // a commit was asked for, and nobody knows what became of it
	over   bool
}

// errAnswered is for a Transact that comes after the answer.
var errAnswered = errors.New("sqlstore: the transaction of this request has ended")

func (j *joint) transact(fn func(tx *sql.Tx) error) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.over || j.unsure {
		return errAnswered
	}
	if j.tx == nil {
		tx, err := j.s.db.BeginTx(j.ctx, nil)
		if err != nil {
			return fmt.Errorf("sqlstore: begin: %w", err)
		}
		j.tx = tx
	}
	if err := fn(j.tx); err != nil {
		j.rollback()
		return err
	}
	return nil
}

// rollback ends the transaction. Where even that fails, its connection is broken, and the database ends it.
func (j *joint) rollback() {
	if j.tx != nil {
		_ = j.tx.Rollback()
		j.tx = nil
	}
}

// Open is edge.Joint's.
func (j *joint) Open() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.tx != nil || j.unsure
}

// Undo is edge.Joint's.
func (j *joint) Undo() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.rollback()
	j.over = true
}

// Commit is edge.Joint's.
func (j *joint) Commit(ctx context.Context, at edge.Address, w edge.Write) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.over = true
	if j.unsure {
		return j.look(ctx, at, w)
	}
	if j.tx == nil {
		return edge.ErrUndone
	}
	swapped, err := j.s.put(ctx, j.tx, at, w)
	if err != nil || !swapped {
		j.rollback()
		if err == nil {
			err = errors.New("the claim is another's")
		}
		return fmt.Errorf("sqlstore: %w: %w", edge.ErrUndone, err)
	}
	err = j.tx.Commit()
	j.tx = nil
	if err != nil {
		j.unsure = true
		return fmt.Errorf("sqlstore: commit: %w", err)
	}
	j.s.waiting.wake(at.Name)
	return nil
}

// look finds out what became of a commit whose word was lost. The read waits for the end of the transaction if the
// database still works on it, because that holds the row.
func (j *joint) look(ctx context.Context, at edge.Address, w edge.Write) error {
	var version []byte
	err := j.s.db.QueryRowContext(ctx, j.s.say.look, at.Name).Scan(&version)
	switch {
	case err != nil && !errors.Is(err, sql.ErrNoRows):
		return failed(ctx, "commit", err)
	case string(version) == string(w.Version[:]):
		j.unsure = false
		j.s.waiting.wake(at.Name)
		return nil
	}
	j.unsure = false
	return edge.ErrUndone
}
