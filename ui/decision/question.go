package decision

// Kind says what is asked for. The zero value asks for a yes, which only the
// key y gives.
type Kind uint8

// The kinds.
const (
	Confirm Kind = iota // yes or no
	Secret              // a line of text that is not shown
	Line                // a line of text
	Choice              // one of Question.Options
)

// MaxOptions is how many options a question can have: each has a digit.
const MaxOptions = 9

// Question is what is asked.
type Question struct {
	Kind  Kind
	Title string // who asks, for the frame: "ssh:web-1"
	Text  string // one or more lines
	// More, if not nil, is what stands below the text at the moment: what has changed while
	// the question is shown. It must be quick.
	More    func() string
	Options []string
	Free    bool // for Choice: an answer in their own words will do, too
}

// Answer is what the operator said. The zero value is no answer.
type Answer struct {
	Given  bool   // for Confirm: yes
	Text   string // for Secret and Line, and for Choice in place of an option
	Option int    // for Choice: the index of the option
}
