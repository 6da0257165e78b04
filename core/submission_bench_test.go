package core

import (
	"bytes"
	"strconv"
	"strings"
	"testing"
)

// orderForm is a checkout form of ten fields and its key, as a browser sends it.
const orderForm = "idempotency_key=ik_0198c4de-7b1f-7c3e-9d53-1f0a2b3c4d5e-weur-07-Zm9ybWRpZ2VzdA-bWFjbWFjbWFjbWFjbWFjbWFjbWFj" +
	"&name=Ada+Lovelace&email=ada%40example.com&phone=%2B44+20+7946+0000&street=12+St+James%27s+Square&city=London" +
	"&postcode=SW1Y+4LB&country=GB&amount=120.00&delivery=next-day&note=please+ring+twice"

var fingerprintSink Fingerprint

func benchmarkSubmission(b *testing.B, o SubmissionOptions, body []byte, digests bool) {
	var s Submission
	b.ReportAllocs()
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		s.Reset(o)
		if _, err := s.Write(body); err != nil {
			b.Fatal(err)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
		s.Key()
		if digests {
			s.Digests()
		}
		fingerprintSink = s.Fingerprint()
	}
}

func BenchmarkSubmission(b *testing.B) {
	urlencoded, form := orderOptions(urlencodedType), orderOptions(multipartType)
	b.Run("form=10", func(b *testing.B) { benchmarkSubmission(b, urlencoded, []byte(orderForm), false) })
	b.Run("form=10,digests", func(b *testing.B) { benchmarkSubmission(b, urlencoded, []byte(orderForm), true) })
	b.Run("form=10,fresh", func(b *testing.B) {
		b.ReportAllocs()
		body := []byte(orderForm)
		for b.Loop() {
			s := new(Submission)
			s.Reset(urlencoded)
			_, _ = s.Write(body) // never malformed
			_ = s.Close()
			fingerprintSink = s.Fingerprint()
		}
	})
	carried := urlencoded
	carried.CarryLimit = 1 << 16
	b.Run("form=10,carry", func(b *testing.B) { benchmarkSubmission(b, carried, []byte(orderForm), false) })
	var hundred []string
	for i := range 100 {
		hundred = append(hundred, "lines["+strconv.Itoa(i*37%100)+"][sku]=SKU-"+strconv.Itoa(10000+i))
	}
	b.Run("form=100", func(b *testing.B) { benchmarkSubmission(b, urlencoded, []byte(strings.Join(hundred, "&")), false) })
	var parts strings.Builder
	for _, pair := range strings.Split(orderForm, "&") {
		name, value, _ := strings.Cut(pair, "=")
		parts.WriteString(part(name, "", value))
	}
	b.Run("multipart=10", func(b *testing.B) { benchmarkSubmission(b, form, []byte(parts.String()+"--B--\r\n"), false) })
	file := make([]byte, 1<<20)
	for i := range file {
		file[i] = byte(i * i >> 3)
	}
	b.Run("file=1MiB", func(b *testing.B) {
		benchmarkSubmission(b, form, []byte(part("up", "; filename=\"a.bin\"\r\nContent-Type: application/octet-stream", string(file))+"--B--\r\n"), false)
	})
	lines := bytes.Repeat([]byte("a,spread,sheet,of,short,lines\r\n"), 1<<20/31)
	b.Run("csv=1MiB", func(b *testing.B) {
		benchmarkSubmission(b, form, []byte(part("up", "; filename=\"a.csv\"\r\nContent-Type: text/csv", string(lines))+"--B--\r\n"), false)
	})
	b.Run("text=1MiB", func(b *testing.B) {
		benchmarkSubmission(b, form, []byte(part("note", "", string(lines))+"--B--\r\n"), false)
	})
	api := orderOptions("application/json")
	b.Run("json", func(b *testing.B) {
		benchmarkSubmission(b, api, []byte(`{"name":"Ada Lovelace","email":"ada@example.com","amount":120.00,"lines":[{"sku":"A-1","n":2},{"sku":"B-7","n":1}],"note":null}`), false)
	})
}
