package layouts

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nod-console/nod/ui/console"
)

func ticking() func() time.Time {
	now := time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)
	return func() time.Time { now = now.Add(time.Second); return now }
}

func TestWhatIsKeptIsThereAtTheNextStart(t *testing.T) {
	dir := t.TempDir()
	s := Open(dir, ticking())
	l := console.Layout{Talk: []int{40, 80}, Grids: []console.GridLayout{{Panes: 3, Columns: 2, Widths: [][]int{{30, 50}, nil}}}, Order: []string{"b", "a"}}
	own := []Terminal{{"ssh:web-1", "build"}}
	s.SetLayout([]string{"ssh:web-1", "local"}, l)
	s.SetTerminals([]string{"local", "ssh:web-1"}, own)
	s.Connected("ssh:web-1", "192.0.2.1", "Linux")
	if err := s.Write(); err != nil {
		t.Fatal(err)
	}
	again := Open(dir, ticking())
	got, ok := again.Layout([]string{"local", "ssh:web-1"})
	if diff := cmp.Diff(l, got); diff != "" || !ok {
		t.Errorf("the layout: %v %s", ok, diff)
	}
	if got := again.Terminals([]string{"ssh:web-1", "local"}); !slices.Equal(got, own) {
		t.Errorf("the terminals: %v", got)
	}
	if k := again.LastConnected()["ssh:web-1"]; k.When.IsZero() || k.Address != "192.0.2.1" || k.System != "Linux" {
		t.Errorf("known: %+v", k)
	}
	if _, ok := again.Layout([]string{"local"}); ok {
		t.Error("another set has it, too")
	}
	info, err := os.Stat(filepath.Join(dir, FileName))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".layouts-*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

func TestADamagedFileCountsAsEmpty(t *testing.T) {
	for name, text := range map[string]string{
		"cut": `{"version":1,"sets":[{"targ`, "another version": `{"version":9}`, "nothing in it": `{"version":1,"sets":[null],"connected":null}`,
		"too large": `{"version":1,"connected":{}}` + strings.Repeat(" ", maxFile), "no file": "", "not sorted": `{"version":1,"sets":[{"targets":["b","a"]}]}`,
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, FileName)
		if text != "" {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s := Open(dir, ticking())
		if _, ok := s.Layout([]string{"a", "b"}); ok {
			t.Errorf("%s: there is a layout", name)
		}
		s.Connected("local", "", "")
		s.SetLayout([]string{"local"}, console.Layout{Talk: []int{1, 2}})
		if err := s.Write(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, ok := Open(dir, ticking()).Layout([]string{"local"}); !ok {
			t.Errorf("%s: nothing is kept after it", name)
		}
	}
}

func TestWhatIsKeptIsBounded(t *testing.T) {
	s := Open(t.TempDir(), ticking())
	for i := range mostTargets + 10 {
		name := fmt.Sprint("ssh:h", i)
		s.SetLayout([]string{name}, console.Layout{})
		s.Connected(name, "", "")
	}
	if n := len(s.LastConnected()); n != mostTargets {
		t.Errorf("%d targets", n)
	}
	if _, ok := s.Layout([]string{"ssh:h0"}); ok || len(s.has.Sets) != mostSets {
		t.Errorf("%d sets, the oldest one: %v", len(s.has.Sets), ok)
	}
	if _, ok := s.Layout([]string{fmt.Sprint("ssh:h", mostTargets+9)}); !ok {
		t.Error("the newest one is gone")
	}
}

func TestAFolderThatCannotBeWrittenIsAnError(t *testing.T) {
	s := Open(filepath.Join(t.TempDir(), "gone"), ticking())
	s.Connected("local", "", "")
	if err := s.Write(); err == nil {
		t.Error("no error")
	}
}
