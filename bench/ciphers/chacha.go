//go:build chacha

package main

import (
	"golang.org/x/crypto/chacha20poly1305"
)

func open(key []byte) aead {
	c, err := chacha20poly1305.New(key[:chacha20poly1305.KeySize])
	if err != nil {
		panic(err)
	}
	return c
}
