package pane

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/pane/shells"
	"github.com/nod-console/nod/backends/vt"
)

// A shell that nod has started comes to its prompt sooner or later. In a pane of
// the operator's the program in the foreground may be called "bash" and be his
// backup script, that asks for a password: nothing is typed there.

// errNotPrompting is why the shell in an operator's pane is not hooked.
func errNotPrompting(why string) error { return fmt.Errorf("%w now: %s", errNoShell, why) }

// prepare makes sure that the shell in the pane stands at its prompt, and makes
// a hook one that can be taken back.
func (w *guestWire) prepare(ctx context.Context, hook string) (string, error) {
	w.p.mu.Lock()
	command := w.p.seen.program()
	beyond := beyondCursor(w.p.term.Snapshot())
	w.p.mu.Unlock()
	if beyond {
		return "", errNotPrompting("there is text behind the cursor; clear the line first")
	}
	if err := w.prompting(ctx, command); err != nil {
		return "", err
	}
	return shells.Guest(command, hook, quotedPath(w.v.socket)), nil
}

// beyondCursor reports whether something is typed behind the cursor: Ctrl-U
// would leave it, and Enter would enter it.
func beyondCursor(s *vt.Snapshot) bool {
	row := s.Scrolled + s.Cursor.Row
	cells := undecorated(s, s.Line(row))
	cells = cells[min(s.Cursor.Col, len(cells)):]
	return strings.TrimSpace(s.TextOf(cells)) != "" || s.LineWrapped(row)
}

// prompting asks the target's kernel whether the shell is in the foreground, was
// not started to run a script, and, if it edits its lines itself, does so now.
// A target without /proc does not tell; it is believed then.
func (w *guestWire) prompting(ctx context.Context, command string) error {
	out, err := w.s.server.Run(ctx, "display-message", "-p", "-t", w.id(), "#{pane_pid} #{pane_tty}")
	if err != nil {
		return err
	}
	pid, tty, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	const ask = `set -- "$1" "$2" $(sed 's/.*) //' "/proc/$1/stat") && tr '\0' '\n' <"/proc/$8/cmdline" && echo . && stty -a <"$2"`
	var said bytes.Buffer
	p, err := w.s.keeper.target.Exec(ctx, backends.Command{Argv: []string{"sh", "-c", ask, "sh", pid, tty}, Stdout: &said})
	if err != nil {
		return fmt.Errorf("pane %s: %w", w.id(), err)
	}
	if outcome, err := p.Wait(); err != nil {
		return fmt.Errorf("pane %s: %w", w.id(), err)
	} else if !outcome.OK() {
		return nil
	}
	line, modes, _ := strings.Cut(said.String(), "\n.\n")
	if script := shells.Script(strings.Split(line, "\n")); script != "" {
		return errNotPrompting(fmt.Sprintf("%q runs %q", command, script))
	}
	switch shells.Named(command) {
	case "bash", "rbash", "zsh", "fish":
		if !strings.Contains(modes, "-icanon") {
			return errNotPrompting("it does not edit a line")
		}
	}
	return nil
}

// greet hooks the shell of a pane that nod comes to, if it stands at its
// prompt, and puts back what the operator had typed there.
func (v *guestSession) greet(ctx context.Context, p *Pane) {
	if p.Shell() != NoShell {
		return
	}
	_, _ = p.shortly(ctx, hookTry, func() bool { return p.seeded }) // else its Run tells
	p.Warm(ctx)
	if p.Shell() == NoShell {
		return // its Run tells
	}
	_, _ = p.shortly(ctx, promptWait, func() bool { return p.prompt.known })
	p.mu.Lock()
	before, prompt, ready := p.overtyped, p.prompt.line, p.phase == atPrompt && p.prompt.known && p.pendingLine() == ""
	p.mu.Unlock()
	if !ready || prompt == "" {
		return
	}
	if typed := typedBehind(before, prompt); typed != "" {
		_ = p.Type(ctx, []byte(typed)) // a pane that is gone says so elsewhere
	}
}

// typedBehind is what was typed behind a prompt, in a row that was on the screen. What is
// typed ahead of the prompt the terminal shows by itself, in front of it, and the shell once
// more behind it. Where the row has neither form, nothing was typed.
func typedBehind(row, prompt string) string {
	for from := 0; ; {
		i := strings.Index(row[from:], prompt)
		if i < 0 {
			return ""
		}
		ahead, typed := row[:from+i], row[from+i:]
		for strings.HasPrefix(typed, prompt) { // twice, where a line was entered ahead of it
			// The blanks at the end of the prompt are not part of its line.
			typed = strings.TrimLeft(typed[len(prompt):], " ")
		}
		if strings.HasPrefix(typed, ahead) {
			return typed
		}
		from += i + len(prompt)
	}
}

// upToCursor is the text of the cursor's row in front of it.
func upToCursor(s *vt.Snapshot) string {
	return textUpTo(s, s.Scrolled+s.Cursor.Row, s.Cursor.Col)
}
