package daemon

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/nod-console/nod/backends/ssh"
)

// Folder is where control sockets and what belongs to them are: a folder of the
// operator's own, mode 0700.
type Folder string

// Info is a connection that is held.
type Info struct {
	Host    string        `json:"host"` // canonical target name: "ssh:web-1"
	Socket  string        `json:"socket"`
	Pid     int           `json:"pid"` // of the process that serves it
	Since   time.Time     `json:"since"`
	Persist time.Duration `json:"persist"` // how long it stays without being used; 0: until it is stopped
	// Stock says that the system's ssh has logged in and serves the socket.
	Stock bool `json:"stock,omitempty"`
	// Closed says that the socket was closed (ssh -O stop) and what runs on the
	// connection goes on.
	Closed bool `json:"closed,omitempty"`
}

const socketEnd = ".sock"

// Names of what belongs to the daemon itself.
const (
	daemonSocket = "daemon.sock"
	daemonLog    = "daemon.log"
)

// Socket is the path of a host's control socket. The name is short, since the path
// of a socket is bounded to about a hundred bytes.
func (f Folder) Socket(host ssh.Host) string {
	sum := sha256.Sum256([]byte(host.String()))
	return filepath.Join(string(f), hex.EncodeToString(sum[:8])+socketEnd)
}

// longestSocket is how long the path of a socket may be: sun_path has 108 bytes,
// one of which ends it (unix(7)).
const longestSocket = 107

// Check refuses a folder in which no socket can be made: its path is too long,
// or it is not the operator's alone.
func (f Folder) Check() error {
	if path := f.Socket(ssh.Host{}); len(path) > longestSocket { // they are all as long
		return fmt.Errorf("ssh: the path of the control socket %q is too long: %d bytes, %d are possible; set NOD_STATE_DIR or XDG_RUNTIME_DIR to a shorter folder",
			path, len(path), longestSocket)
	}
	info, err := os.Stat(string(f))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("ssh: folder for control sockets: %w", err)
	case !info.IsDir():
		return fmt.Errorf("ssh: folder for control sockets: %q is no folder", f)
	case info.Sys().(*syscall.Stat_t).Uid != uint32(os.Geteuid()): //nolint:forcetypeassert,gosec // on Unix it is one, and no user has a negative number
		return fmt.Errorf("ssh: folder for control sockets: %q is somebody else's; set NOD_STATE_DIR to a folder of your own", f)
	case info.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("ssh: folder for control sockets: others may use %q; chmod 700 it", f)
	}
	return nil
}

// Prepare makes the folder if it is not there.
func (f Folder) Prepare() error {
	if err := os.MkdirAll(string(f), 0o700); err != nil {
		return fmt.Errorf("ssh: folder for control sockets: %w", err)
	}
	return nil
}

// List tells which connections are held, by host.
func (f Folder) List(ctx context.Context) ([]Info, error) {
	m, err := f.ask(ctx, message{List: true})
	if errors.Is(err, errNoDaemon) {
		return nil, nil
	}
	return m.Infos, err
}

// errNotHeld says that there is no connection.
var errNotHeld = errors.New("no connection is held")

// Status tells of the connection to a host. The error says that there is none.
func (f Folder) Status(ctx context.Context, host ssh.Host) (Info, error) {
	all, err := f.List(ctx)
	if err != nil {
		return Info{}, err
	}
	i := slices.IndexFunc(all, func(i Info) bool { return i.Host == host.String() && !i.Closed })
	if i < 0 {
		return Info{}, notHeld(host)
	}
	return all[i], nil
}

func notHeld(host ssh.Host) error {
	return fmt.Errorf("%s: %w; nod ssh start %s makes one", host, errNotHeld, host.Name)
}

// Stop ends the connections to a host and the sessions on them, and returns when
// they have gone. The error says that there was none.
func (f Folder) Stop(ctx context.Context, host ssh.Host) error {
	m, err := f.ask(ctx, message{Stop: host.String()})
	switch {
	case errors.Is(err, errNoDaemon), err == nil && len(m.Infos) == 0:
		return notHeld(host)
	case err != nil:
		return fmt.Errorf("%s: end the connection: %w", host, err)
	}
	return nil
}

// ask puts one question to the daemon, if there is one. Each may be put twice.
func (f Folder) ask(ctx context.Context, question message) (message, error) {
	return staying(ctx, func() (message, error) { return f.askOnce(ctx, question) })
}

func (f Folder) askOnce(ctx context.Context, question message) (message, error) {
	conn, err := f.dial(ctx)
	if err != nil {
		return message{}, err
	}
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	defer func() { _ = conn.Close() }() // it has answered
	p := newPipe(conn, conn)
	if p.send(question) != nil {
		return message{}, errLeaving
	}
	m, err := p.receive()
	if err != nil {
		return message{}, fmt.Errorf("%w (%w)", errLeaving, err)
	}
	return m, nil
}
