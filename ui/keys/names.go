package keys

// titles are what commands are called in lists: one or two words that somebody would
// look for.
var titles = map[ID]string{
	Help: "Help", Back: "Back", Interrupt: "Interrupt", Quit: "Quit", Redraw: "Redraw", Next: "Next part", Previous: "Previous part",
	Terminal: "Type into the terminal", Zoom: "Zoom", Targets: "Targets", Palette: "Commands", Inbox: "Inbox", Suspend: "Suspend",
	Jump: "Jump to a terminal", Overview: "Overview", Broadcast: "Run on marked targets", TypeInto: "Type into marked targets", Propose: "Propose for marked targets",
	Open: "New terminal", Close: "Close terminal", Rename: "Rename terminal",

	Wider: "Wider", Narrower: "Narrower", Taller: "Taller", Shorter: "Shorter", ResetSizes: "Reset sizes",
	MoveBack: "Move terminal back", MoveOn: "Move terminal on",

	Send: "Send", Newline: "New line", Editor: "Editor", Own: "Own command", Earlier: "Earlier prompt", Later: "Later prompt",
	Recall: "Search prompts", LineStart: "Start of line", LineEnd: "End of line", WordLeft: "Word left", WordRight: "Word right",
	DeleteWord: "Delete word", DeleteBefore: "Delete to start", DeleteAfter: "Delete to end", Complete: "Complete",
	DeleteWordAfter: "Delete word after", Yank: "Put back", UndoEdit: "Undo typing", CharLeft: "Character left", CharRight: "Character right",

	PageUp: "Page up", PageDown: "Page down", Top: "Beginning", Bottom: "End", Select: "Entry above", SelectNext: "Entry below",
	Fold: "Open or close", Copy: "Copy", CopyCode: "Copy code", Find: "Search the chat",

	Up: "Up", Down: "Down", Left: "Left", Right: "Right", Mark: "Select", MarkLines: "Select lines", Link: "Copy link",
	Attach: "Attach by hand", Search: "Search the terminal", SearchNext: "Next match", SearchPrevious: "Previous match",

	Timeline: "Timeline", Closer: "Closer", Farther: "Farther", Whole: "Whole time", Play: "Replay the run",

	Pause: "Pause", Backwards: "Backwards", Forwards: "Forwards", NextCommand: "Next command", PreviousCommand: "Previous command",
	Slower: "Slower", Faster: "Faster", Step: "Step", Replay: "Replay",

	Status: "Status", Approve: "Posture", Theme: "Theme", New: "New conversation", Resume: "Resume", Undo: "Undo",
	History: "Conversations", Fork: "Fork", Memory: "Memory", Model: "Model", Context: "Context", Compact: "Compact",
	Steer: "Steer", Queue: "Queue", Mouse: "Mouse", Tour: "Tour", Export: "Export",
	Servers: "MCP servers", Prompt: "Server's prompt", Plugins: "Plugins",
}

// Name is what the command is called in lists.
func (c Command) Name() string {
	if c.Custom() {
		return c.Slash
	}
	return titles[c.ID]
}
