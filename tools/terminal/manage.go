package terminal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/pane"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/guard"
	"github.com/nod-console/nod/tools/internal/spec"
)

// ManageTool is one of the tools that make and end sessions and panes.
type ManageTool struct {
	guard      *guard.Guard
	name       string
	guide      string
	verb       string // of the guard's
	needs      string // the argument that must be there: "session" or "pane"
	properties func() map[string]any
}

var (
	_ tools.Tool     = (*ManageTool)(nil)
	_ tools.Optional = (*ManageTool)(nil)
)

// Name implements [tools.Tool].
func (t *ManageTool) Name() string { return t.name }

// Description implements [tools.Tool].
func (t *ManageTool) Description() string { return spec.Brief(t.guide) }

// Guidance implements [tools.Documented].
func (t *ManageTool) Guidance() string { return spec.Whole(t.guide) }

// Parallelizable implements [tools.Tool].
func (*ManageTool) Parallelizable() bool { return false }

// Offered implements [tools.Optional]: what ends panes or sessions is of use while there is
// one that may be ended.
func (t *ManageTool) Offered() bool {
	if t.verb != guard.KillPane && t.verb != guard.KillSession {
		return true
	}
	return slices.ContainsFunc(t.guard.Targets(), func(target string) bool {
		return slices.ContainsFunc(t.guard.Members(target), func(m guard.Member) bool {
			return m.Session != pane.DefaultSession || t.verb == guard.KillPane && m.Name != pane.SharedPane
		})
	})
}

// InputSchema implements [tools.Tool].
func (t *ManageTool) InputSchema() map[string]any {
	properties := t.properties()
	properties["target"] = spec.Target()
	return spec.Schema(spec.Acting(properties), spec.ClaimNames(t.needs)...)
}

type manageArgs struct {
	Session string `json:"session"`
	Pane    string `json:"pane"`
	Target  string `json:"target"`
	spec.Claim
}

// Plan implements [tools.Tool]. It makes the shared pane if it is not there yet,
// since what there is counts from it.
func (t *ManageTool) Plan(ctx context.Context, raw json.RawMessage, env tools.Env) (tools.Action, error) {
	g := t.guard
	args, err := t.decode(raw)
	if err != nil {
		return tools.Action{}, err
	}
	claim, err := args.Check()
	if err != nil {
		return tools.Action{}, err
	}
	at := selector{Session: args.Session, Pane: args.Pane, Target: args.Target}
	about, err := at.place(g, env)
	switch {
	case err != nil:
		return tools.Action{}, err
	case t.needs == "session" && at.Pane != "":
		return tools.Action{}, tools.Invalid("target %q is a pane: give the session alone", args.Target)
	}
	if _, err := g.Look(ctx, about.Target, "", ""); err != nil {
		return tools.Action{}, at.refused(ctx, g, err)
	}
	label, err := g.Label(ctx, about.Target, at.Session)
	switch {
	case errors.Is(err, guard.ErrForeign):
		return tools.Action{}, tools.Reject("unmanaged", "%v; %s", err, present(g, about.Target))
	case errors.Is(err, guard.ErrName):
		return tools.Action{}, tools.Invalid("session: %w", err)
	case err != nil:
		return tools.Action{}, at.refused(ctx, g, err)
	}
	a := tools.Action{Tool: t.name, Kind: tools.Manage, Target: about.Target, User: about.User, Claim: claim}
	m := guard.Manage{Verb: t.verb, Session: label, Pane: at.Pane}
	switch t.verb {
	case guard.KillSession, guard.KillPane:
		return planKill(ctx, g, a, m, at)
	case guard.CreatePane:
		if m.Pane, err = guard.Name(at.Pane); err != nil {
			return tools.Action{}, tools.Invalid("pane: %w", err)
		}
		if !slices.ContainsFunc(g.Members(about.Target), func(m guard.Member) bool { return m.Session == label }) {
			return tools.Action{}, tools.Reject("no_session", "there is no session %q on %s: make it with tmux-create-session; %s", at.Session, about.Target, present(g, about.Target))
		}
	}
	a.Command = m.Encode()
	return a, nil
}

// decode reads the arguments; only those of the tool's schema are allowed.
func (t *ManageTool) decode(raw json.RawMessage) (manageArgs, error) {
	var args manageArgs
	if t.needs == "pane" {
		if err := spec.Decode(raw, &args); err != nil {
			return args, err
		}
		if strings.TrimSpace(args.Pane) == "" {
			return args, spec.Missing("pane")
		}
		return args, nil
	}
	var only struct {
		Session string `json:"session"`
		Target  string `json:"target"`
		spec.Claim
	}
	if err := spec.Decode(raw, &only); err != nil {
		return args, err
	}
	if strings.TrimSpace(only.Session) == "" {
		return args, spec.Missing("session")
	}
	return manageArgs{Session: only.Session, Target: only.Target, Claim: only.Claim}, nil
}

// planKill plans the end of what is there.
func planKill(ctx context.Context, g *guard.Guard, a tools.Action, m guard.Manage, at selector) (tools.Action, error) {
	if strings.HasPrefix(m.Pane, "%") {
		for _, known := range g.Members(a.Target) {
			if known.ID == m.Pane && (at.Session == "" || known.Session == m.Session) {
				m.Session, m.Pane = known.Session, known.Name
			}
		}
	} else if m.Pane != "" {
		name, err := guard.Name(m.Pane)
		if err != nil {
			return tools.Action{}, tools.Invalid("pane: %w", err)
		}
		m.Pane = name
	}
	doomed, err := g.Doomed(ctx, a.Target, m.Session, m.Pane)
	switch {
	case errors.Is(err, pane.ErrProtected):
		return tools.Action{}, tools.Reject("protected", "the default session and its shared pane are not ended: the operator works there, too")
	case errors.Is(err, guard.ErrNoPane):
		return tools.Action{}, tools.Reject("unmanaged", "nod manages no %s on %s, and ends only what it made; %s", at.name(), a.Target, present(g, a.Target))
	case err != nil:
		return tools.Action{}, at.refused(ctx, g, err)
	}
	a.Command, a.Busy = m.Encode(), doomed.Text
	if m.Verb == guard.KillPane {
		a.Pane = doomed.Members[0].ID
	}
	return a, nil
}

// present says which sessions and panes there are.
func present(g *guard.Guard, target string) string {
	members := g.Members(target)
	if len(members) == 0 {
		return "there is only the shared one, which comes up when it is used"
	}
	names := make([]string, len(members))
	for i, m := range members {
		names[i] = fmt.Sprintf("%s:%s (%s)", m.Session, m.Name, m.ID)
	}
	return "there are " + strings.Join(names, ", ")
}

// ManageValue is the Value of the Results of these tools.
type ManageValue struct {
	Session string   `json:"session"`           // its full name
	Pane    string   `json:"pane,omitempty"`    // by name
	PaneID  string   `json:"pane_id,omitempty"` // "%3"
	Created *bool    `json:"created,omitempty"` // by this call; false if it was there
	Ended   bool     `json:"ended,omitempty"`
	Attach  string   `json:"attach,omitempty"` // how the operator looks at it by hand
	Notices []string `json:"notices,omitempty"`
}

// Execute implements [tools.Tool].
func (t *ManageTool) Execute(ctx context.Context, a tools.Action, env tools.Env) (tools.Result, error) {
	began := env.Time()
	done, err := t.guard.Manage(ctx, a, env.Grant)
	if err != nil {
		return manageOutcome(ctx, t.guard, a, err)
	}
	m := done.Member
	v := ManageValue{Session: m.Full, Pane: m.Name, PaneID: m.ID}
	if ended := done.Ended.Members; len(ended) > 0 {
		v.Ended = true
		if a.Pane == "" {
			v.Pane, v.PaneID = "", ""
		}
		for _, run := range done.Ended.Runs {
			v.Notices = append(v.Notices, fmt.Sprintf("%q still ran there and was ended with it: its outcome is unknown", line(run)))
		}
	} else {
		v.Created, v.Attach = &done.Made, m.Attach
		if !done.Made {
			v.Notices = append(v.Notices, "it was there already and is used again: what was done in it before still holds")
		}
	}
	return tools.Result{Value: v, Record: tools.Record{
		Outcome:  backends.ExitedWith(0),
		Duration: env.Time().Sub(began),
	}}, nil
}

// manageOutcome is outcome for these tools.
func manageOutcome(ctx context.Context, g *guard.Guard, a tools.Action, err error) (tools.Result, error) {
	var (
		unsure  *guard.UnsureError
		changed *guard.ChangedError
	)
	switch {
	case errors.As(err, &unsure):
		r := tools.Failure("unknown", fmt.Sprintf("%v. Now %s.", unsure, present(g, a.Target)))
		r.Record = tools.Record{} // neither done nor failed
		return r, nil
	case errors.As(err, &changed):
		return tools.Failure("changed", fmt.Sprintf("nothing was ended: %v. Decide again.", changed)), nil
	case errors.Is(err, pane.ErrTooMany):
		return tools.Failure("too_many", fmt.Sprintf("nothing was made: %v ([tmux] max_sessions and max_panes in the configuration); %s. Use one of them, or end one that is not needed any more.", err, present(g, a.Target))), nil
	case errors.Is(err, pane.ErrProtected):
		return tools.Failure("protected", err.Error()), nil
	}
	return outcome(ctx, err)
}
