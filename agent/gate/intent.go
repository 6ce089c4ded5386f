package gate

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nod-console/nod/agent/ledger"
	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/tools"
)

// intent is a step as the ledger records it.
func (g *Gate) intent(s Step, d policy.Decision) ledger.Intent {
	a := s.Action
	i := ledger.Intent{
		Time: g.cfg.Now(), Conversation: s.Conversation, Call: s.Call,
		Tool: a.Tool, Kind: a.Kind.String(), Target: a.Target, User: a.User, Pane: a.Pane, Inside: a.Inside,
		Dir: a.Dir, Path: a.Path, Command: commandLine(a), Stdin: string(a.Stdin), Dialect: a.Dialect, Held: string(a.Wall), Grants: a.Grants,
		Digest: a.Digest().String(), PartOf: a.PartOf,
		Decision: string(d.How), Rule: d.Rule, By: g.cfg.Operator, Agent: s.From.Agent, Parent: s.From.Parent,
	}
	if len(a.Parts) > 0 {
		i.Targets = a.Targets()
	}
	if d.Revert != nil {
		i.Revert = d.Revert.ID
	}
	if s.companion != nil {
		i.Revert, i.For = s.companion.plan.ID, s.companion.guarded
	}
	if a.Kind == tools.Write {
		i.Content = backends.VersionOf(a.Content).SHA256
	}
	switch d.How {
	case policy.ByRule, policy.DeniedByRule:
		i.By = "rule"
	case policy.DeniedByHook:
		i.By = "hook"
	}
	// Neither holds anything that JSON cannot say.
	i.Verdict, _ = json.Marshal(d.Verdict)
	if a.Claim != (tools.Claim{}) {
		i.Claim, _ = json.Marshal(a.Claim)
	}
	return i
}

// commandLine is what an action runs: a command byte for byte, a verb and what
// ends with it in the lines below, or what is typed, as JSON.
func commandLine(a tools.Action) string {
	switch {
	case a.Kind == tools.Manage && a.Busy != "":
		return a.Command + "\n" + a.Busy
	case a.Kind != tools.Type:
		return a.Command
	}
	typed := struct {
		Pending string   `json:"pending,omitempty"`
		Busy    string   `json:"busy,omitempty"`
		Program string   `json:"program,omitempty"`
		Literal string   `json:"literal,omitempty"`
		Keys    []string `json:"keys,omitempty"`
		Enter   bool     `json:"enter,omitempty"`
	}{a.Pending, a.Busy, a.Program, a.Literal, a.Keys, a.Enter}
	text, _ := json.Marshal(typed) // strings and a flag: cannot fail
	return string(text)
}

// conclusion is an execution's end as the ledger records it. stopped says why
// it was told to stop; empty if it was not.
func conclusion(end ending, stopped string, took time.Duration) ledger.Conclusion {
	r := end.value.Record
	c := ledger.Conclusion{Outcome: ledger.Unknown, Bytes: r.Bytes, Truncated: r.Truncated, Duration: r.Duration, Error: stopped}
	if c.Duration == 0 {
		c.Duration = took
	}
	if end.err != nil {
		return failed(c, end.err)
	}
	switch {
	case r.Outcome.State == backends.Exited:
		code := r.Outcome.Code
		c.Outcome, c.ExitCode = ledger.Exited, &code
	case r.Outcome.State == backends.Signalled:
		c.Outcome, c.Signal = ledger.Signalled, string(r.Outcome.Signal)
	case r.TimedOut:
		c.Outcome = ledger.TimedOut
	case r.Failed != "":
		c.Outcome = ledger.Failed
	}
	if r.TimedOut && c.Error == "" {
		c.Error = "the wait ended before the command did"
	}
	if r.Failed != "" {
		c.Error = join(c.Error, r.Failed)
	}
	if c.Outcome == ledger.Unknown {
		c.Error = join(c.Error, cmp.Or(r.Unsure, unexplained))
	}
	return c
}

// unexplained is what the record says of an unknown outcome where nobody knows
// more: an empty cell would look like a fault of the record.
const unexplained = "how it ended is not known"

// failed concludes with an infrastructure fault. Only where the guard itself
// refused is it certain that nothing ran.
func failed(c ledger.Conclusion, err error) ledger.Conclusion {
	var e *tools.Error
	if errors.Is(err, tools.ErrNotGranted) || errors.As(err, &e) && e.Code == tools.PermissionDenied {
		c.Outcome = ledger.Failed
	}
	c.Error = join(c.Error, err.Error())
	return c
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}

// describe is a conclusion in a few words.
func describe(c ledger.Conclusion) string {
	switch {
	case c.ExitCode != nil:
		return fmt.Sprintf("exited %d", *c.ExitCode)
	case c.Signal != "":
		return "signalled " + c.Signal
	case c.Outcome == ledger.Failed:
		return "failed: " + c.Error
	case c.Outcome == ledger.TimedOut:
		return "timed out"
	}
	return "outcome unknown: " + c.Error
}

// concludedAs is a conclusion's outcome for the operator, as Answer.Outcome has it.
func concludedAs(c ledger.Conclusion) string {
	switch {
	case c.ExitCode != nil, c.Signal != "":
		return describe(c)
	case c.Outcome == ledger.Failed:
		return "failed"
	case c.Outcome == ledger.TimedOut:
		return "timeout"
	}
	return "unknown"
}

// Outcome is the answer's outcome in a word for the operator; empty if it has none.
func (a Answer) Outcome() string {
	r := a.Result.Record
	switch {
	case a.Denied && a.Decision.How == policy.DeniedByChange:
		return "void"
	case a.Denied:
		return "denied"
	case !a.Started:
		return ""
	case a.Result.Running != nil:
		return "running"
	case r.Outcome.State != backends.Unknown:
		return r.Outcome.String()
	case r.TimedOut:
		return "timeout"
	case r.Failed != "" && a.Err == nil:
		return "failed"
	case a.Action.Kind.Acts():
		return "unknown"
	}
	return ""
}
