package main

import (
	"fmt"
	"strings"

	"github.com/nod-console/nod/ui/keys"
)

// titled is the row of the terminal whose frame has a text in its title, and the
// column in which that frame begins; -1 if there is none.
func titled(text, title string) (row, col int) {
	for y, line := range strings.Split(text, "\n") {
		before, _, found := strings.Cut(line, title)
		if !found {
			continue
		}
		all := []rune(before)
		for x := len(all) - 1; x >= 0; x-- {
			if all[x] == '┌' || all[x] == '╔' {
				return y, x
			}
		}
	}
	return -1, -1
}

// dividingStory is about the sizes and the order of three terminals above each
// other beside the chat.
func dividingStory(h *hand) {
	m := serveModel(h.w.t,
		calls(tool("a", "tmux-create-pane", map[string]any{"pane": "second"}), tool("b", "tmux-create-pane", map[string]any{"pane": "third"})),
		says("They are there."),
	)
	h.w.extra = []string{"NOD_BASE_URL=" + m.URL + "/v1", "NOD_MODEL=scripted"}
	h.opens(120, 40)
	h.typed("make them")
	h.press("Enter")
	approveUntil(h.display, "They are there.")
	h.see("1/3 local · main/shared", "2/3 local · main/second", "3/3 local · main/third", "nothing running")
	// On the second terminal, if on one.
	to := func(place keys.Place) {
		h.t.Helper()
		h.to(place)
		if place == keys.Pane {
			h.press("Tab")
			h.see("reading local · main/second")
		}
	}
	moved := func(what string, down, right int, from string) {
		h.t.Helper()
		was, col := titled(from, "2/3 ")
		h.until(what, func(text string) bool {
			row, x := titled(text, "2/3 ")
			return row == was+down && x == col+right
		})
	}
	begun := h.text()
	again := func() string {
		h.t.Helper()
		h.to(keys.Chat)
		h.press("=")
		moved("have equal parts", 0, 0, begun)
		return begun
	}
	sizes := func(place keys.Place, id keys.ID, what string, down, right int) {
		h.t.Helper()
		h.each(place, id, func(press func()) {
			h.t.Helper()
			from := again()
			to(place)
			press()
			moved(what, down, right, from)
			press()
			moved(what+" twice", 2*down, 2*right, from)
		})
		if place == keys.Chat {
			from := again()
			h.word("/" + string(id)) // which is written in the chat's part
			moved(what, down, right, from)
		}
	}
	sizes(keys.Chat, keys.Wider, "see a wider chat", 0, 4)
	sizes(keys.Chat, keys.Narrower, "see a narrower chat", 0, -4)
	sizes(keys.Pane, keys.Wider, "see a wider terminal", 0, -4)
	sizes(keys.Pane, keys.Narrower, "see a narrower terminal", 0, 4)
	for place, key := range map[keys.Place]string{keys.Chat: ">", keys.Pane: "<"} {
		h.each(place, keys.ResetSizes, func(press func()) {
			from := again()
			to(place)
			h.press(key)
			moved("see a wider chat", 0, 4, from)
			press()
			moved("see it as it was", 0, 0, from)
		})
	}
	from := again()
	h.word("/wider")
	moved("see a wider chat", 0, 4, from)
	h.word("/reset-sizes")
	moved("see it as it was", 0, 0, from)

	above, _ := titled(begun, "2/3 ")
	below, _ := titled(begun, "3/3 ")
	height := below - above
	// The second one grows and shrinks at its lower border.
	heights := func(what string, want int) {
		h.t.Helper()
		h.until(what, func(text string) bool {
			above, _ := titled(text, "2/3 ")
			below, _ := titled(text, "3/3 ")
			return below-above == want
		})
	}
	for id, by := range map[keys.ID]int{keys.Taller: 2, keys.Shorter: -2} {
		h.each(keys.Pane, id, func(press func()) {
			again()
			to(keys.Pane)
			heights("see it as it was", height)
			press()
			heights("see another height", height+by)
			press()
			heights("see yet another height", height+2*by)
		})
		again()
		to(keys.Pane)
		h.word("/" + string(id)) // which means the one that the keyboard was on
		heights("see another height", height+by)
	}

	order := func(names ...string) {
		h.t.Helper()
		var all []string
		for i, name := range names {
			all = append(all, fmt.Sprintf("%d/3 local · main/%s", i+1, name))
		}
		h.see(all...)
	}
	order("shared", "second", "third")
	h.each(keys.Pane, keys.MoveBack, func(press func()) {
		to(keys.Pane)
		press()
		order("second", "shared", "third")
		h.see("reading local · main/second")
		press()
		h.see("it is the first one")
		h.press("}")
		order("shared", "second", "third")
	})
	h.each(keys.Pane, keys.MoveOn, func(press func()) {
		to(keys.Pane)
		press()
		order("shared", "third", "second")
		h.see("reading local · main/second")
		press()
		h.see("it is the last one")
		h.press("{")
		order("shared", "second", "third")
	})
	h.word("/move-on")
	order("shared", "third", "second")
	h.word("/move-back")
	order("shared", "second", "third")
	quit(h.display)
}
