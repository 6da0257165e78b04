package simulator

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// TestPromiseHolds is the short run: seeds that are the same every time, and as many that are not. `make simulate`
// is the long one.
func TestPromiseHolds(t *testing.T) {
	simulations := 1200
	few := testing.Short() || raced
	if few {
		simulations = 200
	}
	random := rand.Uint64() >> 16
	t.Logf("seeds 1 to %d and %d to %d", simulations, random, random+uint64(simulations)-1)
	s := New(true)
	for _, first := range []uint64{1, random} {
		for i := range uint64(simulations) {
			if v := s.Run(first + i); v != nil {
				var story bytes.Buffer
				s.Tell(v.Seed, &story, 0)
				t.Fatalf("%v\n%s", v, &story)
			}
		}
	}
	if testing.Verbose() {
		var tally bytes.Buffer
		s.Tally().Write(&tally)
		t.Logf("what happened:\n%s", &tally)
	}
	// A run in which something never happened would prove nothing about it.
	for _, c := range s.Tally().counts() {
		if *c.n == 0 && !few {
			t.Errorf("0 %s; want some", c.text)
		}
	}
	for i, word := range statusWords {
		if s.Tally().Answers[i] == 0 {
			t.Errorf("0 answers %s; want some", word)
		}
	}
}

func TestSeedDecidesEverything(t *testing.T) {
	tell := func(s *Simulator, seed uint64) string {
		var story bytes.Buffer
		if v := s.Tell(seed, &story, -1); v != nil {
			t.Fatal(v)
		}
		return story.String()
	}
	used := New(true)
	for seed := range uint64(20) {
		used.Run(seed + 1)
	}
	length := 0
	for seed := uint64(30); seed < 50; seed++ {
		first, again := tell(New(false), seed), tell(used, seed)
		if first != again {
			t.Fatalf("the story of seed %d is another one in a simulator that has told others", seed)
		}
		length += len(first)
	}
	if length < 20_000 {
		t.Fatalf("twenty stories have %d bytes; want more", length)
	}
}

func TestStoryOfAPlantedDefect(t *testing.T) {
	s := New(true)
	if err := s.Plant("failed swap counts as made"); err != nil {
		t.Fatal(err)
	}
	for seed := uint64(1); seed < 1000; seed++ {
		v := s.Run(seed)
		if v == nil {
			continue
		}
		var story bytes.Buffer
		if again := s.Tell(seed, &story, 0); again == nil || *again != *v {
			t.Fatalf("Tell(%d) = %v; want %v", seed, again, v)
		}
		for _, want := range []string{"lease ", " submits form ", "~ ", "! " + v.Invariant} {
			if !bytes.Contains(story.Bytes(), []byte(want)) {
				t.Errorf("the story does not say %q:\n%s", want, &story)
			}
		}
		return
	}
	t.Fatal("not found")
}

func TestQueueGivesTheEarliestFirst(t *testing.T) {
	c := newChance(1)
	var q queue
	var last due
	for range 10_000 {
		if len(q) > 0 && c.pick(5) < 2 {
			d := q.pop()
			if d.order < last.order {
				t.Fatalf("pop = %v after %v", d, last)
			}
			last = d
			continue
		}
		q.push(due{order: last.order + uint64(c.below(50_000))})
	}
	for len(q) > 0 {
		d := q.pop()
		if d.order < last.order {
			t.Fatalf("pop = %v after %v", d, last)
		}
		last = d
	}
}
