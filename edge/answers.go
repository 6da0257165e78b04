package edge

import (
	"context"
	"time"
)

// Answers keep sealed answers beside the records, under names of 32 to 64 characters of URL-safe base64 and a
// dot. It is what KV is to the guard: it may be slow to show what was kept, and it may lose it, but what it
// returns is what was kept under that name. An error names no value that came from a caller. All methods may be
// called concurrently.
type Answers interface {
	// Keep stores a value of at most 25 MiB for at least ttl, replacing what is there.
	Keep(ctx context.Context, name string, value []byte, ttl time.Duration) error
	// Fetch returns what was kept, nil if nothing is there.
	Fetch(ctx context.Context, name string) ([]byte, error)
	// Drop removes what was kept; nothing there is no error.
	Drop(ctx context.Context, name string) error
}
