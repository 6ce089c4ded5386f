package marks

import (
	"bytes"
	"strings"
)

// A mark is an OSC 133. In front of it the hook leaves its account in an OSC 7,
// where tmux remembers it for one who was away (see Account).
const (
	markIntro  = "\x1b]133;"
	statePath  = "nod:"
	stateIntro = "\x1b]7;" + statePath
	// maxMark bounds a mark: intro, kind, a short argument, nonce, end.
	maxMark = 80
	// MaxRead bounds what a reader has read in one line, see shells.Handover.
	MaxRead = 620
	// maxHandMark bounds a mark with which a reader answers.
	maxHandMark = maxMark + MaxRead
)

// intro is what a sequence that begins with held would have to begin with to be
// of interest.
func intro(held []byte) string {
	if len(held) > 2 && held[2] == stateIntro[2] {
		return stateIntro
	}
	return markIntro
}

// Scanner finds the marks of some shells in a stream that is cut anywhere.
// Everything else is output, byte for byte, above all marks with another nonce.
// It needs its three functions, which are called in the order of the stream. It is
// not safe for concurrent use.
type Scanner struct {
	Plain   func(p []byte)             // output
	Found   func(m Mark)               // a mark
	Account func(a Account, level int) // the account of the shell of a level

	keys  []key  // of the shells, the outermost first
	hand  string // the name under which a text is being handed over, if any
	late  string // the name of an earlier text of which no reader has been heard
	probe string // the name under which a shell is asked which one it is, if any
	held  []byte // bytes that may be the beginning of a mark
}

// key is by what a shell's marks are known.
type key struct {
	nonce  string
	prompt string // in the marks that are part of the prompt
}

// Expect has the scanner know the shell of a level by its nonce, and no shell
// inside that one any more.
func (s *Scanner) Expect(level int, n Nonce) {
	s.keys = append(s.keys[:level], key{string(n), n.Prompt()})
}

// Leave forgets the shells inside that of a level.
func (s *Scanner) Leave(level int) { s.keys = s.keys[:level+1] }

// Handing says under which name a text is being handed over; empty if none is.
func (s *Scanner) Handing(name string) { s.hand = name }

// Late says under which name a text was handed over of whose reader nothing has
// been heard; empty if there is none.
func (s *Scanner) Late(name string) { s.late = name }

// Probing says under which name a shell is asked which one it is; empty if none
// is.
func (s *Scanner) Probing(name string) { s.probe = name }

// Skip says that part of the stream has been lost.
func (s *Scanner) Skip() { s.held = nil }

// Left parses what a hook has left in the terminal's path: the account of one of
// the shells.
func (s *Scanner) Left(path string) (a Account, level int, ok bool) {
	text, ours := strings.CutPrefix(path, statePath)
	if !ours {
		return Account{}, 0, false
	}
	return s.account(text)
}

// Feed scans p. Bytes that
// may yet become a mark are held back.
func (s *Scanner) Feed(p []byte) {
	for len(p) > 0 {
		if len(s.held) == 0 {
			i := bytes.IndexByte(p, 0x1b)
			if i < 0 {
				s.Plain(p)
				return
			}
			if i > 0 {
				s.Plain(p[:i])
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
func (s *Scanner) flush() {
	if s.hand != "" && strings.HasPrefix(string(s.held), markIntro+"H;") {
		s.Found(Mark{Kind: Read, Arg: "\x00"})
	}
	if len(s.held) > 0 {
		s.Plain(s.held)
		s.held = s.held[:0]
	}
}

// finish looks at a complete sequence.
func (s *Scanner) finish() {
	text := strings.TrimSuffix(strings.TrimSuffix(string(s.held), "\x1b\\"), "\x07")
	if left, is := strings.CutPrefix(text, stateIntro); is {
		if a, level, ok := s.account(left); ok {
			s.held = s.held[:0]
			s.Account(a, level)
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
	s.Found(m)
}

// account parses an account that one of the shells has left.
func (s *Scanner) account(left string) (a Account, level int, ok bool) {
	for level, k := range s.keys {
		if text, ours := strings.CutPrefix(left, k.nonce+":"); ours {
			a, ok = ParseAccount(text)
			return a, level, ok
		}
	}
	return Account{}, 0, false
}

// mark parses a mark of one of the shells, or of a reader.
func (s *Scanner) mark(text string) (Mark, bool) {
	i := strings.LastIndex(text, ";h=")
	if i < 0 {
		return Mark{}, false
	}
	text, by := text[:i], text[i+len(";h="):]
	for level, k := range s.keys {
		m, ok := parseMark(text)
		m.Level = level
		switch {
		case !ok:
		case m.Kind == PromptEnd || m.Kind == More:
			if by == k.prompt {
				return m, true
			}
		case by == k.nonce:
			return m, true
		}
	}
	if kind, isProbe := strings.CutPrefix(text, "K;"); isProbe && s.probe != "" && by == s.probe {
		return Mark{Kind: Probed, Arg: kind, Level: len(s.keys) - 1}, true
	}
	if read, isReader := strings.CutPrefix(text, "H;"); isReader {
		return s.answer(read, by)
	}
	return Mark{}, false
}

// most is how long what is held may be.
func (s *Scanner) most() int {
	switch {
	case len(s.held) > 2 && s.held[2] == stateIntro[2]:
		return maxAccount
	case s.hand != "" || s.late != "":
		return maxHandMark
	}
	return maxMark
}

// answer is what a reader has read, if it is one that nod has to do with.
func (s *Scanner) answer(line, by string) (Mark, bool) {
	switch {
	case s.hand != "" && by == s.hand:
		return Mark{Kind: Read, Arg: line}, true
	case s.late != "" && by == s.late:
		return Mark{Kind: ReadLate, Arg: line}, true
	}
	return Mark{}, false
}
