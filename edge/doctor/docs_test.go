//go:build unix

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/singleshot-edge/singleshot/edge/workerd"
)

const root = "../.."

// configurations are the blocks of TOML in what people copy from.
func configurations(t *testing.T) (blocks []string) {
	t.Helper()
	for _, page := range []string{"README.md", "docs/guide.md", "docs/rules.md", "docs/go.md", "docs/browser.md"} {
		text, err := os.ReadFile(filepath.Join(root, page))
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range regexp.MustCompile("(?ms)^```toml\n(.*?)^```").FindAllStringSubmatch(string(text), -1) {
			blocks = append(blocks, block[1])
		}
	}
	return blocks
}

func TestWhatTheDocsTellToCopyIsRight(t *testing.T) {
	blocks := configurations(t)
	if len(blocks) < 4 {
		t.Fatalf("%d blocks of TOML in the docs; there were more", len(blocks))
	}
	for _, block := range blocks {
		if !strings.Contains(block, "main = ") {
			block = wholeConfig + block
		}
		block = strings.Replace(block, "edge/host/", "", 1)
		if status, said := diagnose(t, nil, "entry.js", "", "wrangler.toml", block, ".dev.vars", "SINGLESHOT_SECRET=0123456789abcdef0123456789abcdef"); status != 0 || strings.Contains(said, "FAULT") {
			t.Errorf("doctor = %d\n%s\nof\n%s", status, said, block)
		}
	}
}

// TestTheWorkersCanBeDeployed does all that a deploy does but to upload, with the README's configuration and with the
// repository's.
func TestTheWorkersCanBeDeployed(t *testing.T) {
	if testing.Short() {
		t.Skip("needs the built guard: not part of -short")
	}
	entry, err := filepath.Abs(filepath.Join(root, "edge/host/entry.js"))
	if err != nil {
		t.Fatal(err)
	}
	readme := filepath.Join(t.TempDir(), "wrangler.toml")
	for _, block := range configurations(t) {
		if strings.Contains(block, `main = "edge/host/entry.js"`) {
			if err := os.WriteFile(readme, []byte(strings.Replace(block, "edge/host/entry.js", entry, 1)), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, config := range []string{readme, "wrangler.toml"} { // from the root, where wrangler runs
		c, err := workerd.Wrangler(t.TempDir(), "deploy", "--dry-run", "-c", config, "--outdir", t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		out, err := c.CombinedOutput()
		for _, want := range []string{"env.CLAIMS (Claims)", "env.ANSWERS", "--dry-run: exiting now"} {
			if err != nil || !strings.Contains(string(out), want) {
				t.Fatalf("wrangler deploy --dry-run -c %s: %v; want %q in\n%s", config, err, want, out)
			}
		}
	}
}
