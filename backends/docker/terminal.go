package docker

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/posix"
)

// terminal is a program on a pseudo terminal.
type terminal struct{ *process }

var _ backends.Terminal = terminal{}

// defaultTerm is the kind of terminal where Command.Env has no TERM.
const defaultTerm = "xterm-256color"

func hasTerm(env []string) bool {
	for _, kv := range env {
		if strings.HasPrefix(kv, "TERM=") {
			return true
		}
	}
	return false
}

// Terminal implements [backends.Target].
func (t *Target) Terminal(ctx context.Context, c backends.Command, size backends.Size) (backends.Terminal, error) {
	if c.Stdin != nil || c.Stderr != nil {
		return nil, errors.New("docker: a terminal has one stream: Stdin and Stderr must be nil")
	}
	if err := posix.CheckSize(size); err != nil {
		return nil, fmt.Errorf("docker: %w", err)
	}
	p, err := t.start(ctx, c, size)
	if err != nil {
		return nil, err
	}
	return terminal{p}, nil
}

// errEnded is the error of keys for a program that has ended.
var errEnded = errors.New("the program has ended")

// Write implements [backends.Terminal].
func (t terminal) Write(p []byte) (int, error) {
	select {
	case <-t.ended:
		return 0, fmt.Errorf("docker: type into the terminal: %w", errEnded)
	default:
	}
	n, err := t.out.s.Write(p)
	if err != nil {
		return n, fmt.Errorf("docker: type into the terminal: %w", t.t.explain(context.Background(), err))
	}
	return n, nil
}

// Resize implements [backends.Terminal].
func (t terminal) Resize(size backends.Size) error {
	if err := posix.CheckSize(size); err != nil {
		return fmt.Errorf("docker: %w", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), askTime)
	defer cancel()
	if err := t.t.engine.ResizeExec(ctx, t.exec, size); err != nil {
		return fmt.Errorf("docker: resize the terminal: %w", t.t.explain(ctx, err))
	}
	return nil
}
