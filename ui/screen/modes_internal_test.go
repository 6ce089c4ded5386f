package screen

import (
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gdamore/tcell/v2"
)

// sink is a terminal device that keeps what is sent to it.
type sink struct {
	mu   sync.Mutex
	sent strings.Builder
	over chan struct{}
}

func (d *sink) Start() error             { d.over = make(chan struct{}); return nil }
func (d *sink) Drain() error             { close(d.over); return nil }
func (*sink) Stop() error                { return nil }
func (*sink) Close() error               { return nil }
func (*sink) NotifyResize(func())        {}
func (d *sink) Read([]byte) (int, error) { <-d.over; return 0, io.EOF }
func (*sink) WindowSize() (tcell.WindowSize, error) {
	return tcell.WindowSize{Width: 80, Height: 24}, nil
}

func (d *sink) Write(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.sent.Write(p)
}

func (d *sink) text() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.sent.String()
}

var modeSequence = regexp.MustCompile(`\x1b\[\?([0-9;]+)([hl])|\x1b\[>4;([0-9])m|\x1b\[([<>])[0-9]*u|\x1b([=>])|\x1b\(([0B])|\x1b\[(2[23]);2t`)

// leftOn is what is on in a terminal that has been sent text, as a terminal sees it:
// whatever the table says.
func leftOn(text string) []string {
	on, stack := map[string]bool{}, map[string]int{}
	for _, m := range modeSequence.FindAllStringSubmatch(text, -1) {
		switch {
		case m[1] != "":
			for _, n := range strings.Split(m[1], ";") {
				normal := n == "7" || n == "25" || n == "12" // on in a terminal that nobody has touched
				on["?"+n] = (m[2] == "h") != normal && n != "12"
			}
		case m[3] != "":
			on["modifyOtherKeys"] = m[3] != "0"
		case m[4] == ">":
			stack["kitty keys"]++
		case m[4] == "<":
			stack["kitty keys"] = max(0, stack["kitty keys"]-1)
		case m[5] != "":
			on["keypad"] = m[5] == "="
		case m[6] != "":
			on["line drawing"] = m[6] == "0"
		case m[7] == "22":
			stack["title"]++
		default:
			stack["title"] = max(0, stack["title"]-1)
		}
	}
	for name, n := range stack {
		on[name] = n > 0
	}
	maps.DeleteFunc(on, func(_ string, is bool) bool { return !is })
	return slices.Sorted(maps.Keys(on))
}

var anyMode = regexp.MustCompile(`\x1b\[[?>=<][0-9;]*[a-zA-Z]`)

// TestWhatIsSwitchedOnIsSwitchedOff proves that the table of modes knows all that is
// sent to any terminal, and that whoever goes by it leaves nothing on.
func TestWhatIsSwitchedOnIsSwitchedOff(t *testing.T) {
	for _, term := range []string{
		"xterm-256color", "xterm", "xterm-kitty", "foot", "alacritty", "tmux-256color", "screen-256color", "screen",
		"rxvt-unicode-256color", "linux", "vt100", "vt220", "konsole", "gnome-256color", "st-256color", "cygwin", "nobody-knows",
	} {
		t.Run(term, func(t *testing.T) {
			t.Setenv("TERM", term)
			dev := &sink{}
			s, err := NewOn(dev)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Init(); err != nil {
				t.Fatal(err)
			}
			s.EnableMouse()
			for i := range 3 {
				s.Fill('x', tcell.StyleDefault)
				s.ShowCursor(i, 0)
				s.Show()
			}
			opening, off := dev.text(), *s.off.Load()
			s.Fini()
			if left := leftOn(opening + off); len(left) > 0 {
				t.Errorf("left on: %q", left)
			}
			if left := leftOn(dev.text()); len(left) > 0 {
				t.Errorf("left on by the end in order: %q", left)
			}
			for _, sent := range anyMode.FindAllString(dev.text(), -1) {
				if sent != "\x1b[?12l" && sent != "\x1b[?12h" && !slices.ContainsFunc(modes, func(m mode) bool { return sent == m.on || sent == m.off }) {
					t.Errorf("%q is not in the table", sent)
				}
			}
			for _, m := range modes {
				if m.asked && strings.Contains(off, m.off) && !strings.Contains(opening, m.on) {
					t.Errorf("%q is sent to a terminal that may not know it", m.off)
				}
			}
		})
	}
}

// TestEachModeMatters proves that the test above sees each mode that is not ended.
func TestEachModeMatters(t *testing.T) {
	for _, m := range modes {
		off := strings.ReplaceAll(modesOff(everyModeOn()), m.off, "")
		if got := leftOn(everyModeOn() + off); len(got) != 1 {
			t.Errorf("without %q, left on: %q", m.off, got)
		}
	}
	if got := fmt.Sprint(leftOn(everyModeOn() + modesOff(everyModeOn()))); got != "[]" {
		t.Error(got)
	}
}
