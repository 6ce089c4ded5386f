package pane

import "github.com/nod-console/nod/backends/vt"

// What nod types at a new shell is its own business: the operator is to see their
// terminal, not nod's preparations. The hook takes its line off the screen again,
// before its first mark. From the typing to that mark the pane's picture stands
// still, for who looks at it and for the tap; the emulator goes on, since it answers
// what programs ask the terminal.

// maxHushed bounds what is not shown, in bytes: a shell that writes so much is not
// the one that was typed at.
const maxHushed = 64 << 10

// hush is a picture that stands still. The zero value is none.
type hush struct {
	picture *vt.Snapshot // nil while the picture moves
	missed  int          // bytes of output since
}

// hushed makes the picture stand still. unhushed must follow.
func (p *Pane) hushed() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hush = hush{picture: p.term.Snapshot()}
}

// unhushed shows what the shell has made of what was typed, if it has not taken the
// hook.
func (p *Pane) unhushed() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.show()
}

// hold notes output that is not shown. It reports whether that is so. p.mu is held.
func (p *Pane) hold(data []byte) bool {
	if p.hush.picture == nil {
		return false
	}
	if p.hush.missed += len(data); p.hush.missed > maxHushed {
		p.show()
	}
	return true
}

// show has the picture move again. p.mu is held.
func (p *Pane) show() {
	if p.hush.picture == nil {
		return
	}
	p.hush = hush{}
	p.tapScreen()
	p.changed()
}
