//go:build gcm

package main

import (
	"crypto/aes"
	"crypto/cipher"
)

func open(key []byte) aead {
	block, err := aes.NewCipher(key[:16])
	if err != nil {
		panic(err)
	}
	c, err := cipher.NewGCM(block)
	if err != nil {
		panic(err)
	}
	return c
}
