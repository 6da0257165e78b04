//go:build race

package simulator

// raced says that the race detector is on. It makes a simulation ten times as slow and has nothing to find in
// one that has no second goroutine.
const raced = true
