package svg_test

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/nod-console/nod/backends/vt"
	"github.com/nod-console/nod/backends/vt/svg"
)

// draw draws what a terminal of 20×2 shows.
func draw(t *testing.T, written string, look svg.Look) string {
	t.Helper()
	term := vt.New(vt.Size{Cols: 20, Rows: 2}, vt.Options{})
	if _, err := io.WriteString(term, written); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := svg.Write(&out, term.Snapshot(), look); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestAPictureHasWhatTheTerminalShows(t *testing.T) {
	const written = "\x1b[?25lab <&> \x1b[31mred\x1b[0m \x1b[7mx\x1b[0m 日e\x1b[4mu\x1b[0m"
	for name, c := range map[string]struct {
		look svg.Look
		want []string
	}{
		"dark":  {svg.Dark, []string{svg.Dark.Ground, `fill="#dc4550">red</text>`, `fill="` + svg.Dark.Ground + `">x</text>`}},
		"light": {svg.Light, []string{svg.Light.Ground, `fill="#cf222e">red</text>`, `fill="` + svg.Light.Ground + `">x</text>`}},
	} {
		got := draw(t, written, c.look)
		want := append(c.want, ">ab &lt;&amp;&gt;</text>", ">日</text>", `text-decoration="underline">u</text>`)
		for _, w := range want {
			if !strings.Contains(got, w) {
				t.Errorf("%s: no %s in\n%s", name, w, got)
			}
		}
		if again := draw(t, written, c.look); again != got {
			t.Errorf("%s: another picture of the same", name)
		}
	}
}

func TestAPictureIsXML(t *testing.T) {
	for _, written := range []string{"", "a\x00\x01]]>&amp;", "\x1b[8mhidden\x1b[0m", "\xff\xfe\xed\xa0\x80", "e\u0301\ufffe\U0001F469\u200d\U0001F4BB"} {
		dec := xml.NewDecoder(strings.NewReader(draw(t, written, svg.Dark)))
		for {
			if _, err := dec.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%q: %v", written, err)
			}
		}
	}
	if got := draw(t, "\x1b[8mhidden", svg.Dark); strings.Contains(got, "hidden") {
		t.Error("what is hidden is in the picture")
	}
}

// A frame is drawn from edge to edge, a line of it at once.
func TestFramesAreLines(t *testing.T) {
	got := draw(t, "\x1b[?25l┌───┐\r\n├x", svg.Dark)
	for _, want := range []string{
		`<path d="M16.2 21.0H20.4M16.2 21.0V30.0" stroke="#d8dee4"/>`, // a corner: right and down
		`<path d="M33.0 21.0H45.6M33.0 21.0H20.4" stroke="#d8dee4"/>`, // three cells
		`<path d="M16.2 39.0V30.0M16.2 39.0H20.4M16.2 39.0V48.0" stroke="#d8dee4"/>`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}
