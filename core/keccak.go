package core

import "math/bits"

// turboRounds are the constants of the last 12 rounds of Keccak-f[1600] (FIPS 202 §3.2.5), those that TurboSHAKE keeps.
var turboRounds = [12]uint64{
	0x8000808b, 0x800000000000008b, 0x8000000000008089, 0x8000000000008003,
	0x8000000000008002, 0x8000000000000080, 0x800a, 0x800000008000000a,
	0x8000000080008081, 0x8000000000008080, 0x80000001, 0x8000000080008008,
}

// keccak12 is the permutation Keccak-p[1600,12] (FIPS 202 §3.3). Two rounds a turn, there and back, so that no lane
// is moved; θ is in c and d, ρ and π in b, χ and ι in what is written.
func keccak12(s *[25]uint64) {
	var t [25]uint64
	for i := 0; i < len(turboRounds); i += 2 {
		c0 := s[0] ^ s[5] ^ s[10] ^ s[15] ^ s[20]
		c1 := s[1] ^ s[6] ^ s[11] ^ s[16] ^ s[21]
		c2 := s[2] ^ s[7] ^ s[12] ^ s[17] ^ s[22]
		c3 := s[3] ^ s[8] ^ s[13] ^ s[18] ^ s[23]
		c4 := s[4] ^ s[9] ^ s[14] ^ s[19] ^ s[24]
		d0, d1, d2, d3, d4 := c4^bits.RotateLeft64(c1, 1), c0^bits.RotateLeft64(c2, 1), c1^bits.RotateLeft64(c3, 1), c2^bits.RotateLeft64(c4, 1), c3^bits.RotateLeft64(c0, 1)
		b0 := s[0] ^ d0
		b1 := bits.RotateLeft64(s[6]^d1, 44)
		b2 := bits.RotateLeft64(s[12]^d2, 43)
		b3 := bits.RotateLeft64(s[18]^d3, 21)
		b4 := bits.RotateLeft64(s[24]^d4, 14)
		t[0], t[1], t[2], t[3], t[4] = b0^b2&^b1^turboRounds[i], b1^b3&^b2, b2^b4&^b3, b3^b0&^b4, b4^b1&^b0
		b0 = bits.RotateLeft64(s[3]^d3, 28)
		b1 = bits.RotateLeft64(s[9]^d4, 20)
		b2 = bits.RotateLeft64(s[10]^d0, 3)
		b3 = bits.RotateLeft64(s[16]^d1, 45)
		b4 = bits.RotateLeft64(s[22]^d2, 61)
		t[5], t[6], t[7], t[8], t[9] = b0^b2&^b1, b1^b3&^b2, b2^b4&^b3, b3^b0&^b4, b4^b1&^b0
		b0 = bits.RotateLeft64(s[1]^d1, 1)
		b1 = bits.RotateLeft64(s[7]^d2, 6)
		b2 = bits.RotateLeft64(s[13]^d3, 25)
		b3 = bits.RotateLeft64(s[19]^d4, 8)
		b4 = bits.RotateLeft64(s[20]^d0, 18)
		t[10], t[11], t[12], t[13], t[14] = b0^b2&^b1, b1^b3&^b2, b2^b4&^b3, b3^b0&^b4, b4^b1&^b0
		b0 = bits.RotateLeft64(s[4]^d4, 27)
		b1 = bits.RotateLeft64(s[5]^d0, 36)
		b2 = bits.RotateLeft64(s[11]^d1, 10)
		b3 = bits.RotateLeft64(s[17]^d2, 15)
		b4 = bits.RotateLeft64(s[23]^d3, 56)
		t[15], t[16], t[17], t[18], t[19] = b0^b2&^b1, b1^b3&^b2, b2^b4&^b3, b3^b0&^b4, b4^b1&^b0
		b0 = bits.RotateLeft64(s[2]^d2, 62)
		b1 = bits.RotateLeft64(s[8]^d3, 55)
		b2 = bits.RotateLeft64(s[14]^d4, 39)
		b3 = bits.RotateLeft64(s[15]^d0, 41)
		b4 = bits.RotateLeft64(s[21]^d1, 2)
		t[20], t[21], t[22], t[23], t[24] = b0^b2&^b1, b1^b3&^b2, b2^b4&^b3, b3^b0&^b4, b4^b1&^b0

		c0 = t[0] ^ t[5] ^ t[10] ^ t[15] ^ t[20]
		c1 = t[1] ^ t[6] ^ t[11] ^ t[16] ^ t[21]
		c2 = t[2] ^ t[7] ^ t[12] ^ t[17] ^ t[22]
		c3 = t[3] ^ t[8] ^ t[13] ^ t[18] ^ t[23]
		c4 = t[4] ^ t[9] ^ t[14] ^ t[19] ^ t[24]
		d0, d1, d2, d3, d4 = c4^bits.RotateLeft64(c1, 1), c0^bits.RotateLeft64(c2, 1), c1^bits.RotateLeft64(c3, 1), c2^bits.RotateLeft64(c4, 1), c3^bits.RotateLeft64(c0, 1)
		b0 = t[0] ^ d0
		b1 = bits.RotateLeft64(t[6]^d1, 44)
		b2 = bits.RotateLeft64(t[12]^d2, 43)
		b3 = bits.RotateLeft64(t[18]^d3, 21)
		b4 = bits.RotateLeft64(t[24]^d4, 14)
		s[0], s[1], s[2], s[3], s[4] = b0^b2&^b1^turboRounds[i+1], b1^b3&^b2, b2^b4&^b3, b3^b0&^b4, b4^b1&^b0
		b0 = bits.RotateLeft64(t[3]^d3, 28)
		b1 = bits.RotateLeft64(t[9]^d4, 20)
		b2 = bits.RotateLeft64(t[10]^d0, 3)
		b3 = bits.RotateLeft64(t[16]^d1, 45)
		b4 = bits.RotateLeft64(t[22]^d2, 61)
		s[5], s[6], s[7], s[8], s[9] = b0^b2&^b1, b1^b3&^b2, b2^b4&^b3, b3^b0&^b4, b4^b1&^b0
		b0 = bits.RotateLeft64(t[1]^d1, 1)
		b1 = bits.RotateLeft64(t[7]^d2, 6)
		b2 = bits.RotateLeft64(t[13]^d3, 25)
		b3 = bits.RotateLeft64(t[19]^d4, 8)
		b4 = bits.RotateLeft64(t[20]^d0, 18)
		s[10], s[11], s[12], s[13], s[14] = b0^b2&^b1, b1^b3&^b2, b2^b4&^b3, b3^b0&^b4, b4^b1&^b0
		b0 = bits.RotateLeft64(t[4]^d4, 27)
		b1 = bits.RotateLeft64(t[5]^d0, 36)
		b2 = bits.RotateLeft64(t[11]^d1, 10)
		b3 = bits.RotateLeft64(t[17]^d2, 15)
		b4 = bits.RotateLeft64(t[23]^d3, 56)
		s[15], s[16], s[17], s[18], s[19] = b0^b2&^b1, b1^b3&^b2, b2^b4&^b3, b3^b0&^b4, b4^b1&^b0
		b0 = bits.RotateLeft64(t[2]^d2, 62)
		b1 = bits.RotateLeft64(t[8]^d3, 55)
		b2 = bits.RotateLeft64(t[14]^d4, 39)
		b3 = bits.RotateLeft64(t[15]^d0, 41)
		b4 = bits.RotateLeft64(t[21]^d1, 2)
		s[20], s[21], s[22], s[23], s[24] = b0^b2&^b1, b1^b3&^b2, b2^b4&^b3, b3^b0&^b4, b4^b1&^b0
	}
}
