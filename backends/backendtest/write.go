package backendtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"
	"testing"

	"github.com/nod-console/nod/backends"
)

func (s suite) writeCases() []testCase {
	return []testCase{
		{"a new file has the content and the mode", s.writeNew},
		{"an existing file keeps mode, owner and the link to it", s.writeKeeps},
		{"missing folders are made only when asked", s.writeMakesDirs},
		{"an expectation that does not hold stops the write", s.writeExpect},
		{"of many writers with the same expectation one wins", s.writeOneWins},
		{"a reader never sees a part", s.writeAtomic},
		{"a write that fails leaves no trace", s.writeFails},
	}
}

func (s suite) write(t *testing.T, path, content string, opt backends.WriteOptions) backends.Info {
	t.Helper()
	info, err := s.target.Files().Write(testContext(t), path, []byte(content), opt)
	if err != nil {
		t.Fatalf("write: %v", err)
	}
	return info
}

func (s suite) writeNew(t *testing.T) {
	dir := s.folder(t)
	info := s.write(t, dir+"/new", "a\x00\xff\n", backends.WriteOptions{})
	if got := s.read(t, dir+"/new"); got != "a\x00\xff\n" {
		t.Errorf("content %q", got)
	}
	if stat, err := s.target.Files().Stat(testContext(t), dir+"/new"); err != nil || stat != info {
		t.Errorf("write says %+v, stat %+v (%v)", info, stat, err)
	}
	umask := strings.TrimSpace(output(t, s.target, `umask`))
	var mask fs.FileMode
	if _, err := fmt.Sscanf(umask, "%o", &mask); err != nil {
		t.Fatal(err)
	}
	if want := 0o644 &^ mask; info.Mode != want {
		t.Errorf("mode %v, want %v", info.Mode, want)
	}
	if info := s.write(t, dir+"/secret", "", backends.WriteOptions{Mode: 0o600}); info.Mode != 0o600 || info.Size != 0 {
		t.Errorf("secret: %+v", info)
	}
	big := strings.Repeat("0123456789abcdef", 1<<18)
	s.write(t, dir+"/big", big, backends.WriteOptions{})
	if s.read(t, dir+"/big") != big {
		t.Error("4 MiB did not arrive whole")
	}
}

func (s suite) writeKeeps(t *testing.T) {
	dir := s.folder(t)
	output(t, s.target, `cd "$0" && mkdir real && echo old >real/file && chmod 4751 real/file && ln -s real folder && ln -s folder/file one && ln -s one two`, dir)
	root := strings.TrimSpace(output(t, s.target, "id -u")) == "0"
	if root {
		output(t, s.target, `chown 12345:23456 "$0/real/file" && chmod 4751 "$0/real/file"`, dir)
	}
	info := s.write(t, dir+"/two", "new", backends.WriteOptions{Mode: 0o600})
	if got := s.read(t, dir+"/real/file"); got != "new" {
		t.Errorf("content %q", got)
	}
	if want := 0o751 | fs.ModeSetuid; info.Mode != want {
		t.Errorf("mode %v, want %v", info.Mode, want)
	}
	if root && info.Owner != "12345" {
		t.Errorf("owner %q", info.Owner)
	}
	if got := output(t, s.target, `cd "$0" && readlink one && readlink two && ls -A real`, dir); got != "folder/file\none\nfile\n" {
		t.Errorf("links and leftovers: %q", got)
	}
	output(t, s.target, `ln -s "$0/real/made" "$0/dangling"`, dir)
	s.write(t, dir+"/dangling", "made", backends.WriteOptions{})
	if got := output(t, s.target, `cat "$0/real/made"`, dir); got != "made" {
		t.Errorf("through a dangling link: %q", got)
	}
	output(t, s.target, `cd "$0" && ln -s loop loop`, dir)
	if _, err := s.target.Files().Write(testContext(t), dir+"/loop", nil, backends.WriteOptions{}); err == nil {
		t.Error("a loop of links was written")
	}
}

func (s suite) writeMakesDirs(t *testing.T) {
	dir := s.folder(t)
	files := s.target.Files()
	if _, err := files.Write(testContext(t), dir+"/a/b/c", nil, backends.WriteOptions{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without: %v", err)
	}
	if got := output(t, s.target, `ls -A "$0"`, dir); got != "" {
		t.Errorf("left behind: %q", got)
	}
	s.write(t, dir+"/a/b/c", "x", backends.WriteOptions{MakeDirs: true})
	if got := s.read(t, dir+"/a/b/c"); got != "x" {
		t.Errorf("content %q", got)
	}
	if _, err := files.Write(testContext(t), dir+"/a/b/c/d", nil, backends.WriteOptions{MakeDirs: true}); err == nil {
		t.Error("a file was taken for a folder")
	}
	if _, err := files.Write(testContext(t), dir+"/a/b/", nil, backends.WriteOptions{MakeDirs: true}); !errors.Is(err, backends.ErrIsDirectory) {
		t.Errorf("a folder with a slash: %v", err)
	}
}

func (s suite) writeExpect(t *testing.T) {
	dir := s.folder(t)
	path := dir + "/file"
	files := s.target.Files()
	none, old := &backends.Version{}, backends.VersionOf([]byte("old"))
	for _, c := range []struct {
		name   string
		setup  string
		expect *backends.Version
		want   error
		after  string
	}{
		{"absent as expected", `rm -f "$0"`, none, nil, "new"},
		{"absent against expectation", `rm -f "$0"`, &old, backends.ErrChanged, "-"},
		{"present as expected", `printf old >"$0"`, &old, nil, "new"},
		{"present against expectation", `printf old >"$0"`, none, backends.ErrChanged, "old"},
		{"another content", `printf other >"$0"`, &old, backends.ErrChanged, "other"},
		{"no expectation, absent", `rm -f "$0"`, nil, nil, "new"},
		{"no expectation, present", `printf old >"$0"`, nil, nil, "new"},
	} {
		output(t, s.target, c.setup, path)
		_, err := files.Write(testContext(t), path, []byte("new"), backends.WriteOptions{Expect: c.expect})
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
		if got := output(t, s.target, `cat "$0" 2>/dev/null || printf -- -`, path); got != c.after {
			t.Errorf("%s: then the file holds %q, want %q", c.name, got, c.after)
		}
	}
	if got := output(t, s.target, `ls -A "$0"`, dir); got != "file\n" {
		t.Errorf("left behind: %q", got)
	}
}

func (s suite) writeOneWins(t *testing.T) {
	path := s.folder(t) + "/file"
	var (
		wg   sync.WaitGroup
		mu   sync.Mutex
		wins []string
	)
	for i := range 8 {
		wg.Go(func() {
			text := fmt.Sprint("writer ", i)
			_, err := s.target.Files().Write(testContext(t), path, []byte(text), backends.WriteOptions{Expect: &backends.Version{}})
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				wins = append(wins, text)
			} else if !errors.Is(err, backends.ErrChanged) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if len(wins) != 1 || s.read(t, path) != wins[0] {
		t.Errorf("winners %q, the file holds %q", wins, s.read(t, path))
	}
}

// writeAtomic overwrites a file with contents of one letter each while others
// read it: each reading must find one letter, as often as it was written.
func (s suite) writeAtomic(t *testing.T) {
	const size = 300_000
	path := s.folder(t) + "/file"
	s.write(t, path, strings.Repeat("-", size), backends.WriteOptions{})
	ctx, cancel := context.WithCancel(testContext(t))
	defer cancel()
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for ctx.Err() == nil {
				f, err := s.target.Files().Open(ctx, path)
				if err != nil {
					if ctx.Err() == nil {
						t.Errorf("open meanwhile: %v", err)
					}
					return
				}
				data, err := io.ReadAll(f)
				_ = f.Close() // opened for reading
				if ctx.Err() != nil {
					return
				}
				if err != nil || len(data) != size || len(bytes.Trim(data, string(data[:1]))) != 0 {
					t.Errorf("a part was seen: %d bytes, %v", len(data), err)
					return
				}
			}
		})
	}
	for i := range 8 { // a write that is not atomic is seen at the first or second
		s.write(t, path, strings.Repeat(string(rune('a'+i)), size), backends.WriteOptions{})
	}
	cancel()
	wg.Wait()
}

func (s suite) writeFails(t *testing.T) {
	dir := s.folder(t)
	output(t, s.target, `cd "$0" && echo old >linked && ln linked other && echo old >readonly && chmod 444 readonly`, dir)
	files := s.target.Files()
	if _, err := files.Write(testContext(t), dir+"/linked", []byte("new"), backends.WriteOptions{}); err == nil {
		t.Error("a file with two hard links was replaced by one")
	}
	if strings.TrimSpace(output(t, s.target, "id -u")) != "0" {
		if _, err := files.Write(testContext(t), dir+"/readonly", []byte("new"), backends.WriteOptions{}); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("a read-only file: %v", err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := files.Write(ctx, dir+"/cancelled", []byte("new"), backends.WriteOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if got := output(t, s.target, `cd "$0" && ls -A && cat linked`, dir); got != "linked\nother\nreadonly\nold\n" {
		t.Errorf("left behind: %q", got)
	}
}
