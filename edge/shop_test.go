package edge_test

import (
	"bytes"
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
