package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/nod-console/nod/backends"
)

// Name is the target's name.
const Name = "local"

// ErrClosed is the error of calls on a closed target and the cause of death of
// programs that Close ended. It satisfies errors.Is(err, fs.ErrClosed).
var ErrClosed = fmt.Errorf("local: the target is %w", fs.ErrClosed)

// Target is this machine. It is safe for concurrent use.
type Target struct {
	env   []string
	files *files

	mu      sync.Mutex
	closed  bool
	closing chan struct{}  // closed by Close
	running sync.WaitGroup // one for each supervised program
}

var _ backends.Target = (*Target)(nil)

// New returns the target. environ is the environment from which programs
// inherit the allow-listed names, usually os.Environ().
func New(environ []string) *Target {
	return &Target{
		env:     inherit(environ),
		files:   newFiles(),
		closing: make(chan struct{}),
	}
}

// Name implements [backends.Target].
func (t *Target) Name() string { return Name }

// Files implements [backends.Target].
func (t *Target) Files() backends.Files { return t.files }

// Close ends the programs that still run and returns when they are gone. It may
// be called more than once.
func (t *Target) Close() error {
	t.mu.Lock()
	if !t.closed {
		t.closed = true
		close(t.closing)
	}
	t.mu.Unlock()
	t.running.Wait()
	return nil
}

// Exec implements [backends.Target].
func (t *Target) Exec(ctx context.Context, c backends.Command) (backends.Process, error) {
	l, err := t.prepare(ctx, c)
	if err != nil {
		return nil, err
	}
	s, err := openPipes(c)
	if err != nil {
		return nil, fmt.Errorf("local: %w", err)
	}
	l.attr.Files = s.child
	l.attr.Sys = &syscall.SysProcAttr{Setsid: true}
	p, err := t.launch(ctx, l, s, syscall.SIGTERM)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// launchSpec is a checked command.
type launchSpec struct {
	path string
	argv []string
	attr os.ProcAttr
}

// prepare checks a command and finds its program.
func (t *Target) prepare(ctx context.Context, c backends.Command) (launchSpec, error) {
	if ctx.Err() != nil {
		return launchSpec{}, fmt.Errorf("local: not started: %w", context.Cause(ctx))
	}
	if len(c.Argv) == 0 || c.Argv[0] == "" {
		return launchSpec{}, errors.New("local: a command without a program")
	}
	for i, a := range c.Argv {
		if strings.IndexByte(a, 0) >= 0 {
			return launchSpec{}, fmt.Errorf("local: argument %d holds a zero byte: %q", i, a)
		}
	}
	if err := checkDir(c.Dir); err != nil {
		return launchSpec{}, err
	}
	env, err := merge(t.env, c.Env)
	if err != nil {
		return launchSpec{}, err
	}
	path, err := lookup(c.Argv[0], env)
	if err != nil {
		return launchSpec{}, err
	}
	return launchSpec{
		path: path,
		argv: slices.Clone(c.Argv),
		attr: os.ProcAttr{Dir: c.Dir, Env: env},
	}, nil
}

// checkDir tells a missing directory from a missing program, which the kernel
// does not.
func checkDir(dir string) error {
	if dir == "" {
		return nil
	}
	if !filepath.IsAbs(dir) {
		return fmt.Errorf("local: the directory %q is not absolute", dir)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("local: the directory %q: %w", dir, bare(err))
	}
	if !info.IsDir() {
		return fmt.Errorf("local: the directory %q: %w", dir, syscall.ENOTDIR)
	}
	return nil
}

// launch starts a prepared program and its supervision. It owns s from here on.
func (t *Target) launch(ctx context.Context, l launchSpec, s *streams, polite syscall.Signal) (*process, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		s.abandon()
		return nil, ErrClosed
	}
	child, err := os.StartProcess(l.path, l.argv, &l.attr)
	if err != nil {
		s.abandon()
		return nil, fmt.Errorf("local: start %q: %w", l.argv[0], bare(err))
	}
	p := newProcess(child, polite)
	s.start()
	t.running.Go(func() { p.supervise(ctx, t.closing, s) })
	return p, nil
}
