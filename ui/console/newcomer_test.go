package console_test

import (
	"fmt"
	"os"
	"testing"
)

// mostKeys is how many keys a newcomer presses at most to find a command and run it.
const mostKeys = 6

// newcomersSizes are those of a screen that a newcomer may have.
var newcomersSizes = [][2]int{{120, 40}, {80, 24}, {40, 10}}

// Zoom, search and export are found by their names in the palette and run, in a few keys,
// also on a small screen.
func TestANewcomerFindsWhatTheyLookFor(t *testing.T) {
	for name, c := range map[string]struct {
		keys []string
		see  string
	}{
		"zoom":   {[]string{"Ctrl-P", "z", "o", "Enter"}, "zoomed"},
		"search": {[]string{"Ctrl-P", "s", "e", "a", "Enter"}, "search the chat"},
		"export": {[]string{"Ctrl-P", "e", "x", "p", "Enter"}, "exported:"},
		"help":   {[]string{"F1"}, "help · / searches"},
		"hosts":  {[]string{"Ctrl-P", "h", "o", "s", "t"}, "› Targets"},
	} {
		if len(c.keys) > mostKeys {
			t.Errorf("%s takes %d keys, want %d at most", name, len(c.keys), mostKeys)
		}
		for _, size := range newcomersSizes {
			t.Run(fmt.Sprintf("%s at %d×%d", name, size[0], size[1]), func(t *testing.T) {
				t.Chdir(t.TempDir())
				s := begin(t, size[0], size[1], nil)
				s.console.AddPane(newTerminal("$ ").pane("%1", "local"))
				s.Type("hello").Press("Enter").See("You said: hello").Gone(" 0 s").Idle()
				s.Press(c.keys...).See(c.see)
				if files, err := os.ReadDir("."); name == "export" && (err != nil || len(files) != 1) {
					t.Errorf("%d files, %v: want the conversation", len(files), err)
				}
			})
		}
	}
}

// The first answer takes a prompt that the guide of package agent/guide answers without
// any model, and Enter.
func TestTheFirstAnswerIsAFewKeysAway(t *testing.T) {
	const prompt = "what is filling the disk?"
	if n := len(prompt) + 1; n > 30 {
		t.Errorf("%d keys", n)
	}
	for _, size := range newcomersSizes {
		t.Run(fmt.Sprintf("%d×%d", size[0], size[1]), func(t *testing.T) {
			s := begin(t, size[0], size[1], nil)
			s.Type(prompt).Press("Enter").See("You said:")
		})
	}
}
