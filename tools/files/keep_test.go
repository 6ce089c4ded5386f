package files_test

import (
	"errors"
	"os"
	"testing"

	"github.com/nod-console/nod/tools"
)

// kept is a Keeper that takes note.
type kept struct {
	refuses error
	old     []string
	dropped int
	before  func()
}

func (k *kept) Keep(_ tools.Action, old []byte) (func(), error) {
	if k.before != nil {
		k.before()
	}
	if k.refuses != nil {
		return nil, k.refuses
	}
	k.old = append(k.old, string(old))
	return func() { k.dropped++ }, nil
}

func writeArgs(path, content string) map[string]any {
	return map[string]any{"path": path, "content": content, "risk": "medium", "mutation": true, "privesc": false, "why": "a test"}
}

func TestWhatAWriteReplacesIsKeptFirst(t *testing.T) {
	b := newBench(t)
	path := b.put("a", "old")
	k := &kept{before: func() {
		if text, _ := os.ReadFile(path); string(text) != "old" {
			t.Errorf("written before it was kept: %q", text)
		}
	}}
	b.write.Keeper = k
	b.readValue(map[string]any{"path": path})
	if _, r := b.call(b.write, writeArgs(path, "new")); r.IsError {
		t.Fatalf("%+v", r)
	}
	if len(k.old) != 1 || k.old[0] != "old" || k.dropped != 0 {
		t.Errorf("%+v", k)
	}
	k.before = nil

	// What did not happen is forgotten again, and what has changed is not kept.
	if _, r := b.call(b.write, writeArgs(path, "newer"), func() { b.put("a", "somebody's") }); !r.IsError {
		t.Error("written over")
	}
	if len(k.old) != 1 {
		t.Errorf("%+v", k)
	}
	k.before = func() { b.put("b", "late") } // after it was looked at, before it is written
	if _, r := b.call(b.write, writeArgs(b.dir+"/b", "mine")); !r.IsError || k.dropped != 1 {
		t.Errorf("%+v %+v", r, k)
	}
}

func TestWhatCannotBeKeptIsNotWritten(t *testing.T) {
	b := newBench(t)
	path := b.put("a", "old")
	b.write.Keeper = &kept{refuses: errors.New("the disk is full")}
	b.readValue(map[string]any{"path": path})
	if _, r := b.call(b.write, writeArgs(path, "new")); !r.IsError {
		t.Error("written")
	}
	if text, _ := os.ReadFile(path); string(text) != "old" {
		t.Errorf("it holds %q", text)
	}
}
