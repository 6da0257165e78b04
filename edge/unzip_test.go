package edge_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/singleshot-edge/singleshot/edge"
)

func zip(text string) string {
	var b strings.Builder
	z := gzip.NewWriter(&b)
	io.WriteString(z, text)
	z.Close()
	return b.String()
}

func TestACompressedPageGetsItsKey(t *testing.T) {
	long := testForm + strings.Repeat("<p>row", 20_000)
	for _, c := range []struct {
		encoding, cache, body, want string
		keyed                       bool
		why                         string
	}{
		{"gzip", "", zip(long), long, true, "undone, and sent as it is"},
		{"gzip", "max-age=60", zip(long), long, true, "the same while the head is held"},
		{"gzip", "max-age=60", zip("<p>no form"), "<p>no form", false, "without a form too"},
		{"br", "", "not really", "not really", false, "what cannot be undone passes"},
		{"gzip", "", "no gzip", "", false, "nothing can be made of it"},
	} {
		res, body := ask(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.Header().Set("Content-Encoding", c.encoding)
			if c.cache != "" {
				w.Header().Set("Cache-Control", c.cache)
			}
			for piece := c.body; piece != ""; piece = piece[min(len(piece), 777):] {
				io.WriteString(w, piece[:min(len(piece), 777)])
				w.(http.Flusher).Flush()
			}
		}, "Accept-Encoding", "gzip, br")
		plain := regexp.MustCompile(`<input type="hidden"[^>]*>`).ReplaceAllString(body, "")
		if plain != c.want || keyIn.MatchString(body) != c.keyed {
			t.Errorf("%s: body = %.100q of %d bytes; want %d, a key: %v: %s", c.encoding, body, len(plain), len(c.want), c.keyed, c.why)
		}
		if got := res.Header.Get("Content-Encoding"); (got == "br") != (c.encoding == "br") {
			t.Errorf("Content-Encoding = %q after %q", got, c.encoding)
		}
	}
}

func TestACompressedAnswerIsKeptPlain(t *testing.T) {
	encodings := make(chan string, 1)
	for _, c := range []struct {
		encoding, body, want, again, why string
	}{
		{"gzip", zip("<p>Order 1"), "<p>Order 1", "<p>Order 1", "Content-Encoding is undone first (contract §4)"},
		{"br", "brotli", "brotli", "Already done", "what cannot be undone cannot be kept: a tombstone"},
	} {
		s := openShop(t, edge.Options{}, func(w http.ResponseWriter, r *http.Request) {
			encodings <- r.Header.Get("Accept-Encoding")
			w.Header().Set("Content-Type", "text/html")
			w.Header().Set("Content-Encoding", c.encoding)
			io.WriteString(w, c.body)
		})
		key := s.key()
		first, body := s.submit(key, "1", 200, "created")
		if asked := <-encodings; asked != "" {
			t.Errorf("Accept-Encoding at the application = %q; want none", asked)
		}
		if body != c.want || (first.Header.Get("Content-Encoding") == "br") != (c.encoding == "br") {
			t.Errorf("first = %q, %v; want %q: %s", body, first.Header, c.want, c.why)
		}
		if _, body := s.submit(key, "1", 200, "replayed"); !strings.Contains(body, c.again) {
			t.Errorf("replay = %.2000q; want %q in it: %s", body, c.again, c.why)
		}
		s.ran(1)
	}
}
