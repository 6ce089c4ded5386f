package typed

import "strings"

// Screen is what a terminal shows around its cursor.
type Screen struct {
	// Line is the cursor's line up to the cursor, Behind what follows on it.
	Line, Behind string
	Above        []string // the lines above it, the nearest last
	Last         string   // the last row
	Bottom       bool     // the cursor is on the last row
	Alternate    bool     // a full-screen program shows
}

// stands says what stands on a program's line already, and whether its prompt says that a
// transaction is open; ok is false unless the cursor is behind one of its prompts, at the
// end of the line.
func (l *language) stands(s Screen) (pending string, within, ok bool) {
	if l.prompt == nil { // it shows none: what stands there is not known but for an empty line
		return "", false, s.Line == "" && s.Behind == "" && !s.Alternate
	}
	if s.Behind != "" || s.Alternate {
		return "", false, false
	}
	if m := l.prompt().FindStringSubmatch(s.Line); m != nil {
		return s.Line[len(m[0]):], len(m) > 1 && m[1] != "", true
	}
	if l.more == nil {
		return "", false, false
	}
	rest := s.Line[len(l.more().FindString(s.Line)):]
	if rest == s.Line {
		return "", false, false
	}
	for i := len(s.Above) - 1; i >= 0; i-- {
		above := s.Above[i] + " " // without which an empty line has lost the prompt's last blank
		if m := l.prompt().FindStringSubmatch(above); m != nil {
			return strings.TrimRight(above[len(m[0]):], " ") + "\n" + rest, len(m) > 1 && m[1] != "", true
		}
		m := l.more().FindString(above)
		if m == "" {
			return "", false, false
		}
		rest = strings.TrimRight(above[len(m):], " ") + "\n" + rest
	}
	return "", false, false
}
