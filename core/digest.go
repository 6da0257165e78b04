package core

import (
	"encoding/base64"
	"encoding/binary"

	"github.com/cloudflare/circl/xof/k12"
)

// digester is KangarooTwelve over length-prefixed parts under a label. The label is the customisation string,
// so digests made for different ends never meet; the length prefix keeps ("ab","c") and ("a","bc") apart.
type digester struct {
	label string
	n     int                      // bytes in room
	room  [248 + maxLabel + 2]byte // the message, where it fits and leaves room for the label, as nearly all do
	long  *k12.State               // what the message goes to once it has outgrown room
}

func newDigester(label string) digester { return digester{label: label} }

func (d *digester) bytes(part []byte) {
	var length [8]byte
	binary.BigEndian.PutUint64(length[:], uint64(len(part)))
	d.raw(length[:])
	d.raw(part)
}

func (d *digester) text(part string) {
	d.bytes([]byte(part))
}

func (d *digester) raw(part []byte) {
	if d.long == nil {
		if d.n+len(part) <= len(d.room)-maxLabel-2 {
			d.n += copy(d.room[d.n:], part)
			return
		}
		long := k12.NewDraft10([]byte(d.label))
		d.long = &long
		_, _ = d.long.Write(d.room[:d.n]) // a sponge in memory: Write cannot fail
	}
	_, _ = d.long.Write(part)
}

// sum fills out, of at most 168 bytes. The digester is used up.
func (d *digester) sum(out []byte) {
	if d.long == nil {
		shortK12(out, appendLabel(d.room[:d.n], d.label))
		return
	}
	_, _ = d.long.Read(out)
}

// text64 is how digests, versions and keys are written where text is needed: base64url without padding
// (RFC 4648 §5), and exactly one text for each value.
var text64 = base64.RawURLEncoding.Strict()
