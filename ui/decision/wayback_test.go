package decision_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/agent/policy/show"
	"github.com/nod-console/nod/tools/lockout"
	"github.com/nod-console/nod/ui/decision"
)

// cutting is a request that may lock the operator out, with a revert offered.
func cutting(t *testing.T, confirm bool) policy.Request {
	t.Helper()
	r := run("ip route del default")
	if confirm {
		r.Confirm = r.Action.Target
	}
	if r.Revert, r.NoRevert = lockout.For(r.Action, r.Verdict, 2*time.Minute); r.Revert == nil {
		t.Fatal(r.NoRevert)
	}
	return r
}

func TestARevertIsWantedByItsOwnKey(t *testing.T) {
	for _, size := range sizes {
		s := begin(t, size[0], size[1], cutting(t, true))
		s.armed().read().sees("r ")
		s.typed("r").typed("ssh:web-1").press(tcell.KeyEnter)
		s.waits("the name is typed")
		s.typed("r")
		if a := s.answer(); !a.Approved || !a.Revert || a.Typed != "ssh:web-1" || a.After <= 0 {
			t.Errorf("%v: %+v", size, a)
		}
		s = begin(t, size[0], size[1], cutting(t, false))
		s.armed().read().typed("y")
		if a := s.answer(); !a.Approved || a.Revert {
			t.Errorf("%v: y wanted a revert: %+v", size, a)
		}
	}
	s := begin(t, 80, 24, run("touch x"))
	s.armed().typed("r")
	s.waits("where none is offered")
	s = begin(t, 80, 24, cutting(t, false))
	s.armed().Void("it changed")
	s.typed("r")
	s.waits("void")
}

// What arming would run is there to be read, byte for byte.
func TestTheExplanationHasTheExactScript(t *testing.T) {
	r := cutting(t, false)
	s := begin(t, 120, 40, r)
	s.armed().typed("x")
	var shown strings.Builder
	for range 100 {
		for _, line := range s.lines() {
			if i := strings.Index(line, "│ "); i >= 0 {
				shown.WriteString(strings.TrimSpace(strings.Trim(line[i:], "│ ")) + "\n")
			}
		}
		if !strings.Contains(s.text(), "more below") {
			break
		}
		s.press(tcell.KeyPgDn)
	}
	for _, want := range strings.Split(string(r.Revert.Arm.Stdin), "\n") {
		want = strings.TrimSpace(want)
		if len(want) < 10 || len(want) > 60 || strings.Contains(want, "\t") || strings.Contains(want, "  ") {
			continue // folded or marked
		}
		if rows := show.Rows(want, 100); !strings.Contains(shown.String(), rows[0].Text()) {
			t.Errorf("not shown: %q", want)
		}
	}
	s.typed("r")
	s.waits("while the explanation is shown")
}

func TestWhatCannotBeUndoneSaysSo(t *testing.T) {
	r := run("rm -rf /srv")
	r.Final = true
	s := begin(t, 80, 24, r)
	s.armed().sees("! it cannot be undone")
	r = run("systemctl stop nginx")
	r.Undo = "/undo proposes systemctl start nginx"
	s = begin(t, 80, 24, r)
	s.armed().sees("afterwards  /undo proposes systemctl start nginx")
	r = run("poweroff")
	r.NoRevert = "nothing that this touches can be saved"
	s = begin(t, 80, 24, r)
	s.armed().sees("no revert   nothing that this touches")
	r = run("touch x")
	r.Confirm, r.Hasty = "ssh:web-1", "the last three approvals took less than a second each"
	s = begin(t, 80, 24, r)
	s.armed().sees("! the last three approvals")
	s.typed("y")
	s.waits("hasty")
}

var found = []policy.Look{
	{Title: "what would be removed", Ran: "find /srv | wc -l", Output: "[red]12\x1b[2J\n\u202egone"},
	{Title: "how large", Ran: "du -sh /srv", Note: "exit status 1"},
}

func TestAPreviewIsAskedForOnceAndShownAsData(t *testing.T) {
	for _, size := range sizes {
		s := begin(t, size[0], size[1], run("rm -r /srv"))
		asked := 0
		s.OnPreview(func() { asked++ })
		s.draw()
		s.armed().typed("p").typed("p").typed("p")
		if asked != 1 {
			t.Errorf("asked %d times", asked)
		}
		s.sees("preview: looking") // on a small screen, too
		s.Preview(found)
		s.draw()
		s.typed("y")
		s.waits("right after the preview came")
		s.armed().press(tcell.KeyHome)
		var all strings.Builder
		all.WriteString(s.text())
		for range 400 / size[1] {
			s.press(tcell.KeyDown)
			all.WriteString(s.text())
		}
		for _, want := range []string{"find /srv | wc -l", "[red]12⟦U+001B⟧[2J", "⟦U+202E⟧gone", "exit status 1"} {
			if !strings.Contains(all.String(), want) {
				t.Errorf("%v: no %q", size, want)
			}
		}
		s.typed("y")
		if !s.answer().Approved {
			t.Errorf("%v: denied", size)
		}
		s.Preview(found) // late: nothing happens
	}
	s := begin(t, 80, 24, run("touch x"))
	s.armed().typed("p")
	s.Preview(found)
	s.draw()
	if strings.Contains(s.text(), "preview") {
		t.Error("a preview that nobody asked for")
	}
}

// What a look has found is scrolled to when it comes, also where it was a line before.
func TestWhatALookFoundIsScrolledTo(t *testing.T) {
	s := begin(t, 40, 20, run("rm -r /srv/one /srv/two /srv/three /srv/four /srv/five"))
	s.OnTrial(func() {})
	s.draw()
	s.armed().typed("h")
	s.draw()
	s.Trial([]policy.Look{{Title: "it ran", Output: "one\ntwo\nthree", Note: "the cage refused: remove /srv/a"}})
	s.draw()
	s.sees("held: it ran")
	s.sees("three")
}

// What came of a held run is shown as a preview is, beside it.
func TestAHeldRunIsAskedForOnceAndShownAsData(t *testing.T) {
	s := begin(t, 80, 40, run("rm -r /srv"))
	asked := 0
	s.OnPreview(func() {})
	s.OnTrial(func() { asked++ })
	s.draw()
	s.sees("p preview")
	s.sees("h held")
	s.armed().typed("h").typed("h").typed("p")
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
	s.sees("held: running")
	s.sees("preview: looking")
	s.Trial([]policy.Look{{Title: "it ran where it can change nothing", Output: "\x1b[2J", Note: "the cage refused: remove /srv/a"}})
	s.draw()
	s.typed("y")
	s.waits("right after the held run has ended")
	s.sees("held: it ran where it can change nothing")
	s.sees("⟦U+001B⟧[2J")
	s.sees("the cage refused: remove /srv/a")
	s.sees("preview: looking")
	s.armed().typed("y")
	if !s.answer().Approved {
		t.Error("denied")
	}
	s = begin(t, 80, 24, run("touch x"))
	s.draw()
	if strings.Contains(s.text(), "h held") {
		t.Error("it is offered where nothing holds commands")
	}
	s.armed().typed("h")
	s.Trial(found)
	s.draw()
	if strings.Contains(s.text(), "held:") {
		t.Error("a held run that nobody asked for")
	}
}

// However long a preview is, what has to be read is what would run.
func TestAPreviewNeedsNotBeReadAndTheCommandDoes(t *testing.T) {
	long := []policy.Look{{Title: "x", Output: strings.Repeat("line\n", 500)}}
	s := begin(t, 80, 24, run("rm -r /srv"))
	s.OnPreview(func() {})
	s.armed().typed("p")
	s.Preview(long)
	s.draw()
	s.armed().typed("y")
	if !s.answer().Approved {
		t.Error("the preview is in the way")
	}
	s = begin(t, 80, 24, run(strings.Repeat("echo a\n", 300)))
	s.OnPreview(func() {})
	s.armed().typed("p")
	s.Preview(long)
	s.draw()
	s.armed().typed("y")
	s.waits("the end of the command was not seen")
}

// Keys that began before the dialog approve nothing, with all that it can offer,
// and with a preview that arrives in their midst.
func TestKeysAcrossThePopupApproveNothingWithAllThatIsOffered(t *testing.T) {
	letters := []rune("yyyrrrrppcnx q1Y")
	request := cutting(t, false)
	request.Scopes = []policy.Scope{policy.Once, policy.Conversation}
	request.Verdict.Findings = nil
	screen := begin(t, 40, 20, request).screen
	for seed := range streams() {
		r := rand.New(rand.NewPCG(seed, 7))
		s := beginOn(t, screen, 40, 20, request)
		asked := false
		s.OnPreview(func() { asked = true })
		s.every = 40
		arrives := time.Duration(r.Int64N(int64(8 * time.Second)))
		for at := s.now; s.now.Sub(at) < 8*time.Second; {
			s.wait(time.Duration(r.Int64N(int64(decision.Quiet))))
			if asked && s.now.Sub(at) > arrives {
				asked = false
				s.Preview(found)
			}
			if r.IntN(10) == 0 {
				s.burst("\n")
			} else {
				s.burst(string(letters[r.IntN(len(letters))]))
			}
		}
		if s.approved() {
			t.Fatalf("stream %d approved", seed)
		}
	}
}

// The arrival of a preview is like a new dialog: keys typed into it do not count.
func TestAPreviewThatArrivesRearmsTheGuard(t *testing.T) {
	screen := begin(t, 40, 14, run("ls")).screen
	for seed := range streams() {
		r := rand.New(rand.NewPCG(seed, 9))
		s := beginOn(t, screen, 40, 14, run("rm -r x"))
		s.OnPreview(func() {})
		s.armed().typed("p").typed("q") // calm by now
		s.Preview(found)
		s.draw()
		for at := s.now; ; {
			s.wait(time.Duration(r.Int64N(int64(decision.Quiet))))
			if s.now.Sub(at) >= decision.Shown {
				break
			}
			s.InputHandler()(tcell.NewEventKey(tcell.KeyRune, []rune("yyp")[r.IntN(3)], tcell.ModNone), func(tview.Primitive) {})
		}
		s.waits("within the guard")
	}
}

// FuzzTheScreenShowsEveryByte: what is on the screen can be turned back into the
// command, whatever it is.
func FuzzTheScreenShowsEveryByte(f *testing.F) {
	for _, seed := range []string{"ls", "a  b \n\u202e\xff", "[red]x[-]\x1b[2J\t", "⟦U+0020⟧·", strings.Repeat("x ", 300), "e\u0301日\U0010ffff"} {
		f.Add(seed, uint8(80))
	}
	f.Fuzz(func(t *testing.T, command string, wide uint8) {
		if len(command) > 600 || command == "" {
			return
		}
		request := run(command)
		request.Verdict.Findings, request.Verdict.Flags = nil, 0
		request.Action.Target, request.Action.User, request.Action.Dir = "local", "", ""
		width := 40 + int(wide)%160
		s := begin(t, width, 30, request)
		s.armed()
		lines, want := strings.Split(s.command(width), "\n"), strings.Split(command, "\n")
		if len(lines) != len(want) {
			t.Fatalf("%d lines, want %d\n%s", len(lines), len(want), s.text())
		}
		for i, line := range lines {
			if back, err := show.Parse(line); err != nil || back != want[i] {
				t.Fatalf("line %d reads %q (%v), want %q", i+1, back, err, want[i])
			}
		}
	})
}
