package console

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"
	"github.com/rivo/uniseg"

	"github.com/nod-console/nod/ui/help"
	"github.com/nod-console/nod/ui/keys"
)

// key handles a key where the keyboard is.
func (c *Console) key(ev *tcell.EventKey) {
	name := keys.Name(ev)
	place := c.place()
	if name == "Alt-Esc" && place != keys.Typing { // two that came at once, as over a slow link
		for range 2 {
			c.key(tcell.NewEventKey(tcell.KeyEscape, 0, tcell.ModNone))
		}
		return
	}
	if place == keys.Overlay || place == keys.Dialog {
		c.overlayKey(place, ev, name)
		return
	}
	if place == keys.Tiles {
		c.tilesKey(ev, name)
		return
	}
	if place == keys.Playing {
		c.playerKey(name)
		return
	}
	if place == keys.Browsing {
		c.timelineKey(name)
		return
	}
	if place == keys.Completing {
		if c.offersKey(name) {
			return
		}
		c.closeOffers() // whatever the key means, it finds the input as it is without them
		place = keys.Input
	}
	if place == keys.Input && len(name) == 1 && c.input.Empty() {
		// Nothing is written yet: what asks for help elsewhere does it here, too.
		if cmd, _ := c.opt.Keys.Find(keys.Chat, name); cmd.ID == keys.Help {
			c.do(cmd)
			return
		}
	}
	if place == keys.Input && c.input.ViRecalls(name) {
		c.recall()
		return
	}
	if place == keys.Input && c.input.ViKey(name) {
		return
	}
	if cmd, ok := c.opt.Keys.Find(place, name); ok {
		if cmd.ID == keys.Jump {
			c.jump(name[len(name)-1:])
			return
		}
		if cmd.ByWord() {
			c.give(cmd)
		} else {
			c.do(cmd)
		}
		return
	}
	switch place {
	case keys.Input:
		c.input.Key(ev)
	case keys.Typing, keys.Searching:
		c.panes.key(c.focus.pane, ev)
	}
}

// overlayKey handles a key in front of which something stands.
func (c *Console) overlayKey(place keys.Place, ev *tcell.EventKey, name string) {
	cmd, _ := c.opt.Keys.Find(place, name)
	switch {
	case cmd.ID == keys.Redraw, cmd.ID == keys.Suspend:
		c.do(cmd)
	case cmd.ID == keys.Interrupt && c.turns.busy:
		c.asking = false
		c.do(cmd)
	case cmd.ID == keys.Terminal && place == keys.Dialog:
		c.do(cmd)
	case place == keys.Dialog && c.writingAnswer():
		c.dialogKey(ev)
	case cmd.ID == keys.Zoom && place == keys.Dialog:
		c.whole = !c.whole
	case cmd.ID == keys.Inbox && place == keys.Dialog:
		c.openInbox()
	case cmd.ID == keys.Overview && place == keys.Dialog:
		c.do(cmd)
	case c.help != nil && c.help.Searching():
		c.help.Key(ev)
	case c.help != nil:
		c.helpKey(cmd.ID, name)
	case cmd.ID == keys.Help:
		c.openHelp()
	case c.asking:
		c.questionKey(cmd.ID, name)
	case c.questions.visible():
		c.dialogKey(ev)
	case c.picker != nil:
		c.pickerKey(ev)
	case c.list != nil:
		c.listKey(ev)
	default:
		c.dialogKey(ev)
	}
}

// questionKey answers whether to quit although something runs.
func (c *Console) questionKey(id keys.ID, name string) {
	switch {
	case name == "y":
		c.quit = true
	case name == "n", id == keys.Back:
		c.asking = false
		c.rearm()
	}
}

// openHelp shows the help, what means something here first.
func (c *Console) openHelp() { c.help = &help.Overlay{Keys: c.opt.Keys, Here: c.place()} }

func (c *Console) helpKey(id keys.ID, name string) {
	switch {
	case name == "/":
		c.help.Search()
	case id == keys.Back && c.help.Clear():
	case id == keys.Back, id == keys.Help, name == "?", name == "q":
		c.help = nil
		c.rearm()
	case id == keys.PageUp, name == "Ctrl-B", name == "Ctrl-U":
		c.help.Page(-1)
	case id == keys.PageDown, name == " ", name == "Ctrl-F", name == "Ctrl-D":
		c.help.Page(1)
	case name == "Up", name == "k":
		c.help.Scroll(-1)
	case name == "Down", name == "j":
		c.help.Scroll(1)
	case name == "Home", name == "g":
		c.help.Ends(-1)
	case name == "End", name == "G":
		c.help.Ends(1)
	}
}

// do carries out a command.
func (c *Console) do(cmd keys.Command) {
	if reason := cmd.Unavailable(c.facts()); reason != "" && cmd.ID != keys.Interrupt {
		c.astray.asked = c.astray.asked || cmd.ID == keys.Terminal
		c.refuse(cmd, reason)
		return
	}
	if cmd.Custom() {
		c.give(cmd)
		return
	}
	if divides(cmd.ID) {
		c.divide(cmd)
		return
	}
	switch cmd.ID {
	case keys.Help:
		c.openHelp()
	case keys.Back:
		c.back()
	case keys.Interrupt:
		c.interruptKey()
	case keys.Quit:
		c.quitKey()
	case keys.Redraw:
		c.draw()
		c.screen.Sync()
	case keys.Next:
		c.move(1)
	case keys.Previous:
		c.move(-1)
	case keys.Terminal:
		c.toggleTyping()
	case keys.Targets:
		c.openPicker()
	case keys.Suspend:
		c.stop()
	case keys.Editor:
		c.edit()
	case keys.Palette:
		c.openPalette()
	case keys.Inbox:
		c.openInbox()
	case keys.Overview:
		c.openOverview()
	case keys.Timeline:
		c.toggleTimeline()
	case keys.Recall:
		c.recall()
	case keys.Find:
		c.find("")
	case keys.Attach:
		c.copyAttach()
	case keys.Zoom:
		c.focus.zoom = !c.focus.zoom
	case keys.Send:
		if !c.read(cmd.ID) {
			c.send()
		}
	default:
		if !c.read(cmd.ID) {
			c.input.Do(cmd.ID)
		}
	}
}

// read carries out the commands for reading, in the chat or in a pane.
func (c *Console) read(id keys.ID) bool {
	if c.focus.place == keys.Pane && c.panes.read(c.focus.pane, id) {
		return true
	}
	switch id {
	case keys.PageUp:
		c.chat.Page(-1)
	case keys.PageDown:
		c.chat.Page(1)
	case keys.Top:
		c.chat.Top()
	case keys.Bottom:
		c.chat.Bottom()
	case keys.Select:
		c.chat.Select(-1)
	case keys.SelectNext:
		c.chat.Select(1)
	case keys.Fold:
		c.chat.Fold()
	case keys.Copy:
		c.copy(c.chat.Raw())
	case keys.CopyCode:
		c.copyCode()
	default:
		return false
	}
	return true
}

// copy puts text on the clipboard.
func (c *Console) copy(text string) {
	if text == "" {
		return
	}
	if err := c.screen.Copy(text); err != nil {
		c.chat.Fault("copy: "+err.Error(), "")
		return
	}
	c.told = "copied " + amount(text)
}

// amount says how much text is, in lines or, of a single one, in characters.
func amount(text string) string {
	if n := strings.Count(strings.TrimRight(text, "\n"), "\n") + 1; n > 1 {
		return fmt.Sprintf("%d lines", n)
	}
	return fmt.Sprintf("%d characters", uniseg.GraphemeClusterCount(text))
}

// copyAttach copies the command by which the operator gets at the pane by hand.
func (c *Console) copyAttach() {
	p := c.panes.at(c.focus.pane)
	switch {
	case p == nil:
	case p.pane.Attach == nil:
		p.view.Say("there is no way to get at it by hand")
	default:
		c.copy(p.pane.Attach())
	}
}

// refuse says where the operator looks why a command cannot be used.
func (c *Console) refuse(cmd keys.Command, reason string) {
	if c.focus.place != keys.Pane {
		reason = cmd.Name() + ": " + reason
	}
	c.say(reason)
}

// say says something where the operator looks: on the frame of the terminal that has
// the keyboard, else in the chat.
func (c *Console) say(text string) {
	if p := c.panes.at(c.focus.pane); p != nil && c.focus.place == keys.Pane {
		p.view.Say(text)
		return
	}
	c.chat.Notice(text)
}

// back backs out one level.
func (c *Console) back() {
	on := c.panes.at(c.focus.pane)
	switch {
	case c.focus.place == keys.Pane && on != nil && on.view.Back():
	case c.focus.zoom:
		c.focus.zoom = false
	case c.focus.place != keys.Input:
		c.chat.Unselect()
		c.focus = focus{place: keys.Input, pane: c.focus.pane}
	default:
		c.chat.Bottom()
	}
}

// interruptKey interrupts the turn; without one, what is written is put aside,
// as shells do, where the keyboard is there.
func (c *Console) interruptKey() {
	switch {
	case c.turns.busy:
		c.interrupt()
	case c.focus.place == keys.Input && !c.input.Empty():
		c.astray = astray{}
		c.input.Take()
	default:
		c.say("nothing is running; " + c.waysOut() + " quits")
	}
}

// waysOut are how the operator quits, in words.
func (c *Console) waysOut() string {
	if key := c.opt.Keys.Say(keys.Input, keys.Quit); key != "" {
		return "/quit or " + key
	}
	return "/quit"
}

// quitKey quits, or asks if something is running.
func (c *Console) quitKey() {
	switch {
	case c.focus.place == keys.Input && !c.input.Empty(): // as in a shell
		c.input.Key(tcell.NewEventKey(tcell.KeyDelete, 0, tcell.ModNone))
	case !c.input.Empty():
	case c.turns.busy, c.chat.Running() > 0, len(c.reverts) > 0:
		c.asking = true
	default:
		c.quit = true
	}
}

// move goes to another part of the screen: input, chat, each pane.
func (c *Console) move(step int) {
	n := 2 + len(c.panes.all)
	at := 0
	switch c.focus.place {
	case keys.Chat:
		at = 1
	case keys.Pane:
		at = 2 + c.focus.pane
	}
	at = (at + step + n) % n
	c.chat.Unselect()
	f := focus{place: keys.Input, pane: c.focus.pane, zoom: c.focus.zoom}
	switch {
	case at == 1:
		f.place = keys.Chat
		c.chat.Select(0)
	case at > 1:
		f.place, f.pane = keys.Pane, at-2
	}
	c.focus = f
}

// toggleTyping sends keys to the pane, or back to the input.
func (c *Console) toggleTyping() {
	if c.focus.typing {
		c.focus = focus{place: keys.Input, pane: c.focus.pane, zoom: c.focus.zoom}
		c.rearm()
		return
	}
	p := c.panes.at(c.focus.pane)
	if p == nil {
		c.focus.pane = 0
		p = c.panes.at(0)
	}
	if p.pane.Type == nil {
		c.astray.asked = true
		c.chat.Notice(p.pane.Title + " is for reading only")
		p.view.Say(p.pane.Title + " is for reading only")
		return
	}
	c.astray = astray{}
	c.chat.Unselect()
	c.focus.place, c.focus.typing = keys.Pane, true
}

// removePane ends a pane. The keyboard stays with the pane that it is on, and
// goes back to the input if that is the one.
func (c *Console) removePane(id string) {
	on := c.panes.at(c.focus.pane)
	c.panes.remove(id)
	c.focus.pane = max(slices.Index(c.panes.all, on), 0)
	if c.focus.place == keys.Pane && (on == nil || on.pane.ID == id) {
		c.focus = focus{place: keys.Input}
	}
}

// send sends what is written, or carries it out.
func (c *Console) send() {
	text := c.input.Text()
	switch {
	case keys.IsCommand(text):
		c.input.Take()
		c.slash(text)
	case blank(text):
	case c.astray.hold(text):
		c.chat.Notice("nothing was sent: it may have been typed for the terminal, which could not be typed into; " +
			c.opt.Keys.Say(keys.Input, keys.Send) + " again sends it")
	default:
		c.submit(c.input.Take())
	}
}

// astray keeps a line from being sent as a prompt that was typed for a terminal which
// could not be typed into: whoever types ahead does not see that in time.
type astray struct {
	asked bool   // for the terminal, in vain, and nothing was sent since
	told  string // the line of which the operator was told
}

// hold reports whether a line is not to be sent yet. The operator sends it by the same
// key once more, with nothing typed in between.
func (a *astray) hold(line string) bool {
	if !a.asked || line == a.told {
		*a = astray{}
		return false
	}
	a.told = line
	return true
}

func blank(text string) bool {
	for _, r := range text {
		if r != ' ' && r != '\n' && r != '\t' {
			return false
		}
	}
	return true
}

// pasted puts a paste where the keyboard is. A dialog takes none.
func (c *Console) pasted(text string) {
	switch c.place() {
	case keys.Overlay:
		if c.picker != nil && c.help == nil && !c.asking {
			c.picker.Insert(text)
		}
		if c.list != nil && c.help == nil && !c.asking {
			c.listEvent(c.list.Insert(text))
		}
	case keys.Dialog:
		if d := c.asked(); d != nil {
			d.PasteHandler()(text, func(tview.Primitive) {})
		}
	case keys.Tiles:
		c.fleet.Insert(text)
	case keys.Typing, keys.Searching:
		c.panes.paste(c.focus.pane, text)
	default:
		c.focus.place, c.focus.typing = keys.Input, false
		c.input.Insert(text)
	}
	c.dirty = true
}
