package pane

import (
	"bytes"
	"strconv"
	"strings"
)

// mark is a sign that the hooked shell writes into its output.
type mark struct {
	// R ready, B prompt ends, P continuation prompt, C command begins, E output
	// ends, D command ended; H is the answer of a reader, L that of a late one, K that to a probe.
	kind  byte
	arg   string // R: the shell and its process; D: the status; H, L: what was read
	level int    // the shell that wrote it: 0 is the pane's own, 1 one inside that
}

// A mark is an OSC 133. In front of it the hook leaves its account in an OSC 7,
// where tmux remembers it for one who was away (see Pane.recall).
const (
	markIntro  = "\x1b]133;"
	stateIntro = "\x1b]7;nod:"
	// maxMark bounds a mark: intro, kind, a short argument, nonce, end.
	maxMark = 80
)

// intro is what a sequence that begins with held would have to begin with to be
// of interest.
func intro(held []byte) string {
	if len(held) > 2 && held[2] == stateIntro[2] {
		return stateIntro
	}
	return markIntro
}

// scanner finds the marks of some shells in a stream that is cut anywhere.
// Everything else is output, byte for byte, above all marks with another nonce.
type scanner struct {
	keys  []key  // of the shells, the outermost first
	hand  string // the name under which a text is being handed over, if any
	late  string // the name of an earlier text of which no reader has been heard
	probe string // the name under which a shell is asked which one it is, if any
	held  []byte // bytes that may be the beginning of a mark
	plain func(p []byte)
	found func(m mark)
	told  func(a account, level int)
}

// key is by what a shell's marks are known.
type key struct {
	nonce  string
	prompt string // in the marks that are part of the prompt
}

func (n nonce) key() key { return key{string(n), n.prompt()} }

// feed scans p. plain gets output, found gets marks, in their order. Bytes that
// may yet become a mark are held back.
func (s *scanner) feed(p []byte) {
	for len(p) > 0 {
		if len(s.held) == 0 {
			i := bytes.IndexByte(p, 0x1b)
			if i < 0 {
				s.plain(p)
				return
			}
			if i > 0 {
				s.plain(p[:i])
			}
			s.held = append(s.held, 0x1b)
			p = p[i+1:]
			continue
		}
		b := p[0]
		switch {
		case len(s.held) < len(intro(s.held)):
			s.held = append(s.held, b)
			if want := intro(s.held); want[len(s.held)-1] != b {
				s.held = s.held[:len(s.held)-1]
				s.flush()
				continue // b is looked at afresh
			}
		case b == 0x07 || b == '\\' && s.held[len(s.held)-1] == 0x1b:
			s.held = append(s.held, b)
			s.finish()
		case s.held[len(s.held)-1] == 0x1b: // not the end after all: a new sequence
			s.held = s.held[:len(s.held)-1]
			s.flush()
			s.held = append(s.held, 0x1b)
			continue
		case b == 0x1b || b >= 0x20 && b < 0x7f && len(s.held) < s.most():
			s.held = append(s.held, b)
		default:
			s.flush()
			continue
		}
		p = p[1:]
	}
}

// flush gives up on what is held: it is output. An answer of a reader with what
// no mark may hold is an answer nevertheless, to what nod has not typed.
func (s *scanner) flush() {
	if s.hand != "" && strings.HasPrefix(string(s.held), markIntro+"H;") {
		s.found(mark{kind: 'H', arg: "\x00"})
	}
	if len(s.held) > 0 {
		s.plain(s.held)
		s.held = s.held[:0]
	}
}

// finish looks at a complete sequence.
func (s *scanner) finish() {
	text := strings.TrimSuffix(strings.TrimSuffix(string(s.held), "\x1b\\"), "\x07")
	if left, is := strings.CutPrefix(text, stateIntro); is {
		if a, level, ok := s.account(left); ok {
			s.held = s.held[:0]
			s.told(a, level)
			return
		}
		s.flush()
		return
	}
	m, ok := s.mark(strings.TrimPrefix(text, markIntro))
	if !ok {
		s.flush()
		return
	}
	s.held = s.held[:0]
	s.found(m)
}

// account parses an account that one of the shells has left.
func (s *scanner) account(left string) (a account, level int, ok bool) {
	for level, k := range s.keys {
		if text, ours := strings.CutPrefix(left, k.nonce+":"); ours {
			a, ok = parseAccount(text)
			return a, level, ok
		}
	}
	return account{}, 0, false
}

// mark parses a mark of one of the shells, or of a reader.
func (s *scanner) mark(text string) (mark, bool) {
	i := strings.LastIndex(text, ";h=")
	if i < 0 {
		return mark{}, false
	}
	text, by := text[:i], text[i+len(";h="):]
	for level, k := range s.keys {
		m, ok := parseMark(text)
		m.level = level
		switch {
		case !ok:
		case m.kind == 'B' || m.kind == 'P':
			if by == k.prompt {
				return m, true
			}
		case by == k.nonce:
			return m, true
		}
	}
	if kind, isProbe := strings.CutPrefix(text, "K;"); isProbe && s.probe != "" && by == s.probe {
		return mark{kind: 'K', arg: kind, level: len(s.keys) - 1}, true
	}
	if read, isReader := strings.CutPrefix(text, "H;"); isReader {
		return s.answer(read, by)
	}
	return mark{}, false
}

// most is how long what is held may be.
func (s *scanner) most() int {
	switch {
	case len(s.held) > 2 && s.held[2] == stateIntro[2]:
		return maxAccount
	case s.hand != "" || s.late != "":
		return maxHandMark
	}
	return maxMark
}

// answer is what a reader has read, if it is one that nod has to do with.
func (s *scanner) answer(line, by string) (mark, bool) {
	switch {
	case s.hand != "" && by == s.hand:
		return mark{kind: 'H', arg: line}, true
	case s.late != "" && by == s.late:
		return mark{kind: 'L', arg: line}, true
	}
	return mark{}, false
}

func parseMark(text string) (mark, bool) {
	kind, arg, _ := strings.Cut(text, ";")
	if len(kind) != 1 {
		return mark{}, false
	}
	m := mark{kind: kind[0], arg: arg}
	switch m.kind {
	case 'B', 'C', 'E', 'P':
		return m, arg == ""
	case 'R':
		shell, pid, _ := strings.Cut(arg, ",")
		_, err := strconv.ParseUint(pid, 10, 31)
		return m, err == nil && Shell(shell).known()
	case 'D':
		return m, isStatus(arg)
	}
	return m, false
}
