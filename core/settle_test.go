package core

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// A large body is claimed before it is hashed, and the origin may answer before it has read all of it (contract §3).
func TestAnOriginThatDoesNotWaitForTheBody(t *testing.T) {
	for _, tt := range []struct {
		why         string
		whole       bool // what is left of the body came after the answer
		same, other string
	}{
		{"the rest is hashed and compared all the same", true, statusReplayed, statusMismatch},
		{"a body that broke off has no fingerprint, and duplicates are not compared", false, statusReplayed, statusReplayed},
	} {
		l := newLoop(t)
		key := l.key("/orders")
		submit := func(tail string) testRequest {
			r := form(key, false)
			r.body = append(r.body, "&text="+strings.Repeat("x", CollectLimit)+tail...)
			return r
		}
		f := l.begin(submit("1")).until(DoForward)
		f.next(&Event{Kind: EventHead, Status: 200})
		if f.next(&Event{Kind: EventBody, Length: 0}); f.e.Kind != DoDrain {
			t.Fatalf("%s: %s; want the rest of the body", tt.why, effectNames[f.e.Kind])
		}
		rest := f.request.body[CollectLimit:]
		if !tt.whole {
			rest = rest[:len(rest)/2]
		}
		f.x.Feed(rest)
		f.next(&Event{Kind: EventHashed, Whole: tt.whole})
		if got := f.end(); got.outcome() != statusCreated {
			t.Errorf("%s: %s; want created", tt.why, got.outcome())
		}
		if got := l.send(submit("1")); got.outcome() != tt.same {
			t.Errorf("%s: the same again = %s; want %s", tt.why, got.outcome(), tt.same)
		}
		if got := l.send(submit("2")); got.outcome() != tt.other || l.runs != 0 {
			t.Errorf("%s: another = %s; want %s, without a run", tt.why, got.outcome(), tt.other)
		}
	}
}

// An answer that ends early is unknown (contract §1.5), but for a refusal of an origin that hung up on the body.
func TestAnAnswerThatEndsEarly(t *testing.T) {
	for _, tt := range []struct {
		why     string
		status  int
		sent    bool // the whole request was
		shown   int
		outcome string
	}{
		{"nobody knows what it did", 200, true, 502, statusUnknown},
		{"nor where it had not read everything", 399, false, 502, statusUnknown},
		{"a refusal of a request that came whole is an answer cut short", 413, true, 502, statusUnknown},
		{"a refusal of what it did not read is its answer", 400, false, 400, statusReleased},
	} {
		l := newLoop(t)
		f := l.begin(form(l.key("/orders"), false, "amount", "5")).until(DoForward)
		f.next(&Event{Kind: EventHead, Status: tt.status})
		f.response = testAnswer{status: tt.status}
		f.next(&Event{Kind: EventOriginFailed, Sent: tt.sent})
		if got := f.end(); got.status != tt.shown || got.outcome() != tt.outcome {
			t.Errorf("%s: %d %s; want %d %s", tt.why, got.status, got.outcome(), tt.shown, tt.outcome)
		}
	}
}

func TestADownloadThatCannotBeKeptIsFetchedAgain(t *testing.T) { // contract §4: an attachment beyond is released
	for _, tt := range []struct {
		why, disposition string
		outcome          string
		runs             int
	}{
		{"a download", "attachment", statusReleased, 2},
		{"a page is a tombstone", "inline", statusCreated, 1},
	} {
		l := newLoop(t, "RULES", `[{"match":"/**","max_answer":1024}]`)
		l.origin = func(*testRequest) testAnswer {
			return testAnswer{status: 200, headers: Headers{{"Content-Disposition", tt.disposition}}, body: make([]byte, 2000)}
		}
		key := l.key("/orders")
		first := l.send(form(key, false, "amount", "5"))
		l.now += 60_000
		l.send(form(key, false, "amount", "5"))
		if first.outcome() != tt.outcome || l.runs != tt.runs {
			t.Errorf("%s: %s, %d runs; want %s, %d", tt.why, first.outcome(), l.runs, tt.outcome, tt.runs)
		}
	}
}

// Who waited for a release gets its answer, and where that was too large to keep is told so: nothing was done.
func TestALargeReleaseIsNotKept(t *testing.T) { // contract §1.2
	l := newLoop(t)
	l.origin = func(*testRequest) testAnswer {
		return testAnswer{status: 422, headers: Headers{{"Content-Type", "text/plain"}}, body: bytes.Repeat([]byte("x"), InlineLimit+1)}
	}
	key := l.key("/orders")
	holder := l.begin(form(key, false, "amount", "5")).until(DoForward)
	waiter := l.begin(form(key, false, "amount", "5")).until(DoWait)
	if first := holder.end(); first.status != 422 || len(first.body) != InlineLimit+1 || len(l.kv) != 0 {
		t.Errorf("first = %d, %d bytes, %d in KV; want the origin's answer, and none", first.status, len(first.body), len(l.kv))
	}
	got := waiter.end()
	if got.status != 422 || got.outcome() != statusReleased || !strings.Contains(string(got.body), "did not go through") || got.headers.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Errorf("waiter = %d %s %v\n%s\nwant 422 released, a page that does not say done", got.status, got.outcome(), got.headers, got.body)
	}
}

func TestTheTrailTellsHowARunEnded(t *testing.T) { // contract §10
	for _, tt := range []struct {
		why, rules string
		answer     testAnswer
		undone     bool
		want       string
	}{
		{"committed", "", testAnswer{status: 201}, false, "claim 0 commit 201"},
		{"released", "", testAnswer{status: 422}, false, "claim 0 release 422"},
		{"nobody knows: it was cut off", "", testAnswer{fail: true, sent: true}, false, "claim 0 unknown 0"},
		{"nobody knows: its gateway gave up", `[{"match":"/**","unknown":"hold"}]`, testAnswer{status: 504}, false, "claim 0 unknown 504"},
		{"a commit that was taken back was none", "", testAnswer{status: 201}, true, "claim 0 release 0"},
	} {
		l := newLoop(t, "RULES", tt.rules)
		l.origin = func(*testRequest) testAnswer { return tt.answer }
		f := l.begin(form(l.key("/orders"), false, "amount", "5")).until(DoForward)
		if f.step(); f.e.Kind != DoSwap {
			f.until(DoSwap)
		}
		if tt.undone {
			f.seal()
			f.next(&Event{Kind: EventUndone})
		}
		if got := toldBy(f.e.Note); got != tt.want {
			t.Errorf("%s: %s; want %s", tt.why, got, tt.want)
		}
	}
}

// Who comes to a record tells of the run that made it, not of one of its own (contract §10).
func TestTheTrailTellsWhoseAnswerWasGiven(t *testing.T) {
	l := newLoop(t)
	l.origin = firstThen200(422)
	key := l.key("/orders")
	for range 2 {
		l.send(form(key, false, "amount", "5"))
	}
	for amount, want := range map[string]TrailKind{"5": TrailReplay, "6": TrailMismatch} {
		entries := decodeTrail(l.begin(form(key, false, "amount", amount)).until(DoRespond).e.Note)
		if len(entries) != 1 || entries[0].Kind != want || entries[0].Attempt != 2 {
			t.Errorf("amount %s: %v; want %v of attempt 2", amount, entries, want)
		}
	}
}

// toldBy lists entries of a trail with their statuses.
func toldBy(notes []byte) string {
	var words []string
	for _, e := range decodeTrail(notes) {
		words = append(words, fmt.Sprint(e.Kind, " ", e.Status))
	}
	return strings.Join(words, " ")
}
