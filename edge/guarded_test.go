package edge_test

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/singleshot-edge/singleshot/edge"
)

func TestAStatusThatNobodyCanPassOnIsUnknown(t *testing.T) {
	for _, c := range []struct {
		status int
		why    string
	}{
		{0, "net/http panics: an answer that was never made must not commit as a 200"},
		{99, "the same"},
		{1000, "the same"},
		{101, "a submit asked for no other protocol"},
		{700, "it is none of HTTP"},
	} {
		first := true
		s := openShop(t, edge.Options{}, func(w http.ResponseWriter, r *http.Request) {
			if first {
				first = false
				w.WriteHeader(c.status)
			}
			order(w, r)
			w.WriteHeader(c.status) // a second one is none
		})
		key := s.key()
		if _, body := s.submit(key, "1", 502, "unknown"); strings.Contains(body, "Order of") {
			t.Errorf("%d: answer = %q; want nothing of the application's: %s", c.status, body, c.why)
		}
		s.submit(key, "1", 200, "created")
		s.submit(key, "1", 200, "replayed")
		s.ran(2)
	}
}

func TestAHandlerInsideOfAnotherDoesNotWaitForItself(t *testing.T) {
	for _, c := range []struct {
		secret string
		same   bool // store
		why    string
	}{
		{testSecret, true, "the claim that it would wait for is that of its own request"},
		{"another-secret-0123456789abcdefgh", false, "the key is not its own, and none of its business"},
	} {
		store, log, runs := new(edge.MemoryStore), new(syncBuffer), 0
		inner := edge.Options{Secret: c.secret, Store: store, Logger: slog.New(slog.NewTextHandler(log, nil))}
		if !c.same {
			inner.Store = new(edge.MemoryStore)
		}
		app := edge.Handler(counting(&runs), inner)
		s := &shop{t: t, Server: httptest.NewServer(edge.Handler(app, edge.Options{
			Secret: testSecret, Store: store, Logger: quiet.Logger, Rules: []edge.Rule{{Match: "/**", Wait: time.Second}},
		}))}
		key := s.key()
		for _, outcome := range []string{"created", "replayed"} {
			s.submit(key, "1", 200, outcome)
		}
		s.Close()
		if got := strings.Count(log.String(), "inside of another"); runs != 1 || got != 1 {
			t.Errorf("%d runs, said %d times; want one run, and that it is said once: %s", runs, got, c.why)
		}
	}
}

// counting is an application with a form, which counts its orders.
func counting(runs *int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "GET" {
			io.WriteString(w, testForm)
			return
		}
		*runs++
		order(w, r)
	})
}

func TestAFormThatAMiddlewareHasReadIsGuarded(t *testing.T) {
	runs := 0
	h := edge.Handler(counting(&runs), edge.Options{Secret: testSecret, Store: new(edge.MemoryStore), Logger: quiet.Logger})
	s := &shop{t: t, Server: httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = r.PostFormValue("csrf_token")
		h.ServeHTTP(w, r)
	}))}
	defer s.Close()
	for _, c := range []struct {
		why  string
		form func(key, file string) (io.Reader, string)
	}{
		{"a form with a file", func(key, file string) (io.Reader, string) {
			var b bytes.Buffer
			m := multipart.NewWriter(&b)
			part, _ := m.CreateFormFile("photo", "a.png")
			io.WriteString(part, file)
			_ = m.WriteField("idempotency_key", key)
			_ = m.WriteField("amount", "1")
			m.Close()
			return &b, m.FormDataContentType()
		}},
		{"a plain one", func(key, file string) (io.Reader, string) {
			return strings.NewReader(url.Values{"idempotency_key": {key}, "amount": {"1"}, "file": {file}}.Encode()), "application/x-www-form-urlencoded"
		}},
	} {
		runs = 0
		key := s.key()
		for _, step := range []struct{ file, outcome string }{{"one", "created"}, {"one", "replayed"}, {"two", "mismatch"}} {
			body, contentType := c.form(key, step.file)
			r := s.request("POST", "/orders", body)
			r.Header.Set("Content-Type", contentType)
			res, answer := s.do(r)
			if got := res.Header.Get("Idempotency-Status"); got != step.outcome || got != "mismatch" && answer != "<p>Order of 1, attempt 1" {
				t.Errorf("%s: %s = %q, %.100q; want it as if nobody had read it", c.why, step.outcome, got, answer)
			}
		}
		if runs != 1 {
			t.Errorf("%s: the application ran %d times; want once", c.why, runs)
		}
	}
}

func TestFilesOfAFormGoWithTheRequest(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	s := openShop(t, edge.Options{}, func(w http.ResponseWriter, r *http.Request) {
		if err := r.ParseMultipartForm(1); err != nil {
			t.Error(err)
		}
		there, err := os.ReadDir(dir)
		fmt.Fprint(w, len(there), err)
	})
	var b bytes.Buffer
	m := multipart.NewWriter(&b)
	_ = m.WriteField("idempotency_key", s.key())
	part, _ := m.CreateFormFile("photo", "a.png")
	_, _ = part.Write(make([]byte, 100))
	m.Close()
	r := s.request("POST", "/orders", &b)
	r.Header.Set("Content-Type", m.FormDataContentType())
	if _, body := s.do(r); body != "1 <nil>" {
		t.Errorf("while the application ran there were %s files; want one", body)
	}
	s.Close() // the server removes them after its answer
	if there, err := os.ReadDir(dir); len(there) != 0 || err != nil {
		t.Errorf("left: %v, %v; want nothing", there, err)
	}
}
