package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// candidate is one Worker to measure: its modules, by the names under which they import each other, the entry
// first.
type candidate struct {
	short, name string
	modules     []module
	class       string // of its Durable Object
	guarded     bool   // it knows keys
	ours        bool
}

type module struct{ name, file string }

// The files are relative to the repository's root, where the program is run.
var candidates = []candidate{
	{
		short: "pass", name: "bare pass-through",
		modules: []module{{"pass.js", "bench/workers/pass.js"}},
	},
	{
		short: "js", name: "by hand in JavaScript", guarded: true, class: "Cell",
		modules: []module{{"handwritten.js", "bench/workers/handwritten.js"}, {"cell.js", "bench/workers/cell.js"}},
	},
	{
		short: "stock", name: "Go on stock syumai/workers", guarded: true, class: "Cell",
		modules: []module{
			{"stock.js", "bench/workers/stock.js"}, {"cell.js", "bench/workers/cell.js"},
			{"worker.mjs", "build/bench/assets/worker.mjs"}, {"runtime.mjs", "build/bench/assets/runtime.mjs"},
			{"wasm_exec.js", "build/bench/assets/wasm_exec.js"}, {"app.wasm", "build/bench/stock.wasm"},
		},
	},
	{short: "tinygo", name: "**Singleshot, TinyGo**", guarded: true, ours: true, class: "Claims", modules: host("build/guard.wasm")},
	{short: "go", name: "Singleshot, standard Go", guarded: true, ours: true, class: "Claims", modules: host("build/guard-go.wasm")},
}

// host is the guard with that engine, without the files of the browser module.
func host(engine string) []module {
	const wasi = "@bjorn3/browser_wasi_shim"
	modules := []module{
		{"edge/host/entry.js", "edge/host/entry.js"}, {"edge/host/engine.js", "edge/host/engine.js"},
		{"edge/host/cell.js", "edge/host/cell.js"}, {"build/guard.wasm", engine},
		{"wasm/serve.js", "wasm/serve.js"}, {"build/browser/files.js", "bench/workers/nofiles.js"},
		{"edge/host/" + wasi, "node_modules/" + wasi + "/dist/index.js"}, // workerd looks beside the importing module
	}
	for _, file := range []string{"wasi.js", "wasi_defs.js", "fd.js", "fs_mem.js", "fs_opfs.js", "strace.js", "debug.js"} {
		modules = append(modules, module{"edge/host/@bjorn3/" + file, "node_modules/" + wasi + "/dist/" + file})
	}
	return modules
}

// size returns the bytes of all modules, raw and by gzip -9.
func (c *candidate) size() (raw, zipped int, err error) {
	var all bytes.Buffer
	z, err := gzip.NewWriterLevel(&all, gzip.BestCompression)
	if err != nil {
		return 0, 0, err
	}
	for _, m := range c.modules {
		text, err := os.ReadFile(m.file)
		if err != nil {
			return 0, 0, err
		}
		raw += len(text)
		if _, err := z.Write(text); err != nil {
			return 0, 0, err
		}
	}
	err = z.Close()
	return raw, all.Len(), err
}

// secret signs the guard's keys in this run.
const secret = "a-secret-for-the-benchmark-alone"

// config is what workerd is to serve, as Cap'n Proto text, in a file in dir.
func (c *candidate) config(dir string, o *origin) (string, error) {
	var modules strings.Builder
	for _, m := range c.modules {
		path, err := filepath.Abs(m.file)
		if err != nil {
			return "", err
		}
		kind := "esModule"
		if strings.HasSuffix(m.name, ".wasm") {
			kind = "wasm"
		}
		// An embedded path is relative to the file that embeds it.
		relative, err := filepath.Rel(dir, path)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&modules, "    (name = %q, %s = embed %q),\n", m.name, kind, relative)
	}
	storage := ""
	bindings := fmt.Sprintf("(name = \"ORIGIN_URL\", text = %q)", o.url)
	if c.class != "" {
		storage = fmt.Sprintf(`
  durableObjectNamespaces = [(className = %q, uniqueKey = "claims", enableSql = true)],
  durableObjectStorage = (localDisk = "disk"),`, c.class)
		bindings += fmt.Sprintf(`, (name = "CLAIMS", durableObjectNamespace = %q), (name = "ANSWERS", kvNamespace = "answers"),
    (name = "SINGLESHOT_SECRET", text = %q)`, c.class, secret)
	}
	if err := os.MkdirAll(filepath.Join(dir, "disk"), 0o700); err != nil {
		return "", err
	}
	text := fmt.Sprintf(`using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main),
    (name = "internet", network = (allow = ["private"])),
    (name = "answers", external = (address = %q, http = ())),
    (name = "disk", disk = (path = %q, writable = true)),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const main :Workerd.Worker = (
  modules = [
%s  ],
  compatibilityDate = "2026-11-17",%s
  bindings = [%s],
);
`, strings.TrimPrefix(o.kvURL, "http://"), filepath.Join(dir, "disk"), modules.String(), storage, bindings)
	file := filepath.Join(dir, "config.capnp")
	return file, os.WriteFile(file, []byte(text), 0o600)
}
