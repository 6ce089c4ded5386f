package tmux

import (
	"strings"
	"testing"
)

func TestWidthAnswers(t *testing.T) {
	ask := []widthProbe{{unassigned, unassigned}, {0x1fae8, 0x1fae8}, {'日', '日'}, {0x2500, 0x2502}}
	if got := strings.Join(widthRows(ask), ""); got != "\u0378 \U0001fae8 日 ─ " {
		t.Errorf("%q", got)
	}
	cases := []struct {
		name    string
		version Version
		answer  string
		set     string
		want    [4]int // of U+0378, U+1FAE8, U+65E5, U+2501
	}{
		{"as in the table", Version{3, 3}, "6645", "", [4]int{-1, -1, 2, 1}},
		{"a char without sign", Version{3, 3}, "4245", "", [4]int{-1, -1, 2, 1}},
		{"an older library", Version{3, 1}, "6665", "", [4]int{-1, -1, -1, 1}},
		{"a newer library", Version{3, 3}, "6445", "", [4]int{-1, 2, 2, 1}},
		{"a newer tmux", Version{3, 5}, "5544", "", [4]int{1, 1, 2, 2}},
		{"set by hand", Version{3, 7}, "5445", "日=1 U+2500-U+257f=2 x U+1=1 U+zz=2 U+5-U+3=1 =2 ☃=9", [4]int{1, 2, 1, 2}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			columns, err := paddedColumns(c.answer, len(ask))
			if err != nil {
				t.Fatal(err)
			}
			w := (&Server{version: c.version}).widthsOf(ask, columns, c.set)
			if got := [4]int{w.Width(unassigned), w.Width(0x1fae8), w.Width('日'), w.Width(0x2501)}; got != c.want {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
	for _, bad := range []string{"", "5", "55555", "5555x", "555x", "5550", "5557"} {
		if _, err := paddedColumns(bad, len(ask)); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}

// TestWidthQuestionsFit proves the bounds that tmux and execve have.
func TestWidthQuestionsFit(t *testing.T) {
	total := 0
	for _, row := range widthRows(widthProbes()) {
		total += len(row)
		format := strings.Repeat("#{l;p6:}|", strings.Count(row, " ")) + strings.ReplaceAll(row, " ", "")
		if len(format) >= 8000 {
			t.Errorf("a format of %d bytes", len(format))
		}
	}
	t.Logf("%d code points, %d bytes", len(widthProbes()), total)
	if total > 20_000 {
		t.Errorf("%d bytes on one command line", total)
	}
}

// BenchmarkWidthsOf is what a connect costs on our side.
func BenchmarkWidthsOf(b *testing.B) {
	ask := widthProbes()
	columns := make([]int, len(ask))
	for i := range columns {
		columns[i] = 1
	}
	s := &Server{version: Version{3, 5}}
	for b.Loop() {
		s.widthsOf(ask, columns, "")
	}
}
