package core

import (
	"errors"
	"runtime"
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
		{multipartType, part("a", "", "1") + "--B \r" + part("b", "", "2")[5:] + "--B--", "white space and then CR alone behind a delimiter"},
		{multipartType, part("a", "", "1") + "--B\r" + part("b", "", "2")[5:] + "--B--", "CR alone behind a delimiter"},
		{multipartType, part("a", "", "1") + "--B x\r\n" + part("b", "", "2")[5:] + "--B--", "something else behind a delimiter"},
		{multipartType, part("a", "\r\nX: "+strings.Repeat("x", 16<<10), "1") + "--B--", "16 KiB of header lines"},
		{multipartType, part("a", "", "1") + "--B\r\n\r\n1\r\n--B--", "a part without header lines"},
		{multipartType, part("a", "", "1") + "--B\r\nContent-Disposition: form-data; filename=a\r\n\r\n1\r\n--B--", "a part without a name"},
		{multipartType, part("a", "", "1") + "--B\r\nContent-Disposition: attachment; name=a\r\n\r\n1\r\n--B--", "a part that is not form-data"},
		{multipartType, part("a", "", "1") + "--B\r\nContent-Disposition: form-data; name=a\r\n--B--\r\n", "a part without an empty line"},
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

func TestKeyIsKnownBeforeTheBodyEnds(t *testing.T) {
	tests := []struct{ contentType, before, last, why string }{
		{urlencodedType, "idempotency_key=ik_1", "&", "a value may go on up to its separator"},
		{urlencodedType, "a=1&idempotency_key=ik_%3", "1&", "also in the middle of an escape"},
		{multipartType, part("idempotency_key", "", "ik_1") + "--B", "\r\n", "a delimiter is none before its line end"},
		{multipartType, part("a", "", "1") + part("idempotency_key", "", "ik_1") + "--B-", "-", "or its two dashes"},
	}
	for _, tt := range tests {
		var s Submission
		s.Reset(orderOptions(tt.contentType))
		if _, err := s.Write([]byte(tt.before)); err != nil {
			t.Fatal(err)
		}
		if key, ok := s.Key(); ok {
			t.Errorf("Key() after %q = %q; want none yet: %s", tt.before, key, tt.why)
		}
		if _, err := s.Write([]byte(tt.last)); err != nil {
			t.Fatal(err)
		}
		want := "ik_1"
		if key, ok := s.Key(); !ok || key != want {
			t.Errorf("Key() after %q = %q, %v; want %s: %s", tt.before+tt.last, key, ok, want, tt.why)
		}
	}
}

func TestLargeJSONGivesItsKeyAtOneMebibyte(t *testing.T) {
	long := strings.Repeat("x", 2<<20)
	tests := []struct{ before, after, pointer, want, why string }{
		{`{"event":{"id":"evt_1"},"data":"`, `"}`, "/event/id", "evt_1", "the key stands at the front"},
		{`{"idempotency_key":["ik_1","ik_1"],"data":"`, `"}`, "", "ik_1", "a form member that is sent twice"},
		{`{"data":"`, `","id":1}`, "/id", "", "behind the first 1 MiB there is no key"},
		{strings.Repeat(" ", maxJSON-len(`{"id":12`)) + `{"id":12`, `34,"x":"` + long + `"}`, "/id", "", "half a number is none"},
	}
	for _, tt := range tests {
		o := orderOptions("application/json")
		o.JSONKey, o.HTMX = tt.pointer, tt.pointer == ""
		var s Submission
		s.Reset(o)
		for _, piece := range []string{tt.before, long, tt.after} {
			if len(tt.before) == maxJSON && piece == long {
				continue
			}
			if _, err := s.Write([]byte(piece)); err != nil {
				t.Fatal(err)
			}
			if key, ok := s.Key(); piece == long && (key != tt.want || ok != (tt.want != "")) {
				t.Errorf("Key() in the middle = %q, %v; want %q: %s", key, ok, tt.want, tt.why)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if key, ok := s.Key(); key != tt.want || ok != (tt.want != "") {
			t.Errorf("Key() = %q, %v; want %q: %s", key, ok, tt.want, tt.why)
		}
	}
}

func TestOverrideIsTheFirstMethodField(t *testing.T) {
	tests := []struct{ contentType, body, want, why string }{
		{urlencodedType, "a=1", "", "none"},
		{urlencodedType, "_method=put&_method=delete", "PUT", "the first, in upper case"},
		{urlencodedType, "_method=&_method=delete", "", "an empty one is the first all the same"},
		{urlencodedType, "_method=" + strings.Repeat("p", maxMethod+1), "", "longer than any method"},
		{urlencodedType, "_method=" + strings.Repeat("p", maxMethod), strings.Repeat("P", maxMethod), "as long as it may be"},
		{multipartType, part("_method", "", "patch") + "--B--", "PATCH", "multipart too"},
		{multipartType, part("_method", "; filename=f", "patch") + "--B--", "", "a file is no method"},
		{"application/json", `{"_method":"put"}`, "PUT", "a JSON body of an htmx form"},
		{"text/plain", "_method=put", "", "no form"},
	}
	for _, tt := range tests {
		o := orderOptions(tt.contentType)
		o.HTMX = true
		if got := submit(t, o, tt.body).Override(); got != tt.want {
			t.Errorf("Override() of %.40q = %q; want %q: %s", tt.body, got, tt.want, tt.why)
		}
	}
	if got := submit(t, orderOptions("application/json"), `{"_method":"put"}`).Override(); got != "" {
		t.Errorf("Override() of an API call = %q; want none", got)
	}
}

func TestIgnoredFieldsAreReadAllTheSame(t *testing.T) {
	long := strings.Repeat("p", maxFieldKey+1)
	for _, body := range []string{"a=1&_method=put", "a=1&_method=" + long} {
		o := orderOptions(urlencodedType)
		o.Ignore, o.CarryLimit = []string{"_method"}, 1000
		s := submit(t, o, body)
		if want := submit(t, o, "a=1").Fingerprint(); s.Fingerprint() != want {
			t.Errorf("Fingerprint() of %.30q = %x; want %x, that without the ignored field", body, s.Fingerprint(), want)
		}
		want := ""
		if !strings.Contains(body, long) {
			want = "PUT"
		}
		if got := s.Override(); got != want {
			t.Errorf("Override() of %.30q = %q; want %q: the scope needs it", body, got, want)
		}
		_, method, _ := strings.Cut(body, "_method=")
		if fields, whole := s.Carry(); len(fields) != 2 || fields[1] != (Field{"_method", method}) || !whole {
			t.Errorf("Carry() of %.30q = %q, %v; want both fields whole", body, fields, whole)
		}
	}
}

func TestKeyHasAtMost512Bytes(t *testing.T) {
	longest := strings.Repeat("k", maxFieldKey)
	for _, key := range []string{longest[:itemInline], longest[:itemInline+1], longest, longest + "k", longest + longest} {
		for contentType, body := range map[string]string{
			urlencodedType:     "idempotency_key=" + key + "&idempotency_key=other",
			multipartType:      part("idempotency_key", "", key) + "--B--",
			"application/json": `{"idempotency_key":"` + key + `"}`,
		} {
			o := orderOptions(contentType)
			o.HTMX = true
			for _, cut := range []uint{40, 200, 500, 560} {
				got := checkPieces(t, o, []byte(body), cut)
				if want := len(key) <= maxFieldKey; got.hasKey != want || want && got.key != key {
					t.Errorf("%s: a key of %d bytes = %.20q, %v; want %v", contentType, len(key), got.key, got.hasKey, want)
				}
			}
		}
	}
}

func TestResetForgetsTheBodyBefore(t *testing.T) {
	bodies := []struct{ contentType, body string }{
		{urlencodedType, "idempotency_key=ik_1&_method=put&a=" + strings.Repeat("x", 70_000)},
		{multipartType, part("a", "; filename=f", strings.Repeat("x", 70_000)) + "--B--"},
		{"application/json", `{"b":["` + strings.Repeat("x", 70_000) + `"],"a":1}`},
		{"application/json", ` "` + strings.Repeat("x", maxJSON) + `"`},
		{"text/plain", "a"},
		{"application/json", `{`},
		{multipartType, part("a", "", "1")},
		{urlencodedType, "a=%"},
		{"application/json", ``},
	}
	var reused Submission
	for i, first := range bodies {
		for _, second := range bodies {
			var fresh Submission
			options := func(contentType string) SubmissionOptions {
				o := orderOptions(contentType)
				o.CarryLimit = 1 << 20
				return o
			}
			readIn(&reused, options(first.contentType), []byte(first.body))
			if i%2 == 1 { // and once without an end
				reused.Reset(options(first.contentType))
				_, _ = reused.Write([]byte(first.body)) // whether it is malformed does not matter here
			}
			got := readIn(&reused, options(second.contentType), []byte(second.body))
			if want := readIn(&fresh, options(second.contentType), []byte(second.body)); !got.equal(want) {
				t.Errorf("%.40q after %.40q = %+v; want %+v", second.body, first.body, got, want)
			}
		}
	}
}

func TestNothingIsTakenAfterTheEnd(t *testing.T) {
	s := submit(t, orderOptions(urlencodedType), "a=1")
	want := s.Fingerprint()
	if _, err := s.Write([]byte("&b=2")); err != ErrBody {
		t.Errorf("Write after Close error = %v; want ErrBody", err)
	}
	if err := s.Close(); err != nil || s.Fingerprint() != want {
		t.Errorf("second Close = %v, Fingerprint() = %x; want nil, %x", err, s.Fingerprint(), want)
	}
}

// TestMemoryDoesNotGrowWithTheUpload streams 4 MiB (contract §3).
func TestMemoryDoesNotGrowWithTheUpload(t *testing.T) {
	piece := []byte(strings.Repeat("0123456789abcde\n", 1<<12))
	for name, head := range map[string]string{
		"file":       "--B\r\nContent-Disposition: form-data; name=up; filename=f\r\n\r\n",
		"text":       "--B\r\nContent-Disposition: form-data; name=note\r\n\r\n",
		"name":       "",
		"urlencoded": "a=",
		"plain":      "",
		"key":        "idempotency_key=",
		"carried":    "a=",
	} {
		contentType := urlencodedType
		switch {
		case name == "plain":
			contentType = "text/plain"
		case strings.HasPrefix(head, "--B"):
			contentType = multipartType
		}
		o := orderOptions(contentType)
		if name == "carried" {
			o.CarryLimit = 1 << 10
		}
		var s Submission
		s.Reset(o)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := s.Write([]byte(head))
		for range 1 << 6 {
			if err == nil {
				_, err = s.Write(piece)
			}
		}
		runtime.ReadMemStats(&after)
		if err != nil {
			t.Fatal(err)
		}
		if got := after.TotalAlloc - before.TotalAlloc; got > 1<<17 {
			t.Errorf("%s of 4 MiB: %d bytes allocated; want at most 128 KiB", name, got)
		}
	}
}

func TestFormOfTenFieldsAllocatesItsKeyAlone(t *testing.T) {
	body := []byte(orderForm)
	var s Submission
	allocs := testing.AllocsPerRun(100, func() {
		s.Reset(orderOptions(urlencodedType))
		_, _ = s.Write(body) // never malformed
		_ = s.Close()
	})
	if allocs > 1 {
		t.Errorf("a reused Submission allocates %v times; want once", allocs)
	}
}
