package keys

import (
	"fmt"
	"strings"
)

// Group is a part of the help.
type Group struct {
	Title   string
	Entries []Entry
}

// Entry is a line of the help.
type Entry struct {
	Keys   string // "F1, /help"
	Text   string
	Reason string // why it is not available at the moment; empty if it is
}

// Groups is the whole table as the help shows it.
func Groups(f Facts) []Group {
	var groups []Group
	for _, c := range table {
		if len(groups) == 0 || groups[len(groups)-1].Title != c.Group {
			groups = append(groups, Group{Title: c.Group})
		}
		g := &groups[len(groups)-1]
		entry := Entry{Keys: c.label(), Text: c.Text, Reason: c.Unavailable(f)}
		if n := len(g.Entries); n > 0 && g.Entries[n-1].Text == entry.Text {
			g.Entries[n-1].Keys += ", " + entry.Keys // the same at another place
			continue
		}
		g.Entries = append(g.Entries, entry)
	}
	return groups
}

// label is all ways to give the command.
func (c Command) label() string {
	var ways []string
	for _, k := range c.Keys {
		if k == " " {
			k = "Space"
		}
		ways = append(ways, k)
	}
	if c.Slash != "" {
		ways = append(ways, strings.TrimSpace("/"+c.Slash+" "+c.Args))
	}
	return strings.Join(ways, ", ")
}

// Hint is a key and a word for the bottom line.
type Hint struct{ Key, Text string }

// Hints are what the bottom line shows at a place.
func Hints(place Place, f Facts) []Hint {
	var hints []Hint
	for _, c := range table {
		if c.Where&place == 0 || c.Hint == "" || c.Unavailable(f) != "" {
			continue
		}
		text := c.Hint
		if c.ID == Terminal && place == Typing {
			text = "leave terminal"
		}
		hints = append(hints, Hint{strings.Replace(c.Keys[0], "Ctrl-", "^", 1), text})
	}
	return hints
}

// Manual is the table as sections of a manual page, in roff (man(7)).
func Manual() string {
	var b strings.Builder
	for _, g := range Groups(Facts{Running: true, Panes: 1, Resume: true, Selected: true, Searched: true}) {
		fmt.Fprintf(&b, ".SS %s\n", g.Title)
		for _, e := range g.Entries {
			fmt.Fprintf(&b, ".TP\n.B %s\n%s.\n", roff(e.Keys), roff(e.Text))
		}
	}
	return b.String()
}

func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "^", `\(ha`).Replace(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		return `\&` + s
	}
	return s
}
