//go:build unix

package host_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/singleshot-edge/singleshot/edge/workerd"
)

// The engine's instance alone, in Node: its memory and its handles. What the guard does of it is in edge/contract/faults_trap_test.go.
func TestEngine(t *testing.T) {
	if testing.Short() {
		t.Skip("needs the built engine and Node: not part of -short")
	}
	root, err := workerd.Root()
	if err != nil {
		t.Fatal(err)
	}
	node := filepath.Join(root, "node_modules/.bin/node") // of package.json; the machine's may be too old
	check := exec.Command(node, "edge/host/testdata/engine.mjs", "build/guard.wasm")
	check.Dir = root
	if out, err := check.CombinedOutput(); err != nil {
		t.Errorf("engine.mjs: %v\n%s", err, out)
	}
}
