package edge

import (
	"context"
	"errors"
	"time"

	"github.com/singleshot-edge/singleshot/core"
)

// Store is a claim store. For each name it holds at most one record, sealed, and knows of it the version, the
// lease and two times; for each key it holds a trail, and knows of that the size of an entry. It takes no
// decision and has no idea of idempotency; core's exchange has (ARCHITECTURE.md). Its methods carry out the
// effects DoSwap, DoWait, DoTrail and DoForget, the renewal that goes on during DoForward, and the note that
// comes with DoRespond.
//
// Every implementation keeps the following, and coretest.TestStore checks it.
//
// Atomic: each call takes effect at one moment between its begin and its end. For one name or trail, the calls
// of all callers in all processes are linearizable, and what was written is what the next call finds. Between
// the comparison and the write of a Swap nothing comes in, neither another write nor the end of a time; and the
// note of a Write is there exactly if the record is.
//
// Durable: a write that was reported, to its caller or to anybody who was shown it, outlives the call, the
// caller and a restart of the store. (A store that says so may forget everything at once, as MemoryStore does
// with its process.)
//
// Time is the store's: one clock for all who ask for a name. Callers hand in durations, which count from the
// moment of the write, and are told what is left; their own clocks do not matter. A record is there until its
// TTL and its lease are both over: a claim that is held never goes away. A trail is there until the longest
// TTL of its notes is over. From then on they are absent, as if they had never been written, whether or not
// their bytes have been swept yet.
//
// Versions are the caller's: random, used for one write and never again, not even after the record is gone.
// So whoever got an error repeats the same Write, and a refusal that shows its own version tells that the
// first attempt was the one that counted.
//
// Errors: ErrBusy comes from Wait alone. Any other error means that the store cannot tell. Behind an error of
// a call that writes, the write may have been made, may not have been made, or may still be made, a Swap or
// Renew only as long as its comparison holds. Swap, Renew and Forget can be repeated; a Note that is repeated
// may be there twice. An error of Wait or Trail means nothing: ask again. What is expected to happen, a
// refusal, a record that is absent, a time that ran out, is never an error. An error names no value that came
// from a caller.
//
// Not promised: any order between different names; that a waiter sees every version, only that it does not
// miss the last; that the end of a TTL or of a lease, or a renewal, wakes who waits; that waiters are
// remembered over a restart (they get an error, and swap again); fairness.
//
// All methods may be called concurrently. A call returns soon after its context is done, with the context's
// error. A store copies what it keeps of its arguments before it returns. The slices that it returns may be
// shared with others: they can be kept, and must not be changed.
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

	// Note adds to the trail at.Trail, whatever records there are.
	Note(ctx context.Context, at Address, n Note) error

	// Trail returns the trail at.Trail; one that is absent has no entries.
	Trail(ctx context.Context, at Address) (Trail, error)

	// Forget removes the records of these names, whose trail is at.Trail, and that trail, and wakes who waits for
	// one of them. What is absent already is no error.
	Forget(ctx context.Context, at Address, names []string) error
}

// Bounds of what a store keeps (contract §8).
const (
	MostWaiters = 64 // for one record at a time
	TrailFirst  = 8  // entries of a trail that are kept from its begin
	TrailLast   = 24 // and from its end
)

// ErrBusy is what Wait returns when MostWaiters wait already.
var ErrBusy = errors.New("edge: too many wait for this record")

// Address is where a record is: its claim store, by the name and the index into core.Regions that the key
// carries, the record's own name and that of the key's trail. Names are 32 to 64 characters of URL-safe
// base64, where letter case counts. A name is asked for in one shard only, a record only together with the
// trail of its key, so a store is free to ignore Shard and Region.
type Address struct {
	Shard  string
	Region byte
	Name   string
	Trail  string
}

// Write is one write of a record: a claim, a commit or a release.
type Write struct {
	Old     core.Version // what has to be stored; the zero Version: nothing
	Version core.Version // of this write, never the zero Version
	Lapsed  bool         // only over a lease that has ended; a record that is absent has none

	Lease   time.Duration // how long the claim holds without renewal; 0 for a settled record
	TTL     time.Duration // how long the record is kept, and what it adds to the trail
	BodyTTL time.Duration // how long its body is kept; then the record goes on without one

	Head []byte // at most 1 MiB; together with the body at most 1.5 MiB
	Body []byte // at most 1 MiB and what sealing adds; nil: none, which is not the same as an empty one
	Note []byte // whole entries for the trail
}

// Row is what is stored under a name. The zero Row says that the record is absent.
type Row struct {
	Version    core.Version
	Lease      time.Duration // what is left of it; zero or less: over
	Head       []byte
	Body       []byte // nil: it never had one, or it has faded
	Mismatches int    // that were noted in the trail of its key
}

// Event is the row as an exchange is told of it, as core.EventRefused or core.EventChanged. What is left of a
// lease is rounded up to milliseconds, since a lease that is alive must not look as if it were over.
func (r Row) Event(kind core.EventKind, now time.Time) core.Event {
	return core.Event{
		Kind: kind, Now: now.UnixMilli(),
		Version: r.Version, Head: r.Head, HasBody: r.Body != nil, Mismatches: r.Mismatches,
		Lease: int64((r.Lease + time.Millisecond - 1) / time.Millisecond),
	}
}

// Note is what comes to a trail beside an answer.
type Note struct {
	Entries  []byte        // whole ones, of core.TrailEntrySize bytes each
	TTL      time.Duration // how long the trail is kept for them
	Mismatch bool          // they tell of one more mismatch
}

// Trail is what happened to a key: its first TrailFirst and its last TrailLast entries, in the order in which
// they came.
type Trail struct {
	Entries []byte
	Count   int // of all entries that ever came
}

// Event is the trail as an exchange is told of it.
func (t Trail) Event(now time.Time) core.Event {
	return core.Event{Kind: core.EventTrail, Now: now.UnixMilli(), Head: t.Entries, Length: int64(t.Count)}
}
