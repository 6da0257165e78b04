package core

import (
	"bytes"
	"encoding/binary"
	"strconv"
	"strings"
	"testing"
)

// benchGuard is a guard with nothing but a secret, and the key of a form that it rendered.
func benchGuard(b *testing.B) (g *Guard, key string) {
	b.Helper()
	config, faults := ParseConfig(func(name string) string {
		if name == "SINGLESHOT_SECRET" {
			return loopSecret
		}
		return ""
	})
	if len(faults) > 0 {
		b.Fatal(faults)
	}
	return NewGuard(config, faults), benchKey(1)
}

func benchKey(n uint64) string {
	k := Key{Minted: 1_800_000_000, Region: 3, Shard: 7, Form: formDigest("POST", "/orders")}
	binary.BigEndian.PutUint64(k.ID[:], n)
	return MintKey([]byte(loopSecret), k)
}

// benchBody is the order form of ten fields with a key that opens.
func benchBody(key string) []byte {
	_, fields, _ := strings.Cut(orderForm, "&")
	return []byte(KeyFieldName + "=" + key + "&" + fields)
}

// benchRequest is what a browser sends when htmx posts the order form.
func benchRequest(length int) *Request {
	return &Request{Method: "POST", URL: "https://shop.example/orders", Region: 3, Length: int64(length), Headers: Headers{
		{"Accept", "*/*"},
		{"Accept-Encoding", "gzip, br"},
		{"Accept-Language", "en-GB,en;q=0.9"},
		{"Content-Length", strconv.Itoa(length)},
		{"Content-Type", "application/x-www-form-urlencoded"},
		{"HX-Current-URL", "https://shop.example/shop"},
		{"HX-Request", "true"},
		{"HX-Target", "result"},
		{"Origin", "https://shop.example"},
		{"Referer", "https://shop.example/shop"},
		{"Sec-Fetch-Dest", "empty"},
		{"Sec-Fetch-Mode", "cors"},
		{"Sec-Fetch-Site", "same-origin"},
		{"User-Agent", "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/144.0.0.0 Safari/537.36"},
	}}
}

var benchRandom = [32]byte{1, 2, 3, 16: 4, 5, 6} // each half is a version

const benchNow = 1_800_000_000_000

// Goal: 2 µs and 4 allocations (docs/benchmarks.md). Begin and fingerprint of a form of ten fields.
func BenchmarkBeginFingerprint(b *testing.B) {
	g, key := benchGuard(b)
	body := benchBody(key)
	request := benchRequest(len(body))
	b.ReportAllocs()
	x := new(Exchange)
	for b.Loop() {
		x.Begin(g, request, benchNow, benchRandom)
		x.Feed(body)
		if err := x.submission.Close(); err != nil {
			b.Fatal(err)
		}
		fingerprintSink = x.submission.Fingerprint()
	}
}

// Everything before the first round trip: key and its MAC, scope, name, the claim sealed.
func BenchmarkBeginClaim(b *testing.B) {
	g, key := benchGuard(b)
	body := benchBody(key)
	request := benchRequest(len(body))
	b.ReportAllocs()
	for b.Loop() {
		x, _ := g.Begin(request, benchNow, benchRandom)
		x.Feed(body)
		if e := x.Next(&Event{Kind: EventHashed, Now: benchNow, Whole: true}); e.Kind != DoSwap {
			b.Fatalf("effect = %d; want a swap", e.Kind)
		}
	}
}

// benchHost carries out effects over one record in memory, and an origin that always gives the same answer.
type benchHost struct {
	version    Version
	head, body []byte
	answer     []byte
	headers    Headers
	out        []byte
	runs       int
}

func (h *benchHost) run(b *testing.B, g *Guard, request *Request, body []byte) (outcome string) {
	x, e := g.Begin(request, benchNow, benchRandom)
	for {
		switch e.Kind {
		case DoHash:
			x.Feed(body)
			e = x.Next(&Event{Kind: EventHashed, Now: benchNow, Whole: true})
		case DoSwap:
			if h.version != e.Old {
				e = x.Next(&Event{Kind: EventRefused, Now: benchNow, Version: h.version, Head: h.head, HasBody: len(h.body) > 0})
				continue
			}
			h.version, h.head = e.Version, append(h.head[:0], e.Head...)
			if h.body = h.body[:0]; e.Body {
				h.body = x.Seal(h.body, h.out, true)
			}
			e = x.Next(&Event{Kind: EventSwapped, Now: benchNow})
		case DoForward:
			h.runs++
			e = x.Next(&Event{Kind: EventHead, Now: benchNow, Status: 200, Headers: h.headers})
		case DoCollect:
			h.out = x.Pour(h.out[:0], h.answer, true)
			e = x.Next(&Event{Kind: EventBody, Now: benchNow, Length: int64(len(h.out)), Whole: true})
		case DoRespond:
			if e.Source == SourceRecord {
				var err error
				if h.out, err = x.Open(h.out[:0], h.body, true); err != nil {
					b.Fatal(err)
				}
			}
			return e.Outcome
		default:
			b.Fatalf("effect = %d; want none of that kind here", e.Kind)
		}
	}
}

func newBenchHost() *benchHost {
	return &benchHost{
		answer:  []byte(`<div class="receipt" role="status"><h2>Order 1042</h2><p>Ada Lovelace, 120.00, next day. We have sent you a letter.</p></div>`),
		headers: Headers{{"Content-Type", "text/html; charset=utf-8"}, {"HX-Trigger", `{"toast":"Order 1042"}`}, {"Date", "Mon, 30 Nov 2026 12:00:00 GMT"}},
	}
}

func BenchmarkExchange(b *testing.B) {
	g, key := benchGuard(b)
	body := benchBody(key)
	request := benchRequest(len(body))
	b.Run("fresh", func(b *testing.B) {
		h := newBenchHost()
		b.ReportAllocs()
		for b.Loop() {
			h.version = Version{}
			if outcome := h.run(b, g, request, body); outcome != statusCreated {
				b.Fatalf("outcome = %q; want %q", outcome, statusCreated)
			}
		}
	})
	b.Run("replay", func(b *testing.B) {
		h := newBenchHost()
		h.run(b, g, request, body)
		want := bytes.Clone(h.out)
		b.ReportAllocs()
		for b.Loop() {
			if outcome := h.run(b, g, request, body); outcome != statusReplayed {
				b.Fatalf("outcome = %q; want %q", outcome, statusReplayed)
			}
		}
		if h.runs != 1 || !bytes.Equal(h.out, want) {
			b.Fatalf("replay = %q after %d runs; want %q after one", h.out, h.runs, want)
		}
	})
}

// benchSizes are those of a fragment, a small page and one frame of a record.
var benchSizes = []int{200, 4 << 10, 64 << 10}

func BenchmarkSeal(b *testing.B) {
	secret := newSealSecret([]byte(loopSecret))
	for _, size := range benchSizes {
		plain := make([]byte, size)
		var sealed []byte
		b.Run(strconv.Itoa(size), func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				s := newSealer(&secret, &scopeRoot{1}, Version{1})
				sealed = s.seal(sealed[:0], plain, true)
			}
		})
	}
}

func BenchmarkOpen(b *testing.B) {
	secret := newSealSecret([]byte(loopSecret))
	for _, size := range benchSizes {
		s := newSealer(&secret, &scopeRoot{1}, Version{1})
		sealed := s.seal(nil, make([]byte, size), true)
		var plain []byte
		b.Run(strconv.Itoa(size), func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				s := newSealer(&secret, &scopeRoot{1}, Version{1})
				var err error
				if plain, err = s.open(plain[:0], sealed, true); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkDigest(b *testing.B) {
	for _, size := range append([]int{32}, benchSizes...) {
		part := make([]byte, size)
		var sum []byte
		b.Run(strconv.Itoa(size), func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			var h contentHash
			for b.Loop() {
				h.reset()
				h.write(part)
				sum = h.appendSum(sum[:0])
			}
		})
	}
}
