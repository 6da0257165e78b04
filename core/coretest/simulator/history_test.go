package simulator

import (
	"math"
	"slices"
	"testing"

	"github.com/singleshot-edge/singleshot/core"
)

func TestRegisterTellsWhatCannotHaveHappened(t *testing.T) {
	var none core.Version
	a, b, c := core.Version{1}, core.Version{2}, core.Version{3}
	const never = math.MaxInt64
	claim := func(call, ret int64, serial int, old, next core.Version, r result, seen core.Version) operation {
		return operation{call: call, ret: ret, serial: serial, act: actClaim, old: old, next: next, result: r, seen: seen}
	}
	commit := func(call, ret int64, serial int, old, next core.Version, r result) operation {
		return operation{call: call, ret: ret, serial: serial, act: actCommit, old: old, next: next, result: r}
	}
	read := func(call, ret int64, seen core.Version) operation {
		return operation{call: call, ret: ret, serial: 9, result: resultShown, seen: seen}
	}
	for _, tt := range []struct {
		why  string
		ops  history
		want bool
	}{
		{"a claim, a commit and a duplicate that is shown it", history{
			claim(1, 2, 1, none, a, resultDone, none), commit(3, 4, 1, a, b, resultDone), claim(5, 6, 2, none, c, resultShown, b)}, true},
		{"two claims of one absence", history{
			claim(1, 4, 1, none, a, resultDone, none), claim(2, 3, 2, none, b, resultDone, none)}, false},
		{"a read that shows the claim after the commit was acknowledged", history{
			claim(1, 2, 1, none, a, resultDone, none), commit(3, 4, 1, a, b, resultDone), read(5, 6, a)}, false},
		{"a read that began before that", history{
			claim(1, 2, 1, none, a, resultDone, none), commit(4, 6, 1, a, b, resultDone), read(3, 7, a)}, true},
		{"an acknowledgement that was lost, seen by a reader", history{
			claim(1, never, 1, none, a, resultNone, none), read(2, 3, a)}, true},
		{"one that nobody saw", history{claim(1, never, 1, none, a, resultNone, none), read(2, 3, none)}, true},
		{"a write that nobody made", history{claim(1, 2, 1, none, a, resultDone, none), read(3, 4, b)}, false},
		{"the repeat that recognises itself is one write", history{
			claim(1, never, 1, none, a, resultNone, none), claim(3, 4, 1, none, a, resultShown, a), read(5, 6, a)}, true},
		{"a claim over a commit", history{
			claim(1, 2, 1, none, a, resultDone, none), commit(3, 4, 1, a, b, resultDone), claim(5, 6, 2, b, c, resultDone, none)}, false},
		{"a claim after the record's time", history{
			claim(1, 2, 1, none, a, resultDone, none), commit(3, 4, 1, a, b, resultDone),
			{call: 5, ret: 5, result: resultEnd}, claim(6, 7, 2, none, c, resultDone, none)}, true},
		{"a commit of a claim that was taken over", history{
			claim(1, 2, 1, none, a, resultDone, none), claim(3, 4, 2, a, b, resultDone, none), commit(5, 6, 1, a, c, resultDone)}, false},
		{"a replay of what was only claimed", history{
			claim(1, 2, 1, none, a, resultDone, none), {call: 3, ret: 4, serial: 2, result: resultReplay, seen: a}}, false},
	} {
		var h checker
		if got := h.linearizable(slices.Clone(tt.ops)); got != tt.want {
			t.Errorf("%s: linearizable = %v; want %v", tt.why, got, tt.want)
		}
	}
}

// TestDroppedReadsChangeNoVerdict holds short histories of any kind against what porcupine says of all their reads.
func TestDroppedReadsChangeNoVerdict(t *testing.T) {
	c := newChance(1)
	var verdicts [2]int
	dropped := 0
	for range 30_000 {
		// Two runs of a record, so that many histories are possible, and reads of it.
		versions := [5]core.Version{{}, {1}, {2}, {3}, {4}}
		ops := history{
			{call: 10, ret: 20 + c.below(30), serial: 1, act: actClaim, next: versions[1], result: resultDone},
			{call: 50, ret: 55 + c.below(30), serial: 1, act: actCommit, old: versions[1], next: versions[2], result: resultDone},
		}
		for i := range 2 + c.pick(5) {
			from := c.below(100)
			op := operation{call: from, ret: from + 1 + c.below(60), serial: 2 + i, seen: versions[c.pick(3)], result: resultReplay}
			if c.pick(2) == 0 {
				op.result, op.lapsed, op.old = resultShown, c.pick(4) == 0, versions[c.pick(3)]
				if c.pick(2) == 0 {
					op.act, op.next = actClaim, versions[3+c.pick(2)]
				}
			}
			if op.seen == versions[0] && op.result == resultReplay {
				op.seen = versions[2]
			}
			ops = append(ops, op)
		}
		var h checker
		without := slices.Clone(ops)
		without.drop()
		for _, op := range without {
			dropped += bit(op.result == resultIgnored)
		}
		got, want := h.linearizable(slices.Clone(ops)), h.explains(slices.Clone(ops))
		if got != want {
			t.Fatalf("linearizable = %v without the reads that were dropped, %v with them: %+v", got, want, ops)
		}
		verdicts[bit(got)]++
	}
	if verdicts[0] < 1000 || verdicts[1] < 1000 || dropped < 1000 {
		t.Fatalf("%d histories are wrong, %d right, and %d reads were dropped; want some of each", verdicts[0], verdicts[1], dropped)
	}
}
