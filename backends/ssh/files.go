package ssh

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/pkg/sftp"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/posix"
)

// files are the files of a connection's host. Looking and reading go by sftp;
// what sftp has no words for goes by small scripts (see package posix).
type files struct {
	c *Conn

	starting sync.Mutex // held while the sftp session is started
	session  *transfer

	owners sync.Map // user id (uint32) to name (string)
}

var _ backends.Files = (*files)(nil)

func newFiles(c *Conn) *files { return &files{c: c} }

// transfer is a session of sftp.
type transfer struct {
	*sftp.Client
	s session
}

// fileTime bounds one request. Before it ends, a link that does not work is
// found to be lost.
const fileTime = 5 * time.Minute

// servers are where sftp servers are, for a host whose sshd does not name one.
var servers = []string{
	"/usr/lib/openssh/sftp-server", "/usr/libexec/openssh/sftp-server", "/usr/lib/ssh/sftp-server",
	"/usr/libexec/sftp-server", "/usr/lib/sftp-server",
}

// client returns the sftp session, a new one if the last has ended.
func (f *files) client() (*transfer, error) {
	f.starting.Lock()
	defer f.starting.Unlock()
	ctx, cancel := limited(context.Background(), f.c.link, openTime)
	defer cancel()
	if err := f.c.isClosed(); err != nil {
		return nil, err
	}
	if t := f.session; t != nil {
		select {
		case <-t.s.gone():
			_ = t.Close() // has ended
		default:
			return t, nil
		}
	}
	s, err := f.c.open(ctx, request{subsystem: "sftp"})
	if errors.Is(err, errRefused) {
		s, err = f.serve(ctx)
	}
	if err != nil {
		return nil, err
	}
	client, err := posix.Interruptible(ctx, func() (*sftp.Client, error) { return sftp.NewClientPipe(s, input{s}) },
		func(c *sftp.Client) { _ = c.Close() })
	if err != nil {
		s.close()
		if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
			err = fmt.Errorf("%w (it ended at once)", ErrNoSFTP)
		}
		return nil, f.c.reason(err)
	}
	f.session = &transfer{client, s}
	return f.session, nil
}

// serve starts an sftp server as a command.
func (f *files) serve(ctx context.Context) (session, error) {
	found := ""
	for _, p := range servers {
		found += " " + p
	}
	script := "for s in" + found + "; do if [ -x $s ]; then exec $s; fi; done"
	line, err := commandLine("", script, f.c.about().dialect)
	if err != nil {
		return nil, err
	}
	return f.c.open(ctx, request{command: line})
}

// input is the standard input of a session as the library wants it.
type input struct{ session }

func (i input) Close() error { return i.closeInput() }

func (f *files) close() {
	f.starting.Lock()
	defer f.starting.Unlock()
	if f.session != nil {
		f.session.s.close()
		_ = f.session.Close() // has ended
	}
}

// ask runs one request of sftp.
func ask[T any](ctx context.Context, f *files, op, name string, call func(*transfer) (T, error)) (T, error) {
	var zero T
	if err := posix.CheckPath(ctx, name); err != nil {
		return zero, posix.PathError(op, name, err)
	}
	v, err := within(ctx, fileTime, func() (T, error) {
		t, err := f.client()
		if err != nil {
			return zero, err
		}
		return call(t)
	}, func(v T) {
		if c, ok := any(v).(io.Closer); ok {
			_ = c.Close() // nobody waits for it any more
		}
	})
	if err != nil {
		if errors.Is(err, sftp.ErrSSHFxConnectionLost) || errors.Is(err, io.EOF) {
			f.c.settle()
		}
		return zero, posix.PathError(op, name, f.c.reason(err))
	}
	return v, nil
}

// Open implements [backends.Files]. The look before the open keeps the server
// from blocking on a FIFO.
func (f *files) Open(ctx context.Context, name string) (backends.File, error) {
	return ask(ctx, f, "open", name, func(t *transfer) (backends.File, error) {
		info, err := t.Stat(name)
		if err == nil {
			err = posix.Regular(info.Mode())
		}
		if err != nil {
			return nil, err
		}
		file, err := t.Open(name)
		if err != nil {
			return nil, err
		}
		if info, err = file.Stat(); err == nil {
			err = posix.Regular(info.Mode())
		}
		if err != nil {
			_ = file.Close() // opened for reading
			return nil, err
		}
		// One big read asks for many pieces at once, which a distant server
		// needs to be fast.
		size := int(min(max(info.Size()+1, 4<<10), 1<<20))
		return &openFile{f: f, name: name, file: file, r: bufio.NewReaderSize(file, size), info: f.describe(name, info)}, nil
	})
}

// openFile is an open regular file.
type openFile struct {
	f    *files
	name string
	file *sftp.File
	r    *bufio.Reader
	info backends.Info
}

func (o *openFile) Info() backends.Info { return o.info }

func (o *openFile) Read(p []byte) (int, error) {
	n, err := o.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = posix.PathError("read", o.name, o.f.c.reason(err))
	}
	return n, err
}

func (o *openFile) Close() error {
	if err := o.file.Close(); err != nil {
		return posix.PathError("close", o.name, o.f.c.reason(err))
	}
	return nil
}

// Stat implements [backends.Files].
func (f *files) Stat(ctx context.Context, name string) (backends.Info, error) {
	return ask(ctx, f, "stat", name, func(t *transfer) (backends.Info, error) {
		info, err := t.Stat(name)
		if err != nil {
			return backends.Info{}, err
		}
		return f.describe(name, info), nil
	})
}

// List implements [backends.Files].
func (f *files) List(ctx context.Context, name string) ([]backends.Info, error) {
	return ask(ctx, f, "list", name, func(t *transfer) ([]backends.Info, error) {
		entries, err := t.ReadDir(name)
		if err != nil {
			return nil, err
		}
		slices.SortFunc(entries, func(a, b fs.FileInfo) int { return cmp.Compare(a.Name(), b.Name()) })
		infos := make([]backends.Info, 0, len(entries))
		for _, e := range entries {
			infos = append(infos, f.describe(path.Join(name, e.Name()), e))
		}
		return infos, nil
	})
}

// maxLinks is how many symbolic links in a row are followed, as in the kernel.
const maxLinks = 40

// Resolve follows all symbolic links in an absolute path. Elements at its end
// that do not exist stay as they are, so that a write can be judged by the file
// that it would create.
func (f *files) Resolve(ctx context.Context, name string) (string, error) {
	return ask(ctx, f, "resolve", name, func(t *transfer) (string, error) { return resolve(t, name) })
}

func resolve(t *transfer, name string) (string, error) {
	done, rest := "/", name
	for links := 0; rest != ""; {
		names, after := plainNames(rest)
		at, to, err := firstLink(t, done, names)
		switch {
		case err != nil:
			return "", err
		case at < 0: // none of them
			done, rest = path.Join(append([]string{done}, names...)...), after
			if cut, ok := strings.CutPrefix(rest, ".."); ok {
				done, rest = path.Dir(done), cut // done has no links: its parent is the one by name
			}
			continue
		}
		if links++; links > maxLinks {
			return "", syscall.ELOOP
		}
		done = path.Join(append([]string{done}, names[:at]...)...)
		if strings.HasPrefix(to, "/") {
			done = "/"
		}
		rest = to + "/" + strings.Join(names[at+1:], "/") + "/" + after
	}
	return done, nil
}

// plainNames cuts the names off the front of a path up to the next "..".
func plainNames(p string) (names []string, rest string) {
	for p != "" {
		name, after, _ := strings.Cut(p, "/")
		switch name {
		case "", ".":
		case "..":
			return names, strings.TrimLeft(p, "/")
		default:
			names = append(names, name)
		}
		p = after
	}
	return names, ""
}

// firstLink finds the first symbolic link on the way from a folder down some
// names; at is -1 if there is none. It looks at all of them at once, since each
// look is a journey.
func firstLink(t *transfer, from string, names []string) (at int, to string, err error) {
	type look struct {
		info fs.FileInfo
		err  error
	}
	looks := make([]look, len(names))
	var wg sync.WaitGroup
	full := from
	for i, n := range names {
		full = path.Join(full, n)
		p := full
		wg.Go(func() { looks[i].info, looks[i].err = t.Lstat(p) })
	}
	wg.Wait()
	full = from
	for i, l := range looks {
		full = path.Join(full, names[i])
		switch {
		case errors.Is(l.err, fs.ErrNotExist):
			return -1, "", nil // nothing below it can be a link
		case l.err != nil:
			return 0, "", l.err
		case l.info.Mode()&fs.ModeSymlink != 0:
			to, err := t.ReadLink(full)
			return i, to, err
		}
	}
	return -1, "", nil
}

func (f *files) describe(name string, info fs.FileInfo) backends.Info {
	d := backends.Info{Path: name, Size: info.Size(), Mode: info.Mode(), ModTime: info.ModTime()}
	if st, ok := info.Sys().(*sftp.FileStat); ok {
		d.Owner = f.owner(st.UID)
	}
	return d
}

// owner is the name of a user, looked up once. Where that fails it is the
// number, which is as true.
func (f *files) owner(uid uint32) string {
	if name, ok := f.owners.Load(uid); ok {
		return name.(string)
	}
	number := strconv.FormatUint(uint64(uid), 10)
	ctx, cancel := limited(context.Background(), f.c.link, openTime)
	defer cancel()
	a, err := f.c.remoteShell(ctx)
	if err != nil {
		return number
	}
	name, err := a.Ask(ctx, "owner", number)
	if err != nil {
		return number
	}
	name = or(name, number)
	f.owners.Store(uid, name)
	return name
}
