package edge

import (
	"context"
	"errors"
	"time"

	"github.com/singleshot-edge/singleshot/core"
)

// Store is a claim store: for each name it holds at most one record, sealed, and knows of it the version, the
// lease and two times. It takes no decision and has no idea of idempotency; core's exchange has (architecture
// §2). The calls carry out the effects DoSwap and DoWait, and the renewal that goes on during DoForward.
//
// Every implementation keeps the following, and coretest.TestStore checks it.
//
// Atomic: each call takes effect at one moment between its begin and its end. For one name, the calls of all
// callers in all processes are linearizable, and what was written is what the next call finds. Between the
// comparison and the write of a Swap nothing comes in, neither another write nor the end of a time.
//
// Durable: a write that was reported, to its caller or to anybody who was shown it, outlives the call, the
// caller and a restart of the store. (A store that says so may forget everything at once, as MemoryStore does
// with its process.)
//
// Time is the store's: one clock for all who ask for a name. Callers hand in durations, which count from the
// moment of the write, and are told what is left; their own clocks do not matter. A record is there until its
// TTL and its lease are both over: a claim that is held never goes away. From then on it is absent, as if it
// had never been written, whether or not its bytes have been swept yet.
//
// Versions are the caller's: random, used for one write and never again, not even after the record is gone.
// So whoever got an error repeats the same Write, and a refusal that shows its own version tells that the
// first attempt was the one that counted.
//
// Errors: ErrBusy comes from Wait alone. Any other error means that the store cannot tell. Behind an error of
// Swap or Renew the write may have been made, may not have been made, or may still be made as long as its
// comparison holds. An error of Wait means nothing: ask again. What is expected to happen, a refusal, a record
// that is absent, a time that ran out, is never an error. An error names no value that came from a caller.
//
// Not promised: any order between different names; that a waiter sees every version, only that it does not
// miss the last; that the end of a TTL or of a lease, or a renewal, wakes who waits; that waiters are
// remembered over a restart (they get an error, and swap again); fairness.
//
// All methods may be called concurrently. A call returns soon after its context is done, with the context's
// error. A store copies what it keeps of a Write before it returns. The slices of a Row may be shared with
// others: they can be kept, and must not be changed.
type Store interface {
	// Swap makes the write if the version that is stored is w.Old and, where w.Lapsed is set, the lease of
	// what is stored is over. It reports whether it did. If not, it returns what is stored: a refused swap is
	// the read. Who waits for this name is woken.
	Swap(ctx context.Context, at Address, w Write) (found Row, swapped bool, err error)

	// Wait returns what is stored as soon as its version is not old, at once if it is another one already. It
	// reports false after the limit. With a limit of zero or less it is a read that looks once; absent and
	// old the zero Version is then false too.
	//
	// At most MostWaiters wait for one name at a time; one more gets ErrBusy.
	Wait(ctx context.Context, at Address, old core.Version, limit time.Duration) (found Row, changed bool, err error)

	// Renew lets the claim that was written as version hold for lease from now on, and reports whether it is
	// still there. A lease that ran out can be renewed as long as nobody took over. Version and TTL stay as
	// they are, and nobody is woken.
	Renew(ctx context.Context, at Address, version core.Version, lease time.Duration) (held bool, err error)
}

// MostWaiters is how many may wait for one record at a time (contract §8).
const MostWaiters = 64

// ErrBusy is what Wait returns when MostWaiters wait already.
var ErrBusy = errors.New("edge: too many wait for this record")

// Address is where a record is: its claim store, by the name and the index into core.Regions that the key
// carries, and the record's own name, 32 to 64 characters of URL-safe base64 where letter case counts. A name
// is asked for in one shard only, so a store is free to ignore Shard and Region.
type Address struct {
	Shard  string
	Region byte
	Name   string
}

// Write is one write of a record: a claim, a commit or a release.
type Write struct {
	Old     core.Version // what has to be stored; the zero Version: nothing
	Version core.Version // of this write, never the zero Version
	Lapsed  bool         // only over a lease that has ended; a record that is absent has none

	Lease   time.Duration // how long the claim holds without renewal; 0 for a settled record
	TTL     time.Duration // how long the record is kept; with neither TTL nor Lease it is forgotten
	BodyTTL time.Duration // how long its body is kept; then the record goes on without one

	Head []byte // at most 1 MiB; together with the body at most 1.5 MiB
	Body []byte // at most 1 MiB and what sealing adds; nil: none, which is not the same as an empty one
}

// Row is what is stored under a name. The zero Row says that the record is absent.
type Row struct {
	Version core.Version
	Lease   time.Duration // what is left of it; zero or less: over
	Head    []byte
	Body    []byte // nil: it never had one, or it has faded
}

// Event is the row as an exchange is told of it, as core.EventRefused or core.EventChanged. What is left of a
// lease is rounded up to milliseconds, since a lease that is alive must not look as if it were over.
func (r Row) Event(kind core.EventKind, now time.Time) core.Event {
	return core.Event{
		Kind: kind, Now: now.UnixMilli(),
		Version: r.Version, Head: r.Head, HasBody: r.Body != nil,
		Lease: int64((r.Lease + time.Millisecond - 1) / time.Millisecond),
	}
}
