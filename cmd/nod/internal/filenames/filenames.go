// Package filenames finds the files of this machine that a name which is being
// written could become.
package filenames

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/nod-console/nod/ui/completion"
)

// Source says where names begin, and what is left out.
type Source struct {
	Dir  string // the working directory, where relative names begin
	Home string // what ~ stands for; empty if there is none
	// Secret reports whether a file may hold secrets by its path.
	Secret func(path string) bool
	// Where is put behind a name so that nobody looks for it elsewhere: " on local".
	Where string
}

const (
	most  = 200  // names that are offered
	batch = 1024 // names that are read at once
	scan  = 1e5  // names that are looked at, so that no folder is read for ever
)

// Find returns the files and folders whose names begin with what is written, those
// with a dot in front only if it is written. A folder that is not there has none;
// the error is that of a folder that cannot be read, or the context's.
func (s Source) Find(ctx context.Context, written string, quoted bool) (completion.Found, error) {
	folder, prefix := parts(written)
	dir := s.resolve(folder)
	entries, cut, err := names(ctx, dir, prefix)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, errNoFolder):
		return completion.Found{}, nil
	case err != nil:
		return completion.Found{}, err
	}
	var found completion.Found
	if prefix == "" {
		found.All = append(found.All, completion.Candidate{Text: "./", Note: "this folder", Put: s.put(dir)})
	}
	secrets := 0
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		isFolder, real := follow(path, e)
		switch {
		case isFolder && strings.ContainsFunc(path, unicode.IsControl): // such a name cannot be written on
			found.All = append(found.All, completion.Candidate{Text: e.Name() + "/", Note: "folder", Put: s.put(path)})
		case isFolder:
			found.All = append(found.All, completion.Candidate{
				Text: e.Name() + "/", Note: "folder", Put: mark(folder+e.Name()+"/", quoted), More: true,
			})
		case s.Secret(path) || real != path && s.Secret(real):
			secrets++
		default:
			found.All = append(found.All, completion.Candidate{Text: e.Name(), Put: s.put(path)})
		}
	}
	found.Note = note(secrets, max(0, len(found.All)-most), cut)
	found.All = found.All[:min(len(found.All), most)]
	return found, nil
}

// parts are the folder of what is written, and what names in it begin with.
func parts(written string) (folder, prefix string) {
	prefix = written
	if i := strings.LastIndexByte(written, '/'); i >= 0 {
		folder, prefix = written[:i+1], written[i+1:]
	}
	if written == "~" || prefix == ".." || prefix == "." && folder != "" {
		return written + "/", ""
	}
	return folder, prefix
}

// errNoFolder: what is written goes on behind something that is no folder.
var errNoFolder = errors.New("no folder")

// names are the entries of a folder that begin with a prefix, in their order, and
// whether there are more than were looked at.
func names(ctx context.Context, dir, prefix string) (fit []fs.DirEntry, cut bool, err error) {
	if info, err := os.Stat(dir); err != nil {
		return nil, false, err
	} else if !info.IsDir() {
		return nil, false, errNoFolder
	}
	f, err := os.Open(dir)
	if err != nil {
		return nil, false, err
	}
	defer f.Close() //nolint:errcheck // opened for reading only
	fold := prefix == strings.ToLower(prefix)
	for seen := 0; ; {
		if ctx.Err() != nil {
			return nil, false, ctx.Err()
		}
		some, err := f.ReadDir(batch)
		for _, e := range some {
			name := e.Name()
			if strings.HasPrefix(name, ".") && !strings.HasPrefix(prefix, ".") {
				continue
			}
			if strings.HasPrefix(name, prefix) || fold && strings.HasPrefix(strings.ToLower(name), prefix) {
				fit = append(fit, e)
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, false, err
		}
		if seen += len(some); seen >= scan {
			cut = true
			break
		}
	}
	slices.SortFunc(fit, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return fit, cut, nil
}

// follow reports whether an entry is a folder or leads to one, and where it leads.
func follow(path string, e fs.DirEntry) (folder bool, real string) {
	if e.Type()&fs.ModeSymlink == 0 {
		return e.IsDir(), path
	}
	info, err := os.Stat(path)
	if err != nil {
		return false, path
	}
	if real, err = filepath.EvalSymlinks(path); err != nil {
		real = path
	}
	return info.IsDir(), real
}

// resolve is the absolute path of a folder as it is written.
func (s Source) resolve(folder string) string {
	if rest, ok := strings.CutPrefix(folder, "~/"); ok && s.Home != "" {
		return filepath.Join(s.Home, rest)
	}
	if filepath.IsAbs(folder) {
		return filepath.Clean(folder)
	}
	return filepath.Join(s.Dir, folder)
}

// put is a path as it stands in a prompt: from the root, as the tools for files
// want it, and in quotes where a blank would end it.
func (s Source) put(path string) string {
	if strings.ContainsFunc(path, func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r) || strings.ContainsRune("\"'`\\", r) || r == unicode.ReplacementChar
	}) {
		path = strconv.Quote(path)
	}
	return path + s.Where
}

// mark is a folder's name, to be written on.
func mark(name string, quoted bool) string {
	if quoted || strings.ContainsFunc(name, unicode.IsSpace) {
		return `@"` + name
	}
	return "@" + name
}

func note(secrets, more int, cut bool) string {
	var all []string
	if secrets > 0 {
		all = append(all, fmt.Sprintf("left out: %d that may hold secrets", secrets))
	}
	switch {
	case cut:
		all = append(all, "there are too many to look at all: write on")
	case more > 0:
		all = append(all, fmt.Sprintf("%d more: write on", more))
	}
	return strings.Join(all, "; ")
}
