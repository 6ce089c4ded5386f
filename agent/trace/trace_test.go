package trace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t *testing.T, dir string) *Writer {
	t.Helper()
	w, err := Open(dir, func(text string) { t.Error(text) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w
}

func TestLinesComeBackAndAreTheOwnersAlone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "trace")
	if err := Read(dir, nil); !errors.Is(err, ErrNone) {
		t.Error(err)
	}
	w := open(t, dir)
	w.Trace("talk", "request", json.RawMessage(`{"a":1}`))
	w.Trace("talk", "reply", json.RawMessage(`"`+strings.Repeat("x", 2*MaxLine)+`"`))
	var got []Line
	if err := Read(dir, func(l Line) error { got = append(got, l); return nil }); err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || got[0].Kind != "request" || string(got[0].Value) != `{"a":1}` || got[1].Cut == 0 {
		t.Errorf("%.300v", got)
	}
	for path, want := range map[string]os.FileMode{dir: 0o700, filepath.Join(dir, file): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	other := t.TempDir()
	if err := os.Symlink(filepath.Join(dir, file), filepath.Join(other, file)); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(other, nil); err == nil {
		t.Error("a link was followed")
	}
}

func TestTheTraceIsBoundedAndSeveralWriteIt(t *testing.T) {
	dir := t.TempDir()
	const writers, each = 4, 200
	var wg sync.WaitGroup
	for n := range writers {
		w := open(t, dir)
		w.maxFile = 40_000
		wg.Go(func() {
			for i := range each {
				w.Trace(fmt.Sprint(n), "call", json.RawMessage(fmt.Sprintf(`{"n":%d,"pad":%q}`, i, strings.Repeat("p", 100))))
			}
		})
	}
	wg.Wait()
	last := map[string]int{}
	count := 0
	if err := Read(dir, func(l Line) error {
		var v struct{ N int }
		if err := json.Unmarshal(l.Value, &v); err != nil {
			return err
		}
		if at, ok := last[l.Conversation]; ok && v.N != at+1 {
			t.Errorf("%s: %d after %d", l.Conversation, v.N, at)
		}
		last[l.Conversation] = v.N
		count++
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if count < 100 || count >= writers*each {
		t.Errorf("%d lines are left", count)
	}
	names, err := os.ReadDir(dir)
	if err != nil || len(names) != 2 {
		t.Errorf("%v, %v", names, err)
	}
	for _, n := range names {
		if info, err := n.Info(); err != nil || info.Size() > 40_000 {
			t.Errorf("%s: %d bytes, %v", n.Name(), info.Size(), err)
		}
	}
}

func TestFollowGivesWhatComes(t *testing.T) {
	dir := t.TempDir()
	w := open(t, dir)
	w.maxFile = 1000
	w.Trace("", "before", json.RawMessage("1"))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	got := make(chan string, 100)
	done := make(chan error, 1)
	go func() {
		done <- Follow(ctx, dir, func(l Line) error { got <- l.Kind; return nil })
	}()
	seen := map[string]bool{}
	for i := 0; len(seen) < 5 && ctx.Err() == nil; i++ { // it may begin late
		w.Trace("", fmt.Sprint("after", i%30), json.RawMessage(`"`+strings.Repeat("y", 200)+`"`))
		select {
		case kind := <-got:
			seen[kind] = true
		case <-time.After(20 * time.Millisecond):
		}
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if seen["before"] || len(seen) < 5 {
		t.Errorf("%v", seen)
	}
}

func TestWhatCannotBeWrittenIsToldOnce(t *testing.T) {
	var told []string
	w, err := Open(t.TempDir(), func(text string) { told = append(told, text) })
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w.Trace("", "call", json.RawMessage("1"))
	w.Trace("", "call", json.RawMessage("1"))
	if len(told) != 1 || !strings.Contains(told[0], "gaps") {
		t.Errorf("%q", told)
	}
}
