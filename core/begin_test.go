package core

import (
	"encoding/json"
	"strings"
	"testing"
	"unsafe"
)

func TestAKeyLivesNearItsVisitor(t *testing.T) { // contract §2: a key carries the address of its claim store
	for _, tt := range []struct {
		why    string
		region string // REGION
		near   int    // by the request
		want   string
	}{
		{"near the visitor", "apac", 0, "wnam"},
		{"also where that is last in the list", "apac", len(Regions) - 1, "me"},
		{"nobody knows where the visitor is", "apac", -1, "apac"},
		{"a region that this guard does not know", "apac", len(Regions), "apac"},
		{"and that is all there is to say", "", -1, "weur"},
	} {
		l := newLoop(t, "REGION", tt.region)
		_, e := l.guard.Begin(&Request{Method: "GET", URL: "https://shop.example" + OwnPath + "key?action=/orders", Region: tt.near}, l.now, [32]byte{1})
		var body struct{ Key string }
		if err := json.Unmarshal(e.Inline, &body); err != nil {
			t.Fatalf("%s: %s: %v", tt.why, e.Inline, err)
		}
		if key, _, err := OpenKey(body.Key, []byte(loopSecret)); err != nil || Regions[key.Region] != tt.want {
			t.Errorf("%s: %+v, %v; want a key of %s", tt.why, key, err, tt.want)
		}
	}
}

func TestClientsKeysAreSpreadOverTheShardsOfOneRegion(t *testing.T) { // contract §2: 32 fixed shards of one region
	l := newLoop(t, "REGION", "apac", "SHARDS", "4")
	used := map[string]bool{}
	for i := range 2000 {
		used[clientShard(l.guard.region, trailName(strings.Repeat("k", i)))] = true
	}
	for i := range uint16(clientShards) {
		if !used[shardName(5, i)] {
			t.Errorf("%s is not used", shardName(5, i))
		}
	}
	if len(used) != 32 {
		t.Errorf("%d claim stores; want 32 of apac: %v", len(used), used)
	}
}

func TestWhatTheGuardSaysIsForThisVisitor(t *testing.T) { // contract §5: in English and Japanese by Accept-Language
	for _, tt := range []struct {
		why     string
		headers Headers
		says    string
	}{
		{"in the visitor's language", Headers{{"Accept-Language", "ja"}}, `<html lang="ja"`},
		{"or in English", Headers{{"Accept-Language", "fr"}}, `<html lang="en"`},
		{"with the way back to the form", Headers{{"Referer", "https://shop.example/orders/new?a=1"}}, `href="/orders/new?a=1"`},
	} {
		l := newLoop(t)
		r := form("ik_made-up", false)
		r.headers = append(r.headers, tt.headers...)
		if got := l.send(r); got.status != 403 || !strings.Contains(string(got.body), tt.says) {
			t.Errorf("%s: %d %s; want 403 with %s", tt.why, got.status, got.body, tt.says)
		}
	}
}

func TestWhatAnUnguardedRequestBringsToTheOrigin(t *testing.T) { // contract §7
	for _, tt := range []struct {
		why, originURL string
		headers        Headers
		want           Headers // "" is none
	}{
		{"the guard's cookie stays with it", "", Headers{{"Cookie", "a=1; __Host-singleshot=w; b=2"}, {"Via", "1.1 a"}}, Headers{{"Cookie", "a=1; b=2"}, {"Via", "1.1 a"}}},
		{"also where it is the only one", "", Headers{{"Cookie", "__Host-singleshot=w"}}, Headers{{"Cookie", ""}}},
		{"the client's key is its own matter", "", Headers{{"Idempotency-Key", "k"}}, Headers{{"Idempotency-Key", "k"}, {"X-Forwarded-Host", ""}}},
		{"another host has to be told the visitor's", "http://127.0.0.1:3000", Headers{{"CF-Connecting-IP", "192.0.2.7"}},
			Headers{{"X-Forwarded-Host", "shop.example"}, {"X-Forwarded-Proto", "https"}, {"X-Forwarded-For", "192.0.2.7"}}},
		{"and where nobody knows the address nothing is made up", "http://127.0.0.1:3000", nil, Headers{{"X-Forwarded-Host", "shop.example"}, {"X-Forwarded-For", ""}}},
	} {
		l := newLoop(t, "ORIGIN_URL", tt.originURL)
		var got Headers
		l.origin = func(r *testRequest) testAnswer {
			got = r.headers
			return testAnswer{status: 200}
		}
		l.send(testRequest{method: "GET", headers: tt.headers})
		for _, line := range tt.want {
			if got.Get(line.Name) != line.Value || got.Has(line.Name) != (line.Value != "") {
				t.Errorf("%s: %v; want %s: %q", tt.why, got, line.Name, line.Value)
			}
		}
	}
}

func TestARequestWithoutItsKeyPassesUnguarded(t *testing.T) { // contract §2, unless the rule says required
	const named = `"key":"header:X-Event"`
	for _, tt := range []struct {
		why, rule string
		header    Header
		status    int
		guarded   bool
	}{
		{"an event without its id", named, Header{"X-Other", "evt_1"}, 200, false},
		{"one is required", named + `,"required":true`, Header{"X-Other", "evt_1"}, 400, false},
		{"an event with one", named, Header{"X-Event", "evt_1"}, 200, true},
		{"an id that is too long is not shortened", named, Header{"X-Event", strings.Repeat("7", maxEventID+1)}, 400, false},
		{"an API without a key", `"key":"header","subject":"none"`, Header{"X-Other", "k"}, 200, false},
		{"what is no form", `"key":"field"`, Header{"X-Other", "k"}, 200, false},
	} {
		l := newLoop(t, "RULES", `[{"match":"/**",`+tt.rule+`}]`)
		r := testRequest{method: "POST", body: []byte(`{"idempotency_key":"` + l.key("/orders") + `"}`), headers: Headers{{"Content-Type", "application/json"}, tt.header}}
		got := l.send(r)
		if guarded := got.outcome() == statusCreated; got.status != tt.status || guarded != tt.guarded {
			t.Errorf("%s: %d %s; want %d, guarded %t", tt.why, got.status, got.outcome(), tt.status, tt.guarded)
		}
	}
}

func TestTextsThatAreKeptAreACopy(t *testing.T) { // a host may write over the memory of a request's head
	head := []byte("shop.example/orders")
	host, path := unsafe.String(&head[0], 12), unsafe.String(&head[12], 7)
	keep(&host, &path)
	clear(head)
	if host != "shop.example" || path != "/orders" {
		t.Errorf("kept %q, %q; want what they were", host, path)
	}
}
