package core

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// order is an origin that takes every order.
func order(l *loop) func(r *testRequest) testAnswer {
	return func(*testRequest) testAnswer {
		return testAnswer{status: 200, headers: Headers{{"Content-Type", "text/html"}, {"HX-Trigger", "toast"}},
			body: []byte("<p>order " + strings.Repeat("I", l.runs) + "</p>")}
	}
}

// until steps a flight to the first effect of that kind, without carrying it out.
func (f *flight) until(kind EffectKind) *flight {
	for f.e.Kind != kind {
		if _, done := f.step(); done {
			f.l.t.Fatalf("the exchange ended with %d before %s", f.answer.status, effectNames[kind])
		}
	}
	return f
}

// end steps a flight to its end.
func (f *flight) end() testAnswer {
	for {
		if answer, done := f.step(); done {
			return answer
		}
	}
}

func (a testAnswer) outcome() string { return a.headers.Get("Idempotency-Status") }

func TestCriticalRoundTrips(t *testing.T) {
	// ARCHITECTURE.md: fresh = one swap before and one after the origin; replay, mismatch = one swap; in flight =
	// one swap and one wait.
	l := newLoop(t)
	l.origin = order(l)
	key := l.key("/orders")
	holder := l.begin(form(key, false, "amount", "5")).until(DoForward)
	waiter := l.begin(form(key, false, "amount", "5")).until(DoWait)
	holder.end()
	waiter.end()
	l.send(form(key, false, "amount", "6"))
	got := strings.Join(l.calls, " ")
	want := "hash swap " + "hash swap " + "forward collect swap respond " + "wait respond " + "hash swap respond"
	if got != want {
		t.Fatalf("effects = %s; want %s", got, want)
	}
}

func TestWaiterGetsWhatTheFirstGets(t *testing.T) {
	for _, tt := range []struct {
		why      string
		answer   testAnswer
		outcome  string
		replayed bool
	}{
		{"a commit is replayed", testAnswer{status: 201, body: []byte("made")}, statusReplayed, true},
		{"a validation error is shared, not run again", testAnswer{status: 422, body: []byte("no number")}, statusReleased, false},
		{"a server error too: nobody runs again because somebody else failed", testAnswer{status: 500, body: []byte("oops")}, statusReleased, false},
		{"so is a sign-in redirect", testAnswer{status: 303, headers: Headers{{"Location", "/login"}}}, statusReleased, false},
	} {
		l := newLoop(t)
		l.origin = func(*testRequest) testAnswer { return tt.answer }
		key := l.key("/orders")
		holder := l.begin(form(key, false, "amount", "5")).until(DoForward)
		waiter := l.begin(form(key, false, "amount", "5")).until(DoWait)
		first, second := holder.end(), waiter.end()
		if l.runs != 1 || second.status != first.status || !bytes.Equal(second.body, first.body) ||
			second.headers.Get("Location") != first.headers.Get("Location") {
			t.Errorf("waiter = %d %q after %d runs; want %d %q after one: %s", second.status, second.body, l.runs, first.status, first.body, tt.why)
		}
		if second.outcome() != tt.outcome || second.headers.Has("Idempotency-Replayed") != tt.replayed {
			t.Errorf("waiter's headers = %v; want %s, replayed %t: %s", second.headers, tt.outcome, tt.replayed, tt.why)
		}
	}
}

// firstThen200 is an origin whose first run has that status.
func firstThen200(status int) func(*testRequest) testAnswer {
	return func(*testRequest) testAnswer {
		answer := testAnswer{status: status}
		status = 200
		return answer
	}
}

func TestAnAnswerThatNobodyCanPassOnIsUnknown(t *testing.T) {
	for _, tt := range []struct {
		why    string
		status int
	}{
		{"a submit asked for no other protocol", 101},
		{"an early hint is no answer", 103},
		{"RFC 9110 §15: outside of 100 to 599 it is invalid", 600},
		{"and so are a gateway's own numbers", 999},
	} {
		l := newLoop(t)
		l.origin = firstThen200(tt.status)
		key := l.key("/orders")
		first := l.begin(form(key, false, "amount", "5")).end()
		if second := l.begin(form(key, false, "amount", "5")).end(); first.status != 502 || first.outcome() != statusUnknown || second.status != 200 || l.runs != 2 {
			t.Errorf("%d: %d %s, then %d after %d runs; want 502 unknown, then 200 after 2: %s", tt.status, first.status, first.outcome(), second.status, l.runs, tt.why)
		}
	}
}

func TestWaiterWithAnotherPayload(t *testing.T) {
	// §1.2: "With another fingerprint it waits as well: 422 if the first commits, runs if it is released."
	for _, tt := range []struct {
		why    string
		first  int
		second int
		runs   int
	}{
		{"the first commits", 200, 422, 1},
		{"the first is released", 422, 200, 2},
	} {
		l := newLoop(t)
		l.origin = firstThen200(tt.first)
		key := l.key("/orders")
		holder := l.begin(form(key, false, "amount", "5")).until(DoForward)
		waiter := l.begin(form(key, false, "amount", "6")).until(DoWait)
		holder.end()
		if second := waiter.end(); second.status != tt.second || l.runs != tt.runs {
			t.Errorf("%s: waiter = %d after %d runs; want %d after %d", tt.why, second.status, l.runs, tt.second, tt.runs)
		}
	}
}

func TestSubmitAfterReleaseRunsAndSaysWhichAttempt(t *testing.T) {
	l := newLoop(t)
	var attempts []string
	l.origin = func(r *testRequest) testAnswer {
		attempts = append(attempts, r.headers.Get("Idempotency-Attempt"))
		if l.runs < 3 {
			return testAnswer{status: 422}
		}
		return testAnswer{status: 200}
	}
	key := l.key("/orders")
	for _, amount := range []string{"x", "y", "5"} {
		l.now += 60_000 // longer than a released answer is kept
		l.send(form(key, false, "amount", amount))
	}
	if got := strings.Join(attempts, " "); got != "1 2 3" {
		t.Fatalf("Idempotency-Attempt = %s; want 1 2 3", got)
	}
}

func TestTakeoverFencesTheLateHolder(t *testing.T) { // I3
	l := newLoop(t)
	l.origin = order(l)
	key := l.key("/orders")
	late := l.begin(form(key, false, "amount", "5")).until(DoCollect)
	l.now += 31_000 // its lease is over and was not renewed
	taker := l.begin(form(key, false, "amount", "5")).until(DoForward)
	if got := taker.e.Edit.Set.Get("Idempotency-Attempt"); got != "2" {
		t.Errorf("Idempotency-Attempt of the takeover = %s; want 2", got)
	}
	if got := late.end(); got.outcome() != statusUnknown || got.status != 200 {
		t.Errorf("late holder = %d %s; want the origin's answer, unknown", got.status, got.outcome())
	}
	second := taker.end()
	if second.outcome() != statusCreated {
		t.Errorf("takeover = %s; want created", second.outcome())
	}
	if got := l.send(form(key, false, "amount", "5")); !bytes.Equal(got.body, second.body) || l.runs != 2 {
		t.Errorf("duplicate = %q after %d runs; want %q after 2", got.body, l.runs, second.body)
	}
}

func TestTakeoverLosesAgainstRenewal(t *testing.T) { // I1
	l := newLoop(t, "RULES", `[{"match":"/**","lease":5}]`)
	key := l.key("/orders")
	holder := l.begin(form(key, false, "amount", "5")).until(DoForward)
	waiter := l.begin(form(key, false, "amount", "5")).until(DoWait)
	stored := l.rows[holder.e.Name]
	stored.lease += 4_000 // renewed while the waiter waits
	l.rows[holder.e.Name] = stored
	waiter.step() // times out by the lease that it knew
	if waiter.e.Kind != DoSwap || !waiter.e.Lapsed {
		t.Fatalf("after the known lease: %s; want a swap that asks for a lapsed lease", effectNames[waiter.e.Kind])
	}
	waiter.step()
	if waiter.e.Kind != DoWait {
		t.Fatalf("after the refusal: %s; want to wait on", effectNames[waiter.e.Kind])
	}
}

func TestLostAcknowledgement(t *testing.T) {
	// The version is minted by the writer: a write that was done and not acknowledged recognises itself.
	for _, tt := range []struct {
		why  string
		lose int // which swap
	}{
		{"of the claim", 1},
		{"of the commit", 2},
	} {
		l := newLoop(t)
		l.origin = order(l)
		key := l.key("/orders")
		swaps := 0
		f := l.begin(form(key, false, "amount", "5"))
		l.fault = func(e *Effect) *Event {
			if e.Kind != DoSwap {
				return nil
			}
			if swaps++; swaps == tt.lose {
				if e.Body && f.sealed == nil {
					f.sealed = f.seal()
				}
				l.swap(f, e)
				return &Event{Kind: EventStoreFailed}
			}
			return nil
		}
		if got := f.end(); got.outcome() != statusCreated || l.runs != 1 {
			t.Errorf("%s: answer = %s after %d runs; want created after 1", tt.why, got.outcome(), l.runs)
		}
		l.fault = nil
		if got := l.send(form(key, false, "amount", "5")); got.outcome() != statusReplayed || l.runs != 1 {
			t.Errorf("%s: duplicate = %s after %d runs; want replayed after 1", tt.why, got.outcome(), l.runs)
		}
	}
}

func storeDown(e *Effect) *Event {
	if e.Kind == DoSwap || e.Kind == DoWait {
		return &Event{Kind: EventStoreFailed}
	}
	return nil
}

func TestStoreFailureNeverReachesTheOrigin(t *testing.T) { // I5
	l := newLoop(t)
	l.fault = storeDown
	key := l.key("/orders")
	if got := l.send(form(key, false, "amount", "5")); got.status != 503 || l.runs != 0 {
		t.Fatalf("answer = %d after %d runs; want 503 after none", got.status, l.runs)
	}
	l.fault = nil
	if got := l.send(form(key, false, "amount", "5")); got.status != 200 || l.runs != 1 {
		t.Fatalf("afterwards = %d; want the key to be live", got.status)
	}
}

func TestStoreFailureReplaysFromKV(t *testing.T) {
	// §1.7: "replay from KV if it is there, else 503".
	l := newLoop(t)
	l.origin = order(l)
	key := l.key("/orders")
	first := l.send(form(key, false, "amount", "5"))
	l.fault = storeDown
	if got := l.send(form(key, false, "amount", "5")); got.status != 200 || !bytes.Equal(got.body, first.body) || got.outcome() != statusReplayed {
		t.Errorf("duplicate = %d %s; want the answer from KV", got.status, got.outcome())
	}
	if got := l.send(form(key, false, "amount", "6")); got.status != 422 { // peers §3 no. 24: the fast path compares too
		t.Errorf("changed = %d; want 422", got.status)
	}
	if l.runs != 1 {
		t.Errorf("runs = %d; want 1", l.runs)
	}
}

func TestCommitFailureAnswersAndRepeats(t *testing.T) {
	// §1.7: "If the commit fails after the origin answered, it is repeated until the lease ends; the visitor gets
	// the origin's answer with Idempotency-Status: unknown."
	l := newLoop(t)
	l.origin = order(l)
	key := l.key("/orders")
	f := l.begin(form(key, false, "amount", "5")).until(DoForward)
	failures := 5
	l.fault = func(e *Effect) *Event {
		if e.Kind == DoSwap && failures > 0 {
			failures--
			return &Event{Kind: EventStoreFailed}
		}
		return nil
	}
	if got := f.end(); got.status != 200 || got.outcome() != statusUnknown {
		t.Fatalf("answer = %d %s; want the origin's, unknown", got.status, got.outcome())
	}
	if got := l.send(form(key, false, "amount", "5")); got.outcome() != statusReplayed || l.runs != 1 {
		t.Fatalf("duplicate = %s after %d runs; want replayed after 1", got.outcome(), l.runs)
	}
}

func TestCommitIsGivenUpWhenTheLeaseEnds(t *testing.T) { // I8
	l := newLoop(t)
	key := l.key("/orders")
	f := l.begin(form(key, false, "amount", "5")).until(DoForward)
	began := l.now
	l.fault = storeDown
	f.end()
	if took := l.now - began; took < 29_000 || took > 33_000 {
		t.Fatalf("it was repeated for %d ms; want until the lease of 30 s ends", took)
	}
}

func TestOriginFailed(t *testing.T) {
	for _, tt := range []struct {
		why     string
		rules   string
		sent    bool
		outcome string
		next    int
		runs    int
	}{
		{"never connected: a release, the next submit runs", ``, false, statusReleased, 200, 2},
		{"broken after it was sent: unknown, the next submit runs with the same key", ``, true, statusUnknown, 200, 2},
		{"the same under hold: nobody knows, and nothing runs", `[{"match":"/**","unknown":"hold"}]`, true, statusUnknown, 409, 1},
		{"under hold a connection that was never made is no doubt", `[{"match":"/**","unknown":"hold"}]`, false, statusReleased, 200, 2},
	} {
		l := newLoop(t, "RULES", tt.rules)
		l.origin = func(*testRequest) testAnswer {
			if l.runs == 1 {
				return testAnswer{fail: true, sent: tt.sent}
			}
			return testAnswer{status: 200}
		}
		key := l.key("/orders")
		if got := l.send(form(key, false, "amount", "5")); got.status != 502 || got.outcome() != tt.outcome {
			t.Errorf("%s: answer = %d %s; want 502 %s", tt.why, got.status, got.outcome(), tt.outcome)
		}
		if got := l.send(form(key, false, "amount", "5")); got.status != tt.next || l.runs != tt.runs {
			t.Errorf("%s: next = %d after %d runs; want %d after %d", tt.why, got.status, l.runs, tt.next, tt.runs)
		}
	}
}

// Nothing protects a request without a key, so its 502 must not promise that it goes through only once.
func TestAFailureOfAnUnguardedRequestPromisesNothing(t *testing.T) {
	for _, tt := range []struct {
		why, method string
		sent        bool
		says        string
	}{
		{"a page changes nothing, however far it came", "GET", true, "Nothing was passed on"},
		{"nor does a question about it", "HEAD", true, "Nothing was passed on"},
		{"a post that never left", "POST", false, "Nothing was passed on"},
		{"a post that left: nobody knows", "POST", true, "Whether it went through is not known"},
	} {
		l := newLoop(t)
		l.origin = func(*testRequest) testAnswer { return testAnswer{fail: true, sent: tt.sent} }
		got := l.send(testRequest{method: tt.method, url: "https://shop.example/orders", headers: Headers{{"Content-Type", "text/plain"}}})
		if got.status != 502 || !strings.Contains(string(got.body), tt.says) || strings.Contains(string(got.body), "only once") {
			t.Errorf("%s: %d %s; want 502 %q", tt.why, got.status, got.body, tt.says)
		}
	}
}

// With a wrong ORIGIN_URL a page has no place to go, and nothing may be asked of a host that it does not name.
func TestWithoutAPlaceOfTheOriginNothingIsForwarded(t *testing.T) {
	for _, tt := range []struct {
		why, url, method string
		status           int
	}{
		{"a page", "127.0.0.1:3000/app", "GET", 502},
		{"what the browser loads beside it", "http://127.0.0.1:3000/app", "HEAD", 502},
		{"what would be guarded", "shop.example", "POST", 503},
	} {
		l := newLoop(t, "ORIGIN_URL", tt.url)
		got := l.send(testRequest{method: tt.method, url: "https://shop.example/orders", headers: Headers{{"Content-Type", "application/x-www-form-urlencoded"}}})
		if got.status != tt.status || l.runs != 0 {
			t.Errorf("%s: %d after %d runs; want %d after none", tt.why, got.status, l.runs, tt.status)
		}
	}
}

func TestHoldKeepsALostHolderUnknown(t *testing.T) {
	l := newLoop(t, "RULES", `[{"match":"/**","unknown":"hold"}]`)
	key := l.key("/orders")
	l.begin(form(key, false, "amount", "5")).until(DoForward) // and its guard dies
	l.now += 31_000
	if got := l.send(form(key, false, "amount", "5")); got.status != 409 || got.outcome() != statusUnknown || l.runs != 0 {
		t.Fatalf("answer = %d %s; want 409 unknown", got.status, got.outcome())
	}
}

func TestHoldTakesGatewayTimeoutsForUnknown(t *testing.T) {
	l := newLoop(t, "RULES", `[{"match":"/**","unknown":"hold"}]`)
	l.origin = func(*testRequest) testAnswer { return testAnswer{status: 504, body: []byte("late")} }
	key := l.key("/orders")
	if got := l.send(form(key, false, "amount", "5")); got.status != 504 || string(got.body) != "late" || got.outcome() != statusUnknown {
		t.Errorf("answer = %d %q %s; want the origin's, unknown", got.status, got.body, got.outcome())
	}
	if got := l.send(form(key, false, "amount", "5")); got.status != 409 || l.runs != 1 {
		t.Errorf("next = %d after %d runs; want 409 after 1", got.status, l.runs)
	}
}

func TestWaitBudget(t *testing.T) {
	// §1.3: "After the wait budget: 503, Retry-After, Idempotency-Status: running, and a page that refreshes to a
	// link of the guard".
	l := newLoop(t)
	l.origin = order(l)
	key := l.key("/orders")
	holder := l.begin(form(key, false, "amount", "5")).until(DoForward)
	waiter := l.begin(form(key, false, "amount", "5")).until(DoWait)
	l.fault = func(e *Effect) *Event { // the holder renews while the waiter waits
		if e.Kind == DoWait {
			stored := l.rows[holder.e.Name]
			stored.lease = l.now + 30_000 + e.Wait
			l.rows[holder.e.Name] = stored
		}
		return nil
	}
	running := waiter.end()
	l.fault = nil
	if running.status != 503 || running.outcome() != statusRunning || running.headers.Get("Retry-After") == "" {
		t.Fatalf("answer = %d %v; want 503, running, Retry-After", running.status, running.headers)
	}
	_, rest, _ := strings.Cut(string(running.body), OwnPath+waitPath)
	link, _, _ := strings.Cut(rest, `"`)
	follow := func() testAnswer {
		return l.send(testRequest{method: "GET", url: "https://shop.example" + OwnPath + waitPath + link})
	}
	first := holder.end()
	if got := follow(); got.status != 200 || !bytes.Equal(got.body, first.body) || got.outcome() != statusReplayed {
		t.Errorf("link after the commit = %d %q; want the answer", got.status, got.body)
	}
	l.now += 25 * 3600_000
	if got := follow(); got.status != 404 {
		t.Errorf("link after the record's time = %d; want 404", got.status)
	}
	if got := l.send(testRequest{method: "GET", url: "https://shop.example" + OwnPath + waitPath + "AAAA" + link}); got.status != 404 {
		t.Errorf("forged link = %d; want 404", got.status)
	}
	if l.runs != 1 {
		t.Errorf("runs = %d; want 1: a link never runs the origin", l.runs)
	}
}

func TestLargeBodyIsClaimedBeforeItIsHashed(t *testing.T) {
	large := strings.Repeat("x", CollectLimit)
	l := newLoop(t)
	l.origin = order(l)
	key := l.key("/orders")
	submit := func(tail string) testRequest {
		r := form(key, false)
		r.body = append(r.body, "&text="+large+tail...)
		return r
	}
	if e := l.begin(submit("1")).e; e.Kind != DoHash || e.Limit != 1<<20 {
		t.Errorf("%s of %d bytes; want the first MiB", effectNames[e.Kind], e.Limit)
	}
	first := l.send(submit("1"))
	if first.outcome() != statusCreated {
		t.Fatalf("first = %s; want created", first.outcome())
	}
	if got := l.send(submit("1")); got.outcome() != statusReplayed || !bytes.Equal(got.body, first.body) {
		t.Errorf("duplicate = %s; want replayed", got.outcome())
	}
	if got := l.send(submit("2")); got.status != 422 {
		t.Errorf("changed = %d; want 422", got.status)
	}
	if l.runs != 1 {
		t.Errorf("runs = %d; want 1", l.runs)
	}
}

func TestLargeAnswers(t *testing.T) {
	for _, tt := range []struct {
		why    string
		size   int
		inKV   bool
		status int
		whole  bool
	}{
		{"up to 1 MiB in the record", InlineLimit, false, 200, true},
		{"larger in KV before the record says so", InlineLimit + 1, true, 200, true},
		{"beyond max_answer a tombstone", 3 << 20, false, 200, false},
	} {
		l := newLoop(t, "RULES", `[{"match":"/**","max_answer":2097152}]`, "KEEP", "large")
		body := bytes.Repeat([]byte("a"), tt.size)
		l.origin = func(*testRequest) testAnswer {
			return testAnswer{status: 200, headers: Headers{{"Content-Type", "text/plain"}}, body: body}
		}
		key := l.key("/orders")
		if got := l.send(form(key, false, "amount", "5")); !bytes.Equal(got.body, body) || got.outcome() != statusCreated {
			t.Errorf("%s: first = %d bytes, %s; want all, created", tt.why, len(got.body), got.outcome())
		}
		if (len(l.kv) > 0) != tt.inKV {
			t.Errorf("%s: %d values in KV; want some: %t", tt.why, len(l.kv), tt.inKV)
		}
		got := l.send(form(key, false, "amount", "5"))
		if got.status != tt.status || bytes.Equal(got.body, body) != tt.whole || got.outcome() != statusReplayed || len(got.body) == 0 {
			t.Errorf("%s: duplicate = %d, %d bytes, %s", tt.why, got.status, len(got.body), got.outcome())
		}
		for name := range l.kv {
			delete(l.kv, name) // KV lost it
		}
		if got := l.send(form(key, false, "amount", "5")); got.status != 200 || l.runs != 1 || len(got.body) == 0 {
			t.Errorf("%s: without KV = %d after %d runs; want 200 after 1", tt.why, got.status, l.runs)
		}
	}
}

func TestCrossModeReplay(t *testing.T) {
	// §4: "an answer given to htmx and replayed to a plain POST, and the other way round, still works".
	html := Header{"Content-Type", "text/html"}
	for _, tt := range []struct {
		why       string
		answer    testAnswer
		firstHTMX bool
		status    int
		header    Header
		body      string
	}{
		{"303 becomes HX-Redirect", testAnswer{status: 303, headers: Headers{{"Location", "/orders/1"}}}, false, 200, Header{"HX-Redirect", "/orders/1"}, ""},
		{"HX-Redirect becomes 303", testAnswer{status: 204, headers: Headers{{"HX-Redirect", "/orders/1"}}}, true, 303, Header{"Location", "/orders/1"}, ""},
		{"a fragment is wrapped into a page", testAnswer{status: 200, headers: Headers{html}, body: []byte("<p>Order 1</p>")}, true, 200, html, "<p>Order 1</p>"},
		{"no body and no place: already done", testAnswer{status: 204}, true, 200, Header{"Idempotency-Replayed", "true"}, "<!doctype html>"},
		{"a place that is not http stays where it is", testAnswer{status: 204, headers: Headers{{"HX-Redirect", "javascript:alert(1)"}}}, true, 200, Header{"Idempotency-Replayed", "true"}, "<!doctype html>"},
	} {
		l := newLoop(t)
		l.origin = func(*testRequest) testAnswer { return tt.answer }
		key := l.key("/orders")
		l.send(form(key, tt.firstHTMX, "amount", "5"))
		got := l.send(form(key, !tt.firstHTMX, "amount", "5"))
		if got.status != tt.status || got.headers.Get(tt.header.Name) != tt.header.Value || !strings.Contains(string(got.body), tt.body) || l.runs != 1 {
			t.Errorf("%s: %d %v %q; want %d, %v, %q", tt.why, got.status, got.headers, got.body, tt.status, tt.header, tt.body)
		}
		if got.headers.Has("Location") && got.headers.Has("HX-Redirect") {
			t.Errorf("%s: %v; want one place", tt.why, got.headers)
		}
	}
}

func TestReplayKeepsTheHeadersThatMatter(t *testing.T) {
	l := newLoop(t, "RULES", `[{"match":"/**","replay_headers":["X-Request-Id"]}]`)
	l.origin = func(*testRequest) testAnswer {
		return testAnswer{status: 200, body: []byte("x"), headers: Headers{
			{"Content-Type", "text/html"}, {"HX-Trigger", "a"}, {"HX-Retarget", "#b"}, {"Link", "</x>"}, {"X-Request-Id", "1"},
			{"Content-Security-Policy", "default-src 'self'"}, {"Date", "then"}, {"Age", "3"}, {"Server-Timing", "db"},
			{"X-Other", "no"}, {"Cache-Control", "max-age=60"}, {"Idempotency-Record", "</orders/1>"}}}
	}
	key := l.key("/orders")
	l.send(form(key, true, "amount", "5"))
	got := l.send(form(key, true, "amount", "5"))
	for _, name := range []string{"Content-Type", "HX-Trigger", "HX-Retarget", "Link", "X-Request-Id", "Content-Security-Policy"} {
		if !got.headers.Has(name) {
			t.Errorf("replay lacks %s", name)
		}
	}
	for _, name := range []string{"Date", "Age", "Server-Timing", "X-Other", "Idempotency-Record"} {
		if got.headers.Has(name) {
			t.Errorf("replay has %s", name)
		}
	}
	if got.headers.Get("Cache-Control") != "no-store" {
		t.Errorf("Cache-Control = %q; want no-store", got.headers.Get("Cache-Control"))
	}
}

func TestSetCookieGoesOnlyToTheBrowserThatLostIt(t *testing.T) {
	// §4: "only with replays to the same visitor within wait seconds of the commit".
	cookie := Header{"Cookie", visitorCookieSecure + "=" + mintVisitor([]byte(loopSecret), [16]byte{9})}
	for _, tt := range []struct {
		why    string
		rule   string
		cookie bool
		later  int64
		want   int
	}{
		{"the same visitor, within the wait budget: both lines, intact", ``, true, 20_000, 2},
		{"the same visitor, after it", ``, true, 20_001, 0},
		{"later never, unless named", `,"replay_headers":["Set-Cookie"]`, true, 20_001, 2},
		{"no visitor cookie: the key alone is the scope", ``, false, 1_000, 0},
		{"nobody is the same visitor where the rule asks for none", `,"subject":"none"`, true, 1_000, 0},
	} {
		l := newLoop(t, "RULES", `[{"match":"/**"`+tt.rule+`}]`)
		l.origin = func(*testRequest) testAnswer {
			return testAnswer{status: 200, headers: Headers{{"Set-Cookie", "a=1"}, {"Set-Cookie", "b=2, 3"}}}
		}
		key := l.key("/orders")
		r := form(key, false, "amount", "5")
		if tt.cookie {
			r.headers = append(r.headers, cookie)
		}
		l.send(r)
		l.now += tt.later
		got := 0
		for _, line := range l.send(r).headers {
			if line.Name == "Set-Cookie" {
				got++
			}
		}
		if got != tt.want {
			t.Errorf("%s: %d Set-Cookie lines; want %d", tt.why, got, tt.want)
		}
	}
}

func TestRepeatMode(t *testing.T) {
	// §1, once and repeat: "Same payload: replay. Another payload: runs, as its own record."
	for _, tt := range []struct {
		why    string
		url    string
		edit   func(r *testRequest)
		fields []string
		second int // status of the changed payload
	}{
		{"the form that the key was rendered into", "", nil, nil, 422},
		{"another button's formaction", "https://shop.example/draft", nil, nil, 200},
		{"a script's fetch", "", func(r *testRequest) { r.headers[2].Value = "cors" }, nil, 200},
		{"htmx is no script here", "", func(r *testRequest) {
			r.headers[2].Value = "cors"
			r.headers = append(r.headers, Header{"HX-Request", "true"})
		}, nil, 422},
		{"turbo is none either", "", func(r *testRequest) {
			r.headers[2].Value = "same-origin"
			r.headers = append(r.headers, Header{"Accept", "text/vnd.turbo-stream.html, text/html"})
		}, nil, 422},
		{"an update by _method", "", nil, []string{"_method", "patch"}, 200},
		{"an update by header", "", func(r *testRequest) { r.headers = append(r.headers, Header{"X-HTTP-Method-Override", "PUT"}) }, nil, 200},
	} {
		l := newLoop(t)
		key := l.key("/orders")
		send := func(amount string) testAnswer {
			r := form(key, false, append([]string{"amount", amount}, tt.fields...)...)
			r.url = tt.url
			if tt.edit != nil {
				tt.edit(&r)
			}
			return l.send(r)
		}
		send("5")
		if got := send("5"); got.outcome() != statusReplayed {
			t.Errorf("%s: same payload = %d %s; want a replay", tt.why, got.status, got.outcome())
		}
		if got := send("6"); got.status != tt.second {
			t.Errorf("%s: another payload = %d; want %d", tt.why, got.status, tt.second)
		}
	}
}

func TestDownloadLeavesTheFormUsable(t *testing.T) {
	// §1: "or after an attachment was committed, it is in repeat mode".
	l := newLoop(t)
	l.origin = func(*testRequest) testAnswer {
		return testAnswer{status: 200, headers: Headers{{"Content-Disposition", `attachment; filename="a.csv"`}}, body: []byte("a")}
	}
	key := l.key("/orders")
	l.send(form(key, false, "year", "2025"))
	if got := l.send(form(key, false, "year", "2026")); got.outcome() != statusCreated || l.runs != 2 {
		t.Fatalf("another year = %d %s after %d runs; want created after 2", got.status, got.outcome(), l.runs)
	}
	if got := l.send(form(key, false, "year", "2025")); got.outcome() != statusReplayed || l.runs != 2 {
		t.Fatalf("the first year again = %s after %d runs; want replayed after 2", got.outcome(), l.runs)
	}
}

func TestAnotherVisitorGetsAnotherRecord(t *testing.T) { // I6
	l := newLoop(t)
	l.origin = order(l)
	key := l.key("/orders")
	var answers [3]testAnswer
	for i, visitor := range []byte{1, 2, 0} {
		r := form(key, false, "amount", "5")
		if visitor != 0 {
			r.headers = append(r.headers, Header{"Cookie", visitorCookieSecure + "=" + mintVisitor([]byte(loopSecret), [16]byte{visitor})})
		}
		answers[i] = l.send(r)
	}
	if l.runs != 3 || bytes.Equal(answers[0].body, answers[1].body) || bytes.Equal(answers[0].body, answers[2].body) {
		t.Fatalf("%d runs; want 3: nobody sees another visitor's answer", l.runs)
	}
}

func TestRefusalsTouchNoStorage(t *testing.T) {
	l := newLoop(t, "RULES", `[{"match":"/api/**","key":"header","required":true},{"match":"/must","required":true},{"match":"/small","max_body":40},{"match":"/**"}]`)
	good := l.key("/orders")
	for _, tt := range []struct {
		why    string
		r      func() testRequest
		status int
	}{
		{"a key that was not minted here", func() testRequest { return form("ik_made-up", false) }, 403},
		{"a very long one", func() testRequest { return form("ik_"+strings.Repeat("A", 5000), false) }, 403},
		{"a key whose MAC does not hold", func() testRequest { return form(good[:len(good)-1]+"A", false) }, 403},
		{"another site posts", func() testRequest {
			r := form(good, false)
			r.headers[1].Value = "cross-site"
			return r
		}, 403},
		{"a foreign origin, without Sec-Fetch-Site", func() testRequest {
			r := form(good, false)
			r.headers[1] = Header{"Origin", "null"}
			return r
		}, 403},
		{"a multipart body that ends too early", func() testRequest {
			r := form(good, false)
			r.headers[0].Value = "multipart/form-data; boundary=b"
			r.body = []byte("--b\r\nContent-Disposition: form-data; name=\"idempotency_key\"\r\n\r\n" + good + "\r\n--b\r\n")
			return r
		}, 400},
		{"no key where one is required", func() testRequest { r := form("", false); r.url = "https://shop.example/must"; return r }, 400},
		{"too large", func() testRequest { r := form(good, false); r.url = "https://shop.example/small"; return r }, 413},
		{"no key header", func() testRequest {
			return testRequest{method: "POST", url: "https://shop.example/api/pay", headers: Headers{{"Authorization", "Bearer x"}}}
		}, 400},
		{"no key", func() testRequest {
			return testRequest{method: "POST", url: "https://shop.example/api/pay", headers: Headers{{"Authorization", "Bearer x"}, {"Idempotency-Key", "short"}}}
		}, 400},
		{"no subject", func() testRequest {
			return testRequest{method: "POST", url: "https://shop.example/api/pay", headers: Headers{{"Idempotency-Key", `"0123456789abcdef"`}}}
		}, 400},
	} {
		l.calls = nil
		got := l.send(tt.r())
		if calls := strings.Join(l.calls, " "); got.status != tt.status || strings.Contains(calls, "swap") || strings.Contains(calls, "fetch") || got.outcome() != statusRefused {
			t.Errorf("%s: %d %s by %s; want %d without a call of the store", tt.why, got.status, got.outcome(), calls, tt.status)
		}
	}
	if l.runs != 0 {
		t.Errorf("runs = %d; want none", l.runs)
	}
	if got := l.send(form(good, false)); got.outcome() != statusCreated {
		t.Errorf("afterwards = %s; want the key to be live", got.outcome())
	}
}

func TestTamperedRecordFailsClosed(t *testing.T) {
	l := newLoop(t)
	key := l.key("/orders")
	l.send(form(key, false, "amount", "5"))
	for name, stored := range l.rows {
		stored.head[len(stored.head)-1] ^= 1
		l.rows[name] = stored
	}
	if got := l.send(form(key, false, "amount", "5")); got.status != 503 || l.runs != 1 {
		t.Fatalf("answer = %d after %d runs; want 503 after 1", got.status, l.runs)
	}
}

func TestRotationLosesNothing(t *testing.T) {
	// §2: "Rotation breaks no open form and loses no record."
	l := newLoop(t)
	l.origin = order(l)
	spent, open := l.key("/orders"), l.key("/orders")
	first := l.send(form(spent, false, "amount", "5"))
	rotated := newLoop(t, "SINGLESHOT_SECRET", strings.Repeat("n", 32), "SINGLESHOT_SECRET_PREVIOUS", loopSecret)
	l.guard = rotated.guard
	if got := l.send(form(spent, false, "amount", "5")); !bytes.Equal(got.body, first.body) {
		t.Errorf("replay after the rotation = %d %q; want %q", got.status, got.body, first.body)
	}
	if got := l.send(form(open, false, "amount", "5")); got.outcome() != statusCreated {
		t.Errorf("open form after the rotation = %d; want created", got.status)
	}
}

func TestMissingSecretClosesTheGuard(t *testing.T) {
	l := newLoop(t, "SINGLESHOT_SECRET", "")
	if got := l.send(form("ik_x", false)); got.status != 503 || l.runs != 0 {
		t.Errorf("form = %d; want 503", got.status)
	}
	if got := l.send(testRequest{method: "GET"}); got.status != 200 || l.runs != 1 {
		t.Errorf("page = %d; want it to pass", got.status)
	}
}

func TestStoredBytesShowNothing(t *testing.T) { // I9
	l := newLoop(t)
	l.origin = func(*testRequest) testAnswer {
		return testAnswer{status: 200, body: []byte("the answer of the origin")}
	}
	key := l.key("/orders")
	r := form(key, false, "amount", "five hundred")
	r.headers = append(r.headers, Header{"Cookie", visitorCookieSecure + "=" + mintVisitor([]byte(loopSecret), [16]byte{7})})
	l.send(r)
	var all []byte
	for name, stored := range l.rows {
		all = append(append(append(all, name...), stored.head...), stored.body...)
	}
	for name, stored := range l.kv {
		all = append(append(all, name...), stored...)
	}
	for _, shown := range []string{key[3:30], "amount", "five", "answer", "orders", string([]byte{7, 0, 0, 0})} {
		if bytes.Contains(all, []byte(shown)) {
			t.Errorf("stored bytes show %q", shown)
		}
	}
}

func TestLogTellsOfAnUnstableSubject(t *testing.T) { // contract §8
	for _, tt := range []struct {
		why, subject, line, want string
	}{
		{"the cookie that the rule names is set anew", "cookie:uid", "uid=2; Path=/", "subject-unstable"},
		{"so is the one with the token", "jwt:cookie:uid:sub", "uid=2; Path=/", "subject-unstable"},
		{"another cookie", "cookie:uid", "sid=2; Path=/", ""},
		{"a longer name", "cookie:uid", "uid2=2; Path=/", ""},
		{"a header's name is no cookie's", "header:uid", "uid=2; Path=/", ""},
	} {
		l := newLoop(t, "RULES", `[{"match":"/**","subject":"`+tt.subject+`"}]`)
		l.origin = func(*testRequest) testAnswer {
			return testAnswer{status: 200, headers: Headers{{"Set-Cookie", tt.line}, {"X-Cookie", "uid=2"}}}
		}
		r := form(l.key("/orders"), false, "amount", "5")
		r.headers = append(r.headers, Header{"Cookie", "uid=eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZGEifQ."}, Header{"uid", "ada"})
		if f := l.begin(r).until(DoRespond); f.e.Warning != tt.want {
			t.Errorf("%s: warning = %q; want %q", tt.why, f.e.Warning, tt.want)
		}
	}
}

func TestTooManyMismatches(t *testing.T) {
	// §8: "20 mismatches, then 503 and 429."
	l := newLoop(t)
	key := l.key("/orders")
	l.send(form(key, false, "amount", "5"))
	mismatches := 0
	l.fault = func(e *Effect) *Event {
		if e.Kind != DoSwap {
			return nil
		}
		found, _ := l.seen(e.Name)
		return &Event{Kind: EventRefused, Version: found.version, Head: found.head, HasBody: true, Mismatches: mismatches}
	}
	for ; mismatches < MostMismatches; mismatches++ {
		f := l.begin(form(key, false, "amount", "6")).until(DoRespond)
		if f.e.Status != 422 || !f.e.Mismatch || f.e.Trail == "" || len(f.e.Note) != TrailEntrySize {
			t.Fatalf("mismatch %d = %d; want a 422 that counts", mismatches, f.e.Status)
		}
	}
	if got := l.send(form(key, false, "amount", "6")); got.status != 429 {
		t.Fatalf("one more = %d; want 429", got.status)
	}
}

func TestTrailSaysWhatHappened(t *testing.T) {
	l := newLoop(t)
	key := l.key("/orders")
	var trail []byte
	l.fault = func(e *Effect) *Event {
		trail = append(trail, e.Note...)
		return nil
	}
	click := func(n string, amount string) {
		r := form(key, true, "amount", amount)
		r.headers = append(r.headers, Header{"Idempotency-Client", "attempt=" + n + "; trigger=click"})
		l.send(r)
	}
	story := func() (words []string, summary string) {
		tr := Trail{Entries: decodeTrail(trail)}
		for _, e := range tr.Entries {
			words = append(words, e.Kind.String())
		}
		what, n := tr.summary()
		return words, string(what.appendText(nil, English, n))
	}
	click("1", "5")
	click("1", "5")
	if words, summary := story(); strings.Join(words, " ") != "claim commit replay" || summary != "one click, sent twice" {
		t.Errorf("trail = %v, %s; want claim commit replay, one click, sent twice", words, summary)
	}
	click("2", "5")
	click("2", "6")
	if words, summary := story(); strings.Join(words, " ") != "claim commit replay replay mismatch" || summary != "two clicks" {
		t.Errorf("trail = %v, %s; want two clicks", words, summary)
	}
	trail = nil
	key = l.key("/orders")
	l.send(form(key, false))
	l.send(form(key, false))
	if _, summary := story(); summary != "two requests" {
		t.Errorf("without the module = %s; want two requests", summary)
	}
}

func TestTrailTellsOfRunsWhoseHoldersDied(t *testing.T) { // contract §10: what happened, for every key
	for _, c := range []struct {
		unknown       string
		died, submits int
		want, why     string
	}{
		{"retry", 2, 1, "claim 1 after 0 s, claim 2 after 31 s, takeover 3 after 62 s, commit 3 after 62 s",
			"the second one took over, and died too"},
		{"hold", 1, 2, "claim 1 after 0 s, held 1 after 31 s, held 1 after 31 s",
			"nobody takes over: each who asks finds the same claim"},
	} {
		l := newLoop(t, "RULES", `[{"match":"/**","unknown":"`+c.unknown+`"}]`)
		key := l.key("/orders")
		var trail []byte
		l.fault = func(e *Effect) *Event {
			trail = append(trail, e.Note...)
			return nil
		}
		began := l.now
		for range c.died {
			l.begin(form(key, false, "amount", "5")).until(DoForward)
			l.now += 31_000
		}
		for range c.submits {
			l.send(form(key, false, "amount", "5"))
		}
		var words []string
		for _, e := range decodeTrail(trail) {
			words = append(words, fmt.Sprintf("%s %d after %d s", e.Kind, e.Attempt, (e.At-began)/1000))
		}
		if got := strings.Join(words, ", "); got != c.want {
			t.Errorf("%s: trail = %s; want %s (%s)", c.unknown, got, c.want, c.why)
		}
	}
}

func TestTrailTellsOfAWaitOnce(t *testing.T) {
	l := newLoop(t, "RULES", `[{"match":"/**","lease":5,"wait":20}]`)
	key := l.key("/orders")
	l.begin(form(key, false, "amount", "5")).until(DoForward)
	var trail []byte
	l.fault = func(e *Effect) *Event {
		if e.Kind == DoRespond {
			trail = append(trail, e.Note...)
		} else { // the first one's lease is renewed all the while
			for name, found := range l.rows {
				found.lease = l.now + 5000
				l.rows[name] = found
			}
		}
		return nil
	}
	l.send(form(key, false, "amount", "5"))
	var words []string
	for _, e := range decodeTrail(trail) {
		words = append(words, e.Kind.String())
	}
	if got := strings.Join(words, " "); got != "wait running" {
		t.Errorf("trail = %s; want wait running", got)
	}
}
