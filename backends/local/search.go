package local

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/search"
)

var _ backends.Searcher = (*files)(nil)

// Search implements [backends.Searcher]. Every folder and file is opened from the
// one above it, and never through a link.
func (f *files) Search(ctx context.Context, q backends.Query, found func(backends.Hit) bool) (backends.Survey, error) {
	if err := check(ctx, "search", q.Root); err != nil {
		return backends.Survey{}, err
	}
	plan, err := search.Compile(q)
	if err != nil {
		return backends.Survey{}, err
	}
	s := seeker{ctx: ctx, plan: plan, found: found}
	if err := s.run(); err != nil && !errors.Is(err, errEnough) {
		return s.survey, pathError("search", q.Root, err)
	}
	return s.survey, nil
}

// errEnough says that no more hits are wanted.
var errEnough = errors.New("enough was found")

// seeker is one search.
type seeker struct {
	ctx    context.Context
	plan   search.Plan
	found  func(backends.Hit) bool
	survey backends.Survey
	files  []string // to be looked into, relative to the root
	buffer *bufio.Reader
}

func (s *seeker) run() error {
	info, err := os.Lstat(s.plan.Root)
	if err != nil {
		return err
	}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return backends.ErrChanged
	case info.IsDir():
	case !s.plan.Lines:
		return syscall.ENOTDIR
	default:
		if err := regular(info.Mode()); err != nil {
			return err
		}
		return s.look(s.plan.Root)
	}
	dir, err := openFolderAt(s.plan.Root)
	if err != nil {
		return err
	}
	if err := s.walk(dir, "", 1); err != nil {
		return err
	}
	slices.Sort(s.files)
	for _, name := range s.files {
		if err := s.look(path.Join(s.plan.Root, name)); err != nil {
			return err
		}
	}
	return nil
}

const folderFlags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC

// openFolderAt opens a folder, following no link on the way.
func openFolderAt(name string) (*os.File, error) {
	if name == "/" {
		return os.Open(name)
	}
	dir, base, err := walk(name, false)
	if err != nil {
		return nil, err
	}
	defer func() { _ = unix.Close(dir) }() // a mere reference
	fd, err := unix.Openat(dir, base, folderFlags, 0)
	if err != nil {
		return nil, linkOr(dir, base, err)
	}
	return os.NewFile(uintptr(fd), name), nil
}

// walk goes through a folder, and closes it. What cannot be read is counted.
func (s *seeker) walk(dir *os.File, relative string, depth int) error {
	defer func() { _ = dir.Close() }() // opened for reading
	for {
		entries, err := dir.ReadDir(1_000)
		for _, e := range entries {
			if err := s.entry(dir, e, path.Join(relative, e.Name()), depth); err != nil {
				return err
			}
		}
		switch {
		case s.ctx.Err() != nil:
			return context.Cause(s.ctx)
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			s.survey.Unreadable++
			return nil
		}
	}
}

func (s *seeker) entry(dir *os.File, e fs.DirEntry, relative string, depth int) error {
	full := path.Join(s.plan.Root, relative)
	if s.plan.Root == "/" && search.Skips(full) || s.plan.Lines && strings.Contains(e.Name(), "\n") {
		return nil
	}
	switch {
	case s.plan.Lines:
		if e.Type().IsRegular() && s.plan.Name(relative) {
			s.files = append(s.files, relative)
		}
	case s.plan.Name(relative) && !s.found(backends.Hit{Path: full, Dir: e.IsDir()}):
		return errEnough
	}
	if !e.IsDir() || s.plan.Depth > 0 && depth >= s.plan.Depth {
		return nil
	}
	fd, err := unix.Openat(int(dir.Fd()), e.Name(), folderFlags, 0)
	switch {
	case errors.Is(err, fs.ErrPermission):
		s.survey.Unreadable++
		return nil
	case err != nil:
		return nil // it has gone, or is a link by now
	}
	return s.walk(os.NewFile(uintptr(fd), full), relative, depth+1)
}

// look tells the lines of a file that are looked for.
func (s *seeker) look(name string) error {
	file, err := openExact(name)
	switch {
	case errors.Is(err, fs.ErrPermission):
		s.survey.Unreadable++
		return nil
	case err != nil:
		return nil // it has gone, or is a link by now
	}
	defer func() { _ = file.Close() }() // opened for reading
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	if s.buffer == nil {
		s.buffer = bufio.NewReaderSize(nil, 64<<10)
	}
	s.buffer.Reset(file)
	head, err := s.buffer.Peek(search.Sniffed)
	if err != nil && !errors.Is(err, io.EOF) {
		s.survey.Unreadable++
		return nil
	}
	return s.lines(name, search.Binary(head))
}

// lines goes through an open file. Of a binary one it only matters whether
// there is a match.
func (s *seeker) lines(name string, binary bool) error {
	for n := 1; ; n++ {
		raw, err := s.line()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			s.survey.Unreadable++
			return nil
		}
		if s.ctx.Err() != nil {
			return context.Cause(s.ctx)
		}
		if binary {
			if s.plan.Holds(raw) {
				s.survey.Binary++
				return nil
			}
			continue
		}
		if text, ok := s.plan.Line(raw); ok && !s.found(backends.Hit{Path: name, Line: n, Text: text}) {
			return errEnough
		}
	}
}

// line is the next line without its line feed; of a long one only so much as is
// looked at.
func (s *seeker) line() ([]byte, error) {
	var long []byte
	for {
		part, err := s.buffer.ReadSlice('\n')
		switch {
		case err == nil && long == nil:
			return part[:len(part)-1], nil
		case err == nil:
			return append(long, part[:len(part)-1]...), nil
		case errors.Is(err, io.EOF) && len(part)+len(long) > 0:
			return append(long, part...), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
		if len(long) <= backends.MaxLine {
			long = append(long, part...)
		}
	}
}
