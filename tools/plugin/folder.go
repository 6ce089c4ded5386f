package plugin

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ReadFolder reads the folder of a plugin or an agent: its files, by their paths within
// it, and the digest of all of them. The file manifest must be among them. Folders and
// files whose name begins with a dot are left out.
func ReadFolder(dir, manifest string) (files map[string]string, sum string, err error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, "", fmt.Errorf("%q is no folder; name the one that has %s", dir, manifest)
	}
	files = map[string]string{}
	total := 0
	err = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name != dir && strings.HasPrefix(d.Name(), ".") && d.IsDir():
			return fs.SkipDir
		case d.IsDir() || strings.HasPrefix(d.Name(), "."):
			return nil
		case !d.Type().IsRegular():
			return fmt.Errorf("%q is no ordinary file", name)
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if total += int(info.Size()); len(files) == MaxFiles || info.Size() > MaxBytes || total > MaxBytes {
			return fmt.Errorf("a plugin has at most %d files and %d KiB", MaxFiles, MaxBytes>>10)
		}
		text, err := os.ReadFile(name) //nolint:gosec // the folder that the operator names
		if err != nil {
			return err
		}
		within, err := filepath.Rel(dir, name)
		files[filepath.ToSlash(within)] = string(text)
		return err
	})
	if err != nil {
		return nil, "", err
	}
	if _, there := files[manifest]; !there {
		return nil, "", fmt.Errorf("%q has no %s", dir, manifest)
	}
	return files, digest(files), nil
}

// digest covers each file's name and content, each preceded by its length.
func digest(files map[string]string) string {
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	h := sha256.New()
	for _, name := range names {
		for _, text := range []string{name, files[name]} {
			var n [8]byte
			binary.BigEndian.PutUint64(n[:], uint64(len(text)))
			h.Write(n[:])
			h.Write([]byte(text))
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}
