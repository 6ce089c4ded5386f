package recording

import (
	"bytes"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/nod-console/nod/backends"
)

// TestWhatIsBoundIsOnDiskAndNeverChanges: a binding covers everything that was shown
// before, and each later one what that did; any change to the file is found.
func TestWhatIsBoundIsOnDiskAndNeverChanges(t *testing.T) {
	var mu sync.Mutex
	var bounds []Bound
	s := store(t, Options{gather: time.Hour, maxPart: 4000, Ended: func(b Bound) {
		mu.Lock()
		defer mu.Unlock()
		bounds = append(bounds, b)
	}})
	p := record(t, s, backends.Size{Cols: 40, Rows: 10})
	for _, text := range []string{"one\r\n", "two\r\n", string(bytes.Repeat([]byte("x"), 5000)), "three\r\n"} {
		p.write(text)
		b, ok := s.Bind("ssh:ops@web-1:22", "%3", time.Minute)
		if !ok {
			t.Fatal("nothing is bound")
		}
		path := filepath.Join(s.dir, b.File)
		content, err := os.ReadFile(path)
		must(t, err)
		if int64(len(content)) < b.Bytes || !bytes.Contains(content[:b.Bytes], []byte(text[:3])) {
			t.Errorf("%q is not bound", text[:3])
		}
		mu.Lock()
		bounds = append(bounds, b)
		mu.Unlock()
	}
	if _, ok := s.Bind("ssh:ops@web-1:22", "%2", time.Minute); ok {
		t.Error("another pane's recording is bound")
	}
	must(t, s.Close())
	by := map[string][]Bound{}
	for _, b := range bounds {
		by[b.File] = append(by[b.File], b)
	}
	if len(by) < 2 {
		t.Errorf("%d files", len(by))
	}
	for name, all := range by {
		path := filepath.Join(s.dir, name)
		whole, err := os.ReadFile(path)
		must(t, err)
		if c := Check(s.dir, name, all); c.Wrong != "" || c.Loose != 0 || c.Live {
			t.Errorf("%+v", c)
		}
		for at := 0; at < len(whole); at += 1 + len(whole)/50 {
			bad := bytes.Clone(whole)
			bad[at] ^= 1
			must(t, os.WriteFile(path, bad, 0o600))
			if c := Check(s.dir, name, all); c.Wrong == "" {
				t.Errorf("%s: byte %d was changed unnoticed", name, at)
			}
			must(t, os.WriteFile(path, whole[:at], 0o600))
			if c := Check(s.dir, name, all); c.Wrong == "" {
				t.Errorf("%s: it was cut at %d unnoticed", name, at)
			}
		}
		must(t, os.WriteFile(path, append(bytes.Clone(whole), "[9,\"m\",\"x\"]\n"...), 0o600))
		if c := Check(s.dir, name, all); c.Wrong != "" || c.Loose != 12 {
			t.Errorf("what was added: %+v", c)
		}
		must(t, os.Remove(path))
		if c := Check(s.dir, name, all); c.Wrong == "" {
			t.Error("it is gone unnoticed")
		}
	}
}

// TestABindingDoesNotWaitForASlowDisk.
func TestABindingDoesNotWaitForASlowDisk(t *testing.T) {
	d := &slowDisk{}
	s := store(t, Options{disk: d})
	p := record(t, s, backends.Size{Cols: 40, Rows: 10})
	if _, ok := s.Bind("ssh:ops@web-1:22", "%3", time.Minute); !ok {
		t.Fatal("nothing is bound")
	}
	hold := make(chan struct{})
	d.set(func() { d.hold = hold })
	p.write("late")
	if _, ok := s.Bind("ssh:ops@web-1:22", "%3", time.Millisecond); ok {
		t.Error("it is bound before it is written")
	}
	d.set(func() { d.hold = nil })
	close(hold)
	if _, ok := s.Bind("ssh:ops@web-1:22", "%3", time.Minute); !ok {
		t.Error("nothing is bound afterwards")
	}
	must(t, s.Close())
}

// TestARecordingBeginsWhileOthersLook: whether a file is being written is asked with
// its lock, which must not keep the writer from it.
func TestARecordingBeginsWhileOthersLook(t *testing.T) {
	dir := t.TempDir()
	stop := make(chan struct{})
	var lookers sync.WaitGroup
	path := filepath.Join(dir, "x.cast")
	for range 2 {
		lookers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					live(path)
				}
			}
		})
	}
	for range 400 {
		f, err := osDisk{}.create(path)
		if err != nil {
			t.Error(err)
			break
		}
		must(t, f.Close())
		must(t, os.Remove(path))
	}
	close(stop)
	lookers.Wait()
}
