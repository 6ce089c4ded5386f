package pane

import (
	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/vt"
)

// Tap hears everything that a pane shows, and which commands run in it: for a
// recording. Nothing that is typed comes to it, only what the terminal makes of
// it, and no mark of the shell's. Its methods are called in the order of the
// terminal's output, with the pane locked: they must neither block nor call the
// pane.
type Tap interface {
	// Screen comes first, and whenever the picture does not follow from the
	// output so far: restore are the bytes that make a terminal of this size
	// show it, whatever it shows.
	Screen(size backends.Size, restore []byte)
	// Output is what programs have written. p is valid during the call only.
	Output(p []byte)
	// Began and Ended tell of commands, by whose hand ever; what was typed by
	// hand is known as far as the screen shows it. Commands of a shell inside
	// another one begin and end within the outer one's. One that the shell has
	// refused ends without a beginning.
	Began(command string)
	Ended(command string, outcome backends.Outcome)
	// Lost says that output is missing. Screen follows as soon as it is known.
	Lost(why string)
	// Closed is the last call.
	Closed()
}

// Retap has the pane's tap told what the screen shows now, for one that could
// not take all output.
func (p *Pane) Retap() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone == nil {
		p.tapScreen()
	}
}

// tapScreen, like the other methods here, is called with p.mu held.
func (p *Pane) tapScreen() {
	if p.tap == nil || !p.seeded || p.hush.picture != nil {
		return
	}
	size := p.term.Snapshot().Size
	p.tap.Screen(backends.Size{Cols: size.Cols, Rows: size.Rows}, p.term.Restore())
}

// tapSeed tells the tap of a picture that was set from elsewhere, if it is
// another one than before.
func (p *Pane) tapSeed(before, after *vt.Snapshot, blind bool) {
	if p.tap == nil || !blind && sameLook(before, after) {
		return
	}
	p.tapScreen()
}

func sameLook(a, b *vt.Snapshot) bool {
	if a.Size != b.Size || a.Cursor != b.Cursor || a.Modes != b.Modes || a.Alternate != b.Alternate || a.Title != b.Title {
		return false
	}
	for y := range a.Size.Rows {
		if a.RowGeneration(y) != b.RowGeneration(y) {
			return false
		}
	}
	return true
}

func (p *Pane) tapOutput(data []byte) {
	if p.tap == nil {
		return
	}
	p.tap.Output(data)
	if p.later && !p.term.Snapshot().Alternate {
		p.later = false
		p.tapScreen()
	}
}

// tapSize tells of a new size of a terminal that nod holds itself. What the size
// has done to a main screen that is hidden shows when it comes back.
func (p *Pane) tapSize() {
	p.later = p.tap != nil && p.term.Snapshot().Alternate
	p.tapScreen()
}

// tapBegan tells of the command that the shell has begun with.
func (p *Pane) tapBegan() {
	switch {
	case p.tap == nil:
	case p.run != nil:
		p.tap.Began(p.run.Command)
	default:
		p.tap.Began(p.doing)
	}
}

func (p *Pane) tapEnded(command string, outcome backends.Outcome) {
	if p.tap != nil {
		p.tap.Ended(command, outcome)
	}
}
