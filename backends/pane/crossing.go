package pane

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/pane/marks"
	"github.com/nod-console/nod/backends/pane/shells"
)

// Two hands can enter lines in the same instant: the operator in a terminal of theirs, and
// nod. The terminal gives the shell one line after the other, and which of them was first
// nobody outside can see. So each line that nod types is entered with a key that says so
// ([marks.Keys]), and the shell's marks tell by which key the line was entered that they are
// about. What bears another key, or none, is the operator's.
//
// Where the shell does not take such keys, the line that the terminal shows tells whose it
// was. Shells that do not announce commands show the lines that they are given; where more
// was shown than nod has typed, the outcome is not known.

// crossed is what is known of lines that somebody has entered in front of the present
// run's.
type crossed struct {
	now    bool // such a line has begun, and not ended
	ended  bool // one has ended: what it ran may have read the run's line as its input
	maybe  bool // one may have been entered, in a shell that does not announce commands
	joined bool // one that was not complete was, of which the run's line has become the rest
}

// overtakenFor is the silence at a prompt behind a line of the operator's after which the
// run's line, which was typed at the same time, is taken to have been read by what that line
// ran: the shell reads what was typed ahead as soon as it is at its prompt.
const overtakenFor = 5 * time.Second

// mine reports whether a mark that is about a line is about the run's. p.mu is held.
func (p *Pane) mine(m marks.Mark) bool {
	switch {
	case !p.shell.Announces():
		return true // it is nod's line that says so
	case m.Key != 0:
		return m.Key == p.run.key // else of an earlier run, which was given up
	}
	// bash forgets the key where an interrupt comes in the middle of the line.
	shown, known := p.shownLine()
	return known && sameLine(shown, p.shownAs()) || !known && p.run.key == 0
}

// beginsBefore takes the beginning of a command of somebody else's in front of the run's.
// p.mu is held.
func (p *Pane) beginsBefore() {
	p.doing, _ = p.shownLine()
	p.crossed.now = true
	p.refusal, p.unread = backends.Outcome{}, false
	p.run.notice("a line that was entered by hand at the same time came before the command")
	p.entered(false)
	p.commands++
	if p.tap != nil {
		p.tap.Began(p.doing)
	}
}

// endsBefore takes the end of that. p.mu is held.
func (p *Pane) endsBefore(status backends.Outcome) {
	p.crossed, p.asked = crossed{ended: true}, asked{}
	p.run.recordAnew()
	p.tapEnded(p.doing, status)
	p.refusal, p.unread = status, true // silence will tell
}

// mayBeAnother reports, at the end of the echo of the run's line in a shell that does not
// announce commands, whether the next prompt may be that behind another line. A line editor
// shows the line that it reads, and so nothing else between its prompt and that line; where
// the terminal edits lines it shows each at once, and each takes a prompt. p.mu is held.
func (p *Pane) mayBeAnother() bool {
	before := p.echo.Strange()
	if p.shell == Posix {
		before -= p.prompts - p.run.prompt
	}
	return p.crossed.maybe || before > 0
}

// interruptedWith reports whether the shell has given the run's line up at an interrupt that
// came right in front of it. Where the terminal edits lines, an interrupt drops what was
// typed before it, so the line behind it is the run's alone. dash drops that, too, where it
// reads the line before it takes the signal: it then shows one prompt, with the status of
// the interrupt, and reads the next line there, as the kernel says. Had it kept the line, it
// would have run it at that prompt. p.mu is held.
func (p *Pane) interruptedWith() bool {
	f := p.front
	return p.shell == Posix && p.refusal == backends.ExitedWith(interruptedStatus) &&
		f.asOf == p.lastly && f.pid != 0 && f.pid == p.home && f.rests && f.lines &&
		p.run.behindInterrupt(strings.Trim(string(p.shape.Keys), "\x15\n"))
}

// interruptedStatus is 128 + SIGINT.
const interruptedStatus = 130

// readsAnew says that a shell that does not announce commands, and whose own editor shows
// each line when it is read, has come to another prompt. p.mu is held.
func (p *Pane) readsAnew() {
	if p.shell != Posix {
		p.echo, p.crossed.maybe = p.shape.Echo, false
	}
}

// another reports whether more than one line may have been entered since the run's was typed,
// in a shell that does not announce commands. p.mu is held.
func (p *Pane) another() bool {
	return p.shell.Plain() && (p.crossed.maybe || p.crossed.ended || p.prompts > p.run.prompt+1)
}

// isOver reports whether a silence shows that the run's line will not be read any more.
// p.mu is held.
func (p *Pane) isOver(silence time.Duration) bool {
	if p.crossed.ended && p.shell.Announces() {
		return time.Since(p.lastly) >= overtakenFor
	}
	return silence >= refusedAfter
}

// overtaken ends a run of which it is not known whether its line was a command or the input
// of another one. p.mu is held.
func (p *Pane) overtaken() {
	p.phase = atPrompt
	p.finish(backends.Outcome{}, fmt.Sprintf("what that line ran (%s) ended, and the shell has not begun with the command since: the command may have been read as input of %s; look at what it has done before it is given again", quoted(p.doing), quoted(p.doing)))
}

// joined ends a run whose line was the rest of another one. p.mu is held.
func (p *Pane) joined() {
	p.finish(backends.Outcome{}, "the line was not entered alone: the shell took it for the rest of one that was typed by hand at the same time and was not complete; what was run, and how the command ended, is not known")
}

// unclear ends a run in a shell that does not announce commands, where another line was
// entered with it. p.mu is held.
func (p *Pane) unclear() {
	p.phase = atPrompt
	p.finish(backends.Outcome{}, "another line was entered by hand at the same time, and the shell does not say which of them ended: whether and how the command ended is not known; look at what it has done before it is given again")
}

// shownLine is what the terminal shows behind the prompt of the shell, if it shows
// anything. p.mu is held.
func (p *Pane) shownLine() (line string, known bool) {
	if !p.prompt.known {
		return "", false
	}
	s := p.term.Snapshot()
	var b strings.Builder
	for i := p.prompt.row; i <= s.Scrolled+s.Cursor.Row && i < s.Lines(); i++ {
		cells := s.Line(i)
		if i == p.prompt.row {
			cells = cells[min(p.prompt.col, len(cells)):]
		}
		b.WriteString(s.TextOf(cells))
	}
	line = strings.TrimSpace(b.String())
	return line, line != ""
}

// shownAs is what the terminal shows of the line that was typed for the run. p.mu is held.
func (p *Pane) shownAs() string {
	if p.shape.Stash != "" {
		return shells.Fetched(p.shell)
	}
	return p.run.Command
}

// sameLine reports whether what is shown can be a line that was typed: editors break lines
// and show letters outside ASCII as they like.
func sameLine(shown, typed string) bool {
	letters := plainLetters(typed)
	if strings.IndexFunc(typed, func(r rune) bool { return r >= 0x80 }) >= 0 {
		return strings.HasPrefix(plainLetters(shown), letters)
	}
	return plainLetters(shown) == letters
}

// plainLetters is a text up to its first letter outside ASCII, without blanks.
func plainLetters(text string) string {
	if i := strings.IndexFunc(text, func(r rune) bool { return r >= 0x80 }); i >= 0 {
		text = text[:i]
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			return -1
		}
		return r
	}, text)
}
