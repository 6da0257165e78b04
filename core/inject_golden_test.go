package core

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Pages as frameworks and people write them. testdata/inject/NAME.golden is the output, a line of dashes, and what
// the Injector says of it.
func TestInjectsIntoRealPages(t *testing.T) {
	files, err := filepath.Glob("testdata/inject/*.html")
	if err != nil || len(files) < 12 {
		t.Fatalf("%d pages, %v; want a dozen", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".html"), func(t *testing.T) {
			page, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := injected(string(page), filepath.Base(file), 0)
			for _, size := range []int{1, 3, 100} {
				if cut := injected(string(page), filepath.Base(file), size); cut != got {
					t.Errorf("in chunks of %d:\n got %s\nwant %s", size, cut, got)
				}
			}
			name := strings.TrimSuffix(file, ".html") + ".golden"
			if *update {
				if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

// injected sends a page through an Injector with everything switched on.
func injected(page, name string, size int) string {
	n, calls := counting("/shop/orders/new?from=cart")
	mint := n.Mint
	n.Mint = func(method, path string, repeat bool) string {
		if method == "PUT" { // as if a rule named it, and no other
			method = "POST"
		}
		return mint(method, path, repeat)
	}
	n.Upstream = "http://127.0.0.1:3000"
	n.Redisplay = []string{"is-invalid", "field_with_errors"}
	n.Turbo = strings.HasPrefix(name, "turbo")
	n.Script, n.Nonce = `<script src="/_singleshot/singleshot.js" defer></script>`, "r4nd0m"
	out, j := inject(n, page, size)
	var b strings.Builder
	b.WriteString(out + "\n----\n")
	for _, c := range *calls {
		fmt.Fprintf(&b, "key for %s", c.Path)
		if c.Repeat {
			b.WriteString(", repeat")
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "redisplayed: %v\n", j.Redisplayed())
	return b.String()
}
