package pane

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nod-console/nod/backends/tmux"
)

// CaptureOptions say which text of a pane is wanted, and how.
type CaptureOptions struct {
	// Start and End are line numbers: 0 is the first line of the screen,
	// negative ones are above it, "-" is the first of the scrollback or the
	// last of the screen. Empty means the screen.
	Start, End string
	// JoinWrapped joins lines that the terminal has wrapped.
	JoinWrapped bool
	// TrailingSpaces keeps blanks at the end of lines and blank lines at the
	// end of the text.
	TrailingSpaces bool
	// Escapes keeps colours and attributes as escape sequences.
	Escapes bool
	// EscapeNonPrintable writes other than printable characters as \ooo.
	EscapeNonPrintable bool
	// Alternate asks for the screen that is not showing while a full-screen
	// program does.
	Alternate bool
}

// Capture is text from a pane.
type Capture struct {
	Text    string
	Notices []string
}

// Capture returns text from the screen and the scrollback.
func (p *Pane) Capture(ctx context.Context, opt CaptureOptions) (Capture, error) {
	for _, line := range []string{opt.Start, opt.End} {
		if !isLineNumber(line) {
			return Capture{}, fmt.Errorf("pane: capture: %q is no line number", line)
		}
	}
	return p.wire.capture(ctx, opt)
}

func isLineNumber(s string) bool {
	digits := strings.TrimPrefix(s, "-")
	return s == "" || s == "-" || digits != "" && len(digits) <= 9 && strings.Trim(digits, "0123456789") == ""
}

// captureFlags are the options of tmux's capture-pane.
func captureFlags(opt CaptureOptions, v tmux.Version) []string {
	flags := []string{"-p"}
	if opt.Start != "" {
		flags = append(flags, "-S", opt.Start)
	}
	if opt.End != "" {
		flags = append(flags, "-E", opt.End)
	}
	if opt.JoinWrapped {
		flags = append(flags, "-J")
	} else if opt.TrailingSpaces && v.AtLeast(3, 1) {
		flags = append(flags, "-N")
	}
	if opt.Escapes {
		flags = append(flags, "-e")
	}
	if opt.EscapeNonPrintable {
		flags = append(flags, "-C")
	}
	return flags
}

// captureTmux captures from a tmux pane.
func captureTmux(ctx context.Context, s *tmux.Server, id string, opt CaptureOptions) (Capture, error) {
	args := append([]string{"capture-pane", "-t", id}, captureFlags(opt, s.Version())...)
	var c Capture
	var out []byte
	var err error
	if opt.Alternate {
		out, err = s.Run(ctx, append(args, "-a")...)
		var refused *tmux.CommandError
		if errors.As(err, &refused) && strings.Contains(refused.Message, "no alternate screen") {
			c.Notices = append(c.Notices, "no alternate screen: this is the only one there is")
			opt.Alternate = false
		}
	}
	if !opt.Alternate {
		out, err = s.Run(ctx, args...)
	}
	if err != nil {
		return Capture{}, err
	}
	c.Text = string(out)
	if !opt.TrailingSpaces {
		c.Text = trimmed(c.Text)
	}
	return c, nil
}

// trimmed drops blanks at the end of lines and blank lines at the end.
func trimmed(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	s = strings.TrimRight(strings.Join(lines, "\n"), "\n")
	if s != "" {
		s += "\n"
	}
	return s
}
