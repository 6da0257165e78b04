package core

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestDifferingNamesTheFields(t *testing.T) {
	many := func(n int, last string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "f%03d=1&", i)
		}
		return b.String() + last
	}
	const form, json, text = urlencodedType, "application/json", "text/plain"
	long := strings.Repeat("n", itemInline+1)
	tests := []struct {
		contentType, a, b string
		want              []string
		same              bool
		why               string
	}{
		{form, "a=1&b=2", "b=2&a=1", nil, true, "the same"},
		{form, "a=1&b=2&c=3", "a=1&b=3&d=3", []string{"b", "c", "d"}, false, "changed, gone and new"},
		{form, "a=1&a=2&b=", "a=2&a=1&b=", []string{"a"}, false, "order within a name"},
		{form, "a=1&csrf=1&idempotency_key=1", "csrf=2&a=1", nil, true, "what is left out does not differ"},
		{form, "", "=&%FF=1", []string{""}, false, "an empty name can be named, one that is no text cannot"},
		{form, "%FF=1", "%FF=2", nil, false, "but it differs"},
		{form, "%FF%FF=1", "%FF%FF=2", nil, false, "nothing sorts behind the rest"},
		{form, long + "=1", long + "=2", nil, false, "a name longer than 127 bytes is not named"},
		{form, "a=" + long + "1", "a=" + long + "2", []string{"a"}, false, "values may be"},
		{form, many(64, ""), many(63, "f063=2"), []string{"f063"}, false, "64 names have their places"},
		{form, many(65, ""), many(64, "f064=2"), nil, false, "of more, only the first 63"},
		{form, many(65, "a=1"), many(65, "a=2"), []string{"a"}, false, "they come first by name"},
		{form, many(65, ""), many(2, "f064=1"), manyNames(2, 63), false, "nothing is said of names behind the last one of a part"},
		{multipartType, part("a", "; filename=f", "1") + "--B--", part("a", "", "1") + "--B--", []string{"a"}, false, "a file is no text"},
		{json, `{"a":1,"b":{"c":[1]}}`, `{"b":{"c":[2]},"a":1}`, []string{"b"}, false, "top-level members"},
		{json, `{"a":1,"csrf":1}`, `{ "a" : 1 }`, nil, true, "top-level tokens are left out"},
		{json, `[1]`, `[2]`, nil, false, "an array has no names"},
		{json, `{}`, ``, nil, false, "nothing is not an empty object"},
		{json, `"` + strings.Repeat("x", maxJSON) + `"`, `"` + strings.Repeat("x", maxJSON) + `y"`, nil, false, "a JSON text over 1 MiB has none"},
		{text, "1", "2", nil, false, "neither has another body"},
		{text, "1", "1", nil, true, ""},
	}
	for _, tt := range tests {
		a, b := submit(t, orderOptions(tt.contentType), tt.a), submit(t, orderOptions(tt.contentType), tt.b)
		for _, turn := range [][2][]FieldDigest{{a.Digests(), b.Digests()}, {b.Digests(), a.Digests()}} {
			if got := Differing(turn[0], turn[1]); !slices.Equal(got, tt.want) {
				t.Errorf("Differing of %.30q and %.30q = %q; want %q: %s", tt.a, tt.b, got, tt.want, tt.why)
			}
			if got := SameFields(turn[0], turn[1]); got != tt.same || got != (a.Fingerprint() == b.Fingerprint()) {
				t.Errorf("SameFields of %.30q and %.30q = %v; want %v: %s", tt.a, tt.b, got, tt.same, tt.why)
			}
		}
	}
}

// manyNames are the names of many from one to another.
func manyNames(from, to int) []string {
	var names []string
	for i := from; i < to; i++ {
		names = append(names, fmt.Sprintf("f%03d", i))
	}
	return names
}

// TestDigestsAreTheSameInEveryBuild pins the hash down: a record written at the edge is compared there by
// another build.
func TestDigestsAreTheSameInEveryBuild(t *testing.T) {
	s := submit(t, orderOptions(urlencodedType), "a=1&b=eight+bytes+and+more&c=")
	want := []FieldDigest{{"a", 0xa4ded5534827af99}, {"b", 0xcd2acd0b26b9e4f9}, {"c", 0xf432f98c0d1fb1a}}
	if got := s.Digests(); !slices.Equal(got, want) {
		t.Errorf("Digests() = %#x; want %#x", got, want)
	}
}

func TestOneBitFlipsHalfOfADigest(t *testing.T) {
	p := []byte("tan amount=120.00")
	want := digestFold(digestSeed, p)
	for i := range len(p) * 8 {
		p[i/8] ^= 1 << (i % 8)
		changed := 0
		for d := digestFold(digestSeed, p) ^ want; d != 0; d &= d - 1 {
			changed++
		}
		if changed < 12 {
			t.Errorf("bit %d flipped changes %d bits of the digest; want about 32", i, changed)
		}
		p[i/8] ^= 1 << (i % 8)
	}
}
