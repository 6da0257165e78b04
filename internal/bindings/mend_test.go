package bindings

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func serve(log *slog.Logger, w http.ResponseWriter, r *http.Request, h http.HandlerFunc) {
	Mend(log, h).ServeHTTP(w, r)
}

// mendedRequest runs one request through Mend and returns it as the application sees it.
func mendedRequest(t *testing.T, r *http.Request) *http.Request {
	t.Helper()
	var got *http.Request
	serve(slog.Default(), httptest.NewRecorder(), r, func(_ http.ResponseWriter, r *http.Request) { got = r })
	return got
}

// The bindings split at each comma: what they hand over here is what they make of the wanted value.
func TestSplitHeadersAreWholeAgain(t *testing.T) {
	for _, c := range []struct{ why, name, want string }{
		{"languages keep their weights", "Accept-Language", "ja,en-US;q=0.9, en;q=0.8"},
		{"a browser's name holds a comma", "User-Agent", "Mozilla/5.0 (X11; Linux) AppleWebKit/537.36 (KHTML, like Gecko)"},
		{"a cookie may hold a comma", "Cookie", "a=1,2; lang=ja"},
		{"a date holds a comma", "If-Modified-Since", "Mon, 30 Nov 2026 09:00:00 GMT"},
		{"a media type parameter may hold a comma", "Content-Type", `multipart/form-data; boundary="a,b"`},
		{"what was never split stays", "Accept", "text/html"},
		{"an empty header stays", "X-Empty", ""},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		for part := range strings.SplitSeq(c.want, ",") {
			r.Header.Add(c.name, part)
		}
		if got := mendedRequest(t, r).Header.Values(c.name); len(got) != 1 || got[0] != c.want {
			t.Errorf("%s = %q; want %q: %s", c.name, got, c.want, c.why)
		}
	}
}

func TestARequestOfTheBindingsIsOneOfNetHTTPs(t *testing.T) {
	r := httptest.NewRequest("POST", "/", nil)
	r.Body, r.TransferEncoding = nil, []string{""}
	r.Header.Set("Host", "shop.example")
	got := mendedRequest(t, r)
	if body, err := io.ReadAll(got.Body); len(body) != 0 || err != nil {
		t.Errorf("Body = %q, %v; want none", body, err)
	}
	if got.TransferEncoding != nil || got.Header.Get("Host") != "" {
		t.Errorf("TransferEncoding = %q, Host = %q; want neither", got.TransferEncoding, got.Header.Get("Host"))
	}
}

func TestAPanicIsAnAnswerAndALogLine(t *testing.T) {
	whole := func(w http.ResponseWriter) {
		w.Header().Set("Content-Length", "4")
		w.WriteHeader(502)
		io.WriteString(w, "gone")
	}
	part := func(w http.ResponseWriter) { io.WriteString(w, "half") }
	for _, c := range []struct {
		with   any
		before http.HandlerFunc
		method string
		status int
		broken bool
		why    string
	}{
		{"ouch", nil, "GET", 500, false, "the visitor does not wait for nothing"},
		{"ouch", func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Length", "4") }, "GET", 500, false, "nor for the bytes of another answer"},
		{"ouch", func(w http.ResponseWriter, _ *http.Request) { whole(w) }, "GET", 502, false, "an answer that is there stays"},
		{"ouch", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) }, "GET", 204, false, "one without a body too"},
		{"ouch", func(w http.ResponseWriter, _ *http.Request) { part(w) }, "GET", 200, true, "a part is not taken for the whole"},
		{http.ErrAbortHandler, nil, "GET", 200, true, "the connection is to break"},
		{http.ErrAbortHandler, func(w http.ResponseWriter, _ *http.Request) { part(w) }, "GET", 200, true, "in the middle too"},
		{http.ErrAbortHandler, func(w http.ResponseWriter, _ *http.Request) { whole(w) }, "GET", 502, false, "what is whole has gone out already"},
		{http.ErrAbortHandler, func(w http.ResponseWriter, _ *http.Request) { part(w) }, "HEAD", 200, false, "nothing follows the head"},
	} {
		var log bytes.Buffer
		w := httptest.NewRecorder()
		broken := func() (broken bool) {
			defer func() { broken = recover() == http.ErrAbortHandler }()
			serve(slog.New(slog.NewTextHandler(&log, nil)), w, httptest.NewRequest(c.method, "/", nil), func(w http.ResponseWriter, r *http.Request) {
				if c.before != nil {
					c.before(w, r)
				}
				panic(c.with)
			})
			return false
		}()
		if w.Code != c.status || broken != c.broken {
			t.Errorf("answer %d, broken off: %v; want %d, %v: %s", w.Code, broken, c.status, c.broken, c.why)
		}
		if c.status == 500 && w.Header().Get("Content-Length") != "" {
			t.Errorf("Content-Length = %q; want none: %s", w.Header().Get("Content-Length"), c.why)
		}
		if got, want := log.String(), c.with == "ouch"; strings.Contains(got, "ouch") != want || strings.Contains(got, "mend_test.go") != want {
			t.Errorf("log = %q; want it logged with its stack: %v: %s", got, want, c.why)
		}
	}
}

// lastStatus is the ResponseWriter of the bindings, as far as it differs: the last status counts.
type lastStatus struct {
	*httptest.ResponseRecorder
	status int
}

func (l *lastStatus) WriteHeader(status int) { l.status = status }

func TestTheFirstFinalStatusCounts(t *testing.T) {
	l := &lastStatus{ResponseRecorder: httptest.NewRecorder()}
	serve(slog.Default(), l, httptest.NewRequest("GET", "/", nil), func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusEarlyHints)
		w.WriteHeader(http.StatusCreated)
		w.WriteHeader(http.StatusTeapot)
	})
	if l.status != http.StatusCreated {
		t.Errorf("status = %d; want 201", l.status)
	}
}

func TestHeadHasALengthAndNoBody(t *testing.T) {
	w := httptest.NewRecorder()
	serve(slog.Default(), w, httptest.NewRequest("HEAD", "/", nil), func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Kept", "yes")
		w.Header().Set("Content-Length", "4")
		if n, err := io.WriteString(w, "body"); n != 4 || err != nil {
			t.Errorf("Write = %d, %v; want it to look written", n, err)
		}
	})
	if w.Body.Len() != 0 || w.Header().Get("X-Kept") != "yes" || w.Header().Get("Content-Length") != "4" {
		t.Errorf("HEAD = %q, %v; want the whole head alone", w.Body, w.Header())
	}
}
