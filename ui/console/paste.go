package console

import (
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/ui/keys"
)

// paste collects what the terminal pastes. Keys within it are text, whatever
// they mean otherwise.
type paste struct {
	text strings.Builder
	last string // the key before
}

func (p *paste) add(ev *tcell.EventKey) {
	name := keys.Name(ev)
	defer func() { p.last = name }()
	switch name {
	case "Ctrl-J":
		if p.last != "Enter" { // one end of a line, not two
			p.text.WriteByte('\n')
		}
	case "Enter":
		p.text.WriteByte('\n')
	case "Tab":
		p.text.WriteByte('\t')
	default:
		p.text.WriteString(keys.Text(ev))
	}
}
