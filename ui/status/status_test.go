package status_test

import (
	"strings"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/themes"
	"github.com/nod-console/nod/ui/keys"
	"github.com/nod-console/nod/ui/screen"
	"github.com/nod-console/nod/ui/status"
)

func drawn(t *testing.T, width int, draw func(tcell.Screen, *screen.Styles)) string {
	t.Helper()
	theme, err := themes.Load("")
	if err != nil {
		t.Fatal(err)
	}
	styles := screen.NewStyles(theme)
	s := tcell.NewSimulationScreen("UTF-8")
	if err := s.Init(); err != nil {
		t.Fatal(err)
	}
	defer s.Fini()
	s.SetSize(width, 1)
	draw(s, &styles)
	text := ""
	for x := range width {
		str, _, _ := s.Get(x, 0)
		text += str
	}
	return strings.TrimRight(text, " ")
}

func TestTheTopLineGivesWayFromTheLeastImportant(t *testing.T) {
	top := status.Top{
		Target: "ssh:web-1", Trust: "prod", Posture: "ask", Model: "gpt-5",
		Context: 31, Limit: 128_000, Cost: "$0.12", Waiting: 2,
	}
	cases := map[int]string{
		90: " nod  ssh:web-1  ●prod   ask  gpt-5 · 31 % of 128k · $0.12                      2 waiting",
		50: " ssh:web-1  ●prod   ask                 2 waiting",
		32: " ssh:web-1  ●prod     2 waiting",
		20: " ssh:web-1  ●prod",
	}
	for width, want := range cases {
		got := drawn(t, width, func(s tcell.Screen, st *screen.Styles) { status.DrawTop(s, 0, 0, width, top, st) })
		if got != want {
			t.Errorf("%d: %q, want %q", width, got, want)
		}
	}
}

func TestTheBottomLineSaysWhatGoesOnInWords(t *testing.T) {
	hints := []keys.Hint{{Key: "F1", Text: "help"}, {Key: "Esc", Text: "back"}}
	cases := []struct {
		b    status.Bottom
		want string
	}{
		{status.Bottom{Hints: hints}, " F1 help  Esc back            nothing running"},
		{status.Bottom{Hints: hints, Turn: true, Elapsed: 75 * time.Second}, " F1 help  Esc back             ⠋ working 1:15"},
		{status.Bottom{Hints: hints, Turn: true, Running: 2, Frame: 1}, " F1 help  Esc back            ⠙ 2 running 0 s"},
		{status.Bottom{Turn: true, Waiting: 1}, "                     ⠋ waits for your nod 0 s"},
		{status.Bottom{Mode: "typing into local", Hints: hints[:1]}, " typing into local  F1 help   nothing running"},
	}
	for _, c := range cases {
		got := drawn(t, 46, func(s tcell.Screen, st *screen.Styles) { status.DrawBottom(s, 0, 0, 46, c.b, st) })
		if got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
