package policy

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nod-console/nod/agent/policy/show"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/risk"
)

// Ruling is what a rule, a trust or a posture says. The zero value asks.
type Ruling uint8

// The rulings. Allow is the mildest, then Ask, Type, Deny.
const (
	Ask   Ruling = iota // the operator decides
	Allow               // it runs
	Type                // the operator decides, and types the target's name
	Deny                // it does not run
)

var rulingWords = [...]string{"ask", "allow", "type", "deny"}

func (r Ruling) String() string {
	if int(r) < len(rulingWords) {
		return rulingWords[r]
	}
	return rulingWords[Deny]
}

// MarshalText writes the ruling's word.
func (r Ruling) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads one of the four words.
func (r *Ruling) UnmarshalText(text []byte) error {
	for i, w := range rulingWords {
		if string(text) == w {
			*r = Ruling(i)
			return nil
		}
	}
	return fmt.Errorf("unknown verdict %q: want allow, ask, type or deny", text)
}

// strictness orders rulings.
func (r Ruling) strictness() int {
	switch r {
	case Allow:
		return 0
	case Ask:
		return 1
	case Type:
		return 2
	}
	return 3
}

func stricter(a, b Ruling) Ruling {
	if b.strictness() > a.strictness() {
		return b
	}
	return a
}

// Posture is how much runs by itself at the moment. The zero value is
// PostureAsk.
type Posture uint8

// The postures.
const (
	PostureAsk      Posture = iota // plain observations run, everything else asks
	PostureAskAll                  // everything that touches a target asks
	PostureReadOnly                // plain observations run, everything else is denied
)

var postureWords = [...]string{"ask", "ask-all", "read-only"}

func (p Posture) String() string {
	if int(p) < len(postureWords) {
		return postureWords[p]
	}
	return postureWords[PostureReadOnly]
}

// ParsePosture reads one of the three words.
func ParsePosture(word string) (Posture, error) {
	for i, w := range postureWords {
		if word == w {
			return Posture(i), nil
		}
	}
	return PostureAsk, fmt.Errorf("unknown posture %q: want ask, ask-all or read-only", word)
}

// Trust is what a target is to the operator: "prod", "stage", "lab", or empty,
// which is treated like stage.
type Trust string

// The trusts.
const (
	Prod  Trust = "prod"
	Stage Trust = "stage"
	Lab   Trust = "lab"
)

// Scope is how far an approval reaches. The zero value is the narrowest.
type Scope uint8

const (
	// Once approves this one call.
	Once Scope = iota
	// Conversation approves the same action again in the same conversation.
	Conversation
)

func (s Scope) String() string {
	if s == Conversation {
		return "this conversation"
	}
	return "once"
}

// Proposal is a call that wants to run.
type Proposal struct {
	Action       tools.Action
	Conversation string
	Call         string
	// Operator marks what the operator typed himself. It carries no claim.
	Operator bool
	// Asked, if not nil, is told before the approver is asked. It must not
	// block.
	Asked func(Request)
}

// Request is a question to the operator, with everything that he should see.
type Request struct {
	ID     string
	Action tools.Action // with the model's Claim and, for a write, the Diff
	// Verdict is nod's own assessment; it knows nothing of the claim.
	Verdict risk.Verdict
	// Disagreement says in words where nod and the model differ; Understated
	// is set if the model's claim is the milder one.
	Disagreement string
	Understated  bool
	Trust        Trust
	// Confirm is what the operator must type to approve; empty if nothing.
	Confirm string
	// Why says which rule asks.
	Why string
	// Scopes are the scopes that an answer may have; Once is always among them.
	Scopes   []Scope
	Operator bool // the operator's own command: there is no claim
}

// Section is a part of what would run. A request's sections together are all
// that the action's digest covers besides what its title says.
type Section struct {
	Title string // "command", "standard input", "keys"; empty for the first
	Text  string // exact; to be rendered by package show
	Diff  bool   // a unified diff
	// Findings have offsets in Text.
	Findings []risk.Finding
}

// Answer is the operator's answer. The zero value denies.
type Answer struct {
	RequestID string
	Approved  bool
	Scope     Scope
	Reason    string  // why it was denied; goes to the model
	Edited    *string // a new command instead; then Approved does not count
	Typed     string  // what the operator typed where Request.Confirm asks
}

// Approver asks the operator. Safe for concurrent use. It returns when there is
// an answer or the context has ended; an error denies.
type Approver interface {
	Approve(ctx context.Context, r Request) (Answer, error)
}

// How says what a decision rests on, as the ledger records it.
type How string

// The values of Decision.How.
const (
	ByRule         How = "allow-rule"   // a rule, or the posture for a plain observation
	ByOperator     How = "approved"     // the operator, this once
	ByConversation How = "conversation" // the operator, earlier in this conversation
	ByWindow       How = "window"       // the timed window
	ByApproveAll   How = "approve-all"  // asking was switched off
	DeniedByRule   How = "deny-rule"    // a rule, a hard denial, or the posture
	DeniedByAnswer How = "denied"       // the operator
	DeniedByEdit   How = "edited"       // the operator wants another command
	DeniedByCancel How = "cancelled"    // nobody answered
)

// Decision is the outcome. The zero value denies.
type Decision struct {
	Allowed bool
	Grant   tools.Grant // for the proposal's action; zero if denied
	How     How
	Rule    string // the rule's name
	Reason  string // why it was denied, for the model
	Edited  *string
	Verdict risk.Verdict  // nod's own
	Asked   bool          // the operator was asked
	Took    time.Duration // how long he took
	// Request is what the operator was asked; nil if he was not.
	Request *Request
}

// Sections is what would run, to be shown in full. The target, the user, the
// directory and the pane belong into the title.
func (r Request) Sections() []Section {
	a := r.Action
	var all []Section
	add := func(title, text string) {
		if text != "" {
			all = append(all, Section{Title: title, Text: text})
		}
	}
	switch a.Kind {
	case tools.Write:
		all = append(all, Section{Title: "write " + show.Text(a.Path), Text: a.Diff, Diff: true})
		if a.Diff == "" {
			all[0].Text, all[0].Diff = string(a.Content), false
		}
	case tools.Read:
		add("read", a.Path)
	case tools.Type:
		add("on the line already", a.Pending)
		add("typed", a.Literal)
		at := 0 // findings count in the pending text followed by the literal
		for i := range all {
			all[i].Findings = within(r.Verdict.Findings, at, all[i].Text)
			at += len(all[i].Text)
		}
		add("keys", keyList(a.Keys, a.Enter))
		add("into the running command", a.Busy)
		if a.Wait > 0 {
			add("only after", a.Wait.String())
		}
	default:
		all = append(all, Section{Text: a.Command})
		add("standard input", string(a.Stdin))
	}
	if len(all) == 0 {
		all = []Section{{Title: a.Kind.String()}}
	}
	if a.Kind != tools.Type && a.Kind != tools.Write {
		all[0].Findings = within(r.Verdict.Findings, 0, all[0].Text)
	}
	return all
}

// keyList is the keys in one line; a name that could be read as two is quoted.
func keyList(keys []string, enter bool) string {
	words := make([]string, 0, len(keys)+1)
	for _, k := range keys {
		if k == "" || strings.ContainsAny(k, " \"\n") {
			k = strconv.Quote(k)
		}
		words = append(words, k)
	}
	if enter {
		words = append(words, "Enter")
	}
	return strings.Join(words, " ")
}

// within returns the findings whose span lies in text, which starts at the
// given offset of what was assessed; their offsets then count in text.
func within(findings []risk.Finding, at int, text string) []risk.Finding {
	var in []risk.Finding
	for _, f := range findings {
		f.Start, f.End = f.Start-at, f.End-at
		if 0 <= f.Start && f.Start <= f.End && f.End <= len(text) {
			in = append(in, f)
		}
	}
	return in
}
