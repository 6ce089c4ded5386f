package pane

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/creack/pty"

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

// A program's file is told to be the user's own where they could replace it.
func TestWhoseFileAProgramIs(t *testing.T) {
	t.Parallel()
	system, err := exec.LookPath("sleep")
	if err != nil {
		t.Fatal(err)
	}
	if system, err = filepath.EvalSymlinks(system); err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(system)
	if err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(t.TempDir(), "sleep")
	if err := os.WriteFile(own, program, 0o755); err != nil { //nolint:gosec // it is to run
		t.Fatal(err)
	}
	if os.Getuid() == 0 {
		if err := os.Chown(own, 65534, 65534); err != nil {
			t.Fatal(err)
		}
	}
	for file, want := range map[string]bool{system: false, own: true} {
		c := exec.Command(file, "600")
		terminal, err := pty.Start(c)
		if err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command("sh", "-c", foregroundProcesses, "sh", strconv.Itoa(c.Process.Pid)).Output()
		_ = c.Process.Kill()
		_ = c.Wait() // with an error, as it was killed
		if err := errors.Join(err, terminal.Close()); err != nil {
			t.Fatal(err)
		}
		if got := parseGroup(string(out)); len(got) != 1 || got[0].Own != want {
			t.Errorf("%s: %+v of %q", file, got, out)
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
