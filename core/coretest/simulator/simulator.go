// Package simulator tries to break the promise of core.Exchange. It drives the real exchange with simulated guards,
// claim stores, KV, an origin and visitors, all in one thread and in simulated time, and lets go wrong what can:
// messages are lost, delayed, repeated and overtaken, guards die at any step or stand still, claim stores
// restart, clocks disagree, KV lies, the origin breaks, visitors click twice, edit, leave and come back.
// After every step it holds what happened against the invariants I1 to I9 (ARCHITECTURE.md), and at the end each
// record's history against a register, with porcupine.
//
// A seed decides everything. The same seed is the same simulation on every machine, and can be told as a story.
package simulator

import "io"

// Simulator runs one simulation after another. It is not safe for concurrent use; make one for each goroutine.
type Simulator struct{ w *world }

// New makes a simulator. With histories every record's history goes through porcupine, which costs more than the
// simulation itself.
func New(histories bool) *Simulator {
	w := newWorld()
	w.histories = histories
	return &Simulator{w}
}

// Run runs the simulation of a seed and returns what was violated, or nil.
func (s *Simulator) Run(seed uint64) *Violation { return s.w.run(seed) }

// CheckHistories says whether the simulations to come go through porcupine.
func (s *Simulator) CheckHistories(check bool) { s.w.histories = check }

// Tally is what happened in all simulations so far.
func (s *Simulator) Tally() *Tally { return &s.w.tally }

// Tell runs the simulation of a seed and writes its story: of the record with that number, or of all. 0 is the
// record that is violated, if one is; -1 is always all.
func (s *Simulator) Tell(seed uint64, to io.Writer, record int) *Violation {
	s.w.story = new(Story)
	defer func() { s.w.story = nil }()
	v := s.w.run(seed)
	if v != nil && record == 0 {
		record = v.Record
	}
	s.w.story.Write(to, record)
	return v
}
