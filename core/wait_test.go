package core

import (
	"slices"
	"strings"
	"testing"
)

// linkIn finds the wait link of a page that says running.
func linkIn(t *testing.T, page testAnswer) string {
	t.Helper()
	_, link, ok := strings.Cut(string(page.body), OwnPath+waitPath)
	if !ok || page.outcome() != statusRunning {
		t.Fatalf("answer = %d %s; want running, with a link", page.status, page.outcome())
	}
	link, _, _ = strings.Cut(link, `"`)
	return "https://shop.example" + OwnPath + waitPath + link
}

// follow opens a wait link.
func follow(url string) testRequest {
	return testRequest{method: "GET", url: url, headers: Headers{{"Sec-Fetch-Site", "same-origin"}}}
}

func TestWaitLinkOfALargeBody(t *testing.T) {
	// The body is gone and was not hashed: subject and key have to do.
	l := newLoop(t, "RULES", `[{"match":"/**","wait":0}]`)
	l.origin = order(l)
	key := l.key("/orders")
	submit := form(key, false)
	submit.body = append(submit.body, "&text="+strings.Repeat("x", CollectLimit)...)
	holder := l.begin(submit).until(DoForward)
	link := linkIn(t, l.send(submit))
	first := holder.end()
	if got := l.send(follow(link)); got.outcome() != statusReplayed || string(got.body) != string(first.body) {
		t.Fatalf("wait link = %d %s; want replayed", got.status, got.outcome())
	}
}

func TestWaitLinkNeverRunsTheOrigin(t *testing.T) { // I7
	// Another payload after a download is a submission of its own (contract §1); its link only asks for it.
	l := newLoop(t, "RULES", `[{"match":"/**","wait":0}]`)
	l.origin = func(*testRequest) testAnswer {
		return testAnswer{status: 200, headers: Headers{{"Content-Disposition", "attachment"}}, body: []byte("a")}
	}
	key := l.key("/orders")
	holder := l.begin(form(key, false, "year", "2025")).until(DoForward)
	link := linkIn(t, l.send(form(key, false, "year", "2026")))
	holder.end()
	if got := l.send(follow(link)); got.outcome() != statusReleased || l.runs != 1 {
		t.Fatalf("wait link = %d %s after %d runs; want released after 1", got.status, got.outcome(), l.runs)
	}
}

func TestWaitLinkKnowsWhatItWaitedFor(t *testing.T) {
	// With no time to wait, the link is the wait.
	l := newLoop(t, "RULES", `[{"match":"/**","wait":0}]`)
	l.origin = func(*testRequest) testAnswer { return testAnswer{status: 422, body: []byte("amount?")} }
	key := l.key("/orders")
	holder := l.begin(form(key, false, "amount", "5")).until(DoForward)
	link := linkIn(t, l.send(form(key, false, "amount", "5")))
	holder.end()
	if got := l.send(follow(link)); got.status != 422 || got.outcome() != statusReleased {
		t.Fatalf("wait link = %d %s; want the release", got.status, got.outcome())
	}
}

func TestWaitLinkDoesNotSayMoreThanIsKnown(t *testing.T) {
	for _, tt := range []struct {
		why     string
		rules   string
		then    func(l *loop, holder *flight)
		status  int
		outcome string
	}{
		{"the guard died after it sent: nobody knows", `[{"match":"/**","wait":0,"ttl":600}]`,
			func(l *loop, holder *flight) { l.now += 31_000 }, 502, statusUnknown},
		{"the connection broke after it was sent: nobody knows", `[{"match":"/**","wait":0}]`,
			func(l *loop, holder *flight) { holder.end() }, 502, statusUnknown},
		{"the record's time is over: the form can be sent again", `[{"match":"/**","wait":0,"ttl":60}]`,
			func(l *loop, holder *flight) { l.rows = map[string]row{} }, 200, statusReleased},
	} {
		l := newLoop(t, "RULES", tt.rules)
		l.origin = func(*testRequest) testAnswer { return testAnswer{fail: true, sent: true} }
		key := l.key("/orders")
		holder := l.begin(form(key, false, "amount", "5")).until(DoForward)
		link := linkIn(t, l.send(form(key, false, "amount", "5")))
		tt.then(l, holder)
		if got := l.send(follow(link)); got.status != tt.status || got.outcome() != tt.outcome {
			t.Errorf("%s: wait link = %d %s; want %d %s", tt.why, got.status, got.outcome(), tt.status, tt.outcome)
		}
	}
}

func TestWaitLinkNeedsTheKeysOwnWord(t *testing.T) {
	// A guard that does not know the secret of a key does not know where its record is; it must not look elsewhere
	// and say that nothing was sent.
	const other = "fedcba9876543210fedcba9876543210"
	l := newLoop(t, "RULES", `[{"match":"/**","wait":0}]`, "SINGLESHOT_SECRET_PREVIOUS", other)
	key := MintKey([]byte(other), Key{Region: 3, Shard: 7, Form: formDigest("POST", "/orders")})
	l.begin(form(key, false, "amount", "5")).until(DoForward)
	link := linkIn(t, l.send(form(key, false, "amount", "5")))
	l.guard = newLoop(t, "RULES", `[{"match":"/**","wait":0}]`).guard
	if got := l.send(follow(link)); got.status != 403 {
		t.Fatalf("wait link at a guard with another secret = %d; want 403", got.status)
	}
}

func TestWaitLinkIsBoundToItsSubject(t *testing.T) { // contract §1.3
	const rule = `[{"match":"/gone","key":"off"},{"match":"/**","wait":0,"subject":"header:X-User"}]`
	as := func(user string, r testRequest) testRequest {
		if user != "" {
			r.headers = append(slices.Clip(r.headers), Header{"X-User", user})
		}
		return r
	}
	l := newLoop(t, "RULES", rule)
	l.origin = order(l)
	key := l.key("/orders")
	holder := l.begin(as("ada", form(key, false, "amount", "5"))).until(DoForward)
	link := linkIn(t, l.send(as("ada", form(key, false, "amount", "5"))))
	holder.end()
	for _, tt := range []struct {
		why, user, rules, secret string
		status                   int
		outcome                  string
	}{
		{"whoever waited", "ada", rule, loopSecret, 200, statusReplayed},
		{"somebody else: nothing was sent in their name", "bob", rule, loopSecret, 200, statusReleased},
		{"nobody", "", rule, loopSecret, 400, statusRefused},
		{"the rule is off by now", "ada", `[{"match":"/**","key":"off"}]`, loopSecret, 404, statusRefused},
		{"sealed by somebody who is not this guard", "ada", rule, "fedcba9876543210fedcba9876543210", 404, statusRefused},
	} {
		l.guard = newLoop(t, "RULES", tt.rules, "SINGLESHOT_SECRET", tt.secret).guard
		if got := l.send(as(tt.user, follow(link))); got.status != tt.status || got.outcome() != tt.outcome {
			t.Errorf("%s: wait link = %d %s; want %d %s", tt.why, got.status, got.outcome(), tt.status, tt.outcome)
		}
	}
}

func TestWaitLinkOfRepeatMode(t *testing.T) { // contract §1, once and repeat: the fingerprint is part of the scope
	l := newLoop(t, "RULES", `[{"match":"/**","wait":0}]`)
	l.origin = order(l)
	key := l.key("/elsewhere")
	holder := l.begin(form(key, false, "amount", "5")).until(DoForward)
	link := linkIn(t, l.send(form(key, false, "amount", "5")))
	first := holder.end()
	l.send(form(key, false, "amount", "6"))
	if got := l.send(follow(link)); got.outcome() != statusReplayed || string(got.body) != string(first.body) {
		t.Errorf("wait link = %d %s %q; want the answer that it waited for, %q", got.status, got.outcome(), got.body, first.body)
	}
}

func TestNobodyWaitsWhereTooManyDo(t *testing.T) { // contract §8: 64 waiters at once, then 503
	l := newLoop(t, "RULES", `[{"match":"/**","wait":20}]`)
	key := l.key("/orders")
	l.begin(form(key, false, "amount", "5")).until(DoForward)
	f := l.begin(form(key, false, "amount", "5")).until(DoWait)
	if f.next(&Event{Kind: EventBusy}); f.e.Kind != DoRespond {
		t.Errorf("%s; want an answer at once", effectNames[f.e.Kind])
	}
	busy := f.end()
	link := l.begin(follow(linkIn(t, busy))).until(DoWait)
	link.next(&Event{Kind: EventBusy})
	for why, got := range map[string]testAnswer{"a submit": busy, "a link": link.end()} {
		if got.status != 503 || got.outcome() != statusRunning || got.headers.Get("Retry-After") == "" {
			t.Errorf("%s: %d %s; want 503 running, and when to come again", why, got.status, got.outcome())
		}
	}
}

func TestALinkTellsOfARecordThatWasForgottenMeanwhile(t *testing.T) { // contract §1.3: "not sent, go back"
	l := newLoop(t, "RULES", `[{"match":"/**","wait":20}]`)
	key := l.key("/orders")
	l.begin(form(key, false, "amount", "5")).until(DoForward)
	f := l.begin(form(key, false, "amount", "5")).until(DoWait)
	f.next(&Event{Kind: EventBusy})
	link := l.begin(follow(linkIn(t, f.end()))).until(DoWait)
	if link.step(); link.e.Kind != DoWait {
		t.Fatalf("%s; want the link to wait on", effectNames[link.e.Kind])
	}
	link.next(&Event{Kind: EventChanged})
	if got := link.end(); l.runs != 0 || got.outcome() == statusReplayed || got.status == 503 {
		t.Errorf("link = %d %s after %d runs; want to be told, and no run", got.status, got.outcome(), l.runs)
	}
}

// A wait that fails is tried again, later each time, within the budget (I8; nobody hammers a store in trouble).
func TestAWaitThatFailsIsTriedAgainWithinItsBudget(t *testing.T) {
	l := newLoop(t)
	key := l.key("/orders")
	l.begin(form(key, false, "amount", "5")).until(DoForward)
	var delays []int64
	l.fault = func(e *Effect) *Event {
		switch e.Kind {
		case DoWait:
			return &Event{Kind: EventStoreFailed}
		case DoSwap:
			delays = append(delays, e.Delay)
		}
		return nil
	}
	began := l.now
	got := l.send(form(key, false, "amount", "5"))
	if want := []int64{0, 50, 100, 200, 400, 800, 1000, 1000}; len(delays) < 8 || !slices.Equal(delays[:8], want) {
		t.Errorf("delays = %v; want %v …", delays, want)
	}
	if took := l.now - began; got.outcome() != statusRunning || took < 20_000 || took > 21_000 {
		t.Errorf("answer = %s after %d ms; want running after 20 s", got.outcome(), took)
	}
}
