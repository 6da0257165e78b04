package core

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// recalling is a loop whose guard recalls, with an order that has been sent.
func recalling(t *testing.T, answer testAnswer) (*loop, string) {
	l := newLoop(t)
	l.guard = l.guard.Recalling(new(Recall))
	l.origin = func(*testRequest) testAnswer { return answer }
	key := l.key("/orders")
	l.send(form(key, true, "amount", "5"))
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
		if !slices.Contains(l.calls, "swap") {
			t.Errorf("%s: effects = %v; want the claim store asked when the time is over", c.why, l.calls)
		}
		l.calls = nil
		again := l.send(form(key, c.htmx, "amount", "5"))
		if slices.Contains(l.calls, "swap") || !bytes.Equal(again.body, want.body) || again.status != want.status {
			t.Errorf("%s: effects = %v, %d %.60q; want a replay recalled as a commit is", c.why, l.calls, again.status, again.body)
		}
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

func TestATimeThatComesAgainIsNotRecalled(t *testing.T) {
	l, key := recalling(t, testAnswer{status: 200, body: []byte("ok")})
	l.now -= 3_600_000
	l.send(form(l.key("/orders"), true, "amount", "5"))
	l.now += 3_600_000
	l.calls = nil
	if l.send(form(key, true, "amount", "5")); !slices.Contains(l.calls, "swap") {
		t.Errorf("effects = %v; want the claim store asked: an hour has passed since the clock was set back", l.calls)
	}
}

func TestACommitThatWasUndoneIsNotRecalled(t *testing.T) {
	l := newLoop(t)
	l.guard = l.guard.Recalling(new(Recall))
	key := l.key("/orders")
	f := l.begin(form(key, true, "amount", "5"))
	for done := false; !done; {
		if f.e.Commit {
			f.seal()
			_, done = f.next(&Event{Kind: EventUndone})
		} else {
			_, done = f.step()
		}
	}
	if got := l.send(form(key, true, "amount", "5")); got.headers.Get("Idempotency-Status") != "created" {
		t.Errorf("second = %d %v; want the origin to run: what it did first was taken back", got.status, got.headers)
	}
}

func TestWhoHasWaitedLongRemembersNothing(t *testing.T) {
	l := newLoop(t)
	l.guard = l.guard.Recalling(new(Recall))
	key := l.key("/orders")
	first, second := l.begin(form(key, true, "amount", "5")), l.begin(form(key, true, "amount", "5"))
	for first.e.Kind != DoForward {
		first.step()
	}
	for second.e.Kind != DoWait {
		second.step()
	}
	l.now += RecallTime
	for done := false; !done; {
		_, done = first.step()
	}
	before := l.guard.recall.next
	for done := false; !done; {
		_, done = second.step()
	}
	if second.answer.headers.Get("Idempotency-Replayed") != "true" || l.guard.recall.next != before {
		t.Errorf("answer = %v, %d remembered; want a replay, and nothing that takes the place of what stands",
			second.answer.headers, l.guard.recall.next-before)
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

// TestRecallIsOnePieceOfMemory puts bodies of many sizes in, and looks at all that still stand after each.
func TestRecallIsOnePieceOfMemory(t *testing.T) {
	r := new(Recall)
	record := &Record{State: Committed, Status: 200, Body: BodyInline}
	name := func(i int) *[recordNameSize]byte { return &[recordNameSize]byte{byte(i), byte(i >> 8)} }
	body := func(i int) []byte { return bytes.Repeat([]byte{byte(i)}, i*7919%(mostToRecall-recordRoom(record))) }
	least := mostRecalled
	for i := range 5000 {
		size := body(i)
		if i/500%2 == 1 {
			size = size[:min(len(size), 100)] // more of them than there may be
		}
		r.confirm(r.put(name(i), record, size), 1000)
		stand := 0
		for k := i; k >= 0 && k > i-2*mostRecalled; k-- {
			one := r.find(name(k), 1000)
			if one == nil {
				break
			}
			stand++
			got, err := decodeRecord(r.room[one.begin:one.cut], new(Record))
			if err != nil || got.Status != 200 || !bytes.Equal(r.room[one.cut:one.end], bytes.Repeat([]byte{byte(k)}, one.end-one.cut)) {
				t.Fatalf("after %d: the body of %d is another one's, or its record is: %v", i, k, err)
			}
		}
		if i > mostRecalled {
			least = min(least, stand)
		}
	}
	if least < recallRoom/mostToRecall-1 {
		t.Errorf("only %d stand; want as many as there is room for", least)
	}
	r.Clear()
	if r.find(name(4999), 1000) != nil {
		t.Error("it recalls something when it is cleared")
	}
}

func TestWhatTheStoreHasNotConfirmedIsNotRecalled(t *testing.T) {
	r := new(Recall)
	name := [recordNameSize]byte{1}
	number := r.put(&name, &Record{State: Committed}, nil)
	if r.find(&name, 1000) != nil {
		t.Error("a record stands before the claim store has it")
	}
	for i := range mostRecalled {
		r.put(&[recordNameSize]byte{2, byte(i), byte(i >> 8)}, &Record{State: Committed}, nil)
	}
	r.confirm(number, 1000)
	r.confirm(r.put(&name, &Record{State: Committed}, make([]byte, mostToRecall)), 1000)
	for i := range mostRecalled {
		if r.find(&name, 1000) != nil || r.find(&[recordNameSize]byte{2, byte(i), byte(i >> 8)}, 1000) != nil {
			t.Fatalf("a record stands in the place of another one: %d", i)
		}
	}
	if r.put(&name, &Record{State: Committed}, make([]byte, mostToRecall)) != 0 {
		t.Error("a body that is too large is taken")
	}
}

func TestForgettingOutlastsRecall(t *testing.T) {
	for _, c := range []struct {
		recall string
		want   int64
		why    string
	}{
		{"on", RecallTime, "another isolate may have been shown the record just before"},
		{"off", 0, "nobody recalls it"},
	} {
		l := newLoop(t, "SINGLESHOT_ADMIN", "an-operator", "RECALL", c.recall)
		l.guard = l.guard.Recalling(new(Recall))
		key := l.key("/orders")
		r := &Request{Method: "DELETE", URL: "https://shop.example" + OwnPath + "keys/" + key,
			Headers: Headers{{"Authorization", "Bearer an-operator"}}}
		x, e := l.guard.Begin(r, l.now, [32]byte{1})
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
		x, _ = l.guard.Begin(r, l.now, [32]byte{2})
		if e = x.Next(&Event{Kind: EventTrail, Now: l.now}); e.Status != 404 || e.Delay != c.want {
			t.Errorf("repeated: answer = %d after %d ms; want 404 after %d: the first may not have been heard", e.Status, e.Delay, c.want)
		}
	}
}

// Of a body of several frames the guard has one in hand at a time: the last is not the whole.
func TestAnAnswerIsNotRecalledInPart(t *testing.T) {
	body := bytes.Repeat([]byte("x"), FrameSize+100)
	l, key := recalling(t, testAnswer{status: 200, body: body})
	for i := range 3 {
		if got := l.send(form(key, true, "amount", "5")); !bytes.Equal(got.body, body) {
			t.Fatalf("replay %d has %d bytes; want %d", i+1, len(got.body), len(body))
		}
	}
}

func TestABodyThatCannotBeTrustedIsNotRecalled(t *testing.T) { // nothing of it may go out
	l, key := recalling(t, testAnswer{status: 200, body: []byte("<p>order 1</p>")})
	l.now += RecallTime
	before := l.guard.recall.next
	f := l.begin(form(key, true, "amount", "5")).until(DoRespond)
	f.record[0] ^= 1
	if _, err := f.x.Open(nil, f.record, true); err == nil || l.guard.recall.next != before {
		t.Errorf("Open = %v, %d remembered; want an error, and nothing", err, l.guard.recall.next-before)
	}
}
