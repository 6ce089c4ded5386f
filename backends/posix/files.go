package posix

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	_ "embed"

	"github.com/nod-console/nod/backends"
)

// ReadScript defines nod_read; see there.
//
//go:embed scripts/read.sh
var ReadScript string

//go:embed scripts/write.sh
var writeScript string

// Files reads and replaces files by programs.
type Files struct {
	Shell string // "/bin/sh"
	// Exec starts a program, as [backends.Target] does.
	Exec func(context.Context, backends.Command) (backends.Process, error)
	// Drain has programs read their input to its end even where they do not want
	// it any more: podman loses the output of those that leave some.
	Drain bool
}

// maxTries bounds a write without Expect to a name that others keep changing.
const maxTries = 10

// Write replaces a file. The path is absolute. If exact, no link may lead there;
// one that has come meanwhile is backends.ErrChanged.
func (f Files) Write(ctx context.Context, name string, data []byte, opt backends.WriteOptions, exact bool) (backends.Info, error) {
	info, err := f.write(ctx, name, data, opt, exact)
	for try := 1; try < maxTries && !exact && opt.Expect == nil && errors.Is(err, backends.ErrChanged); try++ {
		info, err = f.write(ctx, name, data, opt, exact) // somebody else was quicker; we only want to be last
	}
	return info, err
}

func (f Files) write(ctx context.Context, name string, data []byte, opt backends.WriteOptions, exact bool) (backends.Info, error) {
	mode, expect := "", ""
	if opt.Mode != 0 {
		mode = fmt.Sprintf("%o", UnixMode(opt.Mode))
	}
	switch {
	case opt.Expect == nil:
	case opt.Expect.Exists:
		expect = opt.Expect.SHA256
	default:
		expect = "none"
	}
	var out, complaint bytes.Buffer
	p, err := f.Exec(ctx, backends.Command{
		Argv: []string{
			f.Shell, "-c", Brief(writeScript), "sh", name, Flag(exact, "exact"), Flag(opt.MakeDirs, "dirs"),
			mode, expect, strconv.Itoa(len(data)), temporary(), Flag(f.Drain, "all"),
		},
		Stdin: bytes.NewReader(data), Stdout: &out, Stderr: &complaint,
	})
	if err != nil {
		return backends.Info{}, err
	}
	o, err := p.Wait()
	said, _, whole := strings.Cut(out.String(), "\n")
	switch {
	case whole && strings.HasPrefix(said, "ok "): // it is done, whatever ended afterwards
		return ParseInfo(name, strings.TrimPrefix(said, "ok "))
	case err != nil:
		return backends.Info{}, err
	case whole:
		return backends.Info{}, WordError(said)
	}
	return backends.Info{}, ToolError(complaint.String(), o)
}

func temporary() string {
	var id [8]byte
	rand.Read(id[:]) // never fails: see crypto/rand.Read
	return ".nod-" + hex.EncodeToString(id[:]) + ".tmp"
}

// streamed is a file that a program at the other end reads out.
type streamed struct {
	r      *bufio.Reader
	pipe   *io.PipeReader
	cancel context.CancelCauseFunc
	info   backends.Info
}

func (s *streamed) Info() backends.Info        { return s.info }
func (s *streamed) Read(p []byte) (int, error) { return s.r.Read(p) }

func (s *streamed) Close() error {
	s.cancel(context.Canceled)
	return s.pipe.Close()
}

// Open opens a regular file. If exact, no link may lead there: that is
// backends.ErrChanged.
func (f Files) Open(ctx context.Context, name string, exact bool) (backends.File, error) {
	pr, pw := io.Pipe()
	life, cancel := context.WithCancelCause(context.WithoutCancel(ctx)) // a File outlives the call
	stop := context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })
	var complaint Tail
	p, err := f.Exec(life, backends.Command{
		Argv:   []string{f.Shell, "-c", Brief(ReadScript) + `nod_read "$@"`, "sh", name, "all", Flag(exact, "exact")},
		Stdout: pw, Stderr: &complaint,
	})
	if err != nil {
		cancel(nil)
		return nil, err
	}
	go func() {
		o, err := p.Wait()
		if err == nil && !o.OK() {
			err = ToolError(complaint.String(), o)
		}
		if err != nil {
			err = PathError("read", name, err)
		}
		_ = pw.CloseWithError(err) // nil is the end of the file
	}()
	s := &streamed{r: bufio.NewReaderSize(pr, 64<<10), pipe: pr, cancel: cancel}
	line, err := s.r.ReadString('\n')
	if !stop() && err == nil {
		err = context.Cause(ctx)
	}
	if err == nil {
		s.info, err = Described(name, strings.TrimSuffix(line, "\n"))
	}
	if err != nil {
		_ = s.Close() // of no more use
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, err
	}
	return s, nil
}
