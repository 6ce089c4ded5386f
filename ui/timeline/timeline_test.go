package timeline

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"
	"pgregory.net/rapid"

	"github.com/nod-console/nod/ui/internal/uitest"
	"github.com/nod-console/nod/ui/keys"
	"github.com/nod-console/nod/ui/screen"
)

// start is a time of the day wherever the tests run.
var start = time.Date(2024, 5, 6, 12, 0, 0, 0, time.Local)

func at(s float64) time.Time { return start.Add(time.Duration(s * float64(time.Second))) }

func run(id, target, what string, began, took float64, state State) Run {
	return Run{ID: id, Target: target, What: what, Began: at(began), Took: time.Duration(took * float64(time.Second)), State: state, Recorded: true}
}

// some are runs on two targets; two of them at once.
func some() []Run {
	return []Run{
		run("build", "local", "make  all\n  test", 20, 40, Failed),
		run("look", "ssh:web-1", "df -h", 0, 0.01, OK),
		run("grow", "ssh:web-1", "du -xh --max-depth=1 /var", 1, 12, OK),
		run("tail", "ssh:web-1", "tail -f /var/log/syslog", 5, 30, Interrupted),
		{ID: "rm", Target: "ssh:web-1", What: "rm -rf /var/lib/x\x1b[2J", Began: at(50), State: Denied, Outcome: "denied: the operator"},
	}
}

func drawn(t *testing.T, l *Timeline, w, h int, now time.Time) []string {
	t.Helper()
	return uitest.Drawn(t, w, h, func(s tcell.Screen, styles *screen.Styles) { l.Draw(s, 0, 0, w, h, now, styles) })
}

func TestBarsStandByTargetAndTime(t *testing.T) {
	l := &Timeline{}
	l.Set(some())
	rows := drawn(t, l, 80, 14, at(60))
	text := strings.Join(rows, "\n")
	for _, want := range []string{
		"timeline · 5 of 5", "12:00:00 ", "ssh:web-1 ✓", "✗ make  all␊  test ━━━", "■ tail -f /var", "- rm -rf /var/lib/x␛[2J", "denied: the operator",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in\n%s", want, text)
		}
	}
	if strings.ContainsRune(text, 0x1b) {
		t.Error("an escape sequence reached the screen")
	}
	cell := func(sign string) int {
		for _, row := range rows[2:10] {
			if before, _, ok := strings.Cut(row, sign); ok {
				return len([]rune(before))
			}
		}
		t.Fatalf("no %q in\n%s", sign, text)
		return 0
	}
	if look, grow, tail, build := cell("✓"), cell("✓ du"), cell("■"), cell("✗"); look >= grow || grow >= tail || tail >= build {
		t.Errorf("the bars begin at %d, %d, %d, %d", look, grow, tail, build)
	}
	for _, size := range [][2]int{{40, 8}, {12, 3}, {5, 5}, {9, 1}, {200, 60}} {
		drawn(t, l, size[0], size[1], at(60))
	}
}

func TestTheCursorGoesAlongAndAcross(t *testing.T) {
	l := &Timeline{}
	l.Set(some())
	drawn(t, l, 80, 14, at(60))
	for _, step := range []struct {
		do   keys.ID
		want string
	}{
		{keys.Top, "look"}, {keys.Left, "look"}, {keys.Right, "grow"}, {keys.Right, "tail"}, {keys.Right, "rm"}, {keys.Right, "rm"},
		{keys.Down, "tail"}, {keys.Down, "build"}, {keys.Down, "build"}, {keys.Up, "tail"}, {keys.Bottom, "rm"}, {keys.PageUp, "look"}, {keys.PageDown, "rm"},
	} {
		l.Do(step.do)
		drawn(t, l, 80, 14, at(60))
		if r, _ := l.Cursor(); r.ID != step.want {
			t.Errorf("%s: the cursor is on %q, want %q", step.do, r.ID, step.want)
		}
	}
}

func TestInOneRowUpAndDownGoAlong(t *testing.T) {
	l := &Timeline{}
	l.Do(keys.Up) // there is nothing to go to
	l.Set([]Run{run("a", "local", "a", 0, 1, OK), run("b", "local", "b", 5, 1, OK)})
	drawn(t, l, 80, 14, at(60))
	for _, step := range []struct {
		do   keys.ID
		want string
	}{{keys.Up, "a"}, {keys.Up, "a"}, {keys.Down, "b"}, {keys.Down, "b"}} {
		l.Do(step.do)
		if r, _ := l.Cursor(); r.ID != step.want {
			t.Errorf("%s: the cursor is on %q, want %q", step.do, r.ID, step.want)
		}
	}
}

func TestWhatCannotBePlayedSaysWhy(t *testing.T) {
	l := &Timeline{}
	if v := l.Do(keys.Play); v != Nothing {
		t.Errorf("without a run: %v", v)
	}
	all := some()
	all[0].Recorded = false
	l.Set(all)
	for id, want := range map[string]string{"rm": "it was denied", "build": "it is not recorded"} {
		l.cursor = id
		if v := l.Do(keys.Play); v != Nothing || !strings.Contains(strings.Join(drawn(t, l, 80, 14, at(60)), "\n"), want) {
			t.Errorf("%s: %v", id, v)
		}
	}
	l.cursor = "grow"
	if v := l.Do(keys.Play); v != Play {
		t.Errorf("%v", v)
	}
	if l.Do(keys.Back) != Close || l.Do(keys.Timeline) != Close {
		t.Error("it is not left")
	}
}

func TestItIsLiveAsLongAsSomethingRuns(t *testing.T) {
	l := &Timeline{}
	l.Set(some())
	if d := l.Wake(); d != 0 {
		t.Errorf("nothing runs, and it changes after %v", d)
	}
	more := append(some(), Run{ID: "now", Target: "local", What: "sleep 100", Began: at(60), State: Running})
	l.Set(more)
	if d := l.Wake(); d != time.Second {
		t.Errorf("it changes after %v", d)
	}
	if r, _ := l.Cursor(); r.ID != "now" {
		t.Errorf("the cursor was on the last one, and is on %q", r.ID)
	}
	if text := strings.Join(drawn(t, l, 80, 14, at(75)), "\n"); !strings.Contains(text, "▸") || !strings.Contains(text, "running · 15 s") {
		t.Error(text)
	}
	l.Do(keys.Top)
	l.Set(append(more, run("next", "local", "true", 80, 1, OK)))
	if r, _ := l.Cursor(); r.ID != "look" {
		t.Errorf("the cursor has moved to %q", r.ID)
	}
}

func TestLongPausesAreCut(t *testing.T) {
	l := &Timeline{}
	l.Set([]Run{run("a", "local", "a", 0, 10, OK), run("b", "local", "b", 7200, 10, OK)})
	text := strings.Join(drawn(t, l, 100, 8, at(9000)), "\n")
	for _, want := range []string{"12:00:00", "⋯", "14:00:0"} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in\n%s", want, text)
		}
	}
}

func TestAClickChoosesABarAndThenPlaysIt(t *testing.T) {
	l := &Timeline{}
	l.Set(some())
	rows := drawn(t, l, 80, 14, at(60))
	for y, row := range rows {
		before, _, ok := strings.Cut(row, "✗ make")
		if !ok {
			continue
		}
		x := len([]rune(before))
		if v := l.Click(x+3, y); v != Nothing {
			t.Errorf("the first click: %v", v)
		}
		if r, _ := l.Cursor(); r.ID != "build" {
			t.Errorf("the cursor is on %q", r.ID)
		}
		if v := l.Click(x, y); v != Play {
			t.Errorf("the second one: %v", v)
		}
		return
	}
	t.Errorf("there is no bar:\n%s", strings.Join(rows, "\n"))
}

func TestZoomingKeepsTheCursorInSight(t *testing.T) {
	l := &Timeline{}
	var all []Run
	for i := range 50 {
		all = append(all, run(fmt.Sprint(i), "local", "true", float64(20*i), 1, OK))
	}
	l.Set(all)
	for _, id := range []string{"0", "17", "49"} {
		l.cursor = id
		for range mostZoom {
			l.Do(keys.Closer)
			drawn(t, l, 60, 10, at(1000))
			seen := false
			for _, b := range l.bars {
				seen = seen || b.id == id && b.width > 0
			}
			if !seen {
				t.Fatalf("%s is out of sight at a zoom of %d", id, l.zoom)
			}
		}
		l.Do(keys.Whole)
	}
}

// Whatever the runs are, each that is seen has a place of its own, and none is drawn
// outside of the picture.
func TestBarsNeverStandOnEachOther(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var all []Run
		for i := range rapid.IntRange(0, 30).Draw(rt, "runs") {
			all = append(all, Run{
				ID: fmt.Sprint(i), Target: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(rt, "target"),
				Began: start.Add(time.Duration(rapid.Int64Range(-1e13, 1e15).Draw(rt, "began"))),
				Took:  time.Duration(rapid.Int64Range(-1e9, 1e14).Draw(rt, "took")),
				State: State(rapid.IntRange(0, 5).Draw(rt, "state")),
			})
		}
		l := &Timeline{zoom: rapid.IntRange(0, mostZoom).Draw(rt, "zoom")}
		l.Set(all)
		cells := rapid.IntRange(1, 200).Draw(rt, "cells")
		w := l.window(cells, start)
		bars, rows := l.layOut(w, start)
		taken := map[[2]int]string{}
		for _, b := range bars {
			if b.row >= len(rows) || rows[b.row].target != l.runs[b.run].Target {
				rt.Fatalf("%+v stands in a row of another target", b)
			}
			for c := max(b.from, 0); c <= min(b.to, cells-1); c++ {
				if other, there := taken[[2]int{b.row, c}]; there {
					rt.Fatalf("%s stands on %s", b.id, other)
				}
				taken[[2]int{b.row, c}] = b.id
			}
		}
		if l.zoom == 0 && len(bars) != len(all) {
			rt.Fatalf("%d of %d runs are seen", len(bars), len(all))
		}
	})
}

func TestLinesSayTheSame(t *testing.T) {
	got := strings.Join(Lines(append(some(), Run{ID: "n", Target: "local", What: "sleep", Agent: "scout", Began: at(60), State: Running}), at(70)), "\n")
	want := `2024-05-06
12:00:00  ssh:web-1  ok, 10 ms: df -h
12:00:01  ssh:web-1  ok, 12 s: du -xh --max-depth=1 /var
12:00:05  ssh:web-1  interrupted, 30 s: tail -f /var/log/syslog
12:00:20  local  failed, 40 s: make  all␊  test
12:00:50  ssh:web-1  denied: the operator: rm -rf /var/lib/x␛[2J
12:01:00  local  running, 10 s: scout: sleep`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := Lines(nil, at(0)); len(got) != 1 || got[0] != nothing {
		t.Errorf("%q", got)
	}
}
