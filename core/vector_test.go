package core

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
)

const vectorFile = "coretest/testdata/fingerprints.json"

// fingerprintVector is one submission of the shared vectors. Vectors of one group have one fingerprint, all
// others have different ones.
type fingerprintVector struct {
	Name            string   `json:"name"`
	Why             string   `json:"why,omitempty"`
	Group           string   `json:"group,omitempty"`
	Method          string   `json:"method"`
	Path            string   `json:"path"`
	Query           string   `json:"query,omitempty"`
	ContentType     string   `json:"contentType"`
	ContentEncoding string   `json:"contentEncoding,omitempty"`
	JSONKey         string   `json:"jsonKey,omitempty"`
	HTMX            bool     `json:"htmx,omitempty"`
	Ignore          []string `json:"ignore,omitempty"`
	KeyField        string   `json:"keyField,omitempty"`
	// The body is the text or the bytes, then the repeated text, then the tail.
	Body   string `json:"body,omitempty"`
	Base64 []byte `json:"base64,omitempty"`
	Repeat struct {
		Text  string `json:"text"`
		Times int    `json:"times"`
	} `json:"repeat,omitzero"`
	Tail string `json:"tail,omitempty"`
	// What comes out: a key, if there is one, and a fingerprint in hex, or an error.
	Key         *string `json:"key,omitempty"`
	Error       bool    `json:"error,omitempty"`
	Fingerprint string  `json:"fingerprint,omitempty"`
}

func (v *fingerprintVector) options() SubmissionOptions {
	return SubmissionOptions{Method: v.Method, Path: v.Path, Query: v.Query, ContentType: v.ContentType, ContentEncoding: v.ContentEncoding,
		KeyField: v.KeyField, JSONKey: v.JSONKey, HTMX: v.HTMX, Ignore: v.Ignore}
}

func (v *fingerprintVector) body() []byte {
	return []byte(v.Body + string(v.Base64) + strings.Repeat(v.Repeat.Text, v.Repeat.Times) + v.Tail)
}

func readVectors(t testing.TB) []fingerprintVector {
	t.Helper()
	text, err := os.ReadFile(vectorFile)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Vectors []fingerprintVector `json:"vectors"`
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&file); err != nil {
		t.Fatal(err)
	}
	return file.Vectors
}

func writeVectors(t *testing.T, vectors []fingerprintVector) {
	t.Helper()
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(map[string]any{"vectors": vectors}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(vectorFile, text.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestFingerprintVectors checks the vectors that every build of core shares, in one piece and one byte at a
// time (the large ones in larger pieces), with one Submission for all.
func TestFingerprintVectors(t *testing.T) {
	vectors := readVectors(t)
	var s Submission
	for i := range vectors {
		v := &vectors[i]
		body := v.body()
		for n, piece := range []int{1 + len(body), 1 + len(body)>>17} {
			s.Reset(v.options())
			var err error
			for rest := body; len(rest) > 0 && err == nil; {
				n := min(piece, len(rest))
				_, err = s.Write(rest[:n])
				rest = rest[n:]
			}
			if closed := s.Close(); closed != err && err != nil {
				t.Errorf("%s: Close error = %v after Write error %v; want the same", v.Name, closed, err)
			} else {
				err = closed
			}
			if (err != nil) != v.Error {
				t.Errorf("%s, in pieces of %d: error = %v; want error: %v: %s", v.Name, piece, err, v.Error, v.Why)
				break
			}
			key, ok := s.Key()
			if want := v.Key; !v.Error && ok != (want != nil) || want != nil && key != *want {
				t.Errorf("%s, in pieces of %d: Key() = %q, %v; want key: %v: %s", v.Name, piece, key, ok, want != nil, v.Why)
			}
			got := ""
			if !v.Error {
				got = fmt.Sprintf("%x", s.Fingerprint())
			}
			if *update && n == 0 {
				v.Fingerprint = got
			}
			if got != v.Fingerprint {
				t.Errorf("%s, in pieces of %d: Fingerprint() = %s; want %s: %s", v.Name, piece, got, v.Fingerprint, v.Why)
			}
		}
	}
	if *update {
		writeVectors(t, vectors)
	}
}

// TestVectorsAreEqualExactlyInGroups checks what the fingerprints are for: equal for every encoding of one
// submission, different for every different one (contract §3).
func TestVectorsAreEqualExactlyInGroups(t *testing.T) {
	names, groups, prints := map[string]bool{}, map[string]string{}, map[string]string{}
	for _, v := range readVectors(t) {
		if names[v.Name] {
			t.Errorf("%s stands twice in the vectors", v.Name)
		}
		names[v.Name] = true
		if v.Error {
			continue
		}
		group := v.Group
		if group == "" {
			group = "only " + v.Name
		}
		if want, ok := groups[group]; ok && want != v.Fingerprint {
			t.Errorf("%s differs from its group %q: %s", v.Name, group, v.Why)
		}
		groups[group] = v.Fingerprint
		if other, ok := prints[v.Fingerprint]; ok && other != group {
			t.Errorf("%s (%s) equals %s; want different fingerprints: %s", v.Name, group, other, v.Why)
		}
		prints[v.Fingerprint] = group
	}
}
