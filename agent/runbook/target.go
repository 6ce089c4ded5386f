package runbook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/tools/guard"
)

// LookOn reads what a folder of a target says, but no skills. Its Dir begins with
// the target's name, so that consent to it is to no other. The error is the
// context's, or says that the target cannot be asked.
func LookOn(ctx context.Context, t backends.Target, dir string) (Folder, error) {
	f := Folder{Dir: t.Name() + ":" + dir}
	files, ok := t.Files().(guard.ExactFiles)
	if !ok {
		return f, fmt.Errorf("guidance: %s cannot say where links lead", t.Name())
	}
	at, err := files.Resolve(ctx, dir)
	if err != nil {
		return f, fmt.Errorf("guidance: %w", err)
	}
	for _, name := range names {
		text, err := readOn(ctx, files, path.Join(at, name))
		switch {
		case ctx.Err() != nil:
			return f, ctx.Err()
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			f.Left = append(f.Left, name+": "+err.Error())
		default:
			f.Files = append(f.Files, File{name, text})
		}
	}
	return f, nil
}

func readOn(ctx context.Context, files guard.ExactFiles, name string) (string, error) {
	file, err := files.OpenExact(ctx, name)
	if errors.Is(err, backends.ErrChanged) {
		err = errors.New("a symbolic link is not followed")
	}
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }() // opened for reading
	if info := file.Info(); info.Size > MaxFile {
		return "", fmt.Errorf("it has %d bytes, and it may have %d", info.Size, MaxFile)
	}
	all, err := io.ReadAll(io.LimitReader(file, MaxFile))
	return strings.ToValidUTF8(string(all), "\uFFFD"), err
}
