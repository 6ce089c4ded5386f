package app

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/nod-console/nod/agent/gate"
	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/preview"
	"github.com/nod-console/nod/tools/risk"
)

const (
	// lookTime bounds one look around.
	lookTime = 10 * time.Second
	// keepLook is how much of its output is shown: bytes and lines.
	keepLook      = 16 << 10
	keepLookLines = 100
)

// probes are what there is to look at before r is decided. Where the command
// would run in a shell within the pane's own, nothing is: where that is, is not
// known.
func probes(r policy.Request) []preview.Probe {
	a, _ := first(r.Action)
	if a.Kind != tools.Exec && a.Kind != tools.Run || len(a.Inside) > 0 {
		return nil
	}
	dialect, err := risk.ParseDialect(a.Dialect)
	if err != nil {
		return nil
	}
	return preview.Of(a.Command, dialect)
}

// CanLook reports whether there is anything to look at before r is decided.
func CanLook(r policy.Request) bool { return len(probes(r)) > 0 }

// LookAround is one guarded, recorded action for each probe, beside the pane and as
// the same user.
func (h *Core) LookAround(ctx context.Context, r policy.Request) []policy.Look {
	var found []policy.Look
	action, where := first(r.Action)
	for _, p := range probes(r) {
		p.Title += where
		found = append(found, h.look(ctx, action, p))
	}
	return found
}

// first is the action that is looked at before the decision: of one on several targets, the
// part for the first of them, which where says.
func first(a tools.Action) (one tools.Action, where string) {
	if len(a.Parts) == 0 {
		return a, ""
	}
	one = a.Parts[0]
	return one, fmt.Sprintf(", on %s, the first of %d targets", one.Target, len(a.Parts))
}

// look runs a probe for an action. The policy lets it pass only if it plainly
// observes.
func (h *Core) look(ctx context.Context, action tools.Action, p preview.Probe) policy.Look {
	about, err := h.Guard.About(action.Target)
	if err != nil {
		return policy.Look{Title: p.Title, Ran: p.Command, Note: err.Error()}
	}
	l := policy.Look{Title: p.Title, Ran: p.Command}
	h.runLook(ctx, &l, tools.Action{
		Tool: "preview", Kind: tools.Exec, Target: action.Target, User: action.User, Dir: action.Dir,
		Command: p.Command, Dialect: about.Shell, Wait: lookTime,
	})
	return l
}

// runLook runs a look that the operator has asked for, and says in l what came of it.
func (h *Core) runLook(ctx context.Context, l *policy.Look, action tools.Action) {
	var output string
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	answer := h.Gate.Pass(ctx, gate.Step{
		Action:   action,
		Operator: true, Preview: true,
		Execute: func(ctx context.Context, a tools.Action, env tools.Env) (tools.Result, error) {
			var record tools.Record
			var err error
			output, record, err = Execute(ctx, h, a, env.Grant, keepLook)
			record.TimedOut = ctx.Err() != nil
			return tools.Result{Record: record}, err
		},
	}, nil)
	record := answer.Result.Record
	l.Output, l.Note = firstLines(strings.TrimRight(output, "\n"), record.Truncated)
	switch {
	case answer.Err != nil:
		l.Note = answer.Err.Error()
	case answer.Denied:
		l.Note = "not looked: " + answer.Decision.Reason
	case ctx.Err() != nil:
		l.Note = fmt.Sprintf("it took longer than %s", lookTime)
	case record.Failed != "":
		l.Note = record.Failed
	case record.Outcome != backends.ExitedWith(0) && l.Note == "":
		l.Note = record.Outcome.String()
		if record.Outcome.State == backends.Exited {
			l.Note = fmt.Sprintf("exit status %d", record.Outcome.Code)
		}
	case l.Output == "" && l.Note == "":
		l.Note = "it says nothing"
	}
}

// firstLines bounds a text, and says so.
func firstLines(text string, truncated bool) (kept, note string) {
	lines := strings.SplitAfterN(text, "\n", keepLookLines+1)
	if len(lines) > keepLookLines {
		return strings.Join(lines[:keepLookLines], ""), fmt.Sprintf("only the first %d lines", keepLookLines)
	}
	if truncated {
		return text, fmt.Sprintf("only the first %d KiB", keepLook>>10)
	}
	return text, ""
}
