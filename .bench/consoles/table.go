package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
)

// The quantities, as they are printed.
const (
	firstFrame   = "first frame, ms"
	content      = "content, ms"
	firstKey     = "first key, ms"
	helpKey      = "a key that opens the help, ms"
	key          = "a key that moves the selection, ms"
	keyBytes     = "bytes of it"
	memory       = "memory, MiB"
	memoryAll    = "... with all processes"
	idleCPU      = "idle: CPU, ms a minute"
	idleSwitches = "idle: switches a second"
	idleBytes    = "idle: bytes a second"
	leave        = "leave, ms"
	term         = "TERM"
)

var quantities = []string{
	firstFrame, content, firstKey, helpKey, key, keyBytes, memory, memoryAll, idleCPU, idleSwitches, idleBytes, leave,
}

// report prints the medians, of a hundred or more the 95th of a hundred, the least and
// the most, and what a peer's median is to nod's.
func report(all []*figures) error {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "median / p95 (least to most); × of nod's\t")
	for _, f := range all {
		fmt.Fprintf(w, "%s\t", f.name)
	}
	fmt.Fprintln(w)
	for _, q := range quantities {
		fmt.Fprintf(w, "%s\t", q)
		for _, f := range all {
			fmt.Fprintf(w, "%s\t", cell(f.values[q], all[0].values[q]))
		}
		fmt.Fprintln(w)
	}
	for _, by := range []string{leave, term} {
		fmt.Fprintf(w, "still switched after %s\t", strings.TrimSuffix(by, ", ms"))
		for _, f := range all {
			switch modes, ok := f.modes[by]; {
			case !ok:
				fmt.Fprint(w, "-\t")
			case len(modes) == 0:
				fmt.Fprint(w, "nothing\t")
			default:
				fmt.Fprintf(w, "%s\t", strings.Join(modes, " "))
			}
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}

// cell is what stands in the table for a program's values, beside those of nod.
func cell(values, nods []float64) string {
	if len(values) == 0 {
		return "-"
	}
	text := short(at(values, 50))
	if len(values) >= 100 {
		text += " / " + short(at(values, 95))
	}
	if len(values) > 1 {
		text += fmt.Sprintf(" (%s to %s)", short(slices.Min(values)), short(slices.Max(values)))
	}
	if len(nods) > 0 && &values[0] != &nods[0] && at(nods, 50) > 0 {
		text += fmt.Sprintf("; %s×", short(at(values, 50)/at(nods, 50)))
	}
	return text
}

func at(values []float64, percent int) float64 {
	return slices.Sorted(slices.Values(values))[len(values)*percent/100]
}

// short is a number with two digits that count.
func short(v float64) string {
	if v < 10 {
		return fmt.Sprintf("%.2g", v)
	}
	return fmt.Sprintf("%.0f", v)
}
