package chat

import (
	"strings"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/ui/keys"
)

// play feeds names of keys, and text, to an input.
func play(in *Input, script ...string) {
	commands := map[string]keys.ID{
		"<newline>": keys.Newline, "<up>": keys.Earlier, "<down>": keys.Later, "<home>": keys.LineStart,
		"<end>": keys.LineEnd, "<wordleft>": keys.WordLeft, "<wordright>": keys.WordRight,
		"<delword>": keys.DeleteWord, "<delbefore>": keys.DeleteBefore, "<delafter>": keys.DeleteAfter,
	}
	single := map[string]tcell.Key{
		"<left>": tcell.KeyLeft, "<right>": tcell.KeyRight, "<bs>": tcell.KeyBackspace, "<del>": tcell.KeyDelete,
	}
	for _, step := range script {
		if id, ok := commands[step]; ok {
			in.Do(id)
		} else if key, ok := single[step]; ok {
			in.Key(tcell.NewEventKey(key, 0, tcell.ModNone))
		} else {
			in.Insert(step)
		}
	}
}

func TestEditing(t *testing.T) {
	cases := []struct {
		script []string
		want   string
	}{
		{[]string{"abc", "<left>", "<bs>"}, "a|c"},
		{[]string{"abc", "<home>", "<del>"}, "|bc"},
		{[]string{"ab", "<newline>", "cd", "<up>"}, "ab|\ncd"},
		{[]string{"ab", "<newline>", "cd", "<home>", "<bs>"}, "ab|cd"},
		{[]string{"ab", "<newline>", "cd", "<up>", "<del>"}, "ab|cd"},
		{[]string{"ab", "<newline>", "c", "<left>", "<left>"}, "ab|\nc"},
		{[]string{"one two", "<wordleft>"}, "one |two"},
		{[]string{"one two", "<delword>"}, "one |"},
		{[]string{"one two", "<home>", "<wordright>"}, "one| two"},
		{[]string{"one two", "<wordleft>", "<delbefore>"}, "|two"},
		{[]string{"one two", "<wordleft>", "<delafter>"}, "one |"},
		{[]string{"日本語", "<left>", "<bs>"}, "日|語"},
		{[]string{"a👩\u200d💻", "<bs>"}, "a|"},
		{[]string{"e\u0301", "<left>"}, "|e\u0301"},
		{[]string{"x\r\ny\rz"}, "x\ny\nz|"},
		{[]string{"1\n2\n3", "<up>", "A\nB"}, "1\n2A\nB|\n3"},
		{[]string{strings.Repeat("x", 25), "<up>"}, strings.Repeat("x", 15) + "|" + strings.Repeat("x", 10)},
		{[]string{strings.Repeat("x", 25), "<up>", "<up>", "<down>"}, strings.Repeat("x", 15) + "|" + strings.Repeat("x", 10)},
	}
	for _, c := range cases {
		in := NewInput(styles(t), nil)
		in.Height(12, 5)
		play(in, c.script...)
		got := strings.Join(in.lines[:in.row], "\n")
		if in.row > 0 {
			got += "\n"
		}
		got += in.line()[:in.offset] + "|" + strings.Join(append([]string{in.line()[in.offset:]}, in.lines[in.row+1:]...), "\n")
		if got != c.want {
			t.Errorf("%q: %q, want %q", c.script, got, c.want)
		}
	}
}

func TestHistoryKeepsTheDraft(t *testing.T) {
	in := NewInput(styles(t), []string{"first"})
	play(in, "second")
	if got := in.Take(); got != "second" || !in.Empty() {
		t.Fatalf("%q", got)
	}
	play(in, "draft", "<up>", "<up>")
	if in.Text() != "first" {
		t.Errorf("two back: %q", in.Text())
	}
	play(in, "<up>", "<down>")
	if in.Text() != "second" {
		t.Errorf("one back: %q", in.Text())
	}
	play(in, "<down>", "<down>")
	if in.Text() != "draft" {
		t.Errorf("the draft became %q", in.Text())
	}
}

func TestTheInputShowsTheCursorsSurroundings(t *testing.T) {
	in := NewInput(styles(t), nil)
	play(in, "1\n2\n3\n4\n5\n6\n7\n8", "<up>", "<up>", "<up>")
	s := display(t, 10, 3)
	if h := in.Height(10, 3); h != 3 {
		t.Errorf("height %d", h)
	}
	in.Draw(s, 0, 0, 10, 3, true, "")
	if got := onScreen(s); got != "> 4\n  5\n  6" {
		t.Errorf("%q", got)
	}
}

func TestAPasteOfAMegabyteStaysQuick(t *testing.T) {
	for name, paste := range map[string]string{
		"lines":    strings.Repeat(strings.Repeat("x", 79)+"\n", 1<<20/80),
		"one line": strings.Repeat("x", 1<<20),
		"wide":     strings.Repeat("日本", 1<<20/6),
	} {
		in := NewInput(styles(t), nil)
		s := display(t, 80, 10)
		began := time.Now()
		in.Insert(paste)
		for range 3 {
			play(in, "y", "<left>", "<del>")
			in.Draw(s, 0, 0, 80, in.Height(80, 10), true, "")
		}
		if took := time.Since(began); took > 30*time.Second { // what is quadratic takes many minutes
			t.Errorf("%s: %v", name, took)
		}
		if got := len(in.Text()); got < len(paste) {
			t.Errorf("%s: %d bytes of %d are left", name, got, len(paste))
		}
	}
}
