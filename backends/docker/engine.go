package docker

import (
	"context"
	"io"
	"io/fs"
	"strings"
	"time"

	"github.com/nod-console/nod/backends"
)

// Engine is what this package needs of a container engine. [Dial] makes one;
// everything about the library behind it is in sdk.go.
//
// Containers are given by name or id, as the engine takes them. Errors satisfy
// errors.Is with the sentinels of this package where one fits. All methods are
// safe for concurrent use.
type Engine interface {
	// About is what the engine said of itself when it was dialled.
	About() About
	// List returns all containers, ended ones too.
	List(ctx context.Context) ([]Container, error)
	// Inspect describes one container.
	Inspect(ctx context.Context, container string) (Container, error)
	// Events sends what happens to containers from a moment on (from now on if
	// that is zero) until ctx ends or the engine is lost; then the channel is
	// closed and the error tells why. started is called when the engine
	// listens.
	Events(ctx context.Context, since time.Time, started func(), got func(Event)) error

	// CreateExec prepares a program in a running container, StartExec starts
	// it. A Stream must be closed.
	CreateExec(ctx context.Context, container string, e Exec) (id string, err error)
	StartExec(ctx context.Context, id string, e Exec) (Stream, error)
	InspectExec(ctx context.Context, id string) (ExecState, error)
	ResizeExec(ctx context.Context, id string, size backends.Size) error

	// StatPath, CopyFrom and CopyTo are the archive interface: not atomic, past
	// the rights of the container's user, blind for what is mounted at run time.
	StatPath(ctx context.Context, container, path string) (PathStat, error)
	CopyFrom(ctx context.Context, container, path string) (io.ReadCloser, error)
	CopyTo(ctx context.Context, container, folder string, archive io.Reader) error

	// Logs and Stats stream until the reader is closed or ctx ends. Logs are in
	// the engine's frames unless the container has a terminal.
	Logs(ctx context.Context, container string, opt LogOptions) (io.ReadCloser, error)
	Stats(ctx context.Context, container string) (io.ReadCloser, error)

	io.Closer
}

// Kind is a kind of engine.
type Kind string

// The kinds of engines.
const (
	Docker Kind = "docker"
	Podman Kind = "podman"
)

// About is what an engine says of itself.
type About struct {
	Kind    Kind
	Version string // "20.10.24"
	API     string // the version that was agreed on: "1.41"
	Address Address
}

// State is what a container does.
type State string

// The states of a container.
const (
	Created    State = "created"
	Running    State = "running"
	Paused     State = "paused"
	Restarting State = "restarting"
	Removing   State = "removing"
	Exited     State = "exited"
	Dead       State = "dead"
)

// Container describes a container.
type Container struct {
	ID     string
	Name   string // without the leading slash
	Image  string
	State  State
	Status string // the engine's words when it was asked: "Up 2 minutes (healthy)"; "" from Inspect
	Health string // "healthy", "unhealthy", "starting", or "" where nothing looks

	// What follows is only known from Inspect.

	StartedAt time.Time
	ExitCode  int    // of an exited one
	User      string // that commands run as, as the image says it
	Terminal  bool   // its own program has one
	ReadOnly  bool   // its root file system is
	// Volatile are the paths of file systems in memory, which are empty while it
	// is stopped.
	Volatile []string
}

// Event is something that happened to a container.
type Event struct {
	Action string // "start", "die", "destroy", "health_status", …
	ID     string
	Time   time.Time
}

// watched are the actions that change what a registry shows. They are matched
// by prefix, since some carry more: "health_status: healthy". Docker says
// "destroy" and "die" where podman says "remove" and "died". What programs in containers cause
// ("exec_start: …") is left out at the engine.
var watched = []string{
	"create", "start", "restart", "died", "die", "stop", "kill", "oom", "pause", "unpause", "rename", "update",
	"destroy", "remove", "health_status",
}

// relevant cuts an action down to the name it begins with.
func relevant(action string) (string, bool) {
	for _, w := range watched {
		if rest, ok := strings.CutPrefix(action, w); ok && (rest == "" || rest[0] == ':') {
			return w, true
		}
	}
	return "", false
}

// Exec is a program in a container.
type Exec struct {
	Argv  []string
	Env   []string // in addition to the container's
	Dir   string   // "" is the container's
	Stdin bool
	Size  backends.Size // of its terminal; without one if zero
}

func (e Exec) terminal() bool { return e.Size != backends.Size{} }

// Stream is the connection to a program: what is written is its standard input;
// what is read are its outputs, in the engine's frames unless it has a terminal.
type Stream interface {
	io.ReadWriteCloser
	CloseWrite() error
}

// ExecState is how a program in a container does.
type ExecState struct {
	Running  bool
	PID      int // on the engine's machine; 0 before the runtime has started it
	ExitCode int
}

// PathStat describes a path, links not followed.
type PathStat struct {
	Size       int64
	Mode       fs.FileMode
	ModTime    time.Time
	LinkTarget string
}

// LogOptions say which part of a container's log is wanted.
type LogOptions struct {
	Tail   int       // the last lines; all if 0
	Since  time.Time // not older; no limit if zero
	Follow bool
}
