//go:build unix

package contract_test

import (
	"bytes"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
)

// wire is what lies between a browser and the guard: it passes everything on, counts what a page really sends, and
// breaks connections where a test asks for it.
type wire struct {
	url   string
	mu    sync.Mutex
	posts map[string][]posted // by path
	cuts  map[string]breakage // by path

	stalled string        // part of the paths that get no answer
	ended   chan struct{} // closed with the test
}

// breakage says which connections break: at once, or after the guard has answered.
type breakage struct {
	when func(n int, p posted) bool // n counts the POSTs of the path from 1
	late bool
}

// posted is one POST as it came from the browser.
type posted struct {
	header http.Header
	uri    string
	body   []byte
}

// cable lays a wire to a guard; it ends with the test.
func cable(t *testing.T, g *guard) *wire {
	t.Helper()
	base, err := url.Parse(g.base)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{url: "http://" + l.Addr().String(), posts: map[string][]posted{}, cuts: map[string]breakage{}, ended: make(chan struct{})}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(base)
			r.Out.Host = r.In.Host
			r.Out.Header["Accept-Encoding"] = r.In.Header["Accept-Encoding"]
		},
		Transport: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 32},
		ErrorLog:  log.New(io.Discard, "", 0), // a browser that goes away
	}
	server := &http.Server{Handler: http.HandlerFunc(func(out http.ResponseWriter, in *http.Request) {
		if in.Method != http.MethodPost {
			if w.stalled != "" && strings.Contains(in.URL.Path, w.stalled) {
				<-w.ended
			}
			proxy.ServeHTTP(out, in)
			return
		}
		body, err := io.ReadAll(in.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		in.Body = io.NopCloser(bytes.NewReader(body))
		w.mu.Lock()
		p := posted{in.Header.Clone(), in.RequestURI, body}
		w.posts[in.URL.Path] = append(w.posts[in.URL.Path], p)
		c := w.cuts[in.URL.Path]
		breaks := c.when != nil && c.when(len(w.posts[in.URL.Path]), p)
		w.mu.Unlock()
		if breaks && c.late {
			proxy.ServeHTTP(nowhere{http.Header{}}, in)
		}
		if breaks {
			panic(http.ErrAbortHandler)
		}
		proxy.ServeHTTP(out, in)
	}), ErrorLog: log.New(io.Discard, "", 0)}
	go server.Serve(l)
	t.Cleanup(func() { close(w.ended); server.Close() })
	return w
}

// nowhere takes an answer that nobody gets.
type nowhere struct{ header http.Header }

func (n nowhere) Header() http.Header         { return n.header }
func (n nowhere) Write(p []byte) (int, error) { return len(p), nil }
func (n nowhere) WriteHeader(int)             {}

// cut breaks connections that post to a path; nil mends it.
func (w *wire) cut(path string, late bool, when func(n int, p posted) bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cuts[path] = breakage{when, late}
}

// all breaks every connection.
func all(int, posted) bool { return true }

// stall keeps back what a GET asks for, by a part of its path. It has to be called before anybody asks.
func (w *wire) stall(part string) {
	w.stalled = part
}

// sent returns the POSTs to a path, in order.
func (w *wire) sent(path string) []posted {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.posts[path])
}
