package keys_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/ui/keys"
)

func TestAKeyHasOneNameHoweverItIsReported(t *testing.T) {
	cases := []struct {
		ev   *tcell.EventKey
		want string
	}{
		{tcell.NewEventKey(tcell.KeyCtrlC, 0, tcell.ModCtrl), "Ctrl-C"},
		{tcell.NewEventKey(tcell.KeyRune, 'c', tcell.ModCtrl), "Ctrl-C"},
		{tcell.NewEventKey(tcell.KeyCtrlC, 3, tcell.ModNone), "Ctrl-C"},
		{tcell.NewEventKey(tcell.KeyRune, 3, tcell.ModNone), "Ctrl-C"},
		{tcell.NewEventKey(tcell.KeyRune, ']', tcell.ModCtrl), "Ctrl-]"},
		{tcell.NewEventKey(tcell.KeyCtrlRightSq, 0, tcell.ModCtrl), "Ctrl-]"},
		{tcell.NewEventKey(tcell.Key(0x1d), 0, tcell.ModNone), "Ctrl-]"},
		{tcell.NewEventKey(tcell.KeyEnter, 0, tcell.ModAlt), "Alt-Enter"},
		{tcell.NewEventKey(tcell.KeyCtrlJ, 0, tcell.ModCtrl), "Ctrl-J"},
		{tcell.NewEventKey(tcell.KeyTab, 0, tcell.ModShift), "Shift-Tab"},
		{tcell.NewEventKey(tcell.KeyF1, 0, tcell.ModNone), "F1"},
		{tcell.NewEventKey(tcell.KeyF12, 0, tcell.ModNone), "F12"},
		{tcell.NewEventKey(tcell.KeyRune, 'ß', tcell.ModNone), "ß"},
		{tcell.NewEventKey(tcell.KeyRune, 'b', tcell.ModAlt), "Alt-b"},
		{tcell.NewEventKey(tcell.KeyLeft, 0, tcell.ModCtrl), "Ctrl-Left"},
		{tcell.NewEventKey(tcell.KeyDEL, 0, tcell.ModNone), "Backspace"},
		{tcell.NewEventKey(tcell.KeyEscape, 0, tcell.ModNone), "Esc"},
	}
	for _, c := range cases {
		if got := keys.Name(c.ev); got != c.want {
			t.Errorf("%s is called %q, want %q", c.ev.Name(), got, c.want)
		}
	}
}

func TestAltBeforeAControlByteIsTheKeyThatWasPressed(t *testing.T) {
	ctrlAlt := tcell.ModCtrl | tcell.ModAlt
	for _, c := range []struct {
		ev   *tcell.EventKey
		want string
	}{
		{tcell.NewEventKey(tcell.KeyRune, 'm', ctrlAlt), "Alt-Enter"},
		{tcell.NewEventKey(tcell.KeyRune, 'j', ctrlAlt), "Alt-Enter"},
		{tcell.NewEventKey(tcell.KeyRune, 'h', ctrlAlt), "Alt-Backspace"},
		{tcell.NewEventKey(tcell.KeyRune, 0x7f, tcell.ModAlt), "Alt-Backspace"},
		{tcell.NewEventKey(tcell.KeyRune, 'm', tcell.ModAlt), "Alt-m"},
		{tcell.NewEventKey(tcell.KeyRune, 'm', tcell.ModCtrl), "Ctrl-M"},
		{tcell.NewEventKey(tcell.KeyRune, 'h', tcell.ModNone), "h"},
		{tcell.NewEventKey(tcell.KeyEnter, 0, tcell.ModAlt), "Alt-Enter"},
	} {
		if got := keys.Name(keys.Pressed(c.ev)); got != c.want {
			t.Errorf("%s is called %q, want %q", c.ev.Name(), got, c.want)
		}
	}
}

func TestNoKeyMeansTwoThingsAtOnePlace(t *testing.T) {
	for _, place := range []keys.Place{keys.Input, keys.Chat, keys.Pane, keys.Searching, keys.Typing, keys.Overlay, keys.Dialog, keys.Playing, keys.Tiles, keys.Completing} {
		seen := map[string]keys.ID{}
		for _, c := range keys.All() {
			if c.Where&place == 0 {
				continue
			}
			for _, k := range c.Keys {
				if other, taken := seen[k]; taken {
					t.Errorf("at place %d, %s means %s and %s", place, k, other, c.ID)
				}
				seen[k] = c.ID
			}
		}
	}
}

func TestOnlyTheLeaderAndScrollingAreHeldBackWhileTyping(t *testing.T) {
	held := map[string]bool{"Ctrl-]": true, "Shift-PgUp": true, "Shift-PgDn": true}
	for _, c := range keys.All() {
		for _, k := range c.Keys {
			if c.Where&keys.Typing != 0 && !held[k] {
				t.Errorf("%s takes %q from the terminal", c.ID, k)
			}
		}
	}
}

func TestSlashCommands(t *testing.T) {
	c, args, err := keys.Parse("/approve  read-only ")
	if err != nil || c.ID != keys.Approve || args != "read-only" {
		t.Errorf("%v %q %v", c.ID, args, err)
	}
	_, _, err = keys.Parse("/staus")
	var unknown *keys.UnknownError
	if !errors.As(err, &unknown) || unknown.Nearest != "status" {
		t.Errorf("%v", err)
	}
	for line, want := range map[string]bool{
		"/help": true, " /quit ": true, "/approve ask": true, "/etc/passwd is odd": false,
		"/": false, "help": false, "/help\nmore": false, "/Users": false,
	} {
		if got := keys.IsCommand(line); got != want {
			t.Errorf("IsCommand(%q) = %v", line, got)
		}
	}
}

func TestWhatIsNotAvailableSaysWhy(t *testing.T) {
	f := keys.Facts{Provided: func(id keys.ID) bool { return id != keys.New }}
	want := map[keys.ID]string{
		keys.Interrupt: "nothing is running", keys.Resume: "no earlier conversation was left open",
		keys.SearchNext: "nothing was searched for", keys.Mark: "",
		keys.Terminal: "there is no terminal yet", keys.New: "not available here", keys.Approve: "", keys.Help: "",
	}
	for _, c := range keys.All() {
		if reason, ok := want[c.ID]; ok && c.Unavailable(f) != reason {
			t.Errorf("%s: %q, want %q", c.ID, c.Unavailable(f), reason)
		}
	}
	for _, h := range (*keys.Table)(nil).Hints(keys.Input, f) {
		if h.Text == "terminal" {
			t.Error("an unavailable command is hinted at")
		}
	}
}

func TestTheManualNamesEverything(t *testing.T) {
	man := keys.Manual()
	for _, want := range []string{".SS Everywhere", ".B F1, /help, ?", `.B Shift\-Enter, Alt\-Enter, Ctrl\-J`, `/approve ask|ask\-all|read\-only`} {
		if !strings.Contains(man, want) {
			t.Errorf("the manual does not contain %q", want)
		}
	}
}

// Every key of the table can be pressed by its name.
func TestEveryKeyOfTheTableCanBePressedByItsName(t *testing.T) {
	for _, c := range (*keys.Table)(nil).All() {
		for _, name := range c.Keys {
			if ev := keys.Event(name); ev == nil || keys.Name(ev) != name {
				t.Errorf("%q: %v", name, ev)
			}
		}
	}
	for _, name := range []string{"", "Hyper-x", "F99"} {
		if ev := keys.Event(name); ev != nil {
			t.Errorf("%q is %v", name, ev)
		}
	}
}
