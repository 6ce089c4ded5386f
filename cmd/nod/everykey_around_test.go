package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/nod-console/nod/ui/keys"
)

// around are the places that what can be done everywhere can be done at.
var around = []keys.Place{keys.Input, keys.Chat, keys.Pane, keys.Searching}

// everywhereStory is about what can be done everywhere.
func everywhereStory(h *hand) {
	h.fromShell(120, 30)
	beside := map[keys.Place][2]keys.Place{ // before and behind
		keys.Input: {keys.Pane, keys.Chat}, keys.Chat: {keys.Input, keys.Pane},
		keys.Pane: {keys.Chat, keys.Input}, keys.Searching: {keys.Chat, keys.Input},
	}
	for _, place := range around {
		opening := func(id keys.ID, wanted ...string) {
			h.t.Helper()
			h.each(place, id, func(press func()) {
				h.t.Helper()
				h.to(place)
				press()
				h.see(append(wanted, "Esc closes")...)
				h.press("Escape")
				h.at(place)
			})
		}
		opening(keys.Help, "┌ help", "/ searches", "show this help")
		opening(keys.Targets, "┌ targets", "• local", "Enter use")
		opening(keys.Palette, "┌ commands", "Enter does it")
		opening(keys.Timeline, "┌ timeline", "nothing ran in this conversation yet")
		going := func(id keys.ID, to keys.Place, back string) {
			h.t.Helper()
			h.each(place, id, func(press func()) {
				h.t.Helper()
				h.to(place)
				press()
				h.at(to)
				h.press(back)
				h.at(place)
			})
		}
		going(keys.Previous, beside[place][0], "Tab")
		going(keys.Next, beside[place][1], "BTab")
		h.each(place, keys.Terminal, func(press func()) {
			h.to(place)
			press()
			h.at(keys.Typing)
		})
		h.to(keys.Input)
		h.each(place, keys.Zoom, func(press func()) { h.zooms(place, press) })
		h.each(place, keys.Jump, func(press func()) {
			h.to(place)
			press()
			h.until("be at the terminal, or read that there is none", func(text string) bool {
				at := where(text)
				return at == keys.Pane || at == keys.Searching || strings.Contains(text, "there is no terminal")
			})
		})
		h.each(place, keys.Overview, func(press func()) {
			h.to(place)
			press()
			h.at(keys.Tiles)
			h.see("1 target", "local")
			h.press("q")
			h.at(place)
		})
		h.each(place, keys.Suspend, func(press func()) {
			h.to(place)
			h.stops(press)
			h.at(place)
		})
		h.each(place, keys.Redraw, func(press func()) {
			h.to(place)
			h.spoil()
			press()
			h.seeNo("spoilt")
			h.at(place)
		})
	}
	for _, place := range []keys.Place{keys.Chat, keys.Pane} {
		h.each(place, keys.Inbox, func(press func()) {
			h.to(place)
			press()
			h.see("nothing waits for you")
		})
	}
	h.each(keys.Typing, keys.Terminal, func(press func()) {
		h.to(keys.Typing)
		h.typed("echo by ha''nd")
		h.press("Enter")
		h.see("║by hand")
		press()
		h.at(keys.Input)
	})
	backs(h)
	overlays(h)
	h.to(keys.Input)
	h.toShell()
}

// fromShell opens the console from a shell, for it to be suspended.
func (h *hand) fromShell(cols, rows int) {
	h.t.Helper()
	h.display = openDisplay(h.w.t, cols, rows, h.w.env(), "bash", "--norc", "-i")
	h.tmux("set-option", "-s", "set-clipboard", "on")
	h.typed(h.w.nod)
	h.press("Enter")
	h.see("ready$", "nothing running")
}

// toShell quits, and ends the shell.
func (h *hand) toShell() {
	h.t.Helper()
	h.see("nothing running")
	h.press("C-d")
	h.seeNo("nothing running")
	h.typed("exit $?")
	h.press("Enter")
	if status := h.ended(); status != "0" {
		h.t.Errorf("exit status %s", status)
	}
}

// stops stops the console, and has it go on.
func (h *hand) stops(press func()) {
	h.t.Helper()
	press()
	h.see("Stopped")
	h.typed("fg")
	h.press("Enter")
	h.seeNo("Stopped")
}

// zooms shows one part, and all again.
func (h *hand) zooms(place keys.Place, press func()) {
	h.t.Helper()
	h.to(place)
	press()
	h.until("see one part", func(text string) bool {
		chat, pane := strings.Contains(text, "> ask for something"), strings.Contains(text, "local · main/shared ═")
		if place == keys.Input || place == keys.Chat {
			return chat && !strings.Contains(text, "main/shared ─") && strings.Contains(text, "zoomed")
		}
		return pane && !chat && strings.Contains(text, "zoomed")
	})
	press()
	h.seeNo("zoomed")
	h.see("> ask for something", "local · main/shared ")
	h.at(place)
}

// spoil has another program write into the screen, as a message of the kernel does.
// It writes again until that is seen: a redraw that was due (after a stop, say) may
// take the first one away.
func (h *hand) spoil() {
	h.t.Helper()
	tty, err := os.OpenFile(h.tmux("display-message", "-p", "#{pane_tty}"), os.O_WRONLY, 0)
	if err != nil {
		h.t.Fatal(err)
	}
	h.until("see spoilt", func(text string) bool {
		if strings.Contains(text, "spoilt") {
			return true
		}
		if _, err := tty.WriteString("\x1b7\x1b[20;30Hspoilt\x1b8"); err != nil {
			h.t.Error(err)
		}
		return false
	})
	if err := tty.Close(); err != nil {
		h.t.Error(err)
	}
}

// backs is the way back from everywhere. It never quits.
func backs(h *hand) {
	h.each(keys.Input, keys.Back, func(press func()) {
		h.to(keys.Input)
		h.press("C-o")
		h.see("zoomed")
		press()
		h.seeNo("zoomed")
		press()
		h.press("F12") // or what comes next would be another key
		h.at(keys.Input)
	})
	for place, to := range map[keys.Place]keys.Place{keys.Chat: keys.Input, keys.Pane: keys.Input, keys.Searching: keys.Pane} {
		h.each(place, keys.Back, func(press func()) {
			h.to(place)
			press()
			h.at(to)
		})
	}
	h.each(keys.Pane, keys.Back, func(press func()) { // a level at a time
		h.to(keys.Pane)
		h.press("C-o", "k", "v")
		h.see("selecting in local", "zoomed")
		press()
		h.see("held, Esc returns", "reading local", "zoomed")
		press()
		h.seeNo("held, Esc returns")
		h.see("zoomed")
		press()
		h.seeNo("zoomed")
		h.at(keys.Pane)
		press()
		h.at(keys.Input)
	})
}

// overlays is about what stands in front of everything: the help, the palette, the
// targets, the themes.
func overlays(h *hand) {
	for open, title := range map[string]string{"F1": "┌ help", "C-p": "┌ commands", "C-t": "┌ targets"} {
		h.each(keys.Overlay, keys.Back, func(press func()) {
			h.press(open)
			h.see(title)
			press()
			h.seeNo(title)
		})
		h.each(keys.Overlay, keys.Redraw, func(press func()) {
			h.press(open)
			h.see(title)
			h.spoil()
			press()
			h.seeNo("spoilt")
			h.see(title)
			h.press("Escape")
			h.seeNo(title)
		})
		h.each(keys.Overlay, keys.Suspend, func(press func()) {
			h.press(open)
			h.see(title)
			h.stops(press)
			h.see(title)
			h.press("Escape")
			h.seeNo(title)
		})
		h.each(keys.Overlay, keys.Help, func(press func()) {
			h.press(open)
			h.see(title)
			if open == "F1" {
				press()
				h.seeNo("┌ help")
				return
			}
			h.typed("l")
			press()
			h.see("┌ help", "/ searches")
			press()
			h.seeNo("┌ help")
			h.see(title, "> l")
			h.press("Escape", "Escape") // what is typed, and the list
			h.seeNo(title)
		})
	}
	// A page at a time.
	h.press("F1")
	h.see("Here, where you write")
	h.each(keys.Overlay, keys.PageDown, func(press func()) { press(); h.seeNo("Here, where you write") })
	h.plainly(keys.Overlay, keys.PageUp, "Here, where you write")
	h.press("Escape")
	h.seeNo("┌ help")
	h.press("C-p")
	h.see("› Help")
	h.each(keys.Overlay, keys.PageDown, func(press func()) { press(); h.seeNo("› Help") })
	h.plainly(keys.Overlay, keys.PageUp, "› Help")
	h.typed("the mouse here")
	h.see("› Mouse")
	h.press("Enter")
	h.see("the mouse is your terminal's")
}

// runningStory is about what runs, and the way out meanwhile.
func runningStory(h *hand) {
	h.opens(120, 30)
	times := 0
	sleeps := func(place keys.Place) {
		h.t.Helper()
		h.to(keys.Input)
		times++
		// dash loses an interrupt that comes just before it becomes the last program of a
		// line, so sleep is not the last.
		h.typed(fmt.Sprintf("!sh -c 'echo time %d; sleep 1000; :'", times))
		h.press("Enter")
		h.see("▸ local · main/shared", fmt.Sprintf("││time %d ", times)) // it has the terminal: bash loses an interrupt that comes before
		h.to(place)
	}
	for _, place := range around {
		h.each(place, keys.Interrupt, func(press func()) {
			sleeps(place)
			press()
			h.see("nothing running")
			h.seeNo("─ runs ")
			h.at(place)
		})
	}
	h.each(keys.Overlay, keys.Interrupt, func(press func()) {
		sleeps(keys.Input)
		h.press("C-p")
		h.see("┌ commands")
		press()
		h.see("nothing running", "┌ commands")
	})
	// Nothing runs: what is written stays, except where one writes.
	h.to(keys.Input)
	h.typed("a draft")
	for _, place := range around[1:] {
		h.each(place, keys.Interrupt, func(press func()) {
			h.to(place)
			press()
			h.see("nothing is running", "> a draft")
		})
	}
	for _, place := range []keys.Place{keys.Input, keys.Chat, keys.Pane} {
		h.each(place, keys.Quit, func(press func()) { // not while something is written
			h.to(place)
			press()
			h.see("> a draft")
		})
	}
	h.to(keys.Input)
	h.press("C-u")
	h.see("> ask for something")
	for _, place := range []keys.Place{keys.Input, keys.Chat, keys.Pane} {
		h.each(place, keys.Quit, func(press func()) { // it asks
			sleeps(place)
			press()
			h.see("┌ quit?", "A turn is running.")
			h.press("F1")
			h.see("┌ help")
			h.press("F1")
			h.seeNo("┌ help")
			h.see("┌ quit?")
			h.press("Escape")
			h.seeNo("┌ quit?")
			press()
			h.see("┌ quit?")
			h.press("n")
			h.seeNo("┌ quit?")
			h.press("C-c")
			h.see("nothing running")
		})
	}
	sleeps(keys.Input)
	h.press("C-d")
	h.see("┌ quit?")
	h.press("y")
	h.ended()
}

// leavingStory is the way out while nothing runs, from each place.
func leavingStory(h *hand) {
	for _, place := range []keys.Place{keys.Input, keys.Chat, keys.Pane} {
		h.each(place, keys.Quit, func(press func()) {
			h.opens(120, 30)
			h.to(place)
			press()
			if status := h.ended(); status != "0" {
				h.t.Errorf("exit status %s", status)
			}
		})
	}
}

// dialogsStory is about dialogs, which have keys of their own.
func dialogsStory(h *hand) {
	dir := h.briefly()
	made := func(name string) string { return filepath.Join(dir, name) }
	touch := func(name string) []string { return calls(shell(name, "touch "+made(name), true)) }
	m := serveModel(h.w.t,
		touch("denied"), says("The first is over."),
		touch("interrupted"),
		touch("edited"), says("The third is over."),
		touch("why"), says("The fourth is over."),
		touch("enter"), says("The fifth is over."),
		touch("escaped"), says("The sixth is over."),
		calls(shell("c", "touch "+made("again"), true)), calls(shell("d", "touch "+made("again"), true)), says("The seventh is over."),
		touch("always"), says("The eighth is over."),
		calls(call{"q", "question", map[string]any{"question": "Which one?", "options": []string{"this one", "that one"}}}), says("The ninth is over."),
	)
	h.w.extra = []string{"NOD_BASE_URL=" + m.URL + "/v1", "NOD_MODEL=scripted"}
	h.fromShell(120, 40)
	h.slow = true
	asked := func(name string) {
		h.t.Helper()
		h.see("nothing running")
		h.typed("do " + name)
		h.press("Enter")
		h.see("APPROVE on local", "touch "+made(name), "y approves")
	}
	asked("denied")
	h.each(keys.Dialog, keys.Help, func(press func()) {
		press()
		h.see("┌ help", "/ searches")
		h.press("Escape")
		h.seeNo("┌ help")
		h.see("y approves")
	})
	h.each(keys.Dialog, keys.Redraw, func(press func()) {
		h.spoil()
		press()
		h.seeNo("spoilt")
		h.see("y approves")
	})
	h.each(keys.Dialog, keys.Zoom, func(press func()) {
		press()
		h.see("mutate  |  model says") // there is room beside it
		press()
		h.seeNo("mutate  |  model says")
		h.see("y approves")
	})
	h.each(keys.Dialog, keys.Inbox, func(press func()) {
		press()
		h.see("┌ 1 waits for your nod", "touch "+made("denied"))
		h.press("Escape")
		h.see("y approves")
	})
	h.each(keys.Dialog, keys.Overview, func(press func()) {
		press()
		h.see("1 target", "? waits for your nod: touch "+made("denied"))
		h.press("Enter")
		h.see("y approves")
	})
	h.each(keys.Dialog, keys.Suspend, func(press func()) { h.stops(press); h.see("y approves") })
	h.each(keys.Dialog, keys.Terminal, func(press func()) {
		press()
		h.see("typing into local")
		h.press("C-]")
		h.seeNo("typing into")
		h.see("y approves")
	})
	h.press("x")
	h.see("x back", "x or Esc: back to what would run")
	h.press("x")
	h.see("y approves")
	h.press("n")
	h.see("✗ denied", "The first is over.", "nothing running")

	asked("interrupted")
	h.each(keys.Dialog, keys.Interrupt, func(press func()) {
		press()
		h.seeNo("APPROVE")
		h.see("interrupted", "nothing running")
	})

	asked("edited")
	h.press("e")
	h.see("what you type goes into the text")
	h.typed("2")
	h.press("Enter")
	h.see("edited2", "y approves")
	h.press("y")
	h.see("The third is over.")

	asked("why")
	h.press("d")
	h.see("Enter takes it")
	h.typed("not on a Sunday")
	h.press("Enter")
	h.see("✗ denied", "not on a Sunday", "The fourth is over.")

	asked("enter")
	h.press("Enter")
	h.see("The fifth is over.")
	asked("escaped")
	h.press("Escape")
	h.see("The sixth is over.")

	asked("again")
	h.press("c")
	h.see("The seventh is over.") // the second one was not asked

	asked("always")
	h.press("a")
	h.see("a writes the rule")
	h.press("a")
	h.see("The eighth is over.")

	h.typed("which?")
	h.press("Enter")
	h.see("Which one?", "this one")
	h.each(keys.Dialog, keys.Help, func(press func()) {
		press()
		h.see("┌ help")
		press()
		h.seeNo("┌ help")
		h.see("Which one?", "a digit chooses")
	})
	h.press("2")
	h.see("The ninth is over.")
	for name, there := range map[string]bool{
		"denied": false, "interrupted": false, "edited": false, "edited2": true, "why": false, "enter": false, "escaped": false, "again": true, "always": true,
	} {
		if _, err := os.Stat(made(name)); (err == nil) != there {
			h.t.Errorf("%s: %v", name, err)
		}
	}
	h.toShell()
}
