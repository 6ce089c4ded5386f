package guard

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/nod-console/nod/backends/pane"
	"github.com/nod-console/nod/backends/tmux"
)

var _ Roster = kept{}

// Members implements [Roster].
func (k kept) Members() []Member {
	panes := k.keeper.List()
	all := make([]Member, len(panes))
	for i, p := range panes {
		all[i] = memberOf(p)
	}
	return all
}

// fullName finds the session's own name in what attaches to it.
var fullName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`=(` + tmux.Prefix + `[a-z0-9_-]+)`) })

func memberOf(p *pane.Pane) Member {
	m := Member{Session: p.Session(), Full: p.Session(), Name: p.Name(), ID: p.ID(), Attach: p.Attach()}
	if found := fullName().FindStringSubmatch(m.Attach); found != nil {
		m.Full = found[1]
	}
	return m
}

// defaultFull is the default session's own name. Another process of the same
// agent may have taken the plain one, and then a number follows it.
var defaultFull = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(.*-)` + pane.DefaultSession + `(-[0-9]+)?$`) })

// ByHand are the managed panes of a target in which a command runs that nod has not begun,
// by session and name.
func (g *Guard) ByHand(target string) []Foreign {
	p, err := g.place(target)
	if err != nil {
		return nil
	}
	if k, ok := p.Panes.(interface{ byHand() []Foreign }); ok {
		return k.byHand()
	}
	return nil
}

// Foreign is a managed pane and what runs there that nod has not begun.
type Foreign struct {
	Member
	Command string // as far as it is known
}

func (k kept) byHand() []Foreign {
	var all []Foreign
	for _, p := range k.keeper.List() {
		if command, ok := p.ByHand(); ok {
			all = append(all, Foreign{memberOf(p), command})
		}
	}
	return all
}

// Label implements [Roster].
func (k kept) Label(ctx context.Context, session string) (string, error) {
	if strings.TrimSpace(session) == "" {
		return pane.DefaultSession, nil
	}
	text := strings.ToLower(strings.TrimSpace(session))
	if !strings.HasPrefix(text, tmux.Prefix) {
		return Name(text)
	}
	// A full name: how ours begin, the default session tells.
	shared, err := k.keeper.Shared(ctx)
	if err != nil {
		return "", err
	}
	for _, m := range k.Members() {
		if m.Full == text {
			return m.Session, nil
		}
	}
	if ours := defaultFull().FindStringSubmatch(memberOf(shared).Full); ours != nil {
		label, ok := strings.CutPrefix(text, ours[1])
		// Where ours of that label has another full name, this one is another
		// process's.
		if ok && !slices.ContainsFunc(k.Members(), func(m Member) bool { return m.Session == label }) {
			return Name(label)
		}
	}
	return "", fmt.Errorf("%w: %q", ErrForeign, session)
}

// Make implements [Roster].
func (k kept) Make(ctx context.Context, session, name string) (m Member, made bool, err error) {
	p, err := k.keeper.Get(session, name)
	if err == nil {
		return memberOf(p), false, nil
	}
	if session == pane.DefaultSession {
		// The session is made with its shared pane, if it is not there.
		if p, err = k.keeper.Shared(ctx); err != nil {
			return Member{}, false, err
		}
	}
	switch {
	case session == pane.DefaultSession && (name == "" || name == pane.SharedPane):
	case name == "":
		p, err = k.keeper.CreateSession(ctx, session)
		if errors.Is(err, pane.ErrExists) { // without its shared pane
			p, err = k.keeper.CreatePane(ctx, session, pane.SharedPane)
		}
	default:
		p, err = k.keeper.CreatePane(ctx, session, name)
	}
	switch {
	case errors.Is(err, pane.ErrExists): // since a moment ago
		p, err = k.keeper.Get(session, name)
	case errors.Is(err, pane.ErrNotFound):
		err = fmt.Errorf("%w: %w", ErrNoPane, err)
	}
	if err != nil {
		return Member{}, false, err
	}
	return memberOf(p), true, nil
}

// End implements [Roster]. A session that would have no pane left is ended as
// one, so that its name is free at once.
func (k kept) End(ctx context.Context, session, name string) error {
	left := 0
	for _, p := range k.keeper.List() {
		if p.Session() == session && p.Name() != name {
			left++
		}
	}
	var err error
	if name == "" || left == 0 {
		err = k.keeper.KillSession(ctx, session)
	} else {
		err = k.keeper.KillPane(ctx, session, name)
	}
	if errors.Is(err, pane.ErrNotFound) {
		err = fmt.Errorf("%w: %w", ErrNoPane, err)
	}
	return err
}
