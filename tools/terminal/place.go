package terminal

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"sync"
	"time"

	"github.com/nod-console/nod/backends/pane"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/guard"
	"github.com/nod-console/nod/tools/internal/spec"
)

// selector names a pane as a call does.
type selector struct {
	Session string `json:"session"`
	Pane    string `json:"pane"`
	Target  string `json:"target"`
}

// selectorSchema adds the selector's properties.
func selectorSchema(properties map[string]any) map[string]any {
	properties["session"] = spec.String("")
	properties["pane"] = spec.String("")
	properties["target"] = spec.String("")
	return properties
}

var (
	paneID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^%[0-9]+$`) })
	// rawTarget is how tmux names sessions, and panes in them. Names of sessions
	// are full ones there: targets of nod's do not look like that.
	rawTarget = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^=?(nod-[^:]+)(?::([^:.]*)(?:\.0)?)?$`) })
)

// explicit reports whether the call itself names a pane or session.
func (s selector) explicit() bool { return s.Session != "" || s.Pane != "" }

// place completes the selector and describes its target. A target such as "%3"
// or "nod-default-build:worker" is a pane of the current one.
func (s *selector) place(g *guard.Guard, env tools.Env) (guard.About, error) {
	if err := s.raw(); err != nil {
		return guard.About{}, err
	}
	if s.Target == "" {
		s.Target = env.Target
	}
	about, err := g.About(s.Target)
	if err != nil {
		return guard.About{}, tools.Reject("no_target", "%v", err)
	}
	s.Target = about.Target
	return about, nil
}

// raw takes a target apart that names a pane as tmux does.
func (s *selector) raw() error {
	var session, name string
	if paneID().MatchString(s.Target) {
		name = s.Target
	} else if m := rawTarget().FindStringSubmatch(s.Target); m != nil {
		session, name = m[1], m[2]
	} else {
		return nil
	}
	for _, part := range []struct {
		what, raw string
		to        *string
	}{{"session", session, &s.Session}, {"pane", name, &s.Pane}} {
		switch {
		case part.raw == "":
		case *part.to != "" && *part.to != part.raw:
			return tools.Invalid("target %q and %s %q are two %ss: give one of them", s.Target, part.what, *part.to, part.what)
		default:
			*part.to = part.raw
		}
	}
	s.Target = ""
	return nil
}

// name is how the pane is called in a message.
func (s selector) name() string {
	switch {
	case s.Pane != "" && s.Session != "":
		return fmt.Sprintf("pane %q of session %q", s.Pane, s.Session)
	case s.Pane != "":
		return fmt.Sprintf("pane %q", s.Pane)
	case s.Session != "":
		return fmt.Sprintf("session %q", s.Session)
	}
	return "the shared pane"
}

// lookInto is look, and says which program reads the keys.
func (s *selector) lookInto(ctx context.Context, g *guard.Guard) (guard.State, error) {
	state, err := g.LookInto(ctx, s.Target, s.Session, s.Pane)
	if err != nil {
		return guard.State{}, s.refused(ctx, g, err)
	}
	return state, nil
}

// look says how the pane stands, or rejects the call.
func (s selector) look(ctx context.Context, g *guard.Guard) (guard.State, error) {
	state, err := g.Look(ctx, s.Target, s.Session, s.Pane)
	if err != nil {
		return guard.State{}, s.refused(ctx, g, err)
	}
	return state, nil
}

// refused is the error of a plan for a pane that cannot be looked at.
func (s selector) refused(ctx context.Context, g *guard.Guard, err error) error {
	switch {
	case errors.Is(err, guard.ErrNoPane):
		return tools.Reject("no_pane", "there is no %s on %s; %s", s.name(), s.Target, present(g, s.Target))
	case errors.Is(err, guard.ErrNoPanes):
		return tools.Reject("no_panes", "%s has no panes", s.Target)
	case ctx.Err() != nil:
		return tools.Denied("interrupted while looking at %s: %w", s.name(), err)
	}
	return tools.Reject("no_pane", "%s on %s cannot be used: %v", s.name(), s.Target, err)
}

// outcome turns the error of a guarded call, after which nothing has happened
// unless it says otherwise, into a Result, or into the error that the operator
// must hear of.
func outcome(ctx context.Context, err error) (tools.Result, error) {
	var (
		unsure  *guard.UnsureError
		changed *guard.ChangedError
		busy    *pane.BusyError
		pending *pane.PendingError
		deaf    *pane.NotReadyError
		another *pane.ChangedError
	)
	switch {
	case errors.Is(err, tools.ErrNotGranted), errors.Is(err, guard.ErrMalformed):
		return tools.Result{}, tools.Denied("%w", err)
	case errors.As(err, &unsure):
		r := tools.Failure("unknown", fmt.Sprintf("%v. Look with capture-pane before anything is typed again.", unsure))
		r.Record = tools.Record{} // neither done nor failed
		return r, nil
	case ctx.Err() != nil:
		return tools.Failure("interrupted", stopped(ctx)+", before anything happened"), nil
	case errors.As(err, &changed):
		return tools.Failure("changed", fmt.Sprintf("nothing happened: %v. Look with capture-pane, then decide again.", changed)), nil
	case errors.As(err, &another):
		return tools.Failure("changed", fmt.Sprintf("nothing was run: %v. Look with capture-pane, then decide again.", another)), nil
	case errors.As(err, &busy):
		return tools.Failure("pane_busy", fmt.Sprintf("nothing was run: %v. Wait and look with capture-pane, stop it with send-keys C-c, or use another pane.", busy)), nil
	case errors.As(err, &pending):
		return tools.Failure("pending_line", fmt.Sprintf("nothing was run: %v", pending)), nil
	case errors.As(err, &deaf):
		return tools.Failure("no_shell", fmt.Sprintf("nothing was run: %v. Look with capture-pane; send-keys reaches the program.", deaf)), nil
	case errors.Is(err, guard.ErrNoTarget):
		return tools.Failure("no_target", err.Error()), nil
	case errors.Is(err, guard.ErrNoPane), errors.Is(err, pane.ErrEnded):
		return tools.Failure("no_pane", fmt.Sprintf("nothing happened: %v", err)), nil
	}
	return tools.Failure("not_started", fmt.Sprintf("nothing was run: %v", err)), nil
}

// stopped says why a call's context has ended: the operator's doing, unless
// its cause says something else.
func stopped(ctx context.Context) string {
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
		return fmt.Sprintf("stopped: %v", cause)
	}
	return "interrupted by the operator"
}

// sleep waits for d or the end of ctx.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
