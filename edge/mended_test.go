package edge

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// mendedRequest runs one request through mended and returns it as the application sees it.
func mendedRequest(t *testing.T, r *http.Request) *http.Request {
	t.Helper()
	var got *http.Request
	mended(slog.Default(), func(_ http.ResponseWriter, r *http.Request) { got = r })(httptest.NewRecorder(), r)
	return got
}

// The bindings split at each comma: what they hand over here is what they make of the wanted value.
func TestSplitHeadersAreWholeAgain(t *testing.T) {
	for _, c := range []struct{ why, name, want string }{
		{"languages keep their weights", "Accept-Language", "ja,en-US;q=0.9, en;q=0.8"},
		{"a browser's name holds a comma", "User-Agent", "Mozilla/5.0 (X11; Linux) AppleWebKit/537.36 (KHTML, like Gecko)"},
		{"a cookie may hold a comma", "Cookie", "a=1,2; lang=ja"},
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
	for _, c := range []struct {
		with   any
		before func(w http.ResponseWriter)
		status int
		logged bool
		why    string
	}{
		{"ouch", func(http.ResponseWriter) {}, 500, true, "the visitor does not wait for nothing"},
		{"ouch", func(w http.ResponseWriter) { w.WriteHeader(502) }, 502, true, "an answer that is there stays"},
		{http.ErrAbortHandler, func(http.ResponseWriter) {}, 500, false, "it is meant to say nothing"},
	} {
		var log bytes.Buffer
		w := httptest.NewRecorder()
		mended(slog.New(slog.NewTextHandler(&log, nil)), func(w http.ResponseWriter, _ *http.Request) {
			c.before(w)
			panic(c.with)
		})(w, httptest.NewRequest("GET", "/", nil))
		if w.Code != c.status || strings.Contains(log.String(), "ouch") != c.logged || c.logged != strings.Contains(log.String(), "mended_test") {
			t.Errorf("answer %d, log %q; want %d, logged with its stack: %v: %s", w.Code, log.String(), c.status, c.logged, c.why)
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
	mended(slog.Default(), func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusEarlyHints)
		w.WriteHeader(http.StatusCreated)
		w.WriteHeader(http.StatusTeapot)
	})(l, httptest.NewRequest("GET", "/", nil))
	if l.status != http.StatusCreated {
		t.Errorf("status = %d; want 201", l.status)
	}
}

func TestHeadHasNoBodyAndNoLengthToWaitFor(t *testing.T) {
	w := httptest.NewRecorder()
	mended(slog.Default(), func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Kept", "yes")
		w.Header().Set("Content-Length", "4")
		if n, err := io.WriteString(w, "body"); n != 4 || err != nil {
			t.Errorf("Write = %d, %v; want it to look written", n, err)
		}
	})(w, httptest.NewRequest("HEAD", "/", nil))
	if w.Body.Len() != 0 || w.Header().Get("X-Kept") != "yes" || w.Header().Get("Content-Length") != "" {
		t.Errorf("HEAD = %q, %v; want the headers alone", w.Body, w.Header())
	}
}
