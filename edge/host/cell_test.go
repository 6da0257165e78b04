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

// call runs a method of the shard. The answer is JSON, with the head of so many bytes in front of the rest.
func (c *cell) call(ctx context.Context, shard, method string, argument, answer any, bytesIn []byte) ([]byte, error) {
	text, err := json.Marshal(argument)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, "POST", c.url+"/"+shard+"/"+method, bytes.NewReader(bytesIn))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Call", string(text))
	res, err := c.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	bytesOut, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, err
	}
	if res.StatusCode != 200 {
		return nil, fmt.Errorf("cell: %s: %s", res.Status, bytesOut)
	}
	return bytesOut, json.Unmarshal([]byte(res.Header.Get("Answer")), answer)
}

// cellRow is a row as the test entry tells it.
type cellRow struct {
	Version string
	Lease   int64
	Head    *int // bytes; none where nothing is stored
	Body    int  // bytes; negative: none
}

func (r *cellRow) row(text []byte) (edge.Row, error) {
	v, ok := core.ParseVersion(r.Version)
	if !ok {
		return edge.Row{}, fmt.Errorf("cell: version %q", r.Version)
	}
	row := edge.Row{Version: v, Lease: time.Duration(r.Lease) * time.Millisecond}
	if r.Head != nil {
		row.Head = text[:*r.Head]
		if r.Body >= 0 {
			row.Body = text[*r.Head:][:r.Body]
		}
	}
	return row, nil
}

func (c *cell) Swap(ctx context.Context, at edge.Address, w edge.Write) (edge.Row, bool, error) {
	body := len(w.Body)
	if w.Body == nil {
		body = -1
	}
	var found *cellRow
	text, err := c.call(ctx, at.Shard, "swap", map[string]any{
		"name": at.Name, "old": w.Old.String(), "version": w.Version.String(), "lapsed": w.Lapsed,
		"lease": w.Lease.Milliseconds(), "ttl": w.TTL.Milliseconds(), "bodyTtl": w.BodyTTL.Milliseconds(),
		"head": len(w.Head), "body": body,
	}, &found, append(bytes.Clone(w.Head), w.Body...))
	if err != nil || found == nil {
		return edge.Row{}, err == nil, err
	}
	row, err := found.row(text)
	return row, false, err
}

func (c *cell) Wait(ctx context.Context, at edge.Address, old core.Version, limit time.Duration) (edge.Row, bool, error) {
	var told json.RawMessage
	text, err := c.call(ctx, at.Shard, "wait", map[string]any{
		"name": at.Name, "old": old.String(), "ms": limit.Milliseconds(),
	}, &told, nil)
	switch {
	case err != nil || string(told) == "null":
		return edge.Row{}, false, err
	case string(told) == `"busy"`:
		return edge.Row{}, false, edge.ErrBusy
	}
	var found cellRow
	if err := json.Unmarshal(told, &found); err != nil {
		return edge.Row{}, false, err
	}
	row, err := found.row(text)
	return row, err == nil, err
}

func (c *cell) Renew(ctx context.Context, at edge.Address, v core.Version, lease time.Duration) (held bool, err error) {
	_, err = c.call(ctx, at.Shard, "renew", map[string]any{
		"name": at.Name, "version": v.String(), "lease": lease.Milliseconds(),
	}, &held, nil)
	return held, err
}

// kept is what the shard holds, swept or not.
type kept struct {
	Records, Bodies int
	Alarm           *int64 // milliseconds until the sweep; none is due
}

func (c *cell) look(t *testing.T, shard string) (k kept) {
	t.Helper()
	if _, err := c.call(t.Context(), shard, "look", nil, &k, nil); err != nil {
		t.Fatal(err)
	}
	return k
}

// ring lets the sweep's alarm go off now, and waits until it has.
func (c *cell) ring(t *testing.T, shard string) kept {
	t.Helper()
	var nothing any
	if _, err := c.call(t.Context(), shard, "ring", nil, &nothing, nil); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
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
	at := func(n int) edge.Address { return edge.Address{Shard: "sweep", Name: fmt.Sprintf("%032d", n)} }
	version := core.Version{1}
	write := func(n int, w edge.Write) {
		t.Helper()
		w.Version, w.Head = version, []byte("head")
		if _, swapped, err := c.Swap(t.Context(), at(n), w); !swapped || err != nil {
			t.Fatalf("Swap = %v, %v; want it made", swapped, err)
		}
	}
	wants := func(got kept, records, bodies int, armed bool, why string) {
		t.Helper()
		if got.Records != records || got.Bodies != bodies || (got.Alarm != nil) != armed {
			t.Errorf("kept = %d records, %d bodies, alarm %v; want %d, %d, %v: %s", got.Records, got.Bodies, got.Alarm != nil, records, bodies, armed, why)
		}
	}
	write(1, edge.Write{TTL: soon, BodyTTL: soon, Body: []byte("body")})
	first := c.look(t, "sweep")
	wants(first, 1, 1, true, "the first write arms the sweep")
	if first.Alarm != nil && (*first.Alarm < 9*60_000 || *first.Alarm > 10*60_000) {
		t.Errorf("alarm in %d ms; want ten minutes", *first.Alarm)
	}
	write(2, edge.Write{TTL: ages, BodyTTL: soon, Body: []byte("body")})
	write(3, edge.Write{TTL: ages, BodyTTL: ages, Body: []byte("body")})
	write(4, edge.Write{TTL: soon, Lease: ages})
	time.Sleep(soon + 20*time.Millisecond)
	wants(c.look(t, "sweep"), 4, 3, true, "what is over is absent, but still there")
	wants(c.ring(t, "sweep"), 3, 1, true, "one record is over, one body has faded, one lease outlives its record's time")

	write(5, edge.Write{TTL: soon})
	restart()
	wants(c.look(t, "sweep"), 4, 1, true, "the alarm outlives a restart")
	wants(c.ring(t, "sweep"), 3, 1, true, "and so does the sweep")

	for n, v := range map[int]core.Version{2: version, 3: version, 4: version} {
		version = core.Version{2}
		write(n, edge.Write{Old: v})
	}
	wants(c.ring(t, "sweep"), 0, 0, false, "nothing is left to sweep")
	version = core.Version{3}
	write(6, edge.Write{TTL: ages})
	wants(c.look(t, "sweep"), 1, 0, true, "the next write arms it again")
}
