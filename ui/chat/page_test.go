package chat

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/ui/screen"
)

// fixedBeside is a screen on which moving a part of it is dear.
type fixedBeside struct{ *screen.Screen }

func (fixedBeside) MovesCheaply(int, int, int, int) bool { return false }

const pageRows = 12

// reader is who looks at a transcript on such a screen.
type reader struct {
	tr   *Transcript
	s    fixedBeside
	line int // of the answer, the last
}

func newReader(t *testing.T) *reader {
	r := &reader{tr: newTranscript(t), s: fixedBeside{display(t, 30, pageRows)}}
	r.tr.Prompt("tell", false)
	return r
}

// more adds lines to the answer and returns the rows of the screen.
func (r *reader) more(lines int) []string {
	for range lines {
		r.line++
		r.tr.Event(agent.Text{Text: fmt.Sprintf("- line %d\n", r.line)})
	}
	return r.look(pageRows)
}

func (r *reader) look(rows int) []string {
	r.s.Clear()
	r.tr.Draw(r.s, 0, 0, 30, rows, false)
	return strings.Split(onScreen(r.s), "\n")
}

// where is the row of a line of the answer, or -1.
func where(rows []string, line int) int {
	for i, row := range rows {
		if strings.HasSuffix(row, fmt.Sprintf(" line %d", line)) {
			return i
		}
	}
	return -1
}

// TestAnAnswerBesideATerminalMovesRarelyAndFar: each line stands still until there is no
// room below, and then a part of the page stays.
func TestAnAnswerBesideATerminalMovesRarelyAndFar(t *testing.T) {
	r := newReader(t)
	drawn, moves := 0, 0
	before := r.look(pageRows)
	for n := 1; n <= 100; n++ {
		rows := r.more(1)
		if where(rows, n) < 0 {
			t.Fatalf("line %d has come and is not on the screen:\n%s", n, strings.Join(rows, "\n"))
		}
		at, was := where(rows, n-1), where(before, n-1)
		if n > 1 && at != was {
			moves++
			drawn += at
			if n > 40 && (at < pageRows/keptShare-2 || at > pageRows/2) {
				t.Errorf("line %d has moved from row %d to %d", n-1, was, at)
			}
		}
		before = rows
	}
	if moves > 16 || drawn > 75 {
		t.Errorf("100 lines: %d movements with %d lines drawn again", moves, drawn)
	}
}

// TestAShortAnswerMovesLittle: a first page moves the text by a few lines.
func TestAShortAnswerMovesLittle(t *testing.T) {
	r := newReader(t)
	n := 0
	for rows := r.look(pageRows); len(rows) < pageRows; n++ {
		rows = r.more(1)
	}
	if rows := r.more(1); len(rows) != pageRows-leastJump {
		t.Errorf("%d rows, want %d:\n%s", len(rows), pageRows-leastJump, strings.Join(rows, "\n"))
	}
}

// TestWhatComesAtOnceIsShown: a page begins no later than with what has not been shown.
func TestWhatComesAtOnceIsShown(t *testing.T) {
	r := newReader(t)
	r.more(40)
	for _, lines := range []int{9, 11, 30} {
		first := r.line + 1
		rows := r.more(lines)
		if where(rows, r.line) < 0 || lines < pageRows && where(rows, first) < 0 {
			t.Errorf("lines %d to %d have come:\n%s", first, r.line, strings.Join(rows, "\n"))
		}
	}
}

// TestTheEndOfATurnIsInTheLastRow, and so it is where a dialog or what is written takes
// room, and where the operator goes to the end.
func TestTheEndOfATurnIsInTheLastRow(t *testing.T) {
	for name, happens := range map[string]func(r *reader) (rows int){
		"the turn ends":         func(r *reader) int { r.tr.Event(agent.Done{Ending: agent.Answered}); return pageRows },
		"there is less room":    func(*reader) int { return pageRows - 3 },
		"a prompt waits":        func(r *reader) int { r.tr.Prompt("more", true); return pageRows },
		"the end is asked for":  func(r *reader) int { r.tr.Top(); r.tr.Bottom(); return pageRows },
		"the reader comes back": func(r *reader) int { r.tr.Top(); r.look(pageRows); r.more(30); r.tr.Scroll(1000); return pageRows },
	} {
		t.Run(name, func(t *testing.T) {
			r := newReader(t)
			r.more(40)
			if rows := r.more(1); len(rows) == pageRows {
				t.Fatal("the page is full")
			}
			want := happens(r)
			rows := r.look(want)
			if len(rows) != want || where(rows, r.line) < want-3 {
				t.Errorf("%d rows of %d:\n%s", len(rows), want, strings.Join(rows, "\n"))
			}
		})
	}
}

// TestWhoScrollsUpFromAPageIsNotMoved, and finds the page as it was below.
func TestWhoScrollsUpFromAPageIsNotMoved(t *testing.T) {
	r := newReader(t)
	r.more(40)
	page := r.more(1)
	r.tr.Scroll(-2)
	above := r.look(pageRows)
	if where(above, 41) != where(page, 41)+2 || r.tr.Following() {
		t.Fatalf("scrolled up by 2:\n%s\nfrom\n%s", strings.Join(above, "\n"), strings.Join(page, "\n"))
	}
	if rows := r.more(30); where(rows, 41) != where(above, 41) {
		t.Errorf("has moved:\n%s", strings.Join(rows, "\n"))
	}

	r = newReader(t)
	r.more(40)
	page = r.more(1)
	r.tr.Scroll(-2)
	r.look(pageRows)
	r.tr.Scroll(2)
	if rows := r.look(pageRows); strings.Join(rows, "\n") != strings.Join(page, "\n") || !r.tr.Following() {
		t.Errorf("up and down again:\n%s\nwant\n%s", strings.Join(rows, "\n"), strings.Join(page, "\n"))
	}
}

// TestALineAtATimeWhereThatIsCheap, and below an answer that has ended.
func TestALineAtATimeWhereThatIsCheap(t *testing.T) {
	r := newReader(t)
	r.more(40)
	r.more(3)
	r.tr.Event(agent.Notice{Text: "one"})
	r.tr.endPiece()
	for i := range 20 {
		r.tr.Notice(fmt.Sprint("notice ", i))
	}
	if rows := r.look(pageRows); len(rows) != pageRows {
		t.Errorf("%d rows:\n%s", len(rows), strings.Join(rows, "\n"))
	}

	tr := newTranscript(t)
	s := display(t, 30, pageRows)
	for n := range 40 {
		tr.Event(agent.Text{Text: fmt.Sprintf("- line %d\n", n)})
		s.Clear()
		tr.Draw(s, 0, 0, 30, pageRows, false)
	}
	if rows := strings.Split(onScreen(s), "\n"); len(rows) != pageRows {
		t.Errorf("%d rows on a screen that does not know", len(rows))
	}
}
