package targets

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/nod-console/nod/cmd/nod/internal/config"
)

// OwnPane is a pane that the operator already has, and its server.
type OwnPane struct {
	id     string // "%3"
	socket string // as tmux -S, or -L without a slash
}

var paneID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^%[0-9]{1,9}$`) })

// FindOwnPane is the pane that --pane names; nil if it names none. Its server
// is the one that is said by --tmux-socket, else the one in which nod itself
// runs, else the one that the configuration names.
func FindOwnPane(c *config.Config, getenv func(string) string, socket, id string) (*OwnPane, error) {
	if id == "" {
		return nil, nil //nolint:nilnil // no flag is no error
	}
	if !paneID().MatchString(id) {
		return nil, fmt.Errorf("--pane %q: want the id of a pane, such as %%3; tmux list-panes -a shows them", id)
	}
	inside, _, _ := strings.Cut(getenv("TMUX"), ",")
	e := &OwnPane{id: id}
	switch {
	case socket != "":
		e.socket = socket
	case inside != "":
		e.socket = inside
	case c.Origin("tmux.socket") != config.Default:
		e.socket = c.Tmux.Socket
	default:
		return nil, fmt.Errorf("--pane %s: of which tmux server? start nod inside of it, or name its socket with --tmux-socket, or as socket in [tmux]", id)
	}
	if e.socket == inside && id == getenv("TMUX_PANE") {
		return nil, errors.New("--pane " + id + ": that is the pane in which nod itself runs; make another one and name that: tmux split-window -h -d -P -F '#{pane_id}'")
	}
	return e, nil
}
