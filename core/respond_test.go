package core

import (
	"strings"
	"testing"
)

func TestAGuardedPageIsMarkedLikeAnyOther(t *testing.T) { // contract §6, on every text/html answer
	const keyed, plain = `<form method="post" action="/orders"></form>`, `<p>Thank you</p>`
	for _, tt := range []struct {
		why, cache, body, limit, want string
	}{
		{"a form for everybody would be a key for everybody", "public, max-age=60", keyed, "1048576", "private, no-cache"},
		{"without a form the page keeps its headers", "public, max-age=60", plain, "1048576", "public, max-age=60"},
		{"a page that is not for everybody is marked", "private", plain, "1048576", "private, no-cache"},
		{"what is too large to keep may have a form yet to come", "public, max-age=60", plain + strings.Repeat(" ", 2000), "1024", "private, no-cache"},
	} {
		l := newLoop(t, "RULES", `[{"match":"/**","max_answer":`+tt.limit+`}]`)
		l.origin = func(*testRequest) testAnswer {
			return testAnswer{status: 200, body: []byte(tt.body), headers: Headers{{"Content-Type", "text/html"}, {"Cache-Control", tt.cache}}}
		}
		f := l.begin(form(l.key("/orders"), false, "amount", "5")).until(DoRespond)
		if got := edited(f.response.headers, f.e.Edit).Get("Cache-Control"); got != tt.want || !f.e.Inject {
			t.Errorf("%s: Cache-Control = %q, injected %t; want %q, with keys to the end", tt.why, got, f.e.Inject, tt.want)
		}
	}
}

func TestOnlyACommittedAnswerGoesToKV(t *testing.T) { // contract §4, KEEP
	for _, tt := range []struct {
		why    string
		status int
		keep   string
		fault  *Event // of the second write
		want   bool
	}{
		{"every committed answer", 200, "all", nil, true},
		{"or only the large ones", 200, "large", nil, false},
		{"a release is not replayed", 422, "all", nil, false},
		{"nor what somebody else has taken over", 200, "all", &Event{Kind: EventRefused, Version: Version{1}}, false},
	} {
		l := newLoop(t, "KEEP", tt.keep)
		l.origin = func(*testRequest) testAnswer { return testAnswer{status: tt.status, body: []byte("ok")} }
		f := l.begin(form(l.key("/orders"), false, "amount", "5")).until(DoCollect)
		if l.fault = func(e *Effect) *Event {
			if e.Kind == DoSwap {
				return tt.fault
			}
			return nil
		}; !f.until(DoRespond).e.KeepAll == tt.want {
			t.Errorf("%s: KeepAll = %t; want %t", tt.why, f.e.KeepAll, tt.want)
		}
	}
}

func TestAReleaseIsKeptForThoseWhoWait(t *testing.T) { // ARCHITECTURE.md
	l := newLoop(t, "RULES", `[{"match":"/**","ttl":7200,"wait":7}]`)
	for _, tt := range []struct {
		why          string
		status       int
		ttl, bodyTTL int64
	}{
		{"a committed answer, as long as the origin says", 200, 3_600_000, 3_600_000},
		{"a release for those who wait; attempts are counted for the rule's time", 422, 7_200_000, 7_000},
	} {
		l.origin = func(*testRequest) testAnswer {
			return testAnswer{status: tt.status, body: []byte("ok"), headers: Headers{{"Idempotency-TTL", "3600"}}}
		}
		f := l.begin(form(l.key("/orders"), false, "amount", "5")).until(DoCollect)
		f.step()
		if f.e.Kind != DoSwap || f.e.TTL != tt.ttl || f.e.BodyTTL != tt.bodyTTL {
			t.Errorf("%s: %s for %d ms, body for %d; want a swap, %d and %d", tt.why, effectNames[f.e.Kind], f.e.TTL, f.e.BodyTTL, tt.ttl, tt.bodyTTL)
		}
	}
}

func TestTheLogLeavesOutWhatIsOrdinary(t *testing.T) { // contract §10; LOG in docs/rules.md
	for _, tt := range []struct {
		why, log string
		e        Effect
		want     bool
	}{
		{"one line for each guarded request", "", Effect{Outcome: statusCreated}, true},
		{"none for others", "", Effect{}, false},
		{"the ordinary is left out", "warnings", Effect{Outcome: statusCreated}, false},
		{"nobody knows what the origin did", "warnings", Effect{Outcome: statusUnknown}, true},
		{"the configuration does not fit", "warnings", Effect{Outcome: statusCreated, Warning: "subject-unstable"}, true},
	} {
		if got := newLoop(t, "LOG", tt.log).guard.Logs(&tt.e); got != tt.want {
			t.Errorf("%s: Logs = %t; want %t", tt.why, got, tt.want)
		}
	}
}

// One line for each guarded request: digest, rule, status, outcome (contract §10).
func TestEachGuardedAnswerSaysWhatTheLogNeeds(t *testing.T) {
	l := newLoop(t, "RULES", `[{"match":"/ord*"}]`)
	key := l.key("/orders")
	for _, tt := range []struct {
		why, amount, outcome string
		status               int
		answer               testAnswer
	}{
		{"an answer of the origin", "5", statusReleased, 422, testAnswer{status: 422}},
		{"no answer of it", "5", statusUnknown, 502, testAnswer{fail: true, sent: true}},
		{"a commit", "5", statusCreated, 200, testAnswer{status: 200, body: []byte("ok")}},
		{"a replay", "5", statusReplayed, 200, testAnswer{}},
		{"a mismatch", "6", statusMismatch, 422, testAnswer{}},
	} {
		l.origin = func(*testRequest) testAnswer { return tt.answer }
		e := l.begin(form(key, false, "amount", tt.amount)).until(DoRespond).e
		if e.Outcome != tt.outcome || e.Status != tt.status || e.Rule != "/ord*" || e.Shard != "weur-7" || e.Trail != trailName(key) {
			t.Errorf("%s: %s %d by %s, %s.%s; want %s %d by /ord*, weur-7.%s", tt.why, e.Outcome, e.Status, e.Rule, e.Shard, e.Trail, tt.outcome, tt.status, trailName(key))
		}
	}
}

func TestTheGuardReadsTheAnswerPlain(t *testing.T) { // contract §4: Content-Encoding is undone first
	l := newLoop(t)
	l.origin = func(*testRequest) testAnswer {
		return testAnswer{status: 200, body: []byte("ok"), headers: Headers{{"Content-Encoding", "gzip"}, {"Content-Length", "22"}, {"Content-Type", "text/plain"}}}
	}
	key := l.key("/orders")
	for _, outcome := range []string{statusCreated, statusReplayed} {
		got := l.send(form(key, false, "amount", "5"))
		if got.outcome() != outcome || got.headers.Has("Content-Encoding") || got.headers.Has("Content-Length") || !got.headers.Has("Content-Type") {
			t.Errorf("%s: %v; want %s, and the body as it is", got.outcome(), got.headers, outcome)
		}
	}
}

func TestAPageKeepsItsLastByte(t *testing.T) { // contract §6: broken HTML gets through as it was
	for _, body := range []string{"<p>1 < 2", "<p>1 <", "<form method=post><input", "<!-- never closed", "<p title=\"a"} {
		l := newLoop(t)
		l.origin = func(*testRequest) testAnswer {
			return testAnswer{status: 200, headers: Headers{{"Content-Type", "text/html"}}, body: []byte(body)}
		}
		got := string(l.send(form(l.key("/orders"), false, "amount", "5")).body)
		if tail := body[len(body)-1:]; !strings.HasSuffix(got, tail) || len(got) < len(body) {
			t.Errorf("%q became %q; want all of it", body, got)
		}
	}
}
