package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// edit edits a text in the operator's editor, on the terminal of this process.
// An interrupt that is typed there is for the editor. The last end of line, which
// editors add, is not part of the text.
func (a *app) edit(ctx context.Context, text string) (string, error) {
	defer a.signals.onInterrupt(func() {})()
	editor := cmp.Or(a.getenv("VISUAL"), a.getenv("EDITOR"), "vi")
	edited, err := editWith(ctx, editor, text)
	if err != nil {
		return "", fmt.Errorf("editor %q: %w", editor, err)
	}
	return edited, nil
}

// editorPatience is how long an editor may go on after the end of its context.
const editorPatience = 2 * time.Second

func editWith(ctx context.Context, editor, text string) (edited string, err error) {
	f, err := os.CreateTemp("", "nod-*.md") // only this user can read it
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.Remove(f.Name())) }()
	_, err = f.WriteString(text + "\n")
	if err = errors.Join(err, f.Close()); err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, "sh", "-c", editor+` "$1"`, "sh", f.Name())
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = editorPatience
	if err := cmd.Run(); err != nil {
		return "", err
	}
	data, err := os.ReadFile(f.Name())
	return strings.TrimSuffix(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n"), err
}

// stopWithin is how long a stop may take to come, which is a moment after it was
// asked for.
const stopWithin = 500 * time.Millisecond

// stop stops this process and those that were started with it, as ^Z does, and
// returns when they go on. A process that nobody would continue does not stop
// (setpgid(2), "orphaned").
func stop() error {
	goesOn := make(chan os.Signal, 1)
	signal.Notify(goesOn, unix.SIGCONT)
	defer signal.Stop(goesOn)
	if err := unix.Kill(0, unix.SIGTSTP); err != nil {
		return err
	}
	select { // who takes the terminal over before it has come loses it to the shell
	case <-goesOn:
	case <-time.After(stopWithin):
	}
	return nil
}
