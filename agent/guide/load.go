package guide

import (
	"fmt"
	"strconv"
	"strings"
)

var loadAverage = lazy(`load averages?:\s*(\d+[.,]\d+),?\s+(\d+[.,]\d+),?\s+(\d+[.,]\d+)`)

// parseLoad reads the three averages of uptime.
func parseLoad(o outcome) (avg [3]float64, ok bool) {
	m := loadAverage().FindStringSubmatch(o.text)
	if m == nil {
		return avg, false
	}
	for i := range avg {
		if avg[i], ok = number(m[i+1]); !ok {
			return avg, false
		}
	}
	return avg, true
}

// parseCores reads nproc.
func parseCores(o outcome) int {
	for _, line := range o.lines() {
		if n, err := strconv.Atoi(strings.TrimSpace(line)); err == nil && n > 0 {
			return n
		}
	}
	return 0
}

// process is one line of ps -eo pid,user,A,B,comm.
type process struct {
	pid, user, name string
	a, b            float64
}

func parsePS(o outcome) []process {
	var list []process
	for _, line := range o.lines() {
		f := strings.Fields(line)
		if len(f) < 5 {
			continue
		}
		if _, err := strconv.Atoi(f[0]); err != nil {
			continue
		}
		a, okA := number(f[2])
		b, okB := number(f[3])
		// ps itself is always among the busiest.
		if name := strings.Join(f[4:], " "); okA && okB && name != "ps" {
			list = append(list, process{pid: f[0], user: f[1], a: a, b: b, name: name})
		}
	}
	return list
}

func reportLoad(f found) string {
	var parts []string
	if up, ok := f.get("uptime"); ok {
		cores := 0
		if o, ok := f.get("cores"); ok {
			cores = parseCores(o)
		}
		if avg, ok := parseLoad(up); ok {
			parts = append(parts, sayLoad(avg, cores))
		}
	}
	if top, ok := f.get("top"); ok {
		parts = append(parts, sayBusiest(parsePS(top), 5))
	}
	return paragraph(parts)
}

func sayLoad(avg [3]float64, cores int) string {
	s := fmt.Sprintf("The load is **%.2f** over one minute, %.2f over five and %.2f over fifteen", avg[0], avg[1], avg[2])
	if cores > 0 {
		per := avg[0] / float64(cores)
		s += fmt.Sprintf(", on %s: %.2f per core", count(cores, "core"), per)
		switch {
		case per > 2:
			s += ", which is far more than it can do at once"
		case per > 1:
			s += ", so work is waiting"
		case per > 0.7:
			s += ", so it is busy but keeps up"
		default:
			s += ", so there is room"
		}
	}
	switch {
	case avg[0] > 1.5*avg[2] && avg[0] > 0.5:
		return s + ". It is rising."
	case avg[2] > 1.5*avg[0] && avg[2] > 0.5:
		return s + ". It is falling."
	}
	return s + "."
}

// sayBusiest names processes by their share of CPU, which ps counts over their lifetime.
func sayBusiest(list []process, limit int) string {
	var items []string
	for _, p := range list {
		if p.a >= 0.5 && len(items) < limit {
			items = append(items, fmt.Sprintf("%s (%.1f %%, pid %s, %s)", code(p.name), p.a, p.pid, code(p.user)))
		}
	}
	switch {
	case len(list) == 0:
		return ""
	case len(items) == 0:
		return "No process has used a noticeable share of the CPU over its lifetime."
	}
	return "By CPU over their lifetime the busiest are " + series(items) + "."
}

func reportProcesses(f found) string {
	var parts []string
	if o, ok := f.get("count"); ok {
		if n := parseCores(o); n > 1 {
			parts = append(parts, fmt.Sprintf("%s run.", capitalise(count(n-1, "process"))))
		}
	}
	if top, ok := f.get("top"); ok {
		list := parsePS(top)
		parts = append(parts, sayBusiest(list, 10))
	} else if plain, ok := f.get("plain"); ok {
		parts = append(parts, fmt.Sprintf("`ps` lists %s.", count(max(len(plain.lines())-1, 0), "process")))
	}
	return paragraph(parts)
}
