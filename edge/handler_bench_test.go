package edge_test

import (
	"encoding/binary"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/singleshot-edge/singleshot/edge"
)

// The application of these benchmarks answers with a short JSON, as peers' do; requests and answers stay in memory.
func benchApp(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusCreated)
	io.WriteString(w, `{"order":1001,"status":"placed"}`)
}

func benchHandler() http.Handler {
	o := quiet
	o.Store, o.Rules = new(edge.MemoryStore), []edge.Rule{{Match: "/**", Key: "header"}}
	return edge.Handler(http.HandlerFunc(benchApp), o)
}

// benchKey is a key of its own for each n.
func benchKey(n uint64) string {
	var b [16]byte
	binary.BigEndian.PutUint64(b[8:], n)
	return hex.EncodeToString(b[:])
}

func benchRequest(key string) *http.Request {
	r := httptest.NewRequest("POST", "http://shop.example/orders", strings.NewReader(`{"item":"tea","amount":5}`))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer me")
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	return r
}

// benchSend is one request; the request and the recorder are part of every figure, the bare one's too.
func benchSend(b *testing.B, h http.Handler, key, outcome string) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, benchRequest(key))
	if got := w.Header().Get("Idempotency-Status"); w.Code != 201 || got != outcome {
		b.Errorf("answer = %d %q; want 201 %q", w.Code, got, outcome)
	}
}

func BenchmarkHandlerBare(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		benchSend(b, http.HandlerFunc(benchApp), "", "")
	}
}

func BenchmarkHandlerNoKey(b *testing.B) {
	h := benchHandler()
	b.ReportAllocs()
	for b.Loop() {
		benchSend(b, h, "", "")
	}
}

func BenchmarkHandlerFirst(b *testing.B) {
	h := benchHandler()
	n := uint64(0)
	b.ReportAllocs()
	for b.Loop() {
		n++
		benchSend(b, h, benchKey(n), "created")
	}
}

func BenchmarkHandlerReplay(b *testing.B) {
	h := benchHandler()
	benchSend(b, h, benchKey(0), "created")
	b.ReportAllocs()
	for b.Loop() {
		benchSend(b, h, benchKey(0), "replayed")
	}
}

func BenchmarkHandlerPage(b *testing.B) {
	page := "<!doctype html>" + testForm + strings.Repeat("<p>A line of text, as pages have them.</p>\n", 500)
	h := edge.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, page) }), quiet)
	b.SetBytes(int64(len(page)))
	b.ReportAllocs()
	for b.Loop() {
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "http://shop.example/", nil))
	}
}

// contend sends from 64 goroutines.
func contend(b *testing.B, send func(i uint64)) {
	b.SetParallelism(64)
	var i atomic.Uint64
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			send(i.Add(1))
		}
	})
}

func BenchmarkHandler64OneKey(b *testing.B) {
	h := benchHandler()
	benchSend(b, h, benchKey(0), "created")
	b.ResetTimer()
	contend(b, func(uint64) { benchSend(b, h, benchKey(0), "replayed") })
}

func BenchmarkHandler64AllKeys(b *testing.B) {
	h := benchHandler()
	contend(b, func(i uint64) { benchSend(b, h, benchKey(i), "created") })
}
