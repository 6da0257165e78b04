package sqlstore

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"strings"
)

// Dialect is the SQL of a database.
type Dialect string

// The databases.
const (
	SQLite     Dialect = "sqlite"     // 3.42 or newer, with a busy timeout
	PostgreSQL Dialect = "postgresql" // 12 or newer
)

var (
	//go:embed schema/sqlite.sql
	schemaSQLite string
	//go:embed schema/postgresql.sql
	schemaPostgreSQL string
)

// Schema is the text that makes the tables. Open runs it; it changes nothing where they are there.
func (d Dialect) Schema() string {
	if d == PostgreSQL {
		return schemaPostgreSQL
	}
	return schemaSQLite
}

// migrate makes the tables. Processes that start together do it one after the other.
func (d Dialect) migrate(ctx context.Context, db *sql.DB) error {
	if d == SQLite {
		var timeout int
		if err := db.QueryRowContext(ctx, "PRAGMA busy_timeout").Scan(&timeout); err != nil {
			return err
		}
		if timeout == 0 {
			return errors.New("SQLite has no busy timeout, so calls at the same time would fail: set it in the data source name (modernc.org/sqlite: _pragma=busy_timeout(5000))")
		}
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if d == PostgreSQL { // CREATE TABLE IF NOT EXISTS alone can fail beside another
		if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock(hashtext('singleshot'))"); err != nil {
			return err
		}
	}
	for statement := range strings.SplitSeq(d.Schema(), ";\n") {
		if strings.TrimSpace(statement) == "" {
			continue
		}
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// statements are all that the store asks for.
type statements struct {
	claim, swap, lapsed, read, look, renew string
	open, note, trail                      string
	forgetTrail, forget                    string
	keep, fetch, drop                      string
	sweep                                  []string
}

// sweepMost is how many rows each statement of a sweep takes away: who runs it must not wait for long.
const sweepMost = 500

func (d Dialect) statements() (*statements, error) {
	var now, most, lock, skip string
	switch d {
	case SQLite:
		now, most = "CAST(unixepoch('subsec') * 1000 AS INTEGER)", "max"
	case PostgreSQL:
		// The clock of the statement, not of the transaction, which may be long.
		now, most = "CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS bigint)", "greatest"
		lock, skip = " FOR UPDATE", " FOR UPDATE SKIP LOCKED"
	default:
		return nil, fmt.Errorf("sqlstore: %q is no dialect", string(d))
	}
	text := func(s string) string {
		s = strings.NewReplacer("NOW", now, "MOST", most, "LOCK", lock, "SKIP", skip,
			"THERE", "(expires > "+now+" OR lease > "+now+")").Replace(s)
		if d == SQLite {
			s = strings.ReplaceAll(s, "$", "?")
		}
		return s
	}
	const set = `UPDATE singleshot_records SET version = $2, lease = NOW + $3, expires = NOW + $4, fades = NOW + $5, head = $6, body = $7
		WHERE name = $1 AND version = $8 AND THERE`
	s := &statements{
		claim: `INSERT INTO singleshot_records AS r (name, version, lease, expires, fades, head, body)
			VALUES ($1, $2, NOW + $3, NOW + $4, NOW + $5, $6, $7)
			ON CONFLICT (name) DO UPDATE SET version = excluded.version, lease = excluded.lease,
				expires = excluded.expires, fades = excluded.fades, head = excluded.head, body = excluded.body
			WHERE r.expires <= NOW AND r.lease <= NOW`,
		swap:   set,
		lapsed: set + " AND lease <= NOW",
		read: `SELECT version, lease - NOW, head, CASE WHEN fades > NOW THEN body END, body IS NOT NULL AND fades > NOW,
				COALESCE((SELECT mismatches FROM singleshot_trails WHERE name = $2 AND expires > NOW), 0)
			FROM singleshot_records WHERE name = $1 AND THERE`,
		look:  "SELECT version FROM singleshot_records WHERE name = $1 LOCK",
		renew: "UPDATE singleshot_records SET lease = NOW + $3 WHERE name = $1 AND version = $2 AND THERE",

		// The write that changes nothing locks the row, so that what it returns is still true at the next one.
		open: `INSERT INTO singleshot_trails (name, expires, count, mismatches, entries) VALUES ($1, 0, 0, 0, $2)
			ON CONFLICT (name) DO UPDATE SET name = excluded.name
			RETURNING expires > NOW, count, mismatches, entries`,
		note: `UPDATE singleshot_trails SET expires = MOST(expires, NOW + $2), count = $3, mismatches = $4, entries = $5
			WHERE name = $1`,
		trail: "SELECT count, entries FROM singleshot_trails WHERE name = $1 AND expires > NOW",

		forgetTrail: "DELETE FROM singleshot_trails WHERE name = $1",
		forget:      "DELETE FROM singleshot_records WHERE name = $1",

		keep: `INSERT INTO singleshot_answers (name, expires, value) VALUES ($1, NOW + $2, $3)
			ON CONFLICT (name) DO UPDATE SET expires = excluded.expires, value = excluded.value`,
		fetch: "SELECT value FROM singleshot_answers WHERE name = $1 AND expires > NOW",
		drop:  "DELETE FROM singleshot_answers WHERE name = $1",
	}
	for _, part := range []string{
		"DELETE FROM singleshot_records WHERE name IN (SELECT name FROM singleshot_records WHERE expires <= NOW AND lease <= NOW LIMIT $1SKIP)",
		"DELETE FROM singleshot_trails WHERE name IN (SELECT name FROM singleshot_trails WHERE expires <= NOW LIMIT $1SKIP)",
		"DELETE FROM singleshot_answers WHERE name IN (SELECT name FROM singleshot_answers WHERE expires <= NOW LIMIT $1SKIP)",
		"UPDATE singleshot_records SET body = NULL WHERE name IN (SELECT name FROM singleshot_records WHERE body IS NOT NULL AND fades <= NOW LIMIT $1SKIP)",
	} {
		s.sweep = append(s.sweep, text(part))
	}
	for _, one := range []*string{&s.claim, &s.swap, &s.lapsed, &s.read, &s.look, &s.renew, &s.open, &s.note, &s.trail,
		&s.forgetTrail, &s.forget, &s.keep, &s.fetch, &s.drop} {
		*one = text(*one)
	}
	return s, nil
}
