package pane

import (
	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/pane/marks"
)

// recall finds out what became of the shell and of its run while the pane was
// out of sight, from the account that the hook has left. It reports whether
// another look is needed. p.mu is held.
func (p *Pane) recall(seen sight) (again bool) {
	a, level, ok := p.scan.Left(seen.path)
	if ok {
		p.leave(level)
	}
	if r := p.run; r != nil && p.phase == dispatched && r.unsure && seen.entered != r.number {
		p.untyped(r, "the connection was lost before the command was typed")
	}
	switch {
	case ok:
		return p.catchUp(a)
	case p.phase == unknown: // not hooked
		return false
	}
	p.leave(0)
	p.forget()
	if p.run != nil {
		p.finish(backends.Outcome{}, notSeen)
	}
	return false
}

const notSeen = "the connection was lost; whether and how the command ended is not known"

// catchUp brings the innermost shell and its run to where the shell's account
// has them. It reports whether another look is needed. p.mu is held.
func (p *Pane) catchUp(a marks.Account) (again bool) {
	r := p.run
	missed := max(0, a.Prompts-p.prompts)
	p.prompts = a.Prompts
	if r == nil {
		p.commands += uint64(missed)
		p.resume(a, missed > 0)
		return false
	}
	end, ended, running := a.Since(r.prompt)
	switch {
	case a.Forgotten(r.prompt, p.shell.Announces() || p.shell.Plain()):
		p.resume(a, true)
		p.finish(backends.Outcome{}, notSeen)
	case ended:
		r.begin()
		p.resume(a, true)
		p.finish(end.Outcome)
	case running:
		r.begin()
		p.phase = executing
	case a.Prompts > r.prompt && p.phase == dispatched:
		p.refusal = a.Outcome() // unless it begins yet
	case a.Prompts > r.prompt:
		p.resume(a, true)
		p.finish(backends.Outcome{}, notSeen)
	case p.phase == dispatched && p.shell.Plain() && !r.unsure:
		p.began() // it says nothing before it has ended
	case p.phase == dispatched && !r.unsure:
		return true // this look may have been too early
	}
	p.commands += uint64(missed)
	return false
}

// resume takes up the shell where its account has it; missed says that it has
// put up another prompt since. p.mu is held.
func (p *Pane) resume(a marks.Account, missed bool) {
	p.keyed, p.refusal = keyedNothing, backends.Outcome{}
	if a.Running {
		p.phase = executing
		return
	}
	p.phase = atPrompt
	if missed {
		p.prompt = p.before.likely(p.term.Snapshot())
	}
}
