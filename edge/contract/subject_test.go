//go:build unix

package contract_test

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"
)

// subject is what keeps the contract: the guard in workerd, or edge.Handler in a Go server.
var subject = orGuard(os.Getenv("SUBJECT"))

func orGuard(name string) string {
	if name == "" {
		return "guard"
	}
	return name
}

// entries are the Workers of the subjects that run in workerd, seen from the repository's root.
var entries = map[string]string{"guard": "wrangler.toml", "worker": "edge/contract/worker/wrangler.toml"}

// exception is a case that cannot apply to a subject, in the way in which -skip names it.
type exception struct{ test, why string }

// Beside these, what makes the Worker's bindings fail is left out (faulty and own, where they start such an entry),
// and what needs a browser (chromium).
var handlerExceptions = []exception{
	{"TestPlacesAtTheOriginsHostAreRewritten", "the application is in the same process: it has no host of its own that could show"},
	{"TestAGuardOfItsOwn/AConnectionThatWasNeverMadeIsARelease", "there is no connection to the application"},
	{"TestAGuardOfItsOwn/TheLogMayLeaveOutWhatIsOrdinary", "its slog.Handler leaves out levels"},
	{"TestAnAnswerCutInItsCompressionIsUnknown", "the application compresses by itself, and has answered when its handler returns"},
	{"TestAStormOfDuplicatesSparesTheClaimStore", "it asks its store each time"},
	{"TestTheDemoInARealBrowser", "it starts the demo Worker and a browser"},
}

var workerExceptions = []exception{
	{"TestPlacesAtTheOriginsHostAreRewritten", "the application is in the same process: it has no host of its own that could show"},
	{"TestAGuardOfItsOwn/AConnectionThatWasNeverMadeIsARelease", "there is no connection to the application"},
	{"TestAGuardOfItsOwn/TheLogMayLeaveOutWhatIsOrdinary", "its slog.Handler leaves out levels"},
	{"TestWebSocketUpgradesPass", "syumai/workers hands no upgrade to a Go application"},
	{"TestTheFilesOfTheModule", "on Workers the platform's static assets serve them"},
	{"TestAStormOfDuplicatesSparesTheClaimStore", "it asks its store each time"},
	{"TestTheDemoInARealBrowser", "it starts the demo Worker and a browser"},
}

// TestAGoApplicationKeepsTheContract runs this suite against edge.Handler, in a Go server and on Workers, one after
// the other: a Go instance for each request is work enough beside the guard's own tests.
func TestAGoApplicationKeepsTheContract(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the whole suite: not part of -short")
	}
	if subject != "guard" || os.Getenv("GUARD_URL") != "" {
		t.Skip("another subject was asked for")
	}
	t.Parallel()
	t.Run("in a server", func(t *testing.T) { keeps(t, "handler", 8, handlerExceptions) })
	t.Run("on Workers", func(t *testing.T) { keeps(t, "worker", 4, workerExceptions) })
}

// keeps runs this test binary once more, with another subject.
func keeps(t *testing.T, name string, parallel int, exceptions []exception) {
	var skip []string
	for _, e := range exceptions {
		skip = append(skip, "^"+strings.ReplaceAll(e.test, "/", "$/^")+"$")
	}
	c := exec.Command(os.Args[0], fmt.Sprintf("-test.parallel=%d", parallel), "-test.timeout=10m", "-test.skip="+strings.Join(skip, "|"), "-test.v")
	c.Env = append(os.Environ(), "SUBJECT="+name)
	began := time.Now()
	out, err := c.CombinedOutput()
	ran := regexp.MustCompile(`(?m)^--- PASS: `).FindAll(out, -1)
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, failures(out))
	}
	t.Logf("%s: %d tests in %v", name, len(ran), time.Since(began).Round(time.Second))
}

// failures are the lines of a verbose run that say what went wrong: all but the names of what ran and passed.
func failures(out []byte) string {
	noise := regexp.MustCompile(`^\s*(=== |--- PASS|--- SKIP)`)
	why := regexp.MustCompile(`^\s*\w+_test\.go:\d+: (the entry of these faults|a browser does the same|this test needs an entry|another subject)`)
	var kept []string
	for line := range strings.Lines(string(out)) {
		if !noise.MatchString(line) && !why.MatchString(line) {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}
