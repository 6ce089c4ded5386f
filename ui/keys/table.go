package keys

// ID names a command.
type ID string

// The commands.
const (
	Help      ID = "help"
	Back      ID = "back"
	Interrupt ID = "interrupt"
	Quit      ID = "quit"
	Redraw    ID = "redraw"
	Next      ID = "next"
	Previous  ID = "previous"
	Terminal  ID = "terminal"
	Zoom      ID = "zoom"
	Targets   ID = "targets"
	Palette   ID = "palette"
	Inbox     ID = "inbox"
	Overview  ID = "overview"
	Jump      ID = "jump"
	Suspend   ID = "suspend"

	Open   ID = "open"
	Close  ID = "close"
	Rename ID = "rename"

	Timeline ID = "timeline"
	Closer   ID = "closer"
	Farther  ID = "farther"
	Whole    ID = "whole"
	Play     ID = "play"

	Wider      ID = "wider"
	Narrower   ID = "narrower"
	Taller     ID = "taller"
	Shorter    ID = "shorter"
	ResetSizes ID = "reset-sizes"
	MoveBack   ID = "move-back"
	MoveOn     ID = "move-on"

	Send         ID = "send"
	Newline      ID = "newline"
	Editor       ID = "editor"
	Own          ID = "own"
	Earlier      ID = "earlier"
	Later        ID = "later"
	Recall       ID = "recall"
	LineStart    ID = "line-start"
	LineEnd      ID = "line-end"
	WordLeft     ID = "word-left"
	WordRight    ID = "word-right"
	DeleteWord   ID = "delete-word"
	DeleteBefore ID = "delete-before"
	DeleteAfter  ID = "delete-after"

	CharLeft        ID = "char-left"
	CharRight       ID = "char-right"
	DeleteWordAfter ID = "delete-word-after"
	Yank            ID = "yank"
	UndoEdit        ID = "undo-edit"
	Complete        ID = "complete"

	PageUp   ID = "page-up"
	PageDown ID = "page-down"
	Top      ID = "top"
	Bottom   ID = "bottom"

	Select     ID = "select"
	SelectNext ID = "select-next"
	Fold       ID = "fold"
	Copy       ID = "copy"
	CopyCode   ID = "copy-code"
	Find       ID = "find"

	Up             ID = "up"
	Down           ID = "down"
	Left           ID = "left"
	Right          ID = "right"
	Mark           ID = "mark"
	MarkLines      ID = "mark-lines"
	Link           ID = "link"
	Attach         ID = "attach"
	Search         ID = "search"
	SearchNext     ID = "search-next"
	SearchPrevious ID = "search-previous"

	Pause           ID = "pause"
	Backwards       ID = "backwards"
	Forwards        ID = "forwards"
	NextCommand     ID = "next-command"
	PreviousCommand ID = "previous-command"
	Slower          ID = "slower"
	Faster          ID = "faster"
	Step            ID = "step"

	Broadcast ID = "broadcast"
	TypeInto  ID = "type-into"
	Propose   ID = "propose"
	Replay    ID = "replay"

	Status  ID = "status"
	Approve ID = "approve"
	Theme   ID = "theme"
	New     ID = "new"
	Resume  ID = "resume"
	Undo    ID = "undo"
	History ID = "history"
	Fork    ID = "fork"
	Memory  ID = "memory"
	Model   ID = "model"
	Context ID = "context"
	Compact ID = "compact"
	Steer   ID = "steer"
	Queue   ID = "queue"
	Mouse   ID = "mouse"
	Tour    ID = "tour"
	Export  ID = "export"
	Servers ID = "mcp"
	Prompt  ID = "prompt"
	Plugins ID = "plugins"
)

// Place is where the keyboard is.
type Place uint16

// The places.
const (
	Input      Place = 1 << iota // the line that the operator writes in
	Chat                         // the transcript
	Pane                         // a mirrored terminal, for reading
	Searching                    // the search line of a mirrored terminal
	Typing                       // a mirrored terminal, keys go to its target
	Overlay                      // help, or whether to quit
	Dialog                       // an approval, which has keys of its own
	Playing                      // a recording
	Tiles                        // the overview of all targets
	Completing                   // the line that the operator writes in, with candidates shown; what means nothing here means what it does there
	Browsing                     // the timeline
	Anywhere   = Input | Chat | Pane | Searching
)

// Need is what a command needs to be available.
type Need uint8

// The needs.
const (
	Nothing   Need = iota
	Turn           // a turn is running
	APane          // there is a terminal to go to
	Offer          // an earlier conversation was offered
	Callback       // the program provides for it
	Selection      // something is selected in the terminal
	Pattern        // the terminal was searched
	Borders        // chat and terminals are shown beside each other
	Stack          // the terminal that has or had the keyboard is shown above or below another one
	Others         // there is more than one terminal
)

// Facts are what the needs are about.
type Facts struct {
	Running  bool
	Panes    int
	Resume   bool
	Selected bool          // in the terminal with the keyboard
	Searched bool          // the terminal with the keyboard
	Small    bool          // the screen, so that one part is shown at a time
	Zoomed   bool          // one part is shown because the operator wants it so
	Stacked  bool          // the terminal that has or had the keyboard is one of several above each other
	Provided func(ID) bool // whether the program provides for a command; nil: all
}

// Command is an entry of the table.
type Command struct {
	ID    ID
	Keys  []string // names of keys, see Name
	Where Place    // where the keys mean this
	Slash string   // the word after the slash; empty if there is none
	Args  string   // what follows the word, for the help
	Text  string   // what it does, in a few words
	Hint  string   // for the bottom line; empty if it is not shown there
	Group string
	Needs Need
}

const (
	everywhere = "Everywhere"
	opening    = "Terminals"
	writing    = "Writing"
	reading    = "Reading"
	terminals  = "Reading a terminal"
	dividing   = "Dividing the screen"
	playing    = "Playing a recording"
	watching   = "All targets at once"
	browsing   = "The timeline"
	deciding   = "Deciding and undoing"
	modelling  = "The model"
	keeping    = "Conversations and recordings"
	looking    = "The screen"
)

// standard is the table as nod brings it. Nothing changes it.
var standard = []Command{
	{Help, []string{"F1"}, Anywhere | Overlay | Dialog | Tiles, "help", "", "show this help; the character only where nothing is written", "help", everywhere, Nothing},
	{Help, []string{"?"}, Chat | Pane | Tiles, "", "", "show this help; the character only where nothing is written", "", everywhere, Nothing},
	{Back, []string{"Esc"}, Anywhere | Overlay | Completing, "", "", "back out one level; it never quits", "back", everywhere, Nothing},
	{Interrupt, []string{"Ctrl-C"}, Anywhere | Overlay | Dialog | Tiles, "", "", "interrupt the turn; else put aside what is written", "", everywhere, Turn},
	{Next, []string{"Tab"}, Anywhere, "", "", "go to the next part of the screen", "pane", everywhere, Nothing},
	{Previous, []string{"Shift-Tab"}, Anywhere, "", "", "go to the part before", "", everywhere, Nothing},
	{Terminal, []string{"Ctrl-]"}, Anywhere | Typing | Dialog, "", "", "type into the terminal; again: leave it", "terminal", everywhere, APane},
	{Zoom, []string{"Ctrl-O"}, Anywhere, "", "", "show only the part with the keyboard; again: show all", "", everywhere, Nothing},
	{Targets, []string{"Ctrl-T"}, Anywhere, "target", "[name]", "choose where to work: hosts and containers; with a name: connect to it", "targets", everywhere, Callback},
	{Jump, []string{"Alt-1", "Alt-2", "Alt-3", "Alt-4", "Alt-5", "Alt-6", "Alt-7", "Alt-8", "Alt-9"}, Anywhere, "pane", "number", "go to the terminal with that number, or name", "", everywhere, APane},
	{Palette, []string{"Ctrl-P"}, Anywhere, "", "", "choose one of all these commands", "commands", everywhere, Nothing},
	{Zoom, []string{"Ctrl-O"}, Dialog, "", "", "the decision as wide as the screen, and as high as it needs; again: beneath the chat", "wide", everywhere, Nothing},
	{Inbox, []string{"Ctrl-A"}, Dialog | Chat | Pane | Tiles, "inbox", "", "all that waits for your nod: what, where and for how long", "", everywhere, Nothing},
	{Overview, []string{"F2"}, Anywhere | Dialog | Browsing, "overview", "", "look at all connected targets at once: how they do, what runs, what waits for you", "", everywhere, Callback},
	{Suspend, []string{"Ctrl-Z"}, Anywhere | Overlay | Dialog | Tiles, "", "", "stop nod and go back to your shell; fg goes on. Panes in tmux go on meanwhile", "", everywhere, Callback},
	{Redraw, []string{"Ctrl-L"}, Anywhere | Overlay | Dialog | Tiles, "", "", "draw the screen anew", "", everywhere, Nothing},

	{Open, nil, 0, "open", "[target]", "open another terminal, here or on another target; also in the list of targets", "", opening, Callback},
	{Close, nil, 0, "close", "[terminal]", "close the terminal that has or had the keyboard, or the one of that number or name; it asks where something runs", "", opening, APane},
	{Rename, nil, 0, "rename", "name", "give the terminal that has or had the keyboard another name", "", opening, APane},

	{Send, []string{"Enter"}, Input, "", "", "send what is written", "", writing, Nothing},
	{Newline, []string{"Shift-Enter", "Alt-Enter", "Ctrl-J"}, Input, "", "", "begin a new line", "", writing, Nothing},
	{Own, []string{"!"}, 0, "", "", "before a command: run it yourself in the terminal; asked and recorded like any other, and the model reads of it", "", writing, Nothing},
	{Editor, []string{"Ctrl-X", "Alt-e"}, Input, "", "", "write on in your editor ($VISUAL, $EDITOR)", "", writing, Callback},
	{Earlier, []string{"Up", "Alt-p"}, Input, "", "", "the line above, then earlier prompts", "", writing, Nothing},
	{Later, []string{"Down", "Alt-n"}, Input, "", "", "the line below, then later prompts", "", writing, Nothing},
	{Recall, []string{"Ctrl-R"}, Input, "", "", "choose one of your earlier prompts, by what it has in it", "", writing, Nothing},
	{Complete, []string{"Tab"}, Completing, "", "", "behind / or @: put in the candidate that is marked; Enter does so once Up or Down has marked one", "take it", writing, Nothing},
	{Select, []string{"Up"}, Completing, "", "", "mark the candidate above", "", writing, Nothing},
	{SelectNext, []string{"Down"}, Completing, "", "", "mark the candidate below", "", writing, Nothing},
	{LineStart, []string{"Home", "Ctrl-A"}, Input, "", "", "to the start of the line", "", writing, Nothing},
	{LineEnd, []string{"End", "Ctrl-E"}, Input, "", "", "to the end of the line", "", writing, Nothing},
	{WordLeft, []string{"Alt-b", "Ctrl-Left", "Alt-Left"}, Input, "", "", "a word to the left", "", writing, Nothing},
	{WordRight, []string{"Alt-f", "Ctrl-Right", "Alt-Right"}, Input, "", "", "a word to the right", "", writing, Nothing},
	{DeleteWord, []string{"Ctrl-W", "Alt-Backspace"}, Input, "", "", "delete the word before the cursor", "", writing, Nothing},
	{DeleteBefore, []string{"Ctrl-U"}, Input, "", "", "delete to the start of the line", "", writing, Nothing},
	{DeleteAfter, []string{"Ctrl-K"}, Input, "", "", "delete to the end of the line", "", writing, Nothing},
	{DeleteWordAfter, []string{"Alt-d"}, Input, "", "", "delete the word behind the cursor", "", writing, Nothing},
	{Yank, []string{"Ctrl-Y"}, Input, "", "", "put back what was deleted last", "", writing, Nothing},
	{UndoEdit, []string{"Ctrl-_"}, Input, "", "", "take back the last change of what is written", "", writing, Nothing},
	{CharLeft, []string{"Ctrl-B"}, Input, "", "", "a character to the left", "", writing, Nothing},
	{CharRight, []string{"Ctrl-F"}, Input, "", "", "a character to the right", "", writing, Nothing},

	{PageUp, []string{"PgUp"}, Anywhere | Overlay, "", "", "a page up; with Shift also while typing into a terminal", "", reading, Nothing},
	{PageUp, []string{"Shift-PgUp"}, Typing, "", "", "a page up; with Shift also while typing into a terminal", "", reading, Nothing},
	{PageDown, []string{"PgDn"}, Anywhere | Overlay, "", "", "a page down; with Shift also while typing", "", reading, Nothing},
	{PageDown, []string{"Shift-PgDn"}, Typing, "", "", "a page down; with Shift also while typing", "", reading, Nothing},
	{Top, []string{"Ctrl-Home"}, Anywhere, "", "", "to the beginning", "", reading, Nothing},
	{Top, []string{"Home", "g"}, Chat | Pane, "", "", "to the beginning", "", reading, Nothing},
	{Bottom, []string{"Ctrl-End"}, Anywhere, "", "", "to the end, and stay there", "", reading, Nothing},
	{Bottom, []string{"End", "G"}, Chat | Pane, "", "", "to the end, and stay there", "", reading, Nothing},
	{Select, []string{"Up", "k"}, Chat, "", "", "choose the entry above", "", reading, Nothing},
	{SelectNext, []string{"Down", "j"}, Chat, "", "", "choose the entry below", "", reading, Nothing},
	{Fold, []string{"Enter", " "}, Chat, "", "", "open or close the chosen entry", "open", reading, Nothing},
	{Copy, []string{"y"}, Chat, "", "", "copy the chosen entry as it was written", "copy", reading, Nothing},
	{CopyCode, []string{"Y"}, Chat, "", "", "copy a block of code of the chosen entry; again: the next one", "", reading, Nothing},
	{Find, []string{"/"}, Chat, "find", "[words]", "search in the chat, and go to what is found", "search", reading, Nothing},

	{Terminal, []string{"Enter"}, Pane, "", "", "type into the terminal", "", terminals, APane},
	{Search, []string{"/"}, Pane, "", "", "search upwards, in all lines; capitals count if there are any", "search", terminals, Nothing},
	{Send, []string{"Enter"}, Searching, "", "", "in the search line: stay at the match", "", terminals, Nothing},
	{DeleteWord, []string{"Ctrl-W", "Alt-Backspace"}, Searching, "", "", "in the search line: delete the last word", "", terminals, Nothing},
	{DeleteBefore, []string{"Ctrl-U"}, Searching, "", "", "in the search line: delete everything", "", terminals, Nothing},
	{SearchNext, []string{"n"}, Pane, "", "", "the next match above, in the end from the bottom again", "", terminals, Pattern},
	{SearchPrevious, []string{"N"}, Pane, "", "", "the next match below, in the end from the top again", "", terminals, Pattern},
	{Up, []string{"Up", "k"}, Pane, "", "", "hold the picture and move the cursor up", "", terminals, Nothing},
	{Down, []string{"Down", "j"}, Pane, "", "", "hold the picture and move the cursor down", "", terminals, Nothing},
	{Left, []string{"Left", "h"}, Pane, "", "", "a character to the left", "", terminals, Nothing},
	{Right, []string{"Right", "l"}, Pane, "", "", "a character to the right", "", terminals, Nothing},
	{WordLeft, []string{"b"}, Pane, "", "", "a word to the left", "", terminals, Nothing},
	{WordRight, []string{"w"}, Pane, "", "", "a word to the right", "", terminals, Nothing},
	{LineStart, []string{"0"}, Pane, "", "", "to the start of the line", "", terminals, Nothing},
	{LineEnd, []string{"$"}, Pane, "", "", "to the end of the line", "", terminals, Nothing},
	{Mark, []string{"v", " "}, Pane, "", "", "begin a selection at the cursor; again: end it", "select", terminals, Nothing},
	{MarkLines, []string{"V"}, Pane, "", "", "select whole lines; again: end it", "", terminals, Nothing},
	{Copy, []string{"y"}, Pane, "", "", "copy the selection; dragging the mouse selects and copies", "copy", terminals, Selection},
	{Attach, []string{"a"}, Pane, "", "", "copy the command by which you get at the terminal by hand", "", terminals, Nothing},
	{Link, []string{"o"}, Pane, "", "", "copy the address of the link at the cursor or above; Ctrl-click: of that one", "", terminals, Nothing},

	{Wider, []string{">"}, Chat | Pane, "wider", "", "more columns for the part with the keyboard", "", dividing, Borders},
	{Narrower, []string{"<"}, Chat | Pane, "narrower", "", "fewer columns for the part with the keyboard", "", dividing, Borders},
	{Taller, []string{"+"}, Pane, "taller", "", "more lines for the terminal that has or had the keyboard", "", dividing, Stack},
	{Shorter, []string{"-"}, Pane, "shorter", "", "fewer lines for the terminal that has or had the keyboard", "", dividing, Stack},
	{ResetSizes, []string{"="}, Chat | Pane, "reset-sizes", "", "divide the screen as nod does; dragging the border beside the chat divides it, too", "", dividing, Borders},
	{MoveBack, []string{"{"}, Pane, "move-back", "", "change places with the terminal before", "", dividing, Others},
	{MoveOn, []string{"}"}, Pane, "move-on", "", "change places with the terminal behind", "", dividing, Others},

	{Pause, []string{" ", "p"}, Playing, "", "", "pause; again: go on", "pause", playing, Nothing},
	{Backwards, []string{"Left", "h"}, Playing, "", "", "five seconds back", "", playing, Nothing},
	{Forwards, []string{"Right", "l"}, Playing, "", "", "five seconds on", "", playing, Nothing},
	{NextCommand, []string{"n", "]", "Down"}, Playing, "", "", "to the next command", "command", playing, Nothing},
	{PreviousCommand, []string{"N", "[", "Up"}, Playing, "", "", "to the command before", "", playing, Nothing},
	{Faster, []string{"+", ">"}, Playing, "", "", "twice as fast", "faster", playing, Nothing},
	{Slower, []string{"-", "<"}, Playing, "", "", "half as fast", "slower", playing, Nothing},
	{Step, []string{"."}, Playing, "", "", "pause, and show the next piece of output", "", playing, Nothing},
	{Top, []string{"Home", "g", "0"}, Playing, "", "", "to the beginning", "", playing, Nothing},
	{Bottom, []string{"End", "G", "$"}, Playing, "", "", "to the end", "", playing, Nothing},
	{Back, []string{"q", "Esc", "Ctrl-C", "Ctrl-D"}, Playing, "", "", "leave the recording", "leave", playing, Nothing},
	{Redraw, []string{"Ctrl-L"}, Playing, "", "", "draw the screen anew", "", playing, Nothing},

	{Left, []string{"Left", "h"}, Tiles, "", "", "to the target at the left", "", watching, Nothing},
	{Right, []string{"Right", "l"}, Tiles, "", "", "to the target at the right", "", watching, Nothing},
	{Up, []string{"Up", "k"}, Tiles, "", "", "to the target above", "", watching, Nothing},
	{Down, []string{"Down", "j"}, Tiles, "", "", "to the target below", "", watching, Nothing},
	{PageUp, []string{"PgUp"}, Tiles, "", "", "a page up", "", watching, Nothing},
	{PageDown, []string{"PgDn"}, Tiles, "", "", "a page down", "", watching, Nothing},
	{Top, []string{"Home", "g"}, Tiles, "", "", "to the first target", "", watching, Nothing},
	{Bottom, []string{"End", "G"}, Tiles, "", "", "to the last target", "", watching, Nothing},
	{Terminal, []string{"Enter"}, Tiles, "", "", "go to the target's terminal, or to what waits for your nod there", "its terminal", watching, APane},
	{Mark, []string{" "}, Tiles, "", "", "mark the target; again: not any more", "mark", watching, Nothing},
	{Broadcast, []string{"b"}, Tiles, "", "", "run a command on all marked targets: one decision by the strictest of them, on record for each", "run on marked", watching, Nothing},
	{TypeInto, []string{"t"}, Tiles, "", "", "type a line into the terminals of all marked targets, such as the answer to a question; Alt-Enter types it without Enter", "type into marked", watching, Nothing},
	{Propose, []string{"r"}, Tiles, "", "", "have the model propose a command for the marked targets", "propose", watching, Nothing},
	{Search, []string{"/"}, Tiles, "", "", "show only targets with these words in their names", "filter", watching, Nothing},
	{Back, []string{"Esc", "q", "F2"}, Tiles, "", "", "take back the marks, then the filter, then leave the overview", "back", watching, Nothing},
	{Timeline, []string{"F3"}, Anywhere | Browsing | Tiles, "timeline", "", "what ran in this conversation, as bars by target over time; again: leave it", "", browsing, Callback},
	{Left, []string{"Left", "h"}, Browsing, "", "", "the run before on the same target", "", browsing, Nothing},
	{Right, []string{"Right", "l"}, Browsing, "", "", "the next run on the same target", "", browsing, Nothing},
	{Up, []string{"Up", "k"}, Browsing, "", "", "the nearest run in a row above", "", browsing, Nothing},
	{Down, []string{"Down", "j"}, Browsing, "", "", "the nearest run in a row below", "", browsing, Nothing},
	{Top, []string{"Home", "g"}, Browsing, "", "", "the first run", "", browsing, Nothing},
	{Bottom, []string{"End", "G"}, Browsing, "", "", "the last run, and those that come", "", browsing, Nothing},
	{PageUp, []string{"PgUp"}, Browsing, "", "", "some runs back", "", browsing, Nothing},
	{PageDown, []string{"PgDn"}, Browsing, "", "", "some runs on", "", browsing, Nothing},
	{Play, []string{"Enter"}, Browsing, "", "", "play the recording of the run", "replay", browsing, Nothing},
	{Closer, []string{"+"}, Browsing, "", "", "half the time, twice as wide", "closer", browsing, Nothing},
	{Farther, []string{"-"}, Browsing, "", "", "twice the time", "farther", browsing, Nothing},
	{Whole, []string{"=", "0"}, Browsing, "", "", "the whole time", "all", browsing, Nothing},
	{Back, []string{"q", "Esc", "Ctrl-C"}, Browsing, "", "", "leave the timeline", "leave", browsing, Nothing},
	{Redraw, []string{"Ctrl-L"}, Browsing, "", "", "draw the screen anew", "", browsing, Nothing},
	{Help, []string{"F1", "?"}, Browsing, "", "", "show the help", "help", browsing, Nothing},

	{Status, nil, 0, "status", "", "show what holds at the moment", "", deciding, Nothing},
	{Approve, nil, 0, "approve", "ask|ask-all|read-only|10m", "say how much may run by itself; a time lets changes pass that long", "", deciding, Callback},
	{Undo, nil, 0, "undo", "[list]", "take back what nod did last, if it can be: asked like anything else; list: what there is", "", deciding, Callback},

	{Model, nil, 0, "model", "[name]", "let another model answer, from the next request on; without a name: which there are", "", modelling, Callback},
	{Context, nil, 0, "context", "", "show how full the model's context is, and of what", "", modelling, Callback},
	{Compact, nil, 0, "compact", "", "put a summary in the place of older messages; nothing is deleted", "", modelling, Callback},
	{Servers, nil, 0, "mcp", "[accept] [server]", "show the MCP servers; with a name: what is new or changed there; accept: let the model use it", "", modelling, Callback},
	{Prompt, nil, 0, "prompt", "[server] [name] [arguments]", "write a prompt of an MCP server into the input; without a name: which there are", "", modelling, Callback},
	{Plugins, nil, 0, "plugins", "[reload]", "show the plugins and what they have; reload: take what was installed, accepted anew or removed", "", modelling, Callback},
	{Steer, nil, 0, "steer", "text", "say something to the model while it works: it gets in at the next step, not only after the turn", "", modelling, Callback},
	{Queue, nil, 0, "queue", "[clear]", "show what waits for the end of the turn; clear: take it back into the input", "", modelling, Nothing},

	{New, nil, 0, "new", "", "begin a new conversation", "", keeping, Callback},
	{Replay, nil, 0, "replay", "[run]", "play what a pane has shown: the newest recording with something in it, or where a run begins", "", keeping, Callback},
	{Resume, nil, 0, "resume", "", "go on with the conversation that was offered", "", keeping, Offer},
	{History, nil, 0, "history", "[words]", "choose an earlier conversation to go on with; with words: those that have them", "", keeping, Callback},
	{Fork, nil, 0, "fork", "", "go back to before one of your prompts, in a copy of this conversation", "", keeping, Callback},
	{Memory, nil, 0, "memory", "[strike ID]", "show what is remembered, and what was told to the model; strike: a pattern that is to count no longer", "", keeping, Callback},
	{Export, nil, 0, "export", "[file]", "write the conversation to a file: Markdown, or by the name's end the terminal as .svg or a recording as .cast", "", keeping, Nothing},

	{Theme, nil, 0, "theme", "[name]", "change the colours; without a name: choose while looking", "", looking, Nothing},
	{Mouse, nil, 0, "mouse", "[on|off]", "use the mouse here, or leave it to your terminal and its own way to select; without a word: change that", "", looking, Nothing},
	{Tour, nil, 0, "tour", "", "learn nod in two minutes, by doing it", "", looking, Nothing},
	{Quit, []string{"Ctrl-D"}, Input | Chat | Pane, "quit", "", "quit; the key only where nothing is written", "", looking, Nothing},
}

// motions are the commands that mean something only as keys under the hand.
var motions = []ID{
	Newline, Earlier, Later, LineStart, LineEnd, WordLeft, WordRight, DeleteWord, DeleteBefore, DeleteAfter, DeleteWordAfter, Yank, UndoEdit, CharLeft, CharRight,
	Up, Down, Left, Right, Select, SelectNext, Send, Back, Complete, Jump,
}

// ByWord reports whether nod brings no key for the command, only a word.
func (c Command) ByWord() bool {
	if c.Slash == "" {
		return false
	}
	for _, other := range standard {
		if other.ID == c.ID && len(other.Keys) > 0 {
			return false
		}
	}
	return true
}

// Unavailable says why the command cannot be used at the moment; it is empty if
// it can.
func (c Command) Unavailable(f Facts) string {
	switch c.Needs {
	case Turn:
		return unless(f.Running, "nothing is running")
	case APane:
		return unless(f.Panes > 0, noTerminal)
	case Offer:
		return unless(f.Resume, "no earlier conversation was left open")
	case Callback:
		return unless(f.Provided == nil || f.Provided(c.ID), "not available here")
	case Selection:
		return unless(f.Selected, "nothing is selected")
	case Pattern:
		return unless(f.Searched, "nothing was searched for")
	case Borders:
		return f.undivided()
	case Stack:
		if reason := f.undivided(); reason != "" {
			return reason
		}
		return unless(f.Stacked, "no terminal above or below it")
	case Others:
		return f.alone()
	}
	return ""
}

// unless is the reason that is given where something does not hold.
func unless(holds bool, reason string) string {
	if holds {
		return ""
	}
	return reason
}

const noTerminal = "there is no terminal yet"

// undivided says why only one part of the screen is shown; it is empty if there
// are more.
func (f Facts) undivided() string {
	switch {
	case f.Panes == 0:
		return noTerminal
	case f.Small:
		return "the screen is too small for that"
	case f.Zoomed:
		return "only one part is shown while it is zoomed"
	}
	return ""
}

// alone says why there is no other terminal; it is empty if there is one.
func (f Facts) alone() string {
	switch f.Panes {
	case 0:
		return noTerminal
	case 1:
		return "there is only one terminal"
	}
	return ""
}
