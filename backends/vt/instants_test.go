package vt

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// program is something that draws, and keys that make it draw differently.
type program struct {
	name    string
	needs   string // an executable, "" for none
	command func(t *testing.T, dir string) string
	keys    []string
	short   int // instants in a normal run
	long    int // and with NOD_E2E=1
}

var programs = []program{
	{"colour flood", "", floodCommand, nil, 14, 150},
	{"vim", "vim", vimCommand, []string{
		"j", "k", "\x04", "\x15", "w", "5j", "G", "gg", ":split\r", ":vsplit\r", "\x17w", "ihello 日本\x1b", "u",
		"dd", "p", ":set number!\r", ":set list!\r", "v10j\x1b", "/e\r", "zz", ":only\r", "\x0c", "Aénd 한글\x1b", ">>",
		"ma10jd'a", "J", "xp", "o\tnew line\x1b", "\x17+", ":set wrap!\r", ":new\r", ":close!\r",
	}, 10, 120},
	{"less", "less", lessCommand, []string{" ", "b", "j", "k", "d", "u", "G", "g", "/日\r", "n", "-S\r", "\x1b[C", "\x1b[D", "F\x03"}, 10, 80},
	{"top", "top", func(*testing.T, string) string { return "top -d 0.1" },
		[]string{"1", "c", "M", "P", "t", "m", "z", "x", "V", "i", "H"}, 4, 60},
	{"htop", "htop", func(*testing.T, string) string { return "htop -d 1" },
		[]string{"t", "\x1b[B", "\x1b[A", "\x1bOB", "H", "I", "\x1b[C", "<\x1b", "/ba\x1b", "F"}, 4, 60},
}

// TestRandomInstantsEqualTmux proves that at any moment of a program's output
// the emulator shows what a capture of the pane, taken at the same place in the
// stream, shows; that a seed taken there changes nothing; and that a seed after
// a resize, which tmux answers in its own way, brings the two together again.
func TestRandomInstantsEqualTmux(t *testing.T) {
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			if p.needs != "" {
				needProgram(t, p.needs)
			}
			n := p.short
			if e2e() {
				n = p.long
			}
			instants(t, p, n)
		})
	}
}

func needProgram(t *testing.T, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err == nil {
		return
	}
	if os.Getenv("CI") == "true" || os.Getenv("NOD_TEST_ALL") == "1" {
		t.Fatalf("%s is not installed", name)
	}
	t.Skipf("%s is not installed", name)
}

func instants(t *testing.T, p program, n int) {
	size := Size{120, 40}
	// A capture does not tell the background to the right of the text, so the
	// first one must be of a screen without any: the program begins at Enter.
	m := startTmux(t, size, "printf ready; read -r _; exec "+p.command(t, t.TempDir()))
	term := New(size, following(1000))
	bytes := 0
	m.until("the pane starts", func() bool { return strings.TrimSpace(string(join(m.do("capture-pane -p -t "+m.pane)))) != "" })
	m.seed(func(s Seed) {
		term.Seed(s)
		m.onOutput(func(b []byte) {
			bytes += len(b)
			_, _ = term.Write(b)
		})
	})
	const echo = 50 // more bytes than the Enter alone comes back with
	m.keys([]byte{'\r'})
	m.until("the program draws", func() (ok bool) {
		m.seed(func(Seed) { ok = bytes > echo })
		return ok
	})
	r := rand.New(rand.NewPCG(7, 7))
	cells, cursors, seeds, pending := 0, 0, 0, 0
	for i := range n {
		if p.keys != nil && i == n/2 {
			m.resize(Size{97, 31})
			m.seed(func(s Seed) { term.Seed(s) })
		}
		if len(p.keys) > 0 {
			m.keys([]byte(p.keys[r.IntN(len(p.keys))]))
		}
		time.Sleep(time.Duration(r.IntN(15_000)) * time.Microsecond) // the instant is random on purpose
		m.seed(func(s Seed) {
			d, first := differences(term, shown(s))
			if d > 0 {
				cells += d
				t.Errorf("instant %d: %d cells differ: %s", i, d, first)
			}
			got := term.Snapshot()
			if got.Cursor.Col != s.Cursor.Col || got.Cursor.Row != s.Cursor.Row ||
				got.Cursor.Visible != s.Cursor.Visible || got.Alternate != s.Alternate {
				cursors++
				t.Errorf("instant %d: cursor %+v alternate %v, want %+v %v", i, got.Cursor, got.Alternate, s.Cursor, s.Alternate)
			}
			if len(s.Pending) > 0 {
				pending++
			}
			term.Seed(s)
			if changed := changedRows(got, term.Snapshot()); len(changed) > 0 && d == 0 {
				seeds++
				t.Errorf("instant %d: a seed changed rows %v", i, changed)
			}
		})
	}
	m.close()
	t.Logf("%d instants, %.2f MB: %d cells, %d cursors differ, %d seeds changed something; %d inside a sequence",
		n, float64(bytes)/1e6, cells, cursors, seeds, pending)
}

func changedRows(a, b *Snapshot) (rows []int) {
	for y := range a.Size.Rows {
		if a.RowGeneration(y) != b.RowGeneration(y) {
			rows = append(rows, y)
		}
	}
	return rows
}

// TestFloodHelper is no test but the program of the colour flood.
func TestFloodHelper(t *testing.T) {
	if os.Getenv("VT_FLOOD") == "" {
		t.Skip("runs only inside a pane")
	}
	r := rand.New(rand.NewPCG(3, 3))
	for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		var b strings.Builder
		for range 40 {
			switch r.IntN(8) {
			case 0:
				fmt.Fprintf(&b, "\x1b[%d;%dH", 1+r.IntN(40), 1+r.IntN(120))
			case 1:
				fmt.Fprintf(&b, "\x1b[48;2;%d;%d;%dm\x1b[K", r.IntN(256), r.IntN(256), r.IntN(256))
			case 2:
				fmt.Fprintf(&b, "\x1b[%d;%dr\x1b[%d;1H", 1+r.IntN(20), 21+r.IntN(20), 40)
			case 3:
				b.WriteString(strings.Repeat("wrap ", r.IntN(60)))
			case 4:
				b.WriteString("日本語 한국어 🙂 e\u0301 ─┼─")
			default:
				fmt.Fprintf(&b, "\x1b[%d;38;5;%dm%x\r\n", r.IntN(10), r.IntN(256), r.Uint64())
			}
		}
		fmt.Print(b.String())
	}
}

func floodCommand(t *testing.T, _ string) string {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return "env VT_FLOOD=1 " + exe + " -test.run '^TestFloodHelper$'"
}

// cjkFile is some text to look at, with wide and combining characters. It has
// no zero width joiners: tmux forgets one at the end of what it reads at once,
// which a control client cannot see. TestSequencesEqualTmux has them.
func cjkFile(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	words := []string{"日本語", "テスト", "中文字符", "한국어", "🙂", "é", "e\u0301", "plain", "text", "─┼─", "\t", "नमस्ते"}
	r := rand.New(rand.NewPCG(5, 5))
	for i := range 400 {
		fmt.Fprintf(&b, "%d func", i)
		for range r.IntN(25) {
			b.WriteString(" " + words[r.IntN(len(words))])
		}
		b.WriteByte('\n')
	}
	path := filepath.Join(dir, "text.c")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func vimCommand(t *testing.T, dir string) string {
	return "vim -u NONE -i NONE -n -c 'set encoding=utf-8 nocompatible' -c 'syntax on' " + cjkFile(t, dir)
}

func lessCommand(t *testing.T, dir string) string {
	return "env LESSHISTFILE=- less " + cjkFile(t, dir)
}
