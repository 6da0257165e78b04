//go:build wasip1

// Program ciphers seals and opens with one authenticated cipher, chosen by build tag, so that its speed and the
// bytes that it adds to an engine can be compared (docs/decisions/0003). It is a module of its own because the
// project needs none of the alternatives.
package main

import "unsafe"

// aead is crypto/cipher's AEAD, which this TinyGo does not link without the symbol in gcm.go.
type aead interface {
	NonceSize() int
	Seal(dst, nonce, plain, more []byte) []byte
	Open(dst, nonce, sealed, more []byte) ([]byte, error)
}

var (
	key    [32]byte
	nonce  [16]byte
	plain  [64<<10 + 64]byte
	sealed []byte
)

func main() {}

//go:wasmexport buffer
func buffer() uint32 { return uint32(uintptr(unsafe.Pointer(&plain))) }

// seal seals n bytes under a fresh key, as the engine does for each record.
//
//go:wasmexport seal
func seal(n uint32) uint32 {
	key[0]++
	c := open(key[:])
	sealed = c.Seal(sealed[:0], nonce[:c.NonceSize()], plain[:n], nil)
	return uint32(len(sealed))
}

// unseal opens what seal left, n times nothing else than that.
//
//go:wasmexport unseal
func unseal(n uint32) uint32 {
	c := open(key[:])
	out, err := c.Open(plain[:0], nonce[:c.NonceSize()], sealed, nil)
	if err != nil || len(out) != int(n) {
		return 0
	}
	return uint32(len(out))
}
