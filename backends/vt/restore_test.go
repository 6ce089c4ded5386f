package vt

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// look is what can be seen of a terminal: blanks that were written and blanks
// that were not look the same.
func look(t *Terminal) string {
	var b strings.Builder
	s := t.Snapshot()
	for _, shown := range []*Snapshot{s, t.Hidden()} {
		if shown == nil {
			continue
		}
		for y := range shown.Size.Rows {
			for _, c := range shown.Row(y) {
				fmt.Fprintf(&b, "%s|%v|%s;", shown.Text(c), shown.Style(c), shown.Link(c))
			}
			b.WriteByte('\n')
		}
	}
	fmt.Fprintf(&b, "%+v %+v %q %v %d-%d %v", s.Cursor, s.Modes, s.Title, s.Alternate, t.top, t.bot, t.charsets)
	return b.String()
}

// wraps are the rows that go on in the next.
func wraps(t *Terminal) string {
	var b strings.Builder
	for _, r := range t.rows {
		fmt.Fprint(&b, r.wrapped, " ")
	}
	return b.String()
}

// TestRestore proves that what Restore gives makes any terminal look like the
// one that it was taken from, and go on like it.
func TestRestore(t *testing.T) {
	rounds := 2000
	if os.Getenv("NOD_E2E") == "1" {
		rounds = 10000
	}
	for round := range rounds {
		r := rand.New(rand.NewPCG(7, uint64(round)))
		size := Size{Cols: 2 + r.IntN(40), Rows: 1 + r.IntN(12)}
		a, b := New(size, Options{Scrollback: 20}), New(size, Options{Scrollback: 20})
		before := mixture(r, 40)
		if n := len(before); n > 0 && r.IntN(2) == 0 {
			before = before[:r.IntN(n)] // in the middle of whatever that is
		}
		feed(a, string(before))
		if outside := a.line < a.top || a.line > a.bot; outside && a.modes.Origin || a.decsc.origin {
			continue // of which Restore says nothing
		}
		if a.saved.valid { // else b must not have what nothing can take away
			feed(b, string(mixture(r, 20)))
		}
		restored := a.Restore()
		feed(b, string(restored))
		if diff := cmp.Diff(look(a), look(b)); diff != "" {
			t.Fatalf("round %d, %v: after %q\nrestored by %q\n%s", round, size, before, restored, diff)
		}
		if wraps(a) != wraps(b) {
			continue // nor of rows that have lost their end
		}
		after := mixture(r, 1+r.IntN(12))
		a.last, b.last = 0, 0 // of which Restore says nothing
		feed(a, string(after))
		feed(b, string(after))
		if diff := cmp.Diff(look(a), look(b)); diff != "" {
			t.Fatalf("round %d, %v: after %q\nrestored by %q\nand %q\n%s", round, size, before, restored, after, diff)
		}
	}
}
