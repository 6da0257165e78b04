package main

import (
	"fmt"
	"io"
)

// report prints findings as they come, one a line, and counts them.
type report struct {
	out             io.Writer
	faults, unables int
	hidden          bool // something that matters cannot be seen from here
}

func (r *report) title(text string) { fmt.Fprintln(r.out, text) }

func (r *report) line(word, what, format string, args ...any) {
	fmt.Fprintf(r.out, "  %-6s %-18s %s\n", word, what, fmt.Sprintf(format, args...))
}

// ok is something that is as it should be.
func (r *report) ok(what, format string, args ...any) { r.line("ok", what, format, args...) }

// note is something that may be meant so.
func (r *report) note(what, format string, args ...any) { r.line("note", what, format, args...) }

// fault is something that is wrong.
func (r *report) fault(what, format string, args ...any) {
	r.faults++
	r.line("FAULT", what, format, args...)
}

// unable is something that could not be looked at.
func (r *report) unable(what, format string, args ...any) {
	r.unables++
	r.line("FAULT", what, format, args...)
}

// end says how it is altogether and returns the exit status.
func (r *report) end() int {
	switch {
	case r.unables > 0:
		fmt.Fprintln(r.out, "Could not look at everything.")
		return 2
	case r.faults == 1:
		fmt.Fprintln(r.out, "One thing is wrong.")
		return 1
	case r.faults > 0:
		fmt.Fprintf(r.out, "%d things are wrong.\n", r.faults)
		return 1
	}
	if r.hidden {
		fmt.Fprintln(r.out, "Nothing is wrong that can be seen from here.")
		return 0
	}
	fmt.Fprintln(r.out, "Nothing is wrong.")
	return 0
}
