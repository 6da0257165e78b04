package simulator

import (
	"math"

	"github.com/anishathalye/porcupine"

	"github.com/singleshot-edge/singleshot/core"
)

// operation is one operation on a record as its guard saw it through the network: it began when the guard asked
// and ended when the guard heard. An operation whose answer was lost has no end.
type operation struct {
	call, ret int64
	serial    int
	act       act // of a swap; none of a read
	old, next core.Version
	seen      core.Version
	lapsed    bool
	result    result
}

type result uint8

const (
	resultNone    result = iota // nothing was heard, or nothing that says anything
	resultDone                  // the swap was carried out
	resultShown                 // what is there was shown: a refused swap, or news for a waiter
	resultReplay                // the visitor got the committed answer
	resultEnd                   // the record's time was over, or an operator forgot it
	resultIgnored               // merged into another one, or superfluous
)

// history is what happened to one record.
type history []operation

func (r *record) noteCall(w *world, c *carrier, k *call) {
	if !w.histories {
		return
	}
	w.ticks++
	op := operation{call: w.ticks, ret: math.MaxInt64, serial: c.serial, old: k.old, lapsed: k.lapsed}
	if k.kind == callSwap {
		op.act, op.next = k.means.kind, k.version
	}
	r.history = append(r.history, op)
	k.noted = len(r.history)
}

func (r *record) noteReturn(w *world, c *carrier, k *call, event *core.Event) {
	if !w.histories || k.noted == 0 {
		return
	}
	op := &r.history[k.noted-1]
	switch event.Kind {
	case core.EventSwapped:
		op.result = resultDone
	case core.EventRefused, core.EventChanged:
		op.result, op.seen = resultShown, event.Version
	default:
		return
	}
	w.ticks++
	op.ret = w.ticks
}

// shown corrects the last return of a carrier to what a planted defect made of it.
func (r *record) shown(c *carrier, event *core.Event) {
	for i := len(r.history) - 1; i >= 0; i-- {
		if op := &r.history[i]; op.serial == c.serial && op.result == resultShown {
			op.seen = event.Version
			return
		}
	}
}

// noteReplay is a read that the visitor saw: it lies between his request and his answer.
func (r *record) noteReplay(w *world, c *carrier) {
	if !w.histories {
		return
	}
	w.ticks++
	r.history = append(r.history, operation{call: c.asked, ret: w.ticks, serial: c.serial, seen: c.seenVersion, result: resultReplay})
}

func (r *record) noteEnd(w *world) {
	if !w.histories {
		return
	}
	w.ticks++
	r.history = append(r.history, operation{call: w.ticks, ret: w.ticks, result: resultEnd})
}

// checker turns histories into what porcupine checks. Its buffers are kept.
type checker struct {
	versions   []core.Version
	operations []porcupine.Operation
	steps      []step
}

// step is an operation with versions as small numbers, 0 for absent.
type step struct {
	result          result
	act             act
	old, next, seen int
	lapsed          bool
}

// register is a record as a sequence of operations makes it: a version, and what was written with it.
// The state is version × 4 + act.
var register = porcupine.Model{
	Init: func() any { return 0 },
	Step: func(state, input, _ any) (bool, any) {
		at, s := state.(int), input.(*step)
		version, is := at/4, act(at%4)
		switch s.result {
		case resultEnd:
			return true, 0
		case resultReplay:
			return version == s.seen && is == actCommit, at
		case resultShown:
			return version == s.seen && (s.act == actNone || version != s.old || s.lapsed), at
		}
		ok := version == s.old
		if s.act == actClaim {
			ok = ok && is != actCommit
		} else {
			ok = ok && is == actClaim
		}
		return ok, s.next*4 + int(s.act)
	},
}

// checkHistories asks porcupine for each record whether what the guards and visitors saw can have happened in
// some order.
func (w *world) checkHistories() {
	for _, r := range w.recordPool[:w.usedRecords] {
		if len(r.history) < 2 || r.again || len(r.history) > longest {
			continue
		}
		w.tally.Histories++
		w.tally.Operations += int64(len(r.history))
		if !w.checker.linearizable(r.history) {
			w.broken("porcupine", r, "no order of operations explains what the guards saw of R%d", r.index)
			return
		}
	}
}

func (h *checker) linearizable(ops history) bool {
	ops.drop()
	return h.explains(ops)
}

// explains asks porcupine, for whom every read costs time.
func (h *checker) explains(ops history) bool {
	h.versions = append(h.versions[:0], core.Version{})
	h.operations, h.steps = h.operations[:0], h.steps[:0]
	// A swap that was repeated with the same version is one operation.
	for i := range ops {
		op := &ops[i]
		if op.act == actNone || op.result == resultIgnored {
			continue
		}
		if op.result == resultShown && op.seen == op.next {
			op.result = resultDone // it recognised itself
		}
		for j := i + 1; j < len(ops) && op.result == resultNone; j++ {
			again := &ops[j]
			if again.serial != op.serial || again.act != op.act || again.next != op.next {
				continue
			}
			switch {
			case again.result == resultDone, again.result == resultShown && again.seen == again.next:
				op.result, op.ret = resultDone, again.ret
				again.result = resultIgnored
			case again.result == resultNone:
				again.result = resultIgnored
			}
		}
	}
	// Whether a swap without an answer was carried out is told by who saw what it wrote. If nobody did, it makes
	// no difference.
	for found := true; found; {
		found = false
		for i := range ops {
			if op := &ops[i]; op.act != actNone && op.result == resultNone && ops.saw(op.next, i) {
				op.result, found = resultDone, true
			}
		}
	}
	for i := range ops {
		op := &ops[i]
		if op.result == resultIgnored || op.result == resultNone {
			continue
		}
		h.steps = append(h.steps, step{
			result: op.result, act: op.act, lapsed: op.lapsed,
			old: h.number(op.old), next: h.number(op.next), seen: h.number(op.seen),
		})
		h.operations = append(h.operations, porcupine.Operation{ClientId: op.serial, Call: op.call, Return: op.ret})
	}
	for i := range h.operations {
		h.operations[i].Input = &h.steps[i]
	}
	return porcupine.CheckOperations(register, h.operations)
}

// longest is how many operations a history may have; beyond, porcupine takes too long.
const longest = 100

// drop takes out every read that another one makes superfluous, because it shows the same and lies within it: wherever
// that has its place, this may stand beside it. When sixty wait for one record, or forty get its replay, porcupine would
// try their orders one by one.
func (ops history) drop() {
	for i := range ops {
		for j := range ops {
			a, b := &ops[i], &ops[j]
			if i != j && a.call <= b.call && b.ret <= a.ret && a.follows(b) {
				a.result = resultIgnored
				break
			}
		}
	}
}

// follows says whether a read holds wherever another one does. A replay says more than that something was shown: it
// was a commit.
func (op *operation) follows(b *operation) bool {
	if op.seen != b.seen {
		return false
	}
	if op.result == resultReplay {
		return b.result == resultReplay
	}
	return op.result == resultShown && op.seen != op.next && (op.seen != op.old || op.lapsed) &&
		(b.result == resultReplay || b.result == resultShown && b.seen != b.next)
}

// saw says whether any other operation shows that a version was written.
func (ops history) saw(v core.Version, but int) bool {
	for i := range ops {
		op := &ops[i]
		if i != but && (op.seen == v || op.old == v && op.result == resultDone) {
			return true
		}
	}
	return false
}

func (h *checker) number(v core.Version) int {
	for i := range h.versions {
		if h.versions[i] == v {
			return i
		}
	}
	h.versions = append(h.versions, v)
	return len(h.versions) - 1
}
