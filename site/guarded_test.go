//go:build unix

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/singleshot-edge/singleshot/edge/workerd"
)

// guarded is the address of the guard in front of the demo, as `make dev` runs them: both in workerd, D1 with its
// migrations, the demo's rules, the browser module in its pages, and the admin secret on both sides. All tests
// share it.
func guarded(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("needs workerd and a browser: not part of -short")
	}
	worker, err := guardedOnce()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the log of the Workers:\n%s", worker.Log.Tail(40))
		}
	})
	return worker.URL
}

var (
	endGuarded  = func() {}
	guardedOnce = sync.OnceValues(func() (*workerd.Worker, error) {
		root, err := workerd.Root()
		if err != nil {
			return nil, err
		}
		for file, target := range map[string]string{"build/guard.wasm": "build", "site/build/app.wasm": "site"} {
			if _, err := os.Stat(filepath.Join(root, file)); err != nil {
				make := exec.Command("make", target)
				make.Dir = root
				if out, err := make.CombinedOutput(); err != nil {
					return nil, errorText("make " + target + ": " + string(out))
				}
			}
		}
		state, err := os.MkdirTemp("", "singleshot-site-")
		if err != nil {
			return nil, err
		}
		endGuarded = func() { os.RemoveAll(state) }
		demo, err := demoConfig(root, state)
		if err != nil {
			return nil, err
		}
		migrate, err := workerd.Wrangler(state, "d1", "migrations", "apply", "ORDERS", "--local", "-c", "site/wrangler.toml", "--persist-to", state)
		if err != nil {
			return nil, err
		}
		if out, err := migrate.CombinedOutput(); err != nil {
			return nil, errorText("migrations: " + string(out))
		}
		rules, err := os.ReadFile(filepath.Join(root, "site/rules.json"))
		if err != nil {
			return nil, err
		}
		worker, err := workerd.Start(workerd.Options{State: state, Args: []string{"dev", "-c", "wrangler.toml", "-c", demo,
			"--var", "SINGLESHOT_SECRET:" + strings.Repeat("demo", 12), "--var", "SINGLESHOT_ADMIN:" + adminSecret,
			"--var", "RULES:" + string(rules), "--var", "INJECT_SCRIPT:true"}})
		if err == nil {
			endGuarded = func() { worker.Stop(); os.RemoveAll(state) }
		}
		return worker, err
	})
)

const adminSecret = "site-test-admin-0123456789"

type errorText string

func (e errorText) Error() string { return string(e) }

// demoConfig writes the demo's wrangler.toml again with the admin secret in it: --var reaches the guard only.
func demoConfig(root, state string) (string, error) {
	content, err := os.ReadFile(filepath.Join(root, "site/wrangler.toml"))
	if err != nil {
		return "", err
	}
	text := string(content)
	for _, name := range []string{"main", "directory", "migrations_dir"} {
		before, after, found := strings.Cut(text, "\n"+name+` = "`)
		if !found {
			return "", errorText("site/wrangler.toml has no " + name)
		}
		text = before + "\n" + name + ` = "` + filepath.Join(root, "site") + "/" + after
	}
	quoted, err := json.Marshal(adminSecret)
	if err != nil {
		return "", err
	}
	path := filepath.Join(state, "demo.toml")
	return path, os.WriteFile(path, []byte(text+"\n[vars]\nSINGLESHOT_ADMIN = "+string(quoted)+"\n"), 0o600)
}
