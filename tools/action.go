package tools

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"strconv"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/confine"
)

// Kind says through which guarded primitive an action goes.
type Kind uint8

const (
	// Pure touches no target: the time, a list of the operator's own. It is the
	// zero value, and guarded targets refuse it.
	Pure Kind = iota
	// Read reads a file (Path), or a pane's screen and history (Pane).
	Read
	// Exec runs Command with split streams, through the target's shell.
	Exec
	// Run runs Command as a tracked run in a pane.
	Run
	// Type types Literal, Keys and Enter into a pane.
	Type
	// Write replaces the file at Path with Content.
	Write
	// Manage makes or ends a session or a pane, as Command says: "create-session
	// build", "kill-session build", "create-pane main worker", "kill-pane main
	// worker". What ends with it is in Busy.
	Manage
	// Fetch asks a server on the network for what Command, a URL, names. It goes
	// from nod's own machine and through no target.
	Fetch
	// Invoke calls a tool of a server that the operator has configured, as Command
	// says. What the server does then is out of nod's sight, so it is taken for a
	// change whatever the server says of itself.
	Invoke
	// Connect connects the Target, which nothing was done on before.
	Connect
)

var kindNames = [...]string{"pure", "read", "exec", "run", "type", "write", "manage", "fetch", "invoke", "connect"}

// String implements fmt.Stringer.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "kind " + strconv.Itoa(int(k))
}

// Acts reports whether actions of this kind may change something on a target,
// so that they must be on record before they start. Reading and fetching do not
// act.
func (k Kind) Acts() bool { return k != Pure && k != Read && k != Fetch }

// Desk is the Target of actions that change nod's own memory: a Write of one of its
// files, by nod itself. No target that commands run on has that name.
const Desk = "nod"

// Action is everything that a call would do, exactly. It is a value: nobody
// changes an action after Plan returned it; an edited command is a new action.
type Action struct {
	Tool   string
	Kind   Kind
	Target string // canonical name
	User   string // whom it runs as on the target
	Pane   string // pane id such as "%3"; empty where no pane is involved
	Dir    string // working directory; empty means where the pane stands, or the target's default

	// Inside are the commands that have opened the shell that is meant within
	// the pane's own, outermost first: "ssh db-1". Where and as whom it runs is
	// then not what Target and User say.
	Inside []string
	// Shell numbers the shell in the pane that the action was planned for: it is
	// another one after an exec, and in a nested shell. 0 where no pane is
	// involved.
	Shell uint64

	Command string // the exact bytes of a command line (Exec, Run), or a verb and names (Manage)
	Dialect string // the shell that reads Command, or the keys: "bash", "sh", "zsh", "fish"
	Stdin   []byte // standard input of an Exec
	// Wall is what holds the Command of an Exec or a Run so that it cannot change anything;
	// empty: nothing does.
	Wall confine.Wall
	// Grants are what a held command may do beyond reading files, as the letters of
	// package confine.
	Grants string

	Pending string   // what stood on the line when the keys were planned: the shell's, or Program's
	Prompt  bool     // whether the pane stood at a shell's prompt then
	Program string   // the program that read the keys then, as package tools/risk/typed knows it; empty if none did, or it is not known
	Busy    string   // the tracked command that ran in the pane then; for a kill, all that ends with it
	Literal string   // text to type, first
	Keys    []string // then keys by their tmux names
	Enter   bool     // then Enter

	Path    string           // absolute and clean
	Content []byte           // the new content of a Write
	Expect  backends.Version // what Path must still hold when it is written

	// Wait bounds the wait for a command's end; 0 means as long as it takes.
	Wait time.Duration
	// Background means: dispatch, do not wait.
	Background bool
	// Until says what else ends the wait, and how much is told then.
	Until Until

	// Claim is what the model says of the action. It is shown and recorded
	// beside nod's own verdict; it decides nothing for the better.
	Claim Claim

	// Parts are the same action on several targets, one for each, sorted by target; empty
	// for what is done on one. See [Join].
	Parts []Action
	// PartOf is the digest of the action that this is a part of, in hexadecimal; empty if it
	// is none. A part that was granted within one set of targets is none of another set.
	PartOf string

	// Diff shows a Write against the present content, as a unified diff. It is
	// derived from Content and Expect and is not part of the digest.
	Diff string
}

// Until is what ends the wait for an effect, whichever comes first, beside its end. The
// zero value leaves that to the tool. Nothing that happens on a target depends on it.
type Until struct {
	Pattern string        // RE2, with ^ and $ at lines, in what is new; empty: none
	Silence time.Duration // nothing new for so long; 0: that ends nothing
	Time    time.Duration // of Types; the Wait of the other kinds says it
	Most    int           // characters of an output that the result holds; 0: as many as usual
}

// Waits reports whether something is waited for.
func (u Until) Waits() bool { return u.Pattern != "" || u.Silence > 0 || u.Time > 0 }

// Claim is a model's own annotation of an acting call.
type Claim struct {
	Risk     string `json:"risk"` // "low", "medium", "high"; empty if the tool does not act
	Mutation bool   `json:"mutation"`
	Privesc  bool   `json:"privesc"`
	Why      string `json:"why"`
}

// Digest identifies an action: two actions with the same digest do the same.
type Digest [sha256.Size]byte

// String implements fmt.Stringer.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// Short is the digest's first eight hexadecimal digits, for display.
func (d Digest) Short() string { return hex.EncodeToString(d[:4]) }

// Digest covers every field of the action but Diff. Each field is preceded by
// its length, so that no two actions share an encoding.
func (a Action) Digest() Digest {
	h := digester{sha256.New()}
	h.text("nod action 1")
	h.text(a.Tool)
	h.number(uint64(a.Kind))
	h.text(a.Target)
	h.text(a.User)
	h.text(a.Pane)
	h.text(a.Dir)
	h.number(uint64(len(a.Inside)))
	for _, opened := range a.Inside {
		h.text(opened)
	}
	h.number(a.Shell)
	h.text(a.Command)
	h.text(a.Dialect)
	h.text(string(a.Stdin))
	h.text(string(a.Wall))
	h.text(a.Grants)
	h.text(a.Pending)
	h.flag(a.Prompt)
	h.text(a.Program)
	h.text(a.Busy)
	h.text(a.Literal)
	h.number(uint64(len(a.Keys)))
	for _, k := range a.Keys {
		h.text(k)
	}
	h.flag(a.Enter)
	h.text(a.Path)
	h.text(string(a.Content))
	h.flag(a.Expect.Exists)
	h.text(a.Expect.SHA256)
	h.number(uint64(a.Wait))
	h.flag(a.Background)
	h.text(a.Until.Pattern)
	h.number(uint64(a.Until.Silence))
	h.number(uint64(a.Until.Time))
	h.number(uint64(a.Until.Most))
	h.text(a.Claim.Risk)
	h.flag(a.Claim.Mutation)
	h.flag(a.Claim.Privesc)
	h.text(a.Claim.Why)
	if len(a.Parts) > 0 || a.PartOf != "" { // nothing follows where neither is set
		h.number(uint64(len(a.Parts)))
		for _, part := range a.Parts {
			part.PartOf = "" // which rests on this digest
			digest := part.Digest()
			h.text(string(digest[:]))
		}
		h.text(a.PartOf)
	}
	return Digest(h.Sum(nil))
}

type digester struct{ hash.Hash }

func (d digester) number(n uint64) {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], n)
	d.Write(b[:]) // a hash's Write never fails
}

func (d digester) text(s string) {
	d.number(uint64(len(s)))
	d.Write([]byte(s)) // a hash's Write never fails
}

func (d digester) flag(b bool) {
	if b {
		d.number(1)
	} else {
		d.number(0)
	}
}
