package console

import (
	"context"
	"slices"
	"strings"

	"github.com/nod-console/nod/themes"
	"github.com/nod-console/nod/ui/completion"
	"github.com/nod-console/nod/ui/keys"
)

// offers are what a word in the input could become, and the search that may bring
// more of it.
type offers struct {
	menu   completion.Menu
	cancel context.CancelFunc // of the search; nil if there is none
}

// candidates are what a search for files has found.
type candidates struct {
	word  completion.Word
	found completion.Found
}

func (l candidates) arrive(c *Console) { c.found(l) }

// offer opens, changes or closes the menu after an event.
func (c *Console) offer() {
	if p := c.place(); p != keys.Input && p != keys.Completing {
		c.closeOffers()
		return
	}
	before, row, only := c.input.Before()
	w, ok := completion.At(before, row, only)
	if !ok || c.input.Begins("!") { // a shell's word means what the shell says
		c.closeOffers()
		c.offers.menu.Forget()
		return
	}
	if !c.offers.menu.Begin(w) {
		return
	}
	c.stopSearch()
	files := w.Kind == completion.Name && c.opt.Files != nil
	c.offers.menu.Set(c.known(w), files)
	if files {
		c.searchFiles(w)
	}
}

func (c *Console) closeOffers() {
	c.stopSearch()
	c.offers.menu.Close()
}

func (c *Console) stopSearch() {
	if c.offers.cancel != nil {
		c.offers.cancel()
		c.offers.cancel = nil
	}
}

// searchFiles finds files beside the pump: a disk may take its time.
func (c *Console) searchFiles(w completion.Word) {
	ctx, cancel := context.WithCancel(c.ctx)
	c.offers.cancel = cancel
	c.spawn(func() {
		found, err := c.opt.Files(ctx, w.Text, w.Quoted)
		if ctx.Err() != nil { // whoever wants to know it has asked anew
			return
		}
		if err != nil {
			found.Note = err.Error()
		}
		c.mail.put(candidates{w, found})
	})
}

// found shows what a search has found.
func (c *Console) found(l candidates) {
	if c.offers.menu.Add(l.word, l.found) {
		c.takeOffer()
	}
}

// known are the candidates that need no search.
func (c *Console) known(w completion.Word) (f completion.Found) {
	add := func(text, note, put string, more bool) {
		if strings.HasPrefix(text, w.Text) {
			f.All = append(f.All, completion.Candidate{Text: text, Note: note, Put: put, More: more})
		}
	}
	switch w.Kind {
	case completion.Command:
		for _, cmd := range c.opt.Keys.All() {
			if cmd.Slash == "" {
				continue
			}
			note := cmd.Text
			if reason := cmd.Unavailable(c.facts()); reason != "" {
				note = "(" + reason + ") " + note
			}
			add(cmd.Slash, note, "/"+cmd.Slash, false)
		}
		slices.SortFunc(f.All, func(a, b completion.Candidate) int { return strings.Compare(a.Text, b.Text) })
	case completion.Argument:
		for _, a := range c.arguments(w.Of) {
			add(a, "", a, false)
		}
	case completion.Name:
		for _, t := range c.targetNames() {
			at := t[strings.IndexByte(t, ':')+1:]
			if strings.HasPrefix(t, w.Text) || strings.HasPrefix(at, w.Text) {
				f.All = append(f.All, completion.Candidate{Text: t, Note: "target", Put: t})
			}
		}
	}
	return f
}

// arguments are what a command can be told, where that is one of a few words.
func (c *Console) arguments(word string) []string {
	cmd, _, err := c.opt.Keys.Parse("/" + word)
	switch {
	case err != nil:
		return nil
	case cmd.ID == keys.Theme:
		return themes.Names()
	case cmd.ID == keys.Targets, cmd.ID == keys.Open:
		return c.targetNames()
	case cmd.ID == keys.Jump, cmd.ID == keys.Close:
		return c.panes.names()
	case cmd.Custom() && c.opt.Own != nil:
		return c.opt.Own.Values(cmd.Slash, 0)
	case cmd.ID == keys.Servers && c.opt.Servers != nil:
		return append([]string{"accept"}, c.opt.Servers.Names()...)
	case cmd.ID == keys.Prompt && c.opt.Servers != nil:
		return c.opt.Servers.Names()
	case strings.Contains(cmd.Args, "|"):
		return strings.Split(strings.Trim(cmd.Args, "[]"), "|")
	}
	return nil
}

func (c *Console) targetNames() (names []string) {
	if c.opt.Targets != nil {
		for _, t := range c.opt.Targets.List() {
			names = append(names, t.Name)
		}
	}
	return names
}

// offersKey takes a key for the menu; it reports whether it was one.
func (c *Console) offersKey(name string) bool {
	cmd, ok := c.opt.Keys.Find(keys.Completing, name)
	if !ok {
		cmd, _ = c.opt.Keys.Find(keys.Input, name)
		if cmd.ID != keys.Send || !c.offers.menu.Chosen() {
			return false
		}
		cmd.ID = keys.Complete
	}
	switch cmd.ID {
	case keys.Complete:
		c.takeOffer()
	case keys.Select:
		c.offers.menu.Move(-1)
	case keys.SelectNext:
		c.offers.menu.Move(1)
	case keys.Back:
		c.stopSearch()
		c.offers.menu.Dismiss()
	default:
		return false
	}
	return true
}

// takeOffer puts the marked candidate in the place of the word.
func (c *Console) takeOffer() {
	candidate, w, ok := c.offers.menu.Take()
	if !ok {
		return
	}
	text := candidate.Put
	if !candidate.More {
		text += " "
	}
	c.input.Replace(w.Start, text)
	c.offer()
}

// drawOffers draws the menu above the input.
func (c *Console) drawOffers(modal bool) {
	if modal || c.focus.place != keys.Input {
		return
	}
	l := &c.layout
	bottom := l.input.y
	c.offers.menu.Draw(c.screen, l.input.x, bottom, l.input.w, l.input.y-l.chat.y, &c.styles)
}
