//go:build unix

package contract_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// origin is the application behind the guard: it knows nothing of keys, counts what it did, and keeps every
// request that reached it. Each test has routes of its own on it.
type origin struct {
	url    string
	addr   string
	mu     sync.Mutex
	routes map[string]*route
	server *http.Server
}

// route is one path of the origin and what happened there. The script answers everything but GET and HEAD; those get the page.
type route struct {
	path string
	page script

	mu      sync.Mutex
	seen    []seen
	ran     int
	arrived chan int // the number of each run, sent when its request is complete; never blocks the origin
	scripts []script
	early   bool // the script runs before the body is read
}

// seen is one request as the origin got it.
type seen struct {
	method, uri, host string
	header            http.Header
	body              []byte
	bodyErr           error // why the body ended early
	length            int64 // Content-Length, -1 if it had none
}

// turn is one answer that a script has to give. n counts the runs of the route from 1.
type turn struct {
	http.ResponseWriter
	n       int
	request *http.Request
	seen    seen
}

// script answers one request.
type script func(*turn)

func startOrigin(addr string) (*origin, error) {
	o := &origin{routes: map[string]*route{}}
	if err := o.listen(addr); err != nil {
		return nil, err
	}
	return o, nil
}

func (o *origin) listen(addr string) error {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	o.addr = l.Addr().String()
	o.url = "http://" + o.addr
	o.server = &http.Server{Handler: o}
	go o.server.Serve(l)
	return nil
}

// close refuses connections from now on and breaks those that are open.
func (o *origin) close() { o.server.Close() }

// reopen listens again on the same port.
func (o *origin) reopen(t *testing.T) {
	t.Helper()
	if err := o.listen(o.addr); err != nil {
		t.Fatal(err)
	}
}

var routeNumber atomic.Int64

// route gives the test a path that nobody else uses, below prefix ("/" for the implicit rule). Runs are
// answered by the scripts in turn, the last one for all further runs; without scripts every run makes an order.
func (o *origin) route(prefix string, scripts ...script) *route {
	if len(scripts) == 0 {
		scripts = []script{order}
	}
	r := &route{
		path:    fmt.Sprintf("%st%d/orders", prefix, routeNumber.Add(1)),
		scripts: scripts,
		arrived: make(chan int, 1000),
	}
	r.page = htmlPage(orderForm(r.path))
	o.mu.Lock()
	defer o.mu.Unlock()
	o.routes[r.path] = r
	return r
}

// at gives the test a path that it names itself.
func (o *origin) at(path string, scripts ...script) *route {
	r := o.route("/", scripts...)
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.routes, r.path)
	r.path = path
	r.page = htmlPage(orderForm(path))
	o.routes[path] = r
	return r
}

func orderForm(action string) string {
	return `<!doctype html><title>Order</title>` +
		`<form method="post" action="` + action + `"><input name="item" value="tea"><input name="amount" value="1">` +
		`<button>Place order</button></form><div id="order-result"></div>`
}

func (o *origin) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	path := q.URL.EscapedPath()
	o.mu.Lock()
	r := o.routes[path]
	o.mu.Unlock()
	if r == nil {
		http.Error(w, "the fake origin has no such path", http.StatusNotFound)
		return
	}
	t := &turn{ResponseWriter: w, request: q, seen: seen{
		method: q.Method, uri: q.RequestURI, host: q.Host, header: q.Header.Clone(), length: q.ContentLength}}
	reads := q.Method == http.MethodGet || q.Method == http.MethodHead
	if !r.early {
		t.seen.body, t.seen.bodyErr = io.ReadAll(q.Body)
	}
	r.mu.Lock()
	r.seen = append(r.seen, t.seen)
	answer := r.page
	if !reads {
		r.ran++
		t.n = r.ran
		answer = r.scripts[min(t.n, len(r.scripts))-1]
	}
	r.mu.Unlock()
	if !reads {
		r.arrived <- t.n
	}
	answer(t)
}

// runs is how often the origin did something here.
func (r *route) runs() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ran
}

// got returns the requests that did something here, in order.
func (r *route) got() []seen {
	r.mu.Lock()
	defer r.mu.Unlock()
	var s []seen
	for _, x := range r.seen {
		if x.method != http.MethodGet && x.method != http.MethodHead {
			s = append(s, x)
		}
	}
	return s
}

// read returns the GET and HEAD requests, in order.
func (r *route) read() []seen {
	r.mu.Lock()
	defer r.mu.Unlock()
	var s []seen
	for _, x := range r.seen {
		if x.method == http.MethodGet || x.method == http.MethodHead {
			s = append(s, x)
		}
	}
	return s
}

// await returns when the run of that number has reached the origin.
func (r *route) await(t *testing.T, n int) {
	t.Helper()
	limit := time.After(time.Minute)
	for {
		select {
		case got := <-r.arrived:
			if got >= n {
				return
			}
		case <-limit:
			t.Fatalf("run %d never reached the origin", n)
		}
	}
}

// mustRun checks how often the origin ran.
func (r *route) mustRun(t *testing.T, why string, want int) {
	t.Helper()
	if got := r.runs(); got != want {
		t.Errorf("the origin ran %d times; want %d\n\t(%s)", got, want, why)
	}
}

// order is a fragment that names the run it came from: two runs never look alike.
func order(t *turn) {
	t.Header().Set("Content-Type", "text/html; charset=utf-8")
	t.Header().Set("HX-Trigger", `{"toast":"Order placed"}`)
	fmt.Fprintf(t, `<p data-order-number="%d">Order %d</p>`, 1000+t.n, 1000+t.n)
}

// answer gives a status, headers as name and value in turn, and a body. "%d" in the body becomes the run.
func answer(status int, body string, headers ...string) script {
	return func(t *turn) {
		for i := 0; i < len(headers); i += 2 {
			t.Header().Add(headers[i], headers[i+1])
		}
		if t.Header().Get("Content-Type") == "" && body != "" {
			t.Header().Set("Content-Type", "text/html; charset=utf-8")
		}
		t.WriteHeader(status)
		io.WriteString(t, strings.ReplaceAll(body, "%d", fmt.Sprint(1000+t.n)))
	}
}

// htmlPage is an uncacheable page as most applications send it.
func htmlPage(body string, headers ...string) script {
	return answer(http.StatusOK, body, headers...)
}

// held waits for the gate and then answers. It gives up when the guard closes the connection.
func held(gate <-chan struct{}, next script) script {
	return func(t *turn) {
		select {
		case <-gate:
			next(t)
		case <-time.After(3 * time.Minute):
			panic(http.ErrAbortHandler)
		}
	}
}

// dropped breaks the connection after the request was read, without a byte of an answer.
func dropped(t *turn) { panic(http.ErrAbortHandler) }

// raw says that on the connection and hangs up.
func raw(t *turn, answer string) {
	c, _, err := http.NewResponseController(t.ResponseWriter).Hijack()
	if err != nil {
		panic(err)
	}
	io.WriteString(c, answer)
	c.Close()
}

// odd answers with a status that is none of HTTP.
func odd(t *turn) {
	raw(t, "HTTP/1.1 700 Odd\r\nContent-Type: text/html\r\nContent-Length: 10\r\nConnection: close\r\n\r\n<p>Odd</p>")
}

// halved announces more than it sends and breaks the connection.
func halved(t *turn) {
	t.Header().Set("Content-Type", "text/html; charset=utf-8")
	t.Header().Set("Content-Length", "1000")
	io.WriteString(t, "<p>the first half")
	http.NewResponseController(t.ResponseWriter).Flush()
	panic(http.ErrAbortHandler)
}

// halvedChunks sends some chunks and breaks the connection before the last one.
func halvedChunks(t *turn) {
	t.Header().Set("Content-Type", "text/html; charset=utf-8")
	io.WriteString(t, "<p>the first half")
	http.NewResponseController(t.ResponseWriter).Flush()
	panic(http.ErrAbortHandler)
}

// halvedGzip ends as announced, and in the middle of what it compressed.
func halvedGzip(t *turn) {
	var all bytes.Buffer
	z := gzip.NewWriter(&all)
	io.WriteString(z, strings.Repeat("<p>row</p>", 1000))
	z.Close()
	t.Header().Set("Content-Type", "text/html; charset=utf-8")
	t.Header().Set("Content-Encoding", "gzip")
	t.Header().Set("Content-Length", fmt.Sprint(all.Len()/2))
	t.Write(all.Bytes()[:all.Len()/2])
}

// gate is opened once, at the latest when the test ends.
type gate struct {
	c    chan struct{}
	once sync.Once
}

func newGate(t *testing.T) *gate {
	g := &gate{c: make(chan struct{})}
	t.Cleanup(g.open)
	return g
}

func (g *gate) open() { g.once.Do(func() { close(g.c) }) }

var keyPattern = regexp.MustCompile(`ik_[A-Za-z0-9_-]+`)
