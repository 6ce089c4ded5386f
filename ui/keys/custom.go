package keys

import (
	"fmt"
	"slices"
	"strings"
)

// yours is the group of the operator's own commands.
const yours = "Your commands"

// Custom is a command of the operator's own, given by a word after the slash, and by a
// key if it has one.
type Custom struct {
	Word string // after the slash; not one of nod's own, see IsWord
	Args string // what follows the word, for the help
	Text string // what it does, in a few words
	Key  string // in any spelling that Canonical takes; empty: none
}

// CustomError says what is wrong with a command's key.
type CustomError struct {
	Custom Custom
	Why    string
}

func (e *CustomError) Error() string { return e.Why }

// Custom reports whether the command is one of the operator's own.
func (c Command) Custom() bool { return c.Group == yours }

// IsWord reports whether a word after the slash is a command of nod's own.
func IsWord(word string) bool {
	return slices.ContainsFunc(standard, func(c Command) bool { return c.Slash == word && word != "" })
}

// With returns the table with commands of the operator's own at its end. The error is a
// *CustomError: an unknown key, one that something else needs, or one that already means
// something where commands are given.
func (t *Table) With(own []Custom) (*Table, error) {
	if len(own) == 0 {
		return t, nil
	}
	table := &Table{commands: slices.Clone(t.rows()), own: map[spot][]string{}}
	if t != nil {
		table.own = t.own
	}
	for _, c := range own {
		command := Command{ID: ID("/" + c.Word), Slash: c.Word, Args: c.Args, Text: c.Text, Group: yours}
		if c.Key != "" {
			key, err := Canonical(c.Key)
			if err != nil {
				return nil, &CustomError{c, err.Error()}
			}
			if Typed(key) {
				return nil, &CustomError{c, fmt.Sprintf("%s is a character that you write: take one with Ctrl or Alt, or F2 to F12", Spoken(key))}
			}
			for _, p := range places {
				if words&p.place == 0 {
					continue
				}
				if why := needed(p.place, key); why != "" {
					return nil, &CustomError{c, fmt.Sprintf("%s cannot be it: %s", Spoken(key), why)}
				}
				if other, taken := table.Find(p.place, key); taken {
					return nil, &CustomError{c, fmt.Sprintf("%s, %s already is %q (%s): choose another key", p.sentence, Spoken(key), strings.TrimPrefix(string(other.ID), "/"), other.Text)}
				}
			}
			command.Keys, command.Where = []string{key}, words
		}
		table.commands = append(table.commands, command)
	}
	return table, nil
}

// Typed reports whether a key types a character.
func Typed(key string) bool { return len([]rune(key)) == 1 }

// Parse takes a slash command apart. The error is an *UnknownError.
func (t *Table) Parse(line string) (Command, string, error) { return parse(t.rows(), line) }

// All returns a copy of the table.
func (t *Table) All() []Command { return slices.Clone(t.rows()) }
