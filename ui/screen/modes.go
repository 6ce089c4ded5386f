package screen

import "strings"

// mode is something that nod or tcell switches on in a terminal: the text that does it
// and the text that ends it.
type mode struct {
	on, off string
	// asked: off is sent only where on was. The terminals that do not know the
	// sequence may show it as text.
	asked bool
}

// modes has every mode that may be on while the terminal is nod's, in the order in
// which they are ended: those of the alternate screen come before its end, since the
// stack of keyboard modes (kitty) belongs to it. What gives the terminal back in nod's
// place, the guard or Rescue, has nothing else to go by; a test compares it with all
// that is sent.
var modes = []mode{
	{on: "\x1b[?2026h", off: "\x1b[?2026l"},            // synchronized output
	{on: "\x1b[?1000h", off: "\x1b[?1000l"},            // mouse: buttons
	{on: "\x1b[?1002h", off: "\x1b[?1002l"},            // mouse: dragging
	{on: "\x1b[?1003h", off: "\x1b[?1003l"},            // mouse: motion
	{on: "\x1b[?1006h", off: "\x1b[?1006l"},            // mouse: coordinates in decimals
	{on: "\x1b[?1004h", off: "\x1b[?1004l"},            // focus
	{on: pasteOn, off: pasteOff},                       // bracketed paste
	{on: "\x1b[?9001h", off: "\x1b[?9001l"},            // keys as Windows has them
	{on: "\x1b[>1u", off: "\x1b[<u", asked: true},      // keys, kitty
	{on: "\x1b[>4;2m", off: "\x1b[>4;0m", asked: true}, // keys, xterm (modifyOtherKeys)
	{on: "\x1b[?1h", off: "\x1b[?1l"},                  // cursor keys of applications
	{on: "\x1b=", off: "\x1b>"},                        // keypad of applications
	{on: "\x1b[?7l", off: "\x1b[?7h"},                  // no wrapping
	{on: "\x1b(0", off: "\x1b(B"},                      // line drawing
	{on: "\x1b[?25l", off: "\x1b[?25h"},                // hidden cursor
	{on: "\x1b[22;2t", off: "\x1b[23;2t", asked: true}, // the title, put aside
	{on: "\x1b[?47h", off: "\x1b[?47l", asked: true},   // alternate screen, of terminals before 1049
	{on: "\x1b[?1049h", off: "\x1b[?1049l"},            // alternate screen
}

const (
	pasteOn  = "\x1b[?2004h"
	pasteOff = "\x1b[?2004l"
)

// modesOff is what ends every mode. sent is what switched on those that not every
// terminal knows. It begins with the end of a sequence that may have been cut off.
func modesOff(sent string) string {
	var b strings.Builder
	b.WriteString("\x18\x1b\\\x1b[0m")
	for _, m := range modes {
		if !m.asked || strings.Contains(sent, m.on) {
			b.WriteString(m.off)
		}
	}
	return b.String()
}

// everyModeOn is what switches every mode on.
func everyModeOn() string {
	var b strings.Builder
	for _, m := range modes {
		b.WriteString(m.on)
	}
	return b.String()
}
