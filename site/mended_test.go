package main

import (
	"bytes"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
)

// seen runs one request through mended and returns it as the application sees it.
func seen(t *testing.T, r *http.Request) *http.Request {
	t.Helper()
	var got *http.Request
	mended(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r })).ServeHTTP(httptest.NewRecorder(), r)
	return got
}

// The bindings split at each comma: what they hand over here is what they make of the wanted value.
func TestSplitHeadersAreWholeAgain(t *testing.T) {
	tests := []struct{ why, name, want string }{
		{"languages keep their weights", "Accept-Language", "ja,en-US;q=0.9, en;q=0.8"},
		{"a browser's name holds a comma", "User-Agent", "Mozilla/5.0 (X11; Linux) AppleWebKit/537.36 (KHTML, like Gecko)"},
		{"a cookie may hold a comma", "Cookie", "a=1,2; lang=ja"},
		{"a date holds a comma", "If-Modified-Since", "Mon, 30 Nov 2026 09:00:00 GMT"},
		{"a media type parameter may hold a comma", "Content-Type", `multipart/form-data; boundary="a,b"`},
		{"what was never split stays", "Accept", "text/html"},
		{"an empty header stays", "X-Empty", ""},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			r := httptest.NewRequest("GET", "/", nil)
			for part := range strings.SplitSeq(tt.want, ",") {
				r.Header.Add(tt.name, part)
			}
			if got := seen(t, r).Header.Values(tt.name); len(got) != 1 || got[0] != tt.want {
				t.Errorf("%s = %q; want %q", tt.name, got, tt.want)
			}
		})
	}
}

func TestMissingBodyIsAnEmptyBody(t *testing.T) {
	r := httptest.NewRequest("POST", "/", nil)
	r.Body = nil
	body, err := io.ReadAll(seen(t, r).Body)
	if len(body) != 0 || err != nil {
		t.Errorf("Body reads %q, %v; want nothing", body, err)
	}
}

func TestPanicIsAnAnswerAndALogLine(t *testing.T) {
	var logged bytes.Buffer
	log.SetOutput(&logged)
	defer log.SetOutput(os.Stderr)
	recorder := httptest.NewRecorder()
	mended(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("ouch") })).
		ServeHTTP(recorder, httptest.NewRequest("GET", "/", nil))
	if recorder.Code != 500 {
		t.Errorf("status %d; want 500", recorder.Code)
	}
	if !strings.Contains(logged.String(), "ouch") {
		t.Errorf("logged %q; want the cause", logged.String())
	}
}

// The application breaks a connection on purpose as it would in front of net/http's server.
func TestAbortIsNoAnswer(t *testing.T) {
	recorder := httptest.NewRecorder()
	defer func() {
		if cause := recover(); cause != http.ErrAbortHandler || recorder.Code != 200 || recorder.Body.Len() > 0 {
			t.Errorf("recovered %v after status %d; want the abort to pass", cause, recorder.Code)
		}
	}()
	mended(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })).
		ServeHTTP(recorder, httptest.NewRequest("GET", "/", nil))
}

func TestHeadDropsTheBody(t *testing.T) {
	recorder := httptest.NewRecorder()
	mended(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Kept", "yes")
		if n, err := io.WriteString(w, "body"); n != 4 || err != nil {
			t.Errorf("Write = %d, %v; want it to look written", n, err)
		}
	})).ServeHTTP(recorder, httptest.NewRequest("HEAD", "/", nil))
	if recorder.Body.Len() != 0 || recorder.Header().Get("X-Kept") != "yes" {
		t.Errorf("HEAD = %q, %v; want the headers alone", recorder.Body, recorder.Header())
	}
}
