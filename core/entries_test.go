package core

import (
	"bytes"
	mime "mime/multipart"
	"net/textproto"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestEntriesAreTheSubmission holds a form at hand against what Submission reads of its bodies.
func TestEntriesAreTheSubmission(t *testing.T) {
	texts := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
		"", "a\r\nb", "a\nb", "a\rb\r", "\r\n", "日本語", "_csrf", "a[csrf_token]", "idempotency_key", "_charset_", "_method",
		strings.Repeat("x", 127), strings.Repeat("é", 64), strings.Repeat("long ", 20_000),
	}))
	rapid.Check(t, func(t *rapid.T) {
		options := SubmissionOptions{
			Method: "POST", Path: "/orders", Query: rapid.SampledFrom([]string{"", "a=1"}).Draw(t, "query"),
			KeyField: KeyFieldName, Ignore: []string{"receipt"},
		}
		withFiles := rapid.Bool().Draw(t, "multipart")
		var entries Entries
		entries.Reset(options)
		var text []string
		var parts bytes.Buffer
		w := mime.NewWriter(&parts)
		for range rapid.IntRange(0, 12).Draw(t, "fields") {
			name, value := texts.Draw(t, "name"), texts.Draw(t, "value")
			if withFiles { // a browser's %0A may be a line end or what somebody wrote; here it is neither
				name = strings.NewReplacer("\r", "", "\n", "", "\"", "", "\\", "", "%", "").Replace(name)
			}
			header := textproto.MIMEHeader{"Content-Disposition": {`form-data; name="` + name + `"`}}
			if withFiles && rapid.Bool().Draw(t, "file") {
				file := rapid.SampledFrom([]string{"", "a.txt", "ü.png"}).Draw(t, "file name")
				header = textproto.MIMEHeader{"Content-Disposition": {`form-data; name="` + name + `"; filename="` + file + `"`}, "Content-Type": {"x/y"}}
				entries.File([]byte(name), []byte(file))
			} else {
				entries.Text([]byte(name))
			}
			cut := rapid.IntRange(0, len(value)).Draw(t, "cut")
			entries.Content([]byte(value[:cut]))
			entries.Content([]byte(value[cut:]))
			entries.End()
			text = append(text, url.QueryEscape(name)+"="+url.QueryEscape(value))
			part, err := w.CreatePart(header)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := part.Write([]byte(value)); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		body := []byte(strings.Join(text, "&"))
		options.ContentType = "application/x-www-form-urlencoded"
		if withFiles {
			options.ContentType, body = w.FormDataContentType(), parts.Bytes()
		}
		var s Submission
		s.Reset(options)
		if _, err := s.Write(body); err != nil {
			t.Skip("a name that is too long for a part")
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		got, err := entries.Fingerprint()
		if err != nil || got != s.Fingerprint() {
			t.Errorf("fingerprint of the entries = %x, %v; want the body's %x", got, err, s.Fingerprint())
		}
		key, ok := entries.Key()
		if want, has := s.Key(); key != want || ok != has {
			t.Errorf("key = %q, %v; want %q, %v", key, ok, want, has)
		}
	})
}
