package skill

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const good = "---\nname: demo\ndescription: Shows how\nversion: 1.2.0\n---\nDo it.\n"

func put(t *testing.T, dir, text string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestFrontMatterIsReadAsItIsWritten(t *testing.T) {
	s, err := Parse("\uFEFF---\r\nname: rotate-certs  # a comment\r\ndescription: >-\r\n  Renew: what\r\n  runs out\x1b\r\n\r\nversion: \"1.2\"\r\ntags: [tls, 'it''s', \"a, b\"]\r\n" +
		"tools:\r\n  - run_shell\r\n- read_file # both\r\nmetadata:\r\n  author: x\r\n  nested: {a: b}\r\n---\r\n\r\n# Steps\r\n---\r\nmore\r\n")
	if err != nil {
		t.Fatal(err)
	}
	if s.Name != "rotate-certs" || s.Description != "Renew: what runs out" || s.Version != "1.2" ||
		fmt.Sprintf("%q", s.Tags) != `["tls" "it's" "a, b"]` || fmt.Sprintf("%q", s.Tools) != `["run_shell" "read_file"]` || s.Body != "# Steps\n---\nmore" {
		t.Errorf("%+v", s)
	}
	if s, err := Parse(strings.Replace(good, "version: 1.2.0\n", "license: MIT\nallowed-tools: Read, Grep\nmetadata:\n  author: ops\n", 1)); err != nil || s.Version != "0" || s.Tools != nil {
		t.Errorf("of another program: %+v, %v", s, err)
	}
	if s, err := Parse(strings.Replace(good, "version", "tools: []\nversion", 1)); err != nil || s.Tools == nil || len(s.Tools) != 0 {
		t.Errorf("no tools at all: %+v, %v", s, err)
	}
	if s, err := Parse(strings.Replace(good, "version", "tools: run_shell, time\nversion", 1)); err != nil || len(s.Tools) != 2 {
		t.Errorf("%+v, %v", s, err)
	}
	if s, err := Parse(good); err != nil || s.Tools != nil {
		t.Errorf("%+v, %v", s, err)
	}
	for text, want := range map[string]string{
		"# no front": "no front matter", "---\nname: x\n": "has no end", strings.Replace(good, "name: demo\n", "", 1): "no name",
		strings.Replace(good, "1.2.0", "", 1): "no version", strings.Replace(good, "demo", "../x", 1): `"../x"`,
		strings.Replace(good, "demo", "Demo", 1): `"Demo"`, strings.Replace(good, "Do it.", "", 1): "no instructions",
		strings.Replace(good, "version", "name: y\nversion", 1): "twice", strings.Replace(good, "Shows how", "{a: b}", 1): "quote it",
		strings.Replace(good, "Shows how", `"open`, 1): "not closed", strings.Replace(good, "version", "tools: [rm -rf]\nversion", 1): "rm -rf",
		strings.Replace(good, "version", "tools: [a\nversion", 1): "no end", strings.Replace(good, "version", "what is this\nversion", 1): "no key",
		strings.Replace(good, "Shows how", strings.Repeat("x", MaxDescription+1), 1): "may have",
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(good)
	f.Add("---\nname: 'a\ntools: [\"\\\n---\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text)
		if err == nil && (!nameForm().MatchString(s.Name) || strings.ContainsAny(s.Description, "\n\x1b")) {
			t.Errorf("%+v", s)
		}
	})
}

func TestWhatCannotBeTrustedIsListedAndNotOffered(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	put(t, filepath.Join(first, "demo"), good)
	put(t, filepath.Join(first, "broken"), "nothing")
	put(t, filepath.Join(first, "writable"), strings.Replace(good, "demo", "writable", 1))
	if err := os.Chmod(filepath.Join(first, "writable", file), 0o622); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(first, "big"), good+strings.Repeat("x", MaxText))
	elsewhere := filepath.Join(t.TempDir(), "linked")
	put(t, elsewhere, strings.Replace(good, "demo", "linked", 1))
	if err := os.Symlink(elsewhere, filepath.Join(first, "linked")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(first, "textlink"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(elsewhere, file), filepath.Join(first, "textlink", file)); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(first, "pipe"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mkfifo(filepath.Join(first, "pipe", file), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(first, "empty"), 0o700); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(second, "demo"), strings.Replace(good, "Shows how", "Another", 1))
	put(t, filepath.Join(second, "other"), strings.Replace(good, "demo", "other", 1))

	c := Find(Place{first, "a"}, Place{second, "b"}, Place{filepath.Join(second, "missing"), "c"})
	faults := map[string]string{}
	for _, s := range c.All() {
		faults[s.Place.Name+" "+filepath.Base(s.Dir)] = s.Fault
	}
	for name, want := range map[string]string{
		"a demo": "", "b other": "", "a broken": "no front matter", "a writable": "others can write", "a big": "may have",
		"a linked": "symbolic link", "a textlink": "symbolic link", "a pipe": "no regular file", "b demo": "comes first",
	} {
		got, ok := faults[name]
		if !ok || want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if len(faults) != 9 {
		t.Errorf("%q", faults)
	}
	if got := strings.Join(c.Lines(1000), "|"); got != "demo (1.2.0): Shows how|other (1.2.0): Shows how" {
		t.Error(got)
	}
	if got := c.Lines(30); len(got) != 2 || got[1] != "and 1 more, which do not fit here" {
		t.Errorf("%q", got)
	}
	if s, err := c.Load("demo"); err != nil || s.Body != "Do it." || s.Place.Name != "a" {
		t.Errorf("%+v, %v", s, err)
	}
	for _, name := range []string{"linked", "writable", "", "../demo"} {
		if _, err := c.Load(name); !errors.Is(err, ErrNone) {
			t.Errorf("%q: %v", name, err)
		}
	}
	c.Add(Place{Name: "working folder"}, "/w/demo", good)
	c.Add(Place{Name: "working folder"}, "/w/mine", strings.Replace(good, "demo", "mine", 1))
	if s, err := c.Load("mine"); err != nil || s.Place.Name != "working folder" {
		t.Errorf("%+v, %v", s, err)
	}
}

func tarball(t *testing.T, zipped bool, entries ...tar.Header) string {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range entries {
		text := []byte(good)
		if h.Typeflag == 0 {
			h.Typeflag, h.Mode = tar.TypeReg, 0o4777
		}
		if h.Size > 0 {
			text = make([]byte, h.Size)
		}
		if h.Typeflag != tar.TypeReg {
			text = nil
		}
		h.Size = int64(len(text))
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(text); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	data := b.Bytes()
	if zipped {
		var z bytes.Buffer
		g := gzip.NewWriter(&z)
		if _, err := g.Write(data); err != nil {
			t.Fatal(err)
		}
		if err := g.Close(); err != nil {
			t.Fatal(err)
		}
		data = z.Bytes()
	}
	path := filepath.Join(t.TempDir(), "skill.tar")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestInstallingFromFoldersAndArchives(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "anything")
	put(t, folder, good)
	put(t, filepath.Join(folder, "scripts"), "echo")
	put(t, filepath.Join(folder, ".git"), "not this")
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range []string{"demo-1.2/SKILL.md", "demo-1.2/scripts/SKILL.md"} {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(good)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	zipFile := filepath.Join(t.TempDir(), "x.zip")
	if err := os.WriteFile(zipFile, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	entries := []tar.Header{{Name: "demo/", Typeflag: tar.TypeDir}, {Name: "demo/SKILL.md"}, {Name: "demo/scripts/SKILL.md"}}
	for name, from := range map[string]string{"folder": folder, "zip": zipFile, "tar": tarball(t, false, entries...), "tgz": tarball(t, true, entries...)} {
		t.Run(name, func(t *testing.T) {
			place := filepath.Join(t.TempDir(), "skills")
			p, err := Unpack(from, place)
			if err != nil {
				t.Fatal(err)
			}
			if len(p.Entries) != 2 || p.Bytes == 0 || p.Name != "demo" {
				t.Errorf("%+v", p)
			}
			if c := Find(Place{Dir: place}); len(c.All()) != 0 {
				t.Error("it is there before it was installed")
			}
			s, err := p.Install(false)
			if err != nil || s.Dir != filepath.Join(place, "demo") {
				t.Fatalf("%+v, %v", s, err)
			}
			if info, err := os.Stat(filepath.Join(s.Dir, "scripts", file)); err != nil || info.Mode() != 0o600 {
				t.Errorf("%v, %v", info, err)
			}
			again, err := Unpack(from, place)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := again.Install(false); !errors.Is(err, ErrThere) {
				t.Errorf("%v", err)
			}
			if _, err := again.Install(true); err != nil {
				t.Error(err)
			}
			if all, err := os.ReadDir(place); err != nil || len(all) != 1 {
				t.Errorf("left behind: %v, %v", all, err)
			}
			if all, err := os.ReadDir(s.Dir); err != nil || len(all) != 2 {
				t.Errorf("the new one has %v, %v", all, err)
			}
			if err := Remove(place, "demo"); err != nil {
				t.Error(err)
			}
			for _, name := range []string{"demo", "..", "../skills", ""} {
				if err := Remove(place, name); !errors.Is(err, ErrNone) {
					t.Errorf("%q: %v", name, err)
				}
			}
		})
	}
}

func TestArchivesThatLeadElsewhereAreRefused(t *testing.T) {
	skill := tar.Header{Name: "SKILL.md"}
	link := filepath.Join(t.TempDir(), "with-link")
	put(t, link, good)
	if err := os.Symlink("/etc/passwd", filepath.Join(link, "x")); err != nil {
		t.Fatal(err)
	}
	many := []tar.Header{skill}
	for i := range MaxFiles {
		many = append(many, tar.Header{Name: fmt.Sprint(i)})
	}
	for name, c := range map[string]struct{ from, want string }{
		"parent":        {tarball(t, false, skill, tar.Header{Name: "../evil"}), "leads out"},
		"hidden parent": {tarball(t, true, skill, tar.Header{Name: "a/../../evil"}), "leads out"},
		"absolute":      {tarball(t, false, skill, tar.Header{Name: "/tmp/evil"}), "leads out"},
		"backslash":     {tarball(t, false, skill, tar.Header{Name: `..\evil`}), "leads out"},
		"symlink":       {tarball(t, false, skill, tar.Header{Name: "x", Linkname: "/etc", Typeflag: tar.TypeSymlink}), "links and devices"},
		"hard link":     {tarball(t, false, skill, tar.Header{Name: "x", Linkname: "SKILL.md", Typeflag: tar.TypeLink}), "links and devices"},
		"device":        {tarball(t, false, skill, tar.Header{Name: "x", Typeflag: tar.TypeChar}), "links and devices"},
		"twice":         {tarball(t, false, skill, tar.Header{Name: "skill.MD"}), "twice"},
		"bomb":          {tarball(t, true, skill, tar.Header{Name: "x", Size: MaxBytes}), ""},
		"many":          {tarball(t, true, many...), "files"},
		"no skill":      {tarball(t, false, tar.Header{Name: "README"}), "no SKILL.md"},
		"two skills":    {tarball(t, false, tar.Header{Name: "a/SKILL.md"}, tar.Header{Name: "b/SKILL.md"}), "several"},
		"beside":        {tarball(t, false, tar.Header{Name: "a/SKILL.md"}, tar.Header{Name: "b/x"}), "beside"},
		"linked folder": {link, "no regular file"},
		"missing":       {"/nowhere", "no such file"},
		"no archive":    {os.Args[0], ""},
	} {
		t.Run(name, func(t *testing.T) {
			place := t.TempDir()
			if _, err := Unpack(c.from, place); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
			if all, err := os.ReadDir(place); err != nil || len(all) != 0 {
				t.Errorf("left behind: %v, %v", all, err)
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(place), "evil")); err == nil {
				t.Error("it got out")
			}
		})
	}
}
