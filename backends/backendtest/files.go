package backendtest

import (
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/nod-console/nod/backends"
)

func (s suite) fileCases() []testCase {
	return []testCase{
		{"a file is read whole and described", s.openAndStat},
		{"what is no regular file says so without blocking", s.notRegular},
		{"a file that is missing or closed to us says so", s.missingFile},
		{"a folder is listed by name, links as links", s.list},
		{"paths are absolute", s.relativePaths},
	}
}

// read returns the content of a file.
func (s suite) read(t *testing.T, path string) string {
	t.Helper()
	f, err := s.target.Files().Open(testContext(t), path)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func (s suite) openAndStat(t *testing.T) {
	dir := s.folder(t)
	output(t, s.target, `cd "$0" && head -c 3000000 /dev/zero >big && printf 'a\000\377' >small && chmod 640 small && ln -s small link && TZ=UTC touch -d '2001-02-03 04:05:06' small`, dir)
	if got := s.read(t, dir+"/big"); len(got) != 3_000_000 || strings.Trim(got, "\x00") != "" {
		t.Errorf("big: %d bytes", len(got))
	}
	if got := s.read(t, dir+"/link"); got != "a\x00\xff" {
		t.Errorf("through the link: %q", got)
	}
	want := backends.Info{
		Path: dir + "/link", Size: 3, Mode: 0o640,
		Owner: strings.TrimSpace(output(t, s.target, "id -un")),
	}
	moment := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
	info, err := s.target.Files().Stat(testContext(t), dir+"/link")
	if err != nil {
		t.Fatal(err)
	}
	if !info.ModTime.Equal(moment) {
		t.Errorf("modified %s, want %s", info.ModTime, moment)
	}
	f, err := s.target.Files().Open(testContext(t), dir+"/link")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }() // opened for reading
	if f.Info() != info {
		t.Errorf("open says %+v, stat %+v", f.Info(), info)
	}
	if info.ModTime = want.ModTime; info != want {
		t.Errorf("got %+v, want %+v", info, want)
	}
	if info, err := s.target.Files().Stat(testContext(t), dir); err != nil || !info.Mode.IsDir() {
		t.Errorf("the folder: %+v, %v", info, err)
	}
}

func (s suite) notRegular(t *testing.T) {
	dir := s.folder(t)
	output(t, s.target, `mkfifo "$0/fifo" && mkdir "$0/dir" && ln -s fifo "$0/link"`, dir)
	for path, want := range map[string]error{
		dir + "/dir":  backends.ErrIsDirectory,
		dir + "/fifo": backends.ErrNotRegular,
		dir + "/link": backends.ErrNotRegular,
		"/dev/null":   backends.ErrNotRegular,
		"/":           backends.ErrIsDirectory,
	} {
		if f, err := s.target.Files().Open(testContext(t), path); f != nil || !errors.Is(err, want) {
			t.Errorf("open %s: %v, want %v", path, err, want)
		} else if !strings.Contains(err.Error(), path) {
			t.Errorf("the error %q does not name %s", err, path)
		}
		if _, err := s.target.Files().Write(testContext(t), path, []byte("x"), backends.WriteOptions{}); !errors.Is(err, want) {
			t.Errorf("write %s: %v, want %v", path, err, want)
		}
	}
}

func (s suite) missingFile(t *testing.T) {
	dir := s.folder(t)
	output(t, s.target, `cd "$0" && ln -s nowhere dangling && ln -s loop loop && : >file`, dir)
	files := s.target.Files()
	for _, name := range []string{"none", "none/below", "dangling"} {
		if _, err := files.Open(testContext(t), dir+"/"+name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("open %s: %v", name, err)
		}
		if _, err := files.Stat(testContext(t), dir+"/"+name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("stat %s: %v", name, err)
		}
		if _, err := files.List(testContext(t), dir+"/"+name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("list %s: %v", name, err)
		}
	}
	for _, name := range []string{"loop", "file/below"} {
		if _, err := files.Open(testContext(t), dir+"/"+name); err == nil {
			t.Errorf("open %s: no error", name)
		}
	}
	if strings.TrimSpace(output(t, s.target, "id -u")) == "0" {
		return // nothing is closed to root
	}
	output(t, s.target, `chmod 0 "$0/file"`, dir)
	if _, err := files.Open(testContext(t), dir+"/file"); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("open without the right to: %v", err)
	}
}

func (s suite) list(t *testing.T) {
	dir := s.folder(t)
	output(t, s.target, `cd "$0" && mkdir sub && printf 12345 >b && : >.hidden && ln -s b 'a link' && ln -s nowhere dangling && : >"$(printf 'new\nline')"`, dir)
	infos, err := s.target.Files().List(testContext(t), dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, i := range infos {
		got = append(got, strings.TrimPrefix(i.Path, dir+"/")+" "+i.Mode.Type().String())
	}
	want := ".hidden ----------|a link L---------|b ----------|dangling L---------|new\nline ----------|sub d---------"
	if strings.Join(got, "|") != want {
		t.Errorf("got %q", got)
	}
	if b := infos[2]; b.Size != 5 {
		t.Errorf("b: %+v", b)
	}
	if _, err := s.target.Files().List(testContext(t), dir+"/b"); err == nil {
		t.Error("a file was listed")
	}
}

func (s suite) relativePaths(t *testing.T) {
	files := s.target.Files()
	for _, path := range []string{"", "x", "./x", "~/x"} {
		_, e1 := files.Open(testContext(t), path)
		_, e2 := files.Stat(testContext(t), path)
		_, e3 := files.List(testContext(t), path)
		_, e4 := files.Write(testContext(t), path, nil, backends.WriteOptions{MakeDirs: true})
		if e1 == nil || e2 == nil || e3 == nil || e4 == nil {
			t.Errorf("%q: %v, %v, %v, %v", path, e1, e2, e3, e4)
		}
	}
}
