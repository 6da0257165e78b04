//go:build ascon

package main

import (
	"github.com/cloudflare/circl/cipher/ascon"
)

func open(key []byte) aead {
	c, err := ascon.New(key[:ascon.KeySize], ascon.Ascon128a)
	if err != nil {
		panic(err)
	}
	return c
}
