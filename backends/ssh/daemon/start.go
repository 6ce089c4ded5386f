package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/nod-console/nod/backends/ssh"
	"github.com/nod-console/nod/backends/ssh/mux"
)

// Starter starts the daemon.
type Starter struct {
	// Command is the program, with its arguments, that calls Serve. The folder
	// comes as one more argument.
	Command []string
	// Env is the environment of logins.
	Env []string
	// Withhold are names of settings that neither they nor the daemon get.
	Withhold []string
}

// inBackground is what sh runs: the daemon gets no terminal and no streams but its
// log.
const inBackground = `umask 077; log=$1; shift; "$@" </dev/null >/dev/null 2>"$log" &`

// Start returns the connection to o.Host, which is made if there is none. The
// login's questions go to ask, and its steps to step (which may be nil). When
// ctx ends before the login is done, the login ends.
//
// The error is a *LoginError if the host could not be reached or let nobody in.
func (s Starter) Start(ctx context.Context, o Order, ask ssh.Asker, step func(ssh.Step)) (Info, error) {
	if _, err := ssh.Parse(o.Host); err != nil {
		return Info{}, err
	}
	if err := o.Folder.Check(); err != nil {
		return Info{}, err
	}
	if err := o.Folder.Prepare(); err != nil {
		return Info{}, err
	}
	if step == nil {
		step = func(ssh.Step) {}
	}
	o.Env = s.env()
	if dir, err := os.Getwd(); err == nil { // else what is started there says so
		o.Dir = dir
	}
	if o.Config != "" {
		absolute, err := filepath.Abs(o.Config)
		if err != nil {
			return Info{}, fmt.Errorf("ssh: %w", err)
		}
		o.Config = absolute
	}
	return staying(ctx, func() (Info, error) { return s.start(ctx, o, ask, step) })
}

func (s Starter) env() []string {
	return slices.DeleteFunc(slices.Clone(s.Env), func(setting string) bool {
		name, _, _ := strings.Cut(setting, "=")
		return slices.Contains(s.Withhold, name)
	})
}

func (s Starter) start(ctx context.Context, o Order, ask ssh.Asker, step func(ssh.Step)) (Info, error) {
	conn, err := s.dial(ctx, o.Folder)
	if err != nil {
		return Info{}, err
	}
	// Its end ends a login that is under way, and the reading here.
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer func() { _, _ = stop(), conn.Close() }()
	return follow(ctx, newPipe(conn, conn), o, ask, step)
}

// errLeaving says that the daemon was just about to end.
var errLeaving = errors.New("ssh: the daemon has ended; nod doctor looks for the reason")

// staying asks anew where the daemon was about to end: soon there is none, or another.
// It gives up after startTime, and asks ever more seldom: a daemon that ends at each
// question is not started hundreds of times.
func staying[T any](ctx context.Context, ask func() (T, error)) (T, error) {
	limit := time.Now().Add(startTime)
	for pause := startPause; ; pause = min(2*pause, 100*startPause) {
		got, err := ask()
		if err == nil {
			return got, nil
		}
		var none T
		if ctx.Err() != nil {
			return none, context.Cause(ctx)
		}
		if !errors.Is(err, errLeaving) || time.Now().After(limit) {
			return none, err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return none, context.Cause(ctx)
		}
	}
}

// follow talks with the daemon until the connection is there.
func follow(ctx context.Context, p *pipe, o Order, ask ssh.Asker, step func(ssh.Step)) (Info, error) {
	if err := p.send(message{Order: &o}); err != nil {
		return Info{}, errLeaving
	}
	for heard := false; ; heard = true {
		m, err := p.receive()
		switch {
		case err != nil && !heard:
			return Info{}, errLeaving
		case errors.Is(err, io.EOF):
			return Info{}, errors.New("ssh: the daemon ended during the login; nod doctor looks for the reason")
		case err != nil:
			return Info{}, err
		case m.Ready != nil:
			return *m.Ready, nil
		case m.Failed != nil:
			return Info{}, m.Failed
		case m.Step != nil:
			step(*m.Step)
		case m.HostKey != nil || m.Secret != nil:
			said, err := answered(ctx, m, ask)
			if err != nil {
				return Info{}, err
			}
			if err := p.send(message{Answer: &said}); err != nil {
				return Info{}, err
			}
		}
	}
}

// errNoDaemon says that no daemon runs.
var errNoDaemon = errors.New("ssh: no daemon runs")

// dial connects to the daemon that runs.
func (f Folder) dial(ctx context.Context) (net.Conn, error) {
	conn, err := mux.DialSocket(ctx, new(net.Dialer), filepath.Join(string(f), daemonSocket))
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ECONNREFUSED):
		return nil, errNoDaemon
	case err != nil:
		return nil, fmt.Errorf("ssh: the daemon: %w", err)
	}
	return conn, nil
}

const (
	// startTime is how long a daemon may take until it listens.
	startTime = 30 * time.Second
	// startPause is the time between two looks for it.
	startPause = 5 * time.Millisecond
)

// dial connects to the daemon, which it starts if none runs.
func (s Starter) dial(ctx context.Context, f Folder) (net.Conn, error) {
	conn, err := f.dial(ctx)
	if !errors.Is(err, errNoDaemon) {
		return conn, err
	}
	log := filepath.Join(string(f), daemonLog)
	cmd := exec.Command("/bin/sh", slices.Concat([]string{"-c", inBackground, "sh", log}, s.Command, []string{string(f)})...) //nolint:gosec,noctx // nod itself; it outlives every context
	cmd.Env, cmd.Dir = s.env(), "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("ssh: start the daemon: %w", err)
	}
	limit := time.NewTimer(startTime)
	defer limit.Stop()
	for {
		conn, err := f.dial(ctx)
		if !errors.Is(err, errNoDaemon) {
			return conn, err
		}
		select {
		case <-time.After(startPause):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-limit.C:
			said, _ := os.ReadFile(log) // it may say nothing
			return nil, fmt.Errorf("ssh: the daemon does not start: %s; nod doctor looks for the reason", strings.TrimSpace(string(said)))
		}
	}
}
