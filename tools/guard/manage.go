package guard

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/nod-console/nod/backends/pane"
	"github.com/nod-console/nod/tools"
)

// Errors of names.
var (
	// ErrName: no session or pane can be called so.
	ErrName = errors.New("no name for a session or pane")
	// ErrForeign: the session is not one of those that nod manages here.
	ErrForeign = errors.New("not a session that nod manages here")
)

// Roster is panes that can be made and ended, too. [Keep] makes one. Sessions
// and panes are named as [Roster.Label] and [Name] write them.
type Roster interface {
	Panes
	// Label is the name by which nod knows the session that somebody calls so:
	// "build" for "Build" and for "nod-default-build"; the default one if the
	// text is empty. There need not be such a session. ErrForeign if it can be
	// none of nod's, ErrName if it can be none at all.
	Label(ctx context.Context, session string) (string, error)
	// Members are all managed panes, by session and name.
	Members() []Member
	// Make makes a session (if name is empty) or a pane, unless it is there.
	// Errors: ErrNoPane if there is no such session, [pane.ErrTooMany].
	Make(ctx context.Context, session, name string) (m Member, made bool, err error)
	// End ends a session (if name is empty) or a pane, and what runs there.
	// Errors: ErrNoPane, [pane.ErrProtected].
	End(ctx context.Context, session, name string) error
}

// Member is a managed pane.
type Member struct {
	Session string // "build"
	Full    string // the session as its terminal server knows it: "nod-default-build"
	Name    string // "shared"
	ID      string // "%3"
	Attach  string // what the operator types on the target to get at it by hand
}

// String implements fmt.Stringer.
func (m Member) String() string { return fmt.Sprintf("%s:%s %s", m.Full, m.Name, m.ID) }

// The verbs of an action of the kind Manage.
const (
	CreateSession = "create-session"
	KillSession   = "kill-session"
	CreatePane    = "create-pane"
	KillPane      = "kill-pane"
)

// Manage is what an action of that kind does. Its names are canonical, so they
// hold no blanks.
type Manage struct {
	Verb    string
	Session string
	Pane    string // empty for the verbs on sessions
}

// Encode is m as it stands in the Command of an action: "kill-pane main worker".
func (m Manage) Encode() string { return strings.TrimSpace(m.Verb + " " + m.Session + " " + m.Pane) }

func (m Manage) kills() bool { return m.Verb == KillSession || m.Verb == KillPane }

// parseManage reads what Encode wrote, and nothing else.
func parseManage(text string) (Manage, error) {
	words := strings.Split(text, " ")
	var m Manage
	switch {
	case len(words) == 2 && (words[0] == CreateSession || words[0] == KillSession):
		m = Manage{words[0], words[1], ""}
	case len(words) == 3 && (words[0] == CreatePane || words[0] == KillPane):
		m = Manage{words[0], words[1], words[2]}
	default:
		return Manage{}, fmt.Errorf("%w: %q makes or ends nothing", ErrMalformed, text)
	}
	for _, name := range words[1:] {
		if canonical, err := Name(name); err != nil || canonical != name {
			return Manage{}, fmt.Errorf("%w: the name %q is not canonical", ErrMalformed, name)
		}
	}
	return m, nil
}

var canonicalName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9_][a-z0-9_-]{0,31}$`) })

// Name is the canonical form of a session's or pane's name: in lower case, with
// a dash for blanks. The error is an ErrName.
func Name(text string) (string, error) {
	name := strings.Join(strings.Fields(strings.ToLower(text)), "-")
	if !canonicalName().MatchString(name) {
		return "", fmt.Errorf(`%q is %w: want 1 to 32 letters, digits, "-" and "_"`, text, ErrName)
	}
	return name, nil
}

// roster is what can make and end panes on a target.
func (p Place) roster() (Roster, error) {
	if r, ok := p.Panes.(Roster); ok {
		return r, nil
	}
	return nil, fmt.Errorf("%w that could be made or ended: %s", ErrNoPanes, p.Target.Name())
}

// Label is [Roster.Label] of a target.
func (g *Guard) Label(ctx context.Context, target, session string) (string, error) {
	p, err := g.place(target)
	if err != nil {
		return "", err
	}
	r, err := p.roster()
	if err != nil {
		return "", err
	}
	return r.Label(ctx, session)
}

// Members are a target's managed panes, by session and name; none if it has no
// panes.
func (g *Guard) Members(target string) []Member {
	p, err := g.place(target)
	if err != nil {
		return nil
	}
	r, err := p.roster()
	if err != nil {
		return nil
	}
	return r.Members()
}

// Doomed is what ends with a session or a pane.
type Doomed struct {
	Members []Member
	Runs    []string // the tracked commands in them
	// Text says it for the operator, a line for each pane. No two situations
	// have the same text.
	Text string
}

// Doomed says what would end with a session (if name is empty) or a pane, which
// may be named by its id. Errors: ErrNoPane, [pane.ErrProtected].
func (g *Guard) Doomed(ctx context.Context, target, session, name string) (Doomed, error) {
	p, err := g.place(target)
	if err != nil {
		return Doomed{}, err
	}
	return p.doomed(ctx, session, name)
}

func (p Place) doomed(ctx context.Context, session, name string) (Doomed, error) {
	r, err := p.roster()
	if err != nil {
		return Doomed{}, err
	}
	members, rest := named(r.Members(), session, name)
	if session == pane.DefaultSession && (name == "" || rest == 0 && len(members) > 0 || slices.ContainsFunc(members, func(m Member) bool { return m.Name == pane.SharedPane })) {
		return Doomed{}, pane.ErrProtected
	}
	if len(members) == 0 {
		return Doomed{}, fmt.Errorf("%w: %s", ErrNoPane, strings.TrimSpace(session+" "+name))
	}
	d := Doomed{Members: members}
	var lines []string
	for _, m := range d.Members {
		does, run, err := doing(ctx, r, m)
		if err != nil {
			return Doomed{}, err
		}
		if run != "" {
			d.Runs = append(d.Runs, run)
		}
		lines = append(lines, m.String()+" "+does)
	}
	if name != "" && rest == 0 {
		lines = append(lines, "the session "+d.Members[0].Full+", since this is its last pane")
	}
	d.Text = strings.Join(lines, "\n")
	return d, nil
}

// named are the panes of a session that a name or an id means, or all if it is empty; rest
// counts the others of the session.
func named(all []Member, session, name string) (members []Member, rest int) {
	for _, m := range all {
		switch {
		case m.Session != session:
		case name == "" || m.Name == name || m.ID == name:
			members = append(members, m)
		default:
			rest++
		}
	}
	return members, rest
}

// doing says what goes on in a pane.
func doing(ctx context.Context, r Roster, m Member) (does, run string, err error) {
	at, err := r.Find(ctx, "", m.ID)
	if err != nil {
		return "", "", err
	}
	now, err := at.Look(ctx)
	switch {
	case err != nil:
		return "", "", err
	case now.Busy != "":
		return "runs " + strconv.Quote(now.Busy), now.Busy, nil
	case !now.AtPrompt:
		return "does something that nod did not start, or its shell does not answer", "", nil
	case now.Pending != "":
		return "at its prompt, where " + strconv.Quote(now.Pending) + " is typed", "", nil
	}
	return "at its prompt", "", nil
}

// Managed is what an action of the kind Manage has done.
type Managed struct {
	Member Member // what is there, or was
	Made   bool   // it was not there before
	Ended  Doomed
}

// Manage makes or ends what a's Command says. A kill goes through only if what
// ends with it is still what the operator was shown. An UnsureError means that
// it may have happened.
func (g *Guard) Manage(ctx context.Context, a tools.Action, grant tools.Grant) (Managed, error) {
	p, err := g.admit(tools.Manage, a, grant)
	if err != nil {
		return Managed{}, err
	}
	m, err := parseManage(a.Command)
	if err != nil {
		return Managed{}, fmt.Errorf("guard: %w", err)
	}
	r, err := p.roster()
	if err != nil {
		return Managed{}, fmt.Errorf("guard: %w", err)
	}
	var done Managed
	if m.kills() {
		if done.Ended, err = p.doomed(ctx, m.Session, m.Pane); err != nil {
			return Managed{}, err
		}
		done.Member = done.Ended.Members[0]
		id := ""
		if m.Verb == KillPane {
			id = done.Member.ID
		}
		if err := same([]ChangedError{{"the pane", a.Pane, id}, {"what would end", a.Busy, done.Ended.Text}}); err != nil {
			return Managed{}, err
		}
	}
	if ctx.Err() != nil {
		return Managed{}, context.Cause(ctx)
	}
	if err := g.redeem(a, grant); err != nil {
		return Managed{}, err
	}
	if m.kills() {
		err = r.End(ctx, m.Session, m.Pane)
	} else {
		done.Member, done.Made, err = r.Make(ctx, m.Session, m.Pane)
	}
	if err != nil {
		return Managed{}, undone(err)
	}
	return done, nil
}

// undone is the error after which nothing has happened, or an UnsureError.
func undone(err error) error {
	for _, sure := range []error{ErrNoPane, pane.ErrProtected, pane.ErrTooMany, pane.ErrClosed} {
		if errors.Is(err, sure) {
			return err
		}
	}
	return fmt.Errorf("guard: %w", &UnsureError{err})
}
