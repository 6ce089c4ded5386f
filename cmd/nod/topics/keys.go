package topics

import (
	"strings"

	"github.com/nod-console/nod/ui/keys"
)

// width is how wide the page of the keys is, in columns.
const width = 80

// Keys is the page of the console's keys and commands as a table has them, and how keys are
// bound. A nil table stands for the keys without a configuration.
func Keys(table *keys.Table) string {
	return "The keys and commands of the console.\n\n" + table.Page(width) + bindingHelp()
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
		if len(line)+1+len(name) > width {
			b.WriteString(line + "\n")
			line = " "
		}
		line += " " + name
	}
	b.WriteString(line + "\n")
	return b.String()
}
