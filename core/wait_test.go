package core

import (
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
