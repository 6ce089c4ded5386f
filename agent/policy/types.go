package policy

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nod-console/nod/agent/policy/show"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/lockout"
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

// String implements fmt.Stringer.
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

// Posture is how much runs by itself at the moment. The zero value is
// PostureAsk.
type Posture uint8

// The postures.
const (
	PostureAsk      Posture = iota // plain observations run, everything else asks
	PostureAskAll                  // everything that touches a target asks
	PostureReadOnly                // plain observations run, what nearly is one asks, everything else is denied
)

var postureWords = [...]string{"ask", "ask-all", "read-only"}

// String implements fmt.Stringer.
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
	// Always writes the rule that the request shows into the rules file; it
	// holds from then on, in every conversation.
	Always
)

// String implements fmt.Stringer.
func (s Scope) String() string {
	switch s {
	case Conversation:
		return "this conversation"
	case Always:
		return "always"
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
	// Agent is the sub-agent whose call it is; empty for the operator's own agent.
	Agent string
	// ReadOnly decides as the posture read-only does, whatever the posture is.
	ReadOnly bool
	// Must says why the operator himself has to allow this action; empty if he
	// need not. No rule, window or switch allows it in his place.
	Must string
	// Taint are the parts of the command, or of what stands on the line and is
	// typed, that a target has printed and the operator has never said. Such an
	// action is no plain observation.
	Taint []Span
	// Named reports whether the operator himself has named a host, or a bucket
	// such as "s3://backups", in this conversation. Nil: he has named none.
	Named func(host string) bool
	// Under is the ID of the request whose answer allowed this along with
	// something else: the actions of a revert.
	Under string
	// Preview marks a look around that the operator wants before he decides
	// about something else. Only what is plainly an observation passes, and it
	// never asks.
	Preview bool
	// Unrecorded marks what cannot be put on record at the moment. Only what is
	// plainly an observation passes, and it never asks.
	Unrecorded bool
	// Notes are what hooks say of it; they are shown and decide nothing.
	Notes []string
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
	// Places are the targets of an action on several, as the action's parts are; nil for one.
	Places []Place
	// Confirm is what the operator must type to approve; empty if nothing.
	Confirm string
	// Why says which rule asks.
	Why string
	// Scopes are the scopes that an answer may have; Once is always among them.
	Scopes []Scope
	// Keep is the rule, in TOML, that the scope Always writes. It must be shown
	// in full before that scope is taken. Empty where it is not offered.
	Keep     string
	Operator bool // the operator's own command: there is no claim
	// Agent is the sub-agent that proposes it; empty for the operator's own agent.
	Agent string
	// Revert can be armed before the action if the operator says so; nil if
	// there is none, NoRevert then says why where one is to be expected.
	Revert   *lockout.Plan
	NoRevert string
	// Undo says how it can be taken back afterwards; empty if nod knows of no way.
	// Final says that it cannot, for what destroys.
	Undo  string
	Final bool
	// Hasty says that the operator must type a name, which is not asked for
	// otherwise, because he has approved too quickly lately; empty if he has not.
	Hasty string
	// Notes are what hooks say of it. They are not to be trusted more than their plugins.
	Notes []string
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

// Look is what one read-only command found that was run before the operator
// decides.
type Look struct {
	Title  string // what it is about: "what would be removed"
	Ran    string // the command; empty if none ran
	Output string // exact; shown like everything else that is foreign
	Note   string // what is to be said of it: "cut", "it failed: …"
}

// Answer is the operator's answer. The zero value denies.
type Answer struct {
	RequestID string
	Approved  bool
	Scope     Scope
	Reason    string  // why it was denied; goes to the model
	Void      string  // why it could not be approved any more, where it was not
	Edited    *string // a new command instead; then Approved does not count
	Typed     string  // what the operator typed where Request.Confirm asks
	Revert    bool    // approved only with the request's revert armed before
	// After is how long the request could be answered before it was; 0 if that
	// is not known.
	After time.Duration
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
	ByAlways       How = "always"       // the operator, this once and by a new rule from now on
	ByConversation How = "conversation" // the operator, earlier in this conversation
	ByWindow       How = "window"       // the timed window
	ByApproveAll   How = "approve-all"  // asking was switched off
	ByWall         How = "held"         // it is held, and cannot change anything
	ByRevert       How = "revert"       // the operator, who approved something only together with it
	ByPreview      How = "preview"      // the operator, who wanted to look before he decides
	DeniedByRule   How = "deny-rule"    // a rule, a hard denial, or the posture
	DeniedByAnswer How = "denied"       // the operator
	DeniedByEdit   How = "edited"       // the operator wants another command
	DeniedByCancel How = "cancelled"    // nobody answered
	DeniedByHook   How = "deny-hook"    // a hook of the operator's or of a plugin
	DeniedByChange How = "void"         // what it was planned for had changed: nobody could approve it
)

// Decision is the outcome. The zero value denies.
type Decision struct {
	Allowed bool
	Grant   tools.Grant // for Action; zero if denied
	// Grants are those of Action's parts, in their order; nil if it has none or is denied.
	Grants []tools.Grant
	// Action is the proposal's, behind the wall that the policy wants for it.
	Action  tools.Action
	How     How
	Rule    string // the rule's name
	Reason  string // why it was denied, for the model
	Edited  *string
	Verdict risk.Verdict  // nod's own
	Asked   bool          // the operator was asked
	Took    time.Duration // how long he took
	// Revert must be armed before anything of the action happens. Its actions
	// are allowed under Request.
	Revert *lockout.Plan
	// Request is what the operator was asked; nil if he was not.
	Request *Request
}

// Sections is what would run, to be shown in full. The target, the user, the
// directory and the pane belong into the title.
func (r Request) Sections() []Section {
	a := r.Action
	all := r.sections()
	if len(all) == 0 {
		all = sections{{Title: a.Kind.String()}}
	}
	if len(a.Parts) > 0 && a.Kind != tools.Connect {
		all.add("on "+r.places(), onTargets(r))
	}
	if a.Kind != tools.Type && a.Kind != tools.Write {
		all[0].Findings = within(r.Verdict.Findings, 0, all[0].Text)
	}
	return all
}

// sections are what is shown, in order.
type sections []Section

// add adds a text, if there is one.
func (all *sections) add(title, text string) {
	if text != "" {
		*all = append(*all, Section{Title: title, Text: text})
	}
}

// sections are those of the action's own kind.
func (r Request) sections() (all sections) {
	a := r.Action
	switch a.Kind {
	case tools.Write:
		written := Section{Title: "write " + show.Text(a.Path), Text: a.Diff, Diff: true}
		if a.Diff == "" {
			written.Text, written.Diff = string(a.Content), false
		}
		all = sections{written}
	case tools.Read:
		all.add("read", a.Path)
	case tools.Connect:
		if len(a.Parts) > 0 {
			all.add("connect "+r.places(), onTargets(r))
			break
		}
		all.add("connect", a.Target)
	case tools.Type:
		return r.typed()
	case tools.Fetch:
		all.add("ask the network for", a.Command)
	case tools.Invoke:
		all.add("call a tool of "+show.Text(a.Target), a.Command)
	case tools.Manage:
		all = sections{{Text: a.Command}}
		all.add("what ends with it", a.Busy)
	default:
		all = sections{{Text: a.Command}}
		all.add("standard input", string(a.Stdin))
	}
	return all
}

// typed are the sections of what is typed.
func (r Request) typed() (all sections) {
	a := r.Action
	all.add("on the line already", a.Pending)
	all.add("typed", a.Literal)
	at := 0 // findings count in the pending text followed by the literal
	for i := range all {
		if r.sameLine() {
			all[i].Findings = within(r.Verdict.Findings, at, all[i].Text)
		}
		at += len(all[i].Text)
	}
	all.add("keys", keyList(a.Keys, a.Enter))
	all.add("into the running command", a.Busy)
	all.add("read by", a.Program)
	if a.Wait > 0 {
		all.add("only after", a.Wait.String())
	}
	return all
}

// sameLine reports whether the same stands on the line wherever it is typed, so that the
// findings are about what is shown.
func (r Request) sameLine() bool {
	return !slices.ContainsFunc(r.Action.Parts, func(p tools.Action) bool { return p.Pending != r.Action.Pending })
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
