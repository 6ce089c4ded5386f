package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/nod-console/nod/cmd/nod/internal/app/controller"
	"github.com/nod-console/nod/ui/keys"
)

// pageWidth is how wide the page of the keys is, in columns.
const pageWidth = 80

// keysTopic is "nod help keys": the keys as the configuration has them.
func (a *program) keysTopic() *cobra.Command {
	return &cobra.Command{
		Use: "keys", Short: "the console's keys and commands, and how to bind keys", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			var table *keys.Table
			c, err := a.config()
			if err == nil {
				table, err = controller.BoundKeys(c)
			}
			if err != nil {
				a.Complain("%v", err)
				a.Complain("these are the keys without the configuration:")
			}
			return a.Printf("The keys and commands of the console.\n\n%s%s", table.Page(pageWidth), bindingHelp())
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
    history = ["F7", "Alt-h"]      # what has only a word can have a key
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
