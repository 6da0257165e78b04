package core

import (
	"bytes"
	"encoding/binary"
	"io"
	"mime"
	mimemultipart "mime/multipart"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/cloudflare/circl/xof/k12"
)

// referenceField is a field as the reference sees it.
type referenceField struct {
	kind           byte // as in the canonical form
	name, fileName string
	value          []byte
}

// referenceFingerprint is the fingerprint of a form by the words of Fingerprint's doc comment: everything in
// memory, one step after the other.
func referenceFingerprint(o SubmissionOptions, fields []referenceField) Fingerprint {
	kept := slices.DeleteFunc(slices.Clone(fields), func(f referenceField) bool {
		if f.kind == fileField && f.fileName == "" && len(f.value) == 0 {
			return true
		}
		name := oneNewline(f.name)
		return name == o.KeyField && o.KeyField != "" || name == "_charset_" || slices.Contains(o.Ignore, name) || referenceToken(name)
	})
	sort.SliceStable(kept, func(i, j int) bool {
		return bytes.Compare(referenceItem(oneNewline(kept[i].name))[1:], referenceItem(oneNewline(kept[j].name))[1:]) < 0
	})
	var c []byte
	for _, text := range []string{o.Method, o.Path, o.Query} {
		c = binary.AppendUvarint(c, uint64(len(text)))
		c = append(c, text...)
	}
	c = append(c, 'F')
	for _, f := range kept {
		c = append(c, f.kind)
		c = append(c, referenceItem(oneNewline(f.name))...)
		if f.kind == textField {
			c = append(c, referenceItem(oneNewline(string(f.value)))...)
		} else {
			c = append(c, referenceItem(f.fileName)...)
			c = append(c, referenceDigest(f.value)...)
		}
	}
	var sum Fingerprint
	k12.Draft10Sum(sum[:], c, []byte("singleshot form 1"))
	return sum
}

func referenceItem(s string) []byte {
	if len(s) > 127 {
		return append([]byte{0x80}, referenceDigest([]byte(s))...)
	}
	return append([]byte{byte(len(s))}, s...)
}

func referenceDigest(p []byte) []byte {
	sum := make([]byte, 32)
	k12.Draft10Sum(sum, p, []byte("singleshot part 1"))
	return sum
}

func oneNewline(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}

func referenceToken(name string) bool {
	tokens := strings.Fields(`_csrf csrf csrf_token _csrf_token authenticity_token csrfmiddlewaretoken __RequestVerificationToken
		_token _wpnonce form_token form_build_id form_key javax.faces.ViewState __VIEWSTATE __EVENTVALIDATION
		g-recaptcha-response h-captcha-response cf-turnstile-response stripeToken`)
	if i := strings.LastIndexByte(name, '['); i > 0 && strings.HasSuffix(name, "]") {
		name = name[i+1 : len(name)-1]
	}
	return slices.Contains(tokens, name)
}

// referenceURLEncoded reads an urlencoded body as the WHATWG URL standard says.
func referenceURLEncoded(body string) (fields []referenceField) {
	for _, pair := range strings.Split(body, "&") {
		if pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		fields = append(fields, referenceField{kind: textField, name: percentDecode(name), value: []byte(percentDecode(value))})
	}
	return fields
}

func percentDecode(s string) string {
	const digits = "0123456789abcdef0123456789ABCDEF"
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '+':
			b.WriteByte(' ')
		case s[i] == '%' && i+2 < len(s) && strings.IndexByte(digits, s[i+1]) >= 0 && strings.IndexByte(digits, s[i+2]) >= 0:
			b.WriteByte(byte(strings.IndexByte(digits, s[i+1])%16<<4 | strings.IndexByte(digits, s[i+2])%16))
			i += 2
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// quotedText is what escapes are undone in.
var quotedText = regexp.MustCompile(`"[^"]*"`)

// referenceMultipart reads a multipart body with mime/multipart. It gives up (false) on bodies that package
// refuses, on those without exactly one last delimiter, which that package sees in other places, on parts that
// are no fields, and on Content-Disposition lines that package mime reads in another way than browsers write them.
func referenceMultipart(body []byte, boundary string) (fields []referenceField, ok bool) {
	if bytes.Count(append([]byte("\n"), body...), []byte("\n--"+boundary+"--")) != 1 {
		return nil, false
	}
	fields, ok = readMultipart(body, boundary)
	if !ok {
		return nil, false
	}
	// A body that breaks off in the head of a part is a whole one to mime/multipart, but then it reads on here.
	more, ok := readMultipart(append(bytes.Clone(body), part("x", "", "y")...), boundary)
	return fields, ok && len(more) == len(fields)
}

func readMultipart(body []byte, boundary string) (fields []referenceField, ok bool) {
	r := mimemultipart.NewReader(bytes.NewReader(body), boundary)
	for {
		p, err := r.NextRawPart()
		if err == io.EOF {
			return fields, true
		}
		if err != nil {
			return nil, false
		}
		value, err := io.ReadAll(p)
		if err != nil {
			return nil, false
		}
		line := p.Header.Get("Content-Disposition")
		kind, params, err := mime.ParseMediaType(line)
		if err != nil || kind != "form-data" || strings.ContainsAny(line, `\*'`) || strings.Contains(quotedText.ReplaceAllString(line, ""), "%") {
			return nil, false
		}
		name, named := params["name"]
		if !named {
			return nil, false
		}
		fileName, isFile := params["filename"]
		quoted := strings.NewReplacer("%22", `"`, "%0D", "\r", "%0A", "\n")
		f := referenceField{kind: textField, name: quoted.Replace(name), value: value}
		if isFile {
			f.kind, f.fileName = fileField, quoted.Replace(fileName)
		}
		fields = append(fields, f)
	}
}
