package core

import (
	"slices"
	"strings"
	"testing"
)

func TestWhoMaySeeATrail(t *testing.T) { // contract §10
	const bearer, basic = "Bearer an-operator", "Basic YW55Ym9keTphbi1vcGVyYXRvcg==" // anybody:an-operator
	l := newLoop(t)
	key := l.key("/orders")
	digest := "weur-7." + trailName(key) // as the log has it
	for _, tt := range []struct {
		why, method, name, admin string
		headers                  Headers
		status                   int // 0: the claim store is asked
	}{
		{"by bearer", "GET", key, "an-operator", Headers{{"Authorization", bearer}}, 0},
		{"by password", "GET", key, "an-operator", Headers{{"Authorization", basic}}, 0},
		{"in any letter case", "HEAD", key, "an-operator", Headers{{"authorization", "bEARER an-operator"}}, 0},
		{"by what the log calls it", "GET", digest, "an-operator", Headers{{"Authorization", bearer}}, 0},
		{"an API's key", "GET", "8e03978e-40d5-43dd-bc93-6894a57f9324", "an-operator", Headers{{"Authorization", bearer}}, 0},
		{"a plus sign is one", "GET", "evt+1", "an-operator", Headers{{"Authorization", bearer}}, 0},
		{"forgetting, by a program", "DELETE", key, "an-operator", Headers{{"Authorization", bearer}}, 0},
		{"by a page of the site", "DELETE", key, "an-operator", Headers{{"Authorization", bearer}, {"Sec-Fetch-Site", "same-origin"}}, 0},
		{"by hand, in the address line", "DELETE", key, "an-operator", Headers{{"Authorization", basic}, {"Sec-Fetch-Site", "none"}}, 0},
		{"by a page of another site, whose browser knows the password", "DELETE", key, "an-operator", Headers{{"Authorization", basic}, {"Sec-Fetch-Site", "cross-site"}}, 403},
		{"while there is no secret there is no such page", "GET", key, "", Headers{{"Authorization", "Bearer "}}, 404},
		{"nobody", "GET", key, "an-operator", nil, 401},
		{"another secret", "GET", key, "an-operator", Headers{{"Authorization", "Bearer an-operato"}}, 401},
		{"a longer one", "GET", key, "an-operator", Headers{{"Authorization", bearer + "s"}}, 401},
		{"another scheme", "GET", key, "an-operator", Headers{{"Authorization", "Digest an-operator"}}, 401},
		{"no base64", "GET", key, "an-operator", Headers{{"Authorization", "Basic an-operator"}}, 401},
		{"a key that was not minted here", "GET", "ik_made-up", "an-operator", Headers{{"Authorization", bearer}}, 404},
		{"no key", "GET", "", "an-operator", Headers{{"Authorization", bearer}}, 404},
		{"too long for a key", "GET", strings.Repeat("7", maxEventID+1), "an-operator", Headers{{"Authorization", bearer}}, 404},
		{"nothing to write", "POST", key, "an-operator", Headers{{"Authorization", bearer}}, 404},
	} {
		l := newLoop(t, "SINGLESHOT_ADMIN", tt.admin)
		f := l.begin(testRequest{method: tt.method, url: "https://shop.example" + OwnPath + "keys/" + tt.name, headers: tt.headers})
		switch {
		case tt.status == 0 && f.e.Kind != DoTrail:
			t.Errorf("%s: %s %d; want the trail asked for", tt.why, effectNames[f.e.Kind], f.e.Status)
		case tt.status != 0 && f.e.Status != tt.status:
			t.Errorf("%s: %s %d; want %d", tt.why, effectNames[f.e.Kind], f.e.Status, tt.status)
		}
	}
}

func TestATrailIsFoundWhereItsKeySays(t *testing.T) {
	l := newLoop(t, "SINGLESHOT_ADMIN", "an-operator", "REGION", "apac")
	key := l.key("/orders") // of weur-7
	for _, tt := range []struct{ why, name, shard, trail string }{
		{"a minted key", key, "weur-7", trailName(key)},
		{"by its digest", "enam-12." + trailName(key), "enam-12", trailName(key)},
		{"a client's key: one of 32 stores in one region", "evt_1", clientShard(l.guard.region, trailName("evt_1")), trailName("evt_1")},
		{"another spelling of a store is none: the text is a client's key", "weur-07." + trailName(key), "", trailName("weur-07." + trailName(key))},
		{"nor is another region", "mars-7." + trailName(key), "", trailName("mars-7." + trailName(key))},
	} {
		f := l.begin(testRequest{method: "GET", url: "https://shop.example" + OwnPath + "keys/" + tt.name, headers: Headers{{"Authorization", "Bearer an-operator"}}})
		if tt.shard == "" {
			tt.shard = clientShard(l.guard.region, tt.trail)
		}
		if f.e.Kind != DoTrail || f.e.Shard != tt.shard || f.e.Trail != tt.trail {
			t.Errorf("%s: %s at %s of %s; want the trail %s of %s", tt.why, effectNames[f.e.Kind], f.e.Trail, f.e.Shard, tt.trail, tt.shard)
		}
	}
}

func TestATrailIsAPageOrJSON(t *testing.T) {
	for _, tt := range []struct{ accept, contentType, begins string }{
		{"text/html", "text/html; charset=utf-8", "<!doctype html>"},
		{"application/json", "application/json", `{"key":"weur-7.`},
	} {
		l := newLoop(t, "SINGLESHOT_ADMIN", "an-operator")
		f := l.begin(testRequest{method: "GET", url: "https://shop.example" + OwnPath + "keys/" + l.key("/orders"),
			headers: Headers{{"Authorization", "Bearer an-operator"}, {"Accept", tt.accept}}})
		e := f.x.Next(&Event{Kind: EventTrail, Now: l.now, Head: appendTrailEntry(nil, &TrailEntry{Kind: TrailClaim, Attempt: 1, At: l.now}), Length: 1})
		if e.Status != 200 || e.Headers.Get("Content-Type") != tt.contentType || !strings.HasPrefix(string(e.Inline), tt.begins) || e.Headers.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d %v %.80s; want 200, %s, not stored", tt.accept, e.Status, e.Headers, e.Inline, tt.contentType)
		}
	}
}

func TestForgettingAKeyForgetsEachOfItsRecords(t *testing.T) { // contract §10
	l := newLoop(t, "SINGLESHOT_ADMIN", "an-operator")
	r := testRequest{method: "DELETE", url: "https://shop.example" + OwnPath + "keys/" + l.key("/orders"), headers: Headers{{"Authorization", "Bearer an-operator"}}}
	var trail []byte
	for i, record := range []byte{1, 2, 1, 3} {
		trail = appendTrailEntry(trail, &TrailEntry{Kind: TrailCommit, Attempt: 1, At: l.now + int64(i), Record: [recordNameSize]byte{record}})
	}
	f := l.begin(r)
	f.next(&Event{Kind: EventTrail, Head: trail, Length: 4})
	var want []string
	for _, record := range []byte{1, 2, 3} {
		want = append(want, nameText(&[recordNameSize]byte{record}))
	}
	if f.e.Kind != DoForget || !slices.Equal(f.e.Forget, want) || f.e.Shard != "weur-7" {
		t.Fatalf("%s %v of %s; want each record once, of weur-7", effectNames[f.e.Kind], f.e.Forget, f.e.Shard)
	}
	if f.next(&Event{Kind: EventForgotten}); f.e.Status != 204 || f.e.Headers.Get("Cache-Control") != "no-store" {
		t.Errorf("answer = %d %v; want 204, not stored", f.e.Status, f.e.Headers)
	}
	for _, event := range []EventKind{EventTrail, EventStoreFailed} { // the second event fails, or the first
		f := l.begin(r)
		f.next(&Event{Kind: event, Head: trail, Length: 4})
		if event == EventTrail {
			f.next(&Event{Kind: EventStoreFailed})
		}
		if f.e.Status != 503 {
			t.Errorf("with a store that fails: %s %d; want 503: nobody knows whether it is forgotten", effectNames[f.e.Kind], f.e.Status)
		}
	}
}
