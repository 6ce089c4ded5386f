package ssh

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/posix"
)

// remoteShell is the shell that stays at the other end for as long as the
// connection. It can end programs also when the server allows no further session.
type remoteShell struct {
	*posix.RemoteShell
	s     session
	about about
}

// about is what the other end is.
type about struct {
	dialect
	own    bool // programs start in sessions of their own
	proc   bool // there is a /proc as on Linux
	setsid bool
	system string // "Linux"
	uid    string
	user   string
	home   string
	shell  string
	umask  string
}

// startRemoteShell starts the remote shell. The error quotes what the other side says
// instead.
func startRemoteShell(ctx context.Context, l link, open func(context.Context, request) (session, error)) (*remoteShell, error) {
	nonce := posix.NewNonce()
	line, err := commandLine("", "nod_n="+nonce+"\n"+posix.Brief(posix.EndingScript)+posix.Brief(remoteShellScript), dialect{})
	line += quoteProbe
	if err != nil {
		return nil, err
	}
	s, err := open(ctx, request{command: line, remoteShell: true})
	if errors.Is(err, errRefused) {
		if gone := silent(ctx, l); gone != nil {
			return nil, gone
		}
		return nil, ErrNoShell
	}
	if err != nil {
		return nil, err
	}
	a := &remoteShell{RemoteShell: posix.NewRemoteShell(nonce, s, s.close), s: s}
	complaint := &posix.Tail{}
	go func() { _, _ = io.Copy(complaint, s.stderr()) }() // ends with the session
	r := bufio.NewReaderSize(s, 64<<10)
	var before posix.Tail
	greeting, cancel := limited(ctx, l, shellTime)
	_, err = posix.Interruptible(greeting, func() (struct{}, error) { return struct{}{}, a.Greet(r, &before, a.about.learn) }, func(struct{}) {})
	cancel()
	if err != nil {
		s.close()
		if gone := silent(ctx, l); gone != nil {
			return nil, gone
		}
		if errors.Is(err, io.EOF) || errors.Is(err, posix.ErrNotUnderstood) || errors.Is(err, ErrTimeout) {
			return nil, fmt.Errorf("%w: %w", ErrNoShell, describeSilence(err, before.LastWords(), complaint.LastWords()))
		}
		return nil, err
	}
	go a.Listen(r, nil)
	return a, nil
}

// silent is the error of a link whose end looked like the session's own end: what
// is wrong there lasts, what is wrong with the link does not. The sessions on a
// link may end a moment before it does, and who holds it answers until then.
func silent(ctx context.Context, l link) error {
	for _, pause := range []time.Duration{0, backends.DrainDelay} {
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if !echo(ctx, l, openTime) {
			return fmt.Errorf("%w: it does not answer any more", ErrLost)
		}
	}
	return nil
}

func describeSilence(err error, stdout, stderr string) error {
	if errors.Is(err, io.EOF) {
		err = errors.New("it ends at once")
	}
	said := strings.TrimSpace(strings.TrimSpace(stderr) + "\n" + strings.TrimSpace(stdout))
	if said == "" {
		return fmt.Errorf("%w and says nothing; is there a ForceCommand, or a login shell like nologin?", err)
	}
	return fmt.Errorf("%w; it says %q; is there a ForceCommand, or a login shell like nologin?", err, said)
}

// learn takes one fact.
func (a *about) learn(key, value string) {
	switch key {
	case "quote":
		a.posix = value == quotePosix
	case "proc":
		a.proc = value == "yes"
	case "own":
		a.own = value == "yes"
	case "setsid":
		a.setsid = value == "yes"
	case "system":
		a.system = value
	case "uid":
		a.uid = value
	case "user":
		a.user = value
	case "home":
		a.home = value
	case "shell":
		a.shell = value
	case "umask":
		a.umask = value
	}
}

// steps is how many looks of 50 ms make up KillDelay.
const steps = int(backends.KillDelay / (50 * time.Millisecond))

// end makes a group and a session end. It returns when they have, or when
// something resists even the KILL.
func (a *remoteShell) end(ctx context.Context, group, sid int, polite backends.Signal) error {
	answer, err := a.Ask(ctx, "end", strconv.Itoa(group), strconv.Itoa(sid), string(polite), strconv.Itoa(steps))
	if err != nil {
		return err
	}
	if answer != "ok" {
		return fmt.Errorf("something in process group %d did not end", group)
	}
	return nil
}

// signal signals a group. One that has ended is no error.
func (a *remoteShell) signal(ctx context.Context, group int, s backends.Signal) error {
	answer, err := a.Ask(ctx, "signal", strconv.Itoa(group), string(s))
	if err != nil {
		return err
	}
	if answer == "denied" {
		return fmt.Errorf("process group %d may not be signalled by this user", group)
	}
	return nil
}

// close ends the remote shell, which ends by itself when its input does.
func (a *remoteShell) close() {
	go func() { _ = a.s.closeInput() }() // on a frozen link it would block
	select {
	case <-a.Ended():
	case <-time.After(backends.DrainDelay):
		a.s.close()
	}
}
