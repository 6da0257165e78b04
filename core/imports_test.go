package core

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestImportsStaySmall holds the list of what core may import: no clock, no I/O, nothing that is large in wasm or
// that TinyGo cannot build (ARCHITECTURE.md).
func TestImportsStaySmall(t *testing.T) {
	allowed := []string{
		"bytes", "crypto/subtle", "encoding/base64", "encoding/binary", "errors", "math/bits", "slices", "sort", "strconv",
		"strings", "unicode/utf8",
		"unsafe", // a view of a JSON body as text: jsonbody.go
		"github.com/cloudflare/circl/cipher/ascon", "github.com/cloudflare/circl/xof/k12",
	}
	files, err := fs.Glob(os.DirFS("."), "*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no source files: %v", err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range file.Imports {
			if path, _ := strconv.Unquote(spec.Path.Value); !slices.Contains(allowed, path) {
				t.Errorf("%s imports %s", name, path)
			}
		}
	}
}
