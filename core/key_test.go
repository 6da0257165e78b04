package core

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/uuid"
)

var keySecret = []byte("0123456789abcdef0123456789abcdef")

func TestKeyCarriesWhatItWasMintedWith(t *testing.T) {
	for _, want := range []Key{
		{ID: uuid4([16]byte{1, 2, 3}), Minted: 1_800_000_000, Region: 3, Shard: 31, Form: formDigest("POST", "/orders")},
		{ID: uuid4([16]byte(bytes.Repeat([]byte{255}, 16))), Minted: 1<<32 - 1, Region: byte(len(Regions) - 1), Shard: 65535, Repeat: true},
	} {
		text := MintKey(keySecret, want)
		if len(text) > 128 || !strings.HasPrefix(text, "ik_") || strings.Trim(text[3:], "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			t.Errorf("key = %q; want ik_ and URL-safe text, at most 128 characters (contract §2)", text)
		}
		got, minted, err := OpenKey(text, keySecret)
		if err != nil || !minted || got != want {
			t.Errorf("OpenKey = %+v, %t, %v; want %+v", got, minted, err, want)
		}
		id, err := uuid.FromBytes(got.ID[:])
		if err != nil || id.Version() != 4 || id.Variant() != uuid.RFC4122 {
			t.Errorf("ID = %s; want a UUID version 4", id)
		}
	}
}

func TestRegionsKeepTheirNumbers(t *testing.T) { // a key holds the number; the names are those that Durable Objects know
	if got := strings.Join(Regions[:9], " "); got != "wnam enam sam weur eeur apac oc afr me" {
		t.Errorf("Regions = %s; want the names in the order of the keys that are out there", got)
	}
}

func TestEveryFlippedBitIsForged(t *testing.T) {
	text := MintKey(keySecret, Key{ID: uuid4([16]byte{7}), Region: 1, Shard: 2})
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	for i := 3; i < len(text); i++ {
		for bit := 1; bit < 64; bit <<= 1 {
			c := alphabet[strings.IndexByte(alphabet, text[i])^bit]
			forged := text[:i] + string(c) + text[i+1:]
			if _, minted, err := OpenKey(forged, keySecret); err != ErrForgedKey || !minted {
				t.Fatalf("OpenKey with bit %d of character %d flipped = %t, %v; want ErrForgedKey", bit, i, minted, err)
			}
		}
	}
}

func TestOpenKeyRefuses(t *testing.T) {
	good := MintKey(keySecret, Key{})
	for _, tt := range []struct {
		why, text string
		minted    bool
		err       error
	}{
		{"no prefix: no key at all, not an error", "order-1042", false, nil},
		{"empty", "", false, nil},
		{"cut short", good[:len(good)-1], true, ErrForgedKey},
		{"longer", good + "A", true, ErrForgedKey},
		{"only the prefix", "ik_", true, ErrForgedKey},
		{"not base64url", good[:len(good)-1] + "+", true, ErrForgedKey},
		{"line ends inside", good[:10] + "\n" + good[11:], true, ErrForgedKey},
		{"a region that does not exist, however it was signed", MintKey(keySecret, Key{Region: byte(len(Regions))}), true, ErrForgedKey},
		{"very long", "ik_" + strings.Repeat("A", 1<<20), true, ErrForgedKey},
	} {
		if _, minted, err := OpenKey(tt.text, keySecret); minted != tt.minted || err != tt.err {
			t.Errorf("%s: OpenKey = %t, %v; want %t, %v", tt.why, minted, err, tt.minted, tt.err)
		}
	}
}

func TestKeyOpensUnderBothSecretsOfARotation(t *testing.T) {
	other := []byte(strings.Repeat("n", 32))
	old := MintKey(keySecret, Key{})
	for _, tt := range []struct {
		why     string
		secrets [][]byte
		err     error
	}{
		{"the secret that signed", [][]byte{keySecret}, nil},
		{"it is the previous one", [][]byte{other, keySecret}, nil},
		{"it is gone", [][]byte{other}, ErrForgedKey},
		{"an empty previous secret signs nothing", [][]byte{other, nil}, ErrForgedKey},
	} {
		if _, _, err := OpenKey(old, tt.secrets...); err != tt.err {
			t.Errorf("%s: OpenKey = %v; want %v", tt.why, err, tt.err)
		}
	}
	if _, _, err := OpenKey(MintKey(nil, Key{}), nil); err != ErrForgedKey {
		t.Errorf("OpenKey without a secret = %v; want ErrForgedKey", err)
	}
}

func TestPageTellsRepeatModeWithoutTheSecret(t *testing.T) {
	for seed := range byte(16) { // the characters around the flag hold other bits too
		mint := func(path string, repeat bool) string {
			return MintKey(keySecret, Key{ID: uuid4([16]byte{seed << 4, seed}), Form: formDigest("POST", path), Repeat: repeat})
		}
		for _, tt := range []struct {
			why, key, method, path, override string
			want                             bool
		}{
			{"the form that it was rendered for", mint("/orders", false), "POST", "/orders", "", false},
			{"the form asked for it", mint("/orders", true), "POST", "/orders", "", true},
			{"another path", mint("/orders", false), "POST", "/orders/preview", "", true},
			{"another method", mint("/orders", false), "PUT", "/orders", "", true},
			{"an update", mint("/orders", false), "POST", "/orders", "PATCH", true},
			{"an update with a key of the origin's own", "order-1042-0123456789", "POST", "/orders", "DELETE", true},
			{"a key of the origin's own", "order-1042-0123456789", "POST", "/orders", "", false},
			{"an override that changes nothing", mint("/orders", false), "POST", "/orders", "POST", false},
			{"a broken key", "ik_E", "POST", "/orders", "", false},
		} {
			if got := Repeats(tt.key, tt.method, tt.path, tt.override); got != tt.want {
				t.Errorf("Repeats(%q, %s %s, %q) = %t; want %t: %s", tt.key, tt.method, tt.path, tt.override, got, tt.want, tt.why)
			}
			k, minted, err := OpenKey(tt.key, keySecret)
			guard := updates(tt.override) || minted && err == nil && k.repeats(tt.method, tt.path)
			if guard != tt.want {
				t.Errorf("the guard takes it otherwise: %t: %s", guard, tt.why)
			}
		}
	}
}

func TestVisitorCookie(t *testing.T) {
	value := mintVisitor(keySecret, [16]byte{5})
	if got := openVisitor(value, keySecret); got != string(append([]byte{5}, make([]byte, 15)...)) {
		t.Errorf("openVisitor = %q; want the visitor", got)
	}
	for _, tt := range []struct{ why, value string }{
		{"another secret's", mintVisitor([]byte("another"), [16]byte{5})},
		{"changed", "A" + value[1:]},
		{"cut short", value[:len(value)-1]},
		{"empty", ""},
	} {
		if got := openVisitor(tt.value, keySecret); got != "" {
			t.Errorf("%s: openVisitor = %q; want none", tt.why, got)
		}
	}
	if got := visitorSetCookie("https", "v"); got != "__Host-singleshot=v; Path=/; HttpOnly; SameSite=Lax; Secure" {
		t.Errorf("Set-Cookie = %q", got)
	}
	if got := visitorSetCookie("http", "v"); got != "singleshot=v; Path=/; HttpOnly; SameSite=Lax" {
		t.Errorf("Set-Cookie on plain http = %q", got)
	}
}

func TestWithoutCookieLeavesTheOthersAsTheyWere(t *testing.T) {
	for _, tt := range []struct{ why, value, want string }{
		{"first", "singleshot=v; a=1;b=2", "a=1;b=2"},
		{"middle", "a=1; singleshot=v; b=2", "a=1; b=2"},
		{"last", "a=1; singleshot=v", "a=1"},
		{"alone", "singleshot=v", ""},
		{"twice", "singleshot=v; a=1; singleshot=w", "a=1"},
		{"a name that ends the same", "xsingleshot=v", "xsingleshot=v"},
		{"a name that begins the same", "singleshots=v; singleshot", "singleshots=v; singleshot"},
		{"a name as long", "a=1; singleshop=v", "a=1; singleshop=v"},
		{"a value that looks like it", `a="singleshot=v"`, `a="singleshot=v"`},
	} {
		if got := withoutCookie(tt.value, "singleshot"); got != tt.want {
			t.Errorf("%s: %q; want %q", tt.why, got, tt.want)
		}
	}
}

func FuzzOpenKey(f *testing.F) {
	f.Add(MintKey(keySecret, Key{}))
	f.Add("ik_")
	f.Fuzz(func(t *testing.T, text string) {
		k, minted, err := OpenKey(text, keySecret)
		if err == nil && minted && MintKey(keySecret, k) != text {
			t.Fatalf("OpenKey accepts %q, which is not the one text of its key", text)
		}
	})
}
