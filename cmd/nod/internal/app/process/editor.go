package process

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Edit edits a text in the operator's editor, on the terminal of this process.
// An interrupt and a ^Z that are typed there are for the editor. The last end of line, which
// editors add, is not part of the text.
func (s *System) Edit(ctx context.Context, text string) (string, error) {
	defer s.Signals.OnInterrupt(func() {})()
	defer s.Jobs.lend()()
	editor := cmp.Or(s.Getenv("VISUAL"), s.Getenv("EDITOR"), "vi")
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
