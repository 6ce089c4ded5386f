package holder

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/nod-console/nod/backends/ssh"
	"github.com/nod-console/nod/backends/ssh/mux"
)

// Folder is where control sockets and what belongs to them are: a folder of the
// operator's own, mode 0700.
type Folder string

// Info is a holder that runs.
type Info struct {
	Host    string        `json:"host"` // canonical target name: "ssh:web-1"
	Socket  string        `json:"socket"`
	Pid     int           `json:"pid"`
	Since   time.Time     `json:"since"`
	Persist time.Duration `json:"persist"` // how long it stays without being used; 0: until it is stopped
}

// Names of what belongs to a host, by their ends.
const (
	socketEnd = ".sock"
	lockEnd   = ".lock" // held as long as a holder lives
	infoEnd   = ".json"
	logEnd    = ".log"
)

// base is where the files of a host begin. The name is short, since the path of
// a socket is bounded to about a hundred bytes.
func (f Folder) base(host ssh.Host) string {
	sum := sha256.Sum256([]byte(host.String()))
	return filepath.Join(string(f), hex.EncodeToString(sum[:8]))
}

// Socket is the path of a host's control socket.
func (f Folder) Socket(host ssh.Host) string { return f.base(host) + socketEnd }

// longestSocket is how long the path of a socket may be: sun_path has 108 bytes,
// one of which ends it (unix(7)).
const longestSocket = 107

// Check refuses a folder in which no socket can be made: its path is too long,
// or it is not the operator's alone.
func (f Folder) Check() error {
	if path := f.Socket(ssh.Host{}); len(path) > longestSocket { // they are all as long
		return fmt.Errorf("holder: the path of the control socket %q is too long: %d bytes, %d are possible; set NOD_STATE_DIR or XDG_RUNTIME_DIR to a shorter folder",
			path, len(path), longestSocket)
	}
	info, err := os.Stat(string(f))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("holder: folder for control sockets: %w", err)
	case !info.IsDir():
		return fmt.Errorf("holder: folder for control sockets: %q is no folder", f)
	case info.Sys().(*syscall.Stat_t).Uid != uint32(os.Geteuid()): //nolint:forcetypeassert,gosec // on Unix it is one, and no user has a negative number
		return fmt.Errorf("holder: folder for control sockets: %q is somebody else's; set NOD_STATE_DIR to a folder of your own", f)
	case info.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("holder: folder for control sockets: others may use %q; chmod 700 it", f)
	}
	return nil
}

// Prepare makes the folder if it is not there.
func (f Folder) Prepare() error {
	if err := os.MkdirAll(string(f), 0o700); err != nil {
		return fmt.Errorf("holder: folder for control sockets: %w", err)
	}
	return nil
}

// List tells which holders run, by host. What a dead one has left behind is
// removed.
func (f Folder) List(ctx context.Context) ([]Info, error) {
	entries, err := os.ReadDir(string(f))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("holder: %w", err)
	}
	var all []Info
	for _, e := range entries {
		base, ok := strings.CutSuffix(e.Name(), infoEnd)
		if !ok {
			continue
		}
		info, err := f.read(ctx, filepath.Join(string(f), base))
		if err == nil {
			all = append(all, info)
		} else if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	slices.SortFunc(all, func(a, b Info) int { return strings.Compare(a.Host, b.Host) })
	return all, nil
}

// errNoHolder says that no holder runs.
var errNoHolder = errors.New("no connection is held")

// Status tells of a host's holder. The error says that there is none.
func (f Folder) Status(ctx context.Context, host ssh.Host) (Info, error) {
	info, err := f.read(ctx, f.base(host))
	if err != nil {
		return Info{}, fmt.Errorf("%s: %w; nod ssh start %s makes one", host, err, host.Name)
	}
	return info, nil
}

// read asks the holder at base whether it is there.
func (f Folder) read(ctx context.Context, base string) (Info, error) {
	text, err := os.ReadFile(base + infoEnd)
	if errors.Is(err, fs.ErrNotExist) {
		return Info{}, errNoHolder
	}
	if err != nil {
		return Info{}, err
	}
	var info Info
	if err := json.Unmarshal(text, &info); err != nil {
		return Info{}, fmt.Errorf("%s: %w", base+infoEnd, err)
	}
	pid, err := alive(ctx, base+socketEnd)
	if err != nil {
		return Info{}, errors.Join(errNoHolder, sweep(base))
	}
	info.Pid, info.Socket = pid, base+socketEnd
	return info, nil
}

// alive is the process that serves a socket.
func alive(ctx context.Context, socket string) (int, error) {
	c, err := mux.Dial(ctx, socket)
	if err != nil {
		return 0, err
	}
	return c.Check(ctx)
}

// sweep removes what a dead holder has left behind, unless one is just starting.
func sweep(base string) error {
	lock, err := lockFile(base + lockEnd)
	if errors.Is(err, errLocked) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = lock.Close() }() // that frees the lock
	for _, end := range []string{infoEnd, logEnd, socketEnd} {
		if err := os.Remove(base + end); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Stop ends a host's holder and the sessions on it, and returns when it has
// gone. The error says that there was none.
func (f Folder) Stop(ctx context.Context, host ssh.Host) error {
	info, err := f.Status(ctx, host)
	if err != nil {
		return err
	}
	if err := mux.Terminate(ctx, info.Socket); err != nil {
		return fmt.Errorf("%s: end process %d: %w", host, info.Pid, err)
	}
	lock, err := waitLock(ctx, f.base(host)+lockEnd)
	if err != nil {
		return fmt.Errorf("%s: process %d does not end: %w", host, info.Pid, err)
	}
	return lock.Close()
}

// errLocked says that somebody else has the lock.
var errLocked = errors.New("locked")

// lockFile takes a lock that ends with the file, and so with the process.
func lockFile(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("holder: %w", err)
	}
	if err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		_ = file.Close() // nothing was written
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, errLocked
		}
		return nil, fmt.Errorf("holder: lock %q: %w", path, err)
	}
	return file, nil
}

// lockPause is the time between two tries for a lock that somebody else has.
const lockPause = 20 * time.Millisecond

// waitLock takes a lock as soon as it is free.
func waitLock(ctx context.Context, path string) (*os.File, error) {
	for {
		file, err := lockFile(path)
		if !errors.Is(err, errLocked) {
			return file, err
		}
		select {
		case <-time.After(lockPause):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}
