// Program bench measures Singleshot against what one would run otherwise, side by side in one run: a bare
// pass-through Worker, the same three branches by hand in JavaScript, the same flow on stock syumai/workers, and
// the guard with the engine of each compiler. Each runs in a workerd of its own, without wrangler's proxy, in
// front of one origin and one KV, both in this process. It prints Markdown.
//
//	go run ./bench            about three minutes
//	go run ./bench -quick     about half a minute
//
// Times depend on the machine and on what else it does: compare the rows of one run, not two runs.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"time"
)

func main() {
	quick := flag.Bool("quick", false, "short bursts: to see that it works, not to quote")
	rounds := flag.Int("rounds", 4, "how often each pair of candidate and scenario is measured")
	burst := flag.Duration("burst", 2*time.Second, "how long each time")
	only := flag.String("only", "", "candidates, separated by commas")
	flag.Parse()
	if *quick {
		*rounds, *burst = 1, 800*time.Millisecond
	}
	if err := run(*rounds, *burst, *only); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(rounds int, burst time.Duration, only string) error {
	dir, err := os.MkdirTemp("", "singleshot-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	origin, err := startOrigin()
	if err != nil {
		return err
	}
	defer origin.close()

	var racers []*racer
	defer func() {
		for _, r := range racers {
			r.stop()
		}
	}()
	// A stopped run stops what it started.
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt)
	go func() {
		<-interrupted
		for _, r := range racers {
			r.stop()
		}
		os.Exit(1)
	}()

	starts := 5
	if rounds == 1 {
		starts = 2
	}
	for _, c := range candidates {
		if only != "" && !strings.Contains(","+only+",", ","+c.short+",") {
			continue
		}
		r, err := newRacer(c, dir, origin, starts)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		racers = append(racers, r)
	}
	for round := range rounds {
		for _, s := range scenarios {
			for i := range racers {
				r := racers[(i+round)%len(racers)]
				if err := r.burst(s, burst); err != nil {
					return fmt.Errorf("%s, %s: %w", r.name, s.name, err)
				}
			}
		}
	}
	fmt.Printf("workerd on %s/%s, %d CPUs, %d rounds of %s, load average %s\n\n", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), rounds, burst, loadAverage())
	report(os.Stdout, racers)
	return nil
}

// loadAverage says how busy the machine is, where it can be known.
func loadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	first, _, _ := strings.Cut(string(text), " ")
	return first
}
