package console

import "github.com/nod-console/nod/ui/keys"

// commands are what the console does for a command of the table of keys.
type commands struct {
	plain  map[keys.ID]func()            // without words behind it: what keys give
	worded map[keys.ID]func(args string) // as it is written
}

// newCommands returns what c does for each command. Those that are not among them are
// about reading, the input or how the screen is divided.
func newCommands(c *Console) commands {
	bare := func(do func()) func(string) { return func(string) { do() } }
	return commands{
		plain: map[keys.ID]func(){
			keys.Help:      c.openHelp,
			keys.Back:      c.back,
			keys.Interrupt: c.interruptKey,
			keys.Quit:      c.quitKey,
			keys.Redraw:    c.redraw,
			keys.Next:      func() { c.move(1) },
			keys.Previous:  func() { c.move(-1) },
			keys.Terminal:  c.toggleTyping,
			keys.Targets:   c.openPicker,
			keys.Suspend:   c.stop,
			keys.Editor:    c.edit,
			keys.Palette:   c.openPalette,
			keys.Inbox:     c.openInbox,
			keys.Overview:  c.openOverview,
			keys.Timeline:  c.toggleTimeline,
			keys.Recall:    c.recall,
			keys.Find:      func() { c.find("") },
			keys.Attach:    c.copyAttach,
			keys.Zoom:      func() { c.focus.zoom = !c.focus.zoom },
			keys.Send:      c.sendOrRead,
		},
		worded: map[keys.ID]func(string){
			keys.Open:    c.openTerminal,
			keys.Close:   c.closeTerminal,
			keys.Rename:  c.renameTerminal,
			keys.Servers: c.servers,
			keys.Prompt:  c.serversPrompt,
			keys.Plugins: c.plugins,
			keys.Status:  bare(c.report),
			keys.Approve: c.posture,
			keys.Replay:  c.replay,
			keys.Targets: c.target,
			keys.Theme:   c.theme,
			keys.New:     bare(c.newConversation),
			keys.Resume:  bare(c.resume),
			keys.Undo:    c.undo,
			keys.History: c.past,
			keys.Fork:    bare(c.fork),
			keys.Memory:  c.memory,
			keys.Model:   c.model,
			keys.Context: bare(c.showContext),
			keys.Compact: bare(c.compact),
			keys.Steer:   c.steer,
			keys.Queue:   c.showQueue,
			keys.Mouse:   c.useMouse,
			keys.Jump:    c.jump,
			keys.Find:    c.find,
			keys.Export:  c.export,
			keys.Tour:    bare(c.beginTour),
		},
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
	if do, ok := c.commands.plain[cmd.ID]; ok {
		do()
		return
	}
	if !c.read(cmd.ID) {
		c.input.Do(cmd.ID)
	}
}

// slash carries out a command that is written.
func (c *Console) slash(text string) {
	cmd, args, err := c.opt.Keys.Parse(text)
	if err != nil {
		c.chat.Fault(err.Error(), "/help lists them all")
		return
	}
	if reason := cmd.Unavailable(c.facts()); reason != "" {
		c.chat.Fault("/"+cmd.Slash+": "+reason, "")
		return
	}
	if cmd.Custom() {
		c.own(cmd.Slash, args)
		return
	}
	if do, ok := c.commands.worded[cmd.ID]; ok {
		do(args)
		return
	}
	c.do(cmd)
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

// redraw draws the whole screen anew.
func (c *Console) redraw() {
	c.draw()
	c.screen.Sync()
}

// sendOrRead sends what is written; in a part for reading, the key of it means what it
// means there.
func (c *Console) sendOrRead() {
	if !c.read(keys.Send) {
		c.send()
	}
}

// target connects to a target, or without a name shows them all.
func (c *Console) target(name string) {
	if name == "" {
		c.openPicker()
		return
	}
	c.useTarget(name)
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
