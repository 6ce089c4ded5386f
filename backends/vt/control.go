package vt

import (
	"fmt"
	"math"
	"strings"
)

// The characters that choose between G0 and G1.
const (
	shiftOut = 0x0e
	shiftIn  = 0x0f
)

// control acts on a C0 control character.
func (t *Terminal) control(b byte) {
	if t.parser.runeWant != 0 {
		t.spoilt()
	}
	t.last = 0
	if t.parser.capture && b != '\t' && b != shiftOut && b != shiftIn {
		return // not of tmux's making
	}
	switch b {
	case 0x07:
		if t.opt.Bell != nil {
			t.opt.Bell()
		}
	case 0x08:
		t.backspace()
	case 0x09:
		t.nextTab()
	case 0x0a, 0x0b, 0x0c:
		t.lineFeed(false, t.background())
	case 0x0d:
		t.col = 0
	case shiftOut:
		t.charsets.used = 1
	case shiftIn:
		t.charsets.used = 0
	}
}

// escapeSequence acts on ESC, the collected intermediates, and b.
func (t *Terminal) escapeSequence(b byte) {
	s := &t.parser
	if s.discard || s.capture {
		return
	}
	switch s.interLen {
	case 0:
		t.plainEscape(b)
	case 1:
		switch inter := s.inter[0]; {
		case inter == '#' && b == '8':
			t.last = 0
			t.alignmentTest()
		case (inter == '(' || inter == ')') && (b == '0' || b == 'B'):
			t.last = 0
			t.charsets.acs[inter-'('] = b == '0'
		}
	}
}

func (t *Terminal) plainEscape(b byte) {
	switch b {
	case '7':
		t.saveCursor()
	case '8':
		t.restoreCursor()
	case 'D':
		t.lineFeed(false, t.background())
	case 'E':
		t.col = 0
		t.lineFeed(false, t.background())
	case 'H':
		if t.col < t.size.Cols {
			t.tabs[t.col] = true
		}
	case 'M':
		t.reverseIndex()
	case 'c':
		t.reset()
	case '\\': // the end of a string
	case '=':
		t.modes.AppKeypad = true
	case '>':
		t.modes.AppKeypad = false
	default:
		return
	}
	t.last = 0
}

// args are the parameters of a control sequence.
type args struct {
	n     int
	value [maxParams]int32 // missing or list for what is no number
	text  []byte
	list  [maxParams][2]uint8 // where in text a list begins and ends
}

const (
	missing int32 = -1
	list    int32 = -2 // has sub-parameters, given as text
)

// parse splits p. It reports false for what tmux takes for no sequence at all:
// a number over 2^31-1, or too many parameters.
func (a *args) parse(p []byte) bool {
	a.n, a.text = 0, p
	if len(p) == 0 {
		return true
	}
	start, value, colon := 0, int64(missing), false
	for i := 0; ; i++ {
		if i < len(p) && p[i] != ';' {
			switch b := p[i]; {
			case b == ':':
				colon = true
			case !colon:
				value = max(value, 0)*10 + int64(b-'0')
				if value > math.MaxInt32 {
					value = math.MaxInt32 + 1
				}
			}
			continue
		}
		if a.n == maxParams {
			return false
		}
		if colon {
			a.value[a.n], a.list[a.n] = list, [2]uint8{uint8(start), uint8(i)} // at most maxParamBytes
		} else if value > math.MaxInt32 {
			return false
		} else {
			a.value[a.n] = int32(value)
		}
		a.n++
		if i == len(p) {
			return true
		}
		start, value, colon = i+1, int64(missing), false
	}
}

// sub returns the text of parameter i, which is a list.
func (a *args) sub(i int) []byte { return a.text[a.list[i][0]:a.list[i][1]] }

// get returns parameter i, def if it is missing, and at least least. ok is
// false for one with sub-parameters, where a number was wanted.
func (a *args) get(i, least, def int) (n int, ok bool) {
	if i < a.n {
		switch v := a.value[i]; v {
		case list:
			return 0, false
		case missing:
		default:
			def = int(v)
		}
	}
	return max(def, least), true
}

// controlSequence acts on CSI param inter final.
func (t *Terminal) controlSequence(param []byte, final byte) {
	s := &t.parser
	if s.discard || s.capture && final != 'm' { // a capture has nothing else
		return
	}
	var a args
	if !a.parse(param) {
		return
	}
	switch {
	case s.interLen > 1:
		if t.quirks.reports && final == 'p' && s.inter[0] == '?' && s.inter[1] == '$' {
			t.last = 0
		}
	case s.interLen == 1:
		t.private(&a, s.inter[0], final)
	case final == 'm':
		t.last = 0
		t.selectGraphics(&a)
	case strings.IndexByte("@ABCDEFGHJKLMPSTXZ`bcdfghlnrstu", final) >= 0:
		if final == 'b' {
			t.repeat(&a)
		} else if n, ok := a.get(0, 1, 1); ok {
			t.counted(&a, final, n)
		}
		t.last = 0
	}
}

// repeat is REP.
func (t *Terminal) repeat(a *args) {
	n, ok := a.get(0, 1, 1)
	if ok && t.last != 0 {
		last := t.last
		for n = min(n, t.size.Cols-t.col); n > 0; n-- {
			if last < 0x80 {
				t.printASCII(byte(last))
			} else {
				t.print(last)
			}
		}
	}
}

// counted acts on the sequences whose first parameter is a count; n is it.
func (t *Terminal) counted(a *args, final byte, n int) {
	switch final {
	case 'H', 'f':
		if m, ok := a.get(1, 1, 1); ok {
			t.moveTo(m-1, n-1)
		}
	case 'r':
		if m, ok := a.get(1, 1, t.size.Rows); ok {
			t.setRegion(n-1, m-1)
		}
	default:
		if act := countedActs[final]; act != nil {
			act(t, n)
			return
		}
		t.chosen(a, final)
	}
}

// countedActs are what the sequences do that have a count at the most.
var countedActs = [256]func(t *Terminal, n int){
	'@': (*Terminal).insertAtCursor,
	'A': (*Terminal).cursorUp,
	'B': (*Terminal).cursorDown,
	'C': (*Terminal).cursorRight,
	'D': (*Terminal).cursorLeft,
	'E': (*Terminal).nextLine,
	'F': (*Terminal).previousLine,
	'G': (*Terminal).moveToColumn,
	'L': (*Terminal).insertLines,
	'M': (*Terminal).deleteLines,
	'P': (*Terminal).deleteChars,
	'S': func(t *Terminal, n int) { t.scrollUp(min(n, t.bot+1-t.top), t.background()) },
	'T': func(t *Terminal, n int) { t.scrollDown(n, t.background()) },
	'X': (*Terminal).eraseChars,
	'Z': (*Terminal).backTab,
	'`': (*Terminal).moveToColumn,
	'd': (*Terminal).moveToLine,
	's': func(t *Terminal, _ int) { t.saveCursor() },
	'u': func(t *Terminal, _ int) { t.restoreCursor() },
}

func (t *Terminal) insertAtCursor(n int) {
	if t.col < t.size.Cols {
		t.insertBlanks(n, t.background())
	}
}

func (t *Terminal) nextLine(n int) {
	t.col = 0
	t.cursorDown(n)
}

func (t *Terminal) previousLine(n int) {
	t.col = 0
	t.cursorUp(n)
}

func (t *Terminal) moveToColumn(n int) { t.col = min(n, t.size.Cols) - 1 }

func (t *Terminal) moveToLine(n int) {
	col := t.col
	t.moveTo(0, n-1)
	t.col = col
}

// chosen acts on the sequences whose first parameter is a choice.
func (t *Terminal) chosen(a *args, final byte) {
	n, _ := a.get(0, 0, 0)
	switch final {
	case 'J':
		if m, ok := a.get(1, 0, 0); n == 3 && ok && m == 0 {
			t.hist.dropAll()
			return
		}
		t.eraseInScreen(n)
	case 'K':
		t.eraseInLine(n)
	case 'c':
		if n == 0 {
			t.reply("\x1b[?1;2c")
		}
	case 'g':
		t.clearTabs(n)
	case 'h', 'l':
		for i := range a.n {
			if n, ok := a.get(i, 0, 0); ok {
				t.ansiMode(n, final == 'h')
			}
		}
	case 'n':
		t.report(n)
	case 't':
		t.windowOp(a)
	}
}

// clearTabs is TBC: all tab stops, or the one at the cursor.
func (t *Terminal) clearTabs(which int) {
	switch {
	case which == 3:
		clear(t.tabs)
	case which == 0 && t.col < t.size.Cols:
		t.tabs[t.col] = false
	}
}

// report is DSR: that all is well, or where the cursor is.
func (t *Terminal) report(what int) {
	switch what {
	case 5:
		t.reply("\x1b[0n")
	case 6:
		// Behind the last column it is one more than there are, as in tmux.
		t.reply(fmt.Sprintf("\x1b[%d;%dR", t.line+1, t.col+1))
	}
}

// private acts on sequences with one intermediate or private marker.
func (t *Terminal) private(a *args, inter, final byte) {
	switch {
	case inter == '?' && (final == 'h' || final == 'l'):
		t.last = 0
		for i := range a.n {
			if n, ok := a.get(i, 0, 0); ok {
				t.privateMode(n, final == 'h')
			}
		}
	case inter == ' ' && final == 'q':
		t.last = 0
		if n, ok := a.get(0, 0, 0); ok {
			t.setCursorStyle(n)
		}
	case inter == '>' && strings.IndexByte("cmnq", final) >= 0:
		t.last = 0
		t.identify(a, final)
	}
}

// identify says which terminal this is. Of what else begins like the question, tmux knows that
// it is a sequence.
func (t *Terminal) identify(a *args, final byte) {
	if n, ok := a.get(0, 0, 0); !ok || n != 0 {
		return
	}
	switch final {
	case 'c':
		t.reply("\x1b[>84;0;0c")
	case 'q':
		t.reply("\x1bP>|tmux 3.3a\x1b\\")
	}
}

// windowOp keeps the stack of titles and tells the size.
func (t *Terminal) windowOp(a *args) {
	const maxTitles = 16
	n, _ := a.get(0, 0, 0)
	which, _ := a.get(1, 0, 0)
	switch {
	case n == 18:
		t.reply(fmt.Sprintf("\x1b[8;%d;%dt", t.size.Rows, t.size.Cols))
	case which != 0 && which != 2:
	case n == 22:
		if len(t.titles) == maxTitles {
			t.titles = append(t.titles[:0], t.titles[1:]...)
		}
		t.titles = append(t.titles, t.title)
	case n == 23 && len(t.titles) > 0:
		t.title = t.titles[len(t.titles)-1]
		t.titles = t.titles[:len(t.titles)-1]
	}
}

func (t *Terminal) reply(s string) {
	if t.opt.Reply != nil {
		t.opt.Reply([]byte(s))
	}
}
