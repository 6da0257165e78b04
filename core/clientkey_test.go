package core

import (
	"strings"
	"testing"
)

func TestHeaderKeyIsQuotedOrBare(t *testing.T) {
	const key = "8e03978e-40d5-43e8-bc93-6894a57f9324"
	tests := []struct{ in, want, why string }{
		{key, key, "bare"},
		{`"` + key + `"`, key, "a structured-field string is the same key"},
		{" \"" + key + "\"\t", key, "white space around the value"},
		{"ABCDEFGHIJKLMNO_", "ABCDEFGHIJKLMNO_", "16 characters"},
		{strings.Repeat("a", 128), strings.Repeat("a", 128), "128 characters"},
		{strings.Repeat("a", 15), "", "\"16 to 128 characters\""},
		{`"` + strings.Repeat("a", 14) + `"`, "", "quotes do not count"},
		{strings.Repeat("a", 129), "", ""},
		{"", "", ""},
		{`"`, "", ""},
		{`""`, "", ""},
		{`"` + key, "", "one quote"},
		{key + `"`, "", ""},
		{`"` + key + `";v=1`, "", "parameters"},
		{`"` + key + `", "` + key + `"`, "", "a list: two lines of the header, joined"},
		{`"` + key + `\""`, "", "an escape can only stand for what is no character of a key"},
		{"aaaaaaaaaaaaaaaa.", "", "\"A-Za-z0-9-_\""},
		{"aaaaaaaa aaaaaaaa", "", ""},
		{"aaaaaaaaaaaaaaaaé", "", ""},
	}
	for _, tt := range tests {
		if got, ok := sfString(tt.in); got != tt.want || ok != (tt.want != "") {
			t.Errorf("sfString(%q) = %q, %v; want %q: %s", tt.in, got, ok, tt.want, tt.why)
		}
	}
}

func TestClientKeyTellsMissingFromMalformed(t *testing.T) {
	const key = "aaaaaaaaaaaaaaaa"
	tests := []struct {
		lines    []string
		key      string
		sent, ok bool
		why      string
	}{
		{nil, "", false, false, "\"Missing while required: 400\""},
		{[]string{"short"}, "", true, false, "\"not of that form: 400\""},
		{[]string{""}, "", true, false, ""},
		{[]string{key}, key, true, true, ""},
		{[]string{key, key}, "", true, false, "which one would the origin take?"},
	}
	for _, tt := range tests {
		h := Headers{{"Accept", "*/*"}}
		for _, line := range tt.lines {
			h = append(h, Header{"idempotency-key", line})
		}
		if got, sent, ok := clientKey(h); got != tt.key || sent != tt.sent || ok != tt.ok {
			t.Errorf("clientKey(%q) = %q, %v, %v; want %q, %v, %v: %s", tt.lines, got, sent, ok, tt.key, tt.sent, tt.ok, tt.why)
		}
	}
}

func TestEventIDIsWhatTheSenderSays(t *testing.T) {
	tests := []struct{ in, want, why string }{
		{"msg_2KWPBgLlAfxdpx2AI54pPJ85f4W", "msg_2KWPBgLlAfxdpx2AI54pPJ85f4W", "prefixed"},
		{"72d3162e-cc78-11e3-81ab-4c9367dc0958", "72d3162e-cc78-11e3-81ab-4c9367dc0958", "a UUID"},
		{"7", "7", "short ids are ids"},
		{"https://example.com/events/7?a=b c", "https://example.com/events/7?a=b c", "a URL"},
		{"注文-7", "注文-7", ""},
		{" 7 ", "7", "white space around it"},
		{strings.Repeat("7", 256), strings.Repeat("7", 256), ""},
		{strings.Repeat("7", 257), "", "a longer id is not shortened"},
		{"", "", ""},
		{"  ", "", ""},
		{"a\nb", "", "control characters"},
		{"a\x7f", "", ""},
	}
	for _, tt := range tests {
		if got, ok := eventID(tt.in); got != tt.want || ok != (tt.want != "") {
			t.Errorf("eventID(%q) = %q, %v; want %q: %s", tt.in, got, ok, tt.want, tt.why)
		}
	}
}

func TestEventIDInABody(t *testing.T) { // contract §2, json:/pointer
	body := `{"event": {"id": "evt_7", "seq": 1.0, "list": ["x"], "null": null, "id": "second", "ctl": "a\u0001", "long": "` + strings.Repeat("7", 257) + `"}}`
	tests := []struct {
		pointer, body, key string // what the origin gets
		status             int
		why                string
	}{
		{"/event/id", body, `"evt_7"`, 200, "the first, if repeated"},
		{"/event/seq", body, `"1.0"`, 200, "a number by its exact text"},
		{"/event/list/0", body, `"x"`, 200, ""},
		{"/event/list", body, "", 400, "required, and a list is no id"},
		{"/event/null", body, "", 400, "nor is null"},
		{"/event/long", body, "", 400, "too long"},
		{"/event/ctl", body, "", 400, "a control character"},
		{"/id", body, "", 400, "missing"},
		{"/event/id", `{"event":{"id":"evt_7"}`, "", 400, "a broken body"},
	}
	for _, tt := range tests {
		l := newLoop(t, "RULES", `[{"match":"/**","key":"json:`+tt.pointer+`","required":true}]`)
		key := ""
		l.origin = func(r *testRequest) testAnswer {
			key = r.headers.Get("Idempotency-Key")
			return testAnswer{status: 200}
		}
		got := l.send(testRequest{method: "POST", headers: Headers{{"Content-Type", "application/json"}}, body: []byte(tt.body)})
		if got.status != tt.status || key != tt.key {
			t.Errorf("%s in %s = %d, key %s; want %d, %s: %s", tt.pointer, tt.body, got.status, key, tt.status, tt.key, tt.why)
		}
	}
}

func TestOriginKeyIsCountedInCharacters(t *testing.T) {
	tests := []struct {
		in   string
		want bool
		why  string
	}{
		{strings.Repeat("a", 15), false, "\"16 to 128 characters\""},
		{strings.Repeat("a", 16), true, ""},
		{strings.Repeat("鍵", 128), true, "characters, not bytes"},
		{strings.Repeat("a", 129), false, "\"other lengths count as no key\""},
		{"a key of/any=kind+", true, "nothing is said of what they are"},
	}
	for _, tt := range tests {
		if got := isOriginKey(tt.in); got != tt.want {
			t.Errorf("isOriginKey(%q) = %v; want %v: %s", tt.in, got, tt.want, tt.why)
		}
	}
}

func FuzzHeaderKey(f *testing.F) {
	for _, s := range []string{`"aaaaaaaaaaaaaaaa"`, "aaaaaaaaaaaaaaaa", `"`, ` "" `, `"a\"b"`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, value string) {
		key, ok := sfString(value)
		if !ok {
			return
		}
		for _, again := range []string{key, `"` + key + `"`} {
			if got, ok := sfString(again); got != key || !ok {
				t.Fatalf("sfString(%q) = %q, %v; want %q", again, got, ok, key)
			}
		}
		if !strings.Contains(value, key) || len(key) < 16 || len(key) > 128 {
			t.Fatalf("sfString(%q) = %q", value, key)
		}
	})
}
