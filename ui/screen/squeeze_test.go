package screen

import (
	"bytes"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/backends/vt"
)

// recorder is a terminal device that keeps each write apart.
type recorder struct {
	tcell.Tty
	stop   chan struct{}
	writes [][]byte
}

func (r *recorder) Start() error        { r.stop = make(chan struct{}); return nil }
func (r *recorder) Stop() error         { return nil }
func (r *recorder) Drain() error        { close(r.stop); return nil }
func (r *recorder) Close() error        { return nil }
func (r *recorder) NotifyResize(func()) {}
func (r *recorder) Read([]byte) (int, error) {
	<-r.stop
	return 0, nil
}
func (r *recorder) WindowSize() (tcell.WindowSize, error) {
	return tcell.WindowSize{Width: 40, Height: 12}, nil
}
func (r *recorder) Write(p []byte) (int, error) {
	r.writes = append(r.writes, bytes.Clone(p))
	return len(p), nil
}

// TestSqueezedOutputLooksTheSame sends what tcell writes for random frames to
// two terminals, to one of them squeezed.
func TestSqueezedOutputLooksTheSame(t *testing.T) {
	for _, term := range []string{"xterm-256color", "tmux-256color", "screen-256color", "linux", "vt220"} {
		t.Run(term, func(t *testing.T) {
			t.Setenv("TERM", term)
			t.Setenv("NO_COLOR", "")
			t.Setenv("COLORTERM", "truecolor")
			device := &recorder{}
			s, err := tcell.NewTerminfoScreenFromTty(device)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Init(); err != nil {
				t.Fatal(err)
			}
			plain := vt.New(vt.Size{Cols: 40, Rows: 12}, vt.Options{})
			squeezed := vt.New(vt.Size{Cols: 40, Rows: 12}, vt.Options{})
			q := squeezer{cols: 40}
			all, sent := 0, 0
			pass := func() {
				for _, w := range device.writes {
					out := q.squeeze(w)
					all, sent = all+len(w), sent+len(out)
					mustWrite(t, plain, w)
					mustWrite(t, squeezed, out)
				}
				device.writes = nil
			}
			random := rand.New(rand.NewSource(1))
			for i := range 400 {
				scribble(s, random)
				s.Show()
				pass()
				if diff := difference(plain.Snapshot(), squeezed.Snapshot()); diff != "" {
					t.Fatalf("frame %d: %s", i, diff)
				}
			}
			s.Fini()
			pass()
			if diff := difference(plain.Snapshot(), squeezed.Snapshot()); diff != "" {
				t.Fatalf("at the end: %s", diff)
			}
			t.Logf("%d bytes became %d", all, sent)
		})
	}
}

// scribble changes a few places of the screen.
func scribble(s tcell.Screen, r *rand.Rand) {
	texts := []string{"a", "word", "日本", "é", "│", " ", "x y", strings.Repeat("long ", 8)}
	for range r.Intn(5) {
		style := tcell.StyleDefault.Bold(r.Intn(2) == 0).Reverse(r.Intn(4) == 0)
		switch r.Intn(4) {
		case 0:
			style = style.Foreground(tcell.PaletteColor(r.Intn(256)))
		case 1:
			style = style.Background(tcell.NewHexColor(r.Int31n(1 << 24)))
		case 2:
			style = style.Underline(tcell.UnderlineStyleCurly)
		}
		x, y := r.Intn(40), r.Intn(12)
		s.PutStrStyled(x, y, texts[r.Intn(len(texts))], style)
		if r.Intn(2) == 0 { // as many cells further as a character has bytes
			s.PutStrStyled(x+2+r.Intn(2), y, string(rune('a'+r.Intn(26))), style)
		}
	}
	if r.Intn(3) == 0 {
		s.HideCursor()
	} else {
		s.ShowCursor(r.Intn(40), r.Intn(12))
	}
	if r.Intn(50) == 0 {
		s.Sync()
	}
}

func difference(a, b *vt.Snapshot) string {
	if a.Cursor.Visible != b.Cursor.Visible {
		return fmt.Sprintf("cursor visible: %v, want %v", b.Cursor.Visible, a.Cursor.Visible)
	}
	if a.Cursor.Visible && (a.Cursor.Col != b.Cursor.Col || a.Cursor.Row != b.Cursor.Row) {
		return fmt.Sprintf("cursor at %d,%d, want %d,%d", b.Cursor.Col, b.Cursor.Row, a.Cursor.Col, a.Cursor.Row)
	}
	if a.Alternate != b.Alternate {
		return "one terminal shows its alternate screen"
	}
	for y := range a.Size.Rows {
		ra, rb := a.Row(y), b.Row(y)
		for x := range ra {
			if a.Text(ra[x]) != b.Text(rb[x]) || a.Style(ra[x]) != b.Style(rb[x]) {
				return fmt.Sprintf("at %d,%d: %q %+v, want %q %+v", x, y, b.Text(rb[x]), b.Style(rb[x]), a.Text(ra[x]), a.Style(ra[x]))
			}
		}
	}
	return ""
}

func mustWrite(t *testing.T, w *vt.Terminal, p []byte) {
	t.Helper()
	if _, err := w.Write(p); err != nil {
		t.Fatal(err)
	}
}

// FuzzSqueeze proves that any stream is taken apart to its end.
func FuzzSqueeze(f *testing.F) {
	f.Add([]byte("\x1b[?2026h\x1b[?25l\x1b[2;3H\x1b[m\x1b[1mx\x1b[2;4H\x1b[?25h"))
	f.Add([]byte("\x1b(0lqk\x1b(B\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\"))
	f.Fuzz(func(t *testing.T, p []byte) {
		q := squeezer{cols: 20}
		rest := p
		for len(rest) > 0 {
			n := token(rest)
			if n < 1 || n > len(rest) {
				t.Fatalf("a token of %d bytes of %d", n, len(rest))
			}
			rest = rest[n:]
		}
		q.squeeze(p)
	})
}
