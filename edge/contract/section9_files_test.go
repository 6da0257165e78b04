//go:build unix

package contract_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// TestTheFilesOfTheModule reads what a browser loads.
func TestTheFilesOfTheModule(t *testing.T) {
	g := shared(t)
	const why = `<script src="/_singleshot/singleshot.js" defer></script>; content-hashed, immutable, compressed`
	v := g.visitor(t)
	get := func(path string, headers ...string) *reply {
		return v.send(request{method: http.MethodGet, path: path, header: headers})
	}
	loader := get("/_singleshot/singleshot.js", "Accept-Encoding", "identity").must(why, wants{status: 200, outcome: "-", header: []string{
		"Content-Type", "text/javascript; charset=utf-8", "Content-Encoding", "", "Vary", "Accept-Encoding", "X-Content-Type-Options", "nosniff",
	}})
	if cc := loader.header.Get("Cache-Control"); !strings.HasPrefix(cc, "public, max-age=300") {
		t.Errorf("Cache-Control of the loader = %q; want a short time", cc)
	}
	zipped := get("/_singleshot/singleshot.js", "Accept-Encoding", "gzip").must(why, wants{status: 200, header: []string{"Content-Encoding", "gzip"}})
	if z, err := gzip.NewReader(bytes.NewReader(zipped.body)); err != nil {
		t.Error(err)
	} else if text, err := io.ReadAll(z); err != nil || !bytes.Equal(text, loader.body) {
		t.Errorf("%d bytes out of gzip, %v; want the same %d", len(text), err, len(loader.body))
	}
	get("/_singleshot/singleshot.js", "Accept-Encoding", "br").must(why, wants{status: 200, header: []string{"Content-Encoding", "br"}})
	get("/_singleshot/singleshot.js", "If-None-Match", `"x", `+loader.header.Get("ETag")).must(why, wants{status: 304})
	v.send(request{method: http.MethodHead, path: "/_singleshot/singleshot.js"}).must(why, wants{status: 200})
	v.send(request{method: http.MethodPost, path: "/_singleshot/singleshot.js"}).must("not-found 404 under /_singleshot/", wants{status: 404})

	for pattern, media := range map[string]string{
		`page-[0-9a-f]{12}\.js`: "text/javascript; charset=utf-8", `singleshot-[0-9a-f]{12}\.wasm`: "application/wasm",
	} {
		name := regexp.MustCompile(pattern).Find(loader.body)
		if name == nil {
			t.Errorf("the loader names no %s", pattern)
			continue
		}
		get("/_singleshot/"+string(name), "Accept-Encoding", "br").must(why, wants{status: 200, header: []string{
			"Content-Type", media, "Content-Encoding", "br", "Cache-Control", "public, max-age=31536000, immutable", "X-Content-Type-Options", "nosniff",
		}})
	}
	for _, path := range []string{"page-000000000000.js", "constructor", "singleshot.js/", "%73ingleshot.js"} {
		v.send(request{method: http.MethodGet, path: "/_singleshot/" + path, mode: asJSON}).must("not-found 404 under /_singleshot/", wants{status: 404, problem: "not-found"})
	}
}
