package docker

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nod-console/nod/backends"
)

// Options refine a target. The zero value is good.
type Options struct {
	// Warn is told when something is done in a lesser way than promised, in
	// words for the operator: a file read through the engine's archive
	// interface. Nil tells nobody.
	Warn func(string)
	// ArchiveWrites allows writes through the archive interface where there is
	// no other way. They are not atomic, and past the rights of the container's
	// user; each is told to Warn.
	ArchiveWrites bool
	// Kind is in the target's name, whatever the engine calls itself: the docker
	// command may well lead to podman. The engine's own kind if "".
	Kind Kind
}

// Target is one container. It stays the same one when it is restarted; one that
// is made anew under its name is another, for which a target must be opened
// again.
type Target struct {
	engine Engine
	name   string
	id     string
	opt    Options
	files  *files

	closing chan struct{} // closed when Close is called
	closed  sync.Once
	running sync.WaitGroup // programs

	opening chan struct{} // has room for the one who looks for a life or a channel
	mu      sync.Mutex
	life    *life // nil before the first
	channel *channel
}

var _ backends.Target = (*Target)(nil)

// life is a container from a start to its end.
type life struct {
	started time.Time
	remote  *remoteShell // nil where there is no usable shell
	why     error        // why not
}

// Open makes a target of a container, by its name or id. A container that does
// not run can be opened; programs cannot be started in it before it runs.
func Open(ctx context.Context, e Engine, name string, opt Options) (*Target, error) {
	c, err := e.Inspect(ctx, name)
	if err != nil {
		if errors.Is(err, ErrNotFound) {
			return nil, fmt.Errorf("docker: %w: %q; %s ps -a lists them", ErrNotFound, name, e.About().Kind)
		}
		return nil, fmt.Errorf("docker: look at %q: %w", name, err)
	}
	kind := opt.Kind
	if kind == "" {
		kind = e.About().Kind
	}
	t := &Target{engine: e, name: string(kind) + ":" + c.Name, id: c.ID, opt: opt, closing: make(chan struct{}), opening: make(chan struct{}, 1)}
	t.files = &files{t: t}
	if c.State == Running {
		if _, err := t.alive(ctx); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// Name implements [backends.Target].
func (t *Target) Name() string { return t.name }

// ID is the container's id.
func (t *Target) ID() string { return t.id }

// CutsOutput reports whether the engine ends a program's streams with the program
// itself, so that what its background children write afterwards is lost. Podman
// does.
func (t *Target) CutsOutput() bool { return t.engine.About().Kind == Podman }

// Files implements [backends.Target].
func (t *Target) Files() backends.Files { return t.files }

// Facts are what a running container was found to have.
type Facts struct {
	User, UID, Home string
	Machine         string   // "x86_64"
	Tmux            string   // its path, or ""
	Writable        []string // folders to which its user may write
	// Limits say, in words, what is lesser than promised in this container;
	// empty where all is as it should be.
	Limits []string
}

// Facts looks at a container, once for each of its starts.
func (t *Target) Facts(ctx context.Context) (Facts, error) {
	l, err := t.alive(ctx)
	if err != nil {
		return Facts{}, err
	}
	if l.remote == nil {
		return Facts{Limits: []string{
			l.why.Error() + ": programs cannot be signalled, and go on when they are cancelled",
			"files go through the engine's archive interface: not atomic, past the rights of the container's user",
		}}, nil
	}
	a := l.remote.about
	f := Facts{User: a.user, UID: a.uid, Home: a.home, Machine: a.machine, Tmux: a.tools["tmux"], Writable: a.writable}
	if a.waiter == byShell {
		f.Limits = append(f.Limits, "there is no awk and no time: an exit code above 128 cannot be told from a signal")
	}
	if len(f.Writable) == 0 {
		f.Limits = append(f.Limits, "no folder is writable")
	}
	for _, tool := range fileTools {
		if a.tools[tool] == "" {
			f.Limits = append(f.Limits, "there is no "+tool+": files cannot be written")
			break
		}
	}
	return f, nil
}

// alive returns the container's present life, and looks at the container if that
// is new. The error is *StateError if it does not run.
func (t *Target) alive(ctx context.Context) (*life, error) {
	if l, err := t.present(); l != nil || err != nil {
		return l, err
	}
	select {
	case t.opening <- struct{}{}:
		defer func() { <-t.opening }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	l, err := t.present() // somebody else was quicker
	if l != nil || err != nil {
		return l, err
	}
	c, err := t.engine.Inspect(ctx, t.id)
	if err != nil {
		return nil, t.explain(ctx, err)
	}
	if err := Fit(t.name, c); err != nil {
		return nil, err
	}
	l = &life{started: c.StartedAt}
	l.remote, l.why = startRemoteShell(ctx, t.engine, t.id)
	if l.why != nil && !errors.Is(l.why, ErrNoShell) {
		return nil, t.explain(ctx, l.why)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	select {
	case <-t.closing:
		if l.remote != nil {
			go l.remote.close() //nolint:gosec // it has its own limit
		}
		return nil, ErrClosed
	default:
	}
	t.life = l
	return l, nil
}

// present is the life that is known and not over.
func (t *Target) present() (*life, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	select {
	case <-t.closing:
		return nil, ErrClosed
	default:
	}
	if t.life != nil && t.life.remote != nil && t.life.remote.Alive() {
		return t.life, nil
	}
	if t.life != nil && t.life.remote == nil {
		return t.life, nil // what is missing in the image stays missing
	}
	return nil, nil
}

// explainTime bounds the look at a container after something has failed.
const explainTime = 5 * time.Second

// explain turns an error into one that says what has become of the container,
// if that is the reason.
func (t *Target) explain(ctx context.Context, err error) error {
	var state *StateError
	if err == nil || errors.As(err, &state) || errors.Is(err, ErrClosed) {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), explainTime)
	defer cancel()
	c, ierr := t.engine.Inspect(ctx, t.id)
	if errors.Is(ierr, ErrNotFound) {
		return &StateError{Target: t.name, Err: ErrRemoved}
	}
	if ierr == nil {
		if serr := Fit(t.name, c); serr != nil {
			return serr
		}
	}
	if errors.Is(err, ErrNoEngine) || errors.Is(ierr, ErrNoEngine) {
		return fmt.Errorf("%s: %w: %w", t.name, err, backends.ErrUnreachable) // containers outlive their engine
	}
	return fmt.Errorf("%s: %w", t.name, err)
}

// warn tells the operator.
func (t *Target) warn(format string, args ...any) {
	if t.opt.Warn != nil {
		t.opt.Warn(t.name + ": " + fmt.Sprintf(format, args...))
	}
}

// Close implements [backends.Target].
func (t *Target) Close() error {
	t.closed.Do(func() {
		t.mu.Lock()
		close(t.closing)
		t.mu.Unlock()
	})
	t.running.Wait()
	t.opening <- struct{}{}
	defer func() { <-t.opening }()
	t.mu.Lock()
	l, c := t.life, t.channel
	t.life, t.channel = nil, nil
	t.mu.Unlock()
	if c != nil {
		c.close()
	}
	if l != nil && l.remote != nil {
		l.remote.close()
	}
	return nil
}

// Parse reads a target name: "docker:NAME" or "podman:NAME".
func Parse(name string) (Kind, string, error) {
	kind, rest, ok := strings.Cut(name, ":")
	if !ok || Kind(kind) != Docker && Kind(kind) != Podman {
		return "", "", fmt.Errorf("docker: the target %q is not docker:NAME or podman:NAME", name)
	}
	if rest == "" {
		return "", "", fmt.Errorf("docker: the target %q names no container; write %s:NAME", name, kind)
	}
	for _, r := range rest {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("_.-", r) {
			return "", "", fmt.Errorf("docker: the target %q holds the character %q, which no container's name has", name, r)
		}
	}
	return Kind(kind), rest, nil
}
