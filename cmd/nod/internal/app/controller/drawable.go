package controller

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/nod-console/nod/backends/local"
	"github.com/nod-console/nod/backends/tmux"
	"github.com/nod-console/nod/ui/screen"
)

// Undrawable is why the terminal cannot show the screen, and what to do; both are
// empty if it can, as far as the environment tells.
func Undrawable(getenv func(string) string) (why, remedy string) {
	if getenv("TERM") == "dumb" {
		return `TERM is "dumb": such a terminal cannot show a screen`, "set TERM to what it is"
	}
	var charset *screen.CharsetError
	if err := screen.Charset(getenv); errors.As(err, &charset) {
		return err.Error(), "start nod with " + charset.Variable + "=C.UTF-8 if the terminal shows that, as nearly all do"
	}
	return "", ""
}

const (
	// Underscored is said where tmux shows other letters than nod draws.
	Underscored = `the tmux around nod shows "_" for all that is not ASCII, so that texts that differ look the same`
	// WantsUTF8 is the remedy.
	WantsUTF8 = "detach, and attach with tmux -u"
)

// tmuxTime bounds the question to the tmux around nod.
const tmuxTime = 5 * time.Second

// Underscores reports whether nod runs in a tmux that the operator looks at
// through a client for ASCII alone.
func Underscores(ctx context.Context, getenv func(string) string) bool {
	socket, _, inside := strings.Cut(getenv("TMUX"), ",")
	if !inside {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, tmuxTime)
	defer cancel()
	target := local.New(os.Environ())
	defer target.Close() //nolint:errcheck // nothing runs on it any more
	server, err := tmux.Open(ctx, target, tmux.Options{Socket: socket})
	if err != nil {
		return false
	}
	out, err := server.Run(ctx, "display-message", "-p", "-t", getenv("TMUX_PANE"), "#{client_utf8}")
	return err == nil && strings.TrimSpace(string(out)) == "0"
}

// checkTmuxAround warns where the tmux around nod spoils what is shown.
func (d *Controller) checkTmuxAround(ctx context.Context) {
	if Underscores(ctx, d.Sys.Getenv) {
		d.screen.Notify(Underscored + "; " + WantsUTF8)
	}
}
