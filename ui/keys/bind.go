package keys

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Binding is what the operator wants of the keys of a command.
type Binding struct {
	// Name is the command's ID. It gets the new keys in the place of those that it
	// has first in the table, wherever it has just these: "zoom". With a place
	// before it, it gets them there instead of all that it has there: "pane.copy".
	Name string
	// Keys are names of keys, in any spelling that Canonical takes. None: the
	// command has no key there.
	Keys []string
}

// BindError says what is wrong with a binding.
type BindError struct {
	Binding Binding
	Why     string
}

func (e *BindError) Error() string { return e.Why }

// where is a place with its names.
type where struct {
	place          Place
	name, sentence string
}

// places are those where keys can be bound, with their names in a binding and in
// a sentence. Those without a name have keys of their own.
var places = []where{
	{Input, "input", "where you write"},
	{Completing, "completing", "where candidates are shown"},
	{Chat, "chat", "in the chat"},
	{Pane, "pane", "in a terminal that you read"},
	{Searching, "search", "in the search line"},
	{Typing, "typing", "in a terminal that you type into"},
	{Playing, "recording", "in a recording"},
	{Tiles, "overview", "in the overview"},
	{Browsing, "timeline", "in the timeline"},
	{Overlay, "", "in lists and in the help"},
	{Dialog, "", "in dialogs"},
}

// Bind returns the table that nod brings with the operator's bindings, of which
// those without a place count first. The error is a *BindError: an unknown
// command, an unknown key, a key that something else needs, or one that means two
// things at the same place.
func Bind(wanted []Binding) (*Table, error) {
	b := binder{
		table:  &Table{commands: slices.Clone(standard), own: map[spot][]string{}},
		source: map[spot]Binding{},
	}
	for _, general := range []bool{true, false} {
		for _, w := range wanted {
			if strings.Contains(w.Name, ".") == general {
				continue
			}
			if err := b.bind(w); err != nil {
				return nil, err
			}
		}
	}
	return b.table, b.check()
}

// words are the places where a command that has only a word can have a key.
const words = Input | Chat | Pane

// binder makes a table.
type binder struct {
	table  *Table
	source map[spot]Binding // which binding is to blame
}

func (b *binder) bind(w Binding) error {
	fail := func(format string, args ...any) error { return &BindError{w, fmt.Sprintf(format, args...)} }
	place, id := Place(0), w.Name
	if name, rest, ok := strings.Cut(w.Name, "."); ok {
		i := slices.IndexFunc(places, func(p where) bool { return p.name == name && name != "" })
		if i < 0 {
			return fail("there is no place called %q; want one of %s", name, strings.Join(PlaceNames(), ", "))
		}
		place, id = places[i].place, rest
	}
	all := make([]string, 0, len(w.Keys))
	for _, name := range w.Keys {
		key, err := Canonical(name)
		if err != nil {
			return fail("%v", err)
		}
		all = append(all, key)
	}
	switch ID(id) {
	case Back:
		return fail("Esc always goes back: dialogs and lists count on it")
	case Interrupt:
		return fail("Ctrl-C always interrupts")
	case Own:
		return fail(`"!" is a mark before a command and no key`)
	case Terminal, Send:
		if len(all) == 0 {
			return fail("it needs a key: there is no other way to do it")
		}
	}
	rows := b.rowsOf(ID(id))
	if len(rows) == 0 {
		return fail("there is no command %q; did you mean %q? nod help keys lists them", id, nearest(id, BindableNames()))
	}
	if place == 0 {
		b.everywhere(w, rows, all)
		return nil
	}
	if !b.at(w, rows, place, all) {
		return fail("%s means nothing there; it does %s", id, b.sentences(rows))
	}
	return nil
}

// everywhere gives a command new keys in the place of its first ones.
func (b *binder) everywhere(w Binding, rows []int, all []string) {
	first := standard[rows[0]].Keys
	for _, row := range rows {
		c := &b.table.commands[row]
		if !slices.Equal(standard[row].Keys, first) {
			continue
		}
		c.Keys = all
		if c.Where == 0 {
			c.Where = words
		}
		for _, p := range places {
			if c.Where&p.place != 0 {
				b.source[spot{row, p.place}] = w
			}
		}
	}
}

// at gives a command the only keys that it has at a place.
func (b *binder) at(w Binding, rows []int, place Place, all []string) bool {
	done := false
	for _, row := range rows {
		c := &b.table.commands[row]
		if c.Where == 0 {
			c.Where = words
		}
		if c.Where&place == 0 {
			continue
		}
		b.table.own[spot{row, place}] = all
		b.source[spot{row, place}] = w
		all, done = nil, true // at further rows, it has none there
	}
	return done
}

// check finds keys that cannot be what they were made to be.
func (b *binder) check() error {
	for _, p := range places {
		taken := map[string]int{}
		for row, c := range b.table.commands {
			w, bound := b.source[spot{row, p.place}]
			for _, key := range b.table.keysAt(row, p.place) {
				if why := needed(p.place, key); bound && why != "" && !slices.Contains(standardKeys(row, p.place), key) {
					return &BindError{w, fmt.Sprintf("%s cannot be %s: %s", Spoken(key), c.ID, why)}
				}
				other, twice := taken[key]
				taken[key] = row
				if !twice || b.table.commands[other].ID == c.ID {
					continue
				}
				if !bound { // then the other one is
					w, other = b.source[spot{other, p.place}], row
				}
				o := b.table.commands[other]
				return &BindError{w, fmt.Sprintf("%s, %s already is %q (%s): choose another key, or give %s another",
					p.sentence, Spoken(key), o.ID, o.Text, o.ID)}
			}
		}
	}
	return nil
}

func standardKeys(row int, place Place) []string { return (*Table)(nil).keysAt(row, place) }

func (b *binder) rowsOf(id ID) (rows []int) {
	for i, c := range standard {
		if c.ID == id {
			rows = append(rows, i)
		}
	}
	return rows
}

// sentences says where a command means something.
func (b *binder) sentences(rows []int) string {
	var all []string
	for _, p := range places {
		if p.name != "" && slices.ContainsFunc(rows, func(row int) bool { return b.table.commands[row].Where&p.place != 0 }) {
			all = append(all, p.sentence+" ("+p.name+")")
		}
	}
	return strings.Join(all, ", ")
}

// PlaceNames are the names that a place has in a binding.
func PlaceNames() (names []string) {
	for _, p := range places {
		if p.name != "" {
			names = append(names, p.name)
		}
	}
	return names
}

// BindableNames are the names of the commands that can have other keys.
func BindableNames() []string {
	names := map[string]bool{}
	for _, c := range standard {
		if c.ID != Back && c.ID != Interrupt && c.ID != Own {
			names[string(c.ID)] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// nearest is the candidate with the smallest edit distance.
func nearest(word string, candidates []string) (best string) {
	distance := 1 << 30
	for _, c := range candidates {
		if d := edits(strings.ToLower(word), strings.ToLower(c)); d < distance {
			best, distance = c, d
		}
	}
	return best
}
