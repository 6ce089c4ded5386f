package shells

import "strings"

// Echo finds in a terminal's output the end of the echo of what was typed for a
// [Plain] shell: what follows is the command's. Nothing is typed in front of a command
// there that could say so, since the operator would see it.
//
// The terminal, or the shell's line editor, shows each line that it is given, and goes
// to the next one when that is entered. Some editors break a long line by themselves,
// and some show a part of it that moves. The zero value follows nothing.
type Echo struct {
	family  Family
	lines   []string // that are yet to be shown
	prompts int      // continuation prompts that are yet to come
	shown   []byte   // of the first one
	strange int      // lines of something else that were shown before
	moved   bool     // the editor shows another part of the line, the first one was right
	drawn   bool     // the editor has drawn the line anew, with its prompt
	back    bool     // a carriage return came last
	broken  bool     // the editor has broken the line, behind which it writes a carriage return
	escape  byte     // the kind of escape sequence that the output is in; 0 if it is in none
}

// Kinds of escape sequences.
const (
	escapeBegun  = 1
	escapeCSI    = '['
	escapeString = ']'
)

// NewEcho follows the echo of what has been typed for a shell.
func NewEcho(family Family, lines []string) Echo {
	return Echo{family: family, lines: lines, prompts: len(lines) - 1}
}

// Pending reports whether the end of the echo is yet to come.
func (e *Echo) Pending() bool { return len(e.lines) > 0 || e.prompts > 0 }

// Strange is how many lines of something else than what was typed have been shown since.
func (e *Echo) Strange() int { return e.strange }

// Prompted says that a prompt has just been written: what is shown of the line comes
// behind it.
func (e *Echo) Prompted() { e.shown, e.moved, e.back = nil, false, false }

// Asked says that a prompt for another line has been written. over says that the echo
// has ended: a terminal that edits lines itself shows all of them at once.
func (e *Echo) Asked() (over bool) {
	if !e.Pending() {
		return false
	}
	e.prompts--
	e.Prompted()
	return !e.Pending()
}

// Feed takes output. over says that the echo has ended, and rest is what follows it.
func (e *Echo) Feed(p []byte) (rest []byte, over bool) {
	for i, b := range p {
		if len(e.lines) == 0 {
			return nil, false // the text of the last prompt
		}
		if e.inEscape(b) {
			continue
		}
		if e.back && b != '\n' && b != '\r' {
			e.drawsAnew()
		}
		e.broken = e.broken && b == '\r'
		e.back = b == '\r' && !e.broken
		switch {
		case b == '\n':
			over = e.entered()
		case b == '\b':
			e.shown = e.shown[:max(0, len(e.shown)-1)]
		case b >= 0x20 && len(e.shown) <= longestTyped:
			e.shown = append(e.shown, b)
			over = e.rawEnd() && e.entered()
		}
		if over {
			return p[i+1:], true
		}
	}
	return nil, false
}

// drawsAnew takes that something is written over what is shown of the line, from its beginning.
func (e *Echo) drawsAnew() {
	if e.redraws() {
		e.moved = e.moved || len(e.shown) > 0 && strings.HasPrefix(e.lines[0], string(e.shown))
		e.drawn = true
	}
	e.shown = e.shown[:0]
}

// rawEnd reports whether the line has been shown up to its newline by a terminal that
// is raw.
func (e *Echo) rawEnd() bool {
	line, ended := strings.CutSuffix(string(e.shown), "^J")
	return ended && e.family == Posix && alike(line, e.lines[0])
}

// redraws reports whether the editor shows a long line in a window that moves.
func (e *Echo) redraws() bool { return e.family == Ksh || e.family == Mksh }

// entered takes the end of a line of output. It reports whether that is the end of the
// echo.
func (e *Echo) entered() bool {
	want, got := e.lines[0], string(e.shown)
	switch {
	case e.family != Posix && len(e.lines) <= e.prompts: // it is read only behind the prompt
	case e.moved, alike(strings.TrimSuffix(got, "^J"), want), e.drawn && strings.HasSuffix(got, want):
		e.lines = e.lines[1:]
	case e.family == Ash && got != "" && strings.HasPrefix(want, got):
		return false // a line that is broken at the edge
	case e.family == Ksh && got != "" && len(got) < len(want) && strings.HasPrefix(want, got):
		if want[len(got)] == ' ' {
			e.shown = append(e.shown, ' ') // which is not shown there
		}
		e.broken = true
		return false
	default:
		e.strange++
	}
	e.shown, e.moved = e.shown[:0], false
	return !e.Pending()
}

// alike reports whether a line is shown as it was typed. From the first letter outside
// ASCII on, editors show what they like.
func alike(got, want string) bool {
	i := strings.IndexFunc(want, func(r rune) bool { return r >= 0x80 })
	return got == want || i >= 0 && strings.HasPrefix(got, want[:i])
}

// inEscape reports whether a byte is part of an escape sequence.
func (e *Echo) inEscape(b byte) bool {
	switch {
	case b == 0x1b:
		e.escape = escapeBegun
	case e.escape == 0:
		return false
	case e.escape == escapeBegun && (b == escapeCSI || b == escapeString):
		e.escape = b
	case e.escape == escapeBegun,
		e.escape == escapeCSI && b >= 0x40 && b < 0x7f,
		e.escape == escapeString && (b == 0x07 || b == '\\'):
		e.escape = 0
	}
	return true
}
