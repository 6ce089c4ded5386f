package local

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Resolve follows all symbolic links in an absolute path. Elements at its end
// that do not exist stay as they are, so that a write can be judged by the file
// that it would create.
func (f *files) Resolve(ctx context.Context, path string) (string, error) {
	if err := check(ctx, "resolve", path); err != nil {
		return "", err
	}
	done, err := resolve(path)
	if err != nil {
		return "", pathError("resolve", path, err)
	}
	return done, nil
}

func resolve(path string) (string, error) {
	done, rest, links := "/", path, 0
	for rest != "" {
		var name string
		name, rest, _ = strings.Cut(rest, "/")
		if name == "" || name == "." {
			continue
		}
		if name == ".." {
			done = filepath.Dir(done) // done has no links: its parent is the one by name
			continue
		}
		next := filepath.Join(done, name)
		info, err := os.Lstat(next)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			done = next
		case err != nil:
			return "", err
		case info.Mode()&fs.ModeSymlink == 0:
			done = next
		default:
			to, err := os.Readlink(next)
			if err != nil {
				return "", err
			}
			if links++; links > maxLinks {
				return "", syscall.ELOOP
			}
			if strings.HasPrefix(to, "/") {
				done = "/"
			}
			rest = to + "/" + rest
		}
	}
	return done, nil
}
