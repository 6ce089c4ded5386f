package overview

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/ui/internal/uitest"
	"github.com/nod-console/nod/ui/keys"
	"github.com/nod-console/nod/ui/screen"
	"github.com/nod-console/nod/ui/targets"
)

var noon = time.Date(2024, 5, 6, 12, 0, 0, 0, time.UTC)

// clock is a clock that only moves when it is told to.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

func opened(tiles ...Tile) (*Overview, *clock) {
	c := &clock{noon}
	o := New(c.Now)
	o.Set(tiles)
	return o, c
}

func named(names ...string) []Tile {
	var all []Tile
	for _, n := range names {
		all = append(all, Tile{Name: n, State: targets.Connected})
	}
	return all
}

func order(o *Overview) string {
	var names []string
	for _, t := range o.shown() {
		names = append(names, t.Name)
	}
	return strings.Join(names, " ")
}

func typed(o *Overview, text string) {
	for _, r := range text {
		o.Key(tcell.NewEventKey(tcell.KeyRune, r, tcell.ModNone))
	}
}

func picture(t *testing.T, o *Overview, w, h int) []string {
	t.Helper()
	return uitest.Drawn(t, w, h, func(s tcell.Screen, styles *screen.Styles) { o.Draw(s, 0, 0, w, h, styles) })
}

func TestWhatNeedsAPersonComesFirst(t *testing.T) {
	full := Gauge{Known: true, Part: 0.99, Warn: 0.85, Danger: 0.95}
	o, _ := opened(
		Tile{Name: "web-10"}, Tile{Name: "web-9"}, Tile{Name: "web-009a"}, Tile{Name: "runs", Running: "make"}, Tile{Name: "full", Disk: full},
		Tile{Name: "lost", State: targets.Lost}, Tile{Name: "paused", Word: "paused"}, Tile{Name: "asks", Asks: "password:", Running: "sudo ls"},
		Tile{Name: "waits", State: targets.Lost, Approvals: []Approval{{"1", "rm"}}}, Tile{Name: "connecting", State: targets.Connecting},
		Tile{Name: "unknown", Disk: Gauge{Part: 0.99, Danger: 0.9}},
	)
	want := "asks waits lost paused full connecting runs unknown web-9 web-009a web-10"
	if got := order(o); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestTilesKeepTheirPlacesWhileTheyAreMarked(t *testing.T) {
	o, c := opened(named("a", "b", "c")...)
	o.Do(keys.Right)
	if under := o.Under(); under == nil || under.Name != "b" {
		t.Fatalf("the cursor is on %+v", under)
	}
	urgent := func() []Tile {
		tiles := named("a", "b", "new", "c")
		tiles[3].Asks = "password:"
		return tiles
	}
	o.Set(urgent())
	if got := order(o); got != "a b c new" {
		t.Errorf("right after a key: %s", got)
	}
	c.now = c.now.Add(Still)
	o.Set(urgent())
	if got := order(o); got != "c a b new" || o.Under().Name != "b" {
		t.Errorf("later: %s, the cursor is on %s", got, o.Under().Name)
	}
	o.Do(keys.Mark) // and on to the next one
	c.now = c.now.Add(time.Hour)
	o.Set(named("a", "b", "c", "new"))
	if got := order(o); got != "c a b new" || o.Under().Name != "new" {
		t.Errorf("while one is marked: %s, the cursor is on %s", got, o.Under().Name)
	}
	o.Set(named("a", "c", "new")) // the marked one has gone
	o.Set(named("a", "c", "new"))
	if got := order(o); got != "a c new" {
		t.Errorf("once none is marked: %s", got)
	}
}

func TestALineIsRunOnWhatIsMarked(t *testing.T) {
	o, _ := opened(named("a", "b", "c")...)
	o.Do(keys.Mark)
	o.Do(keys.Right)
	o.Do(keys.Mark)
	o.Do(keys.Broadcast)
	typed(o, "  ")
	if c := o.Key(tcell.NewEventKey(tcell.KeyEnter, 0, 0)); c.Verb != Nothing || !o.Writing() {
		t.Errorf("an empty line: %+v", c)
	}
	o.Key(tcell.NewEventKey(tcell.KeyCtrlU, 0, 0))
	o.Insert("uptime\ndf -h")
	o.Insert("uptim\n")
	typed(o, "e é")
	o.Key(tcell.NewEventKey(tcell.KeyBackspace2, 0, 0))
	typed(o, "x")
	o.Key(tcell.NewEventKey(tcell.KeyCtrlW, 0, 0))
	c := o.Key(tcell.NewEventKey(tcell.KeyEnter, 0, 0))
	if c.Verb != Broadcast || !slices.Equal(c.Names, []string{"a", "c"}) || c.Line != "uptime " || o.Writing() {
		t.Errorf("%+v", c)
	}
	if o.Rewrite(c, "not now"); !o.Writing() || !strings.Contains(picture(t, o, 80, 22)[0], "not now") {
		t.Error("the line is lost")
	}
	o.Key(tcell.NewEventKey(tcell.KeyEscape, 0, 0))
	if c := o.Do(keys.Propose); c.Verb != Propose || !slices.Equal(c.Names, []string{"a", "c"}) {
		t.Errorf("%+v", c)
	}
	if c := o.Do(keys.Back); c.Verb != Nothing || len(o.marked) > 0 {
		t.Errorf("Esc with marks: %+v", c)
	}
	if c := o.Do(keys.Propose); !slices.Equal(c.Names, []string{"c"}) {
		t.Errorf("without a mark, the one under the cursor: %+v", c)
	}
	if c := o.Do(keys.Back); c.Verb != Close {
		t.Errorf("Esc: %+v", c)
	}
	empty, _ := opened()
	for _, id := range []keys.ID{keys.Mark, keys.Broadcast, keys.Propose, keys.Terminal, keys.Down, keys.Bottom, keys.PageUp} {
		if c := empty.Do(id); c.Verb != Nothing || empty.Writing() {
			t.Errorf("%s without a target: %+v", id, c)
		}
	}
}

func TestAFilterShowsSomeAndHidesNoMark(t *testing.T) {
	o, _ := opened(append(named("ssh:web-1", "ssh:db-1"), Tile{Name: "ssh:web-2", Trust: "prod"})...)
	o.Do(keys.Mark) // ssh:db-1
	o.Do(keys.Search)
	typed(o, "WEB")
	if got := order(o); got != "ssh:web-1 ssh:web-2" {
		t.Errorf("while it is written: %s", got)
	}
	typed(o, " prod")
	o.Key(tcell.NewEventKey(tcell.KeyEnter, 0, 0))
	if got := order(o); got != "ssh:web-2" {
		t.Errorf("%s", got)
	}
	if head := picture(t, o, 80, 22)[0]; !strings.Contains(head, "3 targets · 1 marked · only WEB prod") {
		t.Errorf("%q", head)
	}
	if c := o.Do(keys.Propose); !slices.Equal(c.Names, []string{"ssh:db-1"}) {
		t.Errorf("what is marked is meant wherever it is: %+v", c)
	}
	o.Do(keys.Back)
	o.Do(keys.Back)
	if got := order(o); got != "ssh:db-1 ssh:web-1 ssh:web-2" {
		t.Errorf("%s", got)
	}
}

func TestTheCursorStaysInSight(t *testing.T) {
	var names []string
	for i := range 100 {
		names = append(names, fmt.Sprintf("node-%d", i+1))
	}
	for _, size := range [][2]int{{40, 8}, {80, 22}, {120, 38}, {200, 58}} {
		o, _ := opened(named(names...)...)
		sees := func(want string) {
			t.Helper()
			rows := strings.Join(picture(t, o, size[0], size[1]), "\n")
			if !strings.Contains(strings.ReplaceAll(rows, "›  ", "› "), "› "+want+" ") {
				t.Errorf("%v: no %s in\n%s", size, want, rows)
			}
		}
		sees("node-1")
		for _, id := range []keys.ID{keys.PageDown, keys.PageDown, keys.Down, keys.Left} {
			o.Do(id)
			picture(t, o, size[0], size[1])
		}
		sees(o.Under().Name)
		o.Do(keys.Bottom)
		sees("node-100")
		o.Do(keys.Down)
		sees("node-100")
		o.Do(keys.Top)
		o.Do(keys.Up)
		sees("node-1")
	}
}

func TestTwoClicksGoThere(t *testing.T) {
	o, c := opened(named("a", "b", "c")...)
	picture(t, o, 80, 22)
	if got := o.Click(45, 3); got.Verb != Nothing || o.Under().Name != "b" {
		t.Errorf("one: %+v, the cursor is on %s", got, o.Under().Name)
	}
	c.now = c.now.Add(time.Second)
	if got := o.Click(45, 3); got.Verb != Nothing {
		t.Errorf("another one, later: %+v", got)
	}
	if got := o.Click(46, 4); got.Verb != Go || got.Names[0] != "b" {
		t.Errorf("two: %+v", got)
	}
	for _, place := range [][2]int{{45, 0}, {45, 12}, {200, 3}, {-1, -1}} {
		if got := o.Click(place[0], place[1]); got.Verb != Nothing || o.Under().Name != "b" {
			t.Errorf("%v: %+v", place, got)
		}
	}
	o.Scroll(-1)
	o.Do(keys.Broadcast)
	if got := o.Click(2, 2); o.Click(2, 2).Verb != Nothing || got.Verb != Nothing {
		t.Error("a click in the middle of a line goes somewhere")
	}
}

// Text of a target's is shown, and does nothing else, however little room there is.
func TestForeignTextIsOnlyShown(t *testing.T) {
	bad := "\x1b[2J\r\n[red]古\u202e" + strings.Repeat("x", 300)
	g := Gauge{Known: true, Part: 7, Text: bad, Past: []float64{-1, 0.5, 99}, Warn: 1, Danger: 2}
	o, _ := opened(Tile{
		Name: bad, Trust: bad, Word: bad, Detail: bad, Silent: bad, Load: g, Memory: g, Disk: g, Running: bad, Asks: bad,
		Last: Last{Command: bad, Outcome: bad, At: noon}, Approvals: []Approval{{"1", bad}, {"2", bad}},
	}, Tile{Name: "b", Load: g})
	for _, w := range []int{1, 2, 3, 4, 5, 8, 13, 39, 40, 41, 64, 75, 76, 77, 89} {
		for _, h := range []int{0, 1, 2, 3, 9, 22} {
			for _, r := range strings.Join(picture(t, o, w, max(h, 1)), "") {
				if r < 0x20 || r == '\u202e' {
					t.Fatalf("%d×%d: %q", w, h, r)
				}
			}
		}
	}
	for _, l := range Lines(o.all, noon) {
		if strings.ContainsAny(l, "\x1b\r\n\u202e") {
			t.Errorf("%q", l)
		}
	}
}

func TestLinesSayAllOfIt(t *testing.T) {
	got := Lines([]Tile{
		{Name: "local", State: targets.Connected, Latency: 3 * time.Millisecond, Load: Gauge{Known: true, Text: "0.42 of 4"}},
		{
			Name: "ssh:web-1", Trust: "prod", State: targets.Connected, Disk: Gauge{Known: true, Part: 0.97, Text: "97 % /var", Danger: 0.95},
			Memory: Gauge{Known: true, Text: "62 % of 15G"}, Running: "make\nall", Since: noon.Add(-2 * time.Minute),
			Last: Last{Command: "df -h", Outcome: "exited 1", At: noon.Add(-3 * time.Hour)}, Approvals: []Approval{{"1", "rm -r /srv"}},
		},
		{Name: "ssh:db-1", State: targets.Lost, Detail: "connection lost since 07:03:12"},
	}, noon)
	want := []string{
		"ssh:web-1 (prod), connected, waits for your nod: rm -r /srv, memory 62 % of 15G, DANGER disk 97 % /var, runs for 2 min: make all, last command exited 1, 3 h ago: df -h",
		"ssh:db-1, lost, connection lost since 07:03:12, no figures",
		"local, connected, load 0.42 of 4, answers in 3.0 ms",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestTheOverviewWakesOnlyForWhatGetsOlder(t *testing.T) {
	for _, c := range []struct {
		tile Tile
		want time.Duration
	}{{Tile{Name: "a"}, time.Minute}, {Tile{Name: "a", Running: "make", Since: noon}, time.Second}, {Tile{Name: "a", Running: "vim"}, time.Minute}} {
		if o, _ := opened(c.tile); o.Wake() != c.want {
			t.Errorf("%+v: %s", c.tile, o.Wake())
		}
	}
	if o, _ := opened(); o.Wake() != 0 {
		t.Error("nothing gets older")
	}
}

// TestALineIsTypedIntoWhatIsMarked, with Enter or without it, also none at all; and not while
// one of them asks for a secret.
func TestALineIsTypedIntoWhatIsMarked(t *testing.T) {
	o, _ := opened(named("a", "b", "c")...)
	o.Do(keys.Mark)
	o.Do(keys.Mark)
	o.Do(keys.TypeInto)
	typed(o, "yes")
	if last := picture(t, o, 80, 22); !strings.Contains(strings.Join(last, "\n"), "type into 2: a, b> yes") {
		t.Errorf("%s", strings.Join(last, "\n"))
	}
	enter, bare := tcell.NewEventKey(tcell.KeyEnter, 0, 0), tcell.NewEventKey(tcell.KeyEnter, 0, tcell.ModAlt)
	if c := o.Key(enter); c.Verb != Type || !slices.Equal(c.Names, []string{"a", "b"}) || c.Line != "yes" || c.Bare {
		t.Errorf("%+v", c)
	}
	o.Do(keys.TypeInto)
	if c := o.Key(bare); c.Verb != Nothing || !o.Writing() {
		t.Errorf("nothing at all: %+v", c)
	}
	if c := o.Key(enter); c.Verb != Type || c.Line != "" || c.Bare {
		t.Errorf("Enter alone: %+v", c)
	}
	o.Rewrite(Choice{Verb: Type, Line: "q"}, "not now")
	asking := named("a", "b", "c")
	asking[1].Asks = "[sudo] Password for deploy:"
	o.Set(asking)
	if c := o.Key(bare); c.Verb != Nothing || !strings.Contains(picture(t, o, 80, 22)[0], "b asks for a secret") {
		t.Errorf("%+v", c)
	}
	o.Key(tcell.NewEventKey(tcell.KeyEscape, 0, 0))
	if o.Do(keys.TypeInto); o.Writing() {
		t.Error("a line is written for what asks for a secret")
	}
	o.Set(named("a", "b", "c"))
	o.Do(keys.TypeInto)
	typed(o, "q")
	if c := o.Key(bare); c.Verb != Type || c.Line != "q" || !c.Bare {
		t.Errorf("without Enter: %+v", c)
	}
}
