package console_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nod-console/nod/backends/vt"
	"github.com/nod-console/nod/ui/console"
)

// asked waits until the terminal is asked for its ground.
func (p *terminalOf) asked(t testing.TB) {
	t.Helper()
	p.until(t, "a question for the ground", func(*vt.Snapshot) bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return strings.Contains(p.raw.String(), "\x1b]11;?\x1b\\")
	})
}

// piece sends input and waits until it was read, so that what comes next is not
// read together with it.
func (p *terminalOf) piece(t testing.TB, input string) {
	t.Helper()
	p.press(t, input)
	for end := time.Now().Add(time.Minute); p.unread(t) > 0; time.Sleep(100 * time.Microsecond) {
		if time.Now().After(end) {
			t.Fatalf("%q is not read", input)
		}
	}
}

// unread is how many bytes of input nobody has read.
func (p *terminalOf) unread(t testing.TB) int {
	t.Helper()
	n, err := unread(int(p.slave.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// wears waits for a colour of the terminal's palette on the screen.
func (p *terminalOf) wears(t testing.TB, index uint8) {
	t.Helper()
	p.until(t, "the colour", func(s *vt.Snapshot) bool {
		for y := range s.Size.Rows {
			for _, c := range s.Row(y) {
				if fg := s.Style(c).Fg; fg.Kind() == vt.KindIndexed && fg.Index() == index {
					return true
				}
			}
		}
		return false
	})
}

const cyan, blue = 6, 25 // the accents of the default theme, on a dark ground and, of 256, on a light one

// Whatever a terminal answers, and however: nothing of it gets into the input, and
// keys get through.
func TestTheGroundIsAskedForAndNeverTyped(t *testing.T) {
	const light, dark = "\x1b]11;rgb:ffff/ffff/ffff", "\x1b]11;rgb:0000/2b2b/3636"
	for name, c := range map[string]struct {
		pieces []string
		accent uint8
	}{
		"light":             {[]string{light + "\x1b\\"}, blue},
		"light, with BEL":   {[]string{light + "\a"}, blue},
		"dark":              {[]string{dark + "\x1b\\"}, cyan},
		"cut at the escape": {[]string{"\x1b", light[1:] + "\x1b\\"}, blue},
		"cut at the end":    {[]string{light + "\x1b", "\\"}, blue},
		"among keys":        {[]string{"he" + light[:9], light[9:] + "\x1b\\llo", "\x15"}, blue},
		"never":             {nil, cyan},
		"nonsense":          {[]string{"\x1b]11;nothing\x1b\\"}, cyan},
		"broken off":        {[]string{light, "\x15"}, cyan},
	} {
		t.Run(name, func(t *testing.T) {
			p := openTerminal(t, 80, 24)
			p.run(t.Context(), t, console.Options{})
			p.asked(t)
			for _, piece := range c.pieces {
				p.piece(t, piece)
			}
			p.wears(t, c.accent)
			p.press(t, "a draft")
			p.see(t, "> a draft ")
			p.press(t, "\x1b[1~^") // Home
			p.see(t, "> ^a draft ")
		})
	}
}

// Nobody else gets the answer, if the console ends before it comes.
func TestTheAnswerDoesNotOutliveTheConsole(t *testing.T) {
	const waits = 500 * time.Millisecond // for the answer, before the console ends
	for range 20 {
		p := openTerminal(t, 80, 24)
		ctx, cancel := context.WithCancel(t.Context())
		began := time.Now()
		ended := p.run(ctx, t, console.Options{})
		p.asked(t)
		cancel()
		p.press(t, "\x1b]11;rgb:ffff/ffff/ffff\x1b\\")
		late := time.Since(began) >= waits
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if n := p.unread(t); n == 0 {
			return
		} else if !late {
			t.Fatalf("%d bytes are left to the shell", n)
		}
	}
	t.Log("the machine is too slow for an answer in time")
}

// A theme that brings its own colours asks nothing.
func TestAChosenThemeAsksNothing(t *testing.T) {
	p := openTerminal(t, 80, 24)
	t.Setenv("COLORTERM", "truecolor")
	p.run(t.Context(), t, console.Options{Theme: "dracula"})
	p.see(t, "ask for something")
	if sent := p.sent(); strings.Contains(sent, "\x1b]11;") {
		t.Errorf("it asked: %q", sent)
	}
	p.press(t, "/theme auto\r")
	p.asked(t)
	p.press(t, "\x1b]11;rgb:ffff/ffff/ffff\x1b\\")
	p.until(t, "the light theme", func(s *vt.Snapshot) bool {
		bg := s.Style(s.Row(0)[0]).Bg
		if bg.Kind() != vt.KindRGB {
			return false
		}
		r, g, b := bg.RGB()
		return r == 0xe3 && g == 0xe7 && b == 0xec
	})
}
