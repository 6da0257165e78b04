package core

import (
	"encoding/base64"
	"encoding/binary"

	"github.com/cloudflare/circl/xof/k12"
)

// digester is KangarooTwelve over length-prefixed parts under a label. The label is the customisation string,
// so digests made for different ends never meet; the length prefix keeps ("ab","c") and ("a","bc") apart.
type digester struct {
	state  k12.State
	length [8]byte
}

func newDigester(label string) digester {
	return digester{state: k12.NewDraft10([]byte(label))}
}

func (d *digester) bytes(part []byte) {
	binary.BigEndian.PutUint64(d.length[:], uint64(len(part)))
	_, _ = d.state.Write(d.length[:]) // a sponge in memory: Write cannot fail
	_, _ = d.state.Write(part)
}

func (d *digester) text(part string) {
	d.bytes([]byte(part))
}

func (d *digester) sum(out []byte) {
	_, _ = d.state.Read(out)
}

// text64 is how digests, versions and keys are written where text is needed: base64url without padding
// (RFC 4648 §5), and exactly one text for each value.
var text64 = base64.RawURLEncoding.Strict()
