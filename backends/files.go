package backends

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"time"
)

// Errors of Files that have no sentinel in io/fs.
var (
	// ErrIsDirectory: the path names a directory where a file is needed.
	ErrIsDirectory = errors.New("is a directory")
	// ErrNotRegular: the path names a device, a FIFO or a socket.
	ErrNotRegular = errors.New("is not a regular file")
	// ErrChanged: the file is not what WriteOptions.Expect says any more.
	ErrChanged = errors.New("changed since it was read")
)

// Files are a target's files. Paths are absolute. Symbolic links are followed,
// for reading and for writing: a write replaces the file that the link names,
// not the link.
type Files interface {
	// Open opens a regular file for reading. ErrIsDirectory and ErrNotRegular
	// say why not, without blocking on a FIFO.
	Open(ctx context.Context, path string) (File, error)

	// Stat describes what path names, following links.
	Stat(ctx context.Context, path string) (Info, error)

	// List returns a directory's entries sorted by name; links are described
	// as links.
	List(ctx context.Context, path string) ([]Info, error)

	// Write replaces the content of path atomically: a reader sees the old
	// content or the new, never a part, and after an error the old. An existing
	// file keeps its mode and owner. Data is on disk when Write returns.
	Write(ctx context.Context, path string, data []byte, opt WriteOptions) (Info, error)
}

// File is an open regular file.
type File interface {
	io.ReadCloser
	Info() Info
}

// Info describes a file.
type Info struct {
	Path    string
	Size    int64
	Mode    fs.FileMode
	ModTime time.Time
	Owner   string // user name, or the numeric id where it has none
}

// WriteOptions refine Files.Write. The zero value writes a new or existing
// file in an existing directory.
type WriteOptions struct {
	// Mode of a new file; 0 means 0644 less the umask.
	Mode fs.FileMode
	// MakeDirs creates missing parent directories (0755 less the umask).
	MakeDirs bool
	// Expect, when not nil, is checked at the moment of writing; ErrChanged if
	// it does not hold.
	Expect *Version
}

// Version is a file's content at one moment. The zero value is "no such file".
type Version struct {
	Exists bool
	SHA256 string // hexadecimal
}

// VersionOf is the version of a file with the given content.
func VersionOf(data []byte) Version {
	sum := sha256.Sum256(data)
	return Version{Exists: true, SHA256: hex.EncodeToString(sum[:])}
}
