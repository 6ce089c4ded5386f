package pane

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nod-console/nod/backends"
)

// output takes what the pane's programs have written. It is called on the
// reading goroutine and must not wait for anything.
func (p *Pane) output(data []byte) {
	p.mu.Lock()
	if p.gone != nil {
		p.mu.Unlock()
		return
	}
	p.scan.feed(data)
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
	if p.phase == atPrompt && p.prompt.known && !p.shell.announces() && bytes.IndexByte(data, '\n') >= 0 {
		p.strayed = true
	}
	for _, l := range p.outer {
		if l.run != nil {
			l.run.record(data)
		}
	}
	if p.run != nil && p.refusal.State == backends.Unknown && !p.silent {
		if data = p.lead.cut(data); len(data) > 0 {
			p.run.record(data)
		}
	}
}

// told takes the account that stands in front of a mark.
func (p *Pane) told(a account, level int) {
	if level < len(p.outer) {
		p.outer[level].prompts = a.prompts
		return
	}
	p.line = lineOf(a, p.prompts)
	p.prompts = a.prompts
	if r := p.run; r != nil && p.phase == dispatched && p.away {
		if _, ended, _ := a.since(r.prompt); ended {
			p.began() // its mark has been missed
		}
	}
}

// marked is what the shell says of itself.
func (p *Pane) marked(m mark) {
	if m.kind == 'H' || m.kind == 'L' {
		p.handed(m.arg, m.kind == 'L')
		return
	}
	if m.kind == 'K' {
		p.kind = kindOf(m.arg)
		return
	}
	if m.level < len(p.outer) {
		if m.kind != 'D' {
			return // written by something that the outer shell left behind
		}
		p.leave(m.level)
	}
	if p.reacts(m) {
		p.keyed = keyedNothing
	}
	p.strayed = false
	switch m.kind {
	case 'R':
		p.show()
		shell, pid, _ := strings.Cut(m.arg, ",")
		p.shell = Shell(shell)
		p.says, _ = strconv.Atoi(pid) // which parseMark has made sure of
		p.phase, p.prompts = atPrompt, 0
		if p.shell.announces() {
			p.hands.ours = false // what nod has typed was the hook; the others count it as a line
		}
		p.prompt = promptSpot{}
	case 'B':
		p.unsaid = p.phase == executing
		if p.phase == atPrompt || p.phase == dispatched {
			p.prompt = spotAtCursor(p.term.Snapshot())
			p.before = p.prompt
		}
	case 'C':
		p.unsaid = false
		if p.phase == atPrompt {
			p.doing = p.pendingLine()
		}
		p.prompt = promptSpot{}
		if p.hand != nil && p.phase == dispatched {
			break // what begins is the reader of the command
		}
		if p.phase == dispatched {
			p.lead.pending = p.shell == Fish
		}
		p.began()
	case 'E':
		p.silent = true
	case 'P':
		p.continued()
	case 'D':
		p.unsaid = false
		p.prompt = promptSpot{}
		line, handing := p.line, p.hand != nil && p.hand.met
		p.line = nil
		p.prompted()
		if p.phase == dispatched {
			p.unbegun(statusOutcome(m.arg), line, handing)
			break
		}
		if p.phase == atPrompt && !p.shell.announces() {
			p.entered(false)
			p.commands++
		}
		byHand := p.phase == executing
		p.phase = atPrompt
		if p.run != nil {
			p.finish(statusOutcome(m.arg))
		} else if byHand {
			p.tapEnded(p.doing, statusOutcome(m.arg))
		}
	}
}

// reacts reports whether a mark is the reaction to a key. The prompt behind the hook
// is that of the hook: a key that was typed since the shell took it is yet to be read,
// and what it begins is not to be taken for the beginning of a run. The pane's mu is held.
func (l *level) reacts(m mark) bool {
	hooks := l.hooked && m.kind == 'D'
	l.hooked = m.kind == 'R' || l.hooked && m.kind != 'C' && m.kind != 'D'
	return !hooks && m.kind != 'R' && m.kind != 'B' && m.kind != 'E'
}

// lineEnd is what an account says of the line in front of its prompt.
type lineEnd struct {
	again    bool // the prompt is one that was told of before: it was drawn anew
	executed bool // something was run
	unsure   bool // something may have been run
}

// lineOf reads the account of a shell whose latest prompt so far is known.
func lineOf(a account, prompts int) *lineEnd {
	end, ok := a.fresh()
	return &lineEnd{again: a.prompts <= prompts, executed: ok && end.executed, unsure: ok && end.unsure}
}

// unbegun handles the end of a line in a shell that has not said that it begins
// with the run's. That alone does not say that nothing was run: the prompt may be
// that of an interrupt from before, with the line yet to be read, and what
// announces commands may be gone. line is nil where the shell itself says that it
// does not take the line; handing says that the command has not been handed to it.
// p.mu is held.
func (p *Pane) unbegun(status backends.Outcome, line *lineEnd, handing bool) {
	switch {
	case line == nil || handing:
		p.refusal, p.unread = status, false
	case line.again:
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
	p.phase, p.silent = executing, false
	p.refusal = backends.Outcome{}
	p.commands++
}

// finish ends the current run. p.mu is held.
func (p *Pane) finish(outcome backends.Outcome, notices ...string) {
	r := p.run
	p.run = nil
	if rest := p.lead.rest(0); len(rest) > 0 {
		r.record(rest)
	}
	if outcome == backends.ExitedWith(stoppedStatus) {
		notices = append(notices, "status 148 is what the shell reports for a program that was stopped (Ctrl-Z): it has not ended; \"fg\" continues it, \"kill %%\" ends it")
	}
	p.tapEnded(r.Command, outcome)
	r.end(outcome, notices...)
	if p.shape.stash != "" {
		p.hander().unstash(p.shape.stash)
	}
	p.shape, p.refusal = typed{}, backends.Outcome{}
	r.arrive(true)
	p.turn <- struct{}{}
}

// stoppedStatus is 128 + SIGTSTP.
const stoppedStatus = 148

func statusOutcome(digits string) backends.Outcome {
	n := 0
	for _, c := range digits {
		n = n*10 + int(c-'0')
	}
	return backends.ExitedWith(n)
}

// continued handles a continuation prompt. One that the typed lines do not
// explain means that the command is not complete: the shell waits for the rest.
func (p *Pane) continued() {
	if p.run == nil {
		return
	}
	if p.asked.times++; p.asked.times == p.shape.lines {
		p.run.notice("the command is not complete (an open quote, bracket or here-document): the shell asked for more, and it was abandoned")
	}
}

// incomplete reports whether the shell waits for the rest of the current run's
// command. p.mu is held.
func (p *Pane) incomplete() bool { return p.run != nil && p.asked.times >= p.shape.lines }
