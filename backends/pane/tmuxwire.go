package pane

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/pane/shells"
	"github.com/nod-console/nod/backends/tmux"
	"github.com/nod-console/nod/backends/vt"
)

// tmuxWire is a pane of a tmux session.
type tmuxWire struct {
	s *tmuxSession
	p *Pane

	mu sync.Mutex
	at tmux.Pane // where the pane is: another tmux pane after renew
}

var _ wire = (*tmuxWire)(nil)

func (w *tmuxWire) send(p []byte, sent func(error)) { w.s.connection().Type(w.id(), p, sent) }

// enter implements [wire]. The number is set by the same line of commands, of
// which tmux runs all or none.
func (w *tmuxWire) enter(p []byte, number int, sent func(error)) {
	w.s.connection().Enter(w.id(), p, enteredOption, strconv.Itoa(number), func(err error) {
		sent(lostLink(err))
	})
}

// lostLink makes an errLinkLost of an error that says so in tmux's words.
func lostLink(err error) error {
	if errors.Is(err, tmux.ErrGone) {
		return fmt.Errorf("%w: %w", errLinkLost, err)
	}
	return err
}

// enteredOption is the option of a tmux pane with the number of the run whose
// keys it got last.
const enteredOption = "@nod_entered"

// freshOption is the option of a tmux pane that says how the shell before the
// present one has ended, until a run has been told: the process that starts a
// fresh shell is often not the one that gives it its first command.
const freshOption = "@nod_fresh"

// told notes that a run has been told of the fresh shell. It does not block.
func (w *tmuxWire) told() {
	w.s.connection().Queue(nil, []string{"set-option", "-p", "-u", "-t", w.id(), freshOption})
}

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

const sightFormat = "#{" + enteredOption + "}|#{" + freshOption + "}|#{pane_dead}|#{pane_dead_status}|#{pane_dead_signal}|#{pane_pid}|#{pane_current_command}|#{n:pane_current_path}|#{pane_current_path}|#{pane_path}"

func (w *tmuxWire) look(then func(sight, error)) {
	w.s.connection().Queue(func(replies [][]string, err error) {
		if err != nil {
			then(sight{}, lostLink(err))
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

// glimpse implements [wire]: tmux knows everything anyway.
func (w *tmuxWire) glimpse(then func(sight, error)) { w.look(then) }

func parseSight(line string) (sight, error) {
	entered, line, _ := strings.Cut(line, "|")
	fresh, line, _ := strings.Cut(line, "|")
	f := strings.SplitN(line, "|", 7)
	if len(f) != 7 {
		return sight{}, fmt.Errorf("pane: not a look at a pane: %q", line)
	}
	// A folder's name may hold anything, so it comes with its length. That is
	// missing in tmux 3.0, and wrong if the program ended between the two.
	length, err := strconv.Atoi(f[5])
	if err != nil || length < 0 || length >= len(f[6]) || f[6][length] != '|' {
		length = max(0, strings.LastIndexByte(f[6], '|'))
	}
	pid, err := strconv.Atoi(f[3])
	if err != nil && f[3] != "" { // as in a dead pane from 3.7 on
		return sight{}, fmt.Errorf("pane: process id %q: %w", f[3], err)
	}
	s := sight{dead: f[0] == "1", pid: pid, command: f[4], dir: f[6][:length], path: strings.TrimPrefix(f[6][length:], "|")}
	s.entered, _ = strconv.Atoi(entered) // none yet
	s.fresh = fresh
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
		return fmt.Errorf("pane %s: hand over the command: %w", w.id(), lostLink(err))
	}
	return nil
}

func (w *tmuxWire) unstash(name string) {
	w.s.connection().Queue(nil, []string{"delete-buffer", "-b", name})
}

func (w *tmuxWire) fetch(name, command string) string {
	return shells.Program("tmux", command) + " show-buffer -b " + name
}

// refetch implements [wire]: the hooks know tmux.
func (w *tmuxWire) refetch(string, string) string { return "" }

func (w *tmuxWire) front(ctx context.Context, pid, home int) (front, error) {
	return frontOn(ctx, w.s.keeper.target, pid, home)
}

func (w *tmuxWire) renew(ctx context.Context) error {
	w.s.placing.Lock()
	defer w.s.placing.Unlock()
	// Half of it would leave a pane behind that nobody knows.
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), renewFor, errNoTmuxAnswer)
	defer cancel()
	w.p.mu.Lock()
	ended := w.p.rising.last.String()
	w.p.mu.Unlock()
	w.mu.Lock()
	old := w.at
	w.mu.Unlock()
	now, err := w.s.server.Replace(ctx, old, w.behindLastWords(ctx, old.ID, w.s.keeper.opt.Shell))
	if err != nil {
		return err
	}
	w.mu.Lock()
	w.at = now
	w.mu.Unlock()
	w.s.move(w.p, old.ID, now.ID)
	if _, err := w.s.server.Run(ctx, "set-option", "-p", "-t", now.ID, freshOption, ended); err != nil {
		return fmt.Errorf("leave word of it: %w", err)
	}
	return nil
}

// renewFor bounds the making of a pane with a fresh shell.
const renewFor = 5 * time.Second

var errNoTmuxAnswer = fmt.Errorf("tmux did not answer within %s", renewFor)

// lastLines bounds how much of what an ended shell's pane showed is kept above
// the fresh shell.
const lastLines = 2000

// startingPath is what stands in the place of a hook's account as long as the
// program in the pane is not the shell yet.
const startingPath = "nod:starting"

// behindLastWords is the command line of a shell which first shows again what
// the pane of the one before it has shown: tmux drops that with the pane. It is
// the plain one where that cannot be had.
func (w *tmuxWire) behindLastWords(ctx context.Context, id string, shell []string) []string {
	out, err := w.s.server.Run(ctx, "capture-pane", "-p", "-e", "-J", "-S", "-"+strconv.Itoa(lastLines), "-t", id)
	text := lastWords(string(out))
	if err != nil || text == "" {
		return shell
	}
	buffer := "nod-last-" + strings.TrimPrefix(id, "%")
	if err := w.stash(ctx, buffer, text); err != nil {
		return shell
	}
	const show = `t=$(tmux show-buffer -b "$0" 2>/dev/null; tmux delete-buffer -b "$0" 2>/dev/null) &&
printf '\033]7;` + startingPath + `\007%s\033[m\n\033]7;\007' "$t"; exec "$@"`
	return append([]string{"sh", "-c", show, buffer}, shell...)
}

// lastWords is the text of a dead pane, without the blank lines above tmux's
// own word on its end.
func lastWords(screen string) string {
	lines := strings.Split(strings.TrimRight(screen, " \n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	last := len(lines) - 1
	if strings.Contains(lines[last], "Pane is dead") {
		end := last
		for end > 0 && lines[end-1] == "" {
			end--
		}
		lines = append(lines[:end], lines[last])
	}
	return strings.TrimLeft(strings.Join(lines, "\n"), "\n")
}

func (w *tmuxWire) id() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.at.ID
}

// named takes note of the pane's other name, which a fresh shell's pane gets, too.
func (w *tmuxWire) named(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at.Name = name
}

func (w *tmuxWire) capture(ctx context.Context, opt CaptureOptions) (Capture, error) {
	return captureTmux(ctx, w.s.server, w.id(), opt)
}

func (w *tmuxWire) resize(size backends.Size) { w.s.connection().Resize(size) }

func (w *tmuxWire) attach() string {
	w.s.mu.RLock()
	defer w.s.mu.RUnlock()
	return w.s.server.AttachCommand(w.s.tmuxName)
}
