package pane

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/pane/marks"
	"github.com/nod-console/nod/backends/vt"
)

// bareTerm is what the emulator is to programs: they know tmux's keys and
// sequences by this name, and more systems have it than "tmux-256color".
const bareTerm = "screen-256color"

// bareWire is a pane on a terminal of the target's that nod holds itself. The
// pane's emulator is the terminal: it answers what programs ask.
type bareWire struct {
	ground *bareGround
	p      *Pane

	mu    sync.Mutex
	shell *bareShell // another one after renew
	hung  bool       // no shell is to be started any more
}

var _ wire = (*bareWire)(nil)

// newBareWire makes a pane and starts the shell in it.
func newBareWire(ctx context.Context, g *bareGround, session, name string) (*bareWire, error) {
	k := g.keeper
	w := &bareWire{ground: g}
	p := newPane(k, session, name, vt.Options{Scrollback: k.opt.Scrollback, Reflow: true, Reply: w.reply})
	w.p = p
	size := vt.Size{Cols: k.opt.Size.Cols, Rows: k.opt.Size.Rows}
	p.wire, p.types = w, true
	p.seeded, p.stale = true, false
	sh, err := w.start(ctx, size)
	if err != nil {
		if p.tap != nil {
			p.tap.Closed()
		}
		return nil, err
	}
	w.shell = sh
	p.Retap()
	sh.released()
	return w, nil
}

// reply types what the emulator answers. Where the program reads nothing, it
// does not read that either.
func (w *bareWire) reply(answer []byte) { w.send(bytes.Clone(answer), nil) }

// current is the shell in the pane.
func (w *bareWire) current() *bareShell {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.shell
}

// enter implements [wire]. There is no connection that could be lost and come
// back.
func (w *bareWire) enter(p []byte, _ int, sent func(error)) { w.send(p, sent) }

// send implements [wire].
func (w *bareWire) send(p []byte, sent func(error)) {
	if sent == nil {
		sent = func(error) {}
	}
	w.current().typist.put(p, sent)
}

// keys implements [wire].
func (w *bareWire) keys(ctx context.Context, names []string) error {
	w.p.mu.Lock()
	modes := w.p.term.Snapshot().Modes
	w.p.mu.Unlock()
	sent := make(chan error, 1)
	w.send(keyBytes(names, modes), func(err error) { sent <- err })
	select {
	case err := <-sent:
		return err
	case <-ctx.Done():
		return fmt.Errorf("pane %s: keys: %w", w.id(), overdue(ctx))
	}
}

// reseed implements [wire]: there is nothing to know but what the emulator does.
func (w *bareWire) reseed(bool) {
	w.p.mu.Lock()
	defer w.p.mu.Unlock()
	w.p.seeded, w.p.stale = true, false
	w.p.changed()
}

// stash implements [wire]. Texts are handed over by typing here (see typedWire),
// and so none of these four is used.
func (w *bareWire) stash(context.Context, string, string) error {
	return errors.New("pane: there is no tmux to hand a text over")
}
func (w *bareWire) unstash(string)                {}
func (w *bareWire) fetch(string, string) string   { return "" }
func (w *bareWire) refetch(string, string) string { return "" }

// resetBare ends what is unfinished, the alternate screen, and all modes.
const resetBare = "\x18\x1b[?1049l\x1bc"

// renew implements [wire]. What the screen showed stays in the scrollback.
func (w *bareWire) renew(ctx context.Context) error {
	w.p.mu.Lock()
	w.p.scan.Skip()
	_, _ = w.p.term.Write([]byte(resetBare)) // never fails
	w.p.tapOutput([]byte(resetBare))
	size := w.p.term.Snapshot().Size
	w.p.changed()
	w.p.mu.Unlock()
	sh, err := w.start(ctx, size)
	if err != nil {
		return err
	}
	w.mu.Lock()
	hung := w.hung
	if !hung {
		w.shell = sh
	}
	w.mu.Unlock()
	sh.released()
	if hung {
		sh.cancel(ErrEnded)
		return errors.Join(ErrEnded, sh.hasEnded(ctx))
	}
	w.ground.keeper.roll.changed()
	return nil
}

// id implements [wire].
func (w *bareWire) id() string { return w.current().id }

// capture implements [wire].
func (w *bareWire) capture(_ context.Context, opt CaptureOptions) (Capture, error) {
	w.p.mu.Lock()
	screen, hidden := w.p.term.Snapshot(), w.p.term.Hidden()
	w.p.mu.Unlock()
	return captureSnapshot(screen, hidden, opt), nil
}

// resize implements [wire]. The emulator is first: what comes from the program
// for the old size is wrapped anew, other than what would be drawn too wide.
func (w *bareWire) resize(size backends.Size) {
	w.p.mu.Lock()
	w.p.term.Resize(vt.Size{Cols: size.Cols, Rows: size.Rows})
	after := w.p.term.Snapshot()
	w.p.prompt = w.p.prompt.foundIn(after)
	w.p.tapSize()
	w.p.changed()
	w.p.mu.Unlock()
	w.current().resize(backends.Size{Cols: after.Size.Cols, Rows: after.Size.Rows})
}

// attach implements [wire].
func (w *bareWire) attach() string {
	return "this pane cannot be attached to: it is nod's own, without tmux, and ends with nod"
}

// hangUp ends the shell and what runs in its terminal, without waiting.
func (w *bareWire) hangUp() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hung = true
	w.shell.cancel(ErrEnded)
}

// hasEnded waits until the shell has ended.
func (w *bareWire) hasEnded(ctx context.Context) error { return w.current().hasEnded(ctx) }

// bareShell is a shell on a terminal.
type bareShell struct {
	id     string
	name   string // of the program
	wire   *bareWire
	term   backends.Terminal
	typist *typist
	cancel context.CancelCauseFunc
	sizes  chan backends.Size // the latest that the terminal does not have yet

	ready chan struct{} // closed when the shell is the pane's, or void is set
	void  bool          // the shell was not wanted any more
	ended chan struct{} // closed when outcome is set

	mu      sync.Mutex
	pid     int // 0 while it is not known
	outcome backends.Outcome
	why     error // that of a target that ended under the shell

	nonce marks.Nonce
	head  []byte        // the beginning of the output, as long as it may name the pid
	named chan struct{} // closed when the beginning is over
}

// announce has sh say which process it is before it becomes the shell.
const announce = `printf '\033]133;I;%s;h=NONCE\007' "$$"; exec "$@"`

// start starts a shell. ctx bounds no more than the starting. Output waits until
// released is called.
func (w *bareWire) start(ctx context.Context, size vt.Size) (*bareShell, error) {
	k := w.ground.keeper
	life, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	sh := &bareShell{
		id: w.ground.newID(), name: k.opt.Shell[0][strings.LastIndexByte(k.opt.Shell[0], '/')+1:],
		wire: w, cancel: cancel, nonce: marks.NewNonce(),
		sizes: make(chan backends.Size, 1), ready: make(chan struct{}), ended: make(chan struct{}), named: make(chan struct{}),
	}
	script := strings.Replace(announce, "NONCE", string(sh.nonce), 1)
	stop := context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })
	term, err := k.target.Terminal(life, backends.Command{
		Argv: append([]string{"sh", "-c", script, "sh"}, k.opt.Shell...),
		Env:  []string{"TERM=" + bareTerm}, Stdout: sh,
	}, backends.Size{Cols: size.Cols, Rows: size.Rows})
	if !stop() && err == nil {
		err = context.Cause(ctx) // and the shell ends with life
		sh.void = true
	}
	if err != nil {
		cancel(nil)
		close(sh.ready)
		return nil, fmt.Errorf("pane: start %s on %s: %w", k.opt.Shell[0], k.target.Name(), err)
	}
	sh.term = term
	sh.typist = newTypist(term, sh.ended)
	go sh.wait()
	go sh.follow()
	return sh, nil
}

// released lets the output of the shell come.
func (sh *bareShell) released() { close(sh.ready) }

// wait notices the end of the shell, after all its output.
func (sh *bareShell) wait() {
	outcome, err := sh.term.Wait() // an outcome that could not be learnt is unknown
	sh.mu.Lock()
	sh.outcome = outcome
	if errors.Is(err, backends.ErrEnded) {
		sh.why = err
	}
	sh.mu.Unlock()
	close(sh.ended)
	sh.cancel(nil)
	sh.wire.p.nudge()
}

// follow gives the terminal new sizes, which may take a while.
func (sh *bareShell) follow() {
	for {
		select {
		case <-sh.ended:
			return
		case size := <-sh.sizes:
			_ = sh.term.Resize(size) // it may have ended
		}
	}
}

func (sh *bareShell) resize(size backends.Size) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	select {
	case <-sh.sizes:
	default:
	}
	sh.sizes <- size // has room, since nobody else puts anything in
}

func (sh *bareShell) hasEnded(ctx context.Context) error {
	select {
	case <-sh.ended:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("pane %s: its shell has not ended: %w", sh.id, overdue(ctx))
	}
}

// Write takes the output of the terminal.
func (sh *bareShell) Write(p []byte) (int, error) {
	<-sh.ready
	if sh.void {
		return len(p), nil
	}
	rest := p
	select {
	case <-sh.named:
	default:
		rest = sh.first(p)
	}
	if len(rest) > 0 {
		sh.wire.p.output(rest)
	}
	return len(p), nil
}

// first takes the beginning of the output and returns what is not about the
// process.
func (sh *bareShell) first(p []byte) []byte {
	sh.head = append(sh.head, p...)
	pid, rest, more := marks.Birth(sh.head, sh.nonce)
	if more {
		return nil
	}
	if pid > 0 {
		sh.mu.Lock()
		sh.pid = pid
		sh.mu.Unlock()
	}
	sh.head = nil
	close(sh.named)
	return rest
}
