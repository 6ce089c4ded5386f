package console_test

import (
	"os"
	"testing"
)

// mostKeys is how many keys a newcomer presses at most to find a command and run it.
const mostKeys = 6

// Zoom, search and export are found by their names in the palette and run, in a few keys.
func TestANewcomerFindsWhatTheyLookFor(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, c := range map[string]struct {
		keys []string
		see  string
	}{
		"zoom":   {[]string{"Ctrl-P", "z", "o", "Enter"}, "zoomed"},
		"search": {[]string{"Ctrl-P", "s", "e", "a", "Enter"}, "search the chat"},
		"export": {[]string{"Ctrl-P", "e", "x", "p", "Enter"}, "exported: "},
		"help":   {[]string{"F1"}, "help · / searches"},
		"hosts":  {[]string{"Ctrl-P", "h", "o", "s", "t"}, "› Targets"},
	} {
		if len(c.keys) > mostKeys {
			t.Errorf("%s takes %d keys, want %d at most", name, len(c.keys), mostKeys)
		}
		t.Run(name, func(t *testing.T) {
			s := begin(t, 120, 40, nil)
			s.console.AddPane(newTerminal("$ ").pane("%1", "local"))
			s.Type("hello").Press("Enter").See("You said: hello").Gone(" 0 s").Idle()
			s.Press(c.keys...).See(c.see)
		})
	}
	if files, err := os.ReadDir("."); err != nil || len(files) != 1 {
		t.Errorf("%d files, %v: want the conversation", len(files), err)
	}
}

// The first answer takes a prompt that the guide of package agent/guide answers without
// any model, and Enter.
func TestTheFirstAnswerIsAFewKeysAway(t *testing.T) {
	const prompt = "what is filling the disk?"
	if n := len(prompt) + 1; n > 30 {
		t.Errorf("%d keys", n)
	}
	s := begin(t, 120, 40, nil)
	s.Type(prompt).Press("Enter").See("You said: " + prompt)
}
