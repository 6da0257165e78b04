//go:build unix

package main

import (
	"flag"
	"os"
	"testing"
)

// TestMain ends what the tests share: one browser, and one guard with the demo behind it.
func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	endChromium()
	endGuarded()
	os.Exit(code)
}
