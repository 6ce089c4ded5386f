package guide

import (
	"fmt"
	"strings"
)

// parseUnits reads the names of systemctl list-units, with what they are.
func parseUnits(o outcome) []string {
	var units []string
	for _, line := range o.lines() {
		f := strings.Fields(strings.TrimLeft(line, " ●*×"))
		if len(f) >= 4 && strings.Contains(f[0], ".") {
			units = append(units, fmt.Sprintf("%s (%s)", code(f[0]), oneLine(strings.Join(f[4:], " "))))
		}
	}
	return units
}

func reportServices(f found) string {
	if o, ok := f.get("systemctl"); ok {
		units := parseUnits(o)
		if len(units) == 0 {
			return "No systemd unit has failed."
		}
		return fmt.Sprintf("**%s** %s failed: %s. `journalctl -u NAME -n 50` shows what one of them said.",
			count(len(units), "unit"), hasHave(len(units)), series(units))
	}
	if o, ok := f.get("rc"); ok {
		var names []string
		for _, line := range o.lines() {
			if name, _, ok := strings.Cut(strings.TrimSpace(line), " "); ok && strings.Contains(line, "crashed") {
				names = append(names, code(name))
			}
		}
		if len(names) == 0 {
			return "No service has crashed."
		}
		return fmt.Sprintf("**%s** %s crashed: %s.", count(len(names), "service"), hasHave(len(names)), series(names))
	}
	return ""
}
