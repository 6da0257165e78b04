package edge

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/singleshot-edge/singleshot/core"
	"github.com/singleshot-edge/singleshot/internal/bindings"
)

// Handler returns h with every form submission made single-shot: it puts a key into each form that h renders,
// lets each key commit once, and gives a duplicate the first answer back (contract §1). h needs no change, and
// what no rule guards passes untouched: with its ResponseWriter's Flush, Hijack and ReadFrom, streaming, and
// with WebSocket upgrades.
//
// A guarded request reaches h with the headers Idempotency-Key and Idempotency-Attempt, with its body read, and
// with a context that does not end when the visitor goes away: the second click of a double click cancels the
// first, and gets its answer. Its answer is collected, up to the rule's MaxAnswer bytes, before it goes out; h
// may say Idempotency-Outcome, Idempotency-Record and Idempotency-TTL in it (contract §7). No lock is held while
// h runs.
//
// Where h panics, the key is given back with an unknown outcome: the visitor gets 502, the next submit runs, or
// gets 409 under Unknown "hold" (contract §1.5), and the panic goes on to who called the Handler, with its
// stack. http.ErrAbortHandler is no exception.
//
// Compression belongs outside of the Handler: inside, h is asked for uncompressed answers to guarded requests,
// and keys get into a compressed page only if it is gzip.
//
// With wrong options, which are logged, the Handler answers 503 where it would guard and lets everything else
// pass (contract §8); Options.Check tells before.
func Handler(h http.Handler, o Options) http.Handler {
	made := newHandler(h, o)
	if onWorkers {
		return bindings.Mend(made.log.Logger, made)
	}
	return made
}

// handler is what is the same for all requests.
type handler struct {
	next    http.Handler
	guard   *core.Guard
	site    string // scheme://host, or "": as the request says
	store   Store
	prompt  bool    // it is in memory: its calls take no time
	answers Answers // nil: large answers are not kept
	module  module
	log     logger
	now     func() time.Time
	nested  sync.Once
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// Claimed once more, the request would wait for itself.
	if _, guarded := below[*collector](w); guarded {
		h.nested.Do(func() { h.log.Error("edge: this Handler is inside of another one: it lets pass what that one guards") })
		h.next.ServeHTTP(w, r)
		return
	}
	if len(h.module) > 0 && h.module.serve(w, r, target(r)) {
		return
	}
	c := &carrier{handler: h, w: w, r: r, ctx: context.WithoutCancel(r.Context()), began: h.now()}
	c.unwrap(w.Header())
	whole := false
	defer func() { c.end(whole) }()
	c.run(c.begin())
	whole = true
}

// below finds a T in a writer and those that it wraps, as http.ResponseController does.
func below[T any](w http.ResponseWriter) (found T, ok bool) {
	for {
		if found, ok = w.(T); ok {
			return found, true
		}
		wraps, more := w.(interface{ Unwrap() http.ResponseWriter })
		if !more {
			return found, false
		}
		w = wraps.Unwrap()
	}
}

// address is the URL of a request as the visitor sees it: rules and keys see the path as it was sent.
func (h *handler) address(r *http.Request) string {
	site := h.site
	if site == "" {
		scheme := r.URL.Scheme
		switch {
		case r.TLS != nil:
			scheme = "https"
		case scheme == "":
			scheme = "http"
		}
		return scheme + "://" + r.Host + target(r)
	}
	return site + target(r)
}

// target is path and query of a request as they were sent.
func target(r *http.Request) string {
	if r.RequestURI != "" && r.RequestURI[0] == '/' {
		return r.RequestURI
	}
	return r.URL.RequestURI()
}
