package pane

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nod-console/nod/backends/pane/marks"
	"github.com/nod-console/nod/backends/pane/shells"
	"github.com/nod-console/nod/backends/vt"
)

// hook makes the shell in the pane write marks. A start-up menu or the like may
// eat what is typed, so it is tried again, each time with another nonce: a late
// answer to an earlier try then is nothing but output.
func (p *Pane) hook(ctx context.Context) error {
	way, err := p.wayThere(ctx)
	switch {
	case errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil:
		p.mu.Lock()
		program := p.seen.program()
		p.mu.Unlock()
		return &NotReadyError{Pane: p.ID(), Program: program, Line: p.lastLine(), Wrapped: err}
	case err != nil:
		return err
	}
	if err := p.Unready(); err != nil {
		return err
	}
	soon, cancel := context.WithTimeout(ctx, hookWait+longWay*way)
	defer cancel()
	for {
		seen, err := p.tryHook(soon, ctx, way)
		switch {
		case err == nil && silent(p.Shell()) != nil:
			why := silent(p.Shell())
			p.mu.Lock()
			p.forget()
			p.mu.Unlock()
			return p.notReady(seen.program(), why)
		case err == nil:
			return p.identify(ctx, seen)
		case errors.Is(err, errShellEnded):
			return nil // which the caller sees
		case soon.Err() != nil || errors.Is(err, errNoShell) || errors.Is(err, errShellEnded):
			return p.notReady(seen.program(), err)
		case !errors.Is(err, context.DeadlineExceeded):
			return err
		}
	}
}

// notReady is the refusal of a pane whose shell is not hooked.
func (p *Pane) notReady(program string, why error) error {
	err := &NotReadyError{Pane: p.ID(), Program: program, Line: p.lastLine(), Wrapped: why}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unready = unready{err: err, asOf: p.lastly, at: time.Now(), said: errors.Is(why, errMute) || errors.Is(why, errAway) || errors.Is(why, errRestricted)}
	return err
}

// unready is a refusal of a pane.
type unready struct {
	err  *NotReadyError
	asOf time.Time // the latest output from before it
	at   time.Time
	said bool // the shell itself says so, and then shows its prompt
}

// unreadyFor is how long a refusal holds where nothing changes.
const unreadyFor = 2 * time.Second

// Unready is the latest refusal of a shell that could not be made to say what it does, if
// that is recent and nothing has changed since; else nil. [Pane.Run] gives the same at once.
func (p *Pane) Unready() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	u := p.unready
	if u.err == nil || u.asOf != p.lastly && !u.said || time.Since(u.at) > unreadyFor || p.seen.program() != u.err.Program {
		return nil
	}
	return u.err
}

// tryHook is one try, which is to begin soon and then may last as long as ctx and
// the shell let it.
func (p *Pane) tryHook(soon, ctx context.Context, way time.Duration) (sight, error) {
	shell, err := p.settled(soon, way)
	seen := shell.sight
	if err != nil {
		return seen, err
	}
	n := marks.NewNonce()
	p.mu.Lock()
	p.forget()
	p.nonce = n
	p.scan.Expect(len(p.outer), n)
	p.mu.Unlock()
	w := p.handing()
	line := " " + shells.Eval(seen.program()) + " \"$(" + w.fetch(n.Buffer(), seen.program()) + ")\""
	screen := p.Screen()
	if (screen.Cursor.Col+len(line))%max(1, screen.Size.Cols) == 0 {
		line = " " + line // shells differ in what they do at the very edge
	}
	p.mu.Lock()
	p.overtyped = upToCursor(screen)
	p.mu.Unlock()
	first := eraser(screen, len(line), shell.shows(seen.program()))
	if shells.Named(seen.program()) == "fish" { // it has put what it runs into the title, until its next prompt
		first += `\033]2;` + shells.PrintfFormat(screen.Title) + `\007`
	}
	text := shells.Hook(seen.program(), n, first) + w.refetch(n.Buffer(), seen.program())
	short, cancel := context.WithTimeout(soon, hookTry+longWay*way)
	defer cancel()
	if err := w.stash(short, n.Buffer(), text); err != nil {
		return seen, err
	}
	defer p.unstash(n.Buffer())
	clear, enter := shells.ClearLine, "\r"
	switch name := shells.Named(seen.program()); {
	case shell.raw && shell.plain(name):
		clear, enter = "", "\n" // the terminal was left raw: all keys are text
	case name == "ash", name == "sh", name == shells.Busybox:
		clear = shells.ClearBusybox
	}
	p.hushed()
	defer p.unhushed()
	if err := p.Type(short, []byte(clear+line+enter)); err != nil {
		return seen, err
	}
	return seen, p.hooked(ctx, way)
}

// longWay is how many times as long as a look the longest step of a hook is on
// its way: the hook itself has 4 KB, a look and its answer half of one.
const longWay = 12

// shortWay is the time of a look from which the limits of a hook grow with it:
// here, and on most links, it is less.
const shortWay = 100 * time.Millisecond

// wayThere is how long a look takes on a slow link, of which the shell knows
// nothing; 0 on one that is not.
func (p *Pane) wayThere(ctx context.Context) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, hookWait)
	defer cancel()
	begun := time.Now()
	if _, err := p.looked(ctx); err != nil {
		return 0, err
	}
	if took := time.Since(begun); took >= shortWay {
		return took, nil
	}
	return 0, nil
}

// hooked waits for the hook's first mark. A try in which nothing happens for a
// while is given up. One that gets on is not: another one in the middle of it
// would only take longer.
func (p *Pane) hooked(ctx context.Context, way time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, insideWait+longWay*way)
	defer cancel()
	for before := p.handoverState(); ; {
		_, err := p.shortly(ctx, hookTry+longWay*way, func() bool { return p.shell != NoShell || p.hand != nil && p.hand.Failed() })
		now := p.handoverState()
		switch {
		case err != nil:
			return err
		case p.Shell() != NoShell:
			return nil
		case now.failed, now == before:
			return context.DeadlineExceeded
		}
		before = now
	}
}

// unstash takes back what is stashed.
func (p *Pane) unstash(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hander().unstash(name)
}

// eraser is what takes the echo of a line of that length, typed at the cursor
// and entered, off the screen again: the operator should see his own terminal
// and not nod's preparations. It is empty where the line would end at the very
// edge, since shells differ there. It erases line by line: tmux keeps what an
// erased screen held as scrollback.
func eraser(s *vt.Snapshot, length int, how showing) string {
	const row, above = `\r\033[2K`, `\033[A\033[2K`
	end := s.Cursor.Col + length
	switch how {
	case showsNothing:
		return row
	case showsRow:
		return above + `\r`
	case showsRaw:
		return row + strings.Repeat(above, (end+len("^J")-1)/max(1, s.Size.Cols))
	}
	if s.Size.Cols == 0 || end%s.Size.Cols == 0 {
		return ""
	}
	return strings.Repeat(above, end/s.Size.Cols+1) + `\r`
}

// showing is what a terminal shows of a line that is typed and entered.
type showing uint8

const (
	showsAll     showing = iota // the line, and the next row
	showsRow                    // a part of the line in one row, and the next one
	showsRaw                    // the line alone
	showsNothing                // and does not go to the next row
)

// shows is what the terminal shows of a line that is typed for a shell, by its name.
func (f shellSight) shows(name string) showing {
	name = shells.Named(name)
	lines := name == "dash" || name == "ash" || name == shells.Busybox || name == "ksh" || name == "sh"
	switch {
	case lines && f.mute && (!f.raw || f.plain(name)):
		return showsNothing
	case f.raw && f.plain(name):
		return showsRaw
	case shells.Slides(name):
		return showsRow
	}
	return showsAll
}

// plain reports whether a shell, by its name, leaves it to the terminal to edit lines.
func (f shellSight) plain(name string) bool {
	return name == "dash" || name == "sh" && f.file == "dash"
}

// identify remembers which process the hooked shell is, and what it executes. The
// number that the shell gives of itself is believed if the kernel says the same:
// it may be one of another namespace.
func (p *Pane) identify(ctx context.Context, seen sight) error {
	p.mu.Lock()
	says := p.says
	p.mu.Unlock()
	f, err := p.wire.front(ctx, seen.pid, says)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.home, p.exec, p.inherited = 0, "", false
	if says > 0 && (says == seen.pid || says == f.pid) && f.home != hasEnded {
		p.home, p.exec = says, f.home
	}
	return nil
}

var errMute = errors.New("its prompts (PS1 and PS2, or PROMPT_COMMAND and PS1) are readonly, so that it cannot say when a command ends; take that out of its start-up file (nod doctor names the line), use another shell there, or run the command without a pane")

var errAway = errors.New("its output or its prompt does not come to the terminal, so that it cannot say when a command ends; type there: exec >/dev/tty 2>&1 (or use another shell, or run the command without a pane)")

var errRestricted = errors.New("it is a restricted bash (bash -r, rbash), in which nothing can be set up that says when a command ends; use another shell there, or run the command without a pane")

// silent is why a shell that was hooked cannot say when a command ends; nil if it can.
func silent(shell Shell) error {
	switch shell {
	case shells.Mute:
		return errMute
	case shells.Away:
		return errAway
	case shells.Restricted:
		return errRestricted
	}
	return nil
}

var errNoShell = errors.New("it is not a shell that can be tracked")

// errProgram is errNoShell of what is no shell at all.
var errProgram = fmt.Errorf("%w; end it, give the command to another pane, or run it without one", errNoShell)

// errRuns is errProgram of a shell that runs a script.
func errRuns(program, script string) error {
	return fmt.Errorf("%w (%q runs %q)", errProgram, program, script)
}

// inherit says that an earlier process has left the pane.
func (p *Pane) inherit() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.inherited = true
}

// errOtherShell is errNoShell of what is known to be a shell, and none of those that nod
// tracks.
var errOtherShell = fmt.Errorf("%w; start one there that can be (exec bash), or run the command without a pane: nod help shells", errNoShell)

// looked looks at the terminal and waits for the answer.
func (p *Pane) looked(ctx context.Context) (sight, error) {
	type answer struct {
		sight
		err error
	}
	got := make(chan answer, 1)
	p.wire.look(func(s sight, err error) { got <- answer{s, err} })
	select {
	case a := <-got:
		return a.sight, a.err
	case <-ctx.Done():
		return sight{}, context.Cause(ctx)
	}
}

// lastLine is the last line on the screen that is not blank.
func (p *Pane) lastLine() string {
	s := p.Screen()
	for y := s.Size.Rows - 1; y >= 0; y-- {
		if text := s.RowText(y); text != "" {
			return text
		}
	}
	return ""
}
