package edge_test

import (
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/singleshot-edge/singleshot/edge"
)

// compressing is a ResponseWriter as gorilla/handlers has it: what is written goes through gzip, and the header said so
// before anybody wrote.
type compressing struct {
	http.ResponseWriter
	to io.Writer
}

func (c compressing) Write(p []byte) (int, error) { return c.to.Write(p) }

func compress(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		defer z.Close()
		h.ServeHTTP(compressing{w, z}, r)
	})
}

func TestAMiddlewareMaySayBeforeThatItCompresses(t *testing.T) {
	for _, c := range []struct{ page, contentType, why string }{
		{"/", "", "the type is guessed from what the application writes"},
		{"/", "text/html", "it is not taken for gzip"},
		{"/cacheable", "text/html", "neither is a page that is held"},
	} {
		s := &shop{t: t, Server: httptest.NewServer(compress(edge.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if c.contentType != "" {
				w.Header().Set("Content-Type", c.contentType)
			}
			switch r.URL.Path {
			case "/orders":
				order(w, r)
			case "/cacheable":
				w.Header().Set("Cache-Control", "max-age=60")
				fallthrough
			default:
				io.WriteString(w, testForm)
			}
		}), quiet)))}
		// The client of net/http takes gzip off, where the header says it.
		_, page := s.do(s.request("GET", c.page, nil))
		key := keyIn.FindString(page)
		if key == "" {
			t.Errorf("%s: page = %q; want a key in it", c.why, page)
		}
		for _, outcome := range []string{"created", "replayed"} {
			if _, body := s.submit(key, "1", 200, outcome); body != "<p>Order of 1, attempt 1" {
				t.Errorf("%s: %s = %q; want the order", c.why, outcome, body)
			}
		}
		s.Close()
	}
}

func TestWhoMayWaitNoLongerIsTold(t *testing.T) {
	open, entered := make(chan struct{}), make(chan struct{})
	store := new(edge.MemoryStore)
	h := edge.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "GET" {
			io.WriteString(w, testForm)
			return
		}
		close(entered)
		<-open
		order(w, r)
	}), edge.Options{Secret: testSecret, Store: store, Logger: quiet.Logger})
	var waiting context.Context // of the server, or of a middleware with a deadline
	s := &shop{t: t, Server: httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if waiting != nil {
			r = r.WithContext(waiting)
		}
		h.ServeHTTP(w, r)
	}))}
	defer s.Close()
	key := s.key()
	var first sync.WaitGroup
	first.Go(func() { s.submit(key, "1", 200, "created") })
	<-entered
	over, end := context.WithCancel(t.Context())
	end()
	waiting = over
	s.submit(key, "1", 503, "running")
	close(open)
	first.Wait()
}

func TestALargeDuplicateOverAnOuterLimitIs413(t *testing.T) {
	var runs int
	h := http.MaxBytesHandler(edge.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		runs++
		_, _ = io.Copy(io.Discard, r.Body)
	}), edge.Options{Secret: testSecret, Store: new(edge.MemoryStore), Logger: quiet.Logger, Rules: []edge.Rule{{Match: "/**", Key: "header"}}}), 3<<20)
	for _, c := range []struct {
		size, status int
		why          string
	}{
		{2 << 20, 200, "the first"},
		{2 << 20, 200, "a duplicate"},
		{4 << 20, 413, "nobody knows what the rest would be, and an empty 200 would be a lie"},
	} {
		r := httptest.NewRequest("POST", "/orders", strings.NewReader("amount="+strings.Repeat("1", c.size)))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Authorization", "Bearer me")
		r.Header.Set("Idempotency-Key", benchKey(1))
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != c.status || w.Header().Get("Idempotency-Status") == "" {
			t.Errorf("%s: %d %v; want %d", c.why, w.Code, w.Header(), c.status)
		}
	}
	if runs != 1 {
		t.Errorf("the application ran %d times; want once", runs)
	}
}

func TestTheApplicationsOwnListOfCookiesIsNotWrittenTo(t *testing.T) {
	common := append(make([]string, 0, 4), "a=1") // for all answers
	h := edge.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Set-Cookie"] = common
		io.WriteString(w, testForm)
	}), quiet)
	for _, method := range []string{"GET", "POST"} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(method, "/", strings.NewReader(url.Values{"idempotency_key": {""}}.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		h.ServeHTTP(w, r)
		if got := w.Header()["Set-Cookie"]; len(got) != 2 {
			t.Errorf("cookies = %q; want the application's and the visitor's", got)
		}
		if got := common[:2][1]; got != "" {
			t.Errorf("behind the application's cookies stands %q, for another visitor", got)
		}
	}
}
