package guide

import (
	"fmt"
	"strconv"
	"strings"
)

// memory holds figures in MiB.
type memory struct{ total, available, swapTotal, swapUsed float64 }

// parseFree reads free -m.
func parseFree(o outcome) (m memory, ok bool) {
	for _, line := range o.lines() {
		name, rest, found := strings.Cut(line, ":")
		f := figures(rest)
		switch {
		case found && strings.EqualFold(strings.TrimSpace(name), "mem") && len(f) >= 6:
			m.total, m.available, ok = f[0], f[5], true
		case found && strings.EqualFold(strings.TrimSpace(name), "mem") && len(f) >= 3:
			// Old versions have no column for what is available.
			m.total, m.available, ok = f[0], f[2], true
		case found && strings.EqualFold(strings.TrimSpace(name), "swap") && len(f) >= 2:
			m.swapTotal, m.swapUsed = f[0], f[1]
		}
	}
	return m, ok && m.total > 0
}

// parseMeminfo reads /proc/meminfo, which counts in KiB.
func parseMeminfo(o outcome) (m memory, ok bool) {
	v := map[string]float64{}
	for _, line := range o.lines() {
		name, rest, _ := strings.Cut(line, ":")
		if f := figures(rest); len(f) > 0 {
			v[name] = f[0] / 1024
		}
	}
	m = memory{total: v["MemTotal"], available: v["MemAvailable"], swapTotal: v["SwapTotal"], swapUsed: v["SwapTotal"] - v["SwapFree"]}
	return m, m.total > 0
}

func figures(s string) []float64 {
	var list []float64
	for _, f := range strings.Fields(s) {
		if n, err := strconv.ParseFloat(f, 64); err == nil {
			list = append(list, n)
		}
	}
	return list
}

func reportMemory(f found) string {
	var parts []string
	if o, ok := f.get("free"); ok {
		if m, ok := parseFree(o); ok {
			parts = append(parts, sayMemory(m))
		}
	} else if o, ok := f.get("meminfo"); ok {
		if m, ok := parseMeminfo(o); ok {
			parts = append(parts, sayMemory(m))
		}
	}
	if top, ok := f.get("top"); ok {
		var items []string
		for _, p := range parsePS(top) {
			items = append(items, fmt.Sprintf("%s (%s, pid %s)", code(p.name), mebibytes(p.b/1024), p.pid))
		}
		if len(items) > 0 {
			parts = append(parts, "The largest processes are "+series(items)+".")
		}
	}
	return paragraph(parts)
}

func sayMemory(m memory) string {
	share := 100 * m.available / m.total
	s := fmt.Sprintf("**%s of %s** memory is available (%.0f %%)", mebibytes(m.available), mebibytes(m.total), share)
	switch {
	case share < 5:
		s += ", which is very little."
	case share < 15:
		s += ", which is getting tight."
	default:
		s += "."
	}
	switch {
	case m.swapTotal == 0:
		s += " There is no swap."
	case m.swapUsed == 0:
		s += fmt.Sprintf(" The swap of %s is unused.", mebibytes(m.swapTotal))
	default:
		s += fmt.Sprintf(" Of the swap, %s of %s is in use (%.0f %%).",
			mebibytes(m.swapUsed), mebibytes(m.swapTotal), 100*m.swapUsed/m.swapTotal)
	}
	return s
}
