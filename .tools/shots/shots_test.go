package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nod-console/nod/backends/vt"
)

const top = "../.."

func TestEveryScenesPictureIsShown(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(top, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range scenes() {
		name := ".shots/" + s.name + ".svg"
		if _, err := os.Stat(filepath.Join(top, name)); err != nil {
			t.Errorf("%v: run make shots", err)
		}
		if !strings.Contains(string(readme), "("+name+")") {
			t.Errorf("the README does not show %s", name)
		}
	}
}

// What the clock decides is the same in each picture.
func TestAPictureIsTimeless(t *testing.T) {
	for _, took := range []string{"3 ms", "85 ms", "0.4 s", "12.9 s"} {
		st := &stage{term: vt.New(vt.Size{Cols: 40, Rows: 2}, vt.Options{}), last: time.Now()}
		if _, err := st.term.Write([]byte("  \x1b[32m✓\x1b[0;2m exit 0 · " + took + " · 3 lines\x1b[0m\x1b[2;5H")); err != nil {
			t.Fatal(err)
		}
		shown := st.freeze()
		if text, _, _ := strings.Cut(shown.String(), "\n"); strings.TrimRight(text, " ") != "  ✓ exit 0 · 12 ms · 3 lines" {
			t.Errorf("%s: %q", took, text)
		}
		if shown.Cursor.Col != 4 || shown.Cursor.Row != 1 {
			t.Errorf("%s: the cursor is elsewhere: %+v", took, shown.Cursor)
		}
	}
	for in, want := range map[string]string{
		"<text>⠦</text><text>waits for your nod 1 s</text>": "<text>⠹</text><text>waits for your nod 2 s</text>",
		"<text>nod 1 s</text>":                              "<text>nod 1 s</text>",
	} {
		if got := string(timeless([]byte(in))); got != want {
			t.Errorf("%s: %s", in, got)
		}
	}
}

// A photograph is taken to be judged, and what the terminal says that it shows is compared.
func TestARowThatDiffersIsNamed(t *testing.T) {
	ours := "nod  local\n⠹ waits for your nod 2 s\nlast"
	for real, want := range map[string]string{
		"nod  local   \r\n⠸ waits for your nod 3 s\r\nlast\r\n": "",
		"nod  local\n⠹ waits for your nod 2 s\nlost":            "row 3 is\nlost\nand not\nlast",
		"nod  local\n⠹ waits for your nod 2 s":                  "row 3 is\n\nand not\nlast",
	} {
		got := ""
		if err := differs(real, ours); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: %q, want %q", real, got, want)
		}
	}
}
