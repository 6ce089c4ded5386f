package pane

import (
	"reflect"
	"strings"
	"testing"

	"github.com/nod-console/nod/backends/vt"
)

// What the target prints of the processes in the foreground is read as it is, whatever
// their arguments hold; what has ended is none.
func TestTheProcessesInTheForeground(t *testing.T) {
	t.Parallel()
	text := "5 1 S\nman\nman\nman\x01ls\x01\n7 5 S\nless\nless\nless\x01\x01a b\x01\n8 5 Z\ngone\n\n\n9 1 R own\npsql"
	want := []Process{
		{PID: 5, Parent: 1, Name: "man", File: "man", Argv: []string{"man", "ls"}},
		{PID: 7, Parent: 5, Name: "less", File: "less", Argv: []string{"less", "", "a b"}},
	}
	if got := parseGroup(text + "\n\n"); len(got) != 3 || !reflect.DeepEqual(got[:2], want) || got[2].Name != "psql" || !got[2].Own || got[2].Argv != nil {
		t.Errorf("%+v", got)
	}
	for _, none := range []string{"", "\n", "hidden", "x y z\na\nb\nc\n", "5 1 S mine\na\nb\nc\n"} {
		if got := parseGroup(none); got != nil {
			t.Errorf("%q: %+v", none, got)
		}
	}
}

// The line of the cursor is whole where it was wrapped, and so are those above it.
func TestWhatIsShownAroundTheCursor(t *testing.T) {
	t.Parallel()
	term := vt.New(vt.Size{Cols: 10, Rows: 6}, vt.Options{Scrollback: 100})
	if _, err := term.Write([]byte("one\r\nsqlite> select a\r\n   ...> from long_name where\x1b[3D")); err != nil {
		t.Fatal(err)
	}
	got := shownAround(term.Snapshot())
	if got.Line != "   ...> from long_name wh" || got.Behind != "ere" || strings.Join(got.Above, "|") != "one|sqlite> select a" || got.Row != 5 || got.Rows != 6 || !strings.Contains("   ...> from long_name where", got.Last) {
		t.Errorf("%+v", got)
	}
}
