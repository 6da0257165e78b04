package core

import (
	"bytes"
	"strconv"
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
