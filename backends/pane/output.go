package pane

import (
	"bytes"
	"fmt"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/pane/marks"
	"github.com/nod-console/nod/backends/pane/shells"
)

// output takes what the pane's programs have written. It is called on the
// reading goroutine and must not wait for anything.
func (p *Pane) output(data []byte) {
	p.mu.Lock()
	if p.gone != nil {
		p.mu.Unlock()
		return
	}
	p.scan.Feed(data)
	p.lastly = time.Now()
	p.changed()
	p.mu.Unlock()
	p.nudge()
}

// nudge wakes the watch.
func (p *Pane) nudge() {
	select {
	case p.poke <- struct{}{}:
	default:
	}
}

// plain is output that is no mark.
func (p *Pane) plain(data []byte) {
	_, _ = p.term.Write(data) // never fails
	if !p.hold(data) {
		p.tapOutput(data)
	}
	p.heard(data)
}

// heard draws the conclusions from output. p.mu is held.
func (p *Pane) heard(data []byte) {
	p.prompt.afterward += len(data)
	if p.phase == atPrompt && p.prompt.known && !p.shell.Announces() && bytes.IndexByte(data, '\n') >= 0 {
		p.strayed = true
	}
	for _, l := range p.outer {
		if l.run != nil {
			l.run.record(data)
		}
	}
	if p.run == nil || p.silent || p.refusal.State != backends.Unknown && !p.shell.Plain() {
		p.echoed(data)
		return
	}
	if rest, over := p.echoed(data); over {
		data = rest
	}
	if data = p.lead.Cut(data); len(data) > 0 {
		p.run.record(data)
	}
}

// echoed follows the echo of a run's line, and says what of the output follows it where
// that ends: the shell has begun with the command then. p.mu is held.
func (p *Pane) echoed(data []byte) (rest []byte, over bool) {
	if p.run == nil || p.phase != dispatched || !p.echo.Pending() {
		return nil, false
	}
	rest, over = p.echo.Feed(data)
	if over && p.shape.Stash == "" { // else it begins when it has been fetched
		p.doubted = p.mayBeAnother()
		p.began()
	}
	return rest, over
}

// told takes the account that stands in front of a mark.
func (p *Pane) told(a marks.Account, level int) {
	if level < len(p.outer) {
		p.outer[level].prompts = a.Prompts
		return
	}
	p.line = lineOf(a, p.prompts)
	p.prompts = a.Prompts
	if r := p.run; r != nil && p.phase == dispatched && p.away {
		if _, ended, _ := a.Since(r.prompt); ended {
			p.began() // it has been missed
		}
	}
}

// marked is what the shell says of itself.
func (p *Pane) marked(m marks.Mark) {
	switch m.Kind {
	case marks.Read, marks.ReadLate:
		p.handed(m.Arg, m.Kind == marks.ReadLate)
		return
	case marks.Probed:
		p.kind = shells.Probed(m.Arg)
		return
	}
	if m.Level < len(p.outer) {
		if m.Kind != marks.End {
			return // written by something that the outer shell left behind
		}
		p.leaveWith(m.Level, m.Outcome())
	}
	if p.reacts(m) {
		p.keyed = keyedNothing
	}
	p.strayed = false
	switch m.Kind {
	case marks.Ready:
		p.introduced(m)
	case marks.PromptEnd:
		p.promptShown()
	case marks.Begin:
		p.commandBegins(m)
	case marks.OutputEnd:
		p.silent = true
	case marks.More:
		p.continued()
	case marks.End:
		p.lineEnds(m)
	}
}

// introduced takes the first word of a shell that has been hooked. p.mu is held.
func (p *Pane) introduced(m marks.Mark) {
	p.show()
	shell, pid := m.Shell()
	p.shell, p.says, p.keys = Shell(shell), pid, m.Keys
	p.phase, p.prompts = atPrompt, 0
	if p.shell.Announces() {
		p.hands.ours = false // what nod has typed was the hook; the others count it as a line
	}
	p.prompt = promptSpot{}
}

// promptShown takes the end of a prompt. p.mu is held.
func (p *Pane) promptShown() {
	p.unsaid = p.phase == executing
	if p.phase == dispatched && p.shell.Plain() {
		p.echo.Prompted()
		p.run.recordAnew()
	}
	if p.phase == atPrompt || p.phase == dispatched {
		p.prompt = spotAtCursor(p.term.Snapshot())
		p.before = p.prompt
	}
}

// commandBegins takes the beginning of a command: of the run's, or of another one. p.mu is
// held.
func (p *Pane) commandBegins(m marks.Mark) {
	p.unsaid = false
	if p.phase == atPrompt {
		p.doing = p.pendingLine()
	}
	if p.phase == dispatched && !p.mine(m) {
		p.beginsBefore()
		p.prompt = promptSpot{}
		return
	}
	p.prompt = promptSpot{}
	if p.phase == dispatched {
		if p.hand != nil {
			return // what begins is the reader of the command
		}
		p.lead.Pending = p.shell == Fish
		p.crossed.joined = p.run != nil && p.run.key != 0 && p.incomplete()
	}
	p.began()
}

// lineEnds takes the end of what the shell made of a line, whoever has entered it. p.mu is
// held.
func (p *Pane) lineEnds(m marks.Mark) {
	p.unsaid = false
	p.prompt = promptSpot{}
	p.keys = m.Keys
	line, handing := p.line, p.hand != nil && p.hand.Met()
	p.line = nil
	if p.crossed.now {
		p.endsBefore(m.Outcome())
		return
	}
	if p.shell.Plain() && line != nil { // the prompt says so, and not the text that takes the hook back
		switch {
		case p.run == nil && p.phase == executing && line.again:
			return // the prompt in front of the command, drawn anew
		case p.run != nil && p.promptFromBefore():
			return
		}
	}
	p.doubted = false
	p.prompted()
	if p.phase == dispatched {
		p.unbegun(m, line, handing)
		return
	}
	p.commandEnded(m.Outcome())
}

// promptFromBefore takes a prompt, by which a shell that does not announce commands says that
// one has ended. It reports whether the prompt is from before the run. p.mu is held.
func (p *Pane) promptFromBefore() bool {
	early := p.prompts <= p.run.prompt
	if !early && p.incomplete() && p.asked.abandoned.IsZero() {
		p.unasked() // nobody has given the command up, and it has ended
	}
	if p.phase == executing && (early || p.doubted) {
		p.phase, p.echo = dispatched, p.shape.Echo // the line may be yet to be read
		p.crossed.ended = p.crossed.ended || p.doubted && p.shell == Posix
	}
	if early {
		p.run.setAside()
	}
	return early
}

// commandEnded ends the command that was executed, if the shell has executed one. p.mu is
// held.
func (p *Pane) commandEnded(outcome backends.Outcome) {
	if p.phase == atPrompt && !p.shell.Announces() {
		p.entered(false)
		p.commands++
	}
	byHand := p.phase == executing
	p.phase = atPrompt
	switch {
	case p.run != nil && p.crossed.joined:
		p.joined()
	case p.run != nil:
		p.finish(outcome)
	case byHand:
		p.tapEnded(p.doing, outcome)
	}
}

// reacts reports whether a mark is the reaction to a key. The prompt behind the hook
// is that of the hook: a key that was typed since the shell took it is yet to be read,
// and what it begins is not to be taken for the beginning of a run. The pane's mu is held.
func (l *level) reacts(m marks.Mark) bool {
	hooks := l.hooked && m.Kind == marks.End
	l.hooked = m.Kind == marks.Ready || l.hooked && m.Kind != marks.Begin && m.Kind != marks.End
	return !hooks && m.Kind != marks.Ready && m.Kind != marks.PromptEnd && m.Kind != marks.OutputEnd
}

// lineEnd is what an account says of the line in front of its prompt.
type lineEnd struct {
	again    bool // the prompt is one that was told of before: it was drawn anew
	executed bool // something was run
	unsure   bool // something may have been run
}

// lineOf reads the account of a shell whose latest prompt so far is known.
func lineOf(a marks.Account, prompts int) *lineEnd {
	end, ok := a.Latest()
	return &lineEnd{again: a.Prompts <= prompts, executed: ok && end.Executed, unsure: ok && end.Unsure}
}

// unbegun handles the end of a line in a shell that has not said that it begins
// with the run's. That alone does not say that nothing was run: the prompt may be
// that of an interrupt from before, with the line yet to be read, and what
// announces commands may be gone. line is nil where the shell itself says that it
// does not take the line; handing says that the command has not been handed to it.
// p.mu is held.
func (p *Pane) unbegun(m marks.Mark, line *lineEnd, handing bool) {
	status := m.Outcome()
	switch {
	case p.run.key != 0 && m.Key != p.run.key: // it is about another line
		p.refusal, p.unread = status, true
	case line == nil || handing:
		p.refusal, p.unread = status, false
	case line.again:
	case p.shell.Plain() && p.incomplete():
		p.refusal, p.unread = status, false
	case p.shell.Plain():
		p.run.setAside()
		p.refusal, p.unread = status, true // silence will tell whether that was the run's line
		p.readsAnew()
	case line.executed || line.unsure:
		p.forget() // the next run finds out what holds in this shell
		p.finish(backends.Outcome{}, fmt.Sprintf("the shell did not say that it began with the command, but something was run or may have been, and ended with status %d: whether that was the command is not known", status.Code))
	default:
		p.refusal, p.unread = status, true // silence will tell
	}
}

// began says that the shell has begun with a command. p.mu is held.
func (p *Pane) began() {
	p.entered(p.phase == dispatched)
	if p.phase == dispatched {
		p.run.begin()
	}
	p.tapBegan()
	p.phase, p.silent, p.echo = executing, false, shells.Echo{}
	p.refusal = backends.Outcome{}
	p.commands++
}

// finish ends the current run. p.mu is held.
func (p *Pane) finish(outcome backends.Outcome, notices ...string) {
	r := p.run
	p.run = nil
	if rest := p.lead.Rest(0); len(rest) > 0 {
		r.record(rest)
	}
	if outcome == backends.ExitedWith(stoppedStatus) {
		notices = append(notices, "status 148 is what the shell reports for a program that was stopped (Ctrl-Z): it has not ended; \"fg\" continues it, \"kill %%\" ends it")
	}
	p.last = Ended{r.Command, outcome, time.Now()}
	p.tapEnded(r.Command, outcome)
	r.end(outcome, notices...)
	if p.shape.Stash != "" {
		p.hander().unstash(p.shape.Stash)
	}
	p.shape, p.refusal, p.crossed = shells.Typing{}, backends.Outcome{}, crossed{}
	r.arrive(true)
	p.turn <- struct{}{}
}

// stoppedStatus is 128 + SIGTSTP.
const stoppedStatus = 148

// continued handles a continuation prompt. One that the typed lines do not
// explain means that the command is not complete: the shell waits for the rest.
func (p *Pane) continued() {
	if p.run == nil || p.crossed.now {
		return
	}
	if p.echo.Asked() && p.phase == dispatched && p.shape.Stash == "" {
		p.began()
	}
	if p.asked.times++; p.asked.times == p.shape.Lines {
		if p.shell.Plain() && p.phase == executing { // the line was not all of a command
			p.phase, p.asked.aside = dispatched, true
			p.run.setAside()
		}
	}
}

// unasked says that what was taken for the shell's question for more was output, such as
// that of a command which shows the prompts. p.mu is held.
func (p *Pane) unasked() {
	if p.asked.aside {
		p.phase = executing
		p.run.resume()
	}
	p.asked = asked{}
}

// incomplete reports whether the shell waits for the rest of the current run's
// command. p.mu is held.
func (p *Pane) incomplete() bool { return p.run != nil && p.asked.times >= p.shape.Lines }
