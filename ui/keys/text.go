package keys

import (
	"fmt"
	"slices"
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

// Choice is a command as the palette shows it.
type Choice struct {
	Command Command
	Entry
}

// Choices are the commands that can be given at a place, and all that have a word
// after the slash, in the table's order. What only moves a cursor is left out.
func Choices(place Place, f Facts) []Choice {
	var choices []Choice
	for _, c := range table {
		if c.Slash == "" && c.Where&place == 0 || c.ID == Palette || slices.Contains(motions, c.ID) {
			continue
		}
		entry := Entry{Keys: c.label(), Text: c.Text, Reason: c.Unavailable(f)}
		if slices.ContainsFunc(choices, func(o Choice) bool { return o.Command.ID == c.ID }) {
			continue
		}
		choices = append(choices, Choice{c, entry})
	}
	return choices
}

// label is all ways to give the command.
func (c Command) label() string {
	var ways []string
	for _, k := range c.Keys {
		ways = append(ways, spoken(k))
	}
	if c.Slash != "" {
		ways = append(ways, strings.TrimSpace("/"+c.Slash+" "+c.Args))
	}
	return strings.Join(ways, ", ")
}

// spoken is a key's name in a text, where a blank would not be seen.
func spoken(key string) string {
	if key == " " {
		return "Space"
	}
	return key
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
		hints = append(hints, Hint{strings.Replace(spoken(c.Keys[0]), "Ctrl-", "^", 1), text})
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
