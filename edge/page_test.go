package edge_test

import (
	"bufio"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/singleshot-edge/singleshot/edge"
)

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

// wrapped is a middleware's writer, of which http.ResponseController alone finds what is below.
type wrapped struct{ http.ResponseWriter }

func (w wrapped) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func TestAConnectionBelowAMiddlewareCanBeTakenOver(t *testing.T) {
	var log syncBuffer
	h := edge.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		c, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Errorf("Hijack = %v; want the connection", err)
			return
		}
		io.WriteString(c, "HTTP/1.0 200 OK\r\n\r\nown")
		c.Close()
	}), quiet)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.ServeHTTP(wrapped{w}, r) }))
	s.Config.ErrorLog = slog.NewLogLogger(slog.NewTextHandler(&log, nil), slog.LevelError)
	s.Start()
	defer s.Close()
	res, err := http.Get(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if body, err := io.ReadAll(res.Body); string(body) != "own" || err != nil {
		t.Errorf("answer = %q, %v; want the application's own", body, err)
	}
	s.Close()
	if log.String() != "" {
		t.Errorf("log = %s; want nothing: nobody writes on the connection of another", log.String())
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
