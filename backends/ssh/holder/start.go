package holder

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"

	"github.com/nod-console/nod/backends/ssh"
)

// Starter starts holders.
type Starter struct {
	// Command is the program, with its arguments, that calls Hold on its Pipe.
	Command []string
	// Env is the environment of holders.
	Env []string
	// Withhold are names of settings that holders do not get.
	Withhold []string
}

// The descriptors of the pipe in a holder.
const (
	orders  = 3
	replies = 4
)

// inBackground is what sh runs: the holder gets no terminal and no streams but
// the pipe and its log.
const inBackground = `umask 077; log=$1; shift; "$@" </dev/null >/dev/null 2>"$log" &`

// Start returns the holder of o.Host, which it starts if there is none. The
// login's questions go to ask, and its steps to step (which may be nil). When
// ctx ends before the login is done, the holder ends.
//
// The error is a *LoginError if the host could not be reached or let nobody in.
func (s Starter) Start(ctx context.Context, o Order, ask ssh.Asker, step func(ssh.Step)) (Info, error) {
	host, err := ssh.Parse(o.Host)
	if err != nil {
		return Info{}, err
	}
	if err := o.Folder.Check(); err != nil {
		return Info{}, err
	}
	if err := o.Folder.Prepare(); err != nil {
		return Info{}, err
	}
	if info, err := o.Folder.Status(ctx, host); err == nil {
		return info, nil
	}
	if step == nil {
		step = func(ssh.Step) {}
	}
	in, out, err := s.run(o.Folder.base(host) + logEnd)
	if err != nil {
		return Info{}, fmt.Errorf("holder: start: %w", err)
	}
	// The end of the pipe ends the holder before it is ready, and the reading
	// here.
	stop := context.AfterFunc(ctx, func() { _, _ = out.Close(), in.Close() })
	defer func() { _, _, _ = stop(), out.Close(), in.Close() }()
	info, err := follow(ctx, newPipe(in, out), o, ask, step)
	if ctx.Err() != nil {
		return Info{}, context.Cause(ctx)
	}
	return info, err
}

// follow talks with a holder until it is ready.
func follow(ctx context.Context, p *pipe, o Order, ask ssh.Asker, step func(ssh.Step)) (Info, error) {
	if err := p.send(message{Order: &o}); err != nil {
		return Info{}, err
	}
	for {
		m, err := p.receive()
		switch {
		case errors.Is(err, io.EOF):
			return Info{}, errors.New("holder: it ended before it was ready; nod doctor looks for the reason")
		case err != nil:
			return Info{}, err
		case m.Ready != nil:
			return *m.Ready, nil
		case m.Failed != nil:
			return Info{}, m.Failed
		case m.Step != nil:
			step(*m.Step)
		default:
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

// run starts the holder's process and returns this side of the pipe.
func (s Starter) run(log string) (in, out *os.File, err error) {
	theirIn, out, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	in, theirOut, err := os.Pipe()
	if err != nil {
		return nil, nil, errors.Join(err, theirIn.Close(), out.Close())
	}
	cmd := exec.Command("/bin/sh", slices.Concat([]string{"-c", inBackground, "sh", log}, s.Command)...) //nolint:gosec,noctx // nod itself; it outlives every context
	cmd.Env = slices.DeleteFunc(slices.Clone(s.Env), func(setting string) bool {
		name, _, _ := strings.Cut(setting, "=")
		return slices.Contains(s.Withhold, name)
	})
	cmd.ExtraFiles = []*os.File{orders - 3: theirIn, replies - 3: theirOut}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = cmd.Run()
	_, _ = theirIn.Close(), theirOut.Close() // the holder has its own
	if err != nil {
		return nil, nil, errors.Join(err, in.Close(), out.Close())
	}
	return in, out, nil
}

// Pipe is the pipe to the starter, in a process that Start has started.
func Pipe() (in, out *os.File, err error) {
	for _, fd := range []int{orders, replies} {
		var st syscall.Stat_t
		if err := syscall.Fstat(fd, &st); err != nil || st.Mode&syscall.S_IFMT != syscall.S_IFIFO {
			return nil, nil, errors.New("holder: this command is for nod itself; use nod ssh start HOST")
		}
		syscall.CloseOnExec(fd)
	}
	return os.NewFile(orders, "orders"), os.NewFile(replies, "replies"), nil
}
