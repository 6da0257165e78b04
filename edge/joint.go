package edge

import (
	"context"
	"errors"
)

// Joiner is a Store whose commits can join a transaction of the application, so that the effect of a submission
// and its record are there together or not at all. sqlstore.Store is one.
type Joiner interface {
	Store
	// Join returns the context in which the application may open such a transaction, for one run.
	Join(ctx context.Context) (context.Context, Joint)
}

// Joint is the transaction that one run of the application opened, if it did. Its methods are called after the
// application returned, one at a time.
type Joint interface {
	// Open says whether there is a transaction that has not ended.
	Open() bool
	// Commit makes the write as part of the transaction and commits it. ErrUndone says that neither is there and
	// that neither will be; any other error that nobody knows yet, and then Commit is called again, to find out.
	Commit(ctx context.Context, at Address, w Write) error
	// Undo rolls the transaction back.
	Undo()
}

// ErrUndone is what a Joint's Commit returns after everything has been rolled back: the claim was lost to another
// holder, or the transaction could not be committed.
var ErrUndone = errors.New("edge: the transaction was rolled back")
