// Package migrations holds the schema of the demo's database. wrangler applies the files to D1, in the order of
// their names; the native server applies the same files to SQLite.
package migrations

import "embed"

// Files are the migrations.
//
//go:embed *.sql
var Files embed.FS
