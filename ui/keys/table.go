package keys

import "slices"

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

	Send         ID = "send"
	Newline      ID = "newline"
	Earlier      ID = "earlier"
	Later        ID = "later"
	LineStart    ID = "line-start"
	LineEnd      ID = "line-end"
	WordLeft     ID = "word-left"
	WordRight    ID = "word-right"
	DeleteWord   ID = "delete-word"
	DeleteBefore ID = "delete-before"
	DeleteAfter  ID = "delete-after"

	PageUp   ID = "page-up"
	PageDown ID = "page-down"
	Top      ID = "top"
	Bottom   ID = "bottom"

	Select     ID = "select"
	SelectNext ID = "select-next"
	Fold       ID = "fold"
	Copy       ID = "copy"

	Status  ID = "status"
	Approve ID = "approve"
	Theme   ID = "theme"
	New     ID = "new"
	Resume  ID = "resume"
)

// Place is where the keyboard is.
type Place uint8

// The places.
const (
	Input    Place = 1 << iota // the line that the operator writes in
	Chat                       // the transcript
	Pane                       // a mirrored terminal, for reading
	Typing                     // a mirrored terminal, keys go to its target
	Overlay                    // help, or whether to quit
	Dialog                     // an approval, which has keys of its own
	Anywhere = Input | Chat | Pane
)

// Need is what a command needs to be available.
type Need uint8

// The needs.
const (
	Nothing  Need = iota
	Turn          // a turn is running
	APane         // there is a terminal to go to
	Offer         // an earlier conversation was offered
	Callback      // the program provides for it
)

// Facts are what the needs are about.
type Facts struct {
	Running  bool
	Panes    int
	Resume   bool
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
	writing    = "Writing"
	reading    = "Reading"
	commands   = "Commands"
)

var table = []Command{
	{Help, []string{"F1"}, Anywhere | Overlay | Dialog, "help", "", "show this help; ? does it too where nothing is written", "help", everywhere, Nothing},
	{Help, []string{"?"}, Chat | Pane, "", "", "show this help; ? does it too where nothing is written", "", everywhere, Nothing},
	{Back, []string{"Esc"}, Anywhere | Overlay, "", "", "back out one level; it never quits", "back", everywhere, Nothing},
	{Interrupt, []string{"Ctrl-C"}, Anywhere | Overlay | Dialog, "", "", "interrupt the turn", "", everywhere, Turn},
	{Next, []string{"Tab"}, Anywhere, "", "", "go to the next part of the screen", "pane", everywhere, Nothing},
	{Previous, []string{"Shift-Tab"}, Anywhere, "", "", "go to the part before", "", everywhere, Nothing},
	{Terminal, []string{"Ctrl-]"}, Anywhere | Typing, "", "", "type into the terminal; again: leave it", "terminal", everywhere, APane},
	{Zoom, []string{"Ctrl-O"}, Anywhere, "", "", "show only the part with the keyboard; again: show all", "", everywhere, Nothing},
	{Redraw, []string{"Ctrl-L"}, Anywhere | Overlay | Dialog, "", "", "draw the screen anew", "", everywhere, Nothing},

	{Send, []string{"Enter"}, Input, "", "", "send what is written", "", writing, Nothing},
	{Newline, []string{"Alt-Enter", "Ctrl-J"}, Input, "", "", "begin a new line", "", writing, Nothing},
	{Earlier, []string{"Up", "Ctrl-P"}, Input, "", "", "the line above, then earlier prompts", "", writing, Nothing},
	{Later, []string{"Down", "Ctrl-N"}, Input, "", "", "the line below, then later prompts", "", writing, Nothing},
	{LineStart, []string{"Home", "Ctrl-A"}, Input, "", "", "to the start of the line", "", writing, Nothing},
	{LineEnd, []string{"End", "Ctrl-E"}, Input, "", "", "to the end of the line", "", writing, Nothing},
	{WordLeft, []string{"Alt-b", "Ctrl-Left", "Alt-Left"}, Input, "", "", "a word to the left", "", writing, Nothing},
	{WordRight, []string{"Alt-f", "Ctrl-Right", "Alt-Right"}, Input, "", "", "a word to the right", "", writing, Nothing},
	{DeleteWord, []string{"Ctrl-W", "Alt-Backspace"}, Input, "", "", "delete the word before the cursor", "", writing, Nothing},
	{DeleteBefore, []string{"Ctrl-U"}, Input, "", "", "delete to the start of the line", "", writing, Nothing},
	{DeleteAfter, []string{"Ctrl-K"}, Input, "", "", "delete to the end of the line", "", writing, Nothing},

	{PageUp, []string{"PgUp"}, Anywhere | Overlay, "", "", "a page up", "", reading, Nothing},
	{PageDown, []string{"PgDn"}, Anywhere | Overlay, "", "", "a page down", "", reading, Nothing},
	{Top, []string{"Ctrl-Home"}, Anywhere, "", "", "to the beginning", "", reading, Nothing},
	{Top, []string{"Home", "g"}, Chat, "", "", "to the beginning", "", reading, Nothing},
	{Bottom, []string{"Ctrl-End"}, Anywhere, "", "", "to the end, and stay there", "", reading, Nothing},
	{Bottom, []string{"End", "G"}, Chat, "", "", "to the end, and stay there", "", reading, Nothing},
	{Select, []string{"Up", "k"}, Chat, "", "", "choose the entry above", "", reading, Nothing},
	{SelectNext, []string{"Down", "j"}, Chat, "", "", "choose the entry below", "", reading, Nothing},
	{Fold, []string{"Enter", " "}, Chat, "", "", "open or close the chosen entry", "open", reading, Nothing},
	{Copy, []string{"y"}, Chat, "", "", "copy the chosen entry as it was written", "copy", reading, Nothing},
	{Terminal, []string{"Enter"}, Pane, "", "", "type into the terminal", "", reading, APane},

	{Status, nil, 0, "status", "", "show what holds at the moment", "", commands, Nothing},
	{Approve, nil, 0, "approve", "ask|ask-all|read-only", "say how much may run by itself", "", commands, Callback},
	{Theme, nil, 0, "theme", "[name]", "change the colours, or name them all", "", commands, Nothing},
	{New, nil, 0, "new", "", "begin a new conversation", "", commands, Callback},
	{Resume, nil, 0, "resume", "", "go on with the conversation that was offered", "", commands, Offer},
	{Quit, []string{"Ctrl-D"}, Anywhere, "quit", "", "quit; the key only where nothing is written", "", commands, Nothing},
}

// Find returns the command of a key at a place.
func Find(place Place, name string) (Command, bool) {
	for _, c := range table {
		if c.Where&place != 0 && slices.Contains(c.Keys, name) {
			return c, true
		}
	}
	return Command{}, false
}

// Unavailable says why the command cannot be used at the moment; it is empty if
// it can.
func (c Command) Unavailable(f Facts) string {
	switch c.Needs {
	case Turn:
		if !f.Running {
			return "nothing is running"
		}
	case APane:
		if f.Panes == 0 {
			return "there is no terminal yet"
		}
	case Offer:
		if !f.Resume {
			return "no earlier conversation was left open"
		}
	case Callback:
		if f.Provided != nil && !f.Provided(c.ID) {
			return "not available here"
		}
	}
	return ""
}

// All returns a copy of the table.
func All() []Command { return slices.Clone(table) }
