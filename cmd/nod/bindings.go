package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nod-console/nod/cmd/nod/internal/config"
	"github.com/nod-console/nod/ui/keys"
)

// boundKeys are the console's keys as the configuration has them. The error quotes
// the line that is wrong.
func boundKeys(c *config.Config) (*keys.Table, error) {
	wanted := make([]keys.Binding, 0, len(c.Keys))
	for _, k := range c.Keys {
		wanted = append(wanted, keys.Binding{Name: k.Name, Keys: k.Keys})
	}
	table, err := keys.Bind(wanted)
	var bad *keys.BindError
	if errors.As(err, &bad) {
		name := "keys." + bad.Binding.Name
		return nil, fmt.Errorf("config: %s: %s = %s: %w", c.Origin(name), name, quoted(bad.Binding.Keys), err)
	}
	return table, err
}

// quoted are names of keys as the configuration has them.
func quoted(names []string) string {
	all := make([]string, 0, len(names))
	for _, n := range names {
		all = append(all, fmt.Sprintf("%q", n))
	}
	if len(all) == 1 {
		return all[0]
	}
	return "[" + strings.Join(all, ", ") + "]"
}

// pageWidth is how wide the page of the keys is, in columns.
const pageWidth = 80

// keysTopic is "nod help keys": the keys as the configuration has them.
func (a *app) keysTopic() *cobra.Command {
	return &cobra.Command{
		Use: "keys", Short: "the console's keys and commands, and how to bind keys", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			var table *keys.Table
			c, err := a.config()
			if err == nil {
				table, err = boundKeys(c)
			}
			if err != nil {
				a.complain("%v", err)
				a.complain("these are the keys without the configuration:")
			}
			return a.printf("The keys and commands of the console.\n\n%s%s", table.Page(pageWidth), bindingHelp())
		},
	}
}

// bindingHelp says how keys are bound.
func bindingHelp() string {
	var b strings.Builder
	b.WriteString(`Other keys
  In [keys] of the configuration, a command gets other keys in the place of its
  first ones; one place of the screen can be named. An empty list takes keys away.

    [keys]
    zoom = "F5"
    history = ["F3", "Alt-h"]      # what has only a word can have a key
    line-end = "End"
    editor = "Ctrl-E"

    [keys.pane]                    # ` + strings.Join(keys.PlaceNames(), ", ") + `
    copy = "c"

  Keys are characters and names such as Enter, PgUp, F5, Ctrl-G, Alt-x, Shift-Tab.
  Esc and Ctrl-C stay what they are, and what dialogs, lists and writing need
  cannot be bound.

Commands
`)
	line := " "
	for _, name := range keys.BindableNames() {
		if len(line)+1+len(name) > pageWidth {
			b.WriteString(line + "\n")
			line = " "
		}
		line += " " + name
	}
	b.WriteString(line + "\n")
	return b.String()
}
