package main

import (
	"fmt"
	"strings"

	"github.com/nod-console/nod/ui/keys"
)

// writingStory is about the line that is written in.
func writingStory(h *hand) {
	h.w.extra = []string{`VISUAL=sed -i s/raw/cooked/`}
	h.opens(100, 30)
	// written tells a story that begins with a text in the input, and has it empty
	// in the end.
	written := func(id keys.ID, text string, wanted ...string) {
		h.t.Helper()
		h.each(keys.Input, id, func(press func()) {
			h.t.Helper()
			h.typed(text)
			press()
			h.typed("|") // where the cursor is
			h.see(wanted...)
			h.press("C-c")
			h.see("> ask for something")
		})
	}
	written(keys.Newline, "one", "> one ", "  |")
	written(keys.LineStart, "one two", "> |one two")
	written(keys.WordLeft, "one two", "> one |two")
	written(keys.DeleteWord, "one two", "> one |")
	written(keys.DeleteBefore, "one two", "> |")
	written(keys.CharLeft, "one two", "> one tw|o")
	written(keys.UndoEdit, "one two", "> |")
	h.each(keys.Input, keys.Editor, func(press func()) {
		h.typed("raw text")
		press()
		h.see("> cooked text") // until then, keys are the editor's
		h.typed("|")
		h.see("> cooked text|")
		h.press("C-c")
		h.see("> ask for something")
	})
	// These begin in the middle.
	middle := func(id keys.ID, wanted string) {
		h.t.Helper()
		h.each(keys.Input, id, func(press func()) {
			h.t.Helper()
			h.typed("one two three")
			h.press("M-b", "M-b")
			press()
			h.typed("|")
			h.see(wanted)
			h.press("C-c")
			h.see("> ask for something")
		})
	}
	middle(keys.LineEnd, "> one two three|")
	middle(keys.WordRight, "> one two| three")
	middle(keys.DeleteAfter, "> one | ")
	middle(keys.DeleteWordAfter, "> one | three")
	middle(keys.CharRight, "> one t|wo three")
	h.each(keys.Input, keys.Yank, func(press func()) {
		h.typed("one two")
		h.press("C-w")
		h.see("> one ")
		press()
		h.typed("|")
		h.see("> one two|")
		h.press("C-c")
		h.see("> ask for something")
	})
	middle(keys.DeleteBefore, "> |two three")
	// Without a turn, what is written is put aside.
	h.each(keys.Input, keys.Interrupt, func(press func()) {
		h.typed("aside")
		h.see("> aside")
		press()
		h.see("> ask for something")
	})
	quit(h.display)
}

// promptsStory is about sending, and what was sent before.
func promptsStory(h *hand) {
	h.opens(100, 30)
	h.each(keys.Input, keys.Send, func(press func()) {
		h.typed("!echo mi''ne")
		press()
		h.see("> !echo mi''ne", "│mine", "✓ ", "nothing running")
		h.tried.note(string(keys.Own))
	})
	recall := func(id keys.ID, before []string, wanted ...string) {
		h.t.Helper()
		h.each(keys.Input, id, func(press func()) {
			h.t.Helper()
			h.typed("above")
			h.press("M-Enter")
			h.typed("below")
			h.see("> above", "  below")
			h.press(before...)
			press()
			h.typed("|")
			h.see(wanted...)
			h.press("C-c")
			h.see("> ask for something")
		})
	}
	recall(keys.Earlier, nil, "> above|", "  below")
	recall(keys.Later, []string{"Up"}, "> above", "  below|")
	n := 0
	h.each(keys.Input, keys.Earlier, func(press func()) {
		n++
		h.typed(fmt.Sprint("aside ", n))
		h.press("C-c")
		h.see("> ask for something")
		h.typed("draft")
		press()
		h.see(fmt.Sprint("> aside ", n))
		h.press("C-c")
		h.see("> ask for something")
	})
	h.each(keys.Input, keys.Later, func(press func()) {
		n++
		h.typed(fmt.Sprint("draft ", n))
		h.press("Up", "Up")
		h.seeNo("> draft")
		press()
		press()
		h.see(fmt.Sprint("> draft ", n))
		h.press("C-c")
		h.see("> ask for something")
	})
	quit(h.display)
}

// completingStory is about candidates.
func completingStory(h *hand) {
	h.opens(100, 30)
	h.each(keys.Completing, keys.SelectNext, func(press func()) {
		h.typed("/mo")
		h.see("› model")
		press()
		h.see("› mouse")
	})
	h.each(keys.Completing, keys.Select, func(press func()) {
		press()
		h.see("› model")
	})
	h.press("Enter") // marked, so it is put in
	h.see("> /model ")
	h.press("C-u")
	h.each(keys.Completing, keys.Complete, func(press func()) {
		h.typed("/mo")
		h.see("› model")
		press()
		h.see("> /model ")
		h.press("C-u")
	})
	h.each(keys.Completing, keys.Back, func(press func()) {
		h.typed("/mo")
		h.see("› model")
		press()
		h.seeNo("› model")
		h.see("> /mo ")
		h.press("C-u")
	})
	h.see("> ask for something")
	if text := h.text(); strings.Contains(text, "told to the model") {
		h.t.Errorf("it was sent:\n%s", text)
	}
	quit(h.display)
}
