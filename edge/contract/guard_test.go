//go:build unix

package contract_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
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
	vars    map[string]string
	port    int
	state   string // the directory of --persist-to
	command *exec.Cmd
	leash   io.WriteCloser // the group ends when this closes, also when the test binary dies
	log     *watchedLog
}

// config is what a test wants of a guard of its own. The zero value is the main guard's.
type config struct {
	rules string            // JSON; "" means testdata/rules.json
	vars  map[string]string // added to, or replacing, the main guard's; the value "-" leaves a variable out
}

var (
	mainOnce  sync.Once
	mainGuard *guard
	mainErr   error

	runningMu sync.Mutex
	running   []*guard

	ownSlot = make(chan struct{}, 1)

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

// own starts a guard for one test, with its own configuration, state and origin. The test runs in parallel to
// others, but only one of its kind at a time: each starts a wrangler and a workerd.
func own(t *testing.T, c config) *guard {
	t.Helper()
	if testing.Short() {
		t.Skip("needs the guard in workerd: not part of -short")
	}
	if os.Getenv("GUARD_URL") != "" {
		t.Skip("GUARD_URL is set: this test starts, configures and restarts a guard of its own")
	}
	t.Parallel()
	ownSlot <- struct{}{}
	t.Cleanup(func() { <-ownSlot })
	g, err := start(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		g.stop()
		g.origin.close()
		os.RemoveAll(g.state)
		if t.Failed() {
			t.Logf("the guard's log:\n%s", g.log.tail(60))
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
	g := &guard{origin: o, state: state, vars: map[string]string{
		"ORIGIN_URL":        o.url,
		"SINGLESHOT_SECRET": secret,
		"SINGLESHOT_ADMIN":  adminSecret,
		"RULES":             rules,
	}}
	for k, v := range c.vars {
		g.vars[k] = v
	}
	if err := g.run(); err != nil {
		g.stop()
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
		for _, need := range []string{"build/guard.wasm", "node_modules/.bin/wrangler"} {
			if _, err := os.Stat(filepath.Join(root(), need)); err != nil {
				c := exec.Command("make", "build")
				c.Dir = root()
				if out, err := c.CombinedOutput(); err != nil {
					buildErr = fmt.Errorf("contract: make build: %w\n%s", err, out)
				}
				return
			}
		}
	})
	return buildErr
}

// run starts the process on a free port (or on the port it had) and returns when it answers.
func (g *guard) run() error {
	args := []string{"dev", "-c", "wrangler.toml"}
	for _, name := range slices.Sorted(maps.Keys(g.vars)) {
		if g.vars[name] != "-" {
			args = append(args, "--var", name+":"+g.vars[name])
		}
	}
	return g.wrangler(args)
}

// wrangler runs `wrangler ARGS` from the repository's root. The shell in between holds the leash: it ends its
// whole process group as soon as its standard input closes, so that neither a panic nor a timeout of the test
// binary leaves a workerd behind.
func (g *guard) wrangler(args []string) error {
	var last error
	for range 3 { // another process may take the free port first
		if g.port == 0 {
			p, err := freePort()
			if err != nil {
				return err
			}
			g.port = p
		}
		inspector, err := freePort()
		if err != nil {
			return err
		}
		noSecrets := filepath.Join(g.state, "env") // keeps a developer's .dev.vars out
		if err := os.WriteFile(noSecrets, nil, 0o600); err != nil {
			return err
		}
		full := slices.Concat([]string{"-c", `
			("$@" </dev/null; echo "the guard's process ended with $?") &
			cat >/dev/null
			kill -KILL 0`, "leash", "wrangler"}, args, []string{
			"--ip", "127.0.0.1", "--port", fmt.Sprint(g.port), "--inspector-port", fmt.Sprint(inspector),
			"--persist-to", g.state, "--env-file", noSecrets, "--show-interactive-dev-session=false"})
		c := exec.Command("sh", full...)
		c.Dir = root()
		c.Env = g.environment()
		c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		g.leash, err = c.StdinPipe()
		if err != nil {
			return err
		}
		g.log = newWatchedLog()
		c.Stdout, c.Stderr = g.log, g.log
		if err := c.Start(); err != nil {
			return err
		}
		g.command = c
		g.base = fmt.Sprintf("http://127.0.0.1:%d", g.port)
		runningMu.Lock()
		running = append(running, g)
		runningMu.Unlock()
		line, err := g.log.wait(0, regexp.MustCompile(`Ready on http|the guard's process ended`), 5*time.Minute) // a busy machine
		if err == nil && strings.Contains(line, "Ready on http") {
			return g.answers()
		}
		g.stop()
		last = fmt.Errorf("contract: the guard did not start:\n%s", g.log.tail(60))
		if !strings.Contains(g.log.tail(60), "already in use") {
			break
		}
		g.port = 0
	}
	return last
}

// environment gives wrangler the Node that npm installed, and keeps it silent, offline and alone.
func (g *guard) environment() []string {
	return append(os.Environ(),
		"PATH="+filepath.Join(root(), "node_modules", ".bin")+string(os.PathListSeparator)+os.Getenv("PATH"),
		"CI=1", "NO_COLOR=1", "FORCE_COLOR=0", "WRANGLER_SEND_METRICS=false", "WRANGLER_HIDE_BANNER=true", "CLOUDFLARE_CF_FETCH_ENABLED=false",
		"WRANGLER_REGISTRY_PATH="+filepath.Join(g.state, "registry"), // else it finds the demo of a developer's `make dev`
		"WRANGLER_LOG_PATH="+filepath.Join(g.state, "logs"))
}

// answers waits until a request gets through to the worker.
func (g *guard) answers() error {
	var last error
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		res, err := http.Get(g.base + "/contract-suite-ready")
		if err == nil {
			res.Body.Close()
			return nil
		}
		last = err
	}
	return fmt.Errorf("contract: no answer from %s: %w\n%s", g.base, last, g.log.tail(60))
}

// stop ends the process group at once, as a crash would, and waits until it is gone.
func (g *guard) stop() {
	if g.command == nil {
		return
	}
	syscall.Kill(-g.command.Process.Pid, syscall.SIGKILL)
	g.leash.Close()
	g.command.Wait()
	g.command = nil
	runningMu.Lock()
	running = slices.DeleteFunc(running, func(o *guard) bool { return o == g })
	runningMu.Unlock()
}

// restart ends the guard and starts it again on the same port, over the same stored state.
func (g *guard) restart(t *testing.T) {
	t.Helper()
	g.stop()
	if err := g.run(); err != nil {
		t.Fatal(err)
	}
}

func stopAll() {
	runningMu.Lock()
	all := slices.Clone(running)
	runningMu.Unlock()
	for _, g := range all {
		g.stop()
		os.RemoveAll(g.state)
	}
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// watchedLog keeps the lines that a process prints and lets tests wait for one.
type watchedLog struct {
	w       *io.PipeWriter
	mu      sync.Mutex
	lines   []string
	changed chan struct{}
}

func newWatchedLog() *watchedLog {
	r, w := io.Pipe()
	l := &watchedLog{w: w, changed: make(chan struct{})}
	go func() {
		s := bufio.NewScanner(r)
		s.Buffer(nil, 1<<20)
		for s.Scan() {
			l.mu.Lock()
			l.lines = append(l.lines, s.Text())
			close(l.changed)
			l.changed = make(chan struct{})
			l.mu.Unlock()
		}
		io.Copy(io.Discard, r)
	}()
	return l
}

func (l *watchedLog) Write(p []byte) (int, error) { return l.w.Write(p) }

// mark is the place in the log where the next line will stand.
func (l *watchedLog) mark() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.lines)
}

// since returns the lines from a mark on.
func (l *watchedLog) since(mark int) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.lines[mark:], "\n")
}

func (l *watchedLog) tail(n int) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.lines[max(0, len(l.lines)-n):], "\n")
}

// wait returns the first line from the mark on that matches.
func (l *watchedLog) wait(mark int, want *regexp.Regexp, limit time.Duration) (string, error) {
	deadline := time.NewTimer(limit)
	defer deadline.Stop()
	for {
		l.mu.Lock()
		for ; mark < len(l.lines); mark++ {
			if want.MatchString(l.lines[mark]) {
				line := l.lines[mark]
				l.mu.Unlock()
				return line, nil
			}
		}
		changed := l.changed
		l.mu.Unlock()
		select {
		case <-changed:
		case <-deadline.C:
			return "", fmt.Errorf("contract: no log line matches %v", want)
		}
	}
}
