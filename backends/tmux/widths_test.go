package tmux_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/tmux"
	"github.com/nod-console/nod/backends/vt"
)

// TestWidthsAreTheCursors proves that what Widths says is how far the cursor
// really goes, for a sample of all code points (with NOD_E2E=1 for all of the
// first three planes), and that an emulator with these widths follows.
func TestWidthsAreTheCursors(t *testing.T) {
	s, _, _ := server(t)
	step := rune(61)
	if os.Getenv("NOD_E2E") == "1" {
		step = 1
	}
	var all []rune
	for r := rune(0xa0); r < 0x40000; r += step {
		if r < 0xd800 || r > 0xdfff {
			all = append(all, r)
		}
	}
	for _, r := range "☃❤☝✌⛹🇫🏋👍🤌🫨🫷☰䷀각ㅤ①─α■\u00ad\u200b\ufe0f" {
		all = append(all, r)
	}
	want := cursors(t, s, all)
	widths, err := s.Widths(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	parts, err := s.WidthsInParts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	release := s.Version()
	s.SetVersion(tmux.Version{Major: 3, Minor: 2})
	messages, err := s.Widths(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.SetVersion(release)
	for _, r := range all {
		if parts.Width(r) != widths.Width(r) {
			t.Fatalf("U+%04X: %d columns when asked in parts, else %d", r, parts.Width(r), widths.Width(r))
		}
		if messages.Width(r) != widths.Width(r) && !release.AtLeast(3, 4) { // else the releases count otherwise
			t.Fatalf("U+%04X: %d columns when asked in messages, else %d", r, messages.Width(r), widths.Width(r))
		}
	}
	bad := 0
	term := vt.New(vt.Size{Cols: 20, Rows: 2}, vt.Options{Widths: widths})
	for i, r := range all {
		_, _ = fmt.Fprintf(term, "\r\x1b[K%c", r)
		got, shown := max(widths.Width(r), 0), term.Snapshot().Cursor.Col
		if got == want[i] && shown == want[i] {
			continue
		}
		if bad++; bad <= 20 {
			t.Errorf("U+%04X: %d columns, cursor %d, tmux %s has %d", r, got, shown, s.Version(), want[i])
		}
	}
	if bad > 20 {
		t.Errorf("%d of %d code points differ", bad, len(all))
	}
	options, err := s.Run(t.Context(), "show-options", "-g")
	if err != nil || strings.Contains("\n"+string(options), "\n@") {
		t.Errorf("options are left: %v, %s", err, options)
	}
}

// cursors asks the terminal of a pane where the cursor is after each character.
func cursors(t *testing.T, s *tmux.Server, runes []rune) []int {
	t.Helper()
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	if err := os.WriteFile(in, []byte(string(runes)), 0o600); err != nil {
		t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Create(t.Context(), tmux.NewSession{
		Name: "nod-widths", Window: "w", Owner: "o", Size: backends.Size{Cols: 80, Rows: 24},
		Shell: []string{"sh", "-c", `stty raw -echo; NOD_CURSORS="$1" exec "$2" -test.run '^TestCursorsHelper$'`, "sh", dir, exe},
	})
	if err != nil {
		t.Fatal(err)
	}
	var said []byte
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if said, err = os.ReadFile(out); err == nil {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the pane does not answer")
		}
	}
	if len(said) != len(runes) {
		t.Fatalf("%d answers for %d characters", len(said), len(runes))
	}
	columns := make([]int, len(said))
	for i, b := range said {
		columns[i] = int(b - '0')
	}
	return columns
}

// TestCursorsHelper is no test but the program in the pane.
func TestCursorsHelper(t *testing.T) {
	dir := os.Getenv("NOD_CURSORS")
	if dir == "" {
		t.Skip("runs only inside a pane")
	}
	text, err := os.ReadFile(filepath.Join(dir, "in"))
	if err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewReader(os.Stdin)
	var columns bytes.Buffer
	const atOnce = 200 // questions under way: the answers must fit the terminal's queue
	for runes := []rune(string(text)); len(runes) > 0; {
		n := min(atOnce, len(runes))
		var ask strings.Builder
		for _, r := range runes[:n] {
			fmt.Fprintf(&ask, "\r\x1b[K%c\x1b[6n", r)
		}
		if _, err := os.Stdout.WriteString(ask.String()); err != nil {
			t.Fatal(err)
		}
		for range n {
			answer, err := answers.ReadString('R')
			var row, col int
			if _, scanErr := fmt.Sscanf(answer, "\x1b[%d;%dR", &row, &col); err != nil || scanErr != nil {
				t.Fatalf("%q: %v, %v", answer, err, scanErr)
			}
			fmt.Fprint(&columns, col-1)
		}
		runes = runes[n:]
	}
	if err := os.WriteFile(filepath.Join(dir, "part"), columns.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "part"), filepath.Join(dir, "out")); err != nil {
		t.Fatal(err)
	}
}

// TestWidthsNeedAServer proves that no server is an error and none is started.
func TestWidthsNeedAServer(t *testing.T) {
	s, _, socket := server(t)
	if _, err := s.Widths(t.Context()); err == nil {
		t.Error("no error")
	}
	if _, err := os.Stat(socket); err == nil {
		t.Error("a server was started")
	}
}
