package core

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestOnlyTheQueryDiffers(t *testing.T) { // §5
	many := func(last string) (pairs []string) {
		for i := range MaxDigests + 6 {
			pairs = append(pairs, "field"+strconv.Itoa(100+i), "same")
		}
		pairs[len(pairs)-1] = last
		return pairs
	}
	for _, tt := range []struct {
		why           string
		first, second []string
		query         string
		only          bool
	}{
		{"the same fields elsewhere", []string{"amount", "5"}, []string{"amount", "5"}, "?page=2", true},
		{"a form of nothing but the key", nil, nil, "?page=2", true},
		{"more names than a record lists, all alike", many("same"), many("same"), "?page=2", true},
		{"more names than a record lists, one behind them differs", many("same"), many("other"), "", false},
		{"a field differs too", []string{"amount", "5"}, []string{"amount", "6"}, "?page=2", false},
	} {
		l := newLoop(t)
		key := l.key("/orders")
		l.send(form(key, false, tt.first...))
		second := form(key, false, tt.second...)
		second.url = "https://shop.example/orders" + tt.query
		second.headers = append(second.headers, Header{"Accept", "application/json"})
		got := l.send(second)
		if only := bytes.Contains(got.body, []byte(`"query":true`)); got.status != 422 || only != tt.only {
			t.Errorf("%s: answer = %d %s; want a mismatch, query %v", tt.why, got.status, got.body, tt.only)
		}
	}
}

func TestTheRecordIsNamedAtTheVisitorsHost(t *testing.T) { // contract §5, §7
	for _, tt := range []struct {
		why    string
		answer testAnswer
	}{
		{"the origin names the record", testAnswer{status: 200, headers: Headers{{"Idempotency-Record", "<http://app.internal:3000/orders/1>"}}}},
		{"else where the answer led", testAnswer{status: 303, headers: Headers{{"Location", "http://app.internal:3000/orders/1"}}}},
		{"or htmx was led", testAnswer{status: 204, headers: Headers{{"HX-Redirect", "http://app.internal:3000/orders/1"}}}},
		{"or what it made", testAnswer{status: 201, headers: Headers{{"Location", "http://app.internal:3000/orders/1"}}}},
	} {
		l := newLoop(t, "ORIGIN_URL", "http://app.internal:3000")
		l.origin = func(*testRequest) testAnswer { return tt.answer }
		key := l.key("/orders")
		l.send(form(key, false, "amount", "5"))
		got := l.send(form(key, false, "amount", "6"))
		if got.status != 422 || !bytes.Contains(got.body, []byte(`href="https://shop.example/orders/1"`)) {
			t.Errorf("%s: %d %s; want the record at the visitor's host", tt.why, got.status, got.body)
		}
	}
}

func TestAMismatchOffersANewEntryOnlyToItsOwnSite(t *testing.T) { // contract §5: only for same-origin requests
	for _, tt := range []struct {
		why    string
		header Header
		want   bool
	}{
		{"told by Sec-Fetch-Site", Header{"Sec-Fetch-Site", "same-origin"}, true},
		{"or by Origin", Header{"Origin", "https://shop.example"}, true},
		{"a neighbour is no same origin", Header{"Sec-Fetch-Site", "same-site"}, false},
		{"nobody told", Header{"X-Nothing", ""}, false},
	} {
		for _, htmx := range []bool{false, true} {
			l := newLoop(t)
			key := l.key("/orders")
			l.send(form(key, htmx, "amount", "5"))
			second := form(key, htmx, "amount", "6")
			second.headers[1] = tt.header
			got := l.send(second)
			if offers := bytes.Contains(got.body, []byte("ik_")); got.status != 422 || offers != tt.want || bytes.Contains(got.body, []byte(`value="6"`)) != tt.want {
				t.Errorf("%s, htmx %t: %d, offers a key: %t; want 422, %t, with the values\n%s", tt.why, htmx, got.status, offers, tt.want, got.body)
			}
		}
	}
}

func TestATombstoneIsAPageOfItsOwn(t *testing.T) { // contract §1.4
	for _, htmx := range []bool{false, true} {
		l := newLoop(t, "RULES", `[{"match":"/**","max_answer":1024}]`)
		l.origin = func(*testRequest) testAnswer {
			return testAnswer{status: 201, body: bytes.Repeat([]byte("<p>"), 1000), headers: Headers{
				{"Content-Type", "text/html"}, {"Idempotency-Record", `</orders/1>; title="Order 1"`}}}
		}
		key := l.key("/orders")
		l.send(form(key, htmx, "amount", "5"))
		got := l.send(form(key, false, "amount", "5"))
		if n := bytes.Count(got.body, []byte("<html")); n != 1 || !bytes.Contains(got.body, []byte(`<a href="/orders/1"><bdi>Order 1</bdi></a>`)) || got.outcome() != statusReplayed {
			t.Errorf("given to htmx first: %t: %d pages, %s\n%s\nwant one that names the order", htmx, n, got.outcome(), got.body)
		}
	}
}

// "It lists the names of the fields that differ, never values", and where nothing has a link the time of the commit
// says what exists (contract §5).
func TestAMismatchSaysWhatExistsAndWhatDiffers(t *testing.T) {
	l := newLoop(t)
	key := l.key("/orders")
	l.send(form(key, false, "item", "tea", "amount", "five", "note", "a"))
	l.now += 90_000
	second := form(key, false, "item", "tea", "amount", "six", "size", "b")
	second.headers = append(second.headers, Header{"Accept", "application/json"})
	got := l.send(second)
	var problem struct {
		Type    string
		Record  struct{ Committed string }
		Differs []string
	}
	if err := json.Unmarshal(got.body, &problem); err != nil {
		t.Fatalf("%s: %v", got.body, err)
	}
	slices.Sort(problem.Differs)
	if problem.Type != "urn:singleshot:mismatch" || !slices.Equal(problem.Differs, []string{"amount", "note", "size"}) || strings.Contains(string(got.body), "six") {
		t.Errorf("%s; want the three names that differ, and no value", got.body)
	}
	if problem.Record.Committed != "2027-01-15T08:00:00Z" {
		t.Errorf("committed = %s; want when the first one was", problem.Record.Committed)
	}
}

// "Files cannot be carried … the page says so and points back" (contract §5): also where the form had none this time,
// what it sends again is urlencoded.
func TestANewEntryIsSentAsTheFormWas(t *testing.T) {
	for _, multipart := range []bool{false, true} {
		l := newLoop(t)
		key := l.key("/orders")
		submit := func(amount string) testRequest {
			r := form(key, false, "amount", amount)
			if multipart {
				r.headers[0].Value = "multipart/form-data; boundary=b"
				r.body = []byte("--b\r\nContent-Disposition: form-data; name=\"idempotency_key\"\r\n\r\n" + key +
					"\r\n--b\r\nContent-Disposition: form-data; name=\"amount\"\r\n\r\n" + amount + "\r\n--b--\r\n")
			}
			return r
		}
		l.send(submit("5"))
		got := l.send(submit("6"))
		if got.status != 422 || bytes.Contains(got.body, []byte(`enctype="multipart/form-data"`)) != multipart {
			t.Errorf("multipart %t: %d %s; want a form that sends as this one did", multipart, got.status, got.body)
		}
	}
}

func TestA502SaysWhetherAnythingWasSent(t *testing.T) { // contract §1.5
	for _, tt := range []struct {
		why  string
		sent bool
		says string
	}{
		{"the connection broke after it was sent", true, "Whether it went through is not known"},
		{"it was never made", false, "could not be reached"},
	} {
		l := newLoop(t)
		l.origin = func(*testRequest) testAnswer { return testAnswer{fail: true, sent: tt.sent} }
		if got := l.send(form(l.key("/orders"), false, "amount", "5")); got.status != 502 || !strings.Contains(string(got.body), tt.says) ||
			strings.Contains(string(got.body), "not known") != tt.sent {
			t.Errorf("%s: %d %s; want 502 with %q", tt.why, got.status, got.body, tt.says)
		}
	}
}
