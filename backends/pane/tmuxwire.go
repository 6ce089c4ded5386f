package pane

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/tmux"
	"github.com/nod-console/nod/backends/vt"
)

// tmuxWire is a pane of a tmux session.
type tmuxWire struct {
	s *session
	p *Pane

	mu sync.Mutex
	at tmux.Pane // where the pane is: another tmux pane after renew
}

var _ wire = (*tmuxWire)(nil)

func (w *tmuxWire) send(p []byte, sent func(error)) { w.s.connection().Type(w.id(), p, sent) }

func (w *tmuxWire) keys(ctx context.Context, names []string) error {
	sent := make(chan error, 1)
	w.s.connection().Keys(w.id(), names, func(err error) { sent <- err })
	select {
	case err := <-sent:
		return err
	case <-ctx.Done():
		return fmt.Errorf("pane %s: keys: %w", w.id(), context.Cause(ctx))
	}
}

const sightFormat = "#{pane_dead}|#{pane_dead_status}|#{pane_dead_signal}|#{pane_pid}|#{pane_current_command}|#{n:pane_current_path}|#{pane_current_path}|#{pane_path}"

func (w *tmuxWire) look(then func(sight, error)) {
	w.s.connection().Queue(func(replies [][]string, err error) {
		if err != nil {
			then(sight{}, err)
			return
		}
		s, err := parseSight(strings.Join(replies[0], ""))
		if s.dead && s.outcome.State == backends.Unknown {
			// tmux (3.3a) sometimes misses the end of a program and leaves it a
			// zombie until the next child ends. So it gets one.
			w.s.connection().Queue(nil, []string{"run-shell", "-b", ":"})
		}
		then(s, err)
	}, []string{"display-message", "-p", "-t", w.id(), sightFormat})
}

func parseSight(line string) (sight, error) {
	f := strings.SplitN(line, "|", 7)
	if len(f) != 7 {
		return sight{}, fmt.Errorf("pane: not a look at a pane: %q", line)
	}
	// A folder's name may hold anything, so it comes with its length.
	length, err := strconv.Atoi(f[5])
	if err != nil || length < 0 || length >= len(f[6]) || f[6][length] != '|' {
		return sight{}, fmt.Errorf("pane: the folder in a look at a pane: %q", line)
	}
	pid, err := strconv.Atoi(f[3])
	if err != nil {
		return sight{}, fmt.Errorf("pane: process id %q: %w", f[3], err)
	}
	s := sight{dead: f[0] == "1", pid: pid, command: f[4], dir: f[6][:length], path: f[6][length+1:]}
	if status, err := strconv.Atoi(f[1]); err == nil && f[2] == "" {
		s.outcome = backends.ExitedWith(status)
	} else if f[2] != "" {
		s.outcome = backends.EndedBy(signalName(f[2]))
	}
	return s, nil
}

// signalName is the name of a signal that tmux gives by its number, or by its
// name. The numbers that differ between systems are left as they are.
func signalName(s string) backends.Signal {
	names := map[string]backends.Signal{
		"1": backends.HUP, "2": backends.INT, "3": backends.QUIT, "4": "ILL", "6": "ABRT", "8": "FPE",
		"9": backends.KILL, "11": "SEGV", "13": "PIPE", "14": "ALRM", "15": backends.TERM,
	}
	if name, ok := names[s]; ok {
		return name
	}
	return backends.Signal(strings.TrimPrefix(strings.ToUpper(s), "SIG"))
}

func (w *tmuxWire) reseed(fresh bool) {
	id := w.id()
	w.s.connection().Seed(id, fresh, func(s vt.Seed, err error) {
		if err == nil && w.s.pane(id) == w.p {
			w.p.seed(s, fresh)
		}
	})
}

func (w *tmuxWire) stash(ctx context.Context, name, text string) error {
	if _, err := w.s.connection().Do(ctx, "set-buffer", "-b", name, "--", text); err != nil {
		return fmt.Errorf("pane %s: hand over the command: %w", w.id(), err)
	}
	return nil
}

func (w *tmuxWire) unstash(name string) {
	w.s.connection().Queue(nil, []string{"delete-buffer", "-b", name})
}

func (w *tmuxWire) fetch(name string) string { return "tmux show-buffer -b " + name }

// program reads where the process's code, stack and arguments lie (proc(5),
// stat fields 26, 28, 48 and 50): the kernel draws these addresses anew with
// each exec. A target without /proc does not tell.
func (w *tmuxWire) program(ctx context.Context, pid int) (program, error) {
	var out bytes.Buffer
	proc, err := w.s.keeper.target.Exec(ctx, backends.Command{
		Argv: []string{"cat", fmt.Sprintf("/proc/%d/stat", pid)}, Stdout: &out,
	})
	if err != nil {
		return "", fmt.Errorf("pane %s: %w", w.id(), err)
	}
	if outcome, err := proc.Wait(); err != nil {
		return "", fmt.Errorf("pane %s: %w", w.id(), err)
	} else if !outcome.OK() {
		return "", nil
	}
	stat := out.String()
	f := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	const first = 3 // the number of the field behind the program's name
	if len(f) <= 50-first || f[28-first] == "0" {
		return "", nil
	}
	return program(strings.Join([]string{f[26-first], f[28-first], f[48-first], f[50-first]}, ".")), nil
}

func (w *tmuxWire) renew(ctx context.Context) error {
	w.s.placing.Lock()
	defer w.s.placing.Unlock()
	w.mu.Lock()
	old := w.at
	w.mu.Unlock()
	now, err := w.s.keeper.server.Replace(ctx, old, w.s.keeper.opt.Shell)
	if err != nil {
		return err
	}
	w.mu.Lock()
	w.at = now
	w.mu.Unlock()
	w.s.move(w.p, old.ID, now.ID)
	return nil
}

func (w *tmuxWire) id() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.at.ID
}

func (w *tmuxWire) capture(ctx context.Context, opt CaptureOptions) (Capture, error) {
	return captureTmux(ctx, w.s.keeper.server, w.id(), opt)
}

func (w *tmuxWire) resize(size backends.Size) { w.s.connection().Resize(size) }

func (w *tmuxWire) attach() string { return w.s.keeper.server.AttachCommand(w.s.tmuxName) }

// paneOf makes the pane for a tmux pane.
func (s *session) paneOf(t tmux.Pane) *Pane {
	p := &Pane{
		target:  s.keeper.target.Name(),
		session: s.name,
		name:    t.Name,
		turn:    make(chan struct{}, 1),
		change:  make(chan struct{}),
		subs:    map[chan struct{}]struct{}{},
		poke:    make(chan struct{}, 1),
		closed:  make(chan struct{}),
		stale:   true,
	}
	p.wire = &tmuxWire{s: s, p: p, at: t}
	p.turn <- struct{}{}
	size := s.keeper.opt.Size
	p.term = vt.New(vt.Size{Cols: size.Cols, Rows: size.Rows}, vt.Options{Scrollback: s.keeper.opt.Scrollback})
	p.scan.plain, p.scan.found = p.plain, p.marked
	return p
}
