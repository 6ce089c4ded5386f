package keys_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/gdamore/tcell/v2"
	"pgregory.net/rapid"

	"github.com/nod-console/nod/ui/keys"
)

func bind(t *testing.T, all ...keys.Binding) *keys.Table {
	t.Helper()
	table, err := keys.Bind(all)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func want(t *testing.T, table *keys.Table, place keys.Place, key string, id keys.ID) {
	t.Helper()
	if c, _ := table.Find(place, key); c.ID != id {
		t.Errorf("at %d, %s means %q, want %q", place, key, c.ID, id)
	}
}

func TestAKeyIsBoundWhereTheCommandHadItsFirstOnes(t *testing.T) {
	table := bind(t,
		keys.Binding{Name: "terminal", Keys: []string{"^G"}},
		keys.Binding{Name: "copy", Keys: []string{"c"}},
		keys.Binding{Name: "history", Keys: []string{"F7", "alt+h"}},
		keys.Binding{Name: "pane.word-left", Keys: []string{"B"}},
		keys.Binding{Name: "redraw", Keys: nil},
		keys.Binding{Name: "recording.pause", Keys: []string{"space"}},
	)
	want(t, table, keys.Typing, "Ctrl-G", keys.Terminal)
	want(t, table, keys.Typing, "Ctrl-]", "")
	want(t, table, keys.Pane, "Enter", keys.Terminal) // its other key there stays
	want(t, table, keys.Chat, "c", keys.Copy)
	want(t, table, keys.Pane, "c", keys.Copy)
	want(t, table, keys.Pane, "y", "")
	want(t, table, keys.Input, "F7", keys.History)
	want(t, table, keys.Pane, "Alt-h", keys.History)
	want(t, table, keys.Pane, "B", keys.WordLeft)
	want(t, table, keys.Pane, "b", "")
	want(t, table, keys.Input, "Alt-b", keys.WordLeft)
	want(t, table, keys.Input, "Ctrl-L", "")
	want(t, table, keys.Playing, " ", keys.Pause)
	want(t, table, keys.Playing, "p", "")
	want(t, nil, keys.Typing, "Ctrl-]", keys.Terminal) // nod's own table is as it was

	page := table.Page(80)
	for _, line := range []string{"  ^G", "F7, Alt-h, /history [words]", "Alt-b, Ctrl-Left, Alt-Left"} {
		if !strings.Contains(strings.ReplaceAll(page, "Ctrl-G", "^G"), line) {
			t.Errorf("the page lacks %q:\n%s", line, page)
		}
	}
	for _, l := range strings.Split(page, "\n") {
		if strings.HasPrefix(l, "      ") && len(l) > 80 {
			t.Errorf("too long: %q", l)
		}
	}
	if got := table.Say(keys.Typing, keys.Terminal); got != "^G" {
		t.Errorf("says %q", got)
	}
	if hints := table.Hints(keys.Typing, keys.Facts{Panes: 1}); len(hints) != 1 || hints[0].Key != "^G" {
		t.Errorf("%v", hints)
	}
}

func TestKeysCanBeExchanged(t *testing.T) {
	table := bind(t,
		keys.Binding{Name: "send", Keys: []string{"Alt-Enter"}}, keys.Binding{Name: "newline", Keys: []string{"Enter"}},
		keys.Binding{Name: "search.send", Keys: []string{"Enter"}},
	)
	want(t, table, keys.Input, "Alt-Enter", keys.Send)
	want(t, table, keys.Input, "Enter", keys.Newline)
	want(t, table, keys.Searching, "Enter", keys.Send)
}

func TestWhatCannotBeBoundSaysWhy(t *testing.T) {
	for _, c := range []struct {
		name string
		keys string
		why  string
	}{
		{"zom", "F5", `no command "zom"; did you mean "zoom"?`},
		{"zoom", "Hyper-Z", `no key is called "Hyper-Z"`},
		{"zoom", "Ctrl-Entr", `did you mean "Enter"`},
		{"zoom", "", `no key is called ""`},
		{"zoom", "Ctrl-M", `"Ctrl-M": to a terminal it is the same as Enter`},
		{"zoom", "Ctrl-1", "terminals report Ctrl only with a letter"},
		{"zoom", "Shift-a", `such as "A"`},
		{"zoom", "Alt-[", "terminals begin other keys with it"},
		{"zoom", "Ctrl-P", `where you write, Ctrl-P already is "palette" (choose one of all these commands): choose another key, or give palette another`},
		{"zoom", "Esc", `Esc already is "back"`},
		{"zoom", "x", "x cannot be zoom: it is typed where you write"},
		{"zoom", "Left", "where you write, it is needed"},
		{"terminal", "F5 x", "x cannot be terminal: it is typed"},
		{"terminal", "-", "needs a key"},
		{"typing.terminal", "Enter", "the program in the terminal needs it"},
		{"typing.terminal", "Ctrl-C", "the program in the terminal needs it"},
		{"redraw", "Ctrl-U", `already is "delete-before"`},
		{"redraw", "Ctrl-J", `already is "newline"`},
		{"help", "Ctrl-N F1", "Ctrl-N cannot be help: lists need it"},
		{"back", "F5", "Esc always goes back"},
		{"interrupt", "F5", "Ctrl-C always interrupts"},
		{"own", "#", "is a mark"},
		{"rom.zoom", "F5", `no place called "rom"; want one of input, completing, chat, pane, search, typing, recording`},
		{"pane.fold", "f", "fold means nothing there; it does in the chat (chat)"},
		{"typing.theme", "F5", "theme means nothing there; it does where you write (input)"},
	} {
		b := keys.Binding{Name: c.name, Keys: strings.Split(c.keys, " ")}
		if c.keys == "-" && c.name != "zoom" {
			b.Keys = nil
		}
		_, err := keys.Bind([]keys.Binding{b})
		var bad *keys.BindError
		if !errors.As(err, &bad) || bad.Binding.Name != c.name || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s = %q: %v, want %s", c.name, c.keys, err, c.why)
		}
	}
	// What a dialog's editor needs is not free because it is free elsewhere.
	_, err := keys.Bind([]keys.Binding{{Name: "delete-after", Keys: []string{"Alt-k"}}, {Name: "redraw", Keys: []string{"Ctrl-K"}}})
	if err == nil || err.Error() != "Ctrl-K cannot be redraw: approval dialogs and questions need it" {
		t.Error(err)
	}
	// Of two new ones, the later in the table is to blame, and names the other.
	_, err = keys.Bind([]keys.Binding{{Name: "zoom", Keys: []string{"F5"}}, {Name: "status", Keys: []string{"F5"}}})
	if err == nil || !strings.Contains(err.Error(), `F5 already is "zoom"`) {
		t.Error(err)
	}
}

// Whatever the operator writes, no answer to a dialog and no way out of a terminal
// is taken from him.
func TestNoBindingTakesAKeyFromADialog(t *testing.T) {
	ids := keys.All()
	rapid.Check(t, func(t *rapid.T) {
		var all []keys.Binding
		for range rapid.IntRange(1, 3).Draw(t, "bindings") {
			name := string(rapid.SampledFrom(ids).Draw(t, "command").ID)
			if place := rapid.SampledFrom([]string{"", "input.", "chat.", "pane.", "typing.", "search.", "recording."}).Draw(t, "place"); place != "" {
				name = place + name
			}
			key := rapid.SampledFrom([]string{"y", "n", "Enter", "Esc", "Tab", "Space", "F5", "Ctrl-J", "Ctrl-C", "Up", "Ctrl-G", "Alt-x", "PgDn"}).Draw(t, "key")
			all = append(all, keys.Binding{Name: name, Keys: []string{key}})
		}
		table, err := keys.Bind(all)
		if err != nil {
			return
		}
		for _, key := range []string{"y", "n", "c", "a", "r", "p", "d", "e", "x", "Enter", "Esc", " ", "Up", "Down", "PgUp", "PgDn", "Ctrl-J"} {
			if c, taken := table.Find(keys.Dialog, key); taken {
				t.Fatalf("%v: %s means %s in a dialog", all, key, c.ID)
			}
		}
		if table.Say(keys.Typing, keys.Terminal) == "" {
			t.Fatalf("%v: no way out of a terminal", all)
		}
		if c, _ := table.Find(keys.Input, "Esc"); c.ID != keys.Back {
			t.Fatalf("%v: Esc means %q", all, c.ID)
		}
	})
}

// What Canonical returns is what Name says of that key.
func TestSpellingsOfKeys(t *testing.T) {
	for written, want := range map[string]string{
		"ctrl-x": "Ctrl-X", "^X": "Ctrl-X", "Ctrl+x": "Ctrl-X", "^]": "Ctrl-]", "f12": "F12", "escape": "Esc", "pageup": "PgUp", "SPACE": " ",
		"alt-space": "Alt- ", "Ctrl-Space": "Ctrl-Space", "shift-tab": "Shift-Tab", "Alt-B": "Alt-B", "alt-b": "Alt-b", "ctrl-shift-left": "Ctrl-Shift-Left",
		"-": "-", "+": "+", "Alt--": "Alt--", "ß": "ß", "alt-ctrl-left": "Ctrl-Alt-Left",
	} {
		if got, err := keys.Canonical(written); got != want {
			t.Errorf("%q is %q (%v), want %q", written, got, err, want)
		}
	}
	for key := tcell.KeyCtrlA; key <= tcell.KeyCtrlZ; key++ {
		name := keys.Name(tcell.NewEventKey(key, 0, tcell.ModCtrl))
		if got, err := keys.Canonical(name); err == nil && got != name {
			t.Errorf("%q is %q", name, got)
		}
	}
	for _, wrong := range []string{"f0", "f25", "f1x", "Ctrl-", "", "ab", "Shift-Space", "\x01", "Ctrl-H"} {
		if got, err := keys.Canonical(wrong); err == nil {
			t.Errorf("%q is %q", wrong, got)
		}
	}
}
