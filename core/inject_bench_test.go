package core

import (
	"fmt"
	"strings"
	"testing"
)

// A page of a shop of about 100 KB, with three forms.
func shopPage() string {
	var b strings.Builder
	b.WriteString(`<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Shop</title><link rel="stylesheet" href="/app.css"><style>`)
	for i := range 60 {
		fmt.Fprintf(&b, ".c%d > a { color: #%06x; padding: 0 4px; }\n", i, i*7919)
	}
	b.WriteString(`</style><script>window.app = {"a": 1}; if (1 < 2) { document.title = "<form>"; }</script></head><body>`)
	for i := range 3 {
		fmt.Fprintf(&b, `<form class="order-form" id="f%d" method="post" action="/orders/%d" accept-charset="utf-8">`, i, i)
		for f := range 6 {
			fmt.Fprintf(&b, `<div class="field"><label for="f%d_%d">Field %d</label><input class="input" type="text" id="f%d_%d" name="order[field_%d]" value="" required></div>`+"\n", i, f, f, i, f, f)
		}
		b.WriteString(`<button class="hc-button" data-variant="primary" type="submit" data-hx-post="/orders">Place order</button></form>`)
	}
	for i := 0; b.Len() < 100<<10; i++ {
		fmt.Fprintf(&b, `<article class="card" data-id="%d"><h2><a href="/products/%d">Product %d</a></h2><p>A good product, which does what it says &amp; a bit more. It comes in three sizes and is sent on the same day.</p><img src="/img/%d.webp" alt="Product %d" width="320" height="240" loading="lazy"></article>`+"\n", i, i, i, i, i)
	}
	b.WriteString(`</body></html>`)
	return b.String()
}

// A page of about 100 KB that is little but tags.
func tagPage() string {
	var b strings.Builder
	b.WriteString("<!DOCTYPE html><html><body><table>")
	for i := 0; b.Len() < 100<<10; i++ {
		fmt.Fprintf(&b, `<tr class=r><td><b>%d</b><td><i class="x">a</i><td><br><td><a href=/%d>b</a></tr>`, i, i)
	}
	b.WriteString("</table></body></html>")
	return b.String()
}

// A page of about 100 KB that is mostly text, without a form.
func textPage() string {
	var b strings.Builder
	b.WriteString("<!DOCTYPE html><html><body>")
	for b.Len() < 100<<10 {
		b.WriteString("<p>" + strings.Repeat("The quick brown fox jumps over the lazy dog. ", 8) + "</p>\n")
	}
	b.WriteString("</body></html>")
	return b.String()
}

func benchmarkInject(b *testing.B, page string, n Injection, chunk int) {
	n.Page, n.Site = "/shop", "https://shop.example"
	n.Mint = func(string, string, bool) string { return "ik_0123456789abcdefghijklmnopqrstuvwxyz" }
	src := []byte(page)
	dst := make([]byte, 0, len(src)+4096)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		j := NewInjector(n)
		dst = dst[:0]
		for rest := src; len(rest) > 0; {
			k := min(chunk, len(rest))
			dst = j.Write(dst, rest[:k])
			rest = rest[k:]
		}
		dst = j.Close(dst)
	}
}

func BenchmarkInjectForms(b *testing.B) { benchmarkInject(b, shopPage(), Injection{}, 16<<10) }
func BenchmarkInjectText(b *testing.B)  { benchmarkInject(b, textPage(), Injection{}, 16<<10) }
func BenchmarkInjectTags(b *testing.B)  { benchmarkInject(b, tagPage(), Injection{}, 16<<10) }

// Everything that has to look at attributes.
func BenchmarkInjectLooking(b *testing.B) {
	n := Injection{Redisplay: []string{"is-invalid"}, Upstream: "http://127.0.0.1:3000", Script: "<script src=/x.js defer></script>"}
	benchmarkInject(b, shopPage(), n, 16<<10)
}

// Chunks as small as a slow origin sends them.
func BenchmarkInjectSmallChunks(b *testing.B) { benchmarkInject(b, shopPage(), Injection{}, 64) }
