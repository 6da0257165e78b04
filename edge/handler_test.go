package edge_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
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

func TestWhoWaitedForAPanicDoesNotRun(t *testing.T) {
	open := make(chan struct{})
	entered := make(chan struct{})
	s := openShop(t, edge.Options{}, func(http.ResponseWriter, *http.Request) {
		close(entered)
		<-open
		panic(http.ErrAbortHandler)
	})
	key := s.key()
	var all sync.WaitGroup
	all.Go(func() { s.submit(key, "1", 502, "unknown") })
	<-entered
	all.Go(func() { s.submit(key, "1", 502, "unknown") })
	time.Sleep(50 * time.Millisecond) // the duplicate is on its way; if it comes later it runs, and the channel is closed twice
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

func TestAPageStreamsWithItsKey(t *testing.T) {
	next := make(chan struct{})
	h := edge.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, testForm)
		w.(http.Flusher).Flush()
		<-next
		io.WriteString(w, "<p>end")
	}), quiet)
	s := httptest.NewServer(h)
	defer s.Close()
	res, err := http.Get(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	first := make([]byte, len(testForm)+60)
	if _, err := io.ReadFull(res.Body, first); err != nil || !keyIn.Match(first) {
		t.Errorf("first part = %q, %v; want the form with its key before the page ends", first, err)
	}
	close(next)
	rest, err := io.ReadAll(res.Body)
	if err != nil || !strings.HasSuffix(string(rest), "<p>end") {
		t.Errorf("rest = %q, %v; want the end", rest, err)
	}
}

// ask serves one request by the application inside a Handler, over a real connection.
func ask(t *testing.T, app http.HandlerFunc, headers ...string) (*http.Response, string) {
	t.Helper()
	s := httptest.NewServer(edge.Handler(app, quiet))
	defer s.Close()
	r, err := http.NewRequest("GET", s.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(body)
}

func TestTheContentTypeIsGuessedAsEver(t *testing.T) {
	for _, c := range []struct {
		body  string
		keyed bool
		why   string
	}{
		{testForm, true, "html is recognised by its first bytes"},
		{strings.Repeat(" ", 600) + testForm, false, "not after the first 512 bytes"},
		{"{}", false, "no html"},
		{"", false, "an empty answer has no type"},
		{"<p>" + strings.Repeat("x", 2000), true, "longer than what is looked at"},
	} {
		app := func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, c.body) }
		bare := httptest.NewServer(http.HandlerFunc(app))
		want, err := http.Get(bare.URL)
		bare.Close()
		if err != nil {
			t.Fatal(err)
		}
		got, body := ask(t, app)
		if got.Header.Get("Content-Type") != want.Header.Get("Content-Type") {
			t.Errorf("Content-Type = %q; want %q as without the Handler: %s", got.Header.Get("Content-Type"), want.Header.Get("Content-Type"), c.why)
		}
		if strings.Contains(c.body, "<form") && keyIn.MatchString(body) != c.keyed {
			t.Errorf("body = %q; want a key: %v: %s", body, c.keyed, c.why)
		}
		if plain := strings.ReplaceAll(regexp.MustCompile(`<input type="hidden"[^>]*>`).ReplaceAllString(body, ""), "\x00", ""); plain != c.body {
			t.Errorf("body = %q; want %q and keys", body, c.body)
		}
	}
}

func TestWhatIsNotGuardedHasItsOwnWriter(t *testing.T) {
	early := 0
	res, body := ask(t, func(w http.ResponseWriter, r *http.Request) {
		if _, ok := w.(http.Flusher); !ok {
			t.Error("no Flusher")
		}
		if _, ok := w.(io.ReaderFrom); !ok {
			t.Error("no ReaderFrom")
		}
		rc := http.NewResponseController(w)
		if err := errors.Join(rc.SetWriteDeadline(time.Now().Add(time.Minute)), rc.SetReadDeadline(time.Time{}), rc.EnableFullDuplex()); err != nil {
			t.Errorf("ResponseController = %v; want no error", err)
		}
		w.Header().Set("Link", "</a.css>; rel=preload")
		w.WriteHeader(http.StatusEarlyHints)
		early++
		w.Header().Set("Content-Type", "text/plain")
		w.WriteHeader(http.StatusTeapot)
		n, err := w.(io.ReaderFrom).ReadFrom(strings.NewReader(testForm))
		if n != int64(len(testForm)) || err != nil {
			t.Errorf("ReadFrom = %d, %v; want all", n, err)
		}
	})
	if res.StatusCode != http.StatusTeapot || body != testForm || early != 1 {
		t.Errorf("answer = %d %q; want the application's", res.StatusCode, body)
	}
	_, page := ask(t, func(w http.ResponseWriter, _ *http.Request) {
		io.Copy(w, strings.NewReader(testForm+strings.Repeat("x", 9000)))
	})
	if !keyIn.MatchString(page) || len(page) < 9000+len(testForm) {
		t.Errorf("a page that is copied has %d bytes; want all, and a key", len(page))
	}
}

func TestAConnectionCanBeTakenOver(t *testing.T) {
	s := httptest.NewServer(edge.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		c, rw, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Errorf("Hijack = %v; want the connection", err)
			return
		}
		defer c.Close()
		line, _ := rw.ReadString('\n')
		io.WriteString(c, "you said "+line)
	}), quiet))
	defer s.Close()
	c, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	io.WriteString(c, "GET / HTTP/1.1\r\nHost: shop.example\r\n\r\nhello\n")
	if line, err := bufio.NewReader(c).ReadString('\n'); line != "you said hello\n" || err != nil {
		t.Errorf("answer = %q, %v; want the application's own", line, err)
	}
	plain := httptest.NewRecorder()
	edge.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if _, ok := w.(http.Hijacker); ok {
			t.Error("a Hijacker where there is none below (HTTP/2)")
		}
	}), quiet).ServeHTTP(plain, httptest.NewRequest("GET", "/", nil))
}

func zip(text string) string {
	var b strings.Builder
	z := gzip.NewWriter(&b)
	io.WriteString(z, text)
	z.Close()
	return b.String()
}

func TestACompressedPageGetsItsKey(t *testing.T) {
	long := testForm + strings.Repeat("<p>row", 20_000)
	for _, c := range []struct {
		encoding, cache, body, want string
		keyed                       bool
		why                         string
	}{
		{"gzip", "", zip(long), long, true, "undone, and sent as it is"},
		{"gzip", "max-age=60", zip(long), long, true, "the same while the head is held"},
		{"gzip", "max-age=60", zip("<p>no form"), "<p>no form", false, "without a form too"},
		{"br", "", "not really", "not really", false, "what cannot be undone passes"},
		{"gzip", "", "no gzip", "", false, "nothing can be made of it"},
	} {
		res, body := ask(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.Header().Set("Content-Encoding", c.encoding)
			if c.cache != "" {
				w.Header().Set("Cache-Control", c.cache)
			}
			for piece := c.body; piece != ""; piece = piece[min(len(piece), 777):] {
				io.WriteString(w, piece[:min(len(piece), 777)])
				w.(http.Flusher).Flush()
			}
		}, "Accept-Encoding", "gzip, br")
		plain := regexp.MustCompile(`<input type="hidden"[^>]*>`).ReplaceAllString(body, "")
		if plain != c.want || keyIn.MatchString(body) != c.keyed {
			t.Errorf("%s: body = %.100q of %d bytes; want %d, a key: %v: %s", c.encoding, body, len(plain), len(c.want), c.keyed, c.why)
		}
		if got := res.Header.Get("Content-Encoding"); (got == "br") != (c.encoding == "br") {
			t.Errorf("Content-Encoding = %q after %q", got, c.encoding)
		}
	}
}

func TestACompressedAnswerIsKeptPlain(t *testing.T) {
	encodings := make(chan string, 1)
	for _, c := range []struct {
		encoding, body, want, again, why string
	}{
		{"gzip", zip("<p>Order 1"), "<p>Order 1", "<p>Order 1", "Content-Encoding is undone first (contract §4)"},
		{"br", "brotli", "brotli", "Already done", "what cannot be undone cannot be kept: a tombstone"},
	} {
		s := openShop(t, edge.Options{}, func(w http.ResponseWriter, r *http.Request) {
			encodings <- r.Header.Get("Accept-Encoding")
			w.Header().Set("Content-Type", "text/html")
			w.Header().Set("Content-Encoding", c.encoding)
			io.WriteString(w, c.body)
		})
		key := s.key()
		first, body := s.submit(key, "1", 200, "created")
		if asked := <-encodings; asked != "" {
			t.Errorf("Accept-Encoding at the application = %q; want none", asked)
		}
		if body != c.want || (first.Header.Get("Content-Encoding") == "br") != (c.encoding == "br") {
			t.Errorf("first = %q, %v; want %q: %s", body, first.Header, c.want, c.why)
		}
		if _, body := s.submit(key, "1", 200, "replayed"); !strings.Contains(body, c.again) {
			t.Errorf("replay = %.2000q; want %q in it: %s", body, c.again, c.why)
		}
		s.ran(1)
	}
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
	s := openShop(t, edge.Options{Store: store, Rules: []edge.Rule{{Match: "/**", Lease: time.Second}}}, func(w http.ResponseWriter, r *http.Request) {
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
	for end := time.Now().Add(10 * time.Second); down.Load() && time.Now().Before(end); {
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
