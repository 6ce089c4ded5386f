package vt

import "testing"

func TestParseSeed(t *testing.T) {
	s, err := ParseSeed("80|24|3|4|0|1|1|1|1|0|1|7|8|2|20|0|1|0|1|0||bar|1|99|8,16,24|a|title\n")
	if err != nil {
		t.Fatal(err)
	}
	if s.Size != (Size{80, 24}) || s.Cursor != (Cursor{Col: 3, Row: 4, Shape: CursorBar}) || !s.ShapeKnown {
		t.Errorf("size %v, cursor %+v", s.Size, s.Cursor)
	}
	want := Modes{Insert: true, AppCursor: true, AppKeypad: true, Origin: true, Mouse: MouseButtons, MouseEncoding: MouseSGR}
	if s.Modes != want || s.PasteKnown {
		t.Errorf("modes %+v", s.Modes)
	}
	if !s.Alternate || s.SavedCol != 7 || s.SavedRow != 8 || s.Top != 2 || s.Bottom != 20 || !s.InMode || s.History != 99 {
		t.Errorf("%+v", s)
	}
	if s.Title != "a|title" || len(s.Tabs) != 3 {
		t.Errorf("title %q, tabs %v", s.Title, s.Tabs)
	}
	for _, bad := range []string{"", "80|24", "80|x|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|||0|0||", "8|2|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|0|||0|0|1,b|"} {
		if _, err := ParseSeed(bad); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}

// TestSeedOfOtherVersions proves that variables which a tmux does not know, and
// which therefore are empty, are what a new terminal has.
func TestSeedOfOtherVersions(t *testing.T) {
	for version, state := range map[string]string{
		"all are empty": "80|24|||||||||||||||||||||||||",
		"3.1c":          "80|24|0|0|1|0|0|0|0|1|0|4294967295|4294967295|0|23|0|0|0|0|0|||0|0|8,16|",
		"3.8":           "80|24|0|0|1|0|0|0|0|1|0|4294967295|4294967295|0|23|0|0|0|0|0|0|default|0|0|8,16|",
	} {
		s, err := ParseSeed(state)
		if err != nil {
			t.Errorf("%s: %v", version, err)
			continue
		}
		term := New(Size{80, 24}, Options{})
		feed(term, "\x1b[?2004h\x1b[5 q")
		term.Seed(s)
		got := term.Snapshot()
		known := version == "3.8"
		if got.Modes != (Modes{Wrap: true, BracketedPaste: !known}) || !got.Cursor.Visible || (got.Cursor.Shape == CursorBar) == known {
			t.Errorf("%s: modes %+v, cursor %+v", version, got.Modes, got.Cursor)
		}
		if term.top != 0 || term.bot != 23 || term.saved.valid {
			t.Errorf("%s: region %d to %d", version, term.top, term.bot)
		}
	}
}

// TestSeedReadsTabs proves that the tabs which tmux writes into a capture from
// 3.6 on take the columns that they took on the screen.
func TestSeedReadsTabs(t *testing.T) {
	line := func(s string) [][]byte { return [][]byte{[]byte(s)} }
	cases := []struct {
		line string
		tabs []int
		want string
	}{
		{"a\tb", []int{8, 16, 24}, "a       b"},
		{"a\t\tb", []int{4, 8}, "a       b"},
		{"\tb", []int{3, 7}, "   b"},
		{"a\tb", nil, "a                            b"},
		{"\t\t\t\tb", []int{8, 16, 24}, "                             b"},
		{"日\tb\x1b[41m\tc", []int{8, 16, 24}, "日      b       c"},
		{"0123456789012345678901234567890123456789\t\t\tx", []int{8}, "012345678901234567890123456789"},
	}
	for _, c := range cases {
		term := New(Size{20, 6}, Options{Scrollback: 10})
		term.Seed(Seed{Size: Size{30, 6}, Lines: line(c.line), Saved: line(c.line), Scrollback: line(c.line), Tabs: c.tabs, Alternate: true, Modes: Modes{Wrap: true}})
		checkInvariants(t, term)
		s := term.Snapshot()
		feed(term, "\x1b[?1049l")
		if main := term.Snapshot().RowText(0); s.RowText(0) != c.want || s.LineText(0) != c.want || main != c.want {
			t.Errorf("%q: %q, above %q, main screen %q, want %q", c.line, s.RowText(0), s.LineText(0), main, c.want)
		}
		feed(term, "\r\t!")
		next := 29
		if len(c.tabs) > 0 {
			next = c.tabs[0]
		}
		if got := term.Snapshot().Cursor.Col; got != next+1 {
			t.Errorf("%q: the next tab ends at %d, want %d", c.line, got-1, next)
		}
	}
}

// TestSeedTakesOverInTheMiddle proves that a terminal that is seeded at any
// byte of a stream goes on like one that has seen it all. Places at which tmux
// does not tell all that matters are left out.
func TestSeedTakesOverInTheMiddle(t *testing.T) {
	f := startFeeder(t, Size{20, 6})
	stream := []byte("one\r\n\x1b[31mtwo\x1b[m\x1b[2;5r\x1b[3g\x1b[1;5H\x1bH\r\t!\x1b[5;1Ha\nb\nc\x1b]2;name\x07" +
		"\x1b[?1049h\x1b[?1h\x1b=alt日本\x1b[?1006;1002h\x1b[4hin\x1b[4l\x1b[2;2Hx\x1b[?1049lend\x1b[?7l")
	for cut := range len(stream) {
		f.feed(append([]byte(clean), stream[:cut]...))
		whole := New(f.size, Options{})
		_, _ = whole.Write(append([]byte(clean), stream[:cut]...))
		if whole.pen != (pen{}) || whole.parser.runeWant > 0 || whole.alternate() {
			continue // as is the main screen under the alternate one
		}
		seeded := New(f.size, Options{})
		f.seed(func(s Seed) { seeded.Seed(s) })
		_, _ = whole.Write(stream[cut:])
		_, _ = seeded.Write(stream[cut:])
		a, b := whole.Snapshot(), seeded.Snapshot()
		if a.String() != b.String() || a.Cursor != b.Cursor || a.Modes != b.Modes || a.Title != b.Title {
			t.Fatalf("seeded after %q:\n%s%+v %+v %q\nwant\n%s%+v %+v %q", stream[:cut], b, b.Cursor, b.Modes, b.Title, a, a.Cursor, a.Modes, a.Title)
		}
	}
}

// TestSeedKeepsWhatItCannotKnow proves that seeding a terminal that has
// followed the pane all along changes nothing that tmux does not tell.
func TestSeedKeepsWhatItCannotKnow(t *testing.T) {
	term := New(Size{10, 2}, Options{Scrollback: 10})
	feed(term, "\x1b]8;;http://a/\ahi\x1b]8;;\a\x1b[44m\x1b[K\x1b[0;31m\x1b[?2004h\x1b(0\x1b7")
	before := term.Snapshot()
	seed := Seed{Size: Size{10, 2}, Lines: [][]byte{[]byte("hi"), nil}, Cursor: before.Cursor, Modes: before.Modes, Bottom: 1, SavedCol: -1}
	term.Seed(seed)
	after := term.Snapshot()
	if rows := changedRows(before, after); len(rows) > 0 {
		t.Errorf("rows %v changed", rows)
	}
	if !after.Modes.BracketedPaste || after.Link(after.Row(0)[0]) != "http://a/" {
		t.Error("the paste mode or the link is lost")
	}
	feed(term, "q\x1b8q")
	if s := term.Snapshot(); s.RowText(0) != "hi─" || s.Style(s.Row(0)[2]).Fg != Indexed(1) {
		t.Errorf("%q", s.RowText(0))
	}
	seed.Lines[0] = []byte("ho")
	term.Seed(seed)
	if s := term.Snapshot(); s.RowText(0) != "ho" || s.Style(s.Row(0)[9]).Bg != Indexed(4) {
		t.Errorf("%q, background %v", s.RowText(0), s.Style(s.Row(0)[9]).Bg)
	}
	seed.Lines[0] = []byte("hi")
	seed.Fresh = true
	term.Seed(seed)
	feed(term, "q")
	if s := term.Snapshot(); s.RowText(0) != "hiq" {
		t.Errorf("after a fresh seed: %q", s.RowText(0))
	}
}

func TestSeedScreensAndScrollback(t *testing.T) {
	term := New(Size{10, 2}, Options{Scrollback: 3})
	line := func(s ...string) (out [][]byte) {
		for _, l := range s {
			out = append(out, []byte(l))
		}
		return out
	}
	term.Seed(Seed{Size: Size{12, 3}, Alternate: true, SavedCol: 2, SavedRow: 1, Modes: Modes{Wrap: true}, Bottom: 2,
		Lines: line("alt", "\x1b[5:3mover\x1b[m"), Saved: line("main", "\x0elqk\x0f"), Scrollback: line("h1", "h2", "h3", "h4")})
	s := term.Snapshot()
	if s.Scrolled != 3 || s.LineText(0) != "h2" || s.String() != "alt\nover\n\n" || s.Style(s.Row(1)[0]).Attrs != Overline {
		t.Errorf("%d lines, first %q, %q", s.Scrolled, s.LineText(0), s)
	}
	feed(term, "\x1b[?1049l!")
	if s = term.Snapshot(); s.String() != "main\n┌─!\n\n" {
		t.Errorf("%q", s)
	}
	if s.LineText(2) != "h4" {
		t.Errorf("%q", s.LineText(2))
	}
}
