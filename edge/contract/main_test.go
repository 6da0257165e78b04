//go:build unix

package contract_test

import (
	"flag"
	"fmt"
	"os"
	"testing"
)

// TestMain runs the tests with room for those that wait for a slow origin, and ends the guard that they share.
func TestMain(m *testing.M) {
	if os.Getenv("HANDLER_STATE") != "" {
		serveHandler()
	}
	flag.Parse()
	if !flagGiven("test.parallel") {
		// Most of these tests wait for something; two cores are enough for eight of them.
		if err := flag.Set("test.parallel", "8"); err != nil {
			fmt.Fprintln(os.Stderr, "contract:", err)
			os.Exit(1)
		}
	}
	code := m.Run()
	stopShared()
	os.Exit(code)
}

func flagGiven(name string) bool {
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == name })
	return given
}
