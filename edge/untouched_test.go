package edge_test

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/singleshot-edge/singleshot/edge"
)

var ownLine = regexp.MustCompile(`(?m)^(Date|Set-Cookie): .*\r\n`)

// wire is what a server says to the text of one request, until it closes the connection. Header lines are sorted: where
// the handler sets one that net/http would, it stands elsewhere.
func wire(t *testing.T, h http.Handler, request string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: h, ErrorLog: log.New(io.Discard, "", 0)}
	go s.Serve(l)
	defer s.Close()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(time.Minute))
	io.WriteString(c, request)
	all, err := io.ReadAll(c)
	if err != nil {
		t.Errorf("answer = %q, %v; want it to end", all, err)
	}
	parts := strings.Split(ownLine.ReplaceAllString(string(all), ""), "\r\n\r\n")
	for i, part := range parts {
		if strings.HasPrefix(part, "HTTP/") {
			lines := strings.Split(part, "\r\n")
			slices.Sort(lines[1:])
			parts[i] = strings.Join(lines, "\r\n")
		}
	}
	return strings.Join(parts, "\r\n\r\n")
}

func TestWhatIsNotGuardedGoesOutAsWithoutTheHandler(t *testing.T) {
	for _, c := range []struct {
		why string
		app http.HandlerFunc
	}{
		{"a header that comes after WriteHeader is none, also while the type is still to be guessed", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Kept", "1")
			w.WriteHeader(404)
			w.Header().Set("X-Late", "1")
			w.Header().Set("Content-Type", "image/png")
			w.Header().Del("X-Kept")
			io.WriteString(w, "gone")
		}},
		{"nor is one after the first Write", func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, "one")
			w.Header().Set("X-Late", "1")
			io.WriteString(w, "two")
		}},
		{"nor while a page is held", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.Header().Set("Cache-Control", "max-age=60")
			io.WriteString(w, "<p>no form")
			w.Header().Set("Cache-Control", "no-store")
		}},
		{"a trailer that was announced comes behind the body alone", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Trailer", "X-Sum")
			io.WriteString(w, "sum")
			w.Header().Set("X-Sum", "1")
		}},
		{"so does one of a page", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Trailer", "X-Sum")
			w.Header().Set("Content-Type", "text/html")
			w.Header().Set("Cache-Control", "max-age=60")
			io.WriteString(w, "<p>no form")
			w.Header().Set("X-Sum", "1")
		}},
		{"and one that was not announced", func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, "sum")
			w.(http.Flusher).Flush()
			w.Header().Set(http.TrailerPrefix+"X-Sum", "1")
		}},
		{"a status that is none panics where it is said", func(w http.ResponseWriter, _ *http.Request) {
			defer func() {
				if recover() != nil {
					w.WriteHeader(500)
				}
			}()
			w.WriteHeader(1000)
		}},
		{"a second status is none, whatever it is", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(201)
			w.WriteHeader(103)
			w.WriteHeader(99)
			io.WriteString(w, "made")
		}},
		{"what is said before a connection is taken over goes first (CONNECT)", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(200)
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			io.WriteString(conn, "tunnel")
			conn.Close()
		}},
		{"trailers of the request reach the application", func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			fmt.Fprint(w, r.Trailer)
		}},
		{"frameworks take a CloseNotifier for granted", func(w http.ResponseWriter, _ *http.Request) {
			select {
			case <-w.(interface{ CloseNotify() <-chan bool }).CloseNotify():
				io.WriteString(w, "gone")
			default:
				io.WriteString(w, "there")
			}
		}},
	} {
		for _, request := range []string{
			"GET /x HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n",
			"HEAD /x HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n",
			"GET /x HTTP/1.0\r\n\r\n",
			"PUT /x HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\nCookie: singleshot=abc\r\n" +
				"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX-Sum: 5\r\n\r\n",
		} {
			want := wire(t, c.app, request)
			if got := wire(t, edge.Handler(c.app, quiet), request); got != want {
				t.Errorf("%s: %.12q\n%s\nwant\n%s", c.why, request, got, want)
			}
		}
	}
}
