package ledger

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// fullDisk is one on which everything that is written goes to /dev/full.
type fullDisk struct {
	osDisk
	full bool
}

func (d *fullDisk) open(path string, flag int) (file, error) {
	f, err := d.osDisk.open(path, flag)
	if err != nil {
		return nil, err
	}
	return fullFile{f, d}, nil
}

func (d *fullDisk) free(string) (int64, error) { return 1 << 40, nil } // as far as it knows

type fullFile struct {
	file
	d *fullDisk
}

func (f fullFile) WriteAt(p []byte, off int64) (int, error) {
	if !f.d.full {
		return f.file.WriteAt(p, off)
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		return 0, err
	}
	n, err := full.WriteAt(p, off)
	return n, errors.Join(err, full.Close())
}

func TestDevFull(t *testing.T) {
	dir := folder(t)
	d := &fullDisk{}
	l, err := Open(dir, Options{disk: d})
	must(t, err)
	t.Cleanup(func() { must(t, l.Close()) })
	running := intend(t, l, "before")
	d.full = true
	for range 3 {
		if _, err := l.Intend(t.Context(), Intent{Command: "true"}); !errors.Is(err, unix.ENOSPC) {
			t.Errorf("Intend: %v", err)
		}
		if err := l.Healthy(); !errors.Is(err, unix.ENOSPC) {
			t.Errorf("Healthy: %v", err)
		}
	}
	if err := l.Conclude(running, Conclusion{Outcome: Exited}); !errors.Is(err, unix.ENOSPC) {
		t.Errorf("Conclude: %v", err)
	}
	d.full = false
	must(t, l.Healthy())
	intend(t, l, "after")
	verified(t, dir)
	if got := outcomes(t, dir); got[running.ID] != Exited || len(got) != 2 {
		t.Errorf("outcomes %v", got)
	}
}

// A disk that is full when the ledger is to be made is told as that, not as
// somebody's work; with room again, the ledger is made.
func TestADiskThatIsFullAtTheVeryFirstStart(t *testing.T) {
	dir := folder(t)
	d := &fullDisk{full: true}
	var fault *Fault
	for range 2 {
		if _, err := Open(dir, Options{disk: d}); !errors.Is(err, unix.ENOSPC) || errors.As(err, &fault) {
			t.Errorf("Open: %v", err)
		}
		if _, err := Verify(dir, ""); !errors.Is(err, ErrNone) {
			t.Errorf("Verify: %v", err)
		}
		if _, err := Name(dir); !errors.Is(err, ErrNone) {
			t.Errorf("Name: %v", err)
		}
	}
	d.full = false
	l, err := Open(dir, Options{disk: d})
	must(t, err)
	intend(t, l, "true")
	must(t, l.Close())
	verified(t, dir)
	// A key that goes later is a fault, also together with the records.
	must(t, os.Remove(filepath.Join(dir, keyFile)))
	for range 2 {
		if _, err := Verify(dir, ""); !errors.As(err, &fault) {
			t.Errorf("without the key: %v", err)
		}
		if _, err := Open(dir, Options{}); !errors.As(err, &fault) {
			t.Errorf("Open without the key: %v", err)
		}
		must(t, os.Truncate(filepath.Join(dir, logFile), 0))
	}
}

// TestATinyFileSystem fills a tmpfs of 4 MiB to the last byte, many times. It
// takes place in a mount namespace of its own.
func TestATinyFileSystem(t *testing.T) {
	unshare, err := exec.LookPath("unshare")
	if err != nil {
		if os.Getenv("CI") == "true" || os.Getenv("NOD_TEST_ALL") == "1" {
			t.Fatal("unshare is missing: apt-get install util-linux")
		}
		t.Skip("unshare is missing: apt-get install util-linux")
	}
	dir := t.TempDir()
	cmd := exec.Command(unshare, "-rm", "sh", "-c", `mount -t tmpfs -o size=4m,mode=0700 none "$1" && exec "$2"`, "sh", dir, os.Args[0])
	cmd.Env = append(os.Environ(), "NOD_LEDGER_TINY="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "all is well") {
		t.Fatalf("%v: %s", err, out)
	}
	t.Logf("%s", out)
}

// tiny is the body of TestATinyFileSystem. It panics where something is wrong.
func tiny(dir string) {
	demand := func(ok bool, what ...any) {
		if !ok {
			panic(fmt.Sprintln(what...))
		}
	}
	remount := func(flags uintptr) {
		err := unix.Mount("", dir, "", unix.MS_REMOUNT|flags, "size=4m,mode=0700")
		demand(err == nil, "remount:", err)
	}
	remount(unix.MS_RDONLY)
	opt := Options{disk: &fullDisk{}} // the real one, but it does not know that it is small
	_, err := Open(filepath.Join(dir, "ledger"), opt)
	demand(errors.Is(err, unix.EROFS), "a read-only disk:", err)
	opt.Wait = true
	l, err := Open(filepath.Join(dir, "ledger"), opt)
	demand(err == nil, err)
	demand(errors.Is(l.Healthy(), unix.EROFS), "a read-only disk is healthy:", l.Healthy())
	_, err = l.Intend(context.Background(), Intent{Command: "too early"})
	demand(errors.Is(err, unix.EROFS), "an intent on a read-only disk:", err)
	demand(l.Note(Note{Kind: "read", Text: "meanwhile"}) != nil, "a note is written on a read-only disk")
	remount(0)
	demand(l.Healthy() == nil, "it does not heal:", l.Healthy())
	acknowledged := map[string]bool{}
	refused := 0
	filler := filepath.Join(dir, "filler")
	for round := range 40 {
		demand(os.WriteFile(filler, bytes.Repeat([]byte("x"), (3200<<10)-round*(60<<10)), 0o600) == nil, "no room for the filler")
		for {
			ref, err := l.Intend(context.Background(), Intent{Command: strings.Repeat("y", 1000+round*97)})
			if err != nil {
				refused++
				break
			}
			acknowledged[ref.ID] = true
			_ = l.Conclude(ref, Conclusion{Outcome: Exited}) // it is kept if it cannot be written
		}
		demand(l.Healthy() != nil, "a full disk is healthy")
		demand(os.Remove(filler) == nil, "the filler stays")
		demand(l.Healthy() == nil, "it does not heal:", l.Healthy())
		if info, err := os.Stat(filepath.Join(dir, "ledger", logFile)); err != nil || info.Size() > 2<<20 {
			break // there would be no room for the filler
		}
	}
	demand(l.Close() == nil, "it does not close")
	report, err := Verify(filepath.Join(dir, "ledger"), "")
	demand(err == nil, err)
	found := map[string]string{}
	meanwhile := 0
	demand(Read(filepath.Join(dir, "ledger"), func(r Record) error {
		if r.Note != nil && r.Note.Text == "meanwhile" {
			meanwhile++
		}
		if r.Conclusion != nil {
			found[r.Ref] = r.Conclusion.Outcome
		}
		return nil
	}) == nil, "it cannot be read")
	demand(meanwhile == 1, "what was noted meanwhile is on record", meanwhile, "times")
	for ref := range acknowledged {
		demand(found[ref] == Exited, ref, found[ref])
		delete(found, ref)
	}
	for ref, outcome := range found {
		demand(outcome == Failed, "refused, and on record as", ref, outcome)
	}
	fmt.Printf("all is well: %d intents acknowledged, %d refused, %d records\n", len(acknowledged), refused, report.Records)
}
