package pane

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// ground is what a keeper's sessions stand on: a tmux server, or the target's
// own terminals.
type ground interface {
	// adopt takes over what an earlier process has left behind.
	adopt(ctx context.Context) ([]session, error)
	// create makes a session with a shared pane. The context bounds the making;
	// what has been made by then is not lost sight of.
	create(ctx context.Context, name string) (session, error)
}

// session is a group of panes with a name.
type session interface {
	name() string
	// panes are those that can be used, in no order.
	panes() []*Pane
	// add makes a pane.
	add(ctx context.Context, name string) (*Pane, error)
	// rename gives a pane another name.
	rename(ctx context.Context, p *Pane, name string) error
	// remove ends a pane and what runs in it.
	remove(ctx context.Context, p *Pane) error
	// tend keeps the session until ctx or the session ends. The error says why
	// the session has ended; it is nil when ctx has.
	tend(ctx context.Context) error
	// abandon takes the panes out of use.
	abandon(why error)
	// kill ends the session on the target and what runs in it.
	kill(ctx context.Context) error
	// close gives up the connection to the session.
	close()
}

// named is the pane of a session by its name, or nil.
func named(s session, name string) *Pane {
	for _, p := range s.panes() {
		if p.Name() == name {
			return p
		}
	}
	return nil
}

// PaneName is how a pane is called whose name was given as name: in small letters.
// The error quotes a name that no pane can have.
func PaneName(name string) (string, error) { return canonical("pane", name) }

// canonical checks the name of a session, pane or agent.
func canonical(what, name string) (string, error) {
	const most = 32
	name = strings.ToLower(strings.TrimSpace(name))
	if name == "" || len(name) > most || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" || name[0] == '-' {
		return "", fmt.Errorf("pane: %s %q: want 1 to %d letters, digits, \"-\" and \"_\"", what, name, most)
	}
	return name, nil
}

// errKilled is why the panes of a killed session cannot be used.
var errKilled = errors.New("killed")
