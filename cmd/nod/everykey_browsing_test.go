package main

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/nod-console/nod/ui/keys"
)

// browsingStory is about the timeline of three runs, and about terminals of one's own.
func browsingStory(h *hand) {
	h.opens(120, 30)
	for _, c := range [][2]string{{"echo o''ne", "││one "}, {"false", "✗ exit 1"}, {"echo thr''ee", "││three "}} {
		h.typed("!" + c[0])
		h.press("Enter")
		h.see(c[1])
	}
	h.see("nothing running")
	at := func(n int) { h.t.Helper(); h.see(fmt.Sprintf("┌ timeline · %d of 3", n)) }
	cursor := regexp.MustCompile(`timeline · \d of 3`)
	moves := func(press func()) {
		h.t.Helper()
		before := cursor.FindString(h.text())
		press()
		h.until("see the cursor elsewhere", func(text string) bool {
			now := cursor.FindString(text)
			return now != "" && now != before
		})
	}
	h.word("/timeline")
	at(3)
	h.each(keys.Browsing, keys.Top, func(press func()) { h.press("G"); at(3); press(); at(1) })
	h.each(keys.Browsing, keys.Bottom, func(press func()) { h.press("g"); at(1); press(); at(3) })
	h.each(keys.Browsing, keys.Left, func(press func()) { h.press("G"); at(3); press(); at(2) })
	h.each(keys.Browsing, keys.Right, func(press func()) { h.press("g"); at(1); press(); at(2) })
	h.each(keys.Browsing, keys.PageUp, func(press func()) { h.press("G"); at(3); press(); at(1) })
	h.each(keys.Browsing, keys.PageDown, func(press func()) { h.press("g"); at(1); press(); at(3) })
	h.each(keys.Browsing, keys.Down, func(press func()) { h.press("g"); at(1); moves(press) })
	h.each(keys.Browsing, keys.Up, func(press func()) {
		h.press("g")
		at(1)
		moves(func() { h.press("j") })
		moves(press)
	})
	h.each(keys.Browsing, keys.Closer, func(press func()) {
		h.press("0")
		h.seeNo(" · ×")
		press()
		h.see("of 3 · ×2")
		press()
		h.see("of 3 · ×4")
	})
	h.each(keys.Browsing, keys.Farther, func(press func()) { h.press("0", "+", "+"); h.see("of 3 · ×4"); press(); h.see("of 3 · ×2") })
	h.each(keys.Browsing, keys.Whole, func(press func()) { h.press("+"); h.see("of 3 · ×"); press(); h.seeNo(" · ×") })
	h.each(keys.Browsing, keys.Play, func(press func()) {
		press()
		h.see("Space pause")
		h.press("q")
		h.seeNo("Space pause")
		h.see("┌ timeline")
	})
	h.each(keys.Browsing, keys.Redraw, func(press func()) {
		h.spoil()
		press()
		h.seeNo("spoilt")
		h.see("┌ timeline")
	})
	h.each(keys.Browsing, keys.Help, func(press func()) {
		press()
		h.see("┌ help")
		h.press("F1")
		h.seeNo("┌ help")
		h.see("┌ timeline")
	})
	h.each(keys.Browsing, keys.Overview, func(press func()) {
		press()
		h.see("1 target")
		h.press("F3")
		h.see("┌ timeline")
	})
	for _, id := range []keys.ID{keys.Back, keys.Timeline} {
		h.each(keys.Browsing, id, func(press func()) {
			if !strings.Contains(h.text(), "┌ timeline") {
				h.press("F3")
				h.see("┌ timeline")
			}
			press()
			h.press("F12") // or what comes next would be another key
			h.at(keys.Input)
		})
	}
	h.word("/open")
	h.see("2/2 local · main/term-2", "reading local · main/term-2")
	h.word("/rename build")
	h.see("2/2 local · main/build")
	h.word("/close build")
	h.see("the pane main/build has ended")
	quit(h.display)
}
