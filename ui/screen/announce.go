package screen

import (
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"strings"
)

// MaxCopy is the largest text, in bytes, that Copy sends: terminals that take
// OSC 52 accept at least this much.
const MaxCopy = 74_000

// ErrTooLong is the error of Copy for more than MaxCopy bytes.
var ErrTooLong = errors.New("too long for the terminal's clipboard")

// Copy puts text on the clipboard of the operator's desktop, through any number
// of ssh hops (OSC 52). A terminal that does not take it says nothing.
func (s *Screen) Copy(text string) error {
	if len(text) > MaxCopy {
		return fmt.Errorf("%w: %d bytes, at most %d", ErrTooLong, len(text), MaxCopy)
	}
	if s.tty == nil {
		s.SetClipboard([]byte(text))
		return nil
	}
	return s.tty.Send([]byte("\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte(text)) + "\x1b\\"))
}

// Notify draws the operator's attention: the bell, and a message of the desktop
// where the terminal has a way for it.
func (s *Screen) Notify(title, text string) error {
	if s.tty == nil {
		return s.Beep()
	}
	return s.tty.Send([]byte("\a" + notification(os.Getenv("TERM"), os.Getenv("TERM_PROGRAM"), title, text)))
}

// notification is the message in the terminal's own way: OSC 99 (kitty, where a later
// one takes the place of the one before), OSC 9 (iTerm2) or OSC 777 (rxvt and most
// others). Two of them would show it twice where both are known. Multiplexers and the
// Linux console have the bell alone.
func notification(term, program, title, text string) string {
	title, text = Clean(title), Clean(text)
	field := func(s string) string { return strings.ReplaceAll(s, ";", ",") }
	switch {
	case strings.HasPrefix(term, "tmux"), strings.HasPrefix(term, "screen"), term == "linux":
		return ""
	case strings.Contains(term, "kitty"):
		return "\x1b]99;i=nod:d=0;" + title + "\x1b\\\x1b]99;i=nod:d=1:p=body;" + text + "\x1b\\"
	case program == "iTerm.app":
		return "\x1b]9;" + field(title+": "+text) + "\x1b\\"
	}
	return "\x1b]777;notify;" + field(title) + ";" + field(text) + "\x1b\\"
}
