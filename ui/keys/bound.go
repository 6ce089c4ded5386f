package keys

import "slices"

// Table is the commands with their keys. Nil is the table that nod brings. It
// never changes, so any number of goroutines can use it.
type Table struct {
	commands []Command
	own      map[spot][]string // instead of the row's own keys
}

// spot is a row of the table at one of its places.
type spot struct {
	row   int
	place Place
}

func (t *Table) rows() []Command {
	if t == nil {
		return standard
	}
	return t.commands
}

// keysAt are the keys of a row at one place.
func (t *Table) keysAt(row int, place Place) []string {
	c := t.rows()[row]
	if c.Where&place == 0 {
		return nil
	}
	if t != nil {
		if own, ok := t.own[spot{row, place}]; ok {
			return own
		}
	}
	return c.Keys
}

// allKeys are the keys of a row at all its places, each once.
func (t *Table) allKeys(row int) []string {
	c := t.rows()[row]
	if t == nil || c.Where == 0 {
		return c.Keys
	}
	var all []string
	for _, p := range places {
		for _, k := range t.keysAt(row, p.place) {
			if !slices.Contains(all, k) {
				all = append(all, k)
			}
		}
	}
	return all
}

// Find returns the command of a key at a place.
func (t *Table) Find(place Place, name string) (Command, bool) {
	for i, c := range t.rows() {
		if slices.Contains(t.keysAt(i, place), name) {
			return c, true
		}
	}
	return Command{}, false
}

// All returns a copy of the table that nod brings.
func All() []Command { return slices.Clone(standard) }
