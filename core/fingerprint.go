package core

import (
	"encoding/binary"

	"github.com/cloudflare/circl/xof/k12"
)

// Fingerprint is the digest of a submission in canonical form: KangarooTwelve, 256 bits.
//
// The canonical form is
//
//	text(method) text(path) text(query) body
//
// where text is a length (unsigned LEB128) and that many bytes, and body one of
//
//	'F' field*                  a form, urlencoded or multipart
//	'J' value                   JSON by value, see jsonBody
//	'B' text(media type) digest any other body; the type in lower case, without parameters
//	'L' digest                  a JSON body of more than 1 MiB, by its bytes
//
// The fields of a form stand sorted by name, those of one name in the order in which they were sent:
//
//	't' item(name) item(value)               a text; CR, LF and CRLF in name and value are one LF
//	'f' item(name) item(file name) digest    a file
//
// An item of up to 127 bytes is its length and its bytes, a longer one 0x80 and its digest. A digest is
// KangarooTwelve, 256 bits, with a customisation string of its own. Every part says where it ends, so two
// submissions have one canonical form only if they are the same.
type Fingerprint [32]byte

// The labels keep these digests apart from all others, and this version of the canonical form from the next. Short
// ones save a round of the permutation in small forms.
var (
	fingerprintLabel = newLabel("singleshot form 1")
	contentLabel     = newLabel("singleshot part 1")
)

// contentHash digests one long value, one file or one body as it streams.
type contentHash struct{ state k12.State }

func (h *contentHash) reset()         { h.state = contentLabel.state }
func (h *contentHash) write(p []byte) { _, _ = h.state.Write(p) }

// appendSum appends the digest to dst. The hash is used up.
func (h *contentHash) appendSum(dst []byte) []byte {
	n := len(dst)
	dst = append(dst, zeroes[:]...)
	_, _ = h.state.Read(dst[n:])
	return dst
}

var zeroes [32]byte

// gatherBytes is how much of a form is put together before it is hashed. Few calls are faster than many.
const gatherBytes = 4096

// fingerprint hashes the canonical form of the closed submission. What comes before the fields is put together
// behind them in the arena.
func (s *Submission) fingerprint() {
	f := &s.fields
	end := len(f.arena)
	a := appendText(f.arena, s.o.Method)
	a = appendText(a, s.o.Path)
	a = appendText(a, s.o.Query)
	body := len(a)
	form := false
	switch {
	case s.body == bodyURLEncoded || s.body == bodyMultipart:
		a, form = append(a, 'F'), true
	case s.body == bodyJSON && s.json.outgrown:
		a = f.hash.appendSum(append(a, 'L'))
	case s.body == bodyJSON:
		a = append(a, 'J')
	default:
		a = appendText(append(a, 'B'), s.media)
		for i := len(a) - len(s.media); i < len(a); i++ {
			a[i] = lower(a[i])
		}
		a = f.hash.appendSum(a)
	}
	k := &f.hash.state
	*k = fingerprintLabel.state
	if form {
		f.sort()
		for _, e := range f.list {
			if len(a)-end > gatherBytes {
				_, _ = k.Write(a[end:])
				a = a[:end]
			}
			a = append(a, a[e.at:e.end]...)
		}
	}
	_, _ = k.Write(a[end:])
	f.arena = a[:end]
	if !form {
		s.rest = digestFold(digestSeed, a[body:])
	}
	if s.body == bodyJSON {
		_, _ = k.Write(s.json.out)
		s.rest = digestFold(s.rest, s.json.out)
	}
	_, _ = k.Read(s.sum[:])
}

// appendText appends a length and that many bytes.
func appendText(dst []byte, text string) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(text)))
	return append(dst, text...)
}
