package core

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// drawForm draws the fields of a form, with names that repeat and sort closely, values that look like syntax,
// and sizes at which the encoding changes.
func drawForm(t *rapid.T, files bool) []referenceField {
	name := rapid.OneOf(rapid.SampledFrom([]string{"a", "b", "a[]", "a[b]", "aaaaaaaa", "aaaaaaaab", "", "é", "\x00", "odd\"name", "line\nend"}),
		rapid.StringN(0, 12, 40), rapid.Custom(func(t *rapid.T) string { return strings.Repeat("n", rapid.IntRange(125, 130).Draw(t, "name length")) }))
	value := rapid.OneOf(rapid.SampledFrom([]string{"", "1", "a=1&b=2", "%41+%zz", "one\ntwo\n\n", "\r\n--B--\r\n", "\x00\xff"}),
		rapid.StringN(0, 40, 200), rapid.Custom(func(t *rapid.T) string { return strings.Repeat("v", rapid.IntRange(120, 400).Draw(t, "length")) }))
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) referenceField {
		f := referenceField{kind: textField, name: name.Draw(t, "name"), value: []byte(value.Draw(t, "value"))}
		if files && rapid.IntRange(0, 3).Draw(t, "file") == 0 {
			f.kind, f.fileName = fileField, rapid.SampledFrom([]string{"", "a.txt", "b.txt", "odd\"\r\n"}).Draw(t, "file name")
		}
		return f
	}), 0, 12).Draw(t, "form")
}

// shuffled returns the fields in another order, those of one name in the same.
func shuffled(fields []referenceField, r *rand.Rand) []referenceField {
	byName := map[string][]referenceField{}
	for _, f := range fields {
		byName[oneNewline(f.name)] = append(byName[oneNewline(f.name)], f)
	}
	var out []referenceField
	for names := slices.Sorted(maps.Keys(byName)); len(names) > 0; {
		i := r.IntN(len(names))
		list := byName[names[i]]
		out = append(out, list[0])
		if byName[names[i]] = list[1:]; len(list) == 1 {
			names = slices.Delete(names, i, i+1)
		}
	}
	return out
}

// lineEnds writes each line end of a text in one of the three ways. A CR before an LF that is another line end
// would join them.
func lineEnds(s string, r *rand.Rand) string {
	var b strings.Builder
	for i, line := range strings.Split(oneNewline(s), "\n") {
		if i > 0 {
			b.WriteString([]string{"\r\n", "\n"}[r.IntN(2)])
		}
		b.WriteString(line)
	}
	if text := b.String(); !strings.Contains(text, "\n\n") && r.IntN(4) == 0 {
		return strings.ReplaceAll(oneNewline(text), "\n", "\r")
	}
	return b.String()
}

// encodeURL encodes a text in one of the ways that a parser reads alike.
func encodeURL(s string, r *rand.Rand) string {
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		plain := c != '&' && c != '=' && c != '+' && c != '%'
		switch {
		case c == ' ' && r.IntN(2) == 0:
			b.WriteByte('+')
		case plain && r.IntN(3) > 0:
			b.WriteByte(c)
		case r.IntN(2) == 0:
			fmt.Fprintf(&b, "%%%02X", c)
		default:
			fmt.Fprintf(&b, "%%%02x", c)
		}
	}
	return b.String()
}

// encodeForm encodes a form in one of many ways and returns its media type and body.
func encodeForm(fields []referenceField, r *rand.Rand) (contentType, body string) {
	fields = shuffled(fields, r)
	noise := referenceField{kind: textField, name: []string{"idempotency_key", "_charset_", "csrf_token", "order[_token]", "ignored"}[r.IntN(5)], value: []byte("n&oise")}
	fields = slices.Insert(fields, r.IntN(len(fields)+1), noise)
	file := slices.ContainsFunc(fields, func(f referenceField) bool { return f.kind == fileField })
	var b strings.Builder
	if !file && r.IntN(2) == 0 {
		for _, f := range fields {
			b.WriteString(strings.Repeat("&", r.IntN(3)/2))
			b.WriteString(encodeURL(lineEnds(f.name, r), r))
			if len(f.value) > 0 || f.name == "" || r.IntN(2) == 0 {
				b.WriteString("=" + encodeURL(lineEnds(string(f.value), r), r))
			}
			b.WriteByte('&')
		}
		return []string{urlencodedType, urlencodedType + "; charset=x", "Application/x-www-form-urlencoded"}[r.IntN(3)], b.String()
	}
	boundary := fmt.Sprintf("----Boundary%d", r.IntN(1000))
	escape := strings.NewReplacer("\"", "%22", "\r", "%0D", "\n", "%0A")
	part := func(disposition string, value []byte) {
		other := []string{"", "Content-Type: text/plain\r\n", "X-Y: z\r\ncontent-length: 7\r\n"}
		fmt.Fprintf(&b, "--%s\r\n%sContent-Disposition: form-data; %s\r\n%s\r\n%s\r\n", boundary, other[r.IntN(3)], disposition, other[r.IntN(3)], value)
	}
	for _, f := range fields {
		if r.IntN(8) == 0 {
			part(`name="up"; filename=""`, nil)
		}
		if f.kind == fileField {
			part(fmt.Sprintf(`name="%s"; filename="%s"`, escape.Replace(lineEnds(f.name, r)), escape.Replace(f.fileName)), f.value)
		} else {
			part(fmt.Sprintf(`name="%s"`, escape.Replace(lineEnds(f.name, r))), []byte(lineEnds(string(f.value), r)))
		}
	}
	b.WriteString("--" + boundary + "--")
	return []string{"multipart/form-data; boundary=" + boundary, `Multipart/Form-Data; x="y;" ;BOUNDARY="` + boundary + `"`}[r.IntN(2)], b.String()
}

// printIn reads an encoded form in pieces of any size.
func printIn(t *rapid.T, fields []referenceField, r *rand.Rand) (*Submission, string) {
	contentType, body := encodeForm(fields, r)
	o := orderOptions(contentType)
	o.Ignore = []string{"ignored"}
	var s Submission
	s.Reset(o)
	for rest := []byte(body); len(rest) > 0; {
		n := 1 + r.IntN(len(rest))
		if _, err := s.Write(rest[:n]); err != nil {
			t.Fatalf("Write(%q) of %q error = %v", rest[:n], body, err)
		}
		rest = rest[n:]
	}
	if err := s.Close(); err != nil {
		t.Fatalf("Close after %q error = %v", body, err)
	}
	return &s, contentType + "\n" + body
}

func drawRand(t *rapid.T) *rand.Rand {
	return rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
}

func TestFingerprintIsEqualUnderEveryEncoding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fields := drawForm(t, rapid.Bool().Draw(t, "files"))
		r := drawRand(t)
		a, textA := printIn(t, fields, r)
		b, textB := printIn(t, fields, r)
		want := referenceFingerprint(orderOptions(""), fields)
		if a.Fingerprint() != want || b.Fingerprint() != want {
			t.Errorf("fingerprints = %x, %x; want %x, of\n%q\nand\n%q", a.Fingerprint(), b.Fingerprint(), want, textA, textB)
		}
		if !SameFields(a.Digests(), b.Digests()) || Differing(a.Digests(), b.Digests()) != nil {
			t.Errorf("digests differ: %v and %v of\n%q\nand\n%q", a.Digests(), b.Digests(), textA, textB)
		}
	})
}

func TestFingerprintIsDifferentUnderEveryEdit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fields := drawForm(t, true)
		edited := slices.Clone(fields)
		i := rapid.IntRange(0, max(len(fields)-1, 0)).Draw(t, "which")
		edit := rapid.SampledFrom([]string{"add", "drop", "value", "name", "kind", "file name", "swap"}).Draw(t, "edit")
		touched := []string{"new"}
		switch {
		case edit == "add" || len(fields) == 0:
			edited = slices.Insert(edited, i, referenceField{kind: textField, name: "new"})
		default:
			f := &edited[i]
			f.value = slices.Clone(f.value)
			touched = []string{oneNewline(f.name)}
			switch edit {
			case "drop":
				edited = slices.Delete(edited, i, i+1)
			case "value":
				if len(f.value) == 0 {
					f.value = []byte("x")
				} else {
					f.value[len(f.value)/2] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
				}
			case "name":
				f.name += "x"
				touched = append(touched, oneNewline(f.name))
			case "kind":
				f.kind = textField + fileField - f.kind
			case "file name":
				f.fileName += "x"
			case "swap":
				j := rapid.IntRange(0, len(fields)-1).Draw(t, "with")
				touched = append(touched, oneNewline(edited[j].name))
				edited[i], edited[j] = edited[j], edited[i]
			}
		}
		o := orderOptions("")
		if slices.EqualFunc(normalForm(o, fields), normalForm(o, edited), func(a, b referenceField) bool {
			return a.kind == b.kind && a.name == b.name && a.fileName == b.fileName && string(a.value) == string(b.value)
		}) {
			t.Skip("the edit does not count")
		}
		r := drawRand(t)
		a, textA := printIn(t, fields, r)
		b, textB := printIn(t, edited, r)
		if a.Fingerprint() == b.Fingerprint() {
			t.Errorf("%x is the fingerprint of\n%q\nand, edited (%s), of\n%q", a.Fingerprint(), textA, edit, textB)
		}
		if SameFields(a.Digests(), b.Digests()) {
			t.Errorf("Digests() are the same after %s", edit)
		}
		for _, name := range Differing(a.Digests(), b.Digests()) {
			if !slices.Contains(touched, name) {
				t.Errorf("Differing names %q; want only %q", name, touched)
			}
		}
	})
}

// normalForm is what counts of a form.
func normalForm(o SubmissionOptions, fields []referenceField) []referenceField {
	var out []referenceField
	for _, f := range fields {
		f.name = oneNewline(f.name)
		if f.kind == textField {
			f.fileName = ""
			f.value = []byte(oneNewline(string(f.value)))
		} else if f.fileName == "" && len(f.value) == 0 {
			continue
		}
		out = append(out, f)
	}
	slices.SortStableFunc(out, func(a, b referenceField) int { return strings.Compare(a.name, b.name) })
	return out
}
