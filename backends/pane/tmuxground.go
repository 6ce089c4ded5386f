package pane

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nod-console/nod/backends/pane/shells"
	"github.com/nod-console/nod/backends/tmux"
	"github.com/nod-console/nod/backends/vt"
)

// tmuxGround is a tmux server of the target.
type tmuxGround struct {
	keeper *Keeper
	server *tmux.Server
	owner  string
	took   time.Duration // the first command, which adopt gives

	measuring sync.Mutex
	widths    *vt.Widths // nil as long as the server has not been asked
}

var _ ground = (*tmuxGround)(nil)

// openTmux checks the target's tmux.
func openTmux(ctx context.Context, k *Keeper) (*tmuxGround, error) {
	server, err := tmux.Open(ctx, k.target, tmux.Options{Socket: k.opt.Socket, Config: k.opt.Config})
	if err != nil {
		return nil, err
	}
	return &tmuxGround{keeper: k, server: server, owner: tmux.Owner()}, nil
}

// adopt takes over or ends the sessions of dead processes of the same agent.
func (g *tmuxGround) adopt(ctx context.Context) ([]session, error) {
	begun := time.Now()
	there, err := g.server.Sessions(ctx)
	g.took = time.Since(begun)
	if err != nil {
		return nil, err
	}
	var adopted []session
	for _, t := range there {
		name, ours := strings.CutPrefix(t.Name, tmuxName(g.keeper.opt.Agent, ""))
		if !ours || !tmux.OwnerGone(t.Owner) {
			continue
		}
		s, err := g.adoptOne(ctx, name, t)
		if err != nil && !errors.Is(err, tmux.ErrNoSession) {
			return adopted, err
		}
		if s != nil {
			adopted = append(adopted, s)
		}
	}
	return adopted, nil
}

// adoptOne returns nil without an error for a session that is not worth it.
func (g *tmuxGround) adoptOne(ctx context.Context, name string, t tmux.Session) (session, error) {
	panes, err := g.server.Panes(ctx, t.ID)
	if err != nil {
		return nil, err
	}
	given := name == DefaultSession && g.keeper.opt.Pane != "" // its place is taken
	if given && !isIdle(panes) {
		return nil, nil
	}
	if mine, err := g.server.Adopt(ctx, t.ID, t.Owner, g.owner); err != nil || !mine {
		return nil, err
	}
	if err := g.server.EndClients(ctx, t.ID); err != nil {
		return nil, err
	}
	if (name != DefaultSession || given) && isIdle(panes) {
		return nil, g.server.Kill(ctx, t.ID)
	}
	return g.join(ctx, name, t.ID, t.Name)
}

// emulation is how the emulator is to follow the server: its release, and how
// wide its C library takes characters to be. The server must run. Where it does
// not tell, the widths that most have are taken, and it is asked again for the
// next session.
func (g *tmuxGround) emulation(ctx context.Context) vt.Options {
	g.measuring.Lock()
	defer g.measuring.Unlock()
	if g.widths == nil {
		ask := g.server.Widths
		if g.took >= crawling {
			ask = g.server.WidthsInParts
		}
		if w, err := ask(ctx); err == nil {
			g.widths = w
		}
	}
	return vt.Options{
		Scrollback: g.keeper.opt.Scrollback,
		Release:    vt.Release(g.server.Version()), Widths: g.widths,
	}
}

// crawling is how long a command of tmux takes at least where the link to the
// target is slow: 2 s at 1 KB/s, less than a quarter of one at 100 ms.
const crawling = time.Second

// join connects to a session that is ours.
func (g *tmuxGround) join(ctx context.Context, name, id, tmuxName string) (session, error) {
	s := newTmuxSession(g.keeper, g.server, name, id, tmuxName)
	s.emulate = g.emulation(ctx)
	if err := s.join(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// sameName bounds how many processes may use one agent's name at a time.
const sameName = 100

// createWait bounds the making of a session, which takes more than half of it on
// a link of 1 KB/s. That a link is dead shows earlier.
const createWait = time.Minute

// create makes a session. Where a living process of the same agent has one of
// that name, a number is added to it on the server. It does not stop half way
// when ctx ends: the server may have made the session by then, and nobody would
// know that it is ours to end.
func (g *tmuxGround) create(ctx context.Context, name string) (session, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), createWait)
	defer cancel()
	opt := g.keeper.opt
	for n := 1; ; n++ {
		full := tmuxName(opt.Agent, name)
		if n > 1 {
			full = fmt.Sprintf("%s-%d", full, n)
		}
		id, err := g.server.Create(ctx, tmux.NewSession{
			Name: full, Window: SharedPane, Owner: g.owner,
			Size: opt.Size, Scrollback: opt.Scrollback, Shell: opt.Shell,
		})
		var refused *tmux.CommandError
		if errors.As(err, &refused) && strings.Contains(refused.Message, "duplicate session") && n < sameName {
			continue
		}
		if err != nil {
			return nil, err
		}
		s, err := g.join(ctx, name, id, full)
		if err != nil {
			return nil, errors.Join(err, g.server.Kill(context.WithoutCancel(ctx), id))
		}
		return s, nil
	}
}

// isIdle reports whether nothing but shells runs in the panes of a session.
func isIdle(panes []tmux.Pane) bool {
	for _, p := range panes {
		if !p.Dead && !shells.Is(p.Command) {
			return false
		}
	}
	return true
}

// tmuxName is the name of a session on the server.
func tmuxName(agent, name string) string { return tmux.Prefix + agent + "-" + name }
