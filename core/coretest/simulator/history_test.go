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
