package core

import (
	"encoding/base64"
	"testing"
)

func jwtOf(payload string) string {
	return "eyJhbGciOiJIUzI1NiJ9." + base64.RawURLEncoding.EncodeToString([]byte(payload)) + ".c2lnbmF0dXJl"
}

func TestSubjectIsWhoeverTheRuleSays(t *testing.T) {
	h := Headers{
		{"Cookie", "a=1; uid=u=7; empty="},
		{"cookie", `__Host-s="q;uid=late; jwt=` + jwtOf(`{"sub":"cookie user"}`)},
		{"X-User", " alice\t"},
		{"Authorization", "bearer  " + jwtOf(`{"sub":"u 1","n":1.0,"t":true,"e":"","https://x.example/id":"7","sub":"second"}`)},
	}
	tests := []struct {
		source string
		want   string // "" if there is none
		why    string
	}{
		{"visitor", "visitor\x00\x00\x00v1", ""},
		{"cookie:uid", "cookie\x00uid\x00\x00u=7", "the first of that name, and all after the first ="},
		{"cookie:UID", "", "names of cookies have a letter case"},
		{"cookie:empty", "", "an empty value is nobody"},
		{"cookie:none", "", ""},
		{"cookie:__Host-s", "cookie\x00__Host-s\x00\x00\"q", "as it was sent; RFC 9113 §8.2.3: several Cookie lines"},
		{"header:X-User", "header\x00x-user\x00\x00alice", "white space around it is not the value"},
		{"header:x-USER", "header\x00x-user\x00\x00alice", "names of headers have no letter case"},
		{"header:X-None", "", ""},
		{"jwt:cookie:jwt:sub", "jwt\x00jwt\x00sub\x00cookie user", ""},
		{"jwt:bearer:sub", "jwt\x00\x00sub\x00u 1", "the scheme has no letter case (RFC 9110 §11.1)"},
		{"jwt:bearer:n", "jwt\x00\x00n\x001.0", "a number by its exact text"},
		{"jwt:bearer:https://x.example/id", "jwt\x00\x00https://x.example/id\x007", "a claim may be named by a URL"},
		{"jwt:bearer:t", "", "true is nobody"},
		{"jwt:bearer:e", "", ""},
		{"jwt:bearer:none", "", ""},
		{"jwt:cookie:uid:sub", "", "no JWT"},
		{"authorization", "authorization\x00\x00\x00" + h.Get("Authorization"), "the whole value"},
		{"none", "none\x00\x00\x00", "always found"},
	}
	seen := map[string]string{}
	for _, tt := range tests {
		source, ok := parseSubjectSource(tt.source)
		if !ok {
			t.Errorf("parseSubjectSource(%q) refused", tt.source)
			continue
		}
		got, ok := source.Find(h, "v1")
		if got != tt.want || ok != (tt.want != "") {
			t.Errorf("%s: Find = %q, %v; want %q: %s", tt.source, got, ok, tt.want, tt.why)
		}
		if other, ok := seen[got]; ok && got != "" && lowerText(other) != lowerText(tt.source) {
			t.Errorf("%s and %s find the same subject; want different ones", tt.source, other)
		}
		seen[got] = tt.source
	}
}

func TestNoVisitorIsNoSubject(t *testing.T) {
	if got, ok := (SubjectSource{}).Find(nil, ""); got != "" || ok {
		t.Errorf("Find without a visitor = %q, %v; want none", got, ok)
	}
}

func TestBearerSubjectNeedsTheBearerScheme(t *testing.T) {
	source, _ := parseSubjectSource("jwt:bearer:sub")
	for _, value := range []string{"Basic " + jwtOf(`{"sub":"a"}`), jwtOf(`{"sub":"a"}`), "Bearer", "Bearer" + jwtOf(`{"sub":"a"}`), ""} {
		if got, ok := source.Find(Headers{{"Authorization", value}}, "v"); ok {
			t.Errorf("Authorization %q: Find = %q; want none", value, got)
		}
	}
}

// A value that spells out another source must not become it.
func TestSubjectsOfDifferentSourcesNeverMeet(t *testing.T) {
	h := Headers{{"X-A", "x"}, {"Cookie", "X-A=x; x-a=x"}, {"Authorization", "x"}}
	seen := map[string]bool{}
	for _, source := range []string{"visitor", "cookie:X-A", "cookie:x-a", "header:X-A", "authorization", "none"} {
		s, _ := parseSubjectSource(source)
		got, ok := s.Find(h, "x")
		if !ok || seen[got] {
			t.Errorf("%s: Find = %q, %v; want a subject of its own", source, got, ok)
		}
		seen[got] = true
	}
}

func TestUnknownSubjectIsRefused(t *testing.T) {
	for _, text := range []string{"", "Visitor", "cookie", "cookie:", "cookie:a b", "cookie:a=b", "cookie:a;b", "header:", "header:a:b", "jwt", "jwt:sub",
		"jwt:bearer", "jwt:bearer:", "jwt:cookie:s", "jwt:cookie:s:", "jwt:cookie::sub", "jwt:bearer:a\x00b", "none:x", "authorization:x"} {
		if s, ok := parseSubjectSource(text); ok {
			t.Errorf("parseSubjectSource(%q) = %+v; want it refused", text, s)
		}
	}
}

func TestJWTClaimIsReadStrictly(t *testing.T) {
	tests := []struct{ token, want, why string }{
		{jwtOf(`{"sub":"a"}`), "a", ""},
		{`"` + jwtOf(`{"sub":"a"}`) + `"`, "a", "a quoted cookie (RFC 6265 §4.1.1)"},
		{jwtOf(`{"sub":-12345678901234567890}`), "-12345678901234567890", "no digit is lost"},
		{jwtOf(`{"sub":["a"]}`), "", ""},
		{jwtOf(`["sub"]`), "", ""},
		{jwtOf(`{"sub":"a"`), "", "no JSON"},
		{"", "", ""},
		{"a.b", "", "two parts"},
		{jwtOf(`{"sub":"a"}`) + ".x.y", "", "five parts: encrypted (RFC 7516), cannot be read"},
		{"h.eyJzdWIiOiJhIn0=.s", "", "padding is not part of it (RFC 7515 §2)"},
		{"h.eyJzdWIiOiJhIn1.s", "", "bits that are left over must be zero"},
		{"h.eyJzdWIiOiJhIn0.s", "a", "as they are here"},
		{"h.e.s", "", "six bits are no byte"},
		{"h.eyJ+.s", "", "base64url has - and _"},
	}
	for _, tt := range tests {
		if got := jwtClaim(tt.token, "sub"); got != tt.want {
			t.Errorf("jwtClaim(%q) = %q; want %q: %s", tt.token, got, tt.want, tt.why)
		}
	}
}

func FuzzDecodeBase64URL(f *testing.F) {
	for _, s := range []string{"", "A", "AA", "AB", "AAA", "-_-_", "AA==", "A\nA"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, ok := decodeBase64URL(s)
		want, err := base64.RawURLEncoding.Strict().DecodeString(s)
		for i := 0; i < len(s); i++ {
			if s[i] == '\n' || s[i] == '\r' {
				return // which encoding/base64 skips
			}
		}
		if ok != (err == nil) || ok && string(got) != string(want) {
			t.Fatalf("decodeBase64URL(%q) = %q, %v; encoding/base64 says %q, %v", s, got, ok, want, err)
		}
	})
}

func TestCookieIsFound(t *testing.T) {
	tests := []struct {
		lines []string
		want  string
		ok    bool
		why   string
	}{
		{[]string{"a=1"}, "1", true, ""},
		{[]string{"b=2;a=1"}, "1", true, "the space after ; may be missing"},
		{[]string{"b=2; \ta = 1 "}, "1", true, "white space is trimmed (RFC 6265 §5.2)"},
		{[]string{"b=2", "a=1"}, "1", true, "HTTP/2 may send several lines"},
		{[]string{"a=1; a=2"}, "1", true, "the more specific path comes first (RFC 6265 §5.4)"},
		{[]string{"a="}, "", true, "there, and empty"},
		{[]string{"a"}, "", false, "no value at all"},
		{[]string{"aa=1; xa=2; A=3"}, "", false, "the whole name, with its letter case"},
		{[]string{"b=a=1"}, "", false, "a value is no name"},
		{[]string{";;=;a=1"}, "1", true, "what is broken is skipped"},
		{[]string{`a="x y"`}, `"x y"`, true, "as it was sent"},
		{nil, "", false, ""},
	}
	for _, tt := range tests {
		h := Headers{{"Accept", "a=9"}}
		for _, line := range tt.lines {
			h = append(h, Header{"cOOkie", line})
		}
		if got, ok := cookieValue(h, "a"); got != tt.want || ok != tt.ok {
			t.Errorf("cookieValue(%q) = %q, %v; want %q, %v: %s", tt.lines, got, ok, tt.want, tt.ok, tt.why)
		}
	}
}
