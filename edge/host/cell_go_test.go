//go:build unix

package host_test

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/singleshot-edge/singleshot/core/coretest"
	"github.com/singleshot-edge/singleshot/edge"
	"github.com/singleshot-edge/singleshot/edge/workerd"
)

// TestCellFromGo asks the cell through edge.DurableObject, in a Go application on Workers.
func TestCellFromGo(t *testing.T) {
	if testing.Short() {
		t.Skip("needs workerd: not part of -short")
	}
	root, err := workerd.Root()
	if err != nil {
		t.Fatal(err)
	}
	const built = "edge/contract/worker/build/app.wasm"
	if _, err := os.Stat(filepath.Join(root, built)); err != nil {
		if out, err := exec.Command("make", "-C", root, built).CombinedOutput(); err != nil {
			t.Fatalf("make %s: %v\n%s", built, err, out)
		}
	}
	o := workerd.Options{State: t.TempDir(), Args: []string{"dev", "-c", "edge/contract/worker/wrangler.toml",
		"--var", "SINGLESHOT_SECRET:a-secret-for-tests-0123456789abcdef"}}
	var w *workerd.Worker
	start := func() {
		t.Helper()
		if w, err = workerd.Start(o); err != nil {
			t.Fatal(err)
		}
	}
	start()
	o.Port = w.Port
	t.Cleanup(func() {
		w.Stop()
		if t.Failed() {
			t.Logf("the Worker's log:\n%s", w.Log.Tail(60))
		}
	})
	c := &cell{url: w.URL, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: edge.MostWaiters}}}
	t.Cleanup(c.client.CloseIdleConnections)
	coretest.TestStore(t, func(*testing.T) coretest.StoreUnderTest {
		return coretest.StoreUnderTest{Store: c, Restart: func() {
			w.Stop()
			c.client.CloseIdleConnections()
			start()
		}}
	})
}
