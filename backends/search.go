package backends

import (
	"context"
	"errors"
)

// ErrNoSearch: nothing there can look through its files, such as a container
// without a shell.
var ErrNoSearch = errors.New("its files cannot be searched where they are")

// MaxLine is how many bytes of a line a search looks at. A longer one counts as
// ended there.
const MaxLine = 64 << 10

// Query says what to look for below a folder.
type Query struct {
	// Root is a folder, absolute, clean and without a link in it. Where lines are
	// looked for, it may be a regular file.
	Root string
	// Names is a pattern for paths relative to Root: "*" and "?" stay within a
	// name, "**" does not, "[a-z]" and "{a,b}" choose. Empty means every path.
	Names string
	// Pattern is a regular expression in RE2's syntax; lines are found that hold
	// a match. Empty: paths are found.
	Pattern string
}

// Hit is what was found.
type Hit struct {
	Path string // absolute
	Dir  bool   // a folder; only where paths are looked for
	Line int    // from 1; 0 where paths are looked for
	Text string // the line without its end; bytes as they are
}

// Survey says what a search left out.
type Survey struct {
	Binary     int // files with a match that are no text
	Unreadable int // files and folders without the right to look
}

// Searcher is implemented by Files that can be searched where they are, in one
// round trip. Every Searcher gives the same answers.
type Searcher interface {
	// Search calls found for each hit until it returns false. Lines come ordered
	// by path, byte by byte, and number; paths in any order. No symbolic link is
	// followed, only regular files are looked into, files whose path holds a line
	// feed are left out where lines are looked for, and so are /proc, /sys and
	// /dev where Root is above them. A file is binary that has a zero byte among
	// its first 8,000.
	Search(ctx context.Context, q Query, found func(Hit) bool) (Survey, error)
}
