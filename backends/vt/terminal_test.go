package vt

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func newTerminal(cols, rows int) *Terminal {
	return New(Size{cols, rows}, Options{Scrollback: DefaultScrollback})
}

func feed(t *Terminal, s string) { _, _ = t.Write([]byte(s)) }

// TestSnapshotsNeverChange proves that what was seen stays as it was, through
// edits, scrolling, the alternate screen and a sweep of the tables.
func TestSnapshotsNeverChange(t *testing.T) {
	term := New(Size{30, 8}, Options{Scrollback: 50})
	type seen struct {
		s    *Snapshot
		text string
	}
	var all []seen
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 150 {
		_, _ = term.Write(mixture(r, 20))
		feed(term, fmt.Sprintf("\x1b[38;2;%d;%d;%dmx\x1b[m", r.IntN(256), r.IntN(256), r.IntN(256)))
		if i%40 == 39 {
			term.sweep(nil)
		}
		s := term.Snapshot()
		all = append(all, seen{s, dump(s)})
	}
	for i, v := range all {
		if dump(v.s) != v.text {
			t.Fatalf("snapshot %d changed", i)
		}
	}
}

// dump tells everything that a snapshot shows.
func dump(s *Snapshot) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%+v %+v %q %v\n", s.Cursor, s.Modes, s.Title, s.Alternate)
	for i := range s.Lines() {
		for _, c := range s.Line(i) {
			fmt.Fprintf(&b, "%q %v %s|", s.Text(c), s.Style(c), s.Link(c))
		}
		fmt.Fprintln(&b, s.LineWrapped(i))
	}
	return b.String()
}

// TestSnapshotsAreReadWhileTheTerminalIsWritten is for the race detector.
func TestSnapshotsAreReadWhileTheTerminalIsWritten(t *testing.T) {
	term := New(Size{30, 8}, Options{Scrollback: 3000, Reflow: true})
	snapshots := make(chan *Snapshot)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for s := range snapshots {
			_ = dump(s)
		}
	}()
	r := rand.New(rand.NewPCG(6, 6))
	for i := range 25 {
		for range 20 {
			_, _ = term.Write(mixture(r, 20))
		}
		switch i % 10 {
		case 7:
			term.sweep(quantise)
		case 9:
			term.Resize(Size{10 + r.IntN(40), 4 + r.IntN(8)})
		}
		snapshots <- term.Snapshot()
	}
	close(snapshots)
	<-done
}

func TestRowGenerationsTellWhatChanged(t *testing.T) {
	term := newTerminal(10, 4)
	feed(term, "a\r\nb\r\nc")
	before := term.Snapshot()
	if term.Snapshot() != before {
		t.Error("an unchanged terminal gave another snapshot")
	}
	feed(term, "\x1b[2;1HX")
	after := term.Snapshot()
	for y := range 4 {
		if changed := before.RowGeneration(y) != after.RowGeneration(y); changed != (y == 1) {
			t.Errorf("row %d changed: %v", y, changed)
		}
	}
	if &before.Row(0)[0] != &after.Row(0)[0] {
		t.Error("an unchanged row is not shared")
	}
	if before.Generation == after.Generation {
		t.Error("the generation is the same")
	}
}

func TestScrollback(t *testing.T) {
	term := New(Size{10, 3}, Options{Scrollback: 5})
	for i := range 12 {
		feed(term, fmt.Sprintf("line %d\r\n", i))
	}
	s := term.Snapshot()
	var got []string
	for i := range s.Lines() {
		got = append(got, s.LineText(i))
	}
	want := []string{"line 5", "line 6", "line 7", "line 8", "line 9", "line 10", "line 11", ""}
	if !slices.Equal(got, want) || s.Scrolled != 5 || s.Lost != 5 {
		t.Errorf("got %q, want %q", got, want)
	}
	feed(term, "0123456789abcd\r\n\n\n")
	s = term.Snapshot()
	i := s.Scrolled - 2
	if s.LineText(i) != "0123456789" || !s.LineWrapped(i) || s.LineWrapped(i+1) {
		t.Errorf("line %q wrapped %v, next %q", s.LineText(i), s.LineWrapped(i), s.LineText(i+1))
	}
	feed(term, "0123456789abcd\x1b[3;1H\n\n")
	if i = term.Snapshot().Scrolled - 1; !term.Snapshot().LineWrapped(i) {
		t.Error("the last line of the scrollback does not go on on the screen")
	}
	feed(term, "\x1b[H\x1b[2K")
	if term.Snapshot().LineWrapped(i) {
		t.Error("it still goes on in a line that was erased")
	}
	feed(term, "\x1b[3J")
	if s := term.Snapshot(); s.Scrolled != 0 || s.Lost != 17 {
		t.Errorf("%d lines after ED 3, %d lost", s.Scrolled, s.Lost)
	}
}

func TestWholeCellsInSnapshots(t *testing.T) {
	term := newTerminal(10, 2)
	feed(term, "日本語\x1b[1;2H\x1b[3X") // cuts two in half
	row := term.Snapshot().Row(0)
	for x, c := range row {
		if c.Width() == 2 && (x+1 == len(row) || row[x+1].Width() != 0) ||
			c.Width() == 0 && (x == 0 || row[x-1].Width() != 2) {
			t.Errorf("column %d: half a character", x)
		}
	}
}

func TestHyperlinks(t *testing.T) {
	term := newTerminal(20, 2)
	feed(term, "\x1b]8;id=1;https://a.example/\x1b\\ab\x1b[0mc\x1b]8;;\x1b\\d\x1b]8;;bad link\ae")
	for range 2 {
		s := term.Snapshot()
		for x, want := range []string{"https://a.example/", "https://a.example/", "https://a.example/", "", ""} {
			if got := s.Link(s.Row(0)[x]); got != want {
				t.Errorf("column %d: link %q, want %q", x, got, want)
			}
		}
		term.sweep(nil)
	}
}

func TestOSC(t *testing.T) {
	type osc struct {
		n    int
		data string
	}
	var got []osc
	term := New(Size{20, 2}, Options{OSC: func(n int, d []byte) { got = append(got, osc{n, string(d)}) }})
	feed(term, "\x1b]133;C;h=1\x07\x1b]52;c;aGk=\x1b\\\x1b]2;a title\x07\x1b]x\x07"+
		"\x1b]0;"+strings.Repeat("x", maxString)+"\x07")
	want := []osc{{133, "C;h=1"}, {52, "c;aGk="}, {2, "a title"}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if s := term.Snapshot(); s.Title != "a title" || s.RowText(0) != "" {
		t.Errorf("title %q, row %q", s.Title, s.RowText(0))
	}
}

func TestReplies(t *testing.T) {
	var got bytes.Buffer
	bells := 0
	term := New(Size{20, 5}, Options{Reply: func(p []byte) { got.Write(p) }, Bell: func() { bells++ }})
	feed(term, "\x1b[3;4H\x1b[6n\x1b[5n\x1b[c\x1b[>c\x1b[18t\x1b[>q\a\x1b]0;x\a")
	if want := "\x1b[3;4R\x1b[0n\x1b[?1;2c\x1b[>84;0;0c\x1b[8;5;20t\x1bP>|tmux 3.3a\x1b\\"; got.String() != want {
		t.Errorf("got %q, want %q", got.String(), want)
	}
	if bells != 1 {
		t.Errorf("%d bells", bells)
	}
}

// questions are what programs ask a terminal at their start, and what tmux does
// not answer.
var questions = []string{
	"\x1b[c", "\x1b[0c", "\x1b[1c", "\x1b[>c", "\x1b[>0c", "\x1b[>1c", "\x1b[=c", "\x1b[?c", "\x1bZ", "\x05",
	"\x1b[>q", "\x1b[>0q", "\x1b[>1q", "\x1b[q", "\x1b[5n", "\x1b[6n", "\x1b[?6n", "\x1b[0n", "\x1b[?996n", "\x1b[x",
	"\x1b[3;4H\x1b[6n", "\x1b[20Gxy\x1b[6n", "\x1b[20Gx\x1b[6n", "\x1b[2;4r\x1b[?6h\x1b[2;2H\x1b[6n",
	"\x1b[14t", "\x1b[16t", "\x1b[19t", "\x1b[21t", "\x1bP$qm\x1b\\", "\x1bP$q q\x1b\\", "\x1bP+q544e\x1b\\",
	"\x1b[?2026$p", "\x1b[?1$p", "\x1b[4$p", "\x1b[?u", "\x1b]4;1;?\x07", "\x1b]10;?\x07", "\x1b]11;?\x1b\\", "\x1b]12;?\x07",
	"\x1b]52;c;?\x07", "\x1b]104\x07", "\x1b]133;A\x07", "\x1b_Ga=q;AAAA\x1b\\", "\x1b[?1004h", "\x1b[>4;1m\x1b[?4m",
}

// TestAnswersEqualTmux proves that programs in a pane without tmux are told what
// tmux would tell them. A question after each shows where its answer ends.
func TestAnswersEqualTmux(t *testing.T) {
	size := Size{20, 6}
	out := filepath.Join(t.TempDir(), "out")
	if err := os.WriteFile(out, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	f := startFeeder(t, size, "exec 3<&0; cat <&3 >>"+out+" & ")
	var got bytes.Buffer
	term := New(size, Options{Reply: func(p []byte) { got.Write(p) }})
	const stop = "\x1b[H\x1b[5n" // answered by ESC[0n
	for _, q := range questions {
		in := []byte(clean + q + stop)
		got.Reset()
		_, _ = term.Write(in)
		if err := os.Truncate(out, 0); err != nil {
			t.Fatal(err)
		}
		f.feed(in)
		var want []byte
		f.until("tmux answers", func() bool {
			want, _ = os.ReadFile(out)
			return bytes.HasSuffix(want, []byte("\x1b[0n"))
		})
		if got.String() != string(want) {
			t.Errorf("%q: answered %q, tmux %q", q, got.String(), want)
		}
	}
}

func TestColorsAreTold(t *testing.T) {
	var got bytes.Buffer
	opt := Options{Reply: func(p []byte) { got.Write(p) }, Foreground: Indexed(7), Background: RGB(1, 0x20, 255)}
	term := New(Size{20, 2}, opt)
	feed(term, "\x1b]10;?\a\x1b]11;?\a\x1b]11;?\x1b\\\x1b]11;#000000\a\x1b]11;?\x18")
	const told = "\x1b]11;rgb:0101/2020/ffff"
	if want := told + "\a" + told + "\x1b\\" + told + "\x1b\\"; got.String() != want {
		t.Errorf("got %q, want %q", got.String(), want)
	}
}

func TestModes(t *testing.T) {
	term := newTerminal(20, 2)
	feed(term, "\x1b[?1;1004;2004;1006;1003h\x1b=\x1b[?25l\x1b[6 q")
	s := term.Snapshot()
	want := Modes{Wrap: true, AppCursor: true, AppKeypad: true, BracketedPaste: true, Focus: true,
		Mouse: MouseAll, MouseEncoding: MouseSGR}
	if s.Modes != want || s.Cursor.Visible || s.Cursor.Shape != CursorBar {
		t.Errorf("modes %+v, cursor %+v", s.Modes, s.Cursor)
	}
	feed(term, "\x1b[?1;1004;2004;1006;1003l\x1b>\x1b[?25h\x1b[0 q")
	if s = term.Snapshot(); s.Modes != (Modes{Wrap: true}) || !s.Cursor.Visible || s.Cursor.Shape != CursorDefault {
		t.Errorf("modes %+v, cursor %+v", s.Modes, s.Cursor)
	}
}

func TestWidthsCanBeOverridden(t *testing.T) {
	w := NewWidths(map[rune]int{'☃': 2, 'é': 9, 'x': 2, 'ñ': -1, 0x20000: 1, 0x31350: 2}, 1)
	for r, want := range map[rune]int{'☃': 2, 'é': 1, 'x': 1, 'ñ': -1, '日': 2, 0x301: 0, 0x378: 1, 0x20000: 1, 0x20001: 2, 0x31350: 2, 0x40000: 1, -1: -1} {
		if got := w.Width(r); got != want {
			t.Errorf("U+%04X: %d columns, want %d", r, got, want)
		}
	}
	if w := (*Widths)(nil); w.Width(0x378) != -1 || w.Width('日') != 2 || w.Width(0x20000) != 2 {
		t.Error("no widths are not those of 3.3a")
	}
	term := New(Size{20, 2}, Options{Widths: w})
	feed(term, "☃éñ\u0378\U00031350\U00020000")
	if s := term.Snapshot(); s.Cursor.Col != 7 || s.Row(0)[0].Width() != 2 {
		t.Errorf("cursor %d, width %d", s.Cursor.Col, s.Row(0)[0].Width())
	}
}

// TestTablesAreBounded proves that floods of different styles, graphemes and
// links neither grow without limit nor spoil what the screen shows.
func TestTablesAreBounded(t *testing.T) {
	floods := map[string]func(i int) string{
		"styles": func(i int) string { return fmt.Sprintf("\x1b[38;2;%d;%d;%dmx", i>>16&255, i>>8&255, i&255) },
		"graphemes": func(i int) string {
			return fmt.Sprintf("x%c%c", 0x300+i%100, 0x300+i/100%100) + strings.Repeat("\u0301", i/10000)
		},
		"links": func(i int) string { return fmt.Sprintf("\x1b]8;;http://%d/\ax", i) },
	}
	for name, piece := range floods {
		t.Run(name, func(t *testing.T) {
			term := New(Size{40, 10}, Options{Scrollback: 8000})
			for i := range 100_000 {
				feed(term, piece(i))
				if i%15_000 == 0 {
					term.Snapshot()
				}
			}
			if n := max(len(term.tab.pens), len(term.tab.graphemes)); n > term.tableLimit() {
				t.Errorf("%d entries, limit %d", n, term.tableLimit())
			}
			if n := len(term.tab.links); n > maxLinks+1 {
				t.Errorf("%d links", n)
			}
			s := term.Snapshot()
			row := s.Row(term.line)
			c := row[term.col-1]
			fresh := newTerminal(40, 10)
			feed(fresh, piece(99_999))
			f := fresh.Snapshot()
			want := f.Row(0)[fresh.col-1]
			if s.Text(c) != f.Text(want) || s.Style(c) != f.Style(want) || s.Link(c) != f.Link(want) {
				t.Errorf("the last cell is %q %v %q", s.Text(c), s.Style(c), s.Link(c))
			}
		})
	}
}

// TestMemory proves the budget of 12 MB for ten thousand full lines.
func TestMemory(t *testing.T) {
	heap := func() uint64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	term := New(Size{120, 40}, Options{Scrollback: DefaultScrollback})
	line := []byte(strings.Repeat("0123456789ab", 10) + "\r\n")
	for range 30_000 {
		_, _ = term.Write(line)
	}
	snap := term.Snapshot()
	used := float64(heap()-before) / 1e6
	t.Logf("%.1f MB for %d lines", used, snap.Scrolled)
	if used > 12 || snap.Scrolled != DefaultScrollback {
		t.Errorf("%.1f MB for %d lines", used, snap.Scrolled)
	}
	runtime.KeepAlive(term)
}

// TestEmptyCells tells blanks that were written from those that were not, which
// copying across a wrap depends on.
func TestEmptyCells(t *testing.T) {
	term := New(Size{Cols: 6, Rows: 3}, Options{})
	_, _ = term.Write([]byte("a b日本e\u0301\x1b[1;2H\x1b[X"))
	s := term.Snapshot()
	want := []bool{false, true, false, false, false, true} // 本 had no room in the last column
	for x, c := range s.Row(0) {
		if c.Empty() != want[x] {
			t.Errorf("column %d: empty %v", x, c.Empty())
		}
	}
	if got := string(s.AppendText([]byte(">"), append(s.Row(0)[:6:6], s.Row(1)...))); got != ">a b日 本e\u0301   " {
		t.Errorf("%q", got)
	}
}
