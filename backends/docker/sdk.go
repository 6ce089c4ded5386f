package docker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/events"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/versions"
	"github.com/docker/docker/client"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/posix"
)

// minAPI is the oldest interface that has all we use: Docker 19.03.
const minAPI = "1.40"

// detachKeys is a sequence that nobody types. The default, ^P^Q, would cut a
// session off in which it is typed, and hold back a lone ^P.
const detachKeys = "ctrl-@,ctrl-@,ctrl-_,ctrl-@"

// engine is the Docker SDK.
type engine struct {
	c     *client.Client
	about About
	fault atomic.Pointer[error] // of the last connection that failed, where others dial
}

var _ Engine = (*engine)(nil)

// Dialer opens a connection to an engine. The connection has a CloseWrite.
type Dialer func(ctx context.Context) (net.Conn, error)

// Dial connects to an engine and asks what it is. dial is needed for an address
// with ssh://, and may be nil for others. The error is *EngineError.
func Dial(ctx context.Context, a Address, dial Dialer) (Engine, error) {
	e, err := newEngine(a, dial)
	if err == nil {
		if err = e.greet(ctx); err != nil {
			_ = e.Close() // of no more use
		}
	} else {
		e = nil
	}
	if err != nil {
		err = reachError(err)
		if e != nil {
			if why := e.fault.Load(); why != nil {
				err = fmt.Errorf("%w: %w", err, *why)
			}
		}
		return nil, &EngineError{Address: a, Err: err}
	}
	return e, nil
}

func newEngine(a Address, dial Dialer) (*engine, error) {
	e := &engine{about: About{Address: a}}
	opts := []client.Opt{client.WithAPIVersionNegotiation(), client.WithUserAgent("nod")}
	switch {
	case strings.HasPrefix(a.URL, "ssh://"):
		if dial == nil {
			return nil, errors.New("an engine behind ssh is reached through a target ssh:HOST: open that first")
		}
		opts = append(opts, client.WithHost("http://engine.invalid"), // a name that the requests carry
			client.WithDialContext(func(ctx context.Context, _, _ string) (net.Conn, error) {
				conn, err := dial(ctx)
				if err != nil {
					e.fault.Store(&err)
					return nil, err
				}
				half, ok := conn.(halfCloser)
				if !ok {
					_ = conn.Close() // of no use
					return nil, fmt.Errorf("a connection to %s cannot be closed for writing alone", a.URL)
				}
				return noted{half, e}, nil
			}))
	default:
		opts = append(opts, client.WithHost(a.URL))
		if a.CA != "" || a.Cert != "" {
			opts = append(opts, withTLS(a))
		}
	}
	var err error
	e.c, err = client.NewClientWithOpts(opts...)
	return e, err
}

type halfCloser interface {
	net.Conn
	CloseWrite() error
}

// noted keeps why a connection ended: the library does not tell.
type noted struct {
	halfCloser
	e *engine
}

func (n noted) Read(p []byte) (int, error) {
	c, err := n.halfCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, errConnClosed) {
		n.e.fault.Store(&err)
	}
	return c, err
}

// withTLS takes the files of a context or of DOCKER_CERT_PATH.
func withTLS(a Address) client.Opt {
	return func(c *client.Client) error {
		if err := client.WithTLSClientConfig(a.CA, a.Cert, a.Key)(c); err != nil {
			return err
		}
		if a.SkipVerify {
			if t, ok := c.HTTPClient().Transport.(*http.Transport); ok {
				t.TLSClientConfig.InsecureSkipVerify = true
			}
		}
		return nil
	}
}

// greet negotiates the version of the interface.
func (e *engine) greet(ctx context.Context) error {
	ping, err := e.c.Ping(ctx)
	if err != nil {
		return err
	}
	e.c.NegotiateAPIVersionPing(ping)
	if ping.APIVersion != "" && versions.LessThan(ping.APIVersion, minAPI) {
		return fmt.Errorf("%w: it speaks version %s of the interface, nod needs %s (Docker 19.03): upgrade the engine", ErrTooOld, ping.APIVersion, minAPI)
	}
	v, err := e.c.ServerVersion(ctx)
	if err != nil {
		return err
	}
	e.about.Kind, e.about.Version, e.about.API = Docker, v.Version, e.c.ClientVersion()
	for _, part := range v.Components {
		if strings.Contains(part.Name, "Podman") {
			e.about.Kind = Podman
		}
	}
	return nil
}

// reachError tells why an engine cannot be reached.
func reachError(err error) error {
	switch {
	case errors.Is(err, os.ErrPermission) || strings.Contains(err.Error(), "permission denied"):
		return fmt.Errorf("%w: %w", ErrDenied, err)
	case errors.Is(err, os.ErrNotExist), errors.Is(err, syscall.ECONNREFUSED), client.IsErrConnectionFailed(err):
		return fmt.Errorf("%w: %w", ErrNoEngine, err)
	}
	return err
}

// apiError gives an error of the engine this package's sentinel.
func apiError(err error) error {
	switch {
	case err == nil:
		return nil
	case errdefs.IsNotFound(err):
		return fmt.Errorf("%w: %w", ErrNotFound, err)
	case errdefs.IsConflict(err):
		return fmt.Errorf("%w: %w", errConflict, err)
	case client.IsErrConnectionFailed(err):
		return fmt.Errorf("%w: %w", ErrNoEngine, err)
	}
	return err
}

func (e *engine) About() About { return e.about }
func (e *engine) Close() error { return e.c.Close() }

func (e *engine) List(ctx context.Context) ([]Container, error) {
	all, err := e.c.ContainerList(ctx, container.ListOptions{All: true})
	if err != nil {
		return nil, apiError(err)
	}
	list := make([]Container, 0, len(all))
	for _, s := range all {
		c := Container{ID: s.ID, Image: s.Image, State: State(s.State), Status: s.Status, Health: healthIn(s.Status)}
		if len(s.Names) > 0 {
			c.Name = strings.TrimPrefix(s.Names[0], "/")
		}
		// Lists have the exit code nowhere else.
		if _, err := fmt.Sscanf(s.Status, "Exited (%d)", &c.ExitCode); err != nil {
			c.ExitCode = 0
		}
		list = append(list, c)
	}
	return list, nil
}

// healthIn finds the health in "Up 2 minutes (healthy)": lists have it nowhere
// else.
func healthIn(status string) string {
	for says, health := range map[string]string{
		"(healthy)": "healthy", "(unhealthy)": "unhealthy", "(health: starting)": "starting", "(starting)": "starting",
	} {
		if strings.HasSuffix(status, says) {
			return health
		}
	}
	return ""
}

func (e *engine) Inspect(ctx context.Context, name string) (Container, error) {
	in, err := e.c.ContainerInspect(ctx, name)
	if err != nil {
		return Container{}, apiError(err)
	}
	if in.ContainerJSONBase == nil || in.State == nil {
		return Container{}, fmt.Errorf("the engine describes the container %q without a state", name)
	}
	c := Container{
		ID: in.ID, Name: strings.TrimPrefix(in.Name, "/"), Image: in.Image,
		State: State(in.State.Status), ExitCode: in.State.ExitCode,
	}
	if in.State.Paused {
		c.State = Paused
	}
	if in.State.Health != nil && in.State.Health.Status != container.NoHealthcheck {
		c.Health = in.State.Health.Status
	}
	if t, err := time.Parse(time.RFC3339Nano, in.State.StartedAt); err == nil && t.Year() > 1 {
		c.StartedAt = t
	}
	if in.Config != nil {
		c.User, c.Terminal = in.Config.User, in.Config.Tty
		if in.Config.Image != "" {
			c.Image = in.Config.Image
		}
	}
	if in.HostConfig != nil {
		c.ReadOnly = in.HostConfig.ReadonlyRootfs
		for path := range in.HostConfig.Tmpfs {
			c.Volatile = append(c.Volatile, path)
		}
	}
	for _, m := range in.Mounts {
		if m.Type == "tmpfs" {
			c.Volatile = append(c.Volatile, m.Destination)
		}
	}
	slices.Sort(c.Volatile)
	c.Volatile = slices.Compact(c.Volatile)
	return c, nil
}

func (e *engine) Events(ctx context.Context, since time.Time, started func(), got func(Event)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	opt := events.ListOptions{Filters: filters.NewArgs(filters.Arg("type", "container"))}
	for _, action := range watched {
		opt.Filters.Add("event", action)
	}
	if !since.IsZero() {
		opt.Since = fmt.Sprintf("%d.%09d", since.Unix(), since.Nanosecond())
	}
	messages, errs := e.c.Events(ctx, opt) // returns when the engine listens
	started()
	for {
		select {
		case m := <-messages:
			action, ok := relevant(string(m.Action))
			if !ok {
				continue
			}
			if action == "died" {
				action = "die"
			}
			id := m.Actor.ID
			if id == "" {
				id = m.ID //nolint:staticcheck // podman fills nothing else in
			}
			when := time.Unix(0, m.TimeNano)
			if m.TimeNano == 0 {
				when = time.Unix(m.Time, 0)
			}
			got(Event{Action: action, ID: id, Time: when})
		case err := <-errs:
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err == nil || errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return apiError(err)
		}
	}
}

func (e *engine) CreateExec(ctx context.Context, name string, x Exec) (string, error) {
	opt := container.ExecOptions{
		Cmd: x.Argv, Env: x.Env, WorkingDir: x.Dir,
		AttachStdin: x.Stdin || x.terminal(), AttachStdout: true, AttachStderr: !x.terminal(), Tty: x.terminal(),
		DetachKeys: detachKeys,
	}
	if x.terminal() {
		opt.ConsoleSize = consoleSize(x.Size)
	}
	r, err := e.c.ContainerExecCreate(ctx, name, opt)
	return r.ID, apiError(err)
}

func consoleSize(s backends.Size) *[2]uint { return &[2]uint{uint(s.Rows), uint(s.Cols)} }

// StartExec does not wait for longer than ctx: the library's own call does.
func (e *engine) StartExec(ctx context.Context, id string, x Exec) (Stream, error) {
	opt := container.ExecAttachOptions{Tty: x.terminal()}
	if x.terminal() {
		opt.ConsoleSize = consoleSize(x.Size)
	}
	return posix.Interruptible(ctx, func() (Stream, error) {
		h, err := e.c.ContainerExecAttach(context.WithoutCancel(ctx), id, opt)
		if err != nil {
			return nil, apiError(err)
		}
		return &stream{Conn: h.Conn, r: h.Reader, half: h.CloseWrite}, nil
	}, func(s Stream) { _ = s.Close() }) // nobody waits for it any more
}

// stream is a connection whose first bytes may have been read already.
type stream struct {
	net.Conn
	r    io.Reader
	half func() error
}

func (s *stream) Read(p []byte) (int, error) { return s.r.Read(p) }
func (s *stream) CloseWrite() error          { return s.half() }

func (e *engine) InspectExec(ctx context.Context, id string) (ExecState, error) {
	in, err := e.c.ContainerExecInspect(ctx, id)
	return ExecState{Running: in.Running, PID: in.Pid, ExitCode: in.ExitCode}, apiError(err)
}

func (e *engine) ResizeExec(ctx context.Context, id string, s backends.Size) error {
	return apiError(e.c.ContainerExecResize(ctx, id, container.ResizeOptions{Height: uint(s.Rows), Width: uint(s.Cols)}))
}

func (e *engine) StatPath(ctx context.Context, name, path string) (PathStat, error) {
	s, err := e.c.ContainerStatPath(ctx, name, path)
	return PathStat{Size: s.Size, Mode: s.Mode, ModTime: s.Mtime, LinkTarget: s.LinkTarget}, apiError(err)
}

func (e *engine) CopyFrom(ctx context.Context, name, path string) (io.ReadCloser, error) {
	r, _, err := e.c.CopyFromContainer(ctx, name, path)
	return r, apiError(err)
}

func (e *engine) CopyTo(ctx context.Context, name, folder string, archive io.Reader) error {
	return apiError(e.c.CopyToContainer(ctx, name, folder, archive, container.CopyToContainerOptions{CopyUIDGID: true}))
}

func (e *engine) Logs(ctx context.Context, name string, opt LogOptions) (io.ReadCloser, error) {
	o := container.LogsOptions{ShowStdout: true, ShowStderr: true, Follow: opt.Follow}
	if opt.Tail > 0 {
		o.Tail = strconv.Itoa(opt.Tail)
	}
	if !opt.Since.IsZero() {
		o.Since = opt.Since.Format(time.RFC3339Nano)
	}
	r, err := e.c.ContainerLogs(ctx, name, o)
	return r, apiError(err)
}

func (e *engine) Stats(ctx context.Context, name string) (io.ReadCloser, error) {
	r, err := e.c.ContainerStats(ctx, name, true)
	return r.Body, apiError(err)
}
