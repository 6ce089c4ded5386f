package guide

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
)

// tally is how often something was logged.
type tally struct {
	name  string
	count int
}

var processID = lazy(`\[\d+\]:?$`)

// parseCounts reads uniq -c over the journal's third column, sshd[812]: and the like, and
// adds up what differs only in the process id.
func parseCounts(o outcome) []tally {
	sum := map[string]int{}
	for _, line := range o.lines() {
		f := strings.Fields(line)
		if len(f) != 2 {
			continue
		}
		n, err := strconv.Atoi(f[0])
		if err != nil {
			continue
		}
		sum[strings.TrimSuffix(processID().ReplaceAllString(f[1], ""), ":")] += n
	}
	list := make([]tally, 0, len(sum))
	for name, n := range sum {
		list = append(list, tally{name, n})
	}
	sort.Slice(list, func(i, j int) bool {
		if list[i].count != list[j].count {
			return list[i].count > list[j].count
		}
		return list[i].name < list[j].name
	})
	return list
}

func reportErrors(f found) string {
	newest, readable := f.get("newest")
	if !readable {
		if o, ok := f.get("dmesg"); ok {
			return sayKernel(o)
		}
		return ""
	}
	counts, _ := f.get("counts")
	tallies := parseCounts(counts)
	total := 0
	var items []string
	for _, t := range tallies {
		total += t.count
		if len(items) < 6 {
			items = append(items, fmt.Sprintf("%s (%d)", code(t.name), t.count))
		}
	}
	entries := journalEntries(newest)
	if len(entries) == 0 && total == 0 {
		return "The journal has no errors of the last 24 hours, as far as this user may read it."
	}
	var s string
	if total > 0 {
		s = fmt.Sprintf("The journal has **%s** in the last 24 hours, most of them from %s.", count(total, "error"), series(items))
	}
	if len(entries) > 0 {
		s += " The newest are:\n\n" + block(strings.Join(entries, "\n"))
	}
	return strings.TrimSpace(s)
}

var journalDate = lazy(`^\d{4}-\d\d-\d\dT`)

// journalEntries leaves out what journalctl says about itself: hints, and that there are
// no entries.
func journalEntries(o outcome) []string {
	var list []string
	for _, line := range o.lines() {
		if journalDate().MatchString(line) {
			list = append(list, line)
		}
	}
	return list
}

func sayKernel(o outcome) string {
	lines := o.lines()
	if len(lines) == 0 {
		return "There is no journal to read; the kernel itself reports no errors."
	}
	return "There is no journal to read. The kernel's newest errors are:\n\n" + block(strings.Join(lines, "\n"))
}
