package plugin

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// entry is one of an archive's.
type entry struct {
	name, text string
	kind       byte // tar's type flag; 0: a file
}

func tarOf(t *testing.T, entries []entry) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Mode: 0o644, Size: int64(len(e.text)), Typeflag: e.kind}
		if e.kind == tar.TypeSymlink || e.kind == tar.TypeLink {
			h.Linkname, h.Size, e.text = e.text, 0, ""
		}
		if e.kind == tar.TypeXGlobalHeader {
			h = &tar.Header{Typeflag: e.kind, PAXRecords: map[string]string{"comment": e.text}}
			e.text = ""
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(e.text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zipOf(t *testing.T, entries []entry) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate}
		h.SetMode(0o644)
		if e.kind == tar.TypeSymlink {
			h.SetMode(os.ModeSymlink | 0o777)
		}
		f, err := w.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(e.text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// An archive is the plugin that its folder was: the same files, the same digest.
func TestArchives(t *testing.T) {
	t.Parallel()
	folder, err := Find(write(t, map[string]string{ManifestName: manifest, "main.lua": "-- x", "lib/a.lua": "", ".git/config": "x"}))
	if err != nil {
		t.Fatal(err)
	}
	whole := []entry{{name: "tickets-1.0/"}, {name: "tickets-1.0/" + ManifestName, text: manifest}, {name: "tickets-1.0/main.lua", text: "-- x"}, {name: "tickets-1.0/lib/a.lua"}, {name: "tickets-1.0/.git/config", text: "x"}}
	flat := []entry{{name: "./" + ManifestName, text: manifest}, {name: "main.lua", text: "-- x"}, {name: "lib/a.lua"}}
	dir := t.TempDir()
	for name, packed := range map[string][]byte{
		"a.tar.gz": tarOf(t, append([]entry{{text: "0123", kind: tar.TypeXGlobalHeader}}, whole[1:]...)), "b.tgz": tarOf(t, flat), "c.zip": zipOf(t, whole[1:]), "d.zip": zipOf(t, flat),
	} {
		at := filepath.Join(dir, name)
		if err := os.WriteFile(at, packed, 0o600); err != nil {
			t.Fatal(err)
		}
		if p, err := Find(at); err != nil || p.Digest != folder.Digest || p.Name != "tickets" {
			t.Errorf("%s: %v, %v", name, p.Files, err)
		}
	}
}

// Nothing of an archive is taken that is outside of it, no plain file, or too much.
func TestHostileArchives(t *testing.T) {
	t.Parallel()
	good := []entry{{name: ManifestName, text: manifest}, {name: "main.lua"}}
	var many, ignored []entry
	for i := range MaxFiles + 1 {
		many = append(many, entry{name: fmt.Sprintf("f%d.lua", i)})
	}
	for i := range mostEntries + 1 {
		ignored = append(ignored, entry{name: fmt.Sprintf(".f%d", i)})
	}
	huge := strings.Repeat("x", MaxBytes+1)
	for name, c := range map[string]struct {
		more []entry
		says string
		zip  bool // also in a zip
	}{
		"above":     {[]entry{{name: "../evil.lua"}}, `"../evil.lua" does not stay within it`, true},
		"within":    {[]entry{{name: "lib/../../evil.lua"}}, "does not stay within it", true},
		"absolute":  {[]entry{{name: "/etc/evil.lua"}}, "does not stay within it", true},
		"backslash": {[]entry{{name: `..\evil.lua`}}, "does not stay within it", true},
		"a link":    {[]entry{{name: "link.lua", text: "/etc/passwd", kind: tar.TypeSymlink}}, "no ordinary file", true},
		"hard link": {[]entry{{name: "link.lua", text: "main.lua", kind: tar.TypeLink}}, "no ordinary file", false},
		"a device":  {[]entry{{name: "null", kind: tar.TypeChar}}, "no ordinary file", false},
		"twice":     {[]entry{{name: "main.lua"}}, "is there twice", true},
		"a bomb":    {[]entry{{name: "big.lua", text: huge}}, "at most 100 files and 1024 KiB", true},
		"many":      {many, "at most 100 files", true},
		"ignored":   {ignored, "more than 1000 entries", true},
	} {
		packed := map[string][]byte{"x.tar.gz": tarOf(t, append(good[:2:2], c.more...))}
		if c.zip {
			packed["x.zip"] = zipOf(t, append(good[:2:2], c.more...))
		}
		for file, text := range packed {
			at := filepath.Join(t.TempDir(), file)
			if err := os.WriteFile(at, text, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := Find(at); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s, %s: %v", name, file, err)
			}
		}
	}
	at := filepath.Join(t.TempDir(), "x.tar.gz")
	if _, err := Find(at); err == nil || !strings.Contains(err.Error(), "there is no archive") {
		t.Error(err)
	}
	if err := os.WriteFile(at, []byte("PK"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Find(at); err == nil {
		t.Error("it is no archive")
	}
}
