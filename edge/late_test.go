package edge_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/singleshot-edge/singleshot/edge"
)

// An application must not touch its request after it returned; one that does it all the same must not reach another
// visitor's, although exchanges share memory.
func TestWhatAnApplicationDoesLateReachesNobodyElse(t *testing.T) {
	const rest = `action="/orders"><input name="amount"></form>`
	half := "<!doctype html>" + strings.Repeat("<p>It begins at once.</p>", 40) + `<form method="post" `
	var late http.ResponseWriter
	var lateBody io.Reader
	writeLate := func() {
		for range 3 {
			_, _ = io.WriteString(late, `> late <`)
		}
		_, _ = io.Copy(io.Discard, lateBody)
		if f, ok := late.(http.Flusher); ok {
			f.Flush()
		}
	}
	h := edge.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/late/page": // its last tag is not whole
			late, lateBody = w, r.Body
			io.WriteString(w, half)
		case "/late/panic":
			late, lateBody = w, r.Body
			panic("ouch")
		case "/late/answer":
			late, lateBody = w, r.Body
			io.WriteString(w, half)
		default:
			io.WriteString(w, half)
			writeLate()
			io.WriteString(w, rest)
		}
	}), edge.Options{Secret: testSecret, Store: new(edge.MemoryStore), Logger: quiet.Logger, Rules: []edge.Rule{{Match: "/late/*", Key: "header"}, {Match: "/**"}}})
	send := func(method, path string, key uint64) string {
		defer func() { _ = recover() }() // of the one that panics
		r := httptest.NewRequest(method, "http://shop.example"+path, strings.NewReader(strings.Repeat("a=1&", 1<<20)))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Authorization", "Bearer me")
		r.Header.Set("Idempotency-Key", benchKey(key))
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Body.String()
	}
	key := uint64(0)
	for _, c := range []struct{ method, path, why string }{
		{"GET", "/late/page", "a page that gets keys"},
		{"POST", "/late/answer", "a guarded answer, and an upload that was not read"},
		{"POST", "/late/panic", "a guarded answer that never began"},
	} {
		for range 4 { // memory that was used before is not certain to be used again
			key++
			send(c.method, c.path, key)
			got := send("GET", "/", 0)
			if keyIn.FindString(got) == "" || strings.Contains(got, "late") || keyIn.ReplaceAllString(got, "KEY") !=
				half+`action="/orders"><input type="hidden" name="idempotency_key" value="KEY" autocomplete="off"><input name="amount"></form>` {
				t.Errorf("%s: the page of another = %q; want it whole, with a key", c.why, got)
			}
		}
	}
}
