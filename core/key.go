package core

import (
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"strings"
)

// KeyFieldName is the name of the hidden field that carries a key (contract §6).
const KeyFieldName = "idempotency_key"

// keyPrefix starts every minted key. Other values in the field count as no key (contract §2).
const keyPrefix = "ik_"

// ErrForgedKey is what a key with the right prefix gets that this guard did not mint: too long, malformed, or
// its MAC does not hold under any accepted secret. It is answered with 403 before any storage is touched.
var ErrForgedKey = errors.New("core: key was not minted here")

// Key is what a minted key carries (contract §2). All of it stands under the MAC.
type Key struct {
	ID     [16]byte // UUID version 4 (RFC 9562 §5.4)
	Minted int64    // unix seconds; 32 bits in the key, so until the year 2106
	Region byte     // index into Regions
	Shard  uint16   // number of the claim store within its region
	Form   [8]byte  // digest of method and path of the action it was rendered for
	Repeat bool     // the form asked for repeat mode
}

// Regions are the places where a claim store can live, by the names that Durable Objects give them. A key
// holds the index, so the order never changes; new ones go to the end.
var Regions = [...]string{"wnam", "enam", "sam", "weur", "eeur", "apac", "oc", "afr", "me"}

const (
	keyBodySize = 1 + 16 + 4 + 1 + 2 + 8
	keyMACSize  = 16
	keySize     = keyBodySize + keyMACSize // 48 bytes are 64 characters, without padding or spare bits
	keyTextSize = len(keyPrefix) + 64

	keyVersion    = 1 << 4 // upper four bits of the first byte
	keyFlagRepeat = 1
)

// MintKey writes a key and signs it with the secret.
func MintKey(secret []byte, k Key) string {
	var raw [keySize]byte
	raw[0] = keyVersion
	if k.Repeat {
		raw[0] |= keyFlagRepeat
	}
	copy(raw[1:17], k.ID[:])
	binary.BigEndian.PutUint32(raw[17:21], uint32(k.Minted))
	raw[21] = k.Region
	binary.BigEndian.PutUint16(raw[22:24], k.Shard)
	copy(raw[24:32], k.Form[:])
	keyMAC(raw[keyBodySize:], secret, raw[:keyBodySize])
	text := make([]byte, keyTextSize)
	copy(text, keyPrefix)
	text64.Encode(text[len(keyPrefix):], raw[:])
	return string(text)
}

// OpenKey reads a key that was signed with one of the secrets; the comparison takes the same time for every
// MAC. A text that does not start like a minted key is no key at all: minted is false and the error nil.
// Everything else that does not hold is ErrForgedKey.
func OpenKey(text string, secrets ...[]byte) (k Key, minted bool, err error) {
	if !strings.HasPrefix(text, keyPrefix) {
		return Key{}, false, nil
	}
	if len(text) != keyTextSize {
		return Key{}, true, ErrForgedKey
	}
	var raw [keySize]byte
	if n, err := text64.Decode(raw[:], []byte(text[len(keyPrefix):])); err != nil || n != keySize {
		return Key{}, true, ErrForgedKey
	}
	held := false
	for _, secret := range secrets {
		if len(secret) == 0 {
			continue
		}
		var mac [keyMACSize]byte
		keyMAC(mac[:], secret, raw[:keyBodySize])
		if held = subtle.ConstantTimeCompare(mac[:], raw[keyBodySize:]) == 1; held {
			break // which secret signed is no secret
		}
	}
	if !held || raw[0]&^keyFlagRepeat != keyVersion || int(raw[21]) >= len(Regions) {
		return Key{}, true, ErrForgedKey
	}
	copy(k.ID[:], raw[1:17])
	k.Minted = int64(binary.BigEndian.Uint32(raw[17:21]))
	k.Region = raw[21]
	k.Shard = binary.BigEndian.Uint16(raw[22:24])
	copy(k.Form[:], raw[24:32])
	k.Repeat = raw[0]&keyFlagRepeat != 0
	return k, true, nil
}

// repeats reports whether the key is in repeat mode where it arrives: its form asked for that, or it is the key of
// another form (contract §1, "Once and repeat").
func (k *Key) repeats(method, path string) bool {
	return k.Repeat || k.Form != formDigest(method, path)
}

// updates reports whether an override of the method, in upper case, makes a submit an update (contract §1).
func updates(override string) bool {
	return override == "PUT" || override == "PATCH" || override == "DELETE"
}

// Repeats is what a page can tell without the secret of a submit that it is about to send: whether the guard takes
// it in repeat mode, by its key, the HTTP method, the normalised path, and the override in upper case, "" for none.
// A body over 1 MiB keeps the once rule all the same, and what the guard sees in a script's request is not in it.
//
// It reads the key's characters as they are: a decoder would be a tenth of the browser module.
func Repeats(key, method, path, override string) bool {
	if updates(override) {
		return true
	}
	text, minted := strings.CutPrefix(key, keyPrefix)
	if !minted || len(key) != keyTextSize {
		return false
	}
	flags := text[1] // its upper two bits are the lower two of the first byte
	if 'Q' <= flags && flags <= 'Z' || 'a' <= flags && flags <= 'f' {
		return true
	}
	// The digest of the form starts at byte 24, so at character 32, and ends within the eleventh.
	form := formDigest(method, path)
	return text[32:32+10] != text64.EncodeToString(form[:])[:10]
}

// keyMAC is K12 with the secret in front, a MAC because the sponge has no length extension.
func keyMAC(out, secret, body []byte) {
	var room [partsRoom]byte
	parts(room[:0]).bytes(secret).bytes(body).digest(out, &keyLabel)
}

var (
	keyLabel  = newLabel("singleshot key 1")
	formLabel = newLabel("singleshot form 1")
)

// uuid4 turns sixteen random bytes into a UUID version 4.
func uuid4(random [16]byte) [16]byte {
	random[6] = random[6]&0x0f | 0x40
	random[8] = random[8]&0x3f | 0x80
	return random
}

// formDigest names the form that a key is rendered into: the HTTP method and the path of its action.
func formDigest(method, path string) (out [8]byte) {
	var room [partsRoom]byte
	parts(room[:0]).text(method).text(path).digest(out[:], &formLabel)
	return out
}
