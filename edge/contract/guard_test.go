//go:build unix

package contract_test

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/singleshot-edge/singleshot/edge/workerd"
)

const (
	secret      = "contract-suite-secret-0123456789abcdef"
	otherSecret = "contract-suite-rotated-fedcba9876543210"
	adminSecret = "contract-suite-admin-0123456789"
)

// guard is one running guard and the fake origin behind it.
type guard struct {
	base   string // "http://127.0.0.1:PORT", no slash at the end
	origin *origin

	// The rest is empty for a guard that somebody else started (GUARD_URL).
	entry  string // its wrangler.toml, seen from the repository's root
	vars   map[string]string
	state  string // the folder of what it stores
	worker *workerd.Worker
	child  *handlerProcess // of subject handler
	log    *workerd.Log
}

// config is what a test wants of a guard of its own. The zero value is the main guard's.
type config struct {
	entry string            // "" means the deployed guard's wrangler.toml
	rules string            // JSON; "" means testdata/rules.json
	vars  map[string]string // added to, or replacing, the main guard's; the value "-" leaves a variable out
}

var (
	mainOnce  sync.Once
	mainGuard *guard
	mainErr   error

	buildOnce sync.Once
	buildErr  error
)

// shared returns the guard that most tests use: one start, the rules of testdata/rules.json, and a fake origin
// on which every test has paths of its own. The test runs in parallel to others from here on. It is skipped in
// a -short run, and nowhere else.
func shared(t *testing.T) *guard {
	t.Helper()
	if testing.Short() {
		t.Skip("needs the guard in workerd: not part of -short")
	}
	t.Parallel()
	mainOnce.Do(func() {
		if base := os.Getenv("GUARD_URL"); base != "" {
			mainGuard, mainErr = foreign(base, os.Getenv("ORIGIN_PORT"))
			return
		}
		mainGuard, mainErr = start(config{})
	})
	if mainErr != nil {
		t.Fatal(mainErr)
	}
	return mainGuard
}

// own starts a guard for one case of TestAGuardOfItsOwn, with its own configuration, state and origin.
func own(t *testing.T, c config) *guard {
	t.Helper()
	if testing.Short() {
		t.Skip("needs the guard in workerd: not part of -short")
	}
	if os.Getenv("GUARD_URL") != "" {
		t.Skip("GUARD_URL is set: this test starts, configures and restarts a guard of its own")
	}
	if c.entry != "" && subject != "guard" {
		t.Skip("this test needs an entry of the Worker")
	}
	g, err := start(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		g.stop()
		g.origin.close()
		os.RemoveAll(g.state)
		if t.Failed() {
			t.Logf("the guard's log:\n%s", g.log.Tail(60))
		}
	})
	return g
}

func foreign(base, originPort string) (*guard, error) {
	if originPort == "" {
		return nil, errors.New("contract: GUARD_URL needs ORIGIN_PORT, the port on 127.0.0.1 that the guard forwards to")
	}
	o, err := startOrigin("127.0.0.1:" + originPort)
	if err != nil {
		return nil, err
	}
	return &guard{base: strings.TrimRight(base, "/"), origin: o}, nil
}

func start(c config) (*guard, error) {
	if err := built(); err != nil {
		return nil, err
	}
	o, err := startOrigin("127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	rules := c.rules
	if rules == "" {
		b, err := os.ReadFile("testdata/rules.json")
		if err != nil {
			return nil, err
		}
		rules = string(b)
	}
	state, err := os.MkdirTemp("", "singleshot-contract-")
	if err != nil {
		return nil, err
	}
	g := &guard{origin: o, state: state, entry: cmp.Or(c.entry, entries[subject]), vars: map[string]string{
		"ORIGIN_URL":        o.url,
		"SINGLESHOT_SECRET": secret,
		"SINGLESHOT_ADMIN":  adminSecret,
		"RULES":             rules,
	}}
	for k, v := range c.vars {
		g.vars[k] = v
	}
	if err := g.run(); err != nil {
		o.close()
		os.RemoveAll(state)
		return nil, err
	}
	return g, nil
}

// root is the repository's root, seen from this package's folder.
func root() string {
	dir, err := filepath.Abs("../..")
	if err != nil {
		panic(err)
	}
	return dir
}

// built makes sure, once, that what wrangler needs is there. It does not look whether that is up to date: make does.
func built() error {
	buildOnce.Do(func() {
		for need, target := range map[string]string{"build/guard.wasm": "build", "build/browser/files.js": "build",
			"node_modules/.bin/wrangler": "build", "edge/contract/worker/build/app.wasm": "workers"} {
			if _, err := os.Stat(filepath.Join(root(), need)); err != nil {
				c := exec.Command("make", target)
				c.Dir = root()
				if out, err := c.CombinedOutput(); err != nil {
					buildErr = fmt.Errorf("contract: make %s: %w\n%s", target, err, out)
					return
				}
			}
		}
	})
	return buildErr
}

// run starts the process on a free port (or on the port it had) and returns when it answers.
func (g *guard) run() error {
	if subject == "handler" {
		return g.serve()
	}
	args := []string{"dev", "-c", g.entry}
	for _, name := range slices.Sorted(maps.Keys(g.vars)) {
		if g.vars[name] != "-" {
			args = append(args, "--var", name+":"+g.vars[name])
		}
	}
	return g.wrangler(args)
}

// wrangler runs `wrangler ARGS` from the repository's root.
func (g *guard) wrangler(args []string) error {
	o := workerd.Options{Args: args, State: g.state}
	if g.worker != nil {
		o.Port = g.worker.Port
	}
	w, err := workerd.Start(o)
	if err != nil {
		return err
	}
	g.worker, g.base, g.log = w, w.URL, w.Log
	return nil
}

// stop ends the guard at once, as a crash would, and waits until it is gone.
func (g *guard) stop() {
	if g.child != nil {
		g.child.stop()
	}
	if g.worker != nil {
		g.worker.Stop()
	}
}

// restart ends the guard and starts it again on the same port, over the same stored state.
func (g *guard) restart(t *testing.T) {
	t.Helper()
	g.stop()
	if err := g.run(); err != nil {
		t.Fatal(err)
	}
}

// stopShared ends the guards that tests share; those that tests start for themselves end with them.
func stopShared() {
	for _, g := range []*guard{mainGuard, faultyGuard} {
		if g != nil {
			g.stop()
			os.RemoveAll(g.state)
		}
	}
}
