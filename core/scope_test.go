package core

import (
	"strings"
	"testing"
)

func TestWhatCountsAsAKey(t *testing.T) { // contract §2
	for _, tt := range []struct {
		why, rule, key string
		status         int
		outcome        string // "" passed unguarded
	}{
		{"any other value in the field counts as no key", ``, "order-1042-0123456789", 200, ""},
		{"unless the origin renders its own", `"mint":"origin"`, "order-1042-0123456789", 200, statusCreated},
		{"other lengths count as no key there too", `"mint":"origin"`, "order-1042", 200, ""},
		{"and what looks minted has to be", `"mint":"origin"`, "ik_order-1042-0123456789", 403, statusRefused},
		{"no key where one is required", `"required":true`, "order-1042-0123456789", 400, statusRefused},
	} {
		if tt.rule != "" {
			tt.rule = "," + tt.rule
		}
		l := newLoop(t, "RULES", `[{"match":"/**"`+tt.rule+`}]`)
		if got := l.send(form(tt.key, false, "amount", "5")); got.status != tt.status || got.outcome() != tt.outcome {
			t.Errorf("%s: %d %q; want %d %q", tt.why, got.status, got.outcome(), tt.status, tt.outcome)
		}
	}
}

func TestABrokenBodyIsRefusedWhereItMayHaveAKey(t *testing.T) { // contract §2, §5 (bad-body)
	l := newLoop(t, "RULES", `[{"match":"/must","required":true}]`)
	key := l.key("/orders")
	const field = "--b\r\nContent-Disposition: form-data; name=\"idempotency_key\"\r\n\r\n"
	for _, tt := range []struct {
		why, url, body string
		status         int
	}{
		{"without a key it is the origin's matter", "https://shop.example/orders", "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1", 200},
		{"a key is required", "https://shop.example/must", "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1", 400},
		{"the key is cut off", "https://shop.example/orders", field + key[:9], 400},
		{"what follows the key is", "https://shop.example/orders", field + key + "\r\n--b\r\n", 400},
		{"more fields than anybody compares", "https://shop.example/orders", field + key + strings.Repeat("\r\n--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n", maxFields) + "\r\n--b--\r\n", 413},
	} {
		r := form("", false)
		r.url, r.body, r.headers[0].Value = tt.url, []byte(tt.body), "multipart/form-data; boundary=b"
		if got := l.send(r); got.status != tt.status {
			t.Errorf("%s: %d; want %d", tt.why, got.status, tt.status)
		}
	}
}

func TestMaxBodyIsABound(t *testing.T) { // contract §8, max_body: more is 413, and the key is live
	for _, tt := range []struct {
		why     string
		length  int64 // as Content-Length has it
		size    int   // that came so far
		whole   bool
		tooMuch bool
	}{
		{"as much as there may be", 200, 200, true, false},
		{"one more", 201, 201, true, true},
		{"nobody said how much, and it is little", -1, 200, true, false},
		{"nobody said how much, and it is one more", -1, 201, true, true},
		{"nobody says how much is to come", -1, 150, false, true},
		{"more is announced than came", 201, 150, false, true},
		{"nothing is announced", 0, 201, true, true},
	} {
		l := newLoop(t, "RULES", `[{"match":"/**","max_body":200}]`)
		r := form(l.key("/orders"), false, "note", "")
		body := append(r.body, strings.Repeat("n", tt.size-len(r.body))...)
		x, _ := l.guard.Begin(&Request{Method: "POST", URL: "https://shop.example/orders", Headers: r.headers, Region: -1, Length: tt.length}, l.now, [32]byte{1})
		x.Feed(body)
		if e := x.Next(&Event{Kind: EventHashed, Now: l.now, Whole: tt.whole}); (e.Status == 413) != tt.tooMuch {
			t.Errorf("%s: %s %d; want 413: %t", tt.why, effectNames[e.Kind], e.Status, tt.tooMuch)
		}
	}
}

// What differs in the scope is another record, also with the same body (contract §2).
func TestWhatMakesAnotherRecord(t *testing.T) {
	client := func(r *testRequest) { r.headers = append(r.headers, Header{"Idempotency-Key", "8e03978e-40d5-43dd"}) }
	for _, tt := range []struct {
		why, rule     string
		first, second func(*testRequest)
		runs          int
	}{
		{"nothing differs", `"subject":"none"`, client, client, 1},
		{"another path", `"subject":"none"`, client, func(r *testRequest) { client(r); r.url = "https://shop.example/other" }, 2},
		{"another spelling of the path is none", `"subject":"none"`, client, func(r *testRequest) { client(r); r.url = "https://shop.example/%6Frders" }, 1},
		{"another method", `"subject":"none","methods":["POST","PUT"]`, client, func(r *testRequest) { client(r); r.method = "PUT" }, 2},
		{"another override", `"subject":"none"`, client, func(r *testRequest) {
			client(r)
			r.headers = append(r.headers, Header{"X-HTTP-Method-Override", "PUT"})
		}, 2},
		{"another subject", `"subject":"header:X-User"`, func(r *testRequest) { client(r); r.headers = append(r.headers, Header{"X-User", "ada"}) },
			func(r *testRequest) { client(r); r.headers = append(r.headers, Header{"X-User", "bob"}) }, 2},
	} {
		l := newLoop(t, "RULES", `[{"match":"/**","key":"header",`+tt.rule+`}]`)
		for _, edit := range []func(*testRequest){tt.first, tt.second} {
			r := form("", false, "amount", "5")
			edit(&r)
			if got := l.send(r); got.status != 200 {
				t.Errorf("%s: %d; want 200", tt.why, got.status)
			}
		}
		if l.runs != tt.runs {
			t.Errorf("%s: %d runs; want %d", tt.why, l.runs, tt.runs)
		}
	}
}

// The once rule is an API's too: repeat mode belongs to keys of forms (contract §1, once and repeat; §2).
func TestAnAPIsKeyIsForOnePayload(t *testing.T) {
	for _, tt := range []struct {
		why  string
		line Header
	}{
		{"as its client sends it", Header{"Accept", "*/*"}},
		{"from a script", Header{"Sec-Fetch-Mode", "cors"}},
		{"as an update", Header{"X-HTTP-Method-Override", "PATCH"}},
	} {
		l := newLoop(t, "RULES", `[{"match":"/**","key":"header"}]`)
		send := func(amount string) testAnswer {
			return l.send(testRequest{method: "POST", body: []byte(`{"amount":` + amount + `}`), headers: Headers{
				{"Content-Type", "application/json"}, {"Authorization", "Bearer a"}, {"Idempotency-Key", "8e03978e-40d5-43dd"}, tt.line}})
		}
		send("5")
		if got := send("6"); got.status != 422 || l.runs != 1 {
			t.Errorf("%s: another payload = %d after %d runs; want 422 after 1", tt.why, got.status, l.runs)
		}
	}
}

func TestWebhooksAreNotComparedUnlessAsked(t *testing.T) { // contract §2: some senders change the body between attempts
	for _, tt := range []struct {
		why, compare string
		second       string
	}{
		{"as senders are", ``, statusReplayed},
		{"asked to", `,"compare":true`, statusMismatch},
	} {
		for _, size := range []int{0, CollectLimit} { // the second is claimed before it is hashed
			l := newLoop(t, "RULES", `[{"match":"/**","key":"header:X-Event"`+tt.compare+`}]`)
			send := func(body string) testAnswer {
				return l.send(testRequest{method: "POST", body: []byte(body + strings.Repeat(" ", size)), headers: Headers{{"Content-Type", "text/plain"}, {"X-Event", "evt_1"}}})
			}
			send("1")
			if got := send("2"); got.outcome() != tt.second || l.runs != 1 {
				t.Errorf("%s, %d bytes: %d %s after %d runs; want %s after 1", tt.why, size, got.status, got.outcome(), l.runs, tt.second)
			}
		}
	}
}

func TestWhereARecordIs(t *testing.T) { // contract §2: a key carries the address of its claim store, others are in a fixed region
	for _, tt := range []struct{ why, rule, shard string }{
		{"a minted key says it", `"key":"field"`, "weur-7"},
		{"others are in the region of the guard", `"key":"header:X-Event"`, clientShard(5, trailName("evt_1"))},
	} {
		l := newLoop(t, "REGION", "apac", "RULES", `[{"match":"/**","lease":5,"ttl":600,`+tt.rule+`}]`)
		r := form(l.key("/orders"), false, "amount", "5")
		r.headers = append(r.headers, Header{"X-Event", "evt_1"})
		f := l.begin(r).until(DoSwap)
		claim := *f.e
		run := *f.until(DoForward).e
		if claim.Shard != tt.shard || Regions[claim.Region] != tt.shard[:4] || run.Shard != tt.shard || run.Name != claim.Name {
			t.Errorf("%s: claimed at %s near %s, renewed at %s; want %s", tt.why, claim.Shard, Regions[claim.Region], run.Shard, tt.shard)
		}
		if claim.Lease != 5_000 || claim.TTL != 600_000 || run.Lease != 5_000 || run.Version != claim.Version {
			t.Errorf("%s: claim for %d ms of %d, renewed as %v for %d; want 5 s of 600, renewed as what was claimed for 5 s", tt.why, claim.Lease, claim.TTL, run.Version, run.Lease)
		}
	}
}
