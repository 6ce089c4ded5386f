package guide

import (
	"fmt"
	"strings"
)

// parseApt reads the first column of apt list --upgradable, name/suite.
func parseApt(o outcome) (names []string, security int) {
	for _, line := range o.lines() {
		name, suite, ok := strings.Cut(strings.TrimSpace(line), "/")
		if !ok || strings.ContainsAny(name, " :") {
			continue
		}
		names = append(names, name)
		if strings.Contains(suite, "security") {
			security++
		}
	}
	return names, security
}

func reportUpdates(f found) string {
	var parts []string
	if o, ok := f.get("apt"); ok {
		names, security := parseApt(o)
		total := len(names)
		if o, ok := f.get("count"); ok {
			// The first line of apt's list is its title.
			total = max(total, parseCores(o)-1)
		}
		parts = append(parts, sayUpdates(names, total, security))
	} else if o, ok := f.get("dnf"); ok {
		parts = append(parts, sayUpdates(firstColumn(o), len(firstColumn(o)), 0))
	} else if o, ok := f.get("apk"); ok {
		names := firstColumn(o)
		if len(names) > 0 && names[0] == "Installed:" {
			names = names[1:]
		}
		parts = append(parts, sayUpdates(names, len(names), 0))
	}
	if o, ok := f.get("reboot"); ok && o.exit == 0 && strings.Contains(o.text, "reboot-required") {
		parts = append(parts, "**A restart is needed** to finish an earlier update.")
	}
	return paragraph(parts)
}

func firstColumn(o outcome) []string {
	var list []string
	for _, line := range o.lines() {
		list = append(list, strings.Fields(line)[0])
	}
	return list
}

func sayUpdates(names []string, total, security int) string {
	if total == 0 {
		return "No package has a newer version in the lists that were fetched last."
	}
	var shown []string
	for _, n := range names[:min(len(names), 8)] {
		shown = append(shown, code(n))
	}
	s := fmt.Sprintf("**%s** %s a newer version in the lists that were fetched last", count(total, "package"), hasHave(total))
	if security > 0 {
		s += fmt.Sprintf(", at least %d of them for security", security)
	}
	if len(shown) < total {
		return s + ", among them " + series(shown) + "."
	}
	return s + ": " + series(shown) + "."
}
