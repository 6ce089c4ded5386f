package mirror

import (
	"testing"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/backends/vt"
)

func TestEncodeKey(t *testing.T) {
	const shift, alt, ctrl = tcell.ModShift, tcell.ModAlt, tcell.ModCtrl
	cases := []struct {
		name  string
		key   tcell.Key
		r     rune
		mod   tcell.ModMask
		modes vt.Modes
		want  string
	}{
		{"letter", tcell.KeyRune, 'a', 0, vt.Modes{}, "a"},
		{"letter beyond ASCII", tcell.KeyRune, '日', 0, vt.Modes{}, "日"},
		{"alt", tcell.KeyRune, 'x', alt, vt.Modes{}, "\x1bx"},
		{"control", tcell.KeyRune, 'c', ctrl, vt.Modes{}, "\x03"},
		{"control key", tcell.KeyCtrlC, 0, ctrl, vt.Modes{}, "\x03"},
		{"raw control", tcell.KeyRune, 0x03, 0, vt.Modes{}, "\x03"},
		{"control and alt", tcell.KeyCtrlX, 0, ctrl | alt, vt.Modes{}, "\x1b\x18"},
		{"control space", tcell.KeyCtrlSpace, 0, ctrl, vt.Modes{}, "\x00"},
		{"control ]", tcell.KeyCtrlRightSq, 0, ctrl, vt.Modes{}, "\x1d"},
		{"control /", tcell.KeyRune, '/', ctrl, vt.Modes{}, "\x1f"},
		{"control 1", tcell.KeyRune, '1', ctrl, vt.Modes{}, "1"},
		{"enter", tcell.KeyEnter, 0, 0, vt.Modes{}, "\r"},
		{"alt enter", tcell.KeyEnter, 0, alt, vt.Modes{}, "\x1b\r"},
		{"tab", tcell.KeyTab, 0, 0, vt.Modes{}, "\t"},
		{"shift tab", tcell.KeyTab, 0, shift, vt.Modes{}, "\x1b[Z"},
		{"escape", tcell.KeyEsc, 0, 0, vt.Modes{}, "\x1b"},
		{"backspace", tcell.KeyBackspace2, 0, 0, vt.Modes{}, "\x7f"},
		{"alt backspace", tcell.KeyBackspace, 0, alt, vt.Modes{}, "\x1b\x7f"},
		{"control backspace", tcell.KeyBackspace, 0, ctrl, vt.Modes{}, "\x08"},
		{"up", tcell.KeyUp, 0, 0, vt.Modes{}, "\x1b[A"},
		{"up, application", tcell.KeyUp, 0, 0, vt.Modes{AppCursor: true}, "\x1bOA"},
		{"control right", tcell.KeyRight, 0, ctrl, vt.Modes{AppCursor: true}, "\x1b[1;5C"},
		{"home", tcell.KeyHome, 0, 0, vt.Modes{AppCursor: true}, "\x1b[1~"},
		{"shift end", tcell.KeyEnd, 0, shift, vt.Modes{}, "\x1b[1;2F"},
		{"delete", tcell.KeyDelete, 0, 0, vt.Modes{}, "\x1b[3~"},
		{"alt page up", tcell.KeyPgUp, 0, alt, vt.Modes{}, "\x1b[5;3~"},
		{"F1", tcell.KeyF1, 0, 0, vt.Modes{}, "\x1bOP"},
		{"F13", tcell.KeyF13, 0, 0, vt.Modes{}, "\x1b[1;2P"},
		{"F12", tcell.KeyF12, 0, 0, vt.Modes{}, "\x1b[24~"},
		{"control F5", tcell.KeyF5, 0, ctrl, vt.Modes{}, "\x1b[15;5~"},
		{"none", tcell.KeyPause, 0, 0, vt.Modes{}, ""},
	}
	for _, c := range cases {
		if got := string(EncodeKey(tcell.NewEventKey(c.key, c.r, c.mod), c.modes)); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestEncodePaste(t *testing.T) {
	if got, want := string(EncodePaste("a\r\nb\nc\td\x1b[201~\x03é\u009b", vt.Modes{})), "a\rb\rc\td[201~é"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := string(EncodePaste("x", vt.Modes{BracketedPaste: true})), "\x1b[200~x\x1b[201~"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestEncodeMouse(t *testing.T) {
	sgr := vt.Modes{Mouse: vt.MouseAll, MouseEncoding: vt.MouseSGR}
	cases := []struct {
		name  string
		ev    MouseEvent
		modes vt.Modes
		want  string
	}{
		{"off", MouseEvent{}, vt.Modes{}, ""},
		{"press", MouseEvent{Col: 2, Row: 3}, sgr, "\x1b[<0;3;4M"},
		{"release", MouseEvent{Col: 2, Row: 3, Release: true}, sgr, "\x1b[<0;3;4m"},
		{"wheel with control", MouseEvent{Button: 5, Mod: tcell.ModCtrl}, sgr, "\x1b[<81;1;1M"},
		{"motion", MouseEvent{Button: -1, Motion: true}, sgr, "\x1b[<35;1;1M"},
		{"motion not wanted", MouseEvent{Button: -1, Motion: true}, vt.Modes{Mouse: vt.MouseButtons}, ""},
		{"drag not wanted", MouseEvent{Motion: true}, vt.Modes{Mouse: vt.MouseClicks}, ""},
		{"old press", MouseEvent{Col: 2, Row: 3}, vt.Modes{Mouse: vt.MouseClicks}, "\x1b[M #$"},
		{"old release", MouseEvent{Release: true, Button: 2}, vt.Modes{Mouse: vt.MouseClicks}, "\x1b[M#!!"},
		{"old, too far", MouseEvent{Col: 300}, vt.Modes{Mouse: vt.MouseClicks}, ""},
		{"UTF-8", MouseEvent{Col: 300}, vt.Modes{Mouse: vt.MouseClicks, MouseEncoding: vt.MouseUTF8}, "\x1b[M \u014d!"},
	}
	for _, c := range cases {
		if got := string(EncodeMouse(c.ev, c.modes)); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// FuzzEncodePaste proves that no paste can leave its brackets.
func FuzzEncodePaste(f *testing.F) {
	f.Add("a\x1b[201~rm -rf\n")
	f.Add("\x9b201~\u009b201~\xff\xc2")
	f.Fuzz(func(t *testing.T, text string) {
		out := EncodePaste(text, vt.Modes{BracketedPaste: true})
		for _, r := range string(out[6 : len(out)-6]) {
			if r == 0x1b || r == 0x9b {
				t.Fatalf("%q becomes %q", text, out)
			}
		}
	})
}
