package core

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

func TestTrailPolicyAllowsTheStyle(t *testing.T) {
	sum := sha256.Sum256([]byte(trailStyle))
	if want := "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(TrailPolicy, want) {
		t.Errorf("TrailPolicy = %s; want %s in it", TrailPolicy, want)
	}
}

var trailStory = Trail{Digest: "weur-7.FL2C7qpV4_R0ndnJWD6YDU1_MTtatyal", Count: 40, Entries: []TrailEntry{
	{Kind: TrailClaim, Attempt: 1, At: 1_800_000_000_000, Trigger: 1, Client: 1},
	{Kind: TrailCommit, Attempt: 1, Status: 303, At: 1_800_000_000_400, Trigger: 1, Client: 1},
	{Kind: TrailWait, Attempt: 1, At: 1_800_000_000_100, Trigger: 1, Client: 2},
	{Kind: TrailReplay, Attempt: 1, Status: 303, At: 1_800_000_000_410, Trigger: 1, Client: 2},
	{Kind: TrailMismatch, Attempt: 1, Status: 422, At: 1_800_000_060_000, Trigger: 2, Client: 3},
}}

func TestTrailEntryDecodesToWhatWasEncoded(t *testing.T) {
	for _, want := range trailStory.Entries {
		want.Record = [recordNameSize]byte{1, 2, 255}
		b := appendTrailEntry(nil, &want)
		if got := decodeTrail(append(b, 0, 1, 2)); len(b) != TrailEntrySize || !reflect.DeepEqual(got, []TrailEntry{want}) {
			t.Errorf("decodeTrail = %+v; want %+v", got, want)
		}
	}
}

func TestTrailIsReadInTheOrderOfItsTimes(t *testing.T) {
	var b []byte
	for _, at := range []int64{5, 7, 6, 5, 9} { // a note beside an answer comes after the commit that followed it
		b = appendTrailEntry(b, &TrailEntry{Kind: TrailReplay, At: at, Client: len(b) / TrailEntrySize})
	}
	var got []int
	for _, e := range decodeTrail(b) {
		got = append(got, e.Client)
	}
	if want := []int{0, 3, 2, 1, 4}; !reflect.DeepEqual(got, want) {
		t.Errorf("entries = %v; want %v: by time, equal times as they came", got, want)
	}
}

func TestTrailReadsAClaimOnceHoweverOftenItIsTold(t *testing.T) {
	own := TrailEntry{Kind: TrailClaim, Attempt: 1, At: 5, Trigger: 1, Client: 1}
	found := TrailEntry{Kind: TrailClaim, Attempt: 1, At: 5}
	wait := TrailEntry{Kind: TrailWait, Attempt: 1, At: 5}
	second, elsewhere := found, found
	second.Attempt, elsewhere.Record = 2, [recordNameSize]byte{1}
	for _, tt := range []struct {
		why        string
		told, want []TrailEntry
	}{
		{"two found it", []TrailEntry{found, found}, []TrailEntry{found}},
		{"its holder was only late, and knows what was pressed", []TrailEntry{found, own}, []TrailEntry{own}},
		{"the same, heard of the other way round", []TrailEntry{own, found}, []TrailEntry{own}},
		{"each wait is one, in the same millisecond too", []TrailEntry{wait, wait}, []TrailEntry{wait, wait}},
		{"another run, another record", []TrailEntry{found, second, elsewhere}, []TrailEntry{found, second, elsewhere}},
	} {
		var b []byte
		for i := range tt.told {
			b = appendTrailEntry(b, &tt.told[i])
		}
		if got := decodeTrail(b); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %+v; want %+v", tt.why, got, tt.want)
		}
	}
}

func TestTrailCountsAClaimOnce(t *testing.T) {
	l := newLoop(t, "SINGLESHOT_ADMIN", "an-operator")
	x, _ := l.guard.Begin(&Request{Method: "GET", URL: "https://shop.example" + OwnPath + "keys/" + l.key("/orders"),
		Headers: Headers{{"Authorization", "Bearer an-operator"}, {"Accept", "application/json"}}}, l.now, [32]byte{1})
	claim := appendTrailEntry(nil, &TrailEntry{Kind: TrailClaim, Attempt: 1, At: l.now})
	e := x.Next(&Event{Kind: EventTrail, Now: l.now, Head: append(claim, claim...), Length: 42})
	if !strings.Contains(string(e.Inline), `"count":41,`) {
		t.Errorf("trail = %s; want 41 entries ever: of 42, one was told twice", e.Inline)
	}
}

func TestTrailSummary(t *testing.T) {
	entry := func(k TrailKind, attempt, client int) TrailEntry {
		return TrailEntry{Kind: k, Attempt: attempt, Client: client}
	}
	refused := TrailEntry{Kind: TrailRelease, Attempt: 1, Client: 1, Status: 422}
	for _, tt := range []struct {
		why     string
		entries []TrailEntry
		en, ja  string
	}{
		{"nothing repeated", []TrailEntry{entry(TrailClaim, 1, 0), entry(TrailCommit, 1, 0)}, "one request", "リクエスト 1 件"},
		{"nobody told what a person did", []TrailEntry{entry(TrailClaim, 1, 0), entry(TrailReplay, 1, 0)}, "two requests", "リクエスト 2 件"},
		{"two presses", []TrailEntry{entry(TrailClaim, 1, 1), entry(TrailWait, 1, 2), entry(TrailReplay, 1, 2)}, "two clicks", "クリック 2 回"},
		{"one press arrived twice", []TrailEntry{entry(TrailClaim, 1, 1), entry(TrailReplay, 1, 1)}, "one click, sent twice", "クリック 1 回が 2 回届きました"},
		{"the origin ran again, and nobody knows what came of it before", []TrailEntry{entry(TrailClaim, 1, 1), entry(TrailUnknown, 1, 1), entry(TrailClaim, 2, 1)}, "the origin ran twice", "アプリケーションが 2 回実行されました"},
		{"the same after a takeover", []TrailEntry{entry(TrailClaim, 1, 1), entry(TrailTakeover, 2, 1), entry(TrailCommit, 2, 1)}, "the origin ran twice", "アプリケーションが 2 回実行されました"},
		{"a validation, and the corrected form", []TrailEntry{entry(TrailClaim, 1, 1), refused, entry(TrailClaim, 2, 1)},
			"the origin ran twice, and had refused before", "アプリケーションが 2 回実行されました。前の回は受け付けられていません"},
		{"it was away first, and did not run", []TrailEntry{entry(TrailClaim, 1, 1), entry(TrailRelease, 1, 1), entry(TrailClaim, 2, 2), entry(TrailCommit, 2, 2)},
			"two clicks", "クリック 2 回"},
		{"it was away, refused, and ran", []TrailEntry{entry(TrailClaim, 1, 1), entry(TrailRelease, 1, 1), entry(TrailClaim, 2, 1), refused, entry(TrailClaim, 3, 1)},
			"the origin ran twice, and had refused before", "アプリケーションが 2 回実行されました。前の回は受け付けられていません"},
	} {
		tr := Trail{Entries: tt.entries}
		what, n := tr.summary()
		if en, ja := string(what.appendText(nil, English, n)), string(what.appendText(nil, Japanese, n)); en != tt.en || ja != tt.ja {
			t.Errorf("%s: summary = %q, %q; want %q, %q", tt.why, en, ja, tt.en, tt.ja)
		}
	}
}

func TestTrailAsPageAndJSON(t *testing.T) {
	for _, l := range []Language{English, Japanese} {
		page := trailStory.appendPage(nil, l)
		golden(t, "trail."+l.String()+".html", page)
		tree, err := html.Parse(strings.NewReader(string(page)))
		if err != nil || tree == nil {
			t.Errorf("page does not parse: %v", err)
		}
	}
	text := trailStory.appendJSON(nil)
	golden(t, "trail.json", text)
	if !json.Valid(text) {
		t.Errorf("JSON is not valid: %s", text)
	}
}

func TestParseClient(t *testing.T) {
	for _, tt := range []struct {
		why, value string
		client     int
		trigger    string
	}{
		{"as the module sends it", "attempt=2; trigger=click", 2, "click"},
		{"the other order", "trigger=enter;attempt=1", 1, "enter"},
		{"nothing", "", 0, ""},
		{"words it does not know", "attempt=x; trigger=gaze; colour=red", 0, ""},
		{"out of range", "attempt=1000", 0, ""},
	} {
		if client, trigger := parseClient(tt.value); client != tt.client || trigger.String() != tt.trigger {
			t.Errorf("%s: parseClient = %d, %s; want %d, %s", tt.why, client, trigger, tt.client, tt.trigger)
		}
	}
}
