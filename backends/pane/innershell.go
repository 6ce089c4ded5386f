package pane

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nod-console/nod/backends/pane/marks"
	"github.com/nod-console/nod/backends/pane/shells"
	"github.com/nod-console/nod/backends/vt"
)

const (
	// nestQuiet is how long a shell inside the pane's own must have been
	// silent at what looks like its prompt to be taken to wait for commands.
	nestQuiet = 200 * time.Millisecond
	// probeWait is how long it may take to say which shell it is. It may be on
	// another host.
	probeWait = 3 * time.Second
	// insideWait is how long it may take to be hooked once it has said so. The
	// hook goes there line by line.
	insideWait = 15 * time.Second
)

// errNotNow says that a shell that was seen at its prompt is not at it now.
var errNotNow = errors.New("it has just written something")

var errNoAnswer = errors.New("what looks like a shell's prompt does not answer as one")

// waiting is the command that has opened a shell which seems to wait for
// commands and is not hooked yet, or "". What asks for a password is never typed
// at. A program is taken for such a shell only if it is the one in the
// foreground, is silent, and
//
//   - is a shell, as the kernel tells, that was not started to run a script, and
//     edits a line now, or, if it is one that leaves that to the terminal, reads
//     from it and shows a prompt with nothing behind it; or
//   - was started by a command that does nothing but open a shell, here or
//     elsewhere, and shows a prompt with nothing behind it.
//
// p.mu is held.
func (p *Pane) waiting() string {
	if !p.executesSilently() {
		return ""
	}
	s := p.term.Snapshot()
	if s.Alternate {
		return ""
	}
	command := strings.TrimSpace(p.underWay())
	prompts := looksLikePrompt(s)
	opens, f := shells.Opens(command), p.front
	if f.asOf == p.lastly && f.pid != 0 && f.pid != p.home {
		if !opens {
			command = f.command()
		}
		switch {
		case f.commandedElsewhere():
			return ""
		case f.awaitsCommand(prompts):
			return command
		}
		opens = opens || shells.Opener(f.argv)
	}
	if !opens || !prompts || looksLikeAnother(s) || !opensOrIsShell(p.seen.program()) {
		return ""
	}
	return command
}

// executesSilently reports whether a command is executed which has written nothing for a
// while, as far as anybody can tell. p.mu is held.
func (p *Pane) executesSilently() bool {
	return p.phase == executing && !p.away && !p.seen.dead && time.Since(p.lastly) >= nestQuiet
}

// commandedElsewhere reports whether f is a shell that does not read its commands from the
// terminal: it has a script, or another standard input.
func (f front) commandedElsewhere() bool {
	if _, ok := f.shell(); !ok {
		return shells.Is(f.name)
	}
	return f.stdin == readsOther
}

// awaitsCommand reports whether f is a shell that edits a line now, or one that leaves that
// to the terminal and reads from it, where what shows is a prompt.
func (f front) awaitsCommand(prompts bool) bool {
	name, ok := f.shell()
	switch {
	case !ok:
		return false
	case shells.Edits(name):
		return f.raw
	}
	return f.stdin == readsTerminal && prompts
}

// opensOrIsShell reports whether a program in the foreground may be a shell, or
// the way to one elsewhere.
func opensOrIsShell(program string) bool {
	return shells.Is(program) || slices.Contains([]string{
		"ssh", "sudo", "su", "doas", "busybox", "docker", "podman", "nerdctl", "kubectl", "oc", "env", "chroot", "nsenter", "unshare",
	}, program)
}

// looksLikeAnother finds the prompts of other programs than shells, which end
// as theirs do: "mysql> ", "db=# ".
func looksLikeAnother(s *vt.Snapshot) bool {
	line := textUpTo(s, s.Scrolled+s.Cursor.Row, s.Cursor.Col)
	switch {
	case strings.HasSuffix(line, ">"):
		return strings.HasSuffix(line, ">>") || !strings.ContainsAny(line, "@~/")
	case strings.HasSuffix(line, "#") && len(line) > 1:
		return strings.ContainsAny(line[len(line)-2:len(line)-1], "=-('\"*!^")
	}
	return false
}

// goInside hooks the shell that a command has opened in the present one, and
// makes it the one that is given commands.
func (p *Pane) goInside(ctx context.Context, req Request) error {
	p.nesting.Lock()
	defer p.nesting.Unlock()
	seen, err := p.looked(ctx)
	if err != nil {
		return err
	}
	if err := p.lookAround(ctx, seen); err != nil {
		return err
	}
	p.mu.Lock()
	p.seen.command, p.seen.pid = seen.command, seen.pid
	command, home := p.waiting(), p.front
	if command == "" && p.phase == executing {
		p.mu.Unlock()
		return errNotNow
	}
	if err := p.differs(req); command == "" || !slices.Equal(req.Inside, append(p.inside(), command)) ||
		req.Generation != 0 && req.Generation != p.generation {
		p.mu.Unlock()
		return err
	}
	probe := marks.NewNonce().Derived("probe")[:12]
	p.kind = ""
	p.scan.Probing(probe)
	p.mu.Unlock()
	kind, err := p.probe(ctx, probe)
	if err != nil {
		return &NotReadyError{Pane: p.ID(), Program: seen.program(), Line: p.lastLine(), Wrapped: err}
	}
	return p.hookInside(ctx, command, kind, home)
}

// probe asks what is at the prompt for its name, in words that all shells
// understand.
func (p *Pane) probe(ctx context.Context, name string) (kind string, err error) {
	if err := p.Type(ctx, []byte(shells.Probe(name)+"\r")); err != nil {
		return "", err
	}
	answered, err := p.shortly(ctx, probeWait, func() bool { return p.kind != "" })
	p.mu.Lock()
	defer p.mu.Unlock()
	p.scan.Probing("")
	switch {
	case err != nil:
		return "", err
	case !answered:
		return "", errNoAnswer
	}
	return p.kind, nil
}

// hookInside hooks a shell of the given kind, with the given program in the
// foreground, which is the shell or the way to it. It goes without tmux, which is
// not in there.
func (p *Pane) hookInside(ctx context.Context, command, kind string, f front) error {
	ctx, cancel := context.WithTimeout(ctx, insideWait)
	defer cancel()
	n := marks.NewNonce()
	w := typedWire{p.wire, p}
	p.mu.Lock()
	if p.phase != executing {
		p.mu.Unlock()
		return &ChangedError{Pane: p.ID()}
	}
	p.outer = append(p.outer, p.level)
	p.level = newLevel(command)
	p.nonce, p.home, p.exec = n, f.pid, f.exec
	p.scan.Expect(len(p.outer), n)
	depth := len(p.outer)
	p.generation++
	p.mu.Unlock()

	line := " " + shells.Eval(kind) + " \"$(" + w.fetch(n.Buffer(), kind) + ")\""
	err := w.stash(ctx, n.Buffer(), shells.Hook(kind, n, "")+w.refetch(n.Buffer(), kind))
	if err == nil {
		err = p.Type(ctx, []byte(line+"\r"))
	}
	if err == nil {
		err = p.wait(ctx, func() bool { return len(p.outer) < depth || p.shell != NoShell })
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	w.unstash(n.Buffer())
	if err == nil {
		err = silent(p.shell)
	}
	if err == nil && len(p.outer) >= depth {
		return nil
	}
	if len(p.outer) >= depth {
		p.leave(depth - 1)
	}
	return &NotReadyError{Pane: p.ID(), Program: p.seen.program(), Wrapped: fmt.Errorf("hook the shell that %q opened: %w", command, cmp.Or(err, errNoAnswer))}
}

// hander is what hands texts to the innermost shell. p.mu is held.
func (p *Pane) hander() wire {
	if p.types || len(p.outer) > 0 {
		return typedWire{p.wire, p}
	}
	return p.wire
}

// handing is hander without p.mu held.
func (p *Pane) handing() wire {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.hander()
}
