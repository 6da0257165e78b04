package edge_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/singleshot-edge/singleshot/edge"
)

// panicking has a name to be found in a stack.
func panicking(with any) { panic(with) }

func TestAPanicGivesTheKeyBackAndGoesOn(t *testing.T) {
	for _, c := range []struct {
		unknown string
		with    any
		logs    string
		second  int
		outcome string
		runs    int32
		why     string
	}{
		{"retry", "ouch", "panicking", 200, "created", 2, "the next submit runs; the stack names who panicked"},
		{"hold", "ouch", "panicking", 409, "unknown", 1, "nobody knows what it did"},
		{"retry", http.ErrAbortHandler, "", 200, "created", 2, "ErrAbortHandler is no exception, but it is not logged"},
	} {
		t.Run(fmt.Sprint(c.unknown, c.with), func(t *testing.T) {
			var calls atomic.Int32
			s := openShop(t, edge.Options{Rules: []edge.Rule{{Match: "/**", Unknown: c.unknown}}}, func(w http.ResponseWriter, r *http.Request) {
				if calls.Add(1) == 1 {
					io.WriteString(w, "half an answer")
					panicking(c.with)
				}
				order(w, r)
			})
			key := s.key()
			if _, body := s.submit(key, "1", 502, "unknown"); strings.Contains(body, "half") {
				t.Errorf("answer = %q; want nothing of the application's", body)
			}
			s.submit(key, "1", c.second, c.outcome)
			s.ran(c.runs)
			s.Close() // the server logs when it is done with the connection
			log := s.log.String()
			if c.logs == "" == strings.Contains(log, "panic serving") || !strings.Contains(log, c.logs) {
				t.Errorf("log = %s; want %q in a stack: %s", log, c.logs, c.why)
			}
		})
	}
}

func TestAPanicOverHTTP2EndsItsStreamAlone(t *testing.T) {
	var runs, connections atomic.Int32
	h := edge.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "GET" {
			io.WriteString(w, testForm)
			return
		}
		if runs.Add(1) == 1 {
			panic(http.ErrAbortHandler)
		}
		order(w, r)
	}), edge.Options{Secret: testSecret, Store: new(edge.MemoryStore), Logger: quiet.Logger})
	s := &shop{t: t, Server: httptest.NewUnstartedServer(h)}
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	client := s.Client().Transport
	send := func(r *http.Request) (*http.Response, string) {
		res, err := client.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body, _ := io.ReadAll(res.Body) // the reset comes behind it
		return res, string(body)
	}
	_, page := send(s.request("GET", "/", nil))
	form := url.Values{"idempotency_key": {keyIn.FindString(page)}, "amount": {"1"}}.Encode()
	for _, want := range []struct {
		status  int
		outcome string
	}{{502, "unknown"}, {200, "created"}, {200, "replayed"}} {
		res, body := send(s.request("POST", "/orders", strings.NewReader(form)))
		got := res.Header.Get("Idempotency-Status")
		if res.ProtoMajor != 2 || res.StatusCode != want.status || got != want.outcome || int64(len(body)) != res.ContentLength {
			t.Errorf("submit = %s %d %q, %d bytes of %d; want %d %q, whole", res.Proto, res.StatusCode, got, len(body), res.ContentLength, want.status, want.outcome)
		}
	}
	if runs.Load() != 2 || connections.Load() != 1 {
		t.Errorf("%d runs, %d connections; want 2 over one", runs.Load(), connections.Load())
	}
}

func TestWhoWaitedForAPanicDoesNotRun(t *testing.T) {
	open := make(chan struct{})
	entered := make(chan struct{})
	store := new(edge.MemoryStore)
	s := openShop(t, edge.Options{Store: store}, func(http.ResponseWriter, *http.Request) {
		close(entered)
		<-open
		panic(http.ErrAbortHandler)
	})
	key := s.key()
	var all sync.WaitGroup
	all.Go(func() { s.submit(key, "1", 502, "unknown") })
	<-entered
	all.Go(func() { s.submit(key, "1", 502, "unknown") })
	for store.Waiting() == 0 {
		time.Sleep(time.Millisecond)
	}
	close(open)
	all.Wait()
	s.ran(1)
}

func TestAPanicOnAPageIsNotTouched(t *testing.T) {
	h := edge.Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("ouch") }), quiet)
	defer func() {
		if got := recover(); got != "ouch" {
			t.Errorf("recovered %v; want the application's own panic", got)
		}
	}()
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
}
