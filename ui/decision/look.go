package decision

import (
	"github.com/nod-console/nod/agent/policy"
)

// look is a look around, or a held run.
type look struct {
	shown   bool // it was scrolled to, as it stands
	arrived bool
	found   []policy.Look
}

// lookState is how far a look is.
type lookState uint8

const (
	unasked lookState = iota
	underWay
	has
)

func (l *look) state() lookState {
	switch {
	case l == nil:
		return unasked
	case !l.arrived:
		return underWay
	}
	return has
}

func (l *look) copy() *look {
	if l == nil {
		return nil
	}
	c := *l
	return &c
}

// OnPreview offers a look around: ask is called, once, when the operator wants
// one, and must not block. What comes of it is handed to Preview.
func (d *Approval) OnPreview(ask func()) { d.looker = ask }

// Preview shows what a look around found, below what would run. The dialog waits
// anew before keys count.
func (d *Approval) Preview(found []policy.Look) { d.arrived(d.look, found) }

// OnTrial offers to run what is asked about where it can change nothing, to see what it
// would do: ask is called, once, when the operator wants it, and must not block. What
// comes of it is handed to Trial.
func (d *Approval) OnTrial(ask func()) { d.trier = ask }

// Trial shows what came of a held run, as Preview does.
func (d *Approval) Trial(found []policy.Look) { d.arrived(d.trial, found) }

func (d *Approval) arrived(l *look, found []policy.Look) {
	if l == nil || l.arrived {
		return
	}
	l.arrived, l.found, l.shown = true, found, false
	d.rows = nil
	d.Rearm()
}

// lookAround asks for a look around.
func (d *Approval) lookAround() { d.ask(d.looker, &d.look) }

// tryHeld asks for a held run.
func (d *Approval) tryHeld() { d.ask(d.trier, &d.trial) }

func (d *Approval) ask(asked func(), into **look) {
	if asked == nil || *into != nil {
		return
	}
	d.own, *into = true, &look{}
	d.explains, d.keep, d.rows = false, keep{}, nil
	asked()
}

// lookWords are the words about a look: its name, and what is said while it has not come
// and where it came to nothing.
type lookWords struct{ name, waits, nothing string }

var (
	previewWords = lookWords{"preview", "looking …", "there is nothing that nod could look at before"}
	heldWords    = lookWords{"held", "running …", "it was not run"}
)

// findings appends what came of l, and scrolls to it once.
func (d *Approval) findings(rows []row, l *look, words lookWords, width int) []row {
	if l == nil {
		return rows
	}
	if !l.shown {
		l.shown, d.top = true, len(rows)
	}
	rows = append(rows, row{})
	switch {
	case !l.arrived:
		return d.notes(rows, words.name+": "+words.waits, width, d.styles.Muted)
	case len(l.found) == 0:
		return d.notes(rows, words.name+": "+words.nothing, width, d.styles.Muted)
	}
	for _, f := range l.found {
		rows = d.notes(rows, words.name+": "+f.Title, width, d.styles.Accent)
		if f.Ran != "" {
			rows = d.section(rows, policy.Section{Text: f.Ran}, width)
		}
		if f.Output != "" {
			rows = d.notes(rows, "says:", width, d.styles.Muted)
			rows = d.section(rows, policy.Section{Text: f.Output}, width)
		}
		if f.Note != "" {
			rows = d.notes(rows, f.Note, width, d.styles.Warn)
		}
	}
	return rows
}
