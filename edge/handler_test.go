package edge_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/singleshot-edge/singleshot/core/coretest"
	"github.com/singleshot-edge/singleshot/edge"
)

func TestThreeBranchesInAGoServer(t *testing.T) {
	s := openShop(t, edge.Options{}, order)
	key := s.key()
	first, body := s.submit(key, "1", 200, "created")
	again, same := s.submit(key, "1", 200, "replayed")
	if same != body || again.Header.Get("Content-Type") != first.Header.Get("Content-Type") || body != "<p>Order of 1, attempt 1" {
		t.Errorf("replay = %q, %v; want the first answer %q, %v", same, again.Header, body, first.Header)
	}
	s.submit(key, "2", 422, "mismatch")
	s.ran(1)
}

func TestAVisitorWhoGoesAwayDoesNotStopTheCommit(t *testing.T) {
	entered, gone := make(chan struct{}), make(chan struct{})
	s := openShop(t, edge.Options{}, func(w http.ResponseWriter, r *http.Request) {
		close(entered)
		<-gone
		time.Sleep(20 * time.Millisecond) // for the server to see it
		if err := r.Context().Err(); err != nil {
			w.WriteHeader(500)
		}
		order(w, r)
	})
	key := s.key()
	ctx, cancel := context.WithCancel(t.Context())
	form := url.Values{"idempotency_key": {key}, "amount": {"1"}}
	r := s.request("POST", "/orders", strings.NewReader(form.Encode())).WithContext(ctx)
	ended := make(chan error, 1)
	go func() {
		_, err := http.DefaultTransport.RoundTrip(r)
		ended <- err
	}()
	<-entered
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("first = %v; want it cancelled", err)
	}
	close(gone)
	_, body := s.submit(key, "1", 200, "replayed")
	if body != "<p>Order of 1, attempt 1" {
		t.Errorf("second = %q; want the first answer", body)
	}
	s.ran(1)
}

func TestHeadersFromOutsideStayAndCanBeChanged(t *testing.T) {
	app := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "GET" {
			io.WriteString(w, testForm)
			return
		}
		w.Header().Del("X-Removed")
		w.Header().Set("X-Changed", "inside")
		w.Header().Set("X-Trailer-Less", "yes")
		w.WriteHeader(201)
		w.Header().Set("X-Late", "no")
		io.WriteString(w, "done")
	})
	h := edge.Handler(app, quiet)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Frame-Options", "DENY")
		w.Header().Set("X-Removed", "outside")
		w.Header().Set("X-Changed", "outside")
		http.SetCookie(w, &http.Cookie{Name: "session", Value: "1"})
		h.ServeHTTP(w, r)
	}))
	defer s.Close()
	shop := &shop{Server: s, t: t}
	key := shop.key()
	first, _ := shop.submit(key, "1", 201, "created")
	for name, want := range map[string]string{"X-Frame-Options": "DENY", "X-Removed": "", "X-Changed": "inside", "X-Late": "", "X-Trailer-Less": "yes"} {
		if got := first.Header.Get(name); got != want {
			t.Errorf("%s = %q; want %q", name, got, want)
		}
	}
	again, _ := shop.submit(key, "1", 201, "replayed")
	if got := again.Header.Values("X-Frame-Options"); len(got) != 1 || got[0] != "DENY" {
		t.Errorf("X-Frame-Options of a replay = %q; want it once", got)
	}
}

// outage is a store in memory that nobody reaches while it is down.
func outage() (coretest.Faulty, *atomic.Bool) {
	down := new(atomic.Bool)
	return coretest.Faulty{Store: new(edge.MemoryStore), Lose: func() coretest.Loss {
		if down.Load() {
			return coretest.LoseRequest
		}
		return coretest.LoseNothing
	}}, down
}

func TestStoreFailuresNeverReachTheApplication(t *testing.T) {
	store, down := outage()
	s := openShop(t, edge.Options{Store: store, Rules: []edge.Rule{{Match: "/**", Lease: time.Minute}}}, func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("amount") == "13" {
			down.Store(true) // while it runs
			time.AfterFunc(700*time.Millisecond, func() { down.Store(false) })
		}
		order(w, r)
	})
	key := s.key()
	down.Store(true)
	s.submit(key, "1", 503, "refused")
	s.ran(0)
	down.Store(false)
	s.submit(key, "1", 200, "created")
	other := s.key()
	s.submit(other, "13", 200, "unknown")
	for end := time.Now().Add(time.Minute); down.Load() && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	s.submit(other, "13", 200, "replayed") // the commit was repeated until the store was there again
	s.ran(2)
	if log := s.log.String(); !strings.Contains(log, "store") || strings.Contains(log, key) {
		t.Errorf("log = %s; want the failures, and no key", log)
	}
}

func TestTheLogWarnsOfWhatNobodyKnows(t *testing.T) {
	s := openShop(t, edge.Options{RulesText: `[{"match": "/**", "unknown": "hold"}]`}, func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("amount") == "13" {
			w.WriteHeader(http.StatusBadGateway) // of something behind it
			return
		}
		order(w, r)
	})
	s.submit(s.key(), "1", 200, "created")
	if log := s.log.String(); !strings.Contains(log, "level=INFO") || strings.Contains(log, "level=WARN") {
		t.Errorf("log of a submit = %s; want a line at level info", log)
	}
	s.submit(s.key(), "13", 502, "unknown")
	if log := s.log.String(); strings.Count(log, "level=WARN") != 1 || !strings.Contains(log, "outcome=unknown") {
		t.Errorf("log of an unknown outcome = %s; want a line at level warn", log)
	}
}

func TestTheLogHasALineForEachGuardedRequest(t *testing.T) { // contract §10: digest, rule, status, outcome, calls, milliseconds
	s := openShop(t, edge.Options{Rules: []edge.Rule{{Match: "/orders"}}}, order)
	key := s.key()
	s.submit(key, "1", 200, "created")
	s.submit(key, "1", 200, "replayed")
	s.do(s.request("POST", "/orders", strings.NewReader("amount=1")))
	lines := strings.Split(strings.TrimSpace(s.log.String()), "\n")
	if len(lines) != 2 {
		t.Fatalf("log = %s; want a line for each submit with a key, and none for what is not guarded", s.log)
	}
	for i, want := range []string{"status=200 outcome=created store=2 kv=0 ms=", "status=200 outcome=replayed store=2 kv=0 ms="} {
		_, attrs, _ := strings.Cut(lines[i], "msg=singleshot key=")
		digest, rest, _ := strings.Cut(attrs, " rule=/orders ")
		shard, trail, _ := strings.Cut(digest, ".")
		if !strings.Contains(shard, "-") || len(trail) != 32 || !strings.HasPrefix(rest, want) || strings.Contains(lines[i], key) {
			t.Errorf("line %d = %s; want its digest, the rule, and %s", i+1, lines[i], want)
		}
	}
}

func TestABodyOverAnOuterLimitIs413(t *testing.T) {
	h := edge.Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it reached the application") }),
		quiet)
	w := httptest.NewRecorder()
	r := httptest.NewRequest("POST", "/orders", strings.NewReader("amount="+strings.Repeat("1", 5000)))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	http.MaxBytesHandler(h, 1000).ServeHTTP(w, r)
	if w.Code != 413 || w.Header().Get("Idempotency-Status") != "refused" {
		t.Errorf("answer = %d %v; want 413", w.Code, w.Header())
	}
}

func TestTheSiteIsWhatVisitorsSee(t *testing.T) {
	h := edge.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, testForm) }),
		edge.Options{Secret: testSecret, Store: new(edge.MemoryStore), Logger: quiet.Logger, Site: "https://shop.example"})
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "http://10.0.0.7:8080/", nil))
	if got := w.Header().Get("Set-Cookie"); !strings.HasPrefix(got, "__Host-singleshot=") || !strings.Contains(got, "Secure") {
		t.Errorf("Set-Cookie = %q; want the one of an https site", got)
	}
}
