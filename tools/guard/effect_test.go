package guard

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nod-console/nod/backends/vt"
	"github.com/nod-console/nod/tools"
)

// glass is a pane whose screen the test writes.
type glass struct {
	mu     sync.Mutex
	term   *vt.Terminal
	prompt bool
	told   chan struct{}
}

func newGlass(size vt.Size, scrollback int) *glass {
	return &glass{term: vt.New(size, vt.Options{Scrollback: scrollback}), told: make(chan struct{}, 1)}
}

func (g *glass) Subscribe() (<-chan struct{}, func()) { return g.told, func() {} }

func (g *glass) Screen() *vt.Snapshot {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.term.Snapshot()
}

func (g *glass) AtPrompt() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.prompt
}

func (g *glass) shows(text string, prompt bool) {
	g.mu.Lock()
	_, _ = g.term.Write([]byte(text)) // never fails
	g.prompt = prompt
	g.mu.Unlock()
	select {
	case g.told <- struct{}{}:
	default:
	}
}

// piece is what a screen is given, so long after the keys.
type piece struct {
	after time.Duration
	text  string
}

func every(d time.Duration, n int) []piece {
	var all []piece
	for i := range n {
		all = append(all, piece{time.Duration(i) * d, "x"})
	}
	return all
}

// TestTheEffectOfKeysIsWaitedFor: to its end, to what the call waits for, and never
// for long.
func TestTheEffectOfKeysIsWaitedFor(t *testing.T) {
	const ms = time.Millisecond
	echo := []piece{{0, "select 1;\r\n"}, {150 * ms, "1\r\n> "}}
	for _, c := range []struct {
		name  string
		until tools.Until
		shown []piece
		ended time.Duration // of the program; 0: it does not end
		stop  time.Duration // of the operator; 0: none
		want  Effect
		took  time.Duration
	}{
		{"an echo and an answer", tools.Until{}, echo, 0, 0, Effect{Changed: true, Text: "> select 1;\n1\n>"}, 350 * ms},
		{"a late answer", tools.Until{}, []piece{{490 * ms, "y"}}, 0, 0, Effect{Changed: true, Text: "> y"}, 690 * ms},
		{"nothing", tools.Until{}, nil, 0, 0, Effect{}, effectFirst},
		{"a screen that never rests", tools.Until{}, every(110*ms, 30), 0, 0, Effect{Changed: true, Text: "> " + strings.Repeat("x", 14)}, effectMost},
		{"an interrupt", tools.Until{}, every(100*ms, 30), 0, 250 * ms, Effect{Changed: true, Text: "> xxx"}, 250 * ms},
		{"a pattern", tools.Until{Pattern: `^\d$`}, append(echo, piece{2 * time.Second, "late"}), 0, 0, Effect{Changed: true, Text: "> select 1;\n1\n>", Met: true}, 150 * ms},
		{"what was typed is no answer", tools.Until{Pattern: "select", Time: time.Second}, echo, 0, 0, Effect{Changed: true, Text: "> select 1;\n1\n>"}, time.Second},
		{"a silence", tools.Until{Silence: 400 * ms}, append(echo, piece{500 * ms, "more"}), 0, 0, Effect{Changed: true, Text: "> select 1;\n1\n> more", Met: true}, 900 * ms},
		{"a silence from the beginning", tools.Until{Silence: 100 * ms}, nil, 0, 0, Effect{Met: true}, 100 * ms},
		{"a time", tools.Until{Time: 3 * time.Second}, echo, 0, 0, Effect{Changed: true, Text: "> select 1;\n1\n>"}, 3 * time.Second},
		{"no time, and what never comes", tools.Until{Pattern: "never"}, nil, 0, 0, Effect{}, untilMost},
		{"the end", tools.Until{Pattern: "never"}, echo, time.Second, 0, Effect{Changed: true, Text: "> select 1;\n1\n>", Met: true}, time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if c.stop > 0 {
					time.AfterFunc(c.stop, cancel)
				}
				g := newGlass(vt.Size{Cols: 40, Rows: 5}, 10)
				g.shows("> ", false)
				e := expectation{until: c.until, literal: "select 1;", before: g.Screen()}
				if c.until.Pattern != "" {
					var err error
					if e.pattern, err = Pattern(c.until.Pattern); err != nil {
						t.Fatal(err)
					}
				}
				for _, p := range c.shown {
					time.AfterFunc(p.after, func() { g.shows(p.text, false) })
				}
				ended := make(chan struct{})
				if c.ended > 0 {
					time.AfterFunc(c.ended, func() { close(ended) })
				}
				began := time.Now()
				if got := e.wait(ctx, g.told, ended, g); got != c.want || time.Since(began) != c.took {
					t.Errorf("%+v after %v, want %+v after %v", got, time.Since(began), c.want, c.took)
				}
			})
		})
	}
}

// TestThePromptEndsTheWaitForALine: a line that was entered at a prompt has its whole
// effect when the prompt is back.
func TestThePromptEndsTheWaitForALine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGlass(vt.Size{Cols: 40, Rows: 5}, 10)
		g.shows("$ ", true)
		e := expectation{until: tools.Until{Time: time.Minute}, entered: true, literal: "make", before: g.Screen()}
		time.AfterFunc(time.Second, func() { g.shows("make\r\n", false) })
		time.AfterFunc(4*time.Second, func() { g.shows("done\r\n$ ", true) })
		began := time.Now()
		want := Effect{Changed: true, Met: true, Text: "$ make\ndone\n$"}
		if got := e.wait(t.Context(), g.told, nil, g); got != want || time.Since(began) != 4*time.Second {
			t.Errorf("%+v after %v", got, time.Since(began))
		}
	})
}

// TestWhatHasChangedIsTold: lines that are new or differ, whole, with a sign for what is
// as it was.
func TestWhatHasChangedIsTold(t *testing.T) {
	full := "\x1b[?1049h\x1b[2J\x1b[Hone\r\ntwo\r\nthree\r\nfour\r\nfive"
	for _, c := range []struct{ name, before, then, want string }{
		{"a line", "$ ls\r\n", "a\r\nb\r\n$ ", "a\nb\n$"},
		{"the end of a line", "a\r\n$ l", "s\r\nx\r\n$ ", "$ ls\nx\n$"},
		{"more than the screen", "$ ", "seq\r\n1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7\r\n$ ", "$ seq\n1\n2\n3\n4\n5\n6\n7\n$"},
		{"above is not told again", "1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n$ ", "x\r\ny", "$ x\ny"},
		{"a broken line is whole", "", "0123456789012345678901234 6789", "0123456789012345678901234 6789"},
		{"blank lines between", "", "a\r\n\r\n\r\nb\r\n", "a\n\n\nb"},
		{"lines apart", full, "\x1b[1;1HONE\x1b[4;1HFOUR", "ONE\n…\nFOUR"},
		{"a choice that only looks different", full, "\x1b[2;1H\x1b[7mtwo\x1b[0m", "two"},
		{"another screen", "before", full, "one\ntwo\nthree\nfour\nfive"},
		{"back from it", "before\r\n$ vi" + full, "\x1b[?1049l\r\n$ ", "before\n$ vi\n$"},
		{"a colour at a prompt is nothing", "$ ls", "\r$ \x1b[32mls\x1b[0m", ""},
		{"the cursor", "abc", "\b", ""},
		{"less than before", "a\r\nb\r\nc", "\x1b[2J\x1b[H$ ", "$"},
	} {
		g := newGlass(vt.Size{Cols: 20, Rows: 5}, 10)
		g.shows(c.before, false)
		before := g.Screen()
		g.shows(c.then, false)
		if got := change(before, g.Screen()); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestWhatHasScrolledOutOfTheHistoryIsGone, and nothing is told twice for it.
func TestWhatHasScrolledOutOfTheHistoryIsGone(t *testing.T) {
	g := newGlass(vt.Size{Cols: 20, Rows: 3}, 4)
	g.shows("old 1\r\nold 2\r\nold 3\r\nold 4\r\n", false)
	before := g.Screen()
	for i := range 9 {
		g.shows(string(rune('a'+i))+"\r\n", false)
	}
	if got := change(before, g.Screen()); got != "d\ne\nf\ng\nh\ni" {
		t.Errorf("%q", got)
	}
}
