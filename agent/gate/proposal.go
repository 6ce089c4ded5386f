package gate

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/nod-console/nod/agent/ledger"
	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/backends/confine"
	"github.com/nod-console/nod/tools"
)

// ProposalOf makes of a record what was proposed then, so that the present rules can
// be asked about it. What a record does not hold, such as a file's new content,
// is missing; nothing that decides is among it but whether a pane stood at its
// prompt, which it is taken to have if no command ran in it.
func ProposalOf(i ledger.Intent) (policy.Proposal, error) {
	a := tools.Action{
		Tool: i.Tool, Target: i.Target, User: i.User, Pane: i.Pane, Inside: i.Inside,
		Dir: i.Dir, Path: i.Path, Command: i.Command, Stdin: []byte(i.Stdin), Dialect: i.Dialect, Wall: confine.Wall(i.Held), Grants: i.Grants,
	}
	p := policy.Proposal{Conversation: i.Conversation, Call: i.Call, Operator: len(i.Claim) == 0}
	kind, err := kindOf(i.Kind)
	if err != nil {
		return p, fmt.Errorf("gate: record %s: %w", i.ID, err)
	}
	a.Kind = kind
	switch kind {
	case tools.Type:
		var typed struct {
			Pending, Busy, Program, Literal string
			Keys                            []string
			Enter                           bool
		}
		if err := json.Unmarshal([]byte(i.Command), &typed); err != nil {
			return p, fmt.Errorf("gate: record %s: the keys: %w", i.ID, err)
		}
		a.Command, a.Pending, a.Busy, a.Program, a.Literal, a.Keys, a.Enter = "", typed.Pending, typed.Busy, typed.Program, typed.Literal, typed.Keys, typed.Enter
		a.Prompt = typed.Busy == "" && typed.Program == ""
	case tools.Manage:
		a.Command, a.Busy, _ = strings.Cut(i.Command, "\n")
	}
	if !p.Operator {
		if err := json.Unmarshal(i.Claim, &a.Claim); err != nil {
			return p, fmt.Errorf("gate: record %s: the claim: %w", i.ID, err)
		}
	}
	if len(i.Targets) > 0 {
		parts := make([]tools.Action, len(i.Targets))
		for n, target := range i.Targets {
			parts[n] = a
			parts[n].Target = target
		}
		a = tools.Join(a.Target, parts)
	}
	p.Action = a
	return p, nil
}

// kindOf reads a kind's word.
func kindOf(word string) (tools.Kind, error) {
	for k := tools.Pure; k <= tools.Connect; k++ {
		if k.String() == word {
			return k, nil
		}
	}
	return tools.Pure, fmt.Errorf("%q is no kind of action", word)
}
