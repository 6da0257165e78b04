package edge_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/singleshot-edge/singleshot/core/coretest"
	"github.com/singleshot-edge/singleshot/edge"
)

const testSecret = "a-secret-for-tests-0123456789abcdef"

// quiet are options that log nothing.
var quiet = edge.Options{Secret: testSecret, Store: new(edge.MemoryStore), Logger: slog.New(slog.DiscardHandler)}

const testForm = `<!doctype html><form method="post" action="/orders"><input name="amount" value="1"></form>`

// shop is a server whose application renders a form at / and answers /orders with post.
type shop struct {
	*httptest.Server
	t    *testing.T
	log  *syncBuffer
	runs atomic.Int32
}

// syncBuffer is a log that is read while it is written.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func openShop(t *testing.T, o edge.Options, post http.HandlerFunc) *shop {
	t.Helper()
	s := &shop{t: t, log: new(syncBuffer)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, testForm) })
	mux.HandleFunc("POST /orders", func(w http.ResponseWriter, r *http.Request) {
		s.runs.Add(1)
		post(w, r)
	})
	if o.Secret == "" {
		o.Secret = testSecret
	}
	if o.Store == nil {
		o.Store = new(edge.MemoryStore)
	}
	o.Logger = slog.New(slog.NewTextHandler(s.log, nil))
	s.Server = httptest.NewUnstartedServer(edge.Handler(mux, o))
	s.Config.ErrorLog = slog.NewLogLogger(o.Logger.Handler(), slog.LevelError)
	s.Start()
	t.Cleanup(s.Close)
	return s
}

var keyIn = regexp.MustCompile(`ik_[A-Za-z0-9_-]+`)

// key opens the page and takes the key of its form.
func (s *shop) key() string {
	s.t.Helper()
	_, page := s.do(s.request("GET", "/", nil))
	key := keyIn.FindString(page)
	if key == "" {
		s.t.Fatalf("page = %q; want a key in it", page)
	}
	return key
}

func (s *shop) request(method, path string, body io.Reader) *http.Request {
	s.t.Helper()
	r, err := http.NewRequest(method, s.URL+path, body)
	if err != nil {
		s.t.Fatal(err)
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return r
}

func (s *shop) do(r *http.Request) (*http.Response, string) {
	s.t.Helper()
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		s.t.Errorf("%s %s: %v", r.Method, r.URL.Path, err)
		return &http.Response{Header: http.Header{}}, ""
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Errorf("%s %s: %v after %q", r.Method, r.URL.Path, err, body)
	}
	return res, string(body)
}

// submit sends the form and checks how it ended.
func (s *shop) submit(key, amount string, status int, outcome string) (*http.Response, string) {
	s.t.Helper()
	form := url.Values{"idempotency_key": {key}, "amount": {amount}}
	res, body := s.do(s.request("POST", "/orders", strings.NewReader(form.Encode())))
	if got := res.Header.Get("Idempotency-Status"); res.StatusCode != status || got != outcome {
		s.t.Errorf("submit = %d %q, %.200q; want %d %q", res.StatusCode, got, body, status, outcome)
	}
	return res, body
}

func (s *shop) ran(want int32) {
	s.t.Helper()
	if got := s.runs.Load(); got != want {
		s.t.Errorf("the application ran %d times; want %d", got, want)
	}
}

func order(w http.ResponseWriter, r *http.Request) {
	fmt.Fprintf(w, "<p>Order of %s, attempt %s", r.FormValue("amount"), r.Header.Get("Idempotency-Attempt"))
}

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

func TestStoreFailuresNeverReachTheApplication(t *testing.T) {
	down := atomic.Bool{}
	store := coretest.Faulty{Store: new(edge.MemoryStore), Lose: func() coretest.Loss {
		if down.Load() {
			return coretest.LoseRequest
		}
		return coretest.LoseNothing
	}}
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
