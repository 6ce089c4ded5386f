package chat

import "github.com/nod-console/nod/agent"

// goesOn takes note of a call whose command goes on after it, if it does. The command
// may have ended before that is told.
func (t *Transcript) goesOn(e agent.CallFinished) {
	if e.Outcome != stillRunning {
		return
	}
	c := t.cards[e.Call]
	if end, over := t.ends[e.Call]; over {
		if c != nil {
			c.ended(end)
		}
		return
	}
	t.goingOn[e.Call] = c
}

// runEnded makes the card of a command true, and says once that it has ended: it is
// told at once, and again when the model is.
func (t *Transcript) runEnded(e agent.RunEnded) {
	if c := t.goingOn[e.Call]; c != nil {
		c.ended(e)
	}
	delete(t.goingOn, e.Call)
	if t.ends[e.Call].Text != e.Text {
		t.ends[e.Call] = e
		t.Notice(e.Text)
	}
}
