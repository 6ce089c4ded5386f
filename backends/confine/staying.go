package confine

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/posix"
)

// Staying is a target with a shell that stays at the other end for as long as nod's
// connection, and can run scripts of nod's.
type Staying interface {
	backends.Target
	// StayingShell is that shell. The error says why none can be had.
	StayingShell(ctx context.Context) (*posix.RemoteShell, error)
}

// stayingShell is the shell that stays at a target; nil if there is none.
func stayingShell(ctx context.Context, t backends.Target) *posix.RemoteShell {
	if staying, ok := t.(Staying); ok {
		if shell, err := staying.StayingShell(ctx); err == nil {
			return shell
		}
	}
	return nil
}

// errNoShell says that the shell does not run the scripts, or has ended.
var errNoShell = errors.New("the shell that stays there runs no scripts")

// byShell installs the helper by the shell that stays there, which costs no session. It
// returns what the script says in the end.
func (i *installation) byShell(ctx context.Context, shell *posix.RemoteShell) (string, error) {
	script := posix.Brief(installScript) + posix.Brief(stayScript) +
		fmt.Sprintf("nod_look '%s' %s %s\nnod_open\n", i.stays(), digestOf(i.sent(forAMD64)), digestOf(i.sent(forARM64)))
	line, err := shell.Run(ctx, script)
	place, name := "0", posix.NewNonce()
	for err == nil {
		processor, wants := strings.CutPrefix(line, "want ")
		next, goesOn := strings.CutPrefix(line, "next ")
		switch {
		case wants:
			i.processor = processor
		case goesOn && next != place && i.processor != "":
			place = next
		default:
			return line, nil
		}
		sent := i.sent(helperFor(i.processor))
		line, err = shell.Call(ctx, sent, "nod_bring", place, strconv.Itoa(len(sent)), name)
	}
	if ctx.Err() == nil {
		err = fmt.Errorf("%w: %w", errNoShell, err)
	}
	return "", err
}
