package main

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// scenario is one thing that visitors do, on so many connections at once.
type scenario struct {
	name        string
	connections int
	path        string
	keys        int // keys that a burst may use, for each second
}

var (
	fresh     = &scenario{name: "fresh", connections: 8, path: "/orders", keys: 2500}
	first     = &scenario{name: "first replay of a key", connections: 8, path: "/orders"}
	replay    = &scenario{name: "replay, many of a key", connections: 8, path: "/orders"}
	inFlight  = &scenario{name: "20 in flight, origin 1 s", connections: 20, path: "/slow", keys: 21}
	pages     = &scenario{name: "page of 100 KB, 3 forms", connections: 8, path: "/shop"}
	scenarios = []*scenario{fresh, first, replay, inFlight, pages}
)

// racer is a candidate in its workerd, and what was measured of it.
type racer struct {
	candidate
	*workerd
	origin *origin
	cookie string
	spent  []string // keys that are committed
	once   []string // the same, and no replay of them yet
	first  []time.Duration
	of     map[*scenario]*figures
}

// figures are those of all bursts of one scenario.
type figures struct {
	rates []float64
	took  []time.Duration
	cpu   time.Duration
	peak  int64
}

// newRacer starts a candidate several times, to see how long its first page takes, and leaves the last one
// running and warm.
func newRacer(c candidate, dir string, o *origin, starts int) (*racer, error) {
	r := &racer{candidate: c, origin: o, of: map[*scenario]*figures{}}
	for i := range starts {
		home := filepath.Join(dir, c.short+strconv.Itoa(i))
		if err := os.Mkdir(home, 0o700); err != nil {
			return nil, err
		}
		if r.workerd != nil {
			r.stop()
		}
		var err error
		if r.workerd, err = startWorkerd(&c, home, o); err != nil {
			return nil, err
		}
		took, err := load(r.address, 1, time.Minute, func(i int) (string, bool) { return get("/forms?n=1&action=/orders", ""), i == 0 }, ok)
		if err != nil {
			r.stop()
			return nil, fmt.Errorf("first page: %w: %s", err, r.log())
		}
		r.first = append(r.first, took...)
	}
	// The runtime compiles what is called often once more, which takes it some hundreds of calls to see.
	for _, s := range []*scenario{fresh, first, replay, pages} {
		if err := r.burst(s, 2*time.Second); err != nil {
			r.stop()
			return nil, fmt.Errorf("%s, to get warm: %w: %s", s.name, err, r.log())
		}
	}
	clear(r.of)
	return r, nil
}

func (r *racer) stop() {
	if r.workerd != nil {
		r.workerd.stop()
	}
}

func ok(answer *http.Response, _ []byte) error {
	if answer.StatusCode != http.StatusOK {
		return errors.New("want 200")
	}
	return nil
}

// mint gets n keys for a form from pages that the candidate has put them into, and a visitor's cookie. The bare
// Worker has no keys; its origin does not ask for them.
func (r *racer) mint(path string, n int) ([]string, error) {
	keys := make([]string, 0, n)
	if !r.guarded {
		for i := range n {
			keys = append(keys, "none-"+strconv.Itoa(i))
		}
		return keys, nil
	}
	for len(keys) < n {
		_, err := load(r.address, 1, time.Minute,
			func(i int) (string, bool) {
				return get(fmt.Sprintf("/forms?n=%d&action=%s", min(500, n-len(keys)), path), r.cookie), i == 0
			},
			func(answer *http.Response, body []byte) error {
				for _, c := range answer.Cookies() {
					r.cookie = c.Name + "=" + c.Value
				}
				keys = append(keys, keysOf(body)...)
				if len(keys) == 0 {
					return errors.New("a page of forms has no key")
				}
				return ok(answer, body)
			})
		if err != nil {
			return nil, err
		}
	}
	return keys[:n], nil
}

// burst runs a scenario for some time, checks every answer and the origin's count, and adds to the figures.
func (r *racer) burst(s *scenario, limit time.Duration) error {
	replays := s == first || s == replay
	wanted := map[*scenario]string{fresh: "created", inFlight: "created", first: "replayed", replay: "replayed"}[s]
	check := func(answer *http.Response, body []byte) error {
		switch got := answer.Header.Get("Idempotency-Status"); {
		case r.ours && wanted != "" && got != wanted:
			return fmt.Errorf("Idempotency-Status %q; want %q", got, wanted)
		case r.guarded && replays && answer.Header.Get("Idempotency-Replayed") != "true":
			return errors.New("it is no replay")
		case r.guarded && s == pages && len(keysOf(body)) != 3:
			return fmt.Errorf("%d keys; want 3", len(keysOf(body)))
		}
		return ok(answer, body)
	}
	keys := r.spent
	if s == first {
		keys = r.once
	}
	if s.keys > 0 {
		n := int(limit.Seconds()*float64(s.keys)) + s.connections
		if r.class == "Cell" && r.short == "stock" && s == fresh {
			n = n/10 + 1
		}
		var err error
		if keys, err = r.mint(s.path, n); err != nil {
			return err
		}
	}
	requests := func(i int) (string, bool) {
		switch {
		case s == pages:
			return get(s.path, r.cookie), true
		case s == replay && len(keys) > 0:
			return post(s.path, r.cookie, keys[i%len(keys)]), true
		case i < len(keys):
			return post(s.path, r.cookie, keys[i]), true
		}
		return "", false
	}
	before := r.origin.orders.Load()
	if err := r.forgetPeak(); err != nil {
		return err
	}
	used, err := r.cpu()
	if err != nil {
		return err
	}
	began := time.Now()
	took, err := load(r.address, s.connections, limit, requests, check)
	if err != nil {
		return fmt.Errorf("%w: %s", err, r.log())
	}
	elapsed := time.Since(began)
	after, err := r.cpu()
	if err != nil {
		return err
	}
	peak, err := r.peak()
	if err != nil {
		return err
	}
	ran := r.origin.orders.Load() - before
	if want := map[bool]int64{true: int64(len(took))}[s.keys > 0 || replays && !r.guarded]; ran != want {
		return fmt.Errorf("the origin ran %d times; want %d", ran, want)
	}
	if len(took) == 0 {
		return errors.New("no answer in time")
	}
	if s == fresh {
		r.once = keys[:len(took)]
	}
	if s == first {
		r.spent = r.once[:min(len(took), 200)]
	}
	f := r.of[s]
	if f == nil {
		f = new(figures)
		r.of[s] = f
	}
	f.rates = append(f.rates, float64(len(took))/elapsed.Seconds())
	f.took = append(f.took, took...)
	f.cpu += after - used
	f.peak = max(f.peak, peak)
	return nil
}

// sorted are the times of all answers, shortest first.
func (f *figures) sorted() []time.Duration {
	slices.Sort(f.took)
	return f.took
}

// each is the processor time of one request, in milliseconds.
func (f *figures) each() float64 {
	return float64(f.cpu) / float64(len(f.took)) / float64(time.Millisecond)
}
