//go:build unix

package sqlstore_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/singleshot-edge/singleshot/core"
	"github.com/singleshot-edge/singleshot/edge"
	"github.com/singleshot-edge/singleshot/edge/sqlstore"
)

// ledger is an application whose payments are in the store's database.
type ledger struct {
	t       *testing.T
	db      *sql.DB
	store   *sqlstore.Store
	handler http.Handler
	log     strings.Builder
}

func newLedger(t *testing.T, db *sql.DB, s *sqlstore.Store, pay http.HandlerFunc) *ledger {
	t.Helper()
	for _, statement := range []string{
		"CREATE TABLE people (id integer PRIMARY KEY)",
		"INSERT INTO people VALUES (1)",
		`CREATE TABLE payments (attempt text NOT NULL, person integer NOT NULL
			REFERENCES people (id) DEFERRABLE INITIALLY DEFERRED)`,
	} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	l := &ledger{t: t, db: db, store: s}
	l.handler = edge.Handler(pay, edge.Options{
		Secret: "a-secret-for-tests-0123456789abcdef", Store: s, Logger: slog.New(slog.NewTextHandler(&l.log, nil)),
		Rules: []edge.Rule{{Match: "/**", Key: "header", Subject: "none"}},
	})
	return l
}

// insert notes a payment in a transaction.
func (l *ledger) insert(r *http.Request, person int) error {
	return l.store.Transact(r.Context(), func(tx *sql.Tx) error {
		_, err := tx.ExecContext(r.Context(), "INSERT INTO payments VALUES ($1, $2)", r.Header.Get("Idempotency-Attempt"), person)
		return err
	})
}

// send sends a payment and checks the answer.
func (l *ledger) send(key string, status int, outcome string) {
	l.t.Helper()
	r := httptest.NewRequest("POST", "/pay", strings.NewReader("{}"))
	r.Header.Set("Content-Type", "application/json")
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	w := httptest.NewRecorder()
	func() {
		defer func() {
			if v := recover(); v != nil && v != http.ErrAbortHandler {
				panic(v)
			}
		}()
		l.handler.ServeHTTP(w, r)
	}()
	if got := w.Header().Get("Idempotency-Status"); w.Code != status || got != outcome {
		l.t.Errorf("answer = %d %q, %.300s; want %d %q\n%s", w.Code, got, w.Body, status, outcome, l.log.String())
	}
}

// paid checks the attempts whose payments are there.
func (l *ledger) paid(want string, why string) {
	l.t.Helper()
	rows, err := l.db.Query("SELECT attempt FROM payments ORDER BY attempt")
	if err != nil {
		l.t.Fatal(err)
	}
	defer rows.Close()
	var got []string
	for rows.Next() {
		var attempt string
		if err := rows.Scan(&attempt); err != nil {
			l.t.Fatal(err)
		}
		got = append(got, attempt)
	}
	if err := rows.Err(); err != nil || strings.Join(got, " ") != want {
		l.t.Errorf("payments of the attempts %q, %v; want %q: %s", got, err, want, why)
	}
}

const key = "0123456789abcdef"

// eachLedger runs a test on both databases; foreign keys are checked at the commit.
func eachLedger(t *testing.T, test func(t *testing.T, open func(pay func(l *ledger) http.HandlerFunc) *ledger)) {
	each(t, func(t *testing.T, db *sql.DB, s *sqlstore.Store) {
		test(t, func(pay func(l *ledger) http.HandlerFunc) *ledger {
			var l *ledger
			l = newLedger(t, db, s, func(w http.ResponseWriter, r *http.Request) { pay(l)(w, r) })
			return l
		})
	})
}

func TestEffectAndRecordAreThereTogetherOrNotAtAll(t *testing.T) {
	eachLedger(t, func(t *testing.T, open func(func(l *ledger) http.HandlerFunc) *ledger) {
		runs := 0
		fate := map[int]func(l *ledger, w http.ResponseWriter, r *http.Request){
			1: func(l *ledger, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(422) },
			2: func(*ledger, http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
			3: func(l *ledger, w http.ResponseWriter, r *http.Request) {
				if err := l.insert(r, 99); err != nil { // nobody has this number, as the commit will find
					t.Errorf("Transact = %v; want no error before the commit", err)
				}
			},
		}
		l := open(func(l *ledger) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				runs++
				if err := l.insert(r, 1); err != nil {
					t.Errorf("Transact = %v; want no error", err)
				}
				if f := fate[runs]; f != nil {
					f(l, w, r)
				}
				io.WriteString(w, "paid")
			}
		})
		l.send(key, 422, "released")
		l.paid("", "an answer that gives the key back takes the payment back")
		l.send(key, 502, "unknown")
		l.paid("", "so does a panic")
		l.send(key, 502, "released")
		l.paid("", "so does a commit that fails, and nobody is told that it went through")
		l.send(key, 200, "created")
		l.send(key, 200, "replayed")
		l.paid("4", "each key commits once")
		if runs != 4 {
			t.Errorf("%d runs; want 4", runs)
		}
	})
}

func TestTransactWithoutAKeyIsATransaction(t *testing.T) {
	eachLedger(t, func(t *testing.T, open func(func(l *ledger) http.HandlerFunc) *ledger) {
		l := open(func(l *ledger) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				if err := l.insert(r, 1); err != nil {
					t.Errorf("Transact = %v; want no error", err)
				}
				if err := l.insert(r, 99); err == nil {
					t.Error("Transact = nil; want the commit's error")
				}
			}
		})
		l.send("", 200, "")
		l.paid("", "")
		var n int
		if err := l.db.QueryRow("SELECT count(*) FROM payments").Scan(&n); err != nil || n != 1 {
			t.Errorf("%d payments, %v; want 1", n, err)
		}
		odd := errors.New("no")
		if err := l.store.Transact(t.Context(), func(*sql.Tx) error { return odd }); err != odd {
			t.Errorf("Transact = %v; want fn's own error", err)
		}
	})
}

func TestAnErrorOfFnTakesBackAndTheNextTransactBegins(t *testing.T) {
	eachLedger(t, func(t *testing.T, open func(func(l *ledger) http.HandlerFunc) *ledger) {
		l := open(func(l *ledger) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				ctx, cancel := context.WithCancel(r.Context())
				_ = l.insert(r, 1)
				if err := l.store.Transact(ctx, func(tx *sql.Tx) error {
					_, err := tx.Exec("INSERT INTO nowhere VALUES (1)")
					return err
				}); err == nil {
					t.Error("Transact = nil; want fn's error")
				}
				if err := l.insert(r.WithContext(ctx), 1); err != nil {
					t.Errorf("Transact = %v; want a new transaction", err)
				}
				cancel() // a context of the application's own does not end the transaction
				io.WriteString(w, "paid")
			}
		})
		l.send(key, 200, "created")
		l.paid("1", "the first was taken back, the second is there")
	})
}

func TestAHolderThatLostItsClaimIsTakenBack(t *testing.T) {
	eachLedger(t, func(t *testing.T, open func(func(l *ledger) http.HandlerFunc) *ledger) {
		var inner atomic.Bool
		l := open(func(l *ledger) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				if inner.CompareAndSwap(false, true) {
					// Its lease ends, and another run takes over and commits, before this one pays.
					if _, err := l.db.Exec("UPDATE singleshot_records SET lease = 0"); err != nil {
						t.Fatal(err)
					}
					l.send(key, 200, "created")
				}
				if err := l.insert(r, 1); err != nil {
					t.Errorf("Transact = %v; want no error", err)
				}
				io.WriteString(w, "paid")
			}
		})
		l.send(key, 502, "unknown")
		l.paid("2", "a late holder neither commits nor pays (I3)")
		l.send(key, 200, "replayed")
	})
}

func TestTheWordOfACommitIsFoundOut(t *testing.T) {
	each(t, func(t *testing.T, db *sql.DB, s *sqlstore.Store) {
		if _, err := db.Exec("CREATE TABLE payments (n integer)"); err != nil {
			t.Fatal(err)
		}
		for i, c := range []struct {
			sabotage func(at edge.Address, tx *sql.Tx)
			undone   bool
			paid     int
			why      string
		}{
			{func(edge.Address, *sql.Tx) {}, false, 1, "nothing goes wrong"},
			{func(_ edge.Address, tx *sql.Tx) { tx.Commit() }, true, 1, "fn must not commit: the record is not there"},
			{func(_ edge.Address, tx *sql.Tx) { tx.Rollback() }, true, 0, "the transaction is gone"},
			{func(at edge.Address, _ *sql.Tx) {
				if strings.HasSuffix(t.Name(), "PostgreSQL") { // in SQLite nobody can write meanwhile
					if err := s.Forget(t.Context(), at, []string{at.Name}); err != nil {
						t.Error(err)
					}
				}
			}, strings.HasSuffix(t.Name(), "PostgreSQL"), 0, "the record was forgotten meanwhile"},
		} {
			name := fmt.Sprintf("%032d", i)
			at := edge.Address{Name: name, Trail: name}
			claim := edge.Write{Version: core.Version{1}, Lease: time.Hour, TTL: time.Hour}
			if _, swapped, err := s.Swap(t.Context(), at, claim); !swapped || err != nil {
				t.Fatalf("Swap = %v, %v; want it made", swapped, err)
			}
			if _, err := db.Exec("DELETE FROM payments"); err != nil {
				t.Fatal(err)
			}
			ctx, joint := s.Join(t.Context())
			if err := s.Transact(ctx, func(tx *sql.Tx) error {
				if _, err := tx.Exec("INSERT INTO payments VALUES (1)"); err != nil {
					return err
				}
				c.sabotage(at, tx)
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			err := joint.Commit(t.Context(), at, edge.Write{Old: core.Version{1}, Version: core.Version{2}, TTL: time.Hour})
			for range 3 {
				if err != nil && !errors.Is(err, edge.ErrUndone) {
					err = joint.Commit(t.Context(), at, edge.Write{Old: core.Version{1}, Version: core.Version{2}, TTL: time.Hour})
				}
			}
			if errors.Is(err, edge.ErrUndone) != c.undone || !c.undone && err != nil {
				t.Errorf("Commit = %v; want it undone: %v: %s", err, c.undone, c.why)
			}
			if err := s.Transact(ctx, func(*sql.Tx) error { return nil }); err == nil {
				t.Error("Transact after the answer = nil; want an error")
			}
			var paid int
			if err := db.QueryRow("SELECT count(*) FROM payments").Scan(&paid); err != nil {
				t.Fatal(err)
			}
			if want := c.paid; paid != want && !(c.paid == 0 && !c.undone) {
				t.Errorf("%d payments; want %d: %s", paid, want, c.why)
			}
		}
	})
}

func TestManyDuplicatesOfOneTransaction(t *testing.T) {
	eachLedger(t, func(t *testing.T, open func(func(l *ledger) http.HandlerFunc) *ledger) {
		l := open(func(l *ledger) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				if err := l.insert(r, 1); err != nil {
					t.Errorf("Transact = %v; want no error", err)
				}
				io.WriteString(w, "paid")
			}
		})
		var all sync.WaitGroup
		var created atomic.Int32
		for range 20 {
			all.Go(func() {
				r := httptest.NewRequest("POST", "/pay", strings.NewReader("{}"))
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set("Idempotency-Key", key)
				w := httptest.NewRecorder()
				l.handler.ServeHTTP(w, r)
				if w.Code != 200 || w.Body.String() != "paid" {
					t.Errorf("answer = %d %q; want the first one's", w.Code, w.Body)
				}
				if w.Header().Get("Idempotency-Status") == "created" {
					created.Add(1)
				}
			})
		}
		all.Wait()
		l.paid("1", "each key commits once")
		if created.Load() != 1 {
			t.Errorf("%d created; want 1", created.Load())
		}
	})
}
