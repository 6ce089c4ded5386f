package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/nod-console/nod/backends"
)

// process is a started program: the leader of a session and a process group
// that carry its id.
type process struct {
	pid    int
	child  *os.Process
	polite syscall.Signal // asks this kind of program to end

	exited chan struct{} // closed when the program has ended, perhaps not yet reaped
	done   chan struct{} // closed when outcome and err are set

	mu     sync.Mutex // held while signalling or reaping
	reaped bool

	outcome backends.Outcome
	err     error
	notice  string // of its output
}

var _ backends.Process = (*process)(nil)

func newProcess(child *os.Process, polite syscall.Signal) *process {
	return &process{
		pid:    child.Pid,
		child:  child,
		polite: polite,
		exited: make(chan struct{}),
		done:   make(chan struct{}),
	}
}

// Wait implements [backends.Process].
func (p *process) Wait() (backends.Outcome, error) {
	<-p.done
	return p.outcome, p.err
}

// OutputNotice says what [backends.OutputNotice] says of the program.
func (p *process) OutputNotice() string {
	<-p.done
	return p.notice
}

// Signal implements [backends.Process].
func (p *process) Signal(s backends.Signal) error {
	num := unix.SignalNum("SIG" + string(s))
	if num == 0 {
		return fmt.Errorf("local: no signal %q", s)
	}
	select {
	case <-p.exited:
		return nil
	default:
	}
	return p.signalGroup(num)
}

// signalGroup signals the process group, as long as its id is surely ours.
func (p *process) signalGroup(sig syscall.Signal) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.reaped {
		return nil
	}
	if err := syscall.Kill(-p.pid, sig); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("local: signal %s to process group %d: %w", unix.SignalName(sig), p.pid, err)
	}
	return nil
}

// supervise sees the program to its end. It returns when Wait does.
func (p *process) supervise(ctx context.Context, closing <-chan struct{}, s *streams) {
	defer close(p.done)
	go p.watch()

	var cause error
	select {
	case <-p.exited:
	case <-ctx.Done():
		cause = context.Cause(ctx)
	case <-closing:
		cause = ErrClosed
	case err := <-s.inputFailed:
		cause = fmt.Errorf("local: standard input: %w", err)
	}
	select {
	case <-p.exited: // it ended by itself, whatever else happened
		cause = nil
	default:
	}
	p.err = cause
	if cause != nil {
		if err := p.end(); err != nil {
			p.err = errors.Join(cause, err)
		}
	}
	select {
	case <-p.exited:
		var err error
		if p.outcome, err = p.reap(); err != nil {
			p.err = errors.Join(p.err, err)
		}
	default: // it resists even KILL; the outcome stays unknown
		go func() {
			<-p.exited
			_, _ = p.reap() // nobody waits for it any more
		}()
	}
	p.notice = s.finish()
}

// watch notices the program's end without reaping it.
func (p *process) watch() {
	defer close(p.exited)
	awaitExit(p.pid)
}

// reap collects the ended program; its id is not ours afterwards.
func (p *process) reap() (backends.Outcome, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reaped = true
	state, err := p.child.Wait()
	if err != nil {
		return backends.Outcome{}, fmt.Errorf("local: wait for process %d: %w", p.pid, err)
	}
	return outcomeOf(state), nil
}

func outcomeOf(state *os.ProcessState) backends.Outcome {
	status, ok := state.Sys().(syscall.WaitStatus)
	switch {
	case ok && status.Exited():
		return backends.ExitedWith(status.ExitStatus())
	case ok && status.Signaled():
		return backends.EndedBy(signalName(status.Signal()))
	}
	return backends.Outcome{}
}

func signalName(sig syscall.Signal) backends.Signal {
	if name, ok := strings.CutPrefix(unix.SignalName(sig), "SIG"); ok {
		return backends.Signal(name)
	}
	return backends.Signal(fmt.Sprint(int(sig))) // real-time signals have no name
}

// end makes the program and everything in its session end: politely, then by
// force. The error says that something resisted.
func (p *process) end() error {
	err := p.signalSession(p.polite)
	if p.gone(backends.KillDelay, 0) {
		return nil
	}
	if e := p.signalSession(syscall.SIGKILL); e != nil {
		err = e
	}
	if p.gone(backends.KillDelay, syscall.SIGKILL) {
		return nil
	}
	return errors.Join(fmt.Errorf("local: process %d did not end", p.pid), err)
}

// signalSession signals the process group at once and whatever else belongs to
// the session one by one. A stopped program is continued, or it could not act
// on a polite signal.
func (p *process) signalSession(sig syscall.Signal) error {
	err := p.signalGroup(sig)
	if e := p.signalGroup(syscall.SIGCONT); err == nil {
		err = e
	}
	for _, m := range sessionMembers(p.pid) {
		if m.group != p.pid {
			m.signal(p.pid, sig)
			m.signal(p.pid, syscall.SIGCONT)
		}
	}
	return err
}

// gone waits until the program and its session have ended, for at most d. With
// a signal it sends that again to what has been started meanwhile.
func (p *process) gone(d time.Duration, again syscall.Signal) bool {
	limit := time.After(d)
	for pause := 2 * time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		select {
		case <-p.exited:
			if len(sessionMembers(p.pid)) == 0 {
				return true
			}
		default:
		}
		select {
		case <-limit:
			return false
		case <-time.After(pause):
		}
		if again != 0 {
			_ = p.signalSession(again) // the first attempt's error is the one reported
		}
	}
}
