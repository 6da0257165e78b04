package core

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/cloudflare/circl/cipher/ascon"
)

// ErrSealed is what stored bytes get that were not sealed here for this record: tampered with, cut short,
// taken from another record, or sealed under a secret that is no longer accepted. The exchange fails closed
// on it.
var ErrSealed = errors.New("core: stored bytes do not open")

// Version names one write of one record. The writer mints it from random bytes and it is never used again,
// not even after the record is gone: a swap whose acknowledgement was lost recognises itself, and a lease
// that was taken over cannot be mistaken for a later one. The zero Version stands for "absent".
type Version [16]byte

// String returns the version as 22 characters, or "" for the zero Version.
func (v Version) String() string {
	if v == (Version{}) {
		return ""
	}
	return text64.EncodeToString(v[:])
}

// ParseVersion reads what String wrote.
func ParseVersion(text string) (v Version, ok bool) {
	if text == "" {
		return v, true
	}
	if len(text) != text64.EncodedLen(len(v)) {
		return v, false
	}
	n, err := text64.Decode(v[:], []byte(text))
	return v, err == nil && n == len(v)
}

// scopeRoot is the digest of scope and key from which a record's name and its sealing keys come. It is as
// secret as the key is: it goes neither into the store nor into a log.
type scopeRoot [32]byte

// name is where the record is found in the claim store and in KV. It does not depend on the secret, so a
// rotation loses no record, and it cannot be turned back into the root.
func (r *scopeRoot) name() (out [recordNameSize]byte) {
	var room [partsRoom]byte
	parts(room[:0]).bytes(r[:]).digest(out[:], &nameLabel)
	return out
}

var nameLabel = newLabel("singleshot name 1")

// recordNameSize is the size of a record's name in bytes; as text it has 32 characters.
const recordNameSize = 24

const (
	sealFormat = 1

	// A sealed head is: format, which secret, version, length of the sealed text, sealed text with its tag.
	sealHeadSize = 1 + 4 + len(Version{}) + 4

	// FrameSize is how much of an answer's body is sealed at a time, so that the engine's memory does not
	// grow with the answer.
	FrameSize = 64 << 10

	// SealedFrameSize is the size of a sealed whole frame; only the last one of a body may be smaller.
	SealedFrameSize = FrameSize + ascon.TagSize

	maxHead = 256 << 10
)

// sealSecret is one of the guard's secrets, with the id that tells which one sealed a record, without telling the
// secret, and with the key that seals wait links.
type sealSecret struct {
	text []byte
	id   [4]byte
	wait [ascon.KeySize]byte
}

var (
	secretLabel = newLabel("singleshot secret 1")
	sealLabel   = newLabel("singleshot seal 1")
	waitLabel   = newLabel("singleshot wait 1")
)

func newSealSecret(text []byte) sealSecret {
	s := sealSecret{text: text}
	p := parts(nil).bytes(text)
	p.digest(s.id[:], &secretLabel)
	p.digest(s.wait[:], &waitLabel)
	return s
}

func newCipher(key *[ascon.KeySize]byte) *ascon.Cipher {
	cipher, err := ascon.New(key[:], ascon.Ascon128a)
	if err != nil {
		panic("core: ascon refuses a key of its own size")
	}
	return cipher
}

// sealer seals one write of a record, head and body, or opens it. Every write has its own key, derived from
// secret, root (scope and key) and version; so a counter is a nonce that never repeats: 0 is the head, the
// frames of the body count from 1, and the last one is marked, so that frames can be neither dropped,
// reordered nor moved to another write.
type sealer struct {
	cipher *ascon.Cipher
	id     [4]byte
	v      Version
	frame  uint64
	ended  bool
}

func newSealer(secret *sealSecret, root *scopeRoot, v Version) sealer {
	var key [ascon.KeySize]byte
	var room [partsRoom]byte
	parts(room[:0]).bytes(secret.text).bytes(root[:]).bytes(v[:]).digest(key[:], &sealLabel)
	return sealer{cipher: newCipher(&key), id: secret.id, v: v}
}

// head is the sealed head: the record, in the memory in which it was encoded, that of used or more.
func (s *sealer) head(used []byte, r *Record) []byte {
	dst := append(slices.Grow(used[:0], sealHeadSize+recordRoom(r)+ascon.TagSize), sealFormat)
	dst = append(dst, s.id[:]...)
	dst = append(dst, s.v[:]...)
	dst = append(dst, 0, 0, 0, 0)
	dst = appendRecord(dst, r)
	binary.BigEndian.PutUint32(dst[sealHeadSize-4:], uint32(len(dst)-sealHeadSize+ascon.TagSize))
	var nonce [ascon.NonceSize]byte
	return s.cipher.Seal(dst[:sealHeadSize], nonce[:], dst[sealHeadSize:], dst[:sealHeadSize])
}

// seal appends one sealed frame of the body to dst. Every frame but the last holds FrameSize bytes.
func (s *sealer) seal(dst, plain []byte, last bool) []byte {
	nonce := s.next(last)
	return s.cipher.Seal(dst, nonce[:], plain, nil)
}

// open appends one opened frame to dst.
func (s *sealer) open(dst, sealed []byte, last bool) ([]byte, error) {
	if s.ended || len(sealed) < ascon.TagSize || len(sealed) > SealedFrameSize {
		return dst, ErrSealed
	}
	nonce := s.next(last)
	out, err := s.cipher.Open(dst, nonce[:], sealed, nil)
	if err != nil {
		return dst, ErrSealed
	}
	s.ended = last
	return out, nil
}

func (s *sealer) next(last bool) (nonce [ascon.NonceSize]byte) {
	s.frame++
	binary.BigEndian.PutUint64(nonce[:8], s.frame)
	if last {
		nonce[8] = 1
	}
	return nonce
}

// SplitStored cuts stored bytes into the sealed head, and what follows it: nothing in the claim store, the
// frames of the body under a record's name in KV. It returns ErrSealed for bytes that cannot be that. The
// parts are not copied.
func SplitStored(stored []byte) (head, rest []byte, err error) {
	if len(stored) < sealHeadSize+ascon.TagSize || stored[0] != sealFormat {
		return nil, nil, ErrSealed
	}
	n := binary.BigEndian.Uint32(stored[sealHeadSize-4:])
	if n < ascon.TagSize || n > maxHead || int64(n) > int64(len(stored)-sealHeadSize) {
		return nil, nil, ErrSealed
	}
	end := sealHeadSize + int(n)
	return stored[:end], stored[end:], nil
}

// openHead opens a sealed head with whichever accepted secret sealed it, into the memory of used or more, and returns
// the sealer that opens the frames of its body.
func openHead(used, head []byte, root *scopeRoot, secrets ...sealSecret) (plain []byte, s sealer, err error) {
	head, rest, err := SplitStored(head)
	if err != nil || len(rest) != 0 {
		return nil, s, ErrSealed
	}
	var v Version
	copy(v[:], head[5:])
	for i := range secrets {
		if len(secrets[i].text) == 0 || string(secrets[i].id[:]) != string(head[1:5]) {
			continue
		}
		s = newSealer(&secrets[i], root, v)
		var nonce [ascon.NonceSize]byte
		plain, err = s.cipher.Open(used[:0], nonce[:], head[sealHeadSize:], head[:sealHeadSize])
		if err == nil {
			return plain, s, nil
		}
	}
	return nil, s, ErrSealed
}
