package ledger

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"time"
	"unicode/utf8"
)

// MaxRecord bounds a record, in bytes.
const MaxRecord = 16 << 20

// Outcomes of a Conclusion.
const (
	Exited    = "exited"
	Signalled = "signalled"
	Unknown   = "unknown"
	TimedOut  = "timeout"
	Failed    = "failed"
)

// Intent is what is about to run, and why it may.
type Intent struct {
	// ID is unique; Intend makes one if it is empty.
	ID string `json:"id"`
	// Time is when it was decided; Intend fills it in if it is zero.
	Time         time.Time `json:"time"`
	Conversation string    `json:"conversation,omitempty"`
	Call         string    `json:"call,omitempty"`
	Tool         string    `json:"tool,omitempty"`
	Kind         string    `json:"kind,omitempty"`
	Target       string    `json:"target,omitempty"`
	User         string    `json:"user,omitempty"`
	Pane         string    `json:"pane,omitempty"`
	Inside       []string  `json:"inside,omitempty"` // commands that opened the shell in the pane

	// Targets are those of an action on several, of which Target is the folded name then.
	// An intent for each of them follows, with the action's digest in PartOf.
	Targets []string `json:"targets,omitempty"`
	PartOf  string   `json:"part_of,omitempty"`

	// Dir, Path, Command and Stdin are kept byte for byte. In JSON they are
	// strings if they are valid UTF-8, and {"base64":"…"} otherwise.
	Dir     string `json:"dir,omitempty"`
	Path    string `json:"path,omitempty"`
	Command string `json:"command,omitempty"`
	// Stdin is what Command gets to read, which may be commands, too.
	Stdin string `json:"stdin,omitempty"`
	// Dialect is the shell that reads Command.
	Dialect string `json:"dialect,omitempty"`
	// Held says by what Command is held so that it cannot change anything: "L" by
	// Landlock, "S" by the filter of system calls, "M" by read-only mounts; empty if it is
	// not.
	Held string `json:"held,omitempty"`
	// Grants are what it may do beyond reading files, as letters: package confine.
	Grants string `json:"grants,omitempty"`
	// Content is the SHA-256 of what a file is given, in hexadecimal.
	Content string `json:"content_sha256,omitempty"`

	// Digest is the action's, in hexadecimal.
	Digest string `json:"digest,omitempty"`
	// Verdict is nod's own assessment, Claim the model's.
	Verdict json.RawMessage `json:"verdict,omitempty"`
	Claim   json.RawMessage `json:"claim,omitempty"`
	// Decision says what let it pass: "allow-rule", "approved", "approve-all".
	Decision string `json:"decision,omitempty"`
	// Revert is the ID of the revert that was armed before this, or that this is
	// a step of; For is the digest of the action that it stands by.
	Revert string `json:"revert,omitempty"`
	For    string `json:"for,omitempty"`
	Rule   string `json:"rule,omitempty"`
	// By is who decided.
	By string `json:"by,omitempty"`
	// Agent is the sub-agent that wanted it, and Parent the conversation that sent
	// it; empty for the operator's own agent.
	Agent  string `json:"agent,omitempty"`
	Parent string `json:"parent,omitempty"`
	// Recording is where what runs is about to be seen; nil if it is not
	// recorded.
	Recording *Recording `json:"recording,omitempty"`
	// PID is nod's own process; Intend fills it in if it is zero.
	PID int `json:"pid,omitempty"`
}

// Recording is where the recording of a pane shows a run.
type Recording struct {
	File string        `json:"file"`  // the name of its first file
	At   time.Duration `json:"at_ns"` // since its beginning
	// Bound is what the recording was when the run had ended; nil in an intent, and
	// where the disk was too slow.
	Bound *Bound `json:"bound,omitempty"`
}

// Bound says what a recording's file was at a time: the beginning of it never changes.
type Bound struct {
	File   string `json:"file"`
	Bytes  int64  `json:"bytes"`  // how many it had
	SHA256 string `json:"sha256"` // of those, in hexadecimal
}

// Conclusion is how a run ended.
type Conclusion struct {
	Outcome   string        `json:"outcome"`
	ExitCode  *int          `json:"exit_code,omitempty"`
	Signal    string        `json:"signal,omitempty"`
	Bytes     int64         `json:"bytes,omitempty"`
	Duration  time.Duration `json:"duration_ns,omitempty"`
	Error     string        `json:"error,omitempty"`
	Truncated bool          `json:"truncated,omitempty"`
	// Recording is where it is seen; nil if it is not recorded.
	Recording *Recording `json:"recording,omitempty"`
}

// Note is a record that is no run.
type Note struct {
	// Kind is a stable word: "denied", "read", "posture", "recovered", "loss",
	// "recording" (a file of a recording has ended), "recordings" (some are removed),
	// "terminal" (the operator has opened, renamed or closed one).
	Kind string `json:"kind"`
	Text string `json:"text,omitempty"`
	By   string `json:"by,omitempty"`
	// Proposal is what a denied call would have done, or what was read.
	Proposal *Intent `json:"proposal,omitempty"`
	// Bound is what the file of a recording is that has ended.
	Bound *Bound `json:"bound,omitempty"`
	// Removed are the names of files of recordings that are removed; of one that the
	// operator removes, the name of any of its files.
	Removed []string `json:"removed,omitempty"`
}

// Types of a Record.
const (
	TypeIntent     = "intent"
	TypeConclusion = "conclusion"
	TypeNote       = "note"
)

// Record is one line of a ledger. Of Intent, Conclusion and Note the one that
// Type names is set.
type Record struct {
	Seq  uint64 `json:"seq"` // from 1
	MAC  string `json:"mac"`
	Type string `json:"type"`
	// Ref names the intent, in its own record and in its conclusion.
	Ref        string      `json:"ref,omitempty"`
	Time       time.Time   `json:"time"`
	Intent     *Intent     `json:"intent,omitempty"`
	Conclusion *Conclusion `json:"conclusion,omitempty"`
	Note       *Note       `json:"note,omitempty"`
}

// body is the part of a line that is not the chain's. The order of the first
// three fields is the format: peek reads them without decoding the rest.
type body struct {
	Type       string      `json:"type"`
	Ref        string      `json:"ref"`
	Process    string      `json:"process"` // whose live file tells whether it still runs
	Time       time.Time   `json:"time"`
	Intent     *Intent     `json:"intent,omitempty"`
	Conclusion *Conclusion `json:"conclusion,omitempty"`
	Note       *Note       `json:"note,omitempty"`
}

func (b body) encode() ([]byte, error) {
	text, err := json.Marshal(b)
	if err != nil {
		return nil, fmt.Errorf("ledger: encode the %s: %w", b.Type, err)
	}
	if len(text) > MaxRecord {
		return nil, fmt.Errorf("ledger: the %s is %d bytes long; a record holds at most %d", b.Type, len(text), MaxRecord)
	}
	return text, nil
}

// decode turns a verified line's body into a Record.
func decode(seq uint64, mac, text []byte) (Record, error) {
	var b body
	if err := json.Unmarshal(text, &b); err != nil {
		return Record{}, fmt.Errorf("ledger: record %d: %w", seq, err)
	}
	return Record{
		Seq: seq, MAC: string(mac), Type: b.Type, Ref: b.Ref, Time: b.Time,
		Intent: b.Intent, Conclusion: b.Conclusion, Note: b.Note,
	}, nil
}

// peek reads type, ref and process of an encoded body.
func peek(text []byte) (kind, ref, process string, ok bool) {
	rest := text
	field := func(before string) string {
		after, found := bytes.CutPrefix(rest, []byte(before))
		end := bytes.IndexByte(after, '"')
		if !found || end < 0 {
			ok = false
			return ""
		}
		rest = after[end:]
		return string(after[:end])
	}
	ok = true
	kind = field(`{"type":"`)
	ref = field(`","ref":"`)
	process = field(`","process":"`)
	return kind, ref, process, ok
}

// exact is a string that survives JSON byte for byte.
type exact string

type encodedBytes struct {
	Base64 string `json:"base64"`
}

func (e exact) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(e)) {
		return json.Marshal(string(e))
	}
	return json.Marshal(encodedBytes{base64.StdEncoding.EncodeToString([]byte(e))})
}

func (e *exact) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] == '{' {
		var b encodedBytes
		if err := json.Unmarshal(text, &b); err != nil {
			return err
		}
		raw, err := base64.StdEncoding.DecodeString(b.Base64)
		*e = exact(raw)
		return err
	}
	return json.Unmarshal(text, (*string)(e))
}

// plainIntent is Intent without its methods.
type plainIntent Intent

// intentJSON puts exact fields in front of Intent's own.
type intentJSON struct {
	*plainIntent
	Dir     exact `json:"dir,omitempty"`
	Path    exact `json:"path,omitempty"`
	Command exact `json:"command,omitempty"`
	Stdin   exact `json:"stdin,omitempty"`
}

// MarshalJSON keeps Dir, Path, Command and Stdin byte for byte.
func (i Intent) MarshalJSON() ([]byte, error) {
	p := plainIntent(i)
	return json.Marshal(intentJSON{&p, exact(i.Dir), exact(i.Path), exact(i.Command), exact(i.Stdin)})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (i *Intent) UnmarshalJSON(text []byte) error {
	w := intentJSON{plainIntent: (*plainIntent)(i)}
	if err := json.Unmarshal(text, &w); err != nil {
		return err
	}
	i.Dir, i.Path, i.Command, i.Stdin = string(w.Dir), string(w.Path), string(w.Command), string(w.Stdin)
	return nil
}
