package status_test

import (
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/ui/internal/uitest"
	"github.com/nod-console/nod/ui/keys"
	"github.com/nod-console/nod/ui/screen"
	"github.com/nod-console/nod/ui/status"
)

func drawn(t *testing.T, width int, draw func(tcell.Screen, *screen.Styles)) string {
	t.Helper()
	return uitest.Drawn(t, width, 1, draw)[0]
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

// That nothing holds looks is said in words, and gives way late.
func TestTheTopLineSaysWhereLooksAreNotHeld(t *testing.T) {
	top := status.Top{Target: "ssh:web-1", NotHeld: true, Posture: "ask", Model: "gpt-5", Cost: "$0.12"}
	for width, want := range map[int]string{
		60: " nod  ssh:web-1   ask  not held  gpt-5 · $0.12",
		34: " ssh:web-1   ask  not held",
		20: " ssh:web-1   ask",
	} {
		if got := drawn(t, width, func(s tcell.Screen, st *screen.Styles) { status.DrawTop(s, 0, 0, width, top, st) }); got != want {
			t.Errorf("%d: %q, want %q", width, got, want)
		}
	}
}

func TestTheTopLineSaysWhatATargetUses(t *testing.T) {
	top := status.Top{Target: "docker:api", Load: "cpu 3 % · 41 MiB of 2.0 GiB", Posture: "ask", Model: "gpt-5"}
	for width, want := range map[int]string{
		70: " nod  docker:api  cpu 3 % · 41 MiB of 2.0 GiB   ask  gpt-5",
		52: " docker:api  cpu 3 % · 41 MiB of 2.0 GiB   ask",
		30: " docker:api   ask",
	} {
		if got := drawn(t, width, func(s tcell.Screen, st *screen.Styles) { status.DrawTop(s, 0, 0, width, top, st) }); got != want {
			t.Errorf("%d: %q, want %q", width, got, want)
		}
	}
}
