package skill

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Limits of an installation.
const (
	MaxFiles   = 500
	MaxBytes   = 10 << 20 // of all files together
	MaxArchive = 20 << 20
)

// ErrThere: a skill of that name is installed already.
var ErrThere = errors.New("a skill of that name is installed already")

// Package is a skill that can be installed: unpacked and checked, and not in its
// place yet.
type Package struct {
	Skill
	Entries []string // the files, by their paths within the folder
	Bytes   int64
	dir     string // where it is unpacked
}

// Unpack reads a skill from a folder, or from an archive (.tar, .tar.gz, .tgz,
// .zip) that has SKILL.md at its top or in its only folder, to beside where it would
// be installed. Close removes what was unpacked.
func Unpack(from, place string) (p *Package, err error) {
	if err := os.MkdirAll(place, 0o700); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(place, ".new-")
	if err != nil {
		return nil, err
	}
	p = &Package{dir: dir}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("%s: %w", from, err), p.Close())
			p = nil
		}
	}()
	w := &writer{root: filepath.Join(dir, "new")}
	info, err := os.Stat(from)
	if err != nil {
		return p, err
	}
	if info.IsDir() {
		err = w.folder(from)
	} else {
		err = w.archive(from, info)
	}
	if err != nil {
		return p, err
	}
	top, err := w.top()
	if err != nil {
		return p, err
	}
	if p.Skill, err = Read(top); err != nil {
		return p, err
	}
	p.Skill.Place = Place{Dir: place}
	for _, name := range w.names {
		if rel, err := filepath.Rel(top, filepath.Join(w.root, name)); err == nil {
			p.Entries = append(p.Entries, rel)
		}
	}
	p.Bytes = w.bytes
	return p, nil
}

// Close removes what was unpacked and not installed.
func (p *Package) Close() error { return os.RemoveAll(p.dir) }

// Install puts the skill in its place. With replace, one that is there goes.
func (p *Package) Install(replace bool) (Skill, error) {
	to := filepath.Join(p.Place.Dir, p.Name)
	if _, err := os.Lstat(to); err == nil {
		if !replace {
			return Skill{}, fmt.Errorf("%w: %s", ErrThere, to)
		}
		old := filepath.Join(p.dir, ".old")
		if err := os.Rename(to, old); err != nil {
			return Skill{}, err
		}
	}
	if err := os.Rename(p.Dir, to); err != nil {
		back := os.Rename(filepath.Join(p.dir, ".old"), to)
		if errors.Is(back, fs.ErrNotExist) {
			back = nil // there was none
		}
		return Skill{}, errors.Join(err, back)
	}
	s := p.Skill
	s.Dir = to
	return s, p.Close()
}

// Remove removes an installed skill, by the name of its folder.
func Remove(place, name string) error {
	if !nameForm().MatchString(name) {
		return fmt.Errorf("%w: %q", ErrNone, name)
	}
	dir := filepath.Join(place, name)
	info, err := os.Lstat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %q in %s", ErrNone, name, place)
	}
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is no folder", dir)
	}
	return os.RemoveAll(dir)
}

// writer writes files below a folder, within the limits.
type writer struct {
	root  string
	names []string
	bytes int64
	seen  map[string]bool
}

// file writes one file, by its name in the source.
func (w *writer) file(name string, r io.Reader) error {
	clean := path.Clean(strings.ReplaceAll(name, `\`, "/"))
	switch {
	case strings.ContainsRune(name, 0) || !filepath.IsLocal(clean) || strings.HasPrefix(name, "/"):
		return fmt.Errorf("%q leads out of the folder", name)
	case len(w.names) == MaxFiles:
		return fmt.Errorf("more than %d files", MaxFiles)
	case w.seen[strings.ToLower(clean)]:
		return fmt.Errorf("%q is there twice", name)
	}
	if w.seen == nil {
		w.seen = map[string]bool{}
	}
	w.seen[strings.ToLower(clean)] = true
	to := filepath.Join(w.root, clean)
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	n, err := io.Copy(f, io.LimitReader(r, MaxBytes-w.bytes+1))
	w.bytes += n
	if err == nil && w.bytes > MaxBytes {
		err = fmt.Errorf("more than %d bytes", MaxBytes)
	}
	w.names = append(w.names, clean)
	return errors.Join(err, f.Close())
}

// folder copies a folder.
func (w *writer) folder(from string) error {
	root, err := os.OpenRoot(from)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }() // nothing was written
	return fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == ".git":
			return fs.SkipDir
		case d.IsDir():
			return nil
		case !d.Type().IsRegular():
			return fmt.Errorf("%q is no regular file, but %s", name, d.Type())
		}
		f, err := root.Open(name)
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }() // opened for reading
		if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
			return errors.Join(fmt.Errorf("%q is no regular file", name), err)
		}
		return w.file(name, f)
	})
}

// archive unpacks an archive, told by what it begins with.
func (w *writer) archive(from string, info fs.FileInfo) error {
	if !info.Mode().IsRegular() || info.Size() > MaxArchive {
		return fmt.Errorf("want a folder or an archive of at most %d bytes", MaxArchive)
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	switch {
	case bytes.HasPrefix(data, []byte("PK")):
		return w.zip(data)
	case bytes.HasPrefix(data, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			return err
		}
		return w.tar(io.LimitReader(z, MaxBytes+MaxFiles*4096))
	case len(data) > 262 && string(data[257:262]) == "ustar":
		return w.tar(bytes.NewReader(data))
	}
	return errors.New("it is neither a folder nor a tar or zip archive")
}

func (w *writer) tar(r io.Reader) error {
	t := tar.NewReader(r)
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch h.Typeflag {
		case tar.TypeDir, tar.TypeXGlobalHeader:
		case tar.TypeReg:
			if err := w.file(h.Name, t); err != nil {
				return err
			}
		default:
			return fmt.Errorf("%q is no regular file: links and devices are refused", h.Name)
		}
	}
}

func (w *writer) zip(data []byte) error {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return err
	}
	for _, f := range z.File {
		switch mode := f.Mode(); {
		case mode.IsDir():
			continue
		case !mode.IsRegular():
			return fmt.Errorf("%q is no regular file: links and devices are refused", f.Name)
		}
		r, err := f.Open()
		if err != nil {
			return err
		}
		if err := errors.Join(w.file(f.Name, r), r.Close()); err != nil {
			return err
		}
	}
	return nil
}

// top is the folder that has SKILL.md: the root, or its only folder.
func (w *writer) top() (string, error) {
	var folder string
	for _, name := range w.names {
		if name == file {
			return w.root, w.check(".")
		}
		if d, rest, ok := strings.Cut(name, "/"); ok && rest == file {
			if folder != "" && folder != d {
				return "", errors.New("it has several skills; unpack it and install one after the other")
			}
			folder = d
		}
	}
	if folder == "" {
		return "", fmt.Errorf("there is no %s in it", file)
	}
	return filepath.Join(w.root, folder), w.check(folder)
}

// check says whether all files are below the folder of the skill.
func (w *writer) check(folder string) error {
	for _, name := range w.names {
		if folder != "." && !strings.HasPrefix(name, folder+"/") {
			return fmt.Errorf("%q lies beside the skill's folder %q", name, folder)
		}
	}
	return nil
}
