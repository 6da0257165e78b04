package edge

import (
	"reflect"
	"testing"
	"time"

	"github.com/singleshot-edge/singleshot/core"
)

func TestARuleInGoIsTheRuleInText(t *testing.T) { // contract §8
	off, on := false, true
	for _, tt := range []struct {
		why  string
		rule Rule
		text string
	}{
		{"what is not said has the default", Rule{Match: "/**"}, `{"match":"/**"}`},
		{"words", Rule{Match: "/a", Key: "field", Subject: "cookie:uid", Mint: "origin", Unknown: "hold"},
			`{"match":"/a","key":"field","subject":"cookie:uid","mint":"origin","unknown":"hold"}`},
		{"lists", Rule{Match: "/a", Methods: []string{"PUT"}, Ignore: []string{"b"}, Redisplay: []string{"c"}, ReleaseRedirects: []string{"/d"}, ReplayHeaders: []string{"X-E"}},
			`{"match":"/a","methods":["PUT"],"ignore":["b"],"redisplay":["c"],"release_redirects":["/d"],"replay_headers":["X-E"]}`},
		{"times", Rule{Match: "/a", TTL: time.Hour, Lease: time.Minute, Wait: 5 * time.Second}, `{"match":"/a","ttl":3600,"lease":60,"wait":5}`},
		{"nobody waits", Rule{Match: "/a", Wait: -1}, `{"match":"/a","wait":0}`},
		{"bounds", Rule{Match: "/a", MaxBody: 1000, MaxAnswer: 2000}, `{"match":"/a","max_body":1000,"max_answer":2000}`},
		{"nothing is kept", Rule{Match: "/a", MaxAnswer: -1}, `{"match":"/a","max_answer":0}`},
		{"truths", Rule{Match: "/a", Required: true, Strip: true, Compare: &off}, `{"match":"/a","required":true,"strip":true,"compare":false}`},
		{"a webhook that is compared", Rule{Match: "/a", Key: "header:X-Event", Compare: &on}, `{"match":"/a","key":"header:X-Event","compare":true}`},
	} {
		want, err := core.ParseRules([]byte("[" + tt.text + "]"))
		if err != nil {
			t.Fatalf("%s: %v", tt.why, err)
		}
		if got, err := core.ParseRules([]byte(rulesText([]Rule{tt.rule}))); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v; want %+v", tt.why, got, err, want)
		}
	}
}
