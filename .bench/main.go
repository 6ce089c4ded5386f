package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// piece is how much an emulator gets at a time.
const piece = 4096

func main() {
	rounds := flag.Int("rounds", 3, "how often each emulator reads each stream; the median counts")
	size := flag.Int("mb", 2, "megabytes of each stream")
	flag.Parse()
	if flag.NArg() > 0 || *rounds < 1 || *size < 1 {
		flag.Usage()
		os.Exit(2)
	}
	all := streams(*size << 20)
	speeds := make([][]float64, len(emulators)) // by emulator and stream, MB/s
	for i := range speeds {
		speeds[i] = make([]float64, len(all))
	}
	for j, s := range all {
		took := make([][]time.Duration, len(emulators))
		for round := range *rounds {
			for i, e := range emulators {
				d, first := read(e, s.bytes)
				took[i] = append(took[i], d)
				if first = strings.TrimRight(first, " \x00"); round == 0 && first != last {
					fmt.Printf("note: %s ends the %s stream with %q\n", e.name, s.name, first)
				}
			}
		}
		for i := range emulators {
			slices.Sort(took[i])
			speeds[i][j] = float64(len(s.bytes)) / 1e6 / took[i][len(took[i])/2].Seconds()
		}
	}
	lines := fullLines(scrollback, cols)
	heaps := make([]float64, len(emulators))
	for i, e := range emulators {
		heaps[i] = heap(e, lines)
	}
	if err := table(all, speeds, heaps); err != nil {
		fmt.Fprintf(os.Stderr, "bench: print the table: %v\n", err)
		os.Exit(1)
	}
}

// read has an emulator read a stream, and returns how long that took and what
// its first row shows then.
func read(e emulator, p []byte) (took time.Duration, first string) {
	t := e.open()
	write(e, t, p[:min(len(p)/8, 64<<10)]) // so that it has grown to its size
	runtime.GC()
	start := time.Now()
	write(e, t, p)
	took = time.Since(start)
	return took, t.firstRow()
}

func write(e emulator, t terminal, p []byte) {
	for len(p) > 0 {
		n := min(len(p), piece)
		if _, err := t.Write(p[:n]); err != nil {
			fmt.Fprintf(os.Stderr, "bench: %s: %v\n", e.name, err)
			os.Exit(1)
		}
		p = p[n:]
	}
}

// heap is how many megabytes of heap an emulator holds after it has read p.
func heap(e emulator, p []byte) float64 {
	before := inUse()
	t := e.open()
	write(e, t, p)
	after := inUse()
	runtime.KeepAlive(t)
	return max(float64(after)-float64(before), 0) / 1e6
}

func inUse() uint64 {
	for range 3 { // finalizers and pools take two
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// table prints MB/s, and for the peers how many times as fast nod is.
func table(all []stream, speeds [][]float64, heaps []float64) error {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	head := "emulator\t"
	for _, s := range all {
		head += s.name + " MB/s\t"
	}
	fmt.Fprintln(w, head+"heap MB\t")
	for i, e := range emulators {
		row := e.name + "\t"
		for j := range all {
			row += fmt.Sprintf("%.1f", speeds[i][j])
			if i > 0 {
				row += fmt.Sprintf(" (%.1f×)", speeds[0][j]/speeds[i][j])
			}
			row += "\t"
		}
		if e.keeps {
			row += fmt.Sprintf("%.1f", heaps[i])
		} else {
			row += fmt.Sprintf("%.1f, no scrollback", heaps[i])
		}
		fmt.Fprintln(w, row+"\t")
	}
	return w.Flush()
}
