package vt

import "unicode/utf8"

// Limits of the parser, tmux's own: a sequence that is longer has no effect.
const (
	maxParamBytes = 63
	maxParams     = 23
	maxInter      = 3
	maxString     = 1 << 20 // OSC, DCS and the like
)

// maxRun is the most text, in bytes, that is written before the tables are
// looked at again.
const maxRun = 1 << 10

type state uint8

const (
	ground state = iota
	escape
	escapeInter
	csiEntry
	csiParam
	csiInter
	csiIgnore
	dcsEntry
	dcsParam
	dcsInter
	dcsIgnore
	dcsString
	dcsEscape
	oscString
	apcString
	skipString // PM, SOS and ESC k: up to the next ESC
)

// parser is what is known of an unfinished sequence.
type parser struct {
	state    state
	param    [maxParamBytes]byte
	paramLen int
	inter    [maxInter]byte
	interLen int
	discard  bool
	str      []byte
	bell     bool // BEL has ended the string, and not ST

	rune     [utf8.UTFMax]byte // an unfinished character
	runeLen  int
	runeWant int

	replay  bool // pending bytes of a seed: their control characters are done
	capture bool // reading the output of capture-pane
}

// Write interprets p. It never fails; the result is len(p), nil. A sequence or
// character may be split anywhere between calls.
func (t *Terminal) Write(p []byte) (int, error) {
	t.snap = nil
	for i := 0; i < len(p); {
		if t.parser.state != ground {
			i += t.sequence(p[i:])
			continue
		}
		switch b := p[i]; {
		case b >= 0x20 && b < 0x7f:
			if t.parser.runeWant != 0 {
				t.spoilt()
			}
			i += t.ascii(p[i:])
		case b >= 0x80:
			i += t.runes(p[i:min(len(p), i+maxRun)])
		case b == 0x1b:
			i++
			if n := t.quickCSI(p[i:]); n > 0 {
				i += n
			} else {
				t.enterEscape()
			}
		default:
			i++
			t.control(b)
		}
		if len(t.tab.pens) > minTable || len(t.tab.graphemes) > minTable || len(t.tab.links) > maxLinks {
			t.reclaim()
		}
	}
	return len(p), nil
}

// runes takes the text above ASCII at the start of p and returns how many bytes
// it took, at least one.
func (t *Terminal) runes(p []byte) int {
	i := 0
	for i < len(p) && p[i] >= 0x80 {
		if t.parser.runeWant == 0 {
			// Most of it has three bytes: CJK, symbols, box drawing.
			if q := p[i:]; len(q) >= 3 && q[0]&0xf0 == 0xe0 && q[1]&0xc0 == 0x80 && q[2]&0xc0 == 0x80 {
				r := rune(q[0]&0x0f)<<12 | rune(q[1]&0x3f)<<6 | rune(q[2]&0x3f)
				if r >= 0x800 && (r < surrogateMin || r > surrogateMax) {
					t.print(r)
					i += 3
					continue
				}
			}
		}
		i += t.utf8Bytes(p[i:])
	}
	return i
}

// The code points that UTF-8 may not hold.
const (
	surrogateMin = 0xd800
	surrogateMax = 0xdfff
)

// beyondUnicode reports whether p encodes a number from 0x110000 on. The C
// library takes it for a character, which has one column in tmux from 3.4.
func beyondUnicode(p [utf8.UTFMax]byte) bool {
	continues := func(b byte) bool { return b&0xc0 == 0x80 }
	return p[0] == 0xf4 && p[1] >= 0x90 && continues(p[1]) && continues(p[2]) && continues(p[3])
}

// utf8Bytes takes bytes above 0x7f. As in tmux, an invalid character is
// dropped as a whole: its first byte says how many bytes go with it.
func (t *Terminal) utf8Bytes(p []byte) int {
	s := &t.parser
	if s.runeWant == 0 {
		if r, n := utf8.DecodeRune(p); n > 1 {
			t.print(r)
			return n
		}
		switch b := p[0]; {
		case b >= 0xc2 && b < 0xe0:
			s.runeWant = 2
		case b >= 0xe0 && b < 0xf0:
			s.runeWant = 3
		case b >= 0xf0 && b < 0xf5:
			s.runeWant = 4
		default:
			t.spoilt()
			return 1
		}
		s.rune[0], s.runeLen = p[0], 1
		return 1
	}
	s.rune[s.runeLen] = p[0]
	s.runeLen++
	if s.runeLen == s.runeWant {
		r, n := utf8.DecodeRune(s.rune[:s.runeLen])
		switch {
		case n == s.runeWant:
			s.runeWant = 0
			t.print(r)
		case t.quirks.clusters && beyondUnicode(s.rune):
			s.runeWant = 0
			t.print(replacement)
		default:
			t.spoilt()
		}
	}
	return 1
}

func (t *Terminal) enterEscape() {
	s := &t.parser
	s.state, s.interLen, s.paramLen, s.discard = escape, 0, 0, false
}

// quickCSI takes a whole control sequence with nothing but digits, ';' and ':'
// in it, which nearly all are. p begins after the ESC.
func (t *Terminal) quickCSI(p []byte) int {
	if len(p) < 2 || p[0] != '[' {
		return 0
	}
	for i := 1; i < len(p) && i <= maxParamBytes+1; i++ {
		if b := p[i]; b >= '0' && b <= ';' {
			continue
		} else if b >= 0x40 && b < 0x7f {
			t.parser.interLen, t.parser.discard = 0, false
			t.controlSequence(p[1:i], b)
			return i + 1
		}
		return 0
	}
	return 0
}

// sequence goes on inside an unfinished sequence and returns how many bytes it
// took, at least one.
func (t *Terminal) sequence(p []byte) int {
	s := &t.parser
	switch s.state {
	case oscString, apcString, skipString:
		return t.stringBytes(p)
	case dcsString, dcsEscape:
		return t.dcsBytes(p)
	}
	b := p[0]
	switch {
	case b == 0x1b:
		t.enterEscape()
	case b == 0x18 || b == 0x1a:
		s.state = ground
		t.control(b)
	case b < 0x20:
		if s.state < dcsEntry && !s.replay {
			t.control(b)
		}
	case b >= 0x7f:
	default:
		t.step(b)
	}
	return 1
}

// step takes one byte from 0x20 to 0x7e of an escape, control or device
// control sequence.
func (t *Terminal) step(b byte) {
	s := &t.parser
	inter := b < 0x30
	switch s.state {
	case escape, escapeInter:
		switch {
		case inter:
			s.collectInter(b)
			s.state = escapeInter
		case s.state == escape:
			t.enter(b)
		default:
			s.state = ground
			t.escapeSequence(b)
		}
	case csiEntry, csiParam, csiInter, csiIgnore:
		switch {
		case b >= 0x40:
			ignore := s.state == csiIgnore
			s.state = ground
			if !ignore {
				t.controlSequence(s.param[:s.paramLen], b)
			}
		default:
			s.collect(b, csiEntry)
		}
	case dcsEntry, dcsParam, dcsInter:
		if b >= 0x40 {
			s.state = dcsString
		} else {
			s.collect(b, dcsEntry)
		}
	}
}

// collect takes a parameter or intermediate byte; entry is csiEntry or
// dcsEntry, whose followers are in the same order.
func (s *parser) collect(b byte, entry state) {
	param, inter, ignore := entry+1, entry+2, entry+3
	switch {
	case s.state == ignore:
	case b < 0x30:
		s.collectInter(b)
		s.state = inter
	case s.state == inter:
		s.state = ignore
	case b < 0x3c:
		if s.paramLen == len(s.param) {
			s.discard = true
		} else {
			s.param[s.paramLen] = b
			s.paramLen++
		}
		s.state = param
	case s.state == entry:
		s.collectInter(b)
		s.state = param
	default:
		s.state = ignore
	}
}

func (s *parser) collectInter(b byte) {
	if s.interLen == len(s.inter) {
		s.discard = true
		return
	}
	s.inter[s.interLen] = b
	s.interLen++
}

// enter takes the byte after ESC.
func (t *Terminal) enter(b byte) {
	s := &t.parser
	s.str = s.str[:0]
	switch b {
	case '[':
		s.state = csiEntry
		return
	case ']':
		s.state = oscString
	case 'P':
		s.state = dcsEntry
	case '_':
		s.state = apcString
	case '^', 'X', 'k':
		s.state = skipString
	default:
		s.state = ground
		t.escapeSequence(b)
		return
	}
	t.last = 0
}

// stringBytes takes bytes of an OSC, APC or ignored string.
func (t *Terminal) stringBytes(p []byte) int {
	s := &t.parser
	n := 0
	for n < len(p) && p[n] >= 0x20 {
		n++
	}
	s.collectString(p[:n])
	if n == len(p) {
		return n
	}
	was := s.state
	switch b := p[n]; {
	case b == 0x1b:
		t.endString(was)
		t.enterEscape()
	case b == 0x18 || b == 0x1a:
		t.endString(was)
		s.state = ground
		t.control(b)
	case b == 0x07 && was == oscString:
		s.bell = true
		t.endString(was)
		s.bell = false
		s.state = ground
	}
	return n + 1
}

func (s *parser) collectString(p []byte) {
	switch {
	case s.state == skipString || s.discard:
	case len(s.str)+len(p) >= maxString:
		s.discard = true
	default:
		s.str = append(s.str, p...)
	}
}

// endString acts on a finished string and gives back a large buffer.
func (t *Terminal) endString(was state) {
	s := &t.parser
	if !s.discard {
		switch was {
		case oscString:
			t.osc(s.str)
		case apcString:
			t.setTitle(s.str)
		}
	}
	if cap(s.str) > 4096 {
		s.str = nil
	}
}

// dcsBytes skips a device control string, which only ESC \ ends.
func (t *Terminal) dcsBytes(p []byte) int {
	s := &t.parser
	for i, b := range p {
		switch {
		case s.state == dcsEscape && b == '\\':
			s.state = ground
			return i + 1
		case s.state == dcsString && b == 0x1b:
			s.state = dcsEscape
		default:
			s.state = dcsString
		}
	}
	return len(p)
}
