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
	Name   string // "Help"
	Keys   string // "F1, /help"
	Text   string
	Reason string // why it is not available at the moment; empty if it is
}

// Groups is the whole table as the help shows it.
func (t *Table) Groups(f Facts) []Group {
	var groups []Group
	for i, c := range t.rows() {
		if len(groups) == 0 || groups[len(groups)-1].Title != c.Group {
			groups = append(groups, Group{Title: c.Group})
		}
		g := &groups[len(groups)-1]
		entry := Entry{Name: c.Name(), Keys: join(t.ways(i)), Text: c.Text, Reason: c.Unavailable(f)}
		if n := len(g.Entries); n > 0 && g.Entries[n-1].Text == entry.Text {
			g.Entries[n-1].Keys = join(append(strings.Split(g.Entries[n-1].Keys, between), t.ways(i)...)) // the same at another place
			continue
		}
		g.Entries = append(g.Entries, entry)
	}
	for i := range groups {
		groups[i].Entries = slices.DeleteFunc(groups[i].Entries, func(e Entry) bool { return e.Keys == "" })
	}
	return groups
}

// Here are the commands that have a key at a place and hardly anywhere else, as the
// help shows them first.
func (t *Table) Here(place Place, f Facts) Group {
	g := Group{}
	for _, p := range places {
		if p.place == place {
			g.Title = "Here, " + p.sentence
		}
	}
	for i, c := range t.rows() {
		all := t.keysAt(i, place)
		if len(all) == 0 || c.Where&Anywhere == Anywhere {
			continue
		}
		var spoken []string
		for _, k := range all {
			spoken = append(spoken, Spoken(k))
		}
		g.Entries = append(g.Entries, Entry{Name: c.Name(), Keys: join(spoken), Text: c.Text, Reason: c.Unavailable(f)})
	}
	return g
}

// Choice is a command as the palette shows it.
type Choice struct {
	Command Command
	Entry
}

// Choices are the commands that can be given at a place, and all that have a word
// after the slash, in the table's order. What only moves a cursor is left out.
func (t *Table) Choices(place Place, f Facts) []Choice {
	var choices []Choice
	for i, c := range t.rows() {
		if c.Slash == "" && c.Where&place == 0 || c.ID == Palette || slices.Contains(motions, c.ID) {
			continue
		}
		entry := Entry{Name: c.Name(), Keys: join(t.ways(i)), Text: c.Text, Reason: c.Unavailable(f)}
		if slices.ContainsFunc(choices, func(o Choice) bool { return o.Command.ID == c.ID }) {
			continue
		}
		choices = append(choices, Choice{c, entry})
	}
	return choices
}

// between stands between two ways to give a command.
const between = ", "

// ways are all ways to give the command of a row.
func (t *Table) ways(row int) []string {
	c := t.rows()[row]
	var ways []string
	for _, k := range t.allKeys(row) {
		ways = append(ways, Spoken(k))
	}
	if c.ID == Jump && slices.Equal(ways, c.Keys) && len(ways) == 9 {
		ways = []string{"Alt-1 to Alt-9"}
	}
	if c.Slash != "" {
		ways = append(ways, strings.TrimSpace("/"+c.Slash+" "+c.Args))
	}
	return ways
}

// join puts ways together, each once.
func join(ways []string) string {
	var once []string
	for _, w := range ways {
		if w != "" && !slices.Contains(once, w) {
			once = append(once, w)
		}
	}
	return strings.Join(once, between)
}

// Spoken is a key's name in a text, where a blank would not be seen.
func Spoken(key string) string {
	if rest, ok := strings.CutSuffix(key, " "); ok {
		return rest + "Space"
	}
	return key
}

// short is a key's name for the bottom line.
func short(key string) string { return strings.Replace(Spoken(key), "Ctrl-", "^", 1) }

// Say is the key by which a command is given at a place, as a sentence has it:
// "^]", of several the one that is most its own there. Empty if there is none.
func (t *Table) Say(place Place, id ID) string {
	for i, c := range slices.Backward(t.rows()) {
		if all := t.keysAt(i, place); c.ID == id && len(all) > 0 {
			return short(all[0])
		}
	}
	return ""
}

// Hint is a key and a word for the bottom line.
type Hint struct {
	Key, Text string
	Name      string // of the key, see [Event]
}

// Hints are what the bottom line shows at a place.
func (t *Table) Hints(place Place, f Facts) []Hint {
	var hints []Hint
	for i, c := range t.rows() {
		all := t.keysAt(i, place)
		if len(all) == 0 || c.Hint == "" || c.Unavailable(f) != "" {
			continue
		}
		text := c.Hint
		if c.ID == Terminal && place == Typing {
			text = "leave terminal"
		}
		hints = append(hints, Hint{Key: short(all[0]), Text: text, Name: all[0]})
	}
	return hints
}

// everything are facts with which each command is available.
var everything = Facts{Running: true, Panes: 2, Resume: true, Selected: true, Searched: true, Stacked: true}

// Page is the table as a page of text, width columns wide at most where words
// allow it.
func (t *Table) Page(width int) string {
	var b strings.Builder
	for _, g := range t.Groups(everything) {
		fmt.Fprintf(&b, "%s\n", g.Title)
		for _, e := range g.Entries {
			fmt.Fprintf(&b, "  %s\n", e.Keys)
			line := "     "
			for _, word := range strings.Fields(e.Text) {
				if len(line)+1+len(word) > width {
					b.WriteString(line + "\n")
					line = "     "
				}
				line += " " + word
			}
			b.WriteString(line + "\n")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// Manual is the table that nod brings as sections of a manual page, in roff (man(7)).
func Manual() string {
	var b strings.Builder
	for _, g := range (*Table)(nil).Groups(everything) {
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
