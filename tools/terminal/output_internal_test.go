package terminal

import (
	"regexp"
	"strings"
	"testing"

	"github.com/nod-console/nod/backends/pane"
)

// TestAnEndStandsBehindItsBeginning: of a run's output, which the pane keeps from its
// beginning, and of which the feed has the end.
func TestAnEndStandsBehindItsBeginning(t *testing.T) {
	for _, c := range []struct {
		name         string
		lost         int // bytes that neither has
		want, prefix string
	}{
		{"nothing is lost", 0, "begun\n" + strings.Repeat("x", tailBytes-5) + "end\n", ""},
		{"some is", 1000, "", "begun\n[1000 bytes were not kept]\nxxx"},
	} {
		f := &feed{}
		flood := "begun\r\n" + strings.Repeat("x", c.lost+tailBytes-5) + "end\r\n"
		for at := 0; at < len(flood); at += 7000 {
			_, _ = f.Write([]byte(flood[at:min(len(flood), at+7000)])) // never fails
		}
		got := (&job{feed: f}).output(pane.Result{Raw: []byte("begun\r\n"), Text: "begun\n", Total: int64(len(flood)), Truncated: true})
		if c.want != "" && got.text != c.want || !strings.HasPrefix(got.text, c.prefix) || got.lost != int64(c.lost) || !strings.HasSuffix(got.text, "xend\n") {
			t.Errorf("%s: %d bytes lost, %.60q", c.name, got.lost, got.text)
		}
	}
}

// TestAPatternIsFoundWhereverTheOutputIsCut, also with colours in it.
func TestAPatternIsFoundWhereverTheOutputIsCut(t *testing.T) {
	const text = "starting\r\n\x1b[32mlistening\x1b[0m on 80\r\n"
	for at := range len(text) {
		f := &feed{}
		w, stop := f.watch(regexp.MustCompile(`(?m:^listening on \d+$)`))
		_, _ = f.Write([]byte(text[:at])) // never fails
		_, _ = f.Write([]byte(text[at:]))
		if len(w.found) == 0 {
			t.Errorf("cut at %d: it is not found", at)
		}
		stop()
	}
	f := &feed{}
	w, stop := f.watch(regexp.MustCompile("needle"))
	defer stop()
	for range 3 * lookBack {
		_, _ = f.Write([]byte("hay\r\n")) // never fails
	}
	if len(w.found) != 0 || len(w.text) > 2*lookBack {
		t.Errorf("found %d, %d bytes are looked at again", len(w.found), len(w.text))
	}
	_, _ = f.Write([]byte("nee")) // never fails
	_, _ = f.Write([]byte("dle")) // never fails
	if len(w.found) == 0 {
		t.Error("it is not found in two pieces")
	}
}

// TestWhatIsNewIsToldOnce: as it came, or in whole lines where a line was written anew.
func TestWhatIsNewIsToldOnce(t *testing.T) {
	k := &job{}
	for _, c := range []struct{ text, want string }{
		{"a\n10 %", "a\n10 %"}, {"a\n10 %", ""}, {"a\n20 %", "20 %"}, {"a\n20 %\nb\n", "\nb\n"}, {"", ""}, {"c", "c"},
	} {
		if unseen := k.unseen(c.text); unseen != c.want {
			t.Errorf("%q: unseen is %q, want %q", c.text, unseen, c.want)
		}
		if got := k.news(c.text); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

// TestACutTextHasBothEnds: never more than was asked for, and its middle is where the
// result says.
func TestACutTextHasBothEnds(t *testing.T) {
	lines := strings.Split(strings.TrimSuffix(strings.Repeat("zeile ü\n", 100), "\n"), "\n")
	text := strings.Join(lines, "\n") + "\n"
	for most := 1; most < 850; most += 7 {
		c := cutMiddle(text, most)
		if c.omitted == 0 {
			if most < 800 {
				t.Errorf("%d: not cut", most)
			}
			continue
		}
		middle := text[len(c.head) : len(text)-len(c.tail)]
		if n := len([]rune(c.head + c.tail)); n > most || n+c.omitted != 800 || !strings.HasPrefix(text, c.head) || !strings.HasSuffix(text, c.tail) {
			t.Errorf("%d: %d characters, %d left out", most, n, c.omitted)
		}
		if from := strings.Join(lines[c.first-1:c.first-1+c.lines], "\n") + "\n"; !strings.Contains(from, middle) {
			t.Errorf("%d: lines %d, %d of them do not hold the middle", most, c.first, c.lines)
		}
	}
}
