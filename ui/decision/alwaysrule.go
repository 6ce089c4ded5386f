package decision

import (
	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/agent/policy"
)

// keep is the rule that "always" would write, while it is shown.
type keep struct {
	shown bool // the rule is shown instead of what would run
	seen  bool // all of it
}

// keepRule shows the rule that would hold from now on; once it has been on the
// screen to its end, the same key takes it.
func (d *Approval) keepRule() {
	switch {
	case !d.offers(policy.Always) || d.void != "" || d.small || !d.seen || !d.guard.Calm():
	case !d.keep.shown:
		d.own, d.keep = true, keep{shown: true}
		d.explains, d.rows, d.top = true, nil, 0
	case d.keep.seen:
		d.answer(policy.Answer{Approved: true, Scope: policy.Always})
	}
}

// keepRows are the rule as it would be written.
func (d *Approval) keepRows(width int) []row {
	rows := d.notes(nil, "From now on, and in every conversation, this rule lets the command run at this place without asking. It is added to your rules file:", width, d.styles.Warn)
	return d.section(rows, policy.Section{Text: d.request.Keep}, width)
}

// keepState says what the keys do while the rule is shown.
func (d *Approval) keepState() ([]string, tcell.Style) {
	if !d.keep.seen {
		key, left := d.whither()
		return []string{"to take the rule, see all of it (" + key + ", " + left + ") · x or Esc: back", "to take it: " + key + ", " + left, key + ", " + left}, d.styles.Warn
	}
	return []string{"a writes the rule and runs the command · x or Esc: back", "a writes the rule · x back", "a writes it · x back"}, d.styles.Warn
}
