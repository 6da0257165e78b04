package edge

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/singleshot-edge/singleshot/core"
)

// module are the files of the browser module (contract §9), by name.
type module map[string]*moduleFile

type moduleFile struct {
	media, cache, tag string
	content           map[string][]byte // by content coding; "identity" is the file as it is
}

// moduleNames are the files that `make build` puts into build/browser: each as it is, and compressed.
var moduleNames = regexp.MustCompile(`^(singleshot\.js|page-[0-9a-f]+\.js|singleshot-[0-9a-f]+\.wasm)\.(identity|gzip|br)\.bin$`)

// readModule reads the files of the browser module.
func readModule(files fs.FS) (module, error) {
	if files == nil {
		return nil, nil
	}
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		return nil, fmt.Errorf("edge: Module: %w", err)
	}
	m := module{}
	for _, entry := range entries {
		parts := moduleNames.FindStringSubmatch(entry.Name())
		if parts == nil {
			continue
		}
		content, err := fs.ReadFile(files, entry.Name())
		if err != nil {
			return nil, fmt.Errorf("edge: Module: %w", err)
		}
		f := m[parts[1]]
		if f == nil {
			f = &moduleFile{cache: "public, max-age=31536000, immutable", content: map[string][]byte{}}
			f.media = map[string]string{".js": "text/javascript; charset=utf-8", ".wasm": "application/wasm"}[path.Ext(parts[1])]
			m[parts[1]] = f
		}
		f.content[parts[2]] = content
		if parts[2] == "identity" {
			sum := sha256.Sum256(content)
			f.tag = `W/"` + hex.EncodeToString(sum[:12]) + `"` // weak: one for all codings
		}
	}
	loader := m["singleshot.js"]
	if loader == nil {
		return nil, fmt.Errorf("edge: Module: it holds no singleshot.js.identity.bin: give it the folder build/browser")
	}
	loader.cache = "public, max-age=300, stale-while-revalidate=86400"
	for name, f := range m {
		if f.content["identity"] == nil {
			return nil, fmt.Errorf("edge: Module: it holds no %s.identity.bin", name)
		}
	}
	return m, nil
}

// serve answers a request for one of the files, and says whether it did.
func (m module) serve(w http.ResponseWriter, r *http.Request, target string) bool {
	target, _, _ = strings.Cut(target, "?")
	name, ours := strings.CutPrefix(target, core.OwnPath)
	f := m[name]
	if !ours || f == nil || r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	h := w.Header()
	h.Set("Content-Type", f.media)
	h.Set("Cache-Control", f.cache)
	h.Set("ETag", f.tag)
	h.Set("Vary", "Accept-Encoding")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Access-Control-Allow-Origin", "*") // integrity is checked across origins too
	content := f.content["identity"]
	for _, coding := range []string{"br", "gzip"} {
		if f.content[coding] != nil && accepts(r.Header, coding) {
			h.Set("Content-Encoding", coding)
			content = f.content[coding]
			break
		}
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
	return true
}

// accepts says whether a client takes a content coding (RFC 9110 §12.5.3).
func accepts(h http.Header, coding string) bool {
	for one := range strings.SplitSeq(strings.Join(h["Accept-Encoding"], ","), ",") {
		name, weight, _ := strings.Cut(strings.TrimSpace(one), ";")
		if strings.EqualFold(strings.TrimSpace(name), coding) {
			return !slices.Contains([]string{"q=0", "q=0.0", "q=0.00", "q=0.000"}, strings.ReplaceAll(weight, " ", ""))
		}
	}
	return false
}
