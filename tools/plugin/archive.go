package plugin

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
	"strings"
)

// Bounds of an archive beside those of the folder in it.
const (
	mostArchive = 8 << 20 // bytes of the file
	mostEntries = 10 * MaxFiles
)

// Find reads a plugin from where it is on this machine: a folder, such as a checkout of
// git, or an archive (.tar.gz, .tgz or .zip).
func Find(from string) (Plugin, error) {
	read := map[string]func([]byte, *unpacked) error{".tar.gz": untar, ".tgz": untar, ".zip": unzip}
	for end, unpack := range read {
		if info, err := os.Stat(from); strings.HasSuffix(from, end) && (err != nil || !info.IsDir()) {
			return fromArchive(from, unpack)
		}
	}
	if info, err := os.Stat(from); err == nil && !info.IsDir() {
		return Plugin{}, fmt.Errorf("%q is neither a folder nor an archive (.tar.gz, .tgz, .zip)", from)
	}
	return Read(from)
}

// unpacked is what an archive has in it.
type unpacked struct {
	files   map[string]string
	entries int
	total   int
}

// add takes one entry. Folders, and what begins with a dot, are left out.
func (u *unpacked) add(name string, mode fs.FileMode, content io.Reader) error {
	if u.entries++; u.entries > mostEntries {
		return fmt.Errorf("it has more than %d entries", mostEntries)
	}
	clean := strings.TrimSuffix(strings.TrimPrefix(name, "./"), "/")
	switch {
	case clean == "" || clean == ".":
		return nil
	case !fs.ValidPath(clean) || strings.Contains(clean, `\`):
		return fmt.Errorf("its entry %q does not stay within it", name)
	case mode.IsDir():
		return nil
	case !mode.IsRegular():
		return fmt.Errorf("its entry %q is no ordinary file", name)
	case hidden(clean):
		return nil
	}
	if _, twice := u.files[clean]; twice {
		return fmt.Errorf("its entry %q is there twice", name)
	}
	text, err := io.ReadAll(io.LimitReader(content, MaxBytes+1))
	if err != nil {
		return fmt.Errorf("its entry %q: %w", name, err)
	}
	if u.total += len(text); len(u.files) == MaxFiles || u.total > MaxBytes {
		return fmt.Errorf("a plugin has at most %d files and %d KiB", MaxFiles, MaxBytes>>10)
	}
	u.files[clean] = string(text)
	return nil
}

// hidden reports whether a part of a path begins with a dot.
func hidden(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(part, ".") {
			return true
		}
	}
	return false
}

// fromArchive reads an archive into memory; nothing of it is written anywhere.
func fromArchive(from string, unpack func([]byte, *unpacked) error) (Plugin, error) {
	info, err := os.Stat(from)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Plugin{}, fmt.Errorf("there is no archive %q", from)
	case err != nil:
		return Plugin{}, err
	case !info.Mode().IsRegular():
		return Plugin{}, fmt.Errorf("%q is no ordinary file", from)
	case info.Size() > mostArchive:
		return Plugin{}, fmt.Errorf("%q is larger than %d MiB", from, mostArchive>>20)
	}
	packed, err := os.ReadFile(from) //nolint:gosec // the archive that the operator names
	if err != nil {
		return Plugin{}, err
	}
	u := &unpacked{files: map[string]string{}}
	if err := unpack(packed, u); err != nil {
		return Plugin{}, fmt.Errorf("%q: %w", from, err)
	}
	return Plugin{Dir: from, Files: within(u.files)}.parsed()
}

// within are the files of the one folder that has them all, if there is such a one.
func within(files map[string]string) map[string]string {
	if _, here := files[ManifestName]; here {
		return files
	}
	inner, top := map[string]string{}, ""
	for name, text := range files {
		first, rest, deeper := strings.Cut(name, "/")
		if !deeper || top != "" && first != top {
			return files
		}
		top = first
		inner[path.Clean(rest)] = text
	}
	return inner
}

func untar(packed []byte, u *unpacked) error {
	plain, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return err
	}
	// What is left out is bounded, too: it has to be unpacked to be passed over.
	r := tar.NewReader(io.LimitReader(plain, mostUnpacked))
	for {
		h, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case h.Typeflag == tar.TypeXGlobalHeader: // git archive's, with the commit
			continue
		}
		mode := h.FileInfo().Mode()
		if h.Typeflag == tar.TypeLink { // whose mode is that of a file
			mode |= fs.ModeIrregular
		}
		if err := u.add(h.Name, mode, r); err != nil {
			return err
		}
	}
}

// mostUnpacked bounds what is unpacked of an archive, in bytes.
const mostUnpacked = 64 << 20

func unzip(packed []byte, u *unpacked) error {
	r, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		return err
	}
	for _, f := range r.File {
		content, err := f.Open()
		if err != nil {
			return fmt.Errorf("its entry %q: %w", f.Name, err)
		}
		err = u.add(f.Name, f.Mode(), content)
		_ = content.Close() // it was only read
		if err != nil {
			return err
		}
	}
	return nil
}
