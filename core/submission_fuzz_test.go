package core

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// outcome is all that a Submission says of a body.
type submissionOutcome struct {
	err      error
	print    Fingerprint
	key      string
	hasKey   bool
	override string
	digests  []FieldDigest
	carried  []Field
	whole    bool
}

func (a submissionOutcome) equal(b submissionOutcome) bool {
	return a.err == b.err && a.print == b.print && a.key == b.key && a.hasKey == b.hasKey && a.override == b.override &&
		slices.Equal(a.digests, b.digests) && slices.Equal(a.carried, b.carried) && a.whole == b.whole
}

// readIn reads a body in pieces that end at the given places. After an error nothing else is compared: how much
// was read before it depends on the pieces.
func readIn(s *Submission, o SubmissionOptions, body []byte, ends ...int) submissionOutcome {
	s.Reset(o)
	from := 0
	for _, end := range append(ends, len(body)) {
		piece := bytes.Clone(body[from:end])
		if _, err := s.Write(piece); err != nil {
			return submissionOutcome{err: err}
		}
		for i := range piece {
			piece[i] = 'X' // Write keeps no reference
		}
		from = end
	}
	if err := s.Close(); err != nil {
		return submissionOutcome{err: err}
	}
	out := submissionOutcome{print: s.Fingerprint(), override: s.Override(), digests: s.Digests()}
	out.key, out.hasKey = s.Key()
	out.carried, out.whole = s.Carry()
	return out
}

// checkPieces checks that it does not matter how a body is cut, and returns what it says.
func checkPieces(t *testing.T, o SubmissionOptions, body []byte, cut uint) submissionOutcome {
	t.Helper()
	var s Submission
	want := readIn(&s, o, body)
	if len(body) > 0 {
		end := int(cut % uint(len(body)))
		if got := readIn(&s, o, body, end); !got.equal(want) {
			t.Errorf("cut at %d: %+v; want %+v", end, got, want)
		}
	}
	if len(body) < 1<<12 {
		ends := make([]int, len(body))
		for i := range ends {
			ends[i] = i
		}
		if got := readIn(&s, o, body, ends...); !got.equal(want) {
			t.Errorf("one byte at a time: %+v; want %+v", got, want)
		}
	}
	return want
}

func FuzzURLEncodedForm(f *testing.F) {
	for _, v := range readVectors(f) {
		if strings.HasPrefix(v.ContentType, urlencodedType) && v.Repeat.Times == 0 {
			f.Add(v.Body+v.Tail, uint(3))
		}
	}
	f.Add("a=%", uint(2))
	f.Add("%4%41=%%41%0d%0D\r\n%0a", uint(5))
	f.Add("a=1;b=2&idempotency_key="+strings.Repeat("k", 256)+"&_method=pAtch", uint(9))
	f.Fuzz(func(t *testing.T, body string, cut uint) {
		o := orderOptions(urlencodedType)
		o.CarryLimit = 1 << 20
		got := checkPieces(t, o, []byte(body), cut)
		if got.err != nil {
			if got.err != ErrTooManyFields {
				t.Fatalf("error = %v; want none", got.err)
			}
			return
		}
		fields := referenceURLEncoded(body)
		if want := referenceFingerprint(o, fields); got.print != want {
			t.Errorf("%q = %x; want %x", body, got.print, want)
		}
		i := slices.IndexFunc(fields, func(f referenceField) bool { return f.name == o.KeyField })
		if i >= 0 && len(oneNewline(string(fields[i].value))) > maxFieldKey {
			i = -1
		}
		if got.hasKey != (i >= 0) || i >= 0 && got.key != oneNewline(string(fields[i].value)) {
			t.Errorf("%q: key = %q, %v; want key: %v", body, got.key, got.hasKey, i >= 0)
		}
		// net/url knows no order of differently named fields, and refuses some of what browsers' servers take.
		values, err := url.ParseQuery(body)
		if err != nil {
			return
		}
		if want := submit(t, o, values.Encode()).Fingerprint(); got.print != want {
			t.Errorf("%q = %x; net/url encodes the same as %q = %x", body, got.print, values.Encode(), want)
		}
		// What is carried is submitted again without the key.
		if got.whole {
			again := url.Values{}
			for _, f := range got.carried {
				again.Add(f.Name, f.Value)
			}
			if want := submit(t, o, again.Encode()).Fingerprint(); got.print != want {
				t.Errorf("%q = %x; what was carried is %q = %x", body, got.print, again.Encode(), want)
			}
		}
	})
}

func FuzzMultipartForm(f *testing.F) {
	for _, v := range readVectors(f) {
		if v.ContentType == multipartType && v.Repeat.Times < 1000 {
			f.Add(v.body(), uint(len(v.Body)/2))
		}
	}
	f.Fuzz(func(t *testing.T, body []byte, cut uint) {
		o := orderOptions(multipartType)
		o.CarryLimit = 100
		got := checkPieces(t, o, body, cut)
		fields, ok := referenceMultipart(body, "B")
		if !ok {
			return
		}
		if got.err != nil {
			t.Fatalf("%q: error = %v; mime/multipart takes it", body, got.err)
		}
		if want := referenceFingerprint(o, fields); got.print != want {
			t.Errorf("%q = %x; want %x of %+v", body, got.print, want, fields)
		}
	})
}

func FuzzSubmission(f *testing.F) {
	for _, v := range readVectors(f) {
		if v.Repeat.Times == 0 {
			f.Add(v.ContentType, v.ContentEncoding, v.body(), uint(7), v.JSONKey, v.HTMX, 20)
		}
	}
	f.Fuzz(func(t *testing.T, contentType, contentEncoding string, body []byte, cut uint, pointer string, htmx bool, carry int) {
		o := SubmissionOptions{Method: "POST", Path: "/", ContentType: contentType, ContentEncoding: contentEncoding, KeyField: "idempotency_key",
			JSONKey: pointer, HTMX: htmx, Ignore: []string{"a", "idempotency_key"}, CarryLimit: carry}
		got := checkPieces(t, o, body, cut)
		if got.err != nil {
			return
		}
		if got.print == (Fingerprint{}) || len(got.digests) > MaxDigests || len(got.key) > maxFieldKey {
			t.Errorf("outcome %+v is out of bounds", got)
		}
		carried := 0
		for _, f := range got.carried {
			carried += len(f.Name) + len(f.Value)
			if f.Name == o.KeyField {
				t.Errorf("Carry() has the key")
			}
		}
		if carried > max(carry, 0) {
			t.Errorf("Carry() has %d bytes; want at most %d", carried, carry)
		}
		if !slices.IsSortedFunc(got.digests, func(a, b FieldDigest) int { return strings.Compare(a.Name, b.Name) }) {
			t.Errorf("Digests() = %v; want them sorted", got.digests)
		}
		if !SameFields(got.digests, got.digests) || Differing(got.digests, got.digests) != nil {
			t.Errorf("Digests() differ from themselves")
		}
	})
}

func FuzzJSONByValue(f *testing.F) {
	for _, v := range readVectors(f) {
		if strings.HasSuffix(v.ContentType, "json") && v.Repeat.Times == 0 {
			f.Add(v.body())
		}
	}
	f.Add([]byte(`{"b":{"d":1,"c":[{},{"y":"\u0000","x":-0.0e+10}]},"a":"\ud83d\ude00"}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		o := orderOptions("application/json")
		got := checkPieces(t, o, body, 1)
		if got.err != nil || len(bytes.TrimSpace(body)) == 0 {
			return
		}
		// encoding/json sorts members, so writing the value anew reorders them; it knows one member of a name.
		d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(body, []byte("\ufeff"))))
		d.UseNumber()
		var value any
		if err := d.Decode(&value); err != nil {
			t.Fatalf("%q: encoding/json error = %v; want none where Close has none", body, err)
		}
		if repeatsName(body) || bytes.Contains(body, []byte(`\u`)) && bytes.ContainsAny(body, "dD") {
			return // encoding/json replaces half surrogates
		}
		again, err := json.MarshalIndent(value, " ", "\t")
		if err != nil {
			t.Fatal(err)
		}
		if want := submit(t, o, string(again)).Fingerprint(); got.print != want {
			t.Errorf("%q = %x; %q = %x; want the same", body, got.print, again, want)
		}
	})
}

// repeatsName reports whether an object of a JSON text has two members of one name.
func repeatsName(text []byte) bool {
	v, err := parseJSON(bytes.TrimPrefix(text, []byte("\ufeff")))
	if err != nil {
		return true
	}
	var repeats func(v jsonValue) bool
	repeats = func(v jsonValue) bool {
		seen := map[string]bool{}
		for _, name := range v.names {
			if seen[name] {
				return true
			}
			seen[name] = true
		}
		return slices.ContainsFunc(v.items, repeats)
	}
	return repeats(v)
}
