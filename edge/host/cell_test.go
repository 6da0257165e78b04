//go:build unix

package host_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/singleshot-edge/singleshot/core"
	"github.com/singleshot-edge/singleshot/core/coretest"
	"github.com/singleshot-edge/singleshot/edge"
	"github.com/singleshot-edge/singleshot/edge/workerd"
)

// cell is the Durable Object in a real workerd, as an edge.Store: testdata/entry.js hands its calls on.
type cell struct {
	url    string
	client *http.Client
}

var _ edge.Store = (*cell)(nil)

// part is a byte string that goes beside a JSON text, which names it with its length.
type part struct {
	name  string
	bytes []byte
}

// call runs a method of the shard. The answer is JSON; the byte strings that belong to it are returned.
func (c *cell) call(ctx context.Context, shard, method string, argument map[string]any, answer any, parts ...part) (map[string][]byte, error) {
	cut, body := make([][2]any, 0, len(parts)), []byte(nil)
	for _, p := range parts {
		if p.bytes != nil {
			cut = append(cut, [2]any{p.name, len(p.bytes)})
			body = append(body, p.bytes...)
		}
	}
	argument["cut"] = cut
	text, err := json.Marshal(argument)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, "POST", c.url+"/"+shard+"/"+method, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Call", string(text))
	res, err := c.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if body, err = io.ReadAll(res.Body); err != nil {
		return nil, err
	}
	if res.StatusCode != 200 {
		return nil, fmt.Errorf("cell: %s: %s", res.Status, body)
	}
	told := []byte(res.Header.Get("Answer"))
	if err := json.Unmarshal(told, answer); err != nil || told[0] != '{' {
		return nil, err
	}
	var found struct{ Cut [][2]any }
	if err := json.Unmarshal(told, &found); err != nil {
		return nil, err
	}
	bytesOf := map[string][]byte{}
	for _, c := range found.Cut {
		n := int(c[1].(float64))
		bytesOf[c[0].(string)], body = body[:n:n], body[n:]
	}
	return bytesOf, nil
}

// cellRow is what the cell tells of a row, beside its bytes.
type cellRow struct {
	Version string
	Lease   int64
	Tally   int
}

func (r *cellRow) row(parts map[string][]byte) (edge.Row, error) {
	v, ok := core.ParseVersion(r.Version)
	if !ok {
		return edge.Row{}, fmt.Errorf("cell: version %q", r.Version)
	}
	return edge.Row{
		Version: v, Lease: time.Duration(r.Lease) * time.Millisecond, Mismatches: r.Tally,
		Head: parts["head"], Body: parts["body"],
	}, nil
}

func (c *cell) Swap(ctx context.Context, at edge.Address, w edge.Write) (edge.Row, bool, error) {
	var found *cellRow
	parts, err := c.call(ctx, at.Shard, "swap", map[string]any{
		"name": at.Name, "trail": at.Trail, "old": w.Old.String(), "version": w.Version.String(), "lapsed": w.Lapsed,
		"lease": w.Lease.Milliseconds(), "ttl": w.TTL.Milliseconds(), "bodyTtl": w.BodyTTL.Milliseconds(),
	}, &found, part{"head", w.Head}, part{"body", w.Body}, part{"note", w.Note})
	if err != nil || found == nil {
		return edge.Row{}, err == nil, err
	}
	row, err := found.row(parts)
	return row, false, err
}

func (c *cell) Wait(ctx context.Context, at edge.Address, old core.Version, limit time.Duration) (edge.Row, bool, error) {
	var found *cellRow
	parts, err := c.call(ctx, at.Shard, "wait", map[string]any{
		"name": at.Name, "trail": at.Trail, "old": old.String(), "ms": limit.Milliseconds(),
	}, &found)
	switch {
	case err != nil || found == nil:
		return edge.Row{}, false, err
	case found.Version == "busy":
		return edge.Row{}, false, edge.ErrBusy
	}
	row, err := found.row(parts)
	return row, err == nil, err
}

func (c *cell) Renew(ctx context.Context, at edge.Address, v core.Version, lease time.Duration) (held bool, err error) {
	_, err = c.call(ctx, at.Shard, "renew", map[string]any{
		"trail": at.Trail, "name": at.Name, "version": v.String(), "lease": lease.Milliseconds(),
	}, &held)
	return held, err
}

func (c *cell) Note(ctx context.Context, at edge.Address, n edge.Note) error {
	tally := 0
	if n.Mismatch {
		tally = 1
	}
	var nothing any
	_, err := c.call(ctx, at.Shard, "note", map[string]any{
		"trails": []any{map[string]any{"trail": at.Trail, "length": len(n.Entries), "ttl": n.TTL.Milliseconds(), "tally": tally}},
	}, &nothing, part{"note", n.Entries})
	return err
}

func (c *cell) Trail(ctx context.Context, at edge.Address) (edge.Trail, error) {
	var told struct{ Length int }
	parts, err := c.call(ctx, at.Shard, "read", map[string]any{"trail": at.Trail}, &told)
	return edge.Trail{Entries: parts["head"], Count: told.Length}, err
}

func (c *cell) Forget(ctx context.Context, at edge.Address, names []string) error {
	var nothing any
	_, err := c.call(ctx, at.Shard, "forget", map[string]any{"trail": at.Trail, "names": append([]string{}, names...)}, &nothing)
	return err
}

// kept is what the shard holds, swept or not.
type kept struct {
	Records, Bodies, Trails int
	Alarm                   *int64 // milliseconds until the sweep; none is due
}

func (c *cell) look(t *testing.T, shard string) (k kept) {
	t.Helper()
	if _, err := c.call(t.Context(), shard, "look", map[string]any{}, &k); err != nil {
		t.Fatal(err)
	}
	return k
}

// ring lets the sweep's alarm go off now, and waits until it has.
func (c *cell) ring(t *testing.T, shard string) kept {
	t.Helper()
	var nothing any
	if _, err := c.call(t.Context(), shard, "ring", map[string]any{}, &nothing); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if k := c.look(t, shard); k.Alarm == nil || *k.Alarm > 1000 {
			return k
		}
	}
	t.Fatal("the alarm did not go off")
	return kept{}
}

// startCell starts the cell in workerd. restart kills it and starts it again over the same state.
func startCell(t *testing.T) (c *cell, restart func()) {
	t.Helper()
	if testing.Short() {
		t.Skip("needs workerd: not part of -short")
	}
	o := workerd.Options{Args: []string{"dev", "-c", "edge/host/testdata/wrangler.toml"}, State: t.TempDir()}
	var w *workerd.Worker
	start := func() {
		t.Helper()
		var err error
		if w, err = workerd.Start(o); err != nil {
			t.Fatal(err)
		}
	}
	start()
	o.Port = w.Port
	t.Cleanup(func() {
		w.Stop()
		if t.Failed() {
			t.Logf("the Worker's log:\n%s", w.Log.Tail(60))
		}
	})
	c = &cell{url: w.URL, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: edge.MostWaiters}}}
	t.Cleanup(c.client.CloseIdleConnections)
	return c, func() {
		w.Stop()
		c.client.CloseIdleConnections()
		start()
	}
}

func TestCell(t *testing.T) {
	c, restart := startCell(t)
	t.Run("is a store", func(t *testing.T) {
		coretest.TestStore(t, func(*testing.T) coretest.StoreUnderTest {
			return coretest.StoreUnderTest{Store: c, Restart: restart}
		})
	})
	t.Run("sweeps what is over", func(t *testing.T) { sweeps(t, c, restart) })
}

func sweeps(t *testing.T, c *cell, restart func()) {
	const soon, ages = 40 * time.Millisecond, time.Hour
	entry := make([]byte, core.TrailEntrySize)
	at := func(n int) edge.Address {
		name := fmt.Sprintf("%032d", n)
		return edge.Address{Shard: "sweep", Name: name, Trail: name}
	}
	write := func(n int, old, version byte, w edge.Write) {
		t.Helper()
		w.Old, w.Version, w.Head = core.Version{old}, core.Version{version}, []byte("head")
		if _, swapped, err := c.Swap(t.Context(), at(n), w); !swapped || err != nil {
			t.Fatalf("Swap = %v, %v; want it made", swapped, err)
		}
	}
	wants := func(got kept, records, bodies, trails int, armed bool, why string) {
		t.Helper()
		if got.Records != records || got.Bodies != bodies || got.Trails != trails || (got.Alarm != nil) != armed {
			t.Errorf("kept = %d records, %d bodies, %d trails, alarm %v; want %d, %d, %d, %v: %s",
				got.Records, got.Bodies, got.Trails, got.Alarm != nil, records, bodies, trails, armed, why)
		}
	}
	write(1, 0, 1, edge.Write{TTL: soon, BodyTTL: soon, Body: []byte("body"), Note: entry})
	first := c.look(t, "sweep")
	wants(first, 1, 1, 1, true, "the first write arms the sweep")
	if first.Alarm != nil && (*first.Alarm < 9*60_000 || *first.Alarm > 10*60_000) {
		t.Errorf("alarm in %d ms; want ten minutes", *first.Alarm)
	}
	write(2, 0, 1, edge.Write{TTL: ages, BodyTTL: soon, Body: []byte("body"), Note: entry})
	write(3, 0, 1, edge.Write{TTL: ages, BodyTTL: ages, Body: []byte("body")})
	write(4, 0, 1, edge.Write{TTL: soon, Lease: ages})
	time.Sleep(soon + 20*time.Millisecond)
	wants(c.look(t, "sweep"), 4, 3, 2, true, "what is over is absent, but still there")
	wants(c.ring(t, "sweep"), 3, 1, 1, true, "one record and its trail are over, one body has faded, one lease outlives its record's time")

	write(5, 0, 1, edge.Write{})
	restart()
	wants(c.look(t, "sweep"), 4, 1, 1, true, "the alarm outlives a restart")
	wants(c.ring(t, "sweep"), 3, 1, 1, true, "and so does the sweep")

	for n := range 3 {
		write(2+n, 1, 2, edge.Write{})
	}
	wants(c.ring(t, "sweep"), 0, 0, 1, true, "a trail is left")
	if err := c.Forget(t.Context(), at(2), nil); err != nil {
		t.Fatal(err)
	}
	wants(c.ring(t, "sweep"), 0, 0, 0, false, "nothing is left to sweep")
	if err := c.Note(t.Context(), at(7), edge.Note{Entries: entry, TTL: soon}); err != nil {
		t.Fatal(err)
	}
	wants(c.look(t, "sweep"), 0, 0, 1, true, "a trail that comes after its records arms it again")
	time.Sleep(soon + 20*time.Millisecond)
	wants(c.ring(t, "sweep"), 0, 0, 0, false, "and is swept")
	var nothing any
	if _, err := c.call(t.Context(), "sweep", "stumble", map[string]any{
		"trails": []any{map[string]any{"trail": at(8).Trail, "length": len(entry), "ttl": 0}},
	}, &nothing, part{"note", entry}); err != nil {
		t.Fatal(err)
	}
	wants(c.look(t, "sweep"), 0, 0, 1, false, "the platform did not tell of the alarm")
	write(6, 0, 1, edge.Write{TTL: ages})
	wants(c.look(t, "sweep"), 1, 0, 1, true, "the next write arms it all the same")
}
