package core

import (
	"errors"
	"strings"
	"testing"
)

const (
	urlencodedType = "application/x-www-form-urlencoded"
	multipartType  = "multipart/form-data; boundary=B"
)

// orderOptions are those of a form post, as the guard sets them.
func orderOptions(contentType string) SubmissionOptions {
	return SubmissionOptions{Method: "POST", Path: "/orders", ContentType: contentType, KeyField: "idempotency_key"}
}

// submit reads a body in one piece.
func submit(t testing.TB, o SubmissionOptions, body string) *Submission {
	t.Helper()
	var s Submission
	s.Reset(o)
	if _, err := s.Write([]byte(body)); err != nil {
		t.Fatalf("Write(%.60q) error = %v; want none", body, err)
	}
	if err := s.Close(); err != nil {
		t.Fatalf("Close after %.60q error = %v; want none", body, err)
	}
	return &s
}

// part is one part of a multipart body with boundary B, up to the next delimiter.
func part(name, rest, content string) string {
	return "--B\r\nContent-Disposition: form-data; name=\"" + name + "\"" + rest + "\r\n\r\n" + content + "\r\n"
}

func TestUrlencodedAndMultipartAreOneForm(t *testing.T) {
	a := submit(t, orderOptions(urlencodedType), "a=1&b=2+3&c=%0D%0Ax&idempotency_key=k1&c=y")
	b := submit(t, orderOptions(multipartType), part("b", "", "2 3")+part("c", "", "\nx")+part("c", "", "y")+part("a", "", "1")+"--B--\r\n")
	if a.Fingerprint() != b.Fingerprint() || a.Fingerprint() == (Fingerprint{}) {
		t.Errorf("urlencoded = %x, multipart = %x; want one fingerprint", a.Fingerprint(), b.Fingerprint())
	}
	if key, ok := a.Key(); key != "k1" || !ok {
		t.Errorf("Key() = %q, %v; want k1", key, ok)
	}
	if key, ok := b.Key(); ok {
		t.Errorf("Key() = %q, true; want none", key)
	}
}

func TestMalformedBodyIsRefused(t *testing.T) {
	whole := part("a", "", "1") + "--B--\r\n"
	tests := []struct{ contentType, body, why string }{
		{"multipart/form-data", whole, "no boundary parameter"},
		{"multipart/form-data; boundary=", whole, "an empty boundary"},
		{"multipart/form-data; boundary=\"a\x01b\"", whole, "a control character in the boundary"},
		{"multipart/form-data; boundary=" + strings.Repeat("b", 257), whole, "a boundary longer than 256 bytes"},
		{multipartType, "", "nothing at all"},
		{multipartType, "a=1&b=2", "no first delimiter"},
		{multipartType, "x--B--\r\n", "a delimiter inside a line"},
		{multipartType, part("a", "", "1"), "no last delimiter"},
		{multipartType, whole[:len(whole)-3], "one dash short of the last delimiter"},
		{multipartType, "--B\r\nContent-Disposition: form-data; name=a\r\n", "the end in a part's header lines"},
		{multipartType, part("a", "", "1") + "--B \r\r\n--B--", "white space and then no line end behind a delimiter"},
		{multipartType, part("a", "\r\nX: "+strings.Repeat("x", 16<<10), "1") + "--B--", "16 KiB of header lines"},
		{"application/json", "{", "JSON cut short"},
		{"application/json", "{} {}", "two values"},
		{"application/vnd.api+json", "[1,]", "not JSON"},
	}
	for _, tt := range tests {
		var s Submission
		s.Reset(orderOptions(tt.contentType))
		_, err := s.Write([]byte(tt.body))
		if err2 := s.Close(); err != nil && err2 != err {
			t.Errorf("%s: Close error = %v after Write error %v; want the same", tt.why, err2, err)
		} else {
			err = err2
		}
		if err != ErrBody {
			t.Errorf("%s: error = %v; want ErrBody", tt.why, err)
		}
		if got := s.Fingerprint(); got != (Fingerprint{}) {
			t.Errorf("%s: Fingerprint() = %x; want zero", tt.why, got)
		}
		if fields, whole := s.Carry(); fields != nil || whole {
			t.Errorf("%s: Carry() = %v, %v; want nothing", tt.why, fields, whole)
		}
	}
}

func TestFieldsAreBounded(t *testing.T) {
	for _, tt := range []struct {
		n    int
		want error
	}{{maxFields, nil}, {maxFields + 1, ErrTooManyFields}} {
		var s Submission
		s.Reset(orderOptions(urlencodedType))
		_, err := s.Write([]byte(strings.Repeat("a&", tt.n)))
		if err == nil {
			err = s.Close()
		}
		if !errors.Is(err, tt.want) {
			t.Errorf("%d fields: error = %v; want %v", tt.n, err, tt.want)
		}
	}
}
