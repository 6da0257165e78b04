package core

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// The vectors are references put together at random and what Node's URL made of them: the path if it is of the
// base's origin, else "elsewhere", "nowhere" for javascript:, "invalid".
func TestResolvesPlacesLikeABrowser(t *testing.T) {
	data, err := os.ReadFile("testdata/inject/places.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors []struct{ Base, Ref, Want string }
	if err := json.Unmarshal(data, &vectors); err != nil {
		t.Fatal(err)
	}
	for _, v := range vectors {
		i := strings.Index(v.Base, "//") + 2
		i += strings.IndexByte(v.Base[i:], '/')
		j := NewInjector(Injection{Site: v.Base[:i], Page: v.Base[i:]})
		got, at := j.resolve(v.Ref)
		switch at {
		case elsewhere:
			got = "elsewhere"
		case nowhere:
			got = "nowhere"
		}
		if got != v.Want && !(v.Want == "invalid" && got == "elsewhere") {
			t.Errorf("%q in %s = %q; want %q", v.Ref, v.Base, got, v.Want)
		}
	}
}

// FuzzResolvePlace: a path that a key is made for is absolute, in ASCII, without query, fragment and dot
// segments, and resolves to itself; and what is rewritten is at the site then.
func FuzzResolvePlace(f *testing.F) {
	for _, s := range []string{"/orders", "../a", "https:x", "//127.0.0.1:3000/x", "http://127.0.0.1:3000", "\\\\x", "?a", "%2e%2e/x", " http&colon;//127.0.0.1:3000?x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, ref string) {
		j := NewInjector(Injection{Site: "https://shop.example", Page: "/a/b?c", Upstream: "http://127.0.0.1:3000"})
		path, at := j.resolve(ref)
		if at == onSite {
			if path == "" || path[0] != '/' || strings.ContainsAny(path, "?#\\\t\n\r ") {
				t.Fatalf("resolve(%q) = %q; want a path", ref, path)
			}
			for _, s := range strings.Split(path, "/") {
				if dots(s) > 0 {
					t.Fatalf("resolve(%q) = %q; want no dot segments", ref, path)
				}
			}
			if again, at := j.resolve("https://shop.example" + path); at != onSite || again != path {
				t.Fatalf("resolve(%q) = %q, and again %q", ref, path, again)
			}
		}
		if n := j.upstreamEnd([]byte(ref)); n > 0 {
			decoded := string(appendValue(nil, []byte(ref)))
			rewritten := string(appendValue(nil, []byte(j.n.Site+ref[n:])))
			was, wasAt := j.resolve(decoded)
			if is, isAt := j.resolve(rewritten); wasAt != onSite || isAt != onSite || is != was {
				t.Fatalf("%q is at %q (%v), rewritten to %q it is at %q (%v)", ref, was, wasAt, rewritten, is, isAt)
			}
		}
	})
}
