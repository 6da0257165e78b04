package app

import "crypto/rand"

// NewID makes an id for Config.ID.
func NewID() string {
	const letters = "abcdefghijklmnopqrstuvwxyz012345" // 32: every byte maps evenly
	var id [16]byte
	rand.Read(id[:]) // never fails
	for i, c := range id {
		id[i] = letters[c%32]
	}
	return string(id[:])
}
