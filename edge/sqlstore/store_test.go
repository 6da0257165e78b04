//go:build unix

package sqlstore_test

import (
	"database/sql"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/singleshot-edge/singleshot/core"
	"github.com/singleshot-edge/singleshot/core/coretest"
	"github.com/singleshot-edge/singleshot/edge"
	"github.com/singleshot-edge/singleshot/edge/sqlstore"
)

func TestMain(m *testing.M) {
	if source := os.Getenv("PAYMENTS"); source != "" {
		fmt.Fprintln(os.Stderr, "sqlstore:", servePayments(source))
		os.Exit(1)
	}
	flag.Parse()
	code := m.Run()
	if postgresqlOne != nil {
		postgresqlOne.remove()
	}
	os.Exit(code)
}

func quietLogger() *slog.Logger { return slog.New(slog.DiscardHandler) }

func open(t *testing.T, driver, source string) *sql.DB {
	t.Helper()
	db, err := sql.Open(driver, source)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxIdleConns(20)
	t.Cleanup(func() { db.Close() })
	return db
}

// sqliteSource names a file to the driver, with the settings that docs/go.md advises.
func sqliteSource(file string) string {
	return "file:" + file + "?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)&_txlock=immediate&_pragma=foreign_keys(1)"
}

func storeIn(t *testing.T, db *sql.DB, d sqlstore.Dialect) *sqlstore.Store {
	t.Helper()
	s, err := sqlstore.Open(t.Context(), db, d)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSQLite(t *testing.T) {
	source := sqliteSource(filepath.Join(t.TempDir(), "records"))
	db := open(t, "sqlite", source)
	s := storeIn(t, db, sqlstore.SQLite)
	coretest.TestStore(t, func(*testing.T) coretest.StoreUnderTest {
		under := &reopened{Store: s}
		return coretest.StoreUnderTest{Store: under, Restart: func() {
			under.Store = storeIn(t, open(t, "sqlite", source), sqlstore.SQLite)
		}}
	})
}

// reopened is a store whose process has been replaced by another one.
type reopened struct{ *sqlstore.Store }

func TestPostgreSQL(t *testing.T) {
	p := startPostgreSQL(t)
	db, _ := p.database(t)
	s := storeIn(t, db, sqlstore.PostgreSQL)
	coretest.TestStore(t, func(*testing.T) coretest.StoreUnderTest {
		return coretest.StoreUnderTest{Store: s, Restart: func() {
			p.crash()
			if err := p.start(); err != nil {
				t.Fatal(err)
			}
		}}
	})
}

// each runs a test on both databases.
func each(t *testing.T, test func(t *testing.T, db *sql.DB, s *sqlstore.Store)) {
	t.Run("SQLite", func(t *testing.T) {
		db := open(t, "sqlite", sqliteSource(filepath.Join(t.TempDir(), "records")))
		test(t, db, storeIn(t, db, sqlstore.SQLite))
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		db, _ := startPostgreSQL(t).database(t)
		test(t, db, storeIn(t, db, sqlstore.PostgreSQL))
	})
}

func TestTablesAreMadeOnce(t *testing.T) {
	each(t, func(t *testing.T, db *sql.DB, s *sqlstore.Store) {
		at := edge.Address{Name: strings.Repeat("a", 32), Trail: strings.Repeat("b", 32)}
		w := edge.Write{Version: core.Version{1}, TTL: time.Hour}
		if _, swapped, err := s.Swap(t.Context(), at, w); !swapped || err != nil {
			t.Fatalf("Swap = %v, %v; want it made", swapped, err)
		}
		dialect := sqlstore.SQLite
		if strings.HasSuffix(t.Name(), "PostgreSQL") {
			dialect = sqlstore.PostgreSQL
		}
		errs := make(chan error, 8)
		for range cap(errs) { // processes that start together
			go func() {
				_, err := sqlstore.Open(t.Context(), db, dialect)
				errs <- err
			}()
		}
		for range cap(errs) {
			if err := <-errs; err != nil {
				t.Errorf("Open = %v; want no error", err)
			}
		}
		if found, _, err := s.Wait(t.Context(), at, core.Version{}, 0); found.Version != w.Version || err != nil {
			t.Errorf("found %v, %v; want what was there", found, err)
		}
	})
}

func TestSQLiteWithoutABusyTimeoutIsRefused(t *testing.T) {
	db := open(t, "sqlite", "file:"+filepath.Join(t.TempDir(), "records"))
	if _, err := sqlstore.Open(t.Context(), db, sqlstore.SQLite); err == nil || !strings.Contains(err.Error(), "busy timeout") {
		t.Errorf("Open = %v; want the reason", err)
	}
}

func TestWhatIsOverIsSwept(t *testing.T) {
	each(t, func(t *testing.T, db *sql.DB, s *sqlstore.Store) {
		const soon = 30 * time.Millisecond
		entry := make([]byte, core.TrailEntrySize)
		for i, w := range []edge.Write{
			{TTL: soon, Note: entry},
			{TTL: time.Hour, BodyTTL: soon, Body: []byte("body"), Note: entry},
			{TTL: time.Hour, BodyTTL: time.Hour, Body: []byte("body")},
			{TTL: soon, Lease: time.Hour},
		} {
			name := strings.Repeat(string(rune('a'+i)), 32)
			w.Version = core.Version{1}
			if _, swapped, err := s.Swap(t.Context(), edge.Address{Name: name, Trail: name}, w); !swapped || err != nil {
				t.Fatalf("Swap = %v, %v; want it made", swapped, err)
			}
		}
		for _, ttl := range []time.Duration{soon, time.Hour} {
			if err := s.Keep(t.Context(), "answer "+ttl.String(), []byte("large"), ttl); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(2 * soon)
		if err := s.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			query string
			want  int
		}{
			{"SELECT count(*) FROM singleshot_records", 3},
			{"SELECT count(*) FROM singleshot_records WHERE body IS NOT NULL", 1},
			{"SELECT count(*) FROM singleshot_trails", 1},
			{"SELECT count(*) FROM singleshot_answers", 1},
		} {
			var got int
			if err := db.QueryRow(c.query).Scan(&got); err != nil || got != c.want {
				t.Errorf("%s = %d, %v; want %d", c.query, got, err, c.want)
			}
		}
	})
}

func TestAnswersAreKeptForTheirTime(t *testing.T) {
	each(t, func(t *testing.T, _ *sql.DB, s *sqlstore.Store) {
		ctx := t.Context()
		large := strings.Repeat("x", 3<<20)
		if err := s.Keep(ctx, "a.b", []byte(large), time.Hour); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Fetch(ctx, "a.b"); string(got) != large || err != nil {
			t.Errorf("Fetch = %d bytes, %v; want what was kept", len(got), err)
		}
		if err := s.Keep(ctx, "a.b", []byte("other"), time.Hour); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Fetch(ctx, "a.b"); string(got) != "other" || err != nil {
			t.Errorf("Fetch = %q, %v; want the last value", got, err)
		}
		if err := s.Keep(ctx, "a.b", []byte("short"), time.Millisecond); err != nil {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond)
		if got, err := s.Fetch(ctx, "a.b"); got != nil || err != nil {
			t.Errorf("Fetch after its time = %q, %v; want nothing", got, err)
		}
		if err := s.Keep(ctx, "c", []byte{1}, time.Hour); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := s.Drop(ctx, "c"); err != nil {
				t.Errorf("Drop = %v; want no error", err)
			}
		}
		if got, err := s.Fetch(ctx, "c"); got != nil || err != nil {
			t.Errorf("Fetch of what was dropped = %q, %v; want nothing", got, err)
		}
	})
}
