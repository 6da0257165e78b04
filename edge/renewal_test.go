package edge_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/singleshot-edge/singleshot/core"
	"github.com/singleshot-edge/singleshot/edge"
)

// unrenewed is a store whose leases run out.
type unrenewed struct{ *edge.MemoryStore }

func (unrenewed) Renew(context.Context, edge.Address, core.Version, time.Duration) (bool, error) {
	return false, errors.New("away")
}

func TestALeaseIsRenewedWhileTheApplicationWorks(t *testing.T) { // contract §1.5, §1.6
	for _, c := range []struct {
		why           string
		store         edge.Store
		first, second string
		runs          int32
	}{
		{"a minute of work with a lease of 30 s", new(edge.MemoryStore), "created", "running", 1},
		{"a holder that cannot renew is taken over, and does not commit", unrenewed{new(edge.MemoryStore)}, "unknown", "created", 2},
	} {
		synctest.Test(t, func(t *testing.T) {
			var runs atomic.Int32
			h := edge.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == "GET" {
					io.WriteString(w, testForm)
					return
				}
				if runs.Add(1) == 1 {
					time.Sleep(100 * time.Second)
				}
				io.WriteString(w, "done")
			}), edge.Options{Secret: testSecret, Store: c.store, Logger: quiet.Logger})
			page := httptest.NewRecorder()
			h.ServeHTTP(page, httptest.NewRequest("GET", "/", nil))
			key := keyIn.FindString(page.Body.String())
			submit := func() string {
				w, r := httptest.NewRecorder(), httptest.NewRequest("POST", "/orders", strings.NewReader("idempotency_key="+key))
				r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
				h.ServeHTTP(w, r)
				return w.Header().Get("Idempotency-Status")
			}
			ended := make(chan string, 1)
			go func() { ended <- submit() }()
			time.Sleep(60 * time.Second)
			second := submit()
			time.Sleep(60 * time.Second)
			first := <-ended
			if first != c.first || second != c.second || runs.Load() != c.runs {
				t.Errorf("%s: first %s, second %s, %d runs; want %s, %s, %d", c.why, first, second, runs.Load(), c.first, c.second, c.runs)
			}
			if third := submit(); third != "replayed" {
				t.Errorf("%s: third %s; want replayed", c.why, third)
			}
		})
	}
}
