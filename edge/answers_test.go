package edge_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/singleshot-edge/singleshot/core"
	"github.com/singleshot-edge/singleshot/edge"
)

func TestMemoryAnswersAreThereForTheirTime(t *testing.T) {
	clock := newHandClock()
	m, ctx := &edge.MemoryStore{Now: clock.Now}, context.Background()
	want := func(why, name, value string) {
		t.Helper()
		if got, err := m.Fetch(ctx, name); err != nil || string(got) != value || (got == nil) != (value == "") {
			t.Errorf("%s: Fetch(%s) = %q, %v; want %q", why, name, got, err, value)
		}
	}
	keep := func(name, value string, ttl time.Duration) {
		t.Helper()
		room := []byte(value)
		if err := m.Keep(ctx, name, room, ttl); err != nil {
			t.Fatal(err)
		}
		clear(room) // it is the caller's again
	}
	want("nothing is there", "a", "")
	keep("a", "one", time.Minute)
	keep("b", "two", time.Hour)
	keep("c", "three", time.Hour)
	want("kept", "a", "one")
	keep("a", "four", 2*time.Minute)
	want("kept anew", "a", "four")
	if err := m.Drop(ctx, "b"); err != nil {
		t.Fatal(err)
	}
	want("dropped", "b", "")
	if err := m.Drop(ctx, "b"); err != nil {
		t.Errorf("Drop of what is gone = %v; want none", err)
	}
	clock.Advance(2*time.Minute - 1)
	want("until its time", "a", "four")
	clock.Advance(1)
	want("is over", "a", "")
	want("another's is not", "c", "three")
	keep("d", "five", time.Minute) // and sweeps
	want("nor after the sweep", "c", "three")
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if err := m.Keep(gone, "e", nil, time.Hour); err == nil {
		t.Error("Keep for somebody who is gone = nil; want an error")
	}
}

// slowAnswers keep an answer when the test lets them.
type slowAnswers struct {
	edge.MemoryStore
	open chan struct{}
}

func (s *slowAnswers) Keep(ctx context.Context, name string, value []byte, ttl time.Duration) error {
	select {
	case <-s.open:
	case <-ctx.Done():
		return ctx.Err()
	}
	return s.MemoryStore.Keep(ctx, name, value, ttl)
}

func TestAnswersReplayWhileTheStoreIsAway(t *testing.T) { // contract §1.7: replay from KV if it is there
	store, down := outage()
	answers := &slowAnswers{open: make(chan struct{})}
	s := openShop(t, edge.Options{Store: store, Answers: answers}, order)
	key := s.key()
	_, first := s.submit(key, "1", 200, "created") // the copy is still being kept: nobody waits for that
	close(answers.open)
	down.Store(true)
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		form := url.Values{"idempotency_key": {key}, "amount": {"1"}}
		res, body := s.do(s.request("POST", "/orders", strings.NewReader(form.Encode())))
		if res.StatusCode == 200 && body == first && res.Header.Get("Idempotency-Status") == "replayed" {
			break
		}
		if res.StatusCode != 503 || time.Now().After(end) {
			t.Fatalf("duplicate = %d %q; want the answer that was kept, %q", res.StatusCode, body, first)
		}
	}
	s.submit(key, "2", 422, "mismatch")
	s.submit(s.key(), "1", 503, "refused")
	s.ran(1)
}

// tampering is a store whose bodies somebody has changed.
type tampering struct{ *edge.MemoryStore }

func (s tampering) Swap(ctx context.Context, at edge.Address, w edge.Write) (edge.Row, bool, error) {
	found, swapped, err := s.MemoryStore.Swap(ctx, at, w)
	if len(found.Body) > 0 {
		found.Body = bytes.Clone(found.Body)
		found.Body[0] ^= 1
	}
	return found, swapped, err
}

func TestNothingOfABodyThatCannotBeTrustedGoesOut(t *testing.T) { // contract §4, sealed records
	s := openShop(t, edge.Options{Store: tampering{new(edge.MemoryStore)}}, order)
	key := s.key()
	s.submit(key, "1", 200, "created")
	if res, body := s.submit(key, "1", 503, "refused"); strings.Contains(body, "Order") || res.Header.Get("Retry-After") == "" || res.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("duplicate = %v %q; want nothing of the answer, and when to come again", res.Header, body)
	}
	s.ran(1)
}

func TestAGuardedAnswerHasTheTypeThatNetHTTPWouldGuess(t *testing.T) {
	for _, tt := range []struct {
		why, encoding, typed, body, want string
	}{
		{"a page", "", "", "<!doctype html><p>Hello", "text/html; charset=utf-8"},
		{"a text", "", "", "Hello", "text/plain; charset=utf-8"},
		{"a long one", "", "", strings.Repeat("Hello ", 1000), "text/plain; charset=utf-8"},
		{"what says its type", "", "text/csv", "<!doctype html>", "text/csv"},
		{"what is encoded is not looked at", "zstd", "", "<!doctype html>", ""},
	} {
		s := openShop(t, edge.Options{}, func(w http.ResponseWriter, _ *http.Request) {
			for name, value := range map[string]string{"Content-Type": tt.typed, "Content-Encoding": tt.encoding} {
				if value != "" {
					w.Header().Set(name, value)
				}
			}
			io.WriteString(w, tt.body)
		})
		key := s.key()
		res, _ := s.submit(key, "1", 200, "created")
		if got := res.Header.Get("Content-Type"); got != tt.want {
			t.Errorf("%s: Content-Type = %q; want %q", tt.why, got, tt.want)
		}
		if again, body := s.submit(key, "1", 200, "replayed"); tt.encoding == "" && (again.Header.Get("Content-Type") != tt.want || body != tt.body) {
			t.Errorf("%s: replay = %q, %d bytes; want %q, %d", tt.why, again.Header.Get("Content-Type"), len(body), tt.want, len(tt.body))
		}
	}
}

func TestTheKeyLeavesTheBodyThatTheApplicationReads(t *testing.T) { // contract §7, strip
	for _, c := range []struct {
		strip bool
		want  string
	}{{true, "amount=1"}, {false, "amount=1&idempotency_key=ik_"}} {
		s := openShop(t, edge.Options{Rules: []edge.Rule{{Match: "/**", Strip: c.strip}}}, func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err != nil || !strings.HasPrefix(string(body), c.want) || c.strip && len(body) != len(c.want) || r.ContentLength != int64(len(body)) {
				t.Errorf("strip %t: %q of %d bytes, %v; want %q", c.strip, body, r.ContentLength, err, c.want)
			}
			if said := r.Header.Get("Content-Length"); said != "" && said != strconv.Itoa(len(body)) {
				t.Errorf("strip %t: Content-Length %s; want that of %d bytes", c.strip, said, len(body))
			}
			order(w, r)
		})
		s.submit(s.key(), "1", 200, "created")
	}
}

// failingAnswers keep nothing.
type failingAnswers struct{ edge.MemoryStore }

func (*failingAnswers) Keep(context.Context, string, []byte, time.Duration) error {
	return errors.New("no room")
}

func TestALargeAnswerGoesOutWholeAndIsKeptWhereItFits(t *testing.T) { // contract §4
	for _, c := range []struct {
		why     string
		size    int
		answers edge.Answers
		kept    bool
	}{
		{"more than a record holds", 1<<20 + 1, new(edge.MemoryStore), true},
		{"that could not be kept: a tombstone", 1<<20 + 1, new(failingAnswers), false},
		{"more than is kept: it streams on", 3 << 20, new(edge.MemoryStore), false},
	} {
		whole := strings.Repeat("0123456789abcde\n", c.size/16+1)[:c.size]
		s := openShop(t, edge.Options{Answers: c.answers, Rules: []edge.Rule{{Match: "/**", MaxAnswer: 2 << 20}}}, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			for rest := whole; rest != ""; {
				n := min(len(rest), 10_000)
				io.WriteString(w, rest[:n])
				rest = rest[n:]
			}
		})
		key := s.key()
		if _, body := s.submit(key, "1", 200, "created"); body != whole {
			t.Errorf("%s: %d bytes; want all of %d", c.why, len(body), c.size)
		}
		if _, body := s.submit(key, "1", 200, "replayed"); (body == whole) != c.kept || !c.kept && !strings.Contains(body, "Already done") {
			t.Errorf("%s: replay of %d bytes, %.100q; want the answer: %t", c.why, len(body), body, c.kept)
		}
		s.ran(1)
	}
}

func TestTheRequestOutsideStaysAsItWas(t *testing.T) { // a log around the Handler shows what was sent
	s := openShop(t, edge.Options{}, order)
	inner := s.Config.Handler
	var keys, cookies []string
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		inner.ServeHTTP(w, r)
		keys, cookies = append(keys, r.Header.Get("Idempotency-Key")), append(cookies, r.Header.Get("Cookie"))
	})
	r := s.request("POST", "/orders", strings.NewReader("amount=1&idempotency_key="+s.key()))
	r.Header.Set("Cookie", "singleshot=v; a=1")
	s.do(r)
	if last := len(keys) - 1; keys[last] != "" || cookies[last] != "singleshot=v; a=1" {
		t.Errorf("outside: Idempotency-Key %q, Cookie %q; want what the visitor sent", keys[last], cookies[last])
	}
}

func TestOneSecretOpensTheKeysOfEveryProcess(t *testing.T) { // contract §2
	h := edge.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, testForm) }),
		edge.Options{Secret: testSecret, Logger: quiet.Logger})
	s := &shop{Server: httptest.NewServer(h), t: t}
	defer s.Close()
	key := s.key()
	for _, c := range []struct {
		why    string
		secret string
		minted bool
	}{
		{"the same", testSecret, true},
		{"another", "another-secret-0123456789abcdefgh", false},
	} {
		if _, minted, err := core.OpenKey(key, []byte(c.secret)); !minted || (err == nil) != c.minted {
			t.Errorf("%s secret: %v", c.why, err)
		}
	}
}

func TestALargeBodyStreamsAndIsCompared(t *testing.T) { // contract §3: over 1 MiB it is hashed while it streams
	for _, reads := range []bool{true, false} {
		s := openShop(t, edge.Options{}, func(w http.ResponseWriter, r *http.Request) {
			if reads {
				if n, err := io.Copy(io.Discard, r.Body); err != nil || n != r.ContentLength {
					t.Errorf("the application reads %d bytes, %v; want %d", n, err, r.ContentLength)
				}
			}
			io.WriteString(w, "done")
		})
		key := s.key()
		for _, c := range []struct {
			tail, outcome string
			status        int
		}{{"1", "created", 200}, {"1", "replayed", 200}, {"2", "mismatch", 422}} {
			body := "idempotency_key=" + key + "&text=" + strings.Repeat("x", 3<<20) + c.tail
			res, text := s.do(s.request("POST", "/orders", strings.NewReader(body)))
			if got := res.Header.Get("Idempotency-Status"); res.StatusCode != c.status || got != c.outcome {
				t.Errorf("reads %t: %d %s %.100q; want %d %s", reads, res.StatusCode, got, text, c.status, c.outcome)
			}
		}
		s.ran(1)
	}
}
