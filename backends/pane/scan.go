package pane

import (
	"bytes"
	"strings"
)

// mark is a sign that the hooked shell writes into its output.
type mark struct {
	kind byte   // R ready, B prompt ends, P continuation prompt, C command begins, E output ends, D command ended
	arg  string // R: the shell; D: the status
}

// A mark is an OSC 133. Beside it the hook leaves its state in an OSC 7, where
// tmux remembers it for one who was away (see Pane.recall); in the stream it
// tells nothing new.
const (
	markIntro  = "\x1b]133;"
	stateIntro = "\x1b]7;nod:"
	// maxMark bounds both: intro, kind, a short argument, nonce, end.
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

// scanner finds the marks with one nonce in a stream that is cut anywhere.
// Everything else is output, byte for byte, above all marks with another nonce.
type scanner struct {
	nonce nonce
	held  []byte // bytes that may be the beginning of a mark
	plain func(p []byte)
	found func(m mark)
}

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
		case b == 0x1b || b >= 0x20 && b < 0x7f && len(s.held) < maxMark:
			s.held = append(s.held, b)
		default:
			s.flush()
			continue
		}
		p = p[1:]
	}
}

// flush gives up on what is held: it is output.
func (s *scanner) flush() {
	if len(s.held) > 0 {
		s.plain(s.held)
		s.held = s.held[:0]
	}
}

// finish looks at a complete sequence.
func (s *scanner) finish() {
	if s.nonce != "" && strings.HasPrefix(string(s.held), stateIntro+string(s.nonce)+":") {
		s.held = s.held[:0]
		return
	}
	text := strings.TrimPrefix(string(s.held), markIntro)
	text = strings.TrimSuffix(strings.TrimSuffix(text, "\x1b\\"), "\x07")
	text, ours := strings.CutSuffix(text, ";h="+string(s.nonce))
	m, ok := parseMark(text)
	if s.nonce == "" || !ours || !ok {
		s.flush()
		return
	}
	s.held = s.held[:0]
	s.found(m)
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
		return m, Shell(arg).known()
	case 'D':
		return m, len(arg) > 0 && len(arg) <= 3 && strings.Trim(arg, "0123456789") == ""
	}
	return m, false
}
