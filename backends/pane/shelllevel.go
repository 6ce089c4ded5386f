package pane

import (
	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/pane/marks"
	"github.com/nod-console/nod/backends/pane/shells"
)

// level is a shell in a pane and what it does: the pane's own shell, or one
// that a command in the level outside it has opened.
type level struct {
	nonce  marks.Nonce   // of the shell's marks
	opened string        // the command that opened it; empty for the pane's own
	turn   chan struct{} // holds a token while nobody dispatches or runs
	left   chan struct{} // closed when the shell has ended and the level with it

	shell   Shell
	phase   phase
	says    int     // the number of its process, by its own account
	home    int     // that number, or of what leads to the shell, as the target's kernel has it; 0 if it is not known
	exec    program // what home was when the shell was hooked
	strayed bool    // a line may have been entered of which the shell says nothing
	keys    bool    // its line editor takes the keys that say who has entered a line
	unsaid  bool    // a prompt has come up without the end of the command before it
	prompts int     // as the shell counts them
	run     *Run    // the run that was dispatched and has not ended
	shape   shells.Typing
	echo    shells.Echo // of the run's line, in a shell that does not announce commands
	doubted bool        // other things were shown with it: the next prompt may not be that behind the run
	crossed crossed     // what is known of lines that were entered in front of the run's
	asked   asked
	silent  bool             // the run's output has ended, what comes is the prompt's
	lead    marks.Preamble   // what the shell writes in front of the run's output
	prompt  promptSpot       // where the prompt ended
	before  promptSpot       // where the prompt before it did
	line    *lineEnd         // what the shell's account says of the line in front of the next D mark; nil if nothing
	refusal backends.Outcome // what the shell reported instead of beginning with the run
	unread  bool             // the refusal may be of another line, and the run's is yet to be read
	doing   string           // the command that was typed by hand and runs, as far as the screen tells
	keyed   keyed            // what was typed at the prompt without a reaction so far
	hooked  bool             // the shell has taken the hook, and the prompt behind it is yet to come
}

func newLevel(opened string) *level {
	l := &level{opened: opened, turn: make(chan struct{}, 1), left: make(chan struct{})}
	l.turn <- struct{}{}
	return l
}

// forget says that nothing is known of the shell.
func (l *level) forget() {
	l.shell, l.phase, l.strayed, l.unsaid, l.keys = NoShell, unknown, false, false, false
	l.says, l.home, l.exec = 0, 0, ""
	l.crossed = crossed{}
	l.prompt, l.before, l.keyed, l.hooked, l.line = promptSpot{}, promptSpot{}, keyedNothing, false, nil
}

// at is the level whose shell can be given commands.
func (p *Pane) at() *level {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.level
}

// Inside are the commands that have opened the shell which waits for commands
// now inside the pane's own one, the outermost first: "ssh web-1", "sudo -i".
// There are none where it is the pane's own. Run gives a command to the shell
// that [Request].Inside names, and to no other.
func (p *Pane) Inside() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.inside()
	if opened := p.waiting(); opened != "" {
		now = append(now, opened)
	}
	return now
}

// inside are the commands that have opened the shells that are hooked. p.mu is
// held.
func (p *Pane) inside() []string {
	if len(p.outer) == 0 {
		return nil
	}
	var commands []string
	for _, l := range p.outer[1:] {
		commands = append(commands, l.opened)
	}
	return append(commands, p.opened)
}

// leave ends the levels inside the given one: their shells have ended. p.mu is
// held.
func (p *Pane) leave(to int) { p.leaveWith(to, backends.Outcome{}) }

// leaveWith is leave where the command that has opened the outermost of those levels
// has ended with an outcome. A shell that is not ended by a signal ends with the status of
// the command that ends it, and what leads to one elsewhere hands that on, but for ssh,
// which says 255 of its own failures, too. p.mu is held.
func (p *Pane) leaveWith(to int, outcome backends.Outcome) {
	for len(p.outer) > to {
		gone := p.level
		last := len(p.outer) == to+1 && gone.phase == executing && outcome.State == backends.Exited && outcome.Code < 128
		if gone.run != nil && last {
			p.finish(outcome, "the command ended the shell that it ran in")
		} else if gone.run != nil {
			p.finish(backends.Outcome{}, "the shell that it ran in has ended: whether and how the command ended is not known")
		}
		close(gone.left)
		p.level = p.outer[len(p.outer)-1]
		p.outer = p.outer[:len(p.outer)-1]
		p.scan.Leave(len(p.outer))
		p.generation++
	}
}
