package core

import (
	"bytes"
	"testing"

	"github.com/cloudflare/circl/xof/k12"
)

// What the guard stores and signs depends on these digests being KangarooTwelve to the bit.
func TestDigestIsKangarooTwelve(t *testing.T) {
	part := make([]byte, 10_000)
	for i := range part {
		part[i] = byte(i * i >> 4)
	}
	for _, label := range []string{"x", "singleshot form 1", "singleshot visitor 1", "a label of forty-eight bytes, as long as one may"} {
		for n := range len(part) {
			if n > 1000 && n%97 > 1 && (n < k12Chunk-70 || n > k12Chunk+10) {
				continue
			}
			// The message is the length, and that many bytes.
			message := append([]byte{0, 0, 0, 0, 0, 0, byte(n >> 8), byte(n)}, part[:n]...)
			size := 1 + n%turboRate
			want, got := make([]byte, size), make([]byte, size)
			k12.Draft10Sum(want, message, []byte(label))
			if shortK12(got, appendLabel(bytes.Clone(message), label)); len(message)+len(label) < k12Chunk-1 && !bytes.Equal(got, want) {
				t.Fatalf("shortK12 of %d bytes under %q = %x; want %x", n, label, got, want)
			}
			d := newDigester(label)
			d.bytes(part[:n])
			if d.sum(got); !bytes.Equal(got, want) {
				t.Fatalf("digest of %d bytes under %q = %x; want %x", n, label, got, want)
			}
		}
	}
}

// In pieces it is the same message.
func TestDigestOfManyParts(t *testing.T) {
	for parts := range 60 {
		var message []byte
		d := newDigester("parts")
		for n := range parts {
			part := bytes.Repeat([]byte{byte(n)}, n*n)
			message = append(append(message, 0, 0, 0, 0, 0, 0, byte(n*n>>8), byte(n*n)), part...)
			d.bytes(part)
		}
		var got, want [32]byte
		d.sum(got[:])
		if k12.Draft10Sum(want[:], message, []byte("parts")); got != want {
			t.Fatalf("digest of %d parts = %x; want %x", parts, got, want)
		}
	}
}
