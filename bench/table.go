package main

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// report writes the figures as Markdown: a table for each scenario, then sizes and starts, then the ratios that
// the goals speak of.
func report(w io.Writer, racers []*racer) {
	var bare *racer
	for _, r := range racers {
		if r.short == "pass" {
			bare = r
		}
	}
	for _, s := range scenarios {
		fmt.Fprintf(w, "**%s** (%d connections)\n\n", s.name, s.connections)
		fmt.Fprintln(w, "| | requests/s | p50, ms | p99, ms | CPU/request, ms | over pass-through, ms | peak memory, MB |")
		fmt.Fprintln(w, "|---|---:|---:|---:|---:|---:|---:|")
		for _, r := range racers {
			f := r.of[s]
			over := ""
			if bare != nil && r != bare {
				over = fmt.Sprintf("%.2f", f.each()-bare.of[s].each())
			}
			took := f.sorted()
			fmt.Fprintf(w, "| %s | %.0f | %.1f | %.1f | %.2f | %s | %d |\n", r.name, median(f.rates),
				ms(quantile(took, 0.5)), ms(quantile(took, 0.99)), f.each(), over, f.peak>>20)
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w, "| | bytes | gzip | first page after a start, ms |")
	fmt.Fprintln(w, "|---|---:|---:|---:|")
	for _, r := range racers {
		raw, zipped, err := r.size()
		if err != nil {
			fmt.Fprintf(w, "| %s | %v | | |\n", r.name, err)
			continue
		}
		fmt.Fprintf(w, "| %s | %s | %s | %.1f |\n", r.name, thousands(raw), thousands(zipped), ms(median(r.first)))
	}
	fmt.Fprintln(w)
	ratios(w, racers)
}

func ratios(w io.Writer, racers []*racer) {
	of := map[string]*racer{}
	for _, r := range racers {
		of[r.short] = r
	}
	ours, bare := of["tinygo"], of["pass"]
	if ours == nil || bare == nil {
		return
	}
	for _, s := range []*scenario{fresh, first, replay} {
		fmt.Fprintf(w, "- %s: CPU that the guard adds to a guarded POST: %.2f ms.\n", s.name, ours.of[s].each()-bare.of[s].each())
	}
	if js := of["js"]; js != nil {
		// Each round is one pair, measured within seconds of each other.
		for _, s := range []*scenario{fresh, first, replay, pages} {
			var pairs []float64
			for i := range ours.of[s].rates {
				pairs = append(pairs, ours.of[s].rates[i]/js.of[s].rates[i])
			}
			fmt.Fprintf(w, "- %s: requests a second of the Worker by hand in JavaScript: ×%.2f; its CPU: ×%.2f.\n",
				s.name, median(pairs), ours.of[s].each()/js.of[s].each())
		}
	}
	if stock := of["stock"]; stock != nil {
		for _, s := range scenarios {
			fmt.Fprintf(w, "- %s: CPU of stock syumai/workers: 1/%.0f.\n", s.name, stock.of[s].each()/ours.of[s].each())
		}
	}
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// thousands writes a number with commas.
func thousands(n int) string {
	text := fmt.Sprint(n)
	var parts []string
	for len(text) > 3 {
		parts = append([]string{text[len(text)-3:]}, parts...)
		text = text[:len(text)-3]
	}
	return strings.Join(append([]string{text}, parts...), ",")
}
