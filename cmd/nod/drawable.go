package main

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/nod-console/nod/backends/local"
	"github.com/nod-console/nod/backends/tmux"
	"github.com/nod-console/nod/ui/screen"
)

// undrawable is why the terminal cannot show the screen, and what to do; both are
// empty if it can, as far as the environment tells.
func (a *app) undrawable() (why, remedy string) {
	if a.getenv("TERM") == "dumb" {
		return `TERM is "dumb": such a terminal cannot show a screen`, "set TERM to what it is"
	}
	var charset *screen.CharsetError
	if err := screen.Charset(a.getenv); errors.As(err, &charset) {
		return err.Error(), "start nod with " + charset.Variable + "=C.UTF-8 if the terminal shows that, as nearly all do"
	}
	return "", ""
}

const (
	underscored = `the tmux around nod shows "_" for all that is not ASCII, so that texts that differ look the same`
	wantsUTF8   = "detach, and attach with tmux -u"
)

// underscores reports whether nod runs in a tmux that the operator looks at
// through a client for ASCII alone.
func (a *app) underscores(ctx context.Context) bool {
	socket, _, inside := strings.Cut(a.getenv("TMUX"), ",")
	if !inside {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	target := local.New(os.Environ())
	defer target.Close() //nolint:errcheck // nothing runs on it any more
	server, err := tmux.Open(ctx, target, tmux.Options{Socket: socket})
	if err != nil {
		return false
	}
	out, err := server.Run(ctx, "display-message", "-p", "-t", a.getenv("TMUX_PANE"), "#{client_utf8}")
	return err == nil && strings.TrimSpace(string(out)) == "0"
}

// checkTmuxAround warns where the tmux around nod spoils what is shown.
func (d *station) checkTmuxAround(ctx context.Context) {
	if d.app.underscores(ctx) {
		d.screen.Notify(underscored + "; " + wantsUTF8)
	}
}
