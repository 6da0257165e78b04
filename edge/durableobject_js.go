package edge

import (
	"context"
	"errors"
	"syscall/js"
	"time"

	"github.com/syumai/workers/cloudflare"

	"github.com/singleshot-edge/singleshot/core"
)

// DurableObject is the Store in the Durable Objects behind a binding of the Worker, whose class is Claims of
// host/cell.js: one object for each shard, near the visitors whose keys it holds. The binding is looked up at every
// call, because a Worker has none before its first request.
func DurableObject(binding string) Store { return durableObject(binding) }

type durableObject string

// call calls a method of the shard.
func (d durableObject) call(ctx context.Context, at Address, method string, argument any) (js.Value, error) {
	namespace := cloudflare.GetBinding(string(d))
	if namespace.IsUndefined() {
		return js.Value{}, errors.New("edge: the Worker has no Durable Object binding " + string(d))
	}
	near := map[string]any{"locationHint": core.Regions[at.Region]}
	return called(ctx, namespace.Call("getByName", at.Shard, near), method, argument)
}

// Swap is Store's.
func (d durableObject) Swap(ctx context.Context, at Address, w Write) (Row, bool, error) {
	if w.Version == (core.Version{}) {
		return Row{}, false, errNoVersion
	}
	head := w.Head
	if head == nil {
		head = []byte{}
	}
	var note any
	if len(w.Note) > 0 {
		note = toJS(w.Note)
	}
	found, err := d.call(ctx, at, "swap", map[string]any{
		"name": at.Name, "trail": at.Trail, "old": w.Old.String(), "version": w.Version.String(), "lapsed": w.Lapsed,
		"lease": w.Lease.Milliseconds(), "ttl": w.TTL.Milliseconds(), "bodyTtl": w.BodyTTL.Milliseconds(),
		"head": toJS(head), "body": toJS(w.Body), "note": note,
	})
	if err != nil || found.IsNull() {
		return Row{}, err == nil, err
	}
	row, err := rowOf(found)
	return row, false, err
}

// Wait is Store's.
func (d durableObject) Wait(ctx context.Context, at Address, old core.Version, limit time.Duration) (Row, bool, error) {
	found, err := d.call(ctx, at, "wait", map[string]any{
		"name": at.Name, "trail": at.Trail, "old": old.String(), "ms": limit.Milliseconds(),
	})
	switch {
	case err != nil || found.IsNull():
		return Row{}, false, err
	case found.Get("version").String() == "busy":
		return Row{}, false, ErrBusy
	}
	row, err := rowOf(found)
	return row, err == nil, err
}

// Renew is Store's.
func (d durableObject) Renew(ctx context.Context, at Address, version core.Version, lease time.Duration) (bool, error) {
	held, err := d.call(ctx, at, "renew", map[string]any{
		"trail": at.Trail, "name": at.Name, "version": version.String(), "lease": lease.Milliseconds(),
	})
	return err == nil && held.Truthy(), err
}

// Note is Store's.
func (d durableObject) Note(ctx context.Context, at Address, n Note) error {
	tally := 0
	if n.Mismatch {
		tally = 1
	}
	_, err := d.call(ctx, at, "note", map[string]any{
		"trails": []any{map[string]any{
			"trail": at.Trail, "length": len(n.Entries), "ttl": n.TTL.Milliseconds(), "tally": tally,
		}},
		"note": toJS(append([]byte{}, n.Entries...)),
	})
	return err
}

// Trail is Store's.
func (d durableObject) Trail(ctx context.Context, at Address) (Trail, error) {
	told, err := d.call(ctx, at, "read", map[string]any{"trail": at.Trail})
	if err != nil {
		return Trail{}, err
	}
	return Trail{Entries: fromJS(told.Get("head")), Count: told.Get("length").Int()}, nil
}

// Forget is Store's.
func (d durableObject) Forget(ctx context.Context, at Address, names []string) error {
	list := make([]any, len(names))
	for i, name := range names {
		list[i] = name
	}
	_, err := d.call(ctx, at, "forget", map[string]any{"trail": at.Trail, "names": list})
	return err
}

// rowOf is a row as the cell tells it.
func rowOf(v js.Value) (Row, error) {
	version, ok := core.ParseVersion(v.Get("version").String())
	if !ok {
		return Row{}, errors.New("edge: the Durable Object tells a version that is none")
	}
	row := Row{
		Version: version, Lease: time.Duration(v.Get("lease").Int()) * time.Millisecond,
		Head: fromJS(v.Get("head")), Body: fromJS(v.Get("body")),
	}
	if tally := v.Get("tally"); tally.Type() == js.TypeNumber {
		row.Mismatches = tally.Int()
	}
	return row, nil
}
