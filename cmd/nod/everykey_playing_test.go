package main

import (
	"fmt"
	"strings"

	"github.com/nod-console/nod/ui/keys"
)

// playingStory is about a recording of half a minute with three commands.
func playingStory(h *hand) {
	var cast strings.Builder
	cast.WriteString(`{"version":2,"width":60,"height":10}` + "\n")
	for i := range 3 {
		fmt.Fprintf(&cast, "[%d,\"m\",\"run: step %d\"]\n", 4+10*i, i)
		fmt.Fprintf(&cast, "[%d,\"o\",\"played-%d\\r\\n\"]\n", 6+10*i, i)
		fmt.Fprintf(&cast, "[%d,\"m\",\"exited 0: step %d\"]\n", 7+10*i, i)
	}
	cast.WriteString("[30,\"o\",\"the end\"]\n")
	path := h.w.write("half.cast", cast.String(), 0o600)
	h.opens(120, 30)
	// At a second of the recording, where it stands still.
	still := func(at string) {
		h.t.Helper()
		h.see("‖ " + at + " / 30.0")
	}
	plays := func() {
		h.t.Helper()
		h.word("/replay " + path)
		h.see("Space pause")
		h.press("G")
		still("30.0")
	}
	plays()
	h.each(keys.Playing, keys.Pause, func(press func()) {
		press() // at the end: from the beginning
		h.see("▶ ")
		press()
		h.see("‖ ")
		h.press("G")
		still("30.0")
	})
	h.each(keys.Playing, keys.Top, func(press func()) { press(); still("0.0"); h.seeNo("played-0") })
	h.each(keys.Playing, keys.Bottom, func(press func()) { h.press("g"); still("0.0"); press(); still("30.0"); h.see("the end") })
	h.each(keys.Playing, keys.Backwards, func(press func()) {
		h.press("G")
		still("30.0")
		press()
		still("25.0")
		press()
		still("20.0")
		h.seeNo("played-2")
	})
	h.each(keys.Playing, keys.Forwards, func(press func()) {
		h.press("g")
		still("0.0")
		press()
		still("5.0")
		press()
		still("10.0")
		h.see("played-0")
	})
	h.each(keys.Playing, keys.NextCommand, func(press func()) {
		h.press("g")
		still("0.0")
		press()
		still("4.0")
		h.see("runs: step 0")
		press()
		still("14.0")
		h.see("runs: step 1")
	})
	h.each(keys.Playing, keys.PreviousCommand, func(press func()) {
		h.press("G")
		still("30.0")
		press()
		still("24.0")
		press()
		still("14.0")
		h.see("runs: step 1")
	})
	h.each(keys.Playing, keys.Faster, func(press func()) {
		press()
		h.see(" ×2 ")
		press()
		h.see(" ×4 ")
		h.press("-", "-")
		h.seeNo(" ×")
	})
	h.each(keys.Playing, keys.Slower, func(press func()) {
		press()
		h.see(" ×0.5 ")
		press()
		h.see(" ×0.25 ")
		h.press("+", "+")
		h.seeNo(" ×")
	})
	h.each(keys.Playing, keys.Step, func(press func()) {
		h.press("g")
		still("0.0")
		press()
		still("4.0")
		press()
		still("6.0")
		h.see("played-0")
	})
	h.each(keys.Playing, keys.Redraw, func(press func()) {
		h.spoil()
		press()
		h.seeNo("spoilt")
		h.see("Space pause")
	})
	h.each(keys.Playing, keys.Back, func(press func()) {
		if !strings.Contains(h.text(), "Space pause") {
			plays()
		}
		press()
		h.seeNo("Space pause")
		h.at(keys.Input)
	})
	quit(h.display)
}
