package vt

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// unknown is what of the state of a terminal a seed does not tell, and so what
// may differ in one that joins by it.
type unknown struct {
	text  bool // charsets, a split character, a joiner, a saved cursor, halves: text and cursor
	style bool // pens, and backgrounds to the right of the text: styles
}

func (u unknown) or(v unknown) unknown { return unknown{u.text || v.text, u.style || v.style} }

// unknownAt compares what two terminals hold that no capture tells.
func unknownAt(full, late *Terminal) unknown {
	a, b := full.decsc, late.decsc
	a.pen, b.pen = pen{}, pen{}
	u := unknown{
		text: len(halves(full)) > 0 || full.charsets != late.charsets || full.parser.runeWant > 0 || full.join || a != b,
		style: full.pen.Style != late.pen.Style || full.decsc.pen.Style != late.decsc.pen.Style ||
			full.saved.pen.Style != late.saved.pen.Style,
	}
	for y, r := range full.rows {
		for x, c := range r.cells {
			d := late.rows[y].cells[x]
			if c.glyph == 0 && full.tab.pens[c.style].Style != late.tab.pens[d.style].Style {
				u.style = true
			}
		}
	}
	return u
}

// halves are the rows in which an erase has left half of a wide character. tmux
// keeps it, and a capture leaves out second halves: nobody can tell from it in
// which column the characters behind one are.
func halves(t *Terminal) map[int]bool {
	rows := map[int]bool{}
	for y, r := range t.rows {
		for x, c := range whole(r.cells) {
			if c != r.cells[x] {
				rows[y] = true
			}
		}
	}
	return rows
}

// apart counts the cells of two terminals that differ in text, and in style.
func apart(a, b *Snapshot) (texts, styles int) {
	for y := range a.Size.Rows {
		for x, c := range a.Row(y) {
			d := b.Row(y)[x]
			switch {
			case a.Text(c) != b.Text(d):
				texts++
			case a.Style(c) != b.Style(d):
				styles++
			}
		}
	}
	return texts, styles
}

// joiner is a terminal that has joined in the middle of a program's output.
type joiner struct {
	term    *Terminal
	unknown unknown
}

// TestJoiningInTheMiddleOfADrawing proves what holds for a terminal that begins
// with a seed while a program draws, and then follows the output:
//
//   - At once, and after every further seed, each character and its style and the
//     cursor are tmux's, but for rows with half of a wide character in them that an
//     erase has left.
//   - In between, text and cursor differ only if at the seed there were such rows,
//     line drawing was on, a part of a character or a joiner had come, or a cursor
//     had been saved; styles only if the pen was not the default, or there was a
//     background to the right of a row's text.
//   - Where none of that was so, nothing ever differs.
func TestJoiningInTheMiddleOfADrawing(t *testing.T) {
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			if p.needs != "" {
				needProgram(t, p.needs)
			}
			n := p.short
			if e2e() {
				n = p.long
			}
			joins(t, p, n)
		})
	}
}

func joins(t *testing.T, p program, n int) {
	size := Size{120, 40}
	m := startTmux(t, size, "printf ready; read -r _; exec "+p.command(t, t.TempDir()))
	full := New(size, following(100))
	var late *joiner
	bytes := 0
	m.until("the pane starts", func() bool { return strings.TrimSpace(string(join(m.do("capture-pane -p -t "+m.pane)))) != "" })
	m.seed(func(s Seed) {
		full.Seed(s)
		m.onOutput(func(b []byte) {
			bytes += len(b)
			_, _ = full.Write(b)
			if late != nil {
				_, _ = late.term.Write(b)
			}
		})
	})
	m.keys([]byte{'\r'})
	const echo = 50 // more bytes than the Enter alone comes back with
	m.until("the program draws", func() (ok bool) {
		m.seed(func(Seed) { ok = bytes > echo })
		return ok
	})
	r := rand.New(rand.NewPCG(8, 8))
	move := func() {
		if len(p.keys) > 0 {
			m.keys([]byte(p.keys[r.IntN(len(p.keys))]))
		}
		time.Sleep(time.Duration(r.IntN(8_000)) * time.Microsecond) // the instant is random on purpose
	}
	exact, between, midway := 0, 0, 0
	for i := range n {
		move()
		m.seed(func(s Seed) { // join
			late = &joiner{term: New(size, following(100))}
			s.Fresh = true
			late.term.Seed(s)
			if d, first := differencesBut(late.term, shown(s), halves(full)); d > 0 {
				t.Errorf("join %d: %d cells differ at once: %s", i, d, first)
			}
			late.unknown = unknownAt(full, late.term)
			if len(s.Pending) > 0 || full.parser.runeWant > 0 {
				midway++
			}
		})
		for range 2 { // follow, and be seeded again
			move()
			m.seed(func(s Seed) {
				a, b := full.Snapshot(), late.term.Snapshot()
				texts, styles := apart(a, b)
				between += texts + styles
				u := late.unknown
				if (texts > 0 || a.Cursor.Col != b.Cursor.Col || a.Cursor.Row != b.Cursor.Row) && !u.text {
					t.Errorf("join %d: %d texts differ, cursor %+v, want %+v", i, texts, b.Cursor, a.Cursor)
				}
				if styles > 0 && !u.style && !u.text {
					t.Errorf("join %d: %d styles differ", i, styles)
				}
				if u == (unknown{}) {
					exact++
				}
				late.term.Seed(s)
				if d, first := differencesBut(late.term, shown(s), halves(full)); d > 0 {
					t.Errorf("join %d: %d cells differ after a new seed: %s", i, d, first)
				}
				if c := late.term.Snapshot().Cursor; c.Col != s.Cursor.Col || c.Row != s.Cursor.Row || c.Visible != s.Cursor.Visible {
					t.Errorf("join %d: cursor %+v after a new seed, want %+v", i, c, s.Cursor)
				}
				late.unknown = u.or(unknownAt(full, late.term))
			})
		}
	}
	m.close()
	t.Logf("%d joins (%d inside a sequence or character), %.2f MB: %d of %d looks with nothing unknown; %d cells differed before a new seed, all explained",
		n, midway, float64(bytes)/1e6, exact, 2*n, between)
}
