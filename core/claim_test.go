package core

import "testing"

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
