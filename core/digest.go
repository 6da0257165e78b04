package core

import (
	"encoding/base64"
	"encoding/binary"

	"github.com/cloudflare/circl/xof/k12"
)

// label is KangarooTwelve with a customisation string and nothing absorbed, so that digests made for different ends
// never meet. A digest begins with a copy, which is cheaper than a new one; a label itself is never written to.
type label struct{ state k12.State }

func newLabel(text string) label { return label{k12.NewDraft10([]byte(text))} }

// parts are what a digest is made of, each after its length, which keeps ("ab","c") and ("a","bc") apart. They are
// put together first, because the sponge takes one piece in half the time of six.
type parts []byte

// partsRoom is what the parts of nearly every digest take, in bytes.
const partsRoom = 256

func (p parts) bytes(part []byte) parts {
	return append(binary.BigEndian.AppendUint64(p, uint64(len(part))), part...)
}

func (p parts) text(part string) parts {
	return append(binary.BigEndian.AppendUint64(p, uint64(len(part))), part...)
}

// digest fills out with the digest of the parts.
func (p parts) digest(out []byte, l *label) {
	state := l.state
	_, _ = state.Write(p) // a sponge in memory: neither can fail
	_, _ = state.Read(out)
}

// text64 is how digests, versions and keys are written where text is needed: base64url without padding
// (RFC 4648 §5), and exactly one text for each value.
var text64 = base64.RawURLEncoding.Strict()
