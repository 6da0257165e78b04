package core

import (
	"strings"
	"testing"
)

func TestLateWordOfTheClaimStore(t *testing.T) { // I1, I7
	// By the time the guard hears that the claim is its own, the lease may be over and somebody else may have run.
	for _, tt := range []struct {
		why     string
		takes   int64 // until the acknowledgement is there, milliseconds; of the second one too
		again   int64
		taken   bool // somebody else takes over and commits in between
		outcome string
		runs    int
	}{
		{"in time", 4_999, 0, false, statusCreated, 1},
		{"too late: claimed again, and then it runs", 5_000, 10, false, statusCreated, 1},
		{"too late, and somebody else has committed: a replay", 6_000, 10, true, statusReplayed, 1},
		{"too late twice: the store counts as out of reach", 6_000, 6_000, false, statusRefused, 0},
	} {
		l := newLoop(t, "RULES", `[{"match":"/**","lease":5,"ttl":600}]`)
		l.origin = order(l)
		key := l.key("/orders")
		slow := l.begin(form(key, false, "amount", "5")).until(DoSwap)
		slow.answered(tt.takes, func() {
			if tt.taken {
				l.send(form(key, false, "amount", "5"))
			}
		})
		if again := slow.e.Kind == DoSwap; again != (tt.takes >= 5_000) {
			t.Errorf("%s: claims again: %t", tt.why, again)
		}
		if slow.e.Kind == DoSwap {
			if slow.e.Old == (Version{}) {
				t.Errorf("%s: claims over nothing; want over its own claim", tt.why)
			}
			slow.answered(tt.again, func() {})
		}
		if got := slow.end(); got.outcome() != tt.outcome || l.runs != tt.runs {
			t.Errorf("%s: answer = %d %s after %d runs; want %s after %d", tt.why, got.status, got.outcome(), l.runs, tt.outcome, tt.runs)
		}
	}
}

// answered carries out a swap whose answer takes some time; meanwhile happens before it is told.
func (f *flight) answered(takes int64, meanwhile func()) {
	event := f.l.swap(f, f.e)
	f.l.now += takes
	meanwhile()
	f.next(event)
}

func TestClaimIsGivenBackUnderHold(t *testing.T) {
	// §1.7: "If the claim store cannot be reached before the origin was called, the origin is not called: … nothing
	// lost, key live." A claim that was written all the same would never be taken over.
	l := newLoop(t, "RULES", `[{"match":"/**","unknown":"hold"}]`)
	key := l.key("/orders")
	f := l.begin(form(key, false, "amount", "5"))
	failures := 2
	l.fault = func(e *Effect) *Event {
		if e.Kind != DoSwap || failures == 0 {
			return nil
		}
		failures--
		l.swap(f, e) // done, and not acknowledged
		return &Event{Kind: EventStoreFailed}
	}
	if got := f.end(); got.status != 503 || l.runs != 0 {
		t.Fatalf("answer = %d after %d runs; want 503 after none", got.status, l.runs)
	}
	l.now += 31_000
	if got := l.send(form(key, false, "amount", "5")); got.outcome() != statusCreated || l.runs != 1 {
		t.Fatalf("next = %d %s; want the key to be live", got.status, got.outcome())
	}
}

func TestWaiterSharesALaterRelease(t *testing.T) {
	// §1.2: "nobody runs again because somebody else failed". Whom it waited for was taken over meanwhile.
	l := newLoop(t, "RULES", `[{"match":"/**","lease":5,"wait":60}]`)
	l.origin = func(*testRequest) testAnswer { return testAnswer{status: 422, body: []byte("amount?")} }
	key := l.key("/orders")
	l.begin(form(key, false, "amount", "5")).until(DoForward) // and its guard dies
	waiter := l.begin(form(key, false, "amount", "5")).until(DoWait)
	l.now += 5_001
	l.send(form(key, false, "amount", "5")) // takes over and is released
	waiter.next(&Event{Kind: EventStoreFailed})
	if got := waiter.end(); got.status != 422 || got.outcome() != statusReleased || l.runs != 1 {
		t.Fatalf("waiter = %d %s after %d runs; want the release after 1", got.status, got.outcome(), l.runs)
	}
}

func TestWhatTheOriginGets(t *testing.T) { // contract §7
	webhook := func(id, cookie string) testRequest {
		return testRequest{method: "POST", body: []byte("{}"), headers: Headers{
			{"Content-Type", "application/json"}, {"X-Event", id}, {"Idempotency-Key", "of-the-client"}, {"Cookie", cookie},
			{"Idempotency-Attempt", "7"}, {"Idempotency-Outcome", "commit"}, {"Idempotency-Status", "created"}, {"Idempotency-Replayed", "true"}}}
	}
	for _, tt := range []struct {
		why, id, cookie, wantKey, wantCookie string
	}{
		{"a structured-field string", "evt_1", "sid=7", `"evt_1"`, "sid=7"},
		{"with what ends it and what escapes escaped (RFC 8941 §3.3.3)", `a"b\c`, "sid=7", `"a\"b\\c"`, "sid=7"},
		{"the guard's cookie stays with it, the application's go on", "evt_1", "sid=7; __Host-singleshot=w; b=8", `"evt_1"`, "sid=7; b=8"},
		{"nothing is left of it where it is the only one", "evt_1", "__Host-singleshot=w", `"evt_1"`, ""},
	} {
		l := newLoop(t, "RULES", `[{"match":"/**","key":"header:X-Event"}]`)
		var got Headers
		l.origin = func(r *testRequest) testAnswer {
			got = r.headers
			return testAnswer{status: 200}
		}
		l.send(webhook(tt.id, tt.cookie))
		if key := got.Get("Idempotency-Key"); key != tt.wantKey {
			t.Errorf("%s: Idempotency-Key = %s; want %s", tt.why, key, tt.wantKey)
		}
		if cookie := got.Get("Cookie"); cookie != tt.wantCookie || got.Get("Idempotency-Attempt") != "1" {
			t.Errorf("%s: Cookie = %q, attempt %s; want %q, 1", tt.why, cookie, got.Get("Idempotency-Attempt"), tt.wantCookie)
		}
		if got.Has("Idempotency-Outcome") || got.Has("Idempotency-Status") || got.Has("Idempotency-Replayed") {
			t.Errorf("%s: %v; want no word of the guard from a client", tt.why, got)
		}
	}
}

// An origin with a unique constraint on the key must not take another payload for the first one (contract §1, once and
// repeat; §7).
func TestEachPayloadOfRepeatModeIsAKeyOfItsOwn(t *testing.T) {
	l := newLoop(t)
	var keys []string
	l.origin = func(r *testRequest) testAnswer {
		keys = append(keys, r.headers.Get("Idempotency-Key"))
		return testAnswer{status: 422}
	}
	key := l.key("/elsewhere")
	for _, amount := range []string{"5", "6", "5"} {
		l.now += 60_000
		l.send(form(key, false, "amount", amount))
	}
	if keys[0] == keys[1] || keys[0] != keys[2] || !strings.HasPrefix(keys[0], `"`+key+".") || len(keys[0]) > 128 {
		t.Errorf("keys = %q; want one that begins with %s for each of the two payloads", keys, key)
	}
}

func TestTheKeyLeavesTheBodyWhereTheRuleSaysSo(t *testing.T) { // contract §7, strip
	for _, tt := range []struct {
		why, rule string
		tail      int
		strip     bool
		stream    bool
	}{
		{"an origin that refuses unknown fields", `"strip":true`, 0, true, false},
		{"also where the rest streams on", `"strip":true`, CollectLimit, true, true},
		{"others get what was sent", `"strip":false`, 0, false, false},
	} {
		l := newLoop(t, "RULES", `[{"match":"/**",`+tt.rule+`}]`)
		r := form(l.key("/orders"), false, "amount", "5")
		r.body = append(r.body, "&note="+strings.Repeat("n", tt.tail)...)
		f := l.begin(r).until(DoForward)
		if f.e.Strip != tt.strip || f.e.Stream != tt.stream {
			t.Errorf("%s: strip %t, stream %t; want %t, %t", tt.why, f.e.Strip, f.e.Stream, tt.strip, tt.stream)
		}
		if got := string(f.x.Strip(nil, r.body)); tt.strip && strings.TrimRight(got, "n") != "amount=5&note=" {
			t.Errorf("%s: the origin gets %.60s; want it without the key", tt.why, got)
		}
	}
}
