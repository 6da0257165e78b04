package core

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// recalling is a loop whose guard recalls, with an order that has been sent and given again once.
func recalling(t *testing.T, answer testAnswer, variables ...string) (*loop, string) {
	l := newLoop(t, variables...)
	l.guard = l.guard.Recalling()
	l.origin = func(*testRequest) testAnswer { return answer }
	key := l.key("/orders")
	for range 2 {
		l.send(form(key, true, "amount", "5"))
	}
	l.calls = nil
	return l, key
}

func TestARecalledReplayIsTheAnswerOfTheClaimStore(t *testing.T) {
	fragment := Headers{{"Content-Type", "text/html"}, {"HX-Trigger", "toast"}, {"Set-Cookie", "seen=1"}}
	for _, c := range []struct {
		answer testAnswer
		htmx   bool
		why    string
	}{
		{testAnswer{status: 200, headers: fragment, body: []byte("<p>order 1</p>")}, true, "as it was"},
		{testAnswer{status: 200, headers: fragment, body: []byte("<p>order 1</p>")}, false, "wrapped into a page for a plain POST"},
		{testAnswer{status: 204, headers: Headers{{"HX-Redirect", "/orders/1"}}}, false, "led to the order"},
		{testAnswer{status: 303, headers: Headers{{"Location", "/orders/1"}}}, true, "led to the order"},
		{testAnswer{status: 204}, false, "a short page that says that it is done"},
		{testAnswer{status: 201, headers: Headers{{"Content-Type", "text/plain"}}, body: bytes.Repeat([]byte("x"), mostToRecall-2048)}, true, "nearly too much to recall"},
	} {
		l, key := recalling(t, c.answer)
		got := l.send(form(key, c.htmx, "amount", "5"))
		if want := []string{"hash", "respond"}; !slices.Equal(l.calls, want) {
			t.Errorf("%s: effects = %v; want %v: the claim store is not asked", c.why, l.calls, want)
		}
		l.now += RecallTime
		want := l.send(form(key, c.htmx, "amount", "5"))
		if got.status != want.status || !bytes.Equal(got.body, want.body) || fmt.Sprint(got.headers) != fmt.Sprint(want.headers) {
			t.Errorf("%s: recalled %d %v %.60q; want %d %v %.60q", c.why, got.status, got.headers, got.body, want.status, want.headers, want.body)
		}
	}
}

func TestTheClaimStoreIsAskedWhereRecallDoesNotKnow(t *testing.T) {
	small := testAnswer{status: 200, headers: Headers{{"Content-Type", "text/html"}}, body: []byte("<p>order 1</p>")}
	for _, c := range []struct {
		why    string
		answer testAnswer
		later  int64
		change func(r *testRequest)
	}{
		{"the time is over: it may have been forgotten", small, RecallTime, func(*testRequest) {}},
		{"the clock was set back: nobody knows how long ago it was", small, -1, func(*testRequest) {}},
		{"another payload is counted by the store", small, 0, func(r *testRequest) { r.body = bytes.Replace(r.body, []byte("=5"), []byte("=6"), 1) }},
		{"another path is another record", small, 0, func(r *testRequest) { r.url = "https://shop.example/other" }},
		{"a body over 1 MiB is claimed before it is hashed", small, 0, func(r *testRequest) { r.body = append(r.body, "&note="+strings.Repeat("n", CollectLimit)...) }},
		{"an answer is too large", testAnswer{status: 200, body: make([]byte, mostToRecall)}, 0, func(*testRequest) {}},
		{"it was released", testAnswer{status: 422}, 0, func(*testRequest) {}},
	} {
		l, key := recalling(t, c.answer)
		l.now += c.later
		r := form(key, true, "amount", "5")
		c.change(&r)
		l.send(r)
		if !slices.Contains(l.calls, "swap") {
			t.Errorf("%s: effects = %v; want the claim store asked", c.why, l.calls)
		}
	}
}

func TestAnAnswerFromKVIsNotRecalled(t *testing.T) {
	l, key := recalling(t, testAnswer{status: 200, body: []byte("ok")})
	l.now += RecallTime
	l.fault = func(e *Effect) *Event {
		if e.Kind == DoSwap {
			return &Event{Kind: EventStoreFailed}
		}
		return nil
	}
	l.send(form(key, true, "amount", "5"))
	l.calls = nil
	if got := l.send(form(key, true, "amount", "5")); got.headers.Get("Idempotency-Replayed") != "true" || !slices.Contains(l.calls, "swap") {
		t.Errorf("effects = %v; want the claim store asked again: KV may hold what was forgotten", l.calls)
	}
}

func TestRecallIsBounded(t *testing.T) {
	r := &recall{known: map[[recordNameSize]byte]*recalled{}}
	record := &Record{State: Committed, Status: 200, Body: BodyInline}
	name := func(i int) *[recordNameSize]byte { return &[recordNameSize]byte{byte(i), byte(i >> 8)} }
	body := make([]byte, 1000)
	for i := range 1000 {
		r.keep(name(i), record, body, 5000, 5001)
	}
	if r.size > mostRecalled || len(r.known) != len(r.queue) || len(r.known) < 200 {
		t.Errorf("it holds %d bytes of %d records, %d in turn; want at most %d, and the last ones", r.size, len(r.known), len(r.queue), mostRecalled)
	}
	if r.find(name(0), 5001) != nil || r.find(name(999), 5001) == nil {
		t.Error("it does not let go of the oldest first")
	}
	for range 1000 {
		r.keep(name(1), record, body, 6000, 6001)
	}
	r.keep(name(2), record, body, 6500+RecallTime, 6500+RecallTime)
	if len(r.known) != 1 || len(r.queue) != 1 || r.size > 2000 {
		t.Errorf("it holds %d bytes of %d records, %d in turn; want one alone when the others are too old", r.size, len(r.known), len(r.queue))
	}
	r.keep(name(3), record, nil, 9000, 6501+RecallTime)
	if len(r.queue) != 1 {
		t.Error("what was asked in the future is kept")
	}
	r.keep(name(2), record, nil, 6400+RecallTime, 6501+RecallTime)
	if one := r.find(name(2), 6501+RecallTime); one == nil || len(one.bytes) == one.cut {
		t.Error("what was asked earlier stands before what was asked later")
	}
}

func TestForgettingOutlastsRecall(t *testing.T) {
	for _, c := range []struct {
		recalls bool
		want    int64
		why     string
	}{
		{true, RecallTime, "another isolate may have been shown the record just before"},
		{false, 0, "nobody recalls it"},
	} {
		l := newLoop(t, "SINGLESHOT_ADMIN", "an-operator")
		if c.recalls {
			l.guard = l.guard.Recalling()
		}
		key := l.key("/orders")
		x, e := l.guard.Begin(&Request{Method: "DELETE", URL: "https://shop.example" + OwnPath + "keys/" + key,
			Headers: Headers{{"Authorization", "Bearer an-operator"}}}, l.now, [32]byte{1})
		if e.Kind != DoTrail {
			t.Fatalf("effect = %d; want the trail asked for", e.Kind)
		}
		entry := make([]byte, TrailEntrySize)
		entry[0] = 1
		if e = x.Next(&Event{Kind: EventTrail, Now: l.now, Head: entry, Length: 1}); e.Kind != DoForget {
			t.Fatalf("effect = %d; want the records forgotten", e.Kind)
		}
		if e = x.Next(&Event{Kind: EventForgotten, Now: l.now}); e.Status != 204 || e.Delay != c.want {
			t.Errorf("answer = %d after %d ms; want 204 after %d: %s", e.Status, e.Delay, c.want, c.why)
		}
	}
}
