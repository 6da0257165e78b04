//go:build unix

package workerd

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

// A busy machine takes its time to start Node and workerd.
const (
	startLimit  = 5 * time.Minute
	answerLimit = 2 * time.Minute
)

// Options say what to run.
type Options struct {
	// Args are wrangler's, beginning with "dev", as they are given in the repository's root. Address, state
	// and log are added to them.
	Args []string
	// State is the folder for what the Worker stores and wrangler writes. A Worker that starts over the same
	// folder finds what was stored there.
	State string
	// Port on 127.0.0.1; 0 takes a free one.
	Port int
}

// Worker is a Worker that runs.
type Worker struct {
	URL  string // "http://127.0.0.1:PORT", no slash at the end
	Port int
	Log  *Log // what wrangler and the Worker print

	command *exec.Cmd
	leash   io.WriteCloser // the group ends when this closes, also when the test binary dies
}

// Start runs a Worker and returns when it answers. Stop has to be called, but a test binary that dies without
// it leaves nothing running either.
func Start(o Options) (*Worker, error) {
	root, err := Root()
	if err != nil {
		return nil, err
	}
	var w *Worker
	for range 3 { // another process may take the free port first
		w, err = start(root, o)
		if err == nil || !strings.Contains(err.Error(), "already in use") {
			return w, err
		}
	}
	return nil, err
}

func start(root string, o Options) (*Worker, error) {
	w := &Worker{Port: o.Port, Log: NewLog()}
	inspector, err := FreePort()
	if err == nil && w.Port == 0 {
		w.Port, err = FreePort()
	}
	if err != nil {
		return nil, err
	}
	w.URL = fmt.Sprintf("http://127.0.0.1:%d", w.Port)
	if err := os.MkdirAll(scratch(o.State), 0o700); err != nil {
		return nil, err
	}
	noSecrets := filepath.Join(o.State, "env") // keeps a developer's .dev.vars out
	if err := os.WriteFile(noSecrets, nil, 0o600); err != nil {
		return nil, err
	}
	// The shell in between holds the leash: it ends its whole process group as soon as its standard input
	// closes, so that neither a panic nor a timeout of the test binary leaves a workerd behind.
	c := exec.Command("sh", slices.Concat([]string{"-c", `
		("$@" </dev/null; echo "wrangler ended with $?") &
		cat >/dev/null
		kill -KILL 0`, "leash", "wrangler"}, o.Args, []string{
		"--ip", "127.0.0.1", "--port", fmt.Sprint(w.Port), "--inspector-port", fmt.Sprint(inspector),
		"--persist-to", o.State, "--env-file", noSecrets, "--show-interactive-dev-session=false"})...)
	c.Dir, c.Env = root, environment(root, o.State)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Stdout, c.Stderr = w.Log, w.Log
	if w.leash, err = c.StdinPipe(); err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	w.command = c
	line, err := w.Log.Wait(0, regexp.MustCompile(`Ready on http|wrangler ended with|Build failed with`), startLimit)
	if err == nil && !strings.Contains(line, "Ready on http") {
		err = errors.New(line)
	}
	if err == nil {
		err = w.answers()
	}
	if err != nil {
		w.Stop()
		return nil, fmt.Errorf("workerd: the Worker did not start: %w\n%s", err, w.Log.Tail(60))
	}
	return w, nil
}

// answers waits until a request gets through to the Worker; what it answers does not count.
func (w *Worker) answers() error {
	var last error
	for end := time.Now().Add(answerLimit); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		res, err := http.Get(w.URL + "/is-it-there")
		if err == nil {
			return res.Body.Close()
		}
		last = err
	}
	return last
}

// Stop ends the Worker at once, as a crash would, and waits until it is gone. A second call does nothing.
func (w *Worker) Stop() {
	if w.command == nil {
		return
	}
	_ = syscall.Kill(-w.command.Process.Pid, syscall.SIGKILL) // it may have ended by itself
	w.leash.Close()
	_ = w.command.Wait() // "killed"
	w.command = nil
}

// Wrangler is a run of wrangler in the repository's root that ends by itself. State is the folder for what it writes;
// "--persist-to" and the folder of a Worker among args let it see what that has stored.
func Wrangler(state string, args ...string) (*exec.Cmd, error) {
	root, err := Root()
	if err != nil {
		return nil, err
	}
	c := exec.Command(filepath.Join(root, "node_modules", ".bin", "wrangler"), args...)
	c.Dir, c.Env = root, environment(root, state)
	return c, os.MkdirAll(scratch(state), 0o700)
}

// environment gives wrangler the Node that npm installed, and keeps it silent, offline and alone.
func environment(root, state string) []string {
	return append(os.Environ(),
		"PATH="+filepath.Join(root, "node_modules", ".bin")+string(os.PathListSeparator)+os.Getenv("PATH"),
		"CI=1", "NO_COLOR=1", "FORCE_COLOR=0",
		"WRANGLER_SEND_METRICS=false", "WRANGLER_HIDE_BANNER=true", "CLOUDFLARE_CF_FETCH_ENABLED=false",
		"WRANGLER_REGISTRY_PATH="+filepath.Join(state, "registry"), // else it finds the demo of a developer's `make dev`
		"WRANGLER_LOG_PATH="+filepath.Join(state, "logs"),
		"TMPDIR="+scratch(state))
}

// scratch is where wrangler has its temporary files, which it does not get to remove.
func scratch(state string) string { return filepath.Join(state, "tmp") }

// Root is the repository's root: the folder of go.mod, at or above the folder that a test runs in. Wrangler
// has to be installed there.
func Root() (string, error) {
	dir, err := os.Getwd()
	for ; err == nil; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("workerd: no go.mod above the test's folder")
		}
	}
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(filepath.Join(dir, "node_modules", ".bin", "wrangler")); err != nil {
		return "", fmt.Errorf("workerd: wrangler is not installed, `make build` does it: %w", err)
	}
	return dir, nil
}

// FreePort returns a port of 127.0.0.1 that nobody listens on. Another process may take it first.
func FreePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
