package decision

import (
	"github.com/nod-console/nod/agent/policy"
)

// look is a look around.
type look struct {
	shown   bool // it was scrolled to when it was asked for
	arrived bool
	found   []policy.Look
}

// OnPreview offers a look around: ask is called, once, when the operator wants
// one, and must not block. What comes of it is handed to Preview.
func (d *Approval) OnPreview(ask func()) { d.looker = ask }

// Preview shows what a look around found, below what would run. The dialog waits
// anew before keys count.
func (d *Approval) Preview(found []policy.Look) {
	if d.look == nil || d.look.arrived {
		return
	}
	d.look.arrived, d.look.found = true, found
	d.rows = nil
	d.Rearm()
}

// lookAround asks for a look around.
func (d *Approval) lookAround() {
	if d.looker == nil || d.look != nil {
		return
	}
	d.own, d.look = true, &look{}
	d.explains, d.keep, d.rows = false, keep{}, nil
	d.looker()
}

// looked appends what a look around found.
func (d *Approval) looked(rows []row, width int) []row {
	if d.look == nil {
		return rows
	}
	rows = append(rows, row{})
	switch {
	case !d.look.arrived:
		return d.notes(rows, "preview: looking …", width, d.styles.Muted)
	case len(d.look.found) == 0:
		return d.notes(rows, "preview: there is nothing that nod could look at before", width, d.styles.Muted)
	}
	for _, l := range d.look.found {
		rows = d.notes(rows, "preview: "+l.Title, width, d.styles.Accent)
		if l.Ran != "" {
			rows = d.section(rows, policy.Section{Text: l.Ran}, width)
		}
		if l.Output != "" {
			rows = d.notes(rows, "says:", width, d.styles.Muted)
			rows = d.section(rows, policy.Section{Text: l.Output}, width)
		}
		if l.Note != "" {
			rows = d.notes(rows, l.Note, width, d.styles.Warn)
		}
	}
	return rows
}
