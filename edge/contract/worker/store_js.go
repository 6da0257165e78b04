package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/singleshot-edge/singleshot/core"
	"github.com/singleshot-edge/singleshot/edge"
)

// call is a call of a store as edge/host/cell_test.go sends it: the header Call in JSON, and in the body the byte
// strings that Cut names with their lengths.
type call struct {
	Cut                       [][2]any
	Name, Trail, Old, Version string
	Lapsed                    bool
	Lease, TTL, BodyTTL, Ms   int64
	Names                     []string
	Trails                    []struct {
		Trail      string
		TTL, Tally int64
	}
}

// row is what the cell tells of a row.
type row struct {
	Version string   `json:"version"`
	Lease   int64    `json:"lease"`
	Tally   int      `json:"tally"`
	Cut     [][2]any `json:"cut"`
}

func serveStore(store edge.Store, w http.ResponseWriter, r *http.Request, text string) {
	told, body, err := carryOut(store, r, text)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	answer, err := json.Marshal(told)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Answer", string(answer))
	w.Header().Set("Content-Type", "application/octet-stream")
	_, _ = w.Write(body) // the test may have given up
}

func carryOut(store edge.Store, r *http.Request, text string) (told any, body []byte, err error) {
	var c call
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		return nil, nil, err
	}
	parts := map[string][]byte{}
	if r.Body != nil {
		all, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, nil, err
		}
		for _, cut := range c.Cut {
			n := int(cut[1].(float64))
			parts[cut[0].(string)], all = all[:n:n], all[n:]
		}
	}
	path := strings.Split(r.URL.Path, "/")
	at := edge.Address{Shard: path[1], Region: 3, Name: c.Name, Trail: c.Trail}
	old, _ := core.ParseVersion(c.Old)
	version, _ := core.ParseVersion(c.Version)
	ms := func(n int64) time.Duration { return time.Duration(n) * time.Millisecond }
	ctx := context.Background()
	switch path[2] {
	case "swap":
		found, swapped, err := store.Swap(ctx, at, edge.Write{
			Old: old, Version: version, Lapsed: c.Lapsed, Lease: ms(c.Lease), TTL: ms(c.TTL), BodyTTL: ms(c.BodyTTL),
			Head: parts["head"], Body: parts["body"], Note: parts["note"],
		})
		if err != nil || swapped {
			return nil, nil, err
		}
		told, body = rowOf(found)
	case "wait":
		found, changed, err := store.Wait(ctx, at, old, ms(c.Ms))
		if errors.Is(err, edge.ErrBusy) {
			return row{Version: "busy"}, nil, nil
		}
		if err != nil || !changed {
			return nil, nil, err
		}
		told, body = rowOf(found)
	case "renew":
		told, err = store.Renew(ctx, at, version, ms(c.Lease))
	case "note":
		at.Trail = c.Trails[0].Trail // the suite notes one at a time
		err = store.Note(ctx, at, edge.Note{Entries: parts["note"], TTL: ms(c.Trails[0].TTL), Mismatch: c.Trails[0].Tally > 0})
	case "read": // of a trail
		var t edge.Trail
		t, err = store.Trail(ctx, at)
		told, body = map[string]any{"length": t.Count, "cut": [][2]any{{"head", len(t.Entries)}}}, t.Entries
	case "forget":
		err = store.Forget(ctx, at, c.Names)
	default:
		err = errors.New("no such call")
	}
	return told, body, err
}

func rowOf(found edge.Row) (told row, body []byte) {
	told = row{Version: found.Version.String(), Lease: found.Lease.Milliseconds(), Tally: found.Mismatches, Cut: [][2]any{}}
	for _, part := range []struct {
		name  string
		bytes []byte
	}{{"head", found.Head}, {"body", found.Body}} {
		if part.bytes != nil {
			told.Cut = append(told.Cut, [2]any{part.name, len(part.bytes)})
			body = append(body, part.bytes...)
		}
	}
	return told, body
}
