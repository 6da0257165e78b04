package core

import "encoding/binary"

const (
	turboRate = 168  // bytes that TurboSHAKE128 takes in or gives out with each permutation
	k12Chunk  = 8192 // bytes of message and label up to which KangarooTwelve has no tree
	maxLabel  = 48
)

// shortK12 is KangarooTwelve (RFC 9861 §3.2, KT128) of what appendLabel made, where that is no longer than a chunk
// and at most 168 bytes are wanted: then it is TurboSHAKE128. Nearly every digest of the guard is such a one, and
// this takes half of the time that the k12 package needs, which also takes long messages, and in pieces.
func shortK12(out, message []byte) {
	var lanes [25]uint64
	for ; len(message) >= turboRate; message = message[turboRate:] {
		absorb(&lanes, message)
	}
	var last [turboRate]byte
	last[copy(last[:], message)] = 7 // says that it was one chunk, and begins the padding
	last[turboRate-1] ^= 0x80
	absorb(&lanes, last[:])
	for i := 0; len(out) > 0; i++ {
		var lane [8]byte
		binary.LittleEndian.PutUint64(lane[:], lanes[i])
		out = out[copy(out, lane[:]):]
	}
}

// appendLabel ends a message for shortK12 with its customisation string, of 1 to 48 bytes, and the string's length.
func appendLabel(message []byte, label string) []byte {
	return append(append(message, label...), byte(len(label)), 1)
}

// absorb takes one block in. Once is enough of it in wasm.
//
//go:noinline
func absorb(lanes *[25]uint64, block []byte) {
	block = block[:turboRate]
	for i := range turboRate / 8 {
		lanes[i] ^= binary.LittleEndian.Uint64(block[8*i:])
	}
	keccak12(lanes)
}
