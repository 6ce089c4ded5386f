package pane

import (
	"context"
	"strings"
	"time"
)

// ready makes sure that a hooked shell stands at its prompt. It returns what
// the caller's run should tell.
func (p *Pane) ready(ctx context.Context) (notices []string, err error) {
	looks := 0
	for revived := false; ; {
		now, told := p.condition()
		notices = append(notices, told...)
		switch {
		case now.gone != nil:
			return notices, now.gone
		case now.away:
			err = p.linked(ctx)
		case now.dead && revived:
			return notices, p.stillbirth()
		case now.dead:
			revived = true
			err = p.revive(ctx)
		case now.shell == NoShell && now.depth > 0: // it was replaced, or is out of reach
			return notices, p.leaveUnhooked(now.depth - 1)
		case now.shell == NoShell:
			err = p.hook(ctx)
		case now.keyed:
			err = p.reaction(ctx)
		case now.strayed && looks < strayedLooks:
			looks++
			err = p.lookAgain(ctx)
		case now.atPrompt:
			return notices, p.promptEnd(ctx)
		default: // the operator's command may end, or end the shell
			err = p.idle(ctx)
		}
		if err != nil {
			return notices, err
		}
	}
}

// condition is what stands between a pane and its next command.
type condition struct {
	gone     error // why the pane cannot be used any more
	away     bool  // output was missed since the last look
	dead     bool  // the pane's own shell has ended
	shell    Shell // NoShell if it is not hooked
	depth    int   // how many shells are around it
	atPrompt bool
	keyed    bool // at the prompt, keys were typed to which there is no reaction so far
	strayed  bool // at the prompt, a line may have been entered of which the shell says nothing
}

// condition is what is known now, and what is new about the shell, which is told once.
func (p *Pane) condition() (now condition, told []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := p.phase == atPrompt
	now = condition{
		gone: p.gone, away: p.away, dead: p.seen.dead, shell: p.shell, depth: len(p.outer), atPrompt: at,
		keyed:   at && (p.keyed != keyedNothing || p.pendingLine() == hangingInterrupt),
		strayed: at && p.strayed,
	}
	if p.reborn != "" {
		told = append(told, p.reborn)
		p.reborn = ""
	}
	if !now.dead && now.shell != NoShell {
		if fresh := p.afresh(); fresh != "" {
			told = append(told, fresh)
		}
	}
	return now, told
}

// linked waits until the connection to the terminal is there again, and a look has told what
// was missed.
func (p *Pane) linked(ctx context.Context) error {
	if err := p.wait(ctx, func() bool { return !p.away }); err != nil {
		if ctx.Err() == nil {
			return err // it has ended meanwhile
		}
		return &BusyError{Pane: p.ID(), Doing: "the connection to it is being made again", Wrapped: err}
	}
	return nil
}

// leaveUnhooked leaves a shell that is not hooked any more for that of a level around it. The
// error says which one is given commands now.
func (p *Pane) leaveUnhooked(to int) error {
	p.mu.Lock()
	p.leave(to)
	p.mu.Unlock()
	return &ChangedError{Pane: p.ID(), Meant: p.Inside()}
}

// strayedLooks bounds how often it is looked whether a line was entered at the
// prompt of a shell that does not say so: what writes there all the time may be
// a job in the background.
const strayedLooks = 3

// keepFor keeps what was to be told for the next run. p.mu is held.
func (p *Pane) keepFor(notices []string) {
	if len(notices) > 0 {
		p.reborn = strings.Join(notices, "; ")
	}
}

// tellNext has the next run tell something.
func (p *Pane) tellNext(notice string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	notices := []string{notice}
	if p.reborn != "" {
		notices = append(notices, p.reborn)
	}
	p.keepFor(notices)
}

// hangingInterrupt is what stands behind the prompt of a bash (5.2) that was
// interrupted while it put the prompt up: it hangs until the next interrupt.
const hangingInterrupt = "^C"

// interruptTries bounds how often a shell that hangs at an interrupt is
// interrupted again.
const interruptTries = 3

// reaction waits until the shell has reacted to keys that were typed at its
// prompt. One that ignores them, as fish does with an interrupt on an empty
// line, gets no more than a moment.
func (p *Pane) reaction(ctx context.Context) error {
	for try := 1; ; try++ {
		p.mu.Lock()
		hangs := p.keyed == keyedNothing && p.pendingLine() == hangingInterrupt
		p.mu.Unlock()
		if !hangs {
			// A shell whose prompt is still coming up has not read the key.
			if _, err := p.shortly(ctx, speakWait, func() bool {
				return p.prompt.known || !p.before.known || p.keyed == keyedNothing || p.phase != atPrompt
			}); err != nil {
				return err
			}
			if reacted, err := p.shortly(ctx, p.reactsWithin(), func() bool { return p.keyed == keyedNothing }); reacted || err != nil {
				return err
			}
		}
		p.mu.Lock()
		again := (hangs || p.keyed == keyedInterrupt && p.shell != Fish) && try < interruptTries
		p.keyed = keyedNothing
		p.mu.Unlock()
		if !again {
			return nil
		}
		if err := p.Interrupt(ctx); err != nil {
			return err
		}
	}
}

// reactsWithin is how long to wait for the reaction to a key. All but fish surely
// react to Enter.
func (p *Pane) reactsWithin() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.keyed == keyedEnter && p.shell != Fish {
		return enterWait
	}
	return promptWait
}

// shortly waits for at most most and reports whether ok came to hold.
func (p *Pane) shortly(ctx context.Context, most time.Duration, ok func() bool) (bool, error) {
	short, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	err := p.wait(short, ok)
	if err != nil && ctx.Err() == nil && short.Err() != nil {
		return false, nil
	}
	return err == nil, err
}

// promptEnd waits for the end of the prompt, so that what is typed ahead shows.
// A prompt that does not tell where it ends gets no more than a moment.
func (p *Pane) promptEnd(ctx context.Context) error {
	_, err := p.shortly(ctx, promptWait, func() bool { return p.prompt.known || p.phase != atPrompt })
	if err == nil && p.Shell() == Zsh {
		_, err = p.shortly(ctx, pasteWait, func() bool { return p.term.Snapshot().Modes.BracketedPaste || p.phase != atPrompt })
	}
	if err == nil && p.Shell().Decorates() {
		_, err = p.shortly(ctx, speakWait, func() bool { return !p.speaks() || p.phase != atPrompt })
	}
	return err
}
