package core

import "testing"

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
			{"Content-Type", "application/json"}, {"X-Event", id}, {"Idempotency-Key", "of-the-client"}, {"Cookie", cookie}}}
	}
	for _, tt := range []struct {
		why, id, cookie, wantKey, wantCookie string
	}{
		{"a structured-field string", "evt_1", "sid=7", `"evt_1"`, "sid=7"},
		{"with what ends it and what escapes escaped (RFC 8941 §3.3.3)", `a"b\c`, "sid=7", `"a\"b\\c"`, "sid=7"},
		{"the guard's cookie stays with it, the application's go on", "evt_1", "sid=7; __Host-singleshot=w; b=8", `"evt_1"`, "sid=7; b=8"},
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
	}
}
