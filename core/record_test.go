package core

import (
	"bytes"
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

func drawRecord(t *rapid.T) Record {
	r := Record{
		State:   State(rapid.IntRange(int(Claimed), int(Released)).Draw(t, "state")),
		Body:    BodyPlace(rapid.IntRange(0, int(BodyLost)).Draw(t, "body")),
		Attempt: rapid.IntRange(0, 1<<30).Draw(t, "attempt"),
		Claimed: rapid.Int64Range(0, 1<<60).Draw(t, "claimed"),
		Settled: rapid.Int64Range(0, 1<<60).Draw(t, "settled"),
		Length:  rapid.Int64Range(0, 1<<60).Draw(t, "length"),
		Status:  rapid.IntRange(0, 999).Draw(t, "status"),
		Known:   rapid.Bool().Draw(t, "known"),
		Unknown: rapid.Bool().Draw(t, "unknown"),
		HTMX:    rapid.Bool().Draw(t, "htmx"),
	}
	if r.Known {
		copy(r.Fingerprint[:], rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "fingerprint"))
	}
	for range rapid.IntRange(0, 5).Draw(t, "digests") {
		r.Digests = append(r.Digests, FieldDigest{rapid.String().Draw(t, "name"), rapid.Uint64().Draw(t, "digest")})
	}
	for range rapid.IntRange(0, 5).Draw(t, "headers") {
		r.Headers = append(r.Headers, Header{rapid.String().Draw(t, "header"), rapid.String().Draw(t, "value")})
	}
	return r
}

func TestRecordDecodesToWhatWasEncoded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want, used := drawRecord(t), drawRecord(t)
		got, err := decodeRecord(appendRecord(nil, &want), &used)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("decodeRecord = %+v, %v; want %+v", got, err, want)
		}
	})
}

func TestARecordThatIsNotWholeIsNone(t *testing.T) {
	whole := appendRecord(nil, &Record{State: Committed, Attempt: 300, Claimed: 1_800_000_000_000, Settled: 1_800_000_000_500, Known: true,
		Status: 303, Headers: Headers{{"Location", "/orders/1"}}, Digests: []FieldDigest{{"amount", 7}}})
	if _, err := decodeRecord(whole, new(Record)); err != nil {
		t.Fatal(err)
	}
	for n := range whole {
		if r, err := decodeRecord(whole[:n], new(Record)); err == nil {
			t.Fatalf("the first %d of %d bytes = %+v; want an error", n, len(whole), r)
		}
	}
	changed := func(at int, to byte) []byte {
		b := bytes.Clone(whole)
		b[at] = to
		return b
	}
	for _, tt := range []struct {
		why string
		b   []byte
	}{
		{"something follows", append(bytes.Clone(whole), 0)},
		{"absent is never stored", changed(0, byte(Absent))},
		{"a state that does not exist", changed(0, byte(Released)+1)},
		{"a flag that does not exist", changed(1, recordFlags+1)},
		{"a place that does not exist", changed(2, byte(BodyLost)+1)},
		{"more parts than there are bytes", []byte{byte(Committed), 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0x3f}},
	} {
		if r, err := decodeRecord(tt.b, new(Record)); err == nil {
			t.Errorf("%s: %+v; want an error", tt.why, r)
		}
	}
}

// FuzzRecord holds that there is exactly one encoding: whatever is accepted encodes to the same bytes.
func FuzzRecord(f *testing.F) {
	f.Add(appendRecord(nil, &Record{State: Claimed, Attempt: 1, Claimed: 1_800_000_000_000}))
	f.Add(appendRecord(nil, &Record{State: Committed, Known: true, Status: 303, Headers: Headers{{"Location", "/orders/1"}}, Digests: []FieldDigest{{"amount", 7}}}))
	f.Add([]byte{1, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := decodeRecord(b, new(Record))
		if err == nil && !bytes.Equal(appendRecord(nil, &r), b) {
			t.Fatalf("decodeRecord accepts a second encoding of %+v", r)
		}
	})
}

func TestSealedBytesOpenOnlyAsTheyWere(t *testing.T) {
	root := scopeRoot{1}
	secret, previous := newSealSecret(keySecret), newSealSecret(bytes.Repeat([]byte("p"), 32))
	v := Version{9}
	seal := newSealer(&secret, &root, v)
	record := Record{State: Claimed, Attempt: 3}
	head := seal.head(nil, &record)
	frames := [][]byte{
		seal.seal(nil, bytes.Repeat([]byte("a"), FrameSize), false),
		seal.seal(nil, bytes.Repeat([]byte("a"), FrameSize), false),
		seal.seal(nil, []byte("rest"), true),
	}

	plain, opened, err := openHead(nil, head, &root, previous, secret)
	if err != nil || !bytes.Equal(plain, appendRecord(nil, &record)) || opened.v != v {
		t.Fatalf("openHead = %q, %v; want the record", plain, err)
	}
	var body []byte
	for i, frame := range frames {
		if body, err = opened.open(body, frame, i == 2); err != nil {
			t.Fatal(err)
		}
	}
	if len(body) != 2*FrameSize+4 || bytes.Equal(frames[0], frames[1]) {
		t.Fatalf("body = %d bytes; want %d, and frames that do not show that they are equal", len(body), 2*FrameSize+4)
	}

	for i := range head {
		changed := bytes.Clone(head)
		changed[i] ^= 1
		if _, _, err := openHead(nil, changed, &root, secret); err != ErrSealed {
			t.Errorf("openHead with byte %d changed = %v; want ErrSealed", i, err)
		}
		if _, _, err := openHead(nil, head[:i], &root, secret); err != ErrSealed {
			t.Errorf("openHead of %d bytes = %v; want ErrSealed", i, err)
		}
	}
	other := scopeRoot{2}
	for _, tt := range []struct {
		why    string
		head   []byte
		root   *scopeRoot
		secret sealSecret
	}{
		{"another record", head, &other, secret},
		{"another secret", head, &root, previous},
		{"bytes after it", append(bytes.Clone(head), 0), &root, secret},
	} {
		if _, _, err := openHead(nil, tt.head, tt.root, tt.secret); err != ErrSealed {
			t.Errorf("%s: openHead = %v; want ErrSealed", tt.why, err)
		}
	}
	for _, tt := range []struct {
		why    string
		frames []int
		last   int
	}{
		{"the last frame is missing", []int{0, 1}, 1},
		{"frames in another order", []int{1, 0, 2}, 2},
		{"a frame twice", []int{0, 0, 2}, 2},
		{"a frame left out", []int{0, 2}, 1},
		{"a frame after the last", []int{0, 1, 2, 2}, 3},
	} {
		_, s, _ := openHead(nil, head, &root, secret)
		var err error
		for i, n := range tt.frames {
			if _, e := s.open(nil, frames[n], i == tt.last || n == 2); e != nil {
				err = e
			}
		}
		if err != ErrSealed {
			t.Errorf("%s: open = %v; want ErrSealed", tt.why, err)
		}
	}
}

func FuzzOpenHead(f *testing.F) {
	root := scopeRoot{1}
	secret := newSealSecret(keySecret)
	s := newSealer(&secret, &root, Version{9})
	head := s.head(nil, &Record{State: Claimed})
	f.Add(head)
	f.Add(head[:20])
	f.Fuzz(func(t *testing.T, b []byte) {
		_, _, _ = SplitStored(b)
		if _, _, err := openHead(nil, b, &root, secret); err == nil && !bytes.Equal(b, head) {
			t.Fatal("openHead accepts bytes that were not sealed here")
		}
	})
}
