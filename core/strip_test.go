package core

import "testing"

func TestStripTakesOutTheKeyAndNothingElse(t *testing.T) {
	const parts = "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n"
	const key = "--b\r\nContent-Disposition: form-data; name=\"idempotency_key\"\r\n\r\nik_x\r\n"
	for _, tt := range []struct {
		why, contentType, body, want string
	}{
		{"first", "application/x-www-form-urlencoded", "idempotency_key=ik_x&a=1&b=2", "a=1&b=2"},
		{"in the middle", "application/x-www-form-urlencoded", "a=1&idempotency_key=ik_x&b=2", "a=1&b=2"},
		{"last", "application/x-www-form-urlencoded", "a=1&idempotency_key=ik_x", "a=1"},
		{"alone", "application/x-www-form-urlencoded", "idempotency_key=ik_x", ""},
		{"repeated, and encoded", "application/x-www-form-urlencoded", "idempotency_key=x&a=%zz&idempotency%5Fkey=y", "a=%zz"},
		{"a name that only begins the same", "application/x-www-form-urlencoded", "idempotency_keys=x", "idempotency_keys=x"},
		{"a value that looks like it", "application/x-www-form-urlencoded", "a=idempotency_key", "a=idempotency_key"},
		{"a part", "multipart/form-data; boundary=b", key + parts + "--b--\r\n", parts + "--b--\r\n"},
		{"the last part", "multipart/form-data; boundary=b", parts + key + "--b--\r\n", parts + "--b--\r\n"},
		{"a preamble stays", "multipart/form-data; boundary=b", "x\r\n" + key + parts + "--b--", "x\r\n" + parts + "--b--"},
		{"a file of that name stays", "multipart/form-data; boundary=b",
			"--b\r\nContent-Disposition: form-data; name=\"idempotency_key\"; filename=\"f\"\r\n\r\n1\r\n--b--", "--b\r\nContent-Disposition: form-data; name=\"idempotency_key\"; filename=\"f\"\r\n\r\n1\r\n--b--"},
		{"the first member", "application/json", `{"idempotency_key":"ik_x", "a":[1,{"idempotency_key":2}]}`, `{ "a":[1,{"idempotency_key":2}]}`},
		{"the last member", "application/json", `{"a":1,"idempotency_key":"ik_x"}`, `{"a":1}`},
		{"the only member", "application/json", `{"idempotency_key":"ik_x"}`, `{}`},
		{"no object", "application/json", `["idempotency_key"]`, `["idempotency_key"]`},
		{"any other body", "text/plain", "idempotency_key=1", "idempotency_key=1"},
	} {
		if got := string(stripKey(nil, []byte(tt.body), tt.contentType)); got != tt.want {
			t.Errorf("%s: stripped = %q; want %q", tt.why, got, tt.want)
		}
	}
}

// FuzzStrip takes the submission for its oracle: what was stripped has the same fingerprint, and no key.
func FuzzStrip(f *testing.F) {
	f.Add([]byte("a=1&idempotency_key=x&b=2"), "application/x-www-form-urlencoded")
	f.Add([]byte("--b\r\nContent-Disposition: form-data; name=\"idempotency_key\"\r\n\r\nik_x\r\n--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--b--\r\n"), "multipart/form-data; boundary=b")
	f.Add([]byte("--b\nContent-Disposition: form-data; name=\"idempotency_key\"\n\nik_x\n--b--\n"), "multipart/form-data; boundary=b")
	f.Add([]byte(`{"idempotency_key":1,"a":2}`), "application/json")
	read := func(body []byte, value string) (*Submission, error) {
		s := new(Submission)
		s.Reset(SubmissionOptions{Method: "POST", Path: "/", ContentType: value, KeyField: KeyFieldName, HTMX: true})
		_, _ = s.Write(body)
		return s, s.Close()
	}
	f.Fuzz(func(t *testing.T, body []byte, value string) {
		before, err := read(body, value)
		if err != nil {
			return
		}
		stripped := stripKey(nil, body, value)
		after, err := read(stripped, value)
		if err != nil || after.Fingerprint() != before.Fingerprint() {
			t.Fatalf("stripped = %q, %v; want the same submission", stripped, err)
		}
		if _, found := after.Key(); found && before.body != bodyBytes {
			t.Fatalf("stripped = %q; want it without the key", stripped)
		}
	})
}
