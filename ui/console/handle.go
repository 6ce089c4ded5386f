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
	if c.coverKey(place, ev, name) {
		return
	}
	if place == keys.Completing {
		if c.offersKey(name) {
			return
		}
		c.closeOffers() // whatever the key means, it finds the input as it is without them
		place = keys.Input
	}
	if place == keys.Input && c.writerKey(name) {
		return
	}
	if cmd, ok := c.opt.Keys.Find(place, name); ok {
		c.press(cmd, name)
		return
	}
	switch place {
	case keys.Input:
		c.input.Key(ev)
	case keys.Typing, keys.Searching:
		c.panes.key(c.focus.pane, ev)
	}
}

// coverKey handles a key where something covers chat, input and terminals, and has the
// keyboard. It reports false if nothing does.
func (c *Console) coverKey(place keys.Place, ev *tcell.EventKey, name string) bool {
	switch place {
	case keys.Overlay, keys.Dialog:
		c.overlayKey(place, ev, name)
	case keys.Tiles:
		c.tilesKey(ev, name)
	case keys.Playing:
		c.playerKey(name)
	case keys.Browsing:
		c.timelineKey(name)
	default:
		return false
	}
	return true
}

// writerKey handles a key of the input that is not in the table of keys, and reports whether
// it was one: the question mark where nothing is written yet, and those of vi.
func (c *Console) writerKey(name string) bool {
	if c.helpsWriter(name) {
		return true
	}
	if c.input.ViRecalls(name) {
		c.recall()
		return true
	}
	return c.input.ViKey(name)
}

// helpsWriter shows the help if nothing is written yet and the key is the one that asks
// for it elsewhere.
func (c *Console) helpsWriter(name string) bool {
	if len(name) != 1 || !c.input.Empty() {
		return false
	}
	cmd, _ := c.opt.Keys.Find(keys.Chat, name)
	if cmd.ID != keys.Help {
		return false
	}
	c.do(cmd)
	return true
}

// press carries out the command of a key.
func (c *Console) press(cmd keys.Command, name string) {
	switch {
	case cmd.ID == keys.Jump:
		c.jump(name[len(name)-1:])
	case cmd.ByWord():
		c.give(cmd)
	default:
		c.do(cmd)
	}
}

// overlayKey handles a key in front of which something stands.
func (c *Console) overlayKey(place keys.Place, ev *tcell.EventKey, name string) {
	cmd, _ := c.opt.Keys.Find(place, name)
	switch {
	case c.doesAnyway(place, cmd):
	case place == keys.Dialog && c.writingAnswer():
		c.dialogKey(ev)
	case place == keys.Dialog && c.doesBeside(cmd):
	case c.help != nil && c.help.Searching():
		c.help.Key(ev)
	case c.help != nil:
		c.helpKey(cmd.ID, name)
	case cmd.ID == keys.Help:
		c.openHelp()
	case c.asking:
		c.questionKey(cmd.ID, name)
	default:
		c.frontKey(ev)
	}
}

// doesAnyway carries out the commands that work whatever stands in front. It reports
// false for another one.
func (c *Console) doesAnyway(place keys.Place, cmd keys.Command) bool {
	switch {
	case cmd.ID == keys.Redraw, cmd.ID == keys.Suspend:
	case cmd.ID == keys.Interrupt && c.turns.busy:
		c.asking = false
	case cmd.ID == keys.Terminal && place == keys.Dialog:
	default:
		return false
	}
	c.do(cmd)
	return true
}

// doesBeside carries out the commands that a dialog has beside its own keys. It reports
// false for another one.
func (c *Console) doesBeside(cmd keys.Command) bool {
	switch cmd.ID {
	case keys.Zoom:
		c.whole = !c.whole
	case keys.Inbox:
		c.openInbox()
	case keys.Overview:
		c.do(cmd)
	default:
		return false
	}
	return true
}

// frontKey gives a key to the list or dialog in front.
func (c *Console) frontKey(ev *tcell.EventKey) {
	switch {
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
