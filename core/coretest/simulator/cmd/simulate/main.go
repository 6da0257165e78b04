// Command simulate looks for a way to break the promise of core.Exchange, seed after seed, and tells the story of
// the first one that does (docs/simulator.md).
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/singleshot-edge/singleshot/core/coretest/simulator"
)

func main() {
	exchanges := flag.Int64("exchanges", 10_000_000, "how many exchanges to simulate")
	seed := flag.Uint64("seed", 1, "the first seed; the next ones follow")
	histories := flag.Uint64("histories", 8, "check the histories of every so manieth simulation with porcupine; 0: of none")
	workers := flag.Int("workers", runtime.GOMAXPROCS(0), "simulations side by side")
	story := flag.Uint64("story", 0, "tell the story of this seed instead")
	record := flag.Int("record", 0, "with -story: of this record alone; -1: of all, also where one is violated")
	defect := flag.String("plant", "", "plant this defect first; ? lists them")
	quiet := flag.Bool("quiet", false, "say nothing but what is violated")
	flag.Parse()
	if *defect == "?" {
		for _, d := range simulator.Defects {
			fmt.Printf("%-40s %s (%s)\n", d.Name, d.Why, strings.Join(d.Found, ", "))
		}
		return
	}
	// Nearly everything is garbage at once: fewer, larger collections.
	debug.SetGCPercent(800)
	if *story > 0 {
		os.Exit(tell(*story, *record, *defect))
	}
	began := time.Now()
	tally, violation := run(*seed, *exchanges, *histories, *workers, *defect, progress(*quiet, *exchanges))
	if violation != nil {
		fmt.Println(violation)
		if !*quiet {
			tell(violation.Seed, 0, *defect)
		}
		os.Exit(1)
	}
	if !*quiet {
		tally.Write(os.Stdout)
		took := time.Since(began)
		fmt.Printf("0 violations; seeds %d to %d; %.0f exchanges a second on %d at a time, %s\n", *seed,
			*seed+uint64(tally.Simulations)-1, float64(tally.Exchanges)/took.Seconds(), *workers, took.Round(time.Second))
	}
}

// run simulates seed after seed until there are enough exchanges, or a violation: of all found, the lowest seed.
func run(first uint64, enough int64, every uint64, workers int, defect string, report func(int64)) (*simulator.Tally, *simulator.Violation) {
	var next, done atomic.Int64
	var lock sync.Mutex
	var all sync.WaitGroup
	total := new(simulator.Tally)
	var found *simulator.Violation
	for range workers {
		all.Go(func() {
			s := newSimulator(defect)
			for before := int64(0); done.Load() < enough; {
				seed := first + uint64(next.Add(1)-1)
				s.CheckHistories(every > 0 && seed%every == 0)
				v := s.Run(seed)
				done.Add(s.Tally().Exchanges - before)
				before = s.Tally().Exchanges
				if v != nil {
					done.Store(enough)
					lock.Lock()
					if found == nil || v.Seed < found.Seed {
						found = v
					}
					lock.Unlock()
					break
				}
				report(done.Load())
			}
			lock.Lock()
			total.Add(s.Tally())
			lock.Unlock()
		})
	}
	all.Wait()
	return total, found
}

func newSimulator(defect string) *simulator.Simulator {
	s := simulator.New(true)
	if defect != "" {
		if err := s.Plant(defect); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
	}
	return s
}

// tell tells a story; the result is the exit code.
func tell(seed uint64, record int, defect string) int {
	v := newSimulator(defect).Tell(seed, os.Stdout, record)
	if v == nil {
		return 0
	}
	again := fmt.Sprintf("go run ./core/coretest/simulator/cmd/simulate -story %d", seed)
	if defect != "" {
		again += fmt.Sprintf(" -plant %q", defect)
	}
	fmt.Printf("\n%v\nagain: %s\n", v, again)
	return 1
}

// progress returns what tells every ten seconds how far the simulation is.
func progress(quiet bool, enough int64) func(int64) {
	began := time.Now()
	var last atomic.Int64
	return func(done int64) {
		took := int64(time.Since(began) / time.Second)
		if was := last.Load(); !quiet && took >= was+10 && last.CompareAndSwap(was, took) {
			fmt.Fprintf(os.Stderr, "%3d %% after %d s: %d exchanges, %d a second\n", done*100/enough, took, done, done/took)
		}
	}
}
