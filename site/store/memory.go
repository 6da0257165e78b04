//go:build !js && !wasip1

package store

import (
	"database/sql"
	"fmt"
	"io/fs"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/singleshot-edge/singleshot/site/migrations"
)

// Memory returns a store in the memory of this process, with the schema that D1 gets. Nothing of it outlives
// the process.
func Memory() (*Store, error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	db.SetMaxOpenConns(1) // each connection to ":memory:" is a database of its own
	names, err := fs.Glob(migrations.Files, "*.sql")
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	for _, name := range names {
		statements, err := fs.ReadFile(migrations.Files, name)
		if err == nil {
			_, err = db.Exec(string(statements))
		}
		if err != nil {
			return nil, fmt.Errorf("store: migration %s: %w", name, err)
		}
	}
	return New(db), nil
}

// Close ends the database; after it every method fails.
func (s *Store) Close() error { return s.db.Close() }
