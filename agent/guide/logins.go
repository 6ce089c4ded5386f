package guide

import (
	"fmt"
	"strings"
)

var (
	whoLine  = lazy(`^(\S+)\s+(?:[-+?]\s+)?(\S+(?: \S+)?)\s+(?:(?:\.|\?|old|\d\d:\d\d)\s+)?(\d{4}-\d\d-\d\d \d\d:\d\d|[A-Z][a-z]{2} +\d+ \d\d:\d\d(?::\d\d)?(?: \d{4})?)\s*(.*)$`)
	lastLine = lazy(`^(\S+)\s+(\S+(?: \S+)?)\s+(\S*)\s+([A-Z][a-z]{2} [A-Z][a-z]{2} +\d+ \d\d:\d\d(?::\d\d)?(?: \d{4})?)`)
)

// login is one line of who.
type login struct{ user, line, since, from string }

func parseWho(o outcome) []login {
	var list []login
	for _, line := range o.lines() {
		m := whoLine().FindStringSubmatch(line)
		if m == nil || m[1] == "USER" {
			continue
		}
		from := strings.TrimSpace(m[4])
		if _, after, ok := strings.Cut(from, "("); ok {
			from = strings.TrimSuffix(after, ")")
		}
		list = append(list, login{user: m[1], line: strings.TrimSpace(m[2]), since: m[3], from: from})
	}
	return list
}

func reportLogins(f found) string {
	var parts []string
	if o, ok := f.get("who"); ok {
		parts = append(parts, sayLogins(parseWho(o)))
	}
	if o, ok := f.get("last"); ok {
		if s := sayLast(o); s != "" {
			parts = append(parts, s)
		}
	}
	return paragraph(parts)
}

func sayLogins(logins []login) string {
	if len(logins) == 0 {
		return "Nobody is logged in, as far as this system keeps a record of it."
	}
	users := map[string]bool{}
	var items []string
	for _, l := range logins {
		users[l.user] = true
		s := fmt.Sprintf("**%s** on %s since %s", strings.Trim(code(l.user), "`"), code(l.line), l.since)
		if l.from != "" {
			s += " from " + code(l.from)
		}
		items = append(items, s)
	}
	return fmt.Sprintf("**%s** %s logged in with %s: %s.", count(len(users), "user"), isAre(len(users)),
		count(len(logins), "session"), series(items))
}

func sayLast(o outcome) string {
	var items []string
	for _, line := range o.lines() {
		m := lastLine().FindStringSubmatch(line)
		if m == nil {
			continue
		}
		if m[1] == "reboot" {
			items = append(items, "a start of the system at "+m[4])
			continue
		}
		s := fmt.Sprintf("%s at %s", code(m[1]), m[4])
		if m[3] != "" {
			s += " from " + code(m[3])
		}
		items = append(items, s)
	}
	if len(items) == 0 {
		return ""
	}
	return "The latest entries in the login record: " + series(items) + "."
}
