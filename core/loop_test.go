package core

import (
	"bytes"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// loopSecret signs the keys of these tests.
const loopSecret = "0123456789abcdef0123456789abcdef"

// loop is a small host: it carries out the effects of one exchange after another over a cell, a KV and an
// origin that are plain values, with a clock that only the test moves.
type loop struct {
	t      *testing.T
	guard  *Guard
	now    int64
	random byte
	rows   map[string]row
	kv     map[string][]byte
	origin func(r *testRequest) testAnswer
	runs   int
	calls  []string // the effects, in order
	// fault may answer an effect in the place of the host.
	fault func(e *Effect) *Event
}

type row struct {
	version        Version
	lease, expires int64
	fades          int64
	head, body     []byte
}

type testRequest struct {
	method, url string
	headers     Headers
	body        []byte
}

type testAnswer struct {
	status  int
	headers Headers
	body    []byte
	fail    bool // no answer
	sent    bool
}

func newLoop(t *testing.T, variables ...string) *loop {
	t.Helper()
	values := map[string]string{"SINGLESHOT_SECRET": loopSecret}
	for i := 0; i+1 < len(variables); i += 2 {
		values[variables[i]] = variables[i+1]
	}
	config, faults := ParseConfig(func(name string) string { return values[name] })
	return &loop{
		t: t, guard: NewGuard(config, faults), now: 1_800_000_000_000,
		rows: map[string]row{}, kv: map[string][]byte{},
		origin: func(*testRequest) testAnswer { return testAnswer{status: 200, body: []byte("ok")} },
	}
}

// send runs one exchange to its end.
func (l *loop) send(r testRequest) testAnswer {
	l.t.Helper()
	x := l.begin(r)
	for {
		if answer, done := x.step(); done {
			return answer
		}
	}
}

// flight is one exchange under way, so that a test can hold it at any step.
type flight struct {
	l        *loop
	x        *Exchange
	e        *Effect
	request  testRequest
	fed      bool
	response testAnswer
	out      []byte
	sealed   []byte
	record   []byte
	answer   testAnswer
}

func (l *loop) begin(r testRequest) *flight {
	var random [32]byte
	l.random++
	random[0], random[16], random[17] = l.random, l.random, 1 // no half is like another
	if r.url == "" {
		r.url = "https://shop.example/orders"
	}
	x, e := l.guard.Begin(&Request{Method: r.method, URL: r.url, Headers: r.headers, Region: -1, Length: int64(len(r.body))}, l.now, random)
	return &flight{l: l, x: x, e: e, request: r}
}

// step carries out one effect.
func (f *flight) step() (testAnswer, bool) {
	l, e := f.l, f.e
	l.calls = append(l.calls, effectNames[e.Kind])
	l.now += e.Delay
	if l.fault != nil {
		if event := l.fault(e); event != nil {
			return f.next(event)
		}
	}
	switch e.Kind {
	case DoHash:
		body := f.request.body
		if int64(len(body)) > e.Limit {
			f.x.Feed(body[:e.Limit])
			return f.next(&Event{Kind: EventHashed})
		}
		f.fed = true
		f.x.Feed(body)
		return f.next(&Event{Kind: EventHashed, Whole: true})
	case DoDrain:
		if !f.fed {
			f.fed = true
			f.x.Feed(f.request.body[CollectLimit:])
		}
		return f.next(&Event{Kind: EventHashed, Whole: true})
	case DoSwap:
		if e.Body && f.sealed == nil {
			f.sealed = f.seal()
		}
		return f.next(l.swap(f, e))
	case DoWait:
		found, ok := l.seen(e.Name)
		if found.version != e.Old {
			return f.next(f.rowEvent(EventChanged, found))
		}
		_ = ok
		l.now += e.Wait
		return f.next(&Event{Kind: EventTimedOut})
	case DoForward:
		if e.Stream && !f.fed {
			f.fed = true
			f.x.Feed(f.request.body[CollectLimit:])
		}
		l.runs++
		r := f.request
		r.headers = edited(r.headers, e.Edit)
		f.response = l.origin(&r)
		if f.response.fail {
			return f.next(&Event{Kind: EventOriginFailed, Sent: f.response.sent})
		}
		return f.next(&Event{Kind: EventHead, Status: f.response.status, Headers: f.response.headers})
	case DoCollect:
		f.out = f.x.Pour(nil, f.response.body, true)
		return f.next(&Event{Kind: EventBody, Length: int64(len(f.out)), TooLarge: int64(len(f.out)) > e.Limit, Whole: f.fed})
	case DoFetch:
		value, ok := l.kv[e.Name]
		if !ok {
			return f.next(&Event{Kind: EventMissing})
		}
		if strings.Contains(e.Name, ".") {
			f.record = value
			return f.next(&Event{Kind: EventFound, HasBody: true})
		}
		head, rest, err := SplitStored(value)
		if err != nil {
			l.t.Fatal(err)
		}
		f.record = rest
		return f.next(&Event{Kind: EventFound, Head: head, HasBody: len(rest) > 0})
	case DoKeep:
		f.sealed = f.seal()
		l.kv[e.Name] = f.sealed
		return f.next(&Event{Kind: EventKept})
	case DoEnd:
		return f.answer, true
	}
	f.answer = f.respond()
	if e.KeepAll {
		value := bytes.Clone(e.Head)
		if e.Body {
			value = append(value, f.sealed...)
		}
		l.kv[e.Name] = value
	}
	if e.More {
		return f.next(&Event{Kind: EventSent})
	}
	return f.answer, true
}

var effectNames = [...]string{"hash", "drain", "swap", "wait", "forward", "collect", "fetch", "trail", "forget", "keep", "end", "respond"}

func (f *flight) next(e *Event) (testAnswer, bool) {
	e.Now = f.l.now
	f.e = f.x.Next(e)
	return testAnswer{}, false
}

func (f *flight) seal() (sealed []byte) {
	for rest := f.out; ; {
		n := min(len(rest), FrameSize)
		last := n == len(rest)
		sealed = f.x.Seal(sealed, rest[:n], last)
		if rest = rest[n:]; last {
			return sealed
		}
	}
}

func (f *flight) respond() testAnswer {
	e := f.e
	switch e.Source {
	case SourceOrigin:
		body := f.out
		if body == nil {
			body = f.response.body
			if e.Inject {
				body = f.x.Pour(nil, body, true)
			}
		}
		headers := edited(f.response.headers, e.Edit)
		if e.Hold && f.x.Keyed() {
			headers = edited(headers, e.Held)
		}
		return testAnswer{status: f.response.status, headers: headers, body: body}
	case SourceRecord:
		body := bytes.Clone(e.Before)
		for rest := f.record; ; {
			n := min(len(rest), SealedFrameSize)
			last := n == len(rest)
			var err error
			if body, err = f.x.Open(body, rest[:n], last); err != nil {
				f.l.t.Fatalf("Open = %v; want the stored body", err)
			}
			if rest = rest[n:]; last {
				break
			}
		}
		return testAnswer{status: e.Status, headers: e.Headers, body: append(body, e.After...)}
	}
	return testAnswer{status: e.Status, headers: e.Headers, body: slices.Concat(e.Before, e.Inline, e.After)}
}

func (l *loop) seen(name string) (row, bool) {
	found, ok := l.rows[name]
	if !ok || found.expires <= l.now {
		return row{}, false
	}
	if found.fades <= l.now {
		found.body = nil
	}
	return found, true
}

func (f *flight) rowEvent(kind EventKind, found row) *Event {
	f.record = found.body
	return &Event{Kind: kind, Version: found.version, Head: found.head, HasBody: found.body != nil, Lease: found.lease - f.l.now}
}

func (l *loop) swap(f *flight, e *Effect) *Event {
	found, _ := l.seen(e.Name)
	if found.version != e.Old || e.Lapsed && found.lease > l.now {
		return f.rowEvent(EventRefused, found)
	}
	next := row{version: e.Version, lease: l.now + e.Lease, expires: l.now + e.TTL, fades: l.now + e.BodyTTL, head: bytes.Clone(e.Head)}
	if e.Body {
		next.body = f.sealed
	}
	l.rows[e.Name] = next
	return &Event{Kind: EventSwapped}
}

func edited(h Headers, e HeaderEdit) Headers {
	var out Headers
	for _, line := range h {
		if !lists(e.Delete, line.Name) {
			out = append(out, line)
		}
	}
	for _, line := range e.Set {
		if !sameName(line.Name, "Set-Cookie") {
			out = dropHeader(out, line.Name)
		}
		out = append(out, line)
	}
	return out
}

// form is a submit of a browser, or of htmx.
func form(key string, htmx bool, pairs ...string) testRequest {
	values := url.Values{}
	if key != "" {
		values.Set(KeyFieldName, key)
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		values.Add(pairs[i], pairs[i+1])
	}
	r := testRequest{method: "POST", body: []byte(values.Encode()), headers: Headers{
		{"Content-Type", "application/x-www-form-urlencoded"}, {"Sec-Fetch-Site", "same-origin"}, {"Sec-Fetch-Mode", "navigate"},
	}}
	if htmx {
		r.headers = append(r.headers, Header{"HX-Request", "true"})
	}
	return r
}

// key mints a key as a rendered form would get it.
func (l *loop) key(path string) string {
	l.random++
	return MintKey([]byte(loopSecret), Key{ID: uuid4([16]byte{l.random}), Minted: l.now / 1000, Region: 3, Shard: 7, Form: formDigest("POST", path)})
}

func TestThreeBranches(t *testing.T) {
	l := newLoop(t)
	l.origin = func(r *testRequest) testAnswer {
		return testAnswer{status: 200, body: []byte("<p>order " + strconv.Itoa(l.runs) + "</p>"), headers: Headers{
			{"Content-Type", "text/html"}, {"HX-Trigger", "toast"}, {"Idempotency-Record", `</orders/1>; title="Order 1"`}}}
	}
	key := l.key("/orders")
	first := l.send(form(key, true, "amount", "5"))
	if first.status != 200 || first.headers.Get("Idempotency-Status") != "created" || first.headers.Has("Idempotency-Record") {
		t.Fatalf("first = %d %v; want the origin's answer, created", first.status, first.headers)
	}
	second := l.send(form(key, true, "amount", "5"))
	if l.runs != 1 || second.status != 200 || string(second.body) != string(first.body) ||
		second.headers.Get("HX-Trigger") != "toast" || second.headers.Get("Idempotency-Replayed") != "true" {
		t.Fatalf("duplicate = %d %v %q after %d runs; want the first answer", second.status, second.headers, second.body, l.runs)
	}
	changed := l.send(form(key, true, "amount", "6"))
	if l.runs != 1 || changed.status != 422 || !strings.Contains(string(changed.body), "Order 1") || !strings.Contains(string(changed.body), "amount") {
		t.Fatalf("changed = %d %q after %d runs; want 422 that names the order and the field", changed.status, changed.body, l.runs)
	}
}

func TestARunThatWasTakenBackIsARelease(t *testing.T) {
	for _, c := range []struct {
		taken  bool
		status string
		runs   int
		why    string
	}{
		{false, "released", 2, "what it did was rolled back with its commit: the key is live, and nobody is told that it went through"},
		{true, "unknown", 1, "another holder has the key by now, and says what comes of it (I3)"},
	} {
		l := newLoop(t)
		undone := false
		l.fault = func(e *Effect) *Event {
			if e.Kind != DoSwap || !e.Commit || undone {
				return nil
			}
			undone = true
			if c.taken {
				found := l.rows[e.Name]
				found.version = Version{9}
				l.rows[e.Name] = found
			}
			return &Event{Kind: EventUndone}
		}
		key := l.key("/orders")
		first := l.send(form(key, false, "amount", "5"))
		if first.status != 502 || first.headers.Get("Idempotency-Status") != c.status {
			t.Errorf("first = %d %v; want 502, %s: %s", first.status, first.headers, c.status, c.why)
		}
		if c.taken {
			continue
		}
		if second := l.send(form(key, false, "amount", "5")); second.headers.Get("Idempotency-Status") != "created" || l.runs != c.runs {
			t.Errorf("second = %d %v after %d runs; want it created by run %d: %s", second.status, second.headers, l.runs, c.runs, c.why)
		}
	}
}

func TestOnlyACommitMayJoinATransaction(t *testing.T) {
	l := newLoop(t)
	var commits []bool
	l.fault = func(e *Effect) *Event {
		if e.Kind == DoSwap {
			commits = append(commits, e.Commit)
		}
		return nil
	}
	l.origin = func(*testRequest) testAnswer { return testAnswer{status: 200 + 222*(l.runs%2)} }
	key := l.key("/orders")
	for range 2 { // 422, then 200
		l.send(form(key, false, "amount", "5"))
	}
	if want := []bool{false, false, false, false, true}; !slices.Equal(commits, want) {
		t.Errorf("Commit of the writes = %v; want %v: claim, release, claim refused, claim, commit", commits, want)
	}
}
