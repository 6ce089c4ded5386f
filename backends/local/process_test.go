package local

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/nod-console/nod/backends"
)

func open(t *testing.T) *Target {
	t.Helper()
	target := New(os.Environ())
	t.Cleanup(func() {
		if err := target.Close(); err != nil {
			t.Error(err)
		}
	})
	return target
}

func TestEnvironmentIsAllowListed(t *testing.T) {
	got := inherit([]string{
		"PATH=/bin", "HOME=/h", "LC_TIME=C", "LC_=x", "LANG=de_DE.UTF-8",
		"OPENAI_API_KEY=k", "AWS_SECRET_ACCESS_KEY=s", "LD_PRELOAD=/x.so", "BASH_ENV=/x", "EDITOR=vi",
		"SSH_AUTH_SOCK=/s", "PATHX=1", "TMUX=/t", "=C:=x", "broken",
	})
	want := []string{"PATH=/bin", "HOME=/h", "LC_TIME=C", "LC_=x", "LANG=de_DE.UTF-8"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := inherit(nil); !slices.Equal(got, []string{"PATH=" + defaultPath}) {
		t.Errorf("from nothing: %q", got)
	}
}

func TestProgramsAreNotTakenFromRelativeFolders(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.WriteFile("tool", []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]error{
		dir:                        nil,
		"/nowhere:" + dir:          nil,
		"":                         fs.ErrNotExist,
		".":                        fs.ErrNotExist,
		":/nowhere:":               fs.ErrNotExist,
		"../" + filepath.Base(dir): fs.ErrNotExist,
	} {
		found, err := lookup("tool", []string{"PATH=" + path})
		if !errors.Is(err, want) || want == nil && found != dir+"/tool" {
			t.Errorf("PATH=%s: %q, %v", path, found, err)
		}
	}
}

// Jobs of a shell with job control have process groups of their own; a signal
// to the program's group alone would leave them.
func TestCancelEndsJobsInOtherGroups(t *testing.T) {
	target := open(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	p, err := target.Exec(ctx, backends.Command{Argv: []string{"bash", "-c", "set -m; sleep 1000 & echo $!; wait"}, Stdout: w})
	if err != nil {
		t.Fatal(err)
	}
	var job int
	if _, err := fmt.Fscan(r, &job); err != nil {
		t.Fatal(err)
	}
	m, live := readMember(job)
	if !live || m.group != job || m.session == job {
		t.Fatalf("the job %d is %+v: not in a group of its own", job, m)
	}
	cancel()
	if _, err := p.Wait(); !errors.Is(err, context.Canceled) {
		t.Errorf("wait: %v", err)
	}
	if _, live := readMember(job); live {
		t.Errorf("the job %d is left", job)
	}
}

func TestProgramsHaveNoControllingTerminal(t *testing.T) {
	p, err := open(t).Exec(t.Context(), backends.Command{Argv: []string{"sh", "-c", ": </dev/tty"}})
	if err != nil {
		t.Fatal(err)
	}
	if o, err := p.Wait(); err != nil || o.OK() {
		t.Errorf("/dev/tty could be opened: %s, %v", o, err)
	}
}

// A writer that is in the middle of a call when all else is over is waited for:
// its owner uses what it has written once Wait has returned.
func TestWaitDoesNotReturnInTheMiddleOfACall(t *testing.T) {
	var got bytes.Buffer
	slow := writerFunc(func(p []byte) (int, error) {
		time.Sleep(4 * backends.DrainDelay)
		return got.Write(p)
	})
	p, err := open(t).Exec(t.Context(), backends.Command{Argv: []string{"echo", "late"}, Stdout: slow})
	if err != nil {
		t.Fatal(err)
	}
	if o, err := p.Wait(); err != nil || !o.OK() {
		t.Errorf("%s, %v", o, err)
	}
	if got.String() != "late\n" {
		t.Errorf("output %q", &got)
	}
}

// What the pipe holds when the drain delay ends is handed over, although a
// background child keeps the pipe open and the writer is slow.
func TestSlowWriterGetsWhatThePipeHolds(t *testing.T) {
	var got bytes.Buffer
	first := true
	slow := writerFunc(func(p []byte) (int, error) {
		if first {
			first = false
			time.Sleep(backends.DrainDelay + 50*time.Millisecond) // longer than the pipe is read for
		}
		return got.Write(p)
	})
	target := open(t)
	var pid bytes.Buffer
	p, err := target.Exec(t.Context(), backends.Command{
		Argv:   []string{"sh", "-c", `sleep 1000 & echo $! >&2; head -c 60000 /dev/zero`},
		Stdout: slow, Stderr: &pid,
	})
	if err != nil {
		t.Fatal(err)
	}
	if o, err := p.Wait(); err != nil || !o.OK() {
		t.Errorf("%s, %v", o, err)
	}
	if got.Len() != 60000 {
		t.Errorf("%d of 60000 bytes", got.Len())
	}
	killPid(t, pid.String())
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func killPid(t *testing.T, text string) {
	t.Helper()
	pid, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil {
		t.Fatal(err)
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Kill(); err != nil {
		t.Error(err)
	}
	_ = p.Release()
}

func TestWriteKeepsExtendedAttributes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := unix.Setxattr(path, "user.nod.test", []byte("kept"), 0); err != nil {
		t.Skipf("no extended attributes on this file system: %v", err)
	}
	if _, err := open(t).Files().Write(t.Context(), path, []byte("new"), backends.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 16)
	if n, err := unix.Getxattr(path, "user.nod.test", got); err != nil || string(got[:n]) != "kept" {
		t.Errorf("%q, %v", got, err)
	}
}

// A folder on the way that becomes a link to another place while files are
// written must not lead a write out of the folder that was opened: nothing
// ever appears under a name that was not asked for.
func TestWriteSurvivesLinksThatChange(t *testing.T) {
	base := t.TempDir()
	for _, d := range []string{"a", "b"} {
		if err := os.Mkdir(filepath.Join(base, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	stop := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			tmp := filepath.Join(base, "tmp")
			_ = os.Symlink([]string{"a", "b"}[i%2], tmp)
			_ = os.Rename(tmp, filepath.Join(base, "way"))
		}
	}()
	files := open(t).Files()
	for i := range 200 {
		_, err := files.Write(t.Context(), filepath.Join(base, "way", "file"), []byte("content"), backends.WriteOptions{})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("write %d: %v", i, err)
		}
	}
	close(stop)
	<-done
	for _, d := range []string{"a", "b"} {
		entries, err := os.ReadDir(filepath.Join(base, d))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			data, err := os.ReadFile(filepath.Join(base, d, e.Name()))
			if e.Name() != "file" || err != nil || string(data) != "content" {
				t.Errorf("%s/%s holds %q, %v", d, e.Name(), data, err)
			}
		}
	}
}
