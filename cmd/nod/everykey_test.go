package main

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nod-console/nod/ui/keys"
)

// TestEveryKey: each key of the table, at each place where it means something, and
// each word after a slash does in a real terminal what the table says. What has no
// story fails the test.
func TestEveryKey(t *testing.T) {
	t.Parallel()
	tried := &tried{all: map[string]bool{}}
	stories := map[string]func(*hand){
		"writing":    writingStory,
		"completing": completingStory,
		"history":    promptsStory,
		"everywhere": everywhereStory,
		"running":    runningStory,
		"dialogs":    dialogsStory,
		"pages":      pagesStory,
		"chat":       chatStory,
		"terminal":   terminalStory,
		"selecting":  selectingStory,
		"searching":  searchingStory,
		"dividing":   dividingStory,
		"playing":    playingStory,
		"overview":   overviewStory,
		"browsing":   browsingStory,
		"showing":    showingStory,
		"telling":    tellingStory,
		"past":       pastStory,
		"leaving":    leavingStory,
	}
	told := 0
	t.Run("stories", func(t *testing.T) {
		for name, story := range stories {
			t.Run(name, func(t *testing.T) {
				told++
				t.Parallel()
				story(&hand{t: t, w: newWorld(t), tried: tried})
			})
		}
	})
	if t.Failed() || told < len(stories) {
		return // what was not told is not missing
	}
	for _, c := range keys.All() {
		for place, name := range placeNames {
			for _, key := range c.Keys {
				if c.Where&place != 0 && !tried.is(spotOf(place, key)) {
					t.Errorf("%s: no story has %s in it (%s: %s)", name, keys.Spoken(key), c.ID, c.Text)
				}
			}
		}
		if c.Slash != "" && !tried.is("/"+c.Slash) {
			t.Errorf("no story has /%s in it (%s)", c.Slash, c.Text)
		}
		if c.Where == 0 && c.Slash == "" && !tried.is(string(c.ID)) {
			t.Errorf("no story has %q in it (%s: %s)", c.Keys, c.ID, c.Text)
		}
	}
}

// placeNames are all places where the keyboard can be.
var placeNames = map[keys.Place]string{
	keys.Input: "where you write", keys.Chat: "in the chat", keys.Pane: "in a terminal that is read",
	keys.Searching: "in the search line", keys.Typing: "in a terminal that is typed into", keys.Overlay: "in lists and in the help",
	keys.Tiles: "in the overview", keys.Dialog: "in dialogs", keys.Playing: "in a recording", keys.Completing: "where candidates are shown",
	keys.Browsing: "in the timeline",
}

// tried are the keys and words that were in a story.
type tried struct {
	mu  sync.Mutex
	all map[string]bool
}

func spotOf(place keys.Place, key string) string { return fmt.Sprintf("%d %s", place, key) }

func (a *tried) is(what string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.all[what]
}

func (a *tried) note(what string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.all[what] = true
}

// hand is an operator's hand in a console.
type hand struct {
	*display
	t     testing.TB
	w     *world
	tried *tried
	slow  bool // each key by itself, as dialogs want it
}

// press presses keys. What comes right behind an escape would be another key.
func (h *hand) press(all ...string) {
	h.t.Helper()
	for _, key := range all {
		if h.slow || h.last == "Escape" {
			h.display.press(key)
			continue
		}
		h.sends(key)
		h.last, h.display.at = key, time.Now()
	}
}

// opens opens the console that the story is told in.
func (h *hand) opens(cols, rows int, args ...string) {
	h.t.Helper()
	h.display = h.w.console(cols, rows, args...)
	h.tmux("set-option", "-s", "set-clipboard", "on")
	h.see("ready$", "nothing running")
}

// each tells a story of a command at a place once with each of the keys that it has
// there. That is where the keyboard must be when the story presses the key.
func (h *hand) each(place keys.Place, id keys.ID, story func(press func())) {
	h.t.Helper()
	found := false
	for _, c := range keys.All() {
		if c.ID != id || c.Where&place == 0 {
			continue
		}
		for _, key := range c.Keys {
			found = true
			h.with(c, key, place, story)
		}
	}
	if !found {
		h.t.Errorf("%s has no key %s", id, placeNames[place])
	}
}

func (h *hand) with(c keys.Command, key string, place keys.Place, story func(press func())) {
	h.t.Helper()
	failed := h.t.Failed()
	defer func() {
		if !failed && h.t.Failed() {
			h.t.Logf("that was %s, %s (%s: %s)", keys.Spoken(key), placeNames[place], c.ID, c.Text)
		}
	}()
	pressed := false
	story(func() {
		h.t.Helper()
		h.press(tmuxKey(key))
		pressed = true
	})
	if !pressed {
		h.t.Errorf("the story does not press it")
	}
	h.tried.note(spotOf(place, key))
}

// plainly is each for a key that does one thing, whatever was before.
func (h *hand) plainly(place keys.Place, id keys.ID, wanted ...string) {
	h.t.Helper()
	h.each(place, id, func(press func()) {
		h.t.Helper()
		press()
		h.see(wanted...)
	})
}

// word gives a command by its word, from the input.
func (h *hand) word(line string) {
	h.t.Helper()
	h.to(keys.Input)
	h.typed(line)
	begins := "> " + line[:min(len(line), 30)] // a long one is folded
	h.see(begins)
	h.press("Enter")
	h.seeNo(begins)
	name, _, _ := strings.Cut(line, " ")
	h.tried.note(name)
}

// bases are tmux's names of keys that it calls otherwise.
var bases = map[string]string{
	"Esc": "Escape", "PgUp": "PPage", "PgDn": "NPage", "Backspace": "BSpace", "Delete": "DC", "Insert": "IC", " ": "Space",
}

// tmuxKey is what tmux calls a key of the table.
func tmuxKey(key string) string {
	if key == "Shift-Tab" {
		return "BTab"
	}
	prefix := ""
	for _, m := range [][2]string{{"Ctrl-", "C-"}, {"Alt-", "M-"}, {"Shift-", "S-"}} {
		if rest, ok := strings.CutPrefix(key, m[0]); ok {
			prefix, key = prefix+m[1], rest
		}
	}
	if prefix == "C-" && len(key) == 1 {
		key = strings.ToLower(key)
	}
	if base, ok := bases[key]; ok {
		key = base
	}
	return prefix + key
}

// where is the place of the keyboard, as the bottom line tells it; 0 before there is
// one. In front of it, a list or a dialog may stand.
func where(text string) keys.Place {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	last := strings.TrimSpace(lines[len(lines)-1])
	switch {
	case !strings.Contains(last, "F1 help") && !strings.Contains(last, "leave terminal"):
		return 0
	case strings.HasPrefix(last, "overview"):
		return keys.Tiles
	case strings.HasPrefix(last, "typing into "):
		return keys.Typing
	case strings.HasPrefix(last, "searching "):
		return keys.Searching
	case strings.HasPrefix(last, "reading local"), strings.HasPrefix(last, "selecting in "):
		return keys.Pane
	case strings.HasPrefix(last, "reading"):
		return keys.Chat
	}
	return keys.Input
}

// at waits until the keyboard is at a place.
func (h *hand) at(place keys.Place) string {
	h.t.Helper()
	return h.until("be "+placeNames[place], func(text string) bool { return where(text) == place && !covered(text) })
}

// covered reports whether a list, the help or a dialog stands in front.
func covered(text string) bool {
	return strings.Contains(text, "Esc closes") || strings.Contains(text, "APPROVE")
}

// to brings the keyboard to a place, and ends what was going on there.
func (h *hand) to(place keys.Place) {
	h.t.Helper()
	if where(h.until("see where the keyboard is", func(text string) bool { return where(text) != 0 })) == keys.Typing {
		h.press("C-]")
		h.until("leave the terminal", func(text string) bool { return where(text) != keys.Typing })
	}
	h.backToInput()
	switch place {
	case keys.Chat:
		h.press("Tab")
	case keys.Pane:
		h.press("Tab", "Tab")
	case keys.Searching:
		h.press("Tab", "Tab", "/")
	case keys.Typing:
		h.press("C-]")
	}
	h.at(place)
}

// backToInput backs out of everything; one level more than there is does nothing.
// What is typed right behind an escape is another key: one that means nothing is
// pressed in between.
func (h *hand) backToInput() {
	h.t.Helper()
	before := ""
	h.until("be where one writes", func(text string) bool {
		if where(text) == keys.Input && !covered(text) && !strings.Contains(text, "\n scrolled up") {
			return true
		}
		if text != before || time.Since(h.display.at) > time.Second {
			before = text
			h.press("Escape", "F12")
		}
		return false
	})
}

// shell has the terminal do something, typed by hand.
func (h *hand) shell(line, wanted string) {
	h.t.Helper()
	h.to(keys.Typing)
	h.typed(line)
	h.press("Enter")
	h.see(wanted)
	h.to(keys.Input)
}

// briefly is a folder with a name that is short enough for one row.
func (h *hand) briefly() string {
	h.t.Helper()
	dir, err := os.MkdirTemp("", "k")
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			h.t.Error(err)
		}
	})
	return dir
}

// copies does something and waits until the clipboard has a text.
func (h *hand) copies(want string, do func()) {
	h.t.Helper()
	h.tmux("set-buffer", "nothing was copied")
	do()
	var got string
	if !soonOrLate(func() bool { got = h.copied(); return got == want }) {
		h.t.Fatalf("copied %q, want %q; the screen is:\n%s", got, want, h.text())
	}
}

// numbers are those that stand behind a word on the screen, the first and the last.
func numbers(text, word string) (first, last int) {
	for _, m := range regexp.MustCompile(word+`-(\d+)`).FindAllStringSubmatch(text, -1) {
		n, err := strconv.Atoi(m[1])
		if err != nil {
			continue // longer than any number here
		}
		if first == 0 {
			first = n
		}
		last = n
	}
	return first, last
}
