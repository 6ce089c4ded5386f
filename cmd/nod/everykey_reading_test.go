package main

import (
	"fmt"
	"strings"

	"github.com/nod-console/nod/ui/keys"
)

// many is a text of numbered lines, as a model writes it.
func many(n int) string {
	var b strings.Builder
	b.WriteString("```\n")
	for i := range n {
		fmt.Fprintf(&b, "said-%d\n", i+1)
	}
	return b.String() + "```"
}

// pagesStory is about pages, the beginning and the end, of the chat and of a
// terminal.
func pagesStory(h *hand) {
	const most = 150
	m := serveModel(h.w.t, says(many(most)))
	h.w.extra = []string{"NOD_BASE_URL=" + m.URL + "/v1", "NOD_MODEL=scripted"}
	h.opens(120, 30)
	h.typed("go")
	h.press("Enter")
	h.see(fmt.Sprint("said-", most), "nothing running")
	h.shell(fmt.Sprintf("seq -f ran-%%g %d", most), fmt.Sprint("ran-", most))

	for place, word := range map[keys.Place]string{
		keys.Input: "said", keys.Chat: "said", keys.Pane: "ran", keys.Searching: "ran", keys.Typing: "ran",
	} {
		shows := func(what string, holds func(first, last int) bool) (first, last int) {
			h.t.Helper()
			h.until(what, func(text string) bool { first, last = numbers(text, word); return holds(first, last) })
			return first, last
		}
		end := func() (first, last int) {
			h.t.Helper()
			h.to(place)
			return shows("be at the end", func(_, last int) bool { return last == most })
		}
		h.each(place, keys.PageUp, func(press func()) {
			before, _ := end()
			press()
			above, _ := shows("be a page above", func(first, last int) bool { return first < before-10 && last == before })
			press()
			shows("be two pages above", func(first, last int) bool { return first < above-10 && last == above })
			h.at(place)
		})
		h.each(place, keys.PageDown, func(press func()) {
			end()
			up := "PPage"
			if place == keys.Typing {
				up = "S-PPage"
			}
			h.press(up, up, up)
			_, before := shows("be above", func(first, last int) bool { return last < most-50 && first > 1 })
			press()
			shows("be a page below", func(first, last int) bool { return first == before && last > before+10 })
			h.at(place)
		})
		if place == keys.Typing {
			h.press("S-PPage")
			shows("be above", func(_, last int) bool { return last < most })
			h.typed("u") // what is typed is seen
			h.see("ready$ u")
			h.press("C-u")
			h.see("ready$  ")
			continue
		}
		h.each(place, keys.Top, func(press func()) {
			end()
			press()
			shows("be at the beginning", func(first, _ int) bool { return first == 1 })
			h.at(place)
		})
		h.each(place, keys.Bottom, func(press func()) {
			end()
			h.press("PPage")
			shows("be above", func(_, last int) bool { return last < most })
			press()
			shows("be at the end again", func(_, last int) bool { return last == most })
			h.at(place)
		})
	}
	h.to(keys.Input)
	quit(h.display)
}

// chosen is the first line of the entry that is chosen in the chat.
func chosen(text string) string {
	_, after, _ := strings.Cut(text, "▌")
	line, _, _ := strings.Cut(after, "\n")
	line, _, _ = strings.Cut(line, "│")
	return strings.Join(strings.Fields(line), " ")
}

// chatStory is about the entries of the chat.
func chatStory(h *hand) {
	h.opens(120, 30)
	for _, line := range []string{"!echo one", "!echo two"} {
		h.typed(line)
		h.press("Enter")
		h.see("> "+line, "nothing running")
	}
	h.until("see both", func(text string) bool { return strings.Count(text, " on local ✓ ") == 2 })
	choose := func(what, begins string) {
		h.t.Helper()
		h.until(what, func(text string) bool { return strings.HasPrefix(chosen(text), begins) })
	}
	h.each(keys.Chat, keys.Select, func(press func()) {
		h.to(keys.Chat)
		choose("see the last entry chosen", "echo two")
		press()
		choose("see the one above", "!echo two")
		press()
		choose("see the one above that", "echo one")
	})
	h.each(keys.Chat, keys.SelectNext, func(press func()) {
		h.to(keys.Chat)
		h.press("Up", "Up")
		choose("see another entry chosen", "echo one")
		press()
		choose("see the one below", "!echo two")
		press()
		choose("see the last one", "echo two")
	})
	h.each(keys.Chat, keys.Fold, func(press func()) {
		h.to(keys.Chat)
		press()
		h.see("▾▌echo two", "local · pane %")
		press()
		h.see("echo two")
		h.seeNo("local · pane %")
	})
	h.each(keys.Chat, keys.Copy, func(press func()) {
		h.to(keys.Chat)
		h.press("Up")
		choose("see the prompt chosen", "!echo two")
		h.copies("!echo two", press)
		h.see("copied")
	})
	h.each(keys.Chat, keys.CopyCode, func(press func()) {
		h.to(keys.Chat)
		press()
		h.see("this entry has no block of code")
	})
	h.each(keys.Chat, keys.Find, func(press func()) {
		h.to(keys.Chat)
		press()
		h.see("┌ search the chat", "!echo one")
		h.press("Escape")
		h.at(keys.Chat)
	})
	h.each(keys.Input, keys.Recall, func(press func()) {
		h.to(keys.Input)
		press()
		h.see("┌ your prompts", "!echo one")
		h.press("Escape")
		h.at(keys.Input)
	})
	quit(h.display)
}

// terminalStory is about moving in a terminal that is read, and what can be had of
// it. Under the cursor there is a character that stands nowhere else.
func terminalStory(h *hand) {
	h.opens(120, 30)
	h.shell(`clear; echo abcdefghi jklmn; echo opqrstuvw xyz12`, "║opqrstuvw xyz12")
	h.see("││ready$") // where the cursor then stands
	moving := func(id keys.ID, want string, before ...string) {
		h.t.Helper()
		h.each(keys.Pane, id, func(press func()) {
			h.t.Helper()
			h.to(keys.Pane)
			h.press(before...)
			press()
			h.see("held, Esc returns")
			h.copies(want, func() { h.press("v", "y") })
		})
	}
	moving(keys.Up, "v")
	moving(keys.Up, "h", "Up")
	moving(keys.Down, "v", "Up", "Up")
	moving(keys.Left, "u", "Up")
	moving(keys.Right, "w", "Up")
	moving(keys.WordLeft, "o", "Up")
	moving(keys.WordRight, "x", "Up")
	moving(keys.LineStart, "o", "Up")
	moving(keys.LineEnd, "2", "Up")
	h.each(keys.Pane, keys.Terminal, func(press func()) {
		h.to(keys.Pane)
		press()
		h.at(keys.Typing)
	})
	h.each(keys.Pane, keys.Attach, func(press func()) {
		h.to(keys.Pane)
		h.copies("tmux -L "+h.w.socket+" attach -t '=nod-ops-main'", press)
	})
	h.shell(`clear; printf 'see \e]8;;https://example.org/x\e\\here\e]8;;\e\\ now\n'`, "║see here now")
	h.each(keys.Pane, keys.Link, func(press func()) {
		h.to(keys.Pane)
		h.copies("https://example.org/x", press)
		h.see("copied https://example.org/x")
	})
	quit(h.display)
}

// selectingStory is about selections in a terminal.
func selectingStory(h *hand) {
	h.opens(120, 30)
	h.shell(`clear; echo abcdefghi jklmn; echo opqrstuvw xyz12`, "║opqrstuvw xyz12")
	h.each(keys.Pane, keys.Mark, func(press func()) {
		h.to(keys.Pane)
		h.press("Up", "0")
		press()
		h.press("Right", "Right")
		h.see("selecting 3 characters, y copies", "selecting in local")
		press()
		h.seeNo("selecting")
		press()
		h.press("b")
		h.see("selecting 3 characters") // to the left of where it began
		h.press("Escape")
		h.seeNo("selecting")
	})
	h.each(keys.Pane, keys.MarkLines, func(press func()) {
		h.to(keys.Pane)
		h.press("Up")
		press()
		h.press("Up")
		h.see("selecting 2 lines")
		press()
		h.seeNo("selecting")
	})
	h.each(keys.Pane, keys.Copy, func(press func()) {
		h.to(keys.Pane)
		h.press("y")
		h.see("nothing is selected")
		h.press("Up", "V", "Up")
		h.see("selecting 2 lines")
		h.copies("abcdefghi jklmn\nopqrstuvw xyz12", press)
		h.see("copied 2 lines")
		h.press("v", "w")
		h.copies("hi j", press)
	})
	quit(h.display)
}

// searchingStory is about searching a terminal.
func searchingStory(h *hand) {
	h.opens(120, 30)
	h.shell("clear; seq -f ran-%g 100; echo R''an", "Ran ")
	matches := func(want string) {
		h.t.Helper()
		h.see("match " + want)
	}
	h.each(keys.Pane, keys.Search, func(press func()) {
		h.to(keys.Pane)
		press()
		h.at(keys.Searching)
		h.typed("ran-4")
		matches("11 of 11") // the lowest first
		h.see("ran-49")
		h.press("C-u")
		h.typed("ran-1x")
		h.see("not found")
		h.press("C-u")
		h.typed("ran-1")
		matches("12 of 12") // ran-100 in view
		h.press("C-u")
		h.typed("Ran")
		matches("1 of 1") // capitals count
		h.press("Escape")
		h.at(keys.Pane)
	})
	h.each(keys.Searching, keys.Send, func(press func()) {
		h.to(keys.Searching)
		h.typed("ran-5")
		matches("11 of 11")
		press()
		h.at(keys.Pane)
		matches("11 of 11")
		h.see("ran-59")
	})
	h.each(keys.Pane, keys.SearchNext, func(press func()) {
		h.to(keys.Searching)
		h.typed("ran-5")
		matches("11 of 11")
		h.press("Enter")
		press()
		matches("10 of 11")
		press()
		matches("9 of 11")
	})
	h.each(keys.Pane, keys.SearchPrevious, func(press func()) {
		h.to(keys.Searching)
		h.typed("ran-5")
		h.press("Enter", "n", "n")
		matches("9 of 11")
		press()
		matches("10 of 11")
		press()
		matches("11 of 11")
		press()
		matches("1 of 11, wrapped to the top")
		h.press("n")
		matches("11 of 11, wrapped to the end")
	})
	h.each(keys.Searching, keys.DeleteWord, func(press func()) {
		h.to(keys.Searching)
		h.typed("ran  some")
		h.see("/ran  some")
		press()
		h.see("/ran ")
		h.seeNo("/ran  some")
		h.at(keys.Searching)
	})
	h.each(keys.Searching, keys.DeleteBefore, func(press func()) {
		h.to(keys.Searching)
		h.typed("two words")
		h.see("/two words")
		press()
		h.seeNo("/two")
		h.at(keys.Searching)
	})
	h.to(keys.Input)
	quit(h.display)
}
