package decision_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/agent/policy/show"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/risk"
	"github.com/nod-console/nod/ui/decision"
)

// story drives a dialog on a simulated screen with a clock of its own.
type story struct {
	*decision.Approval
	t       testing.TB
	screen  tcell.SimulationScreen
	now     time.Time
	answers []policy.Answer
	every   int // draw after every so many events only; 0 and 1 mean each
	events  int
}

func begin(t testing.TB, w, h int, r policy.Request) *story {
	t.Helper()
	screen := tcell.NewSimulationScreen("UTF-8")
	if err := screen.Init(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(screen.Fini)
	return beginOn(t, screen, w, h, r)
}

// beginOn is begin on a screen that another story has left.
func beginOn(t testing.TB, screen tcell.SimulationScreen, w, h int, r policy.Request) *story {
	t.Helper()
	s := &story{t: t, now: time.Unix(1e9, 0), screen: screen}
	if r.ID == "" {
		r.ID = "r1"
	}
	styles := decision.Styles{Danger: tcell.StyleDefault.Foreground(tcell.ColorRed)}
	s.Approval = decision.NewApproval(styles, r, func() time.Time { return s.now }, func(a policy.Answer) { s.answers = append(s.answers, a) })
	s.size(w, h)
	return s
}

func (s *story) size(w, h int) {
	if x, y := s.screen.Size(); x != w || y != h {
		s.screen.SetSize(w, h)
	}
	s.SetRect(0, 0, w, h)
	s.draw()
}

func (s *story) draw() {
	if s.events++; s.every > 1 && s.events%s.every != 0 {
		return
	}
	s.screen.Clear()
	s.Draw(s.screen)
}

// streams is how many streams of keys a test tries: 100, or 1,000 with NOD_E2E=1.
func streams() uint64 {
	if os.Getenv("NOD_E2E") == "1" {
		return 1000
	}
	return 100
}

// wait lets time pass in which nothing is pressed.
func (s *story) wait(d time.Duration) *story {
	s.now = s.now.Add(d)
	s.Tick(false)
	s.draw()
	return s
}

// armed waits until keys count.
func (s *story) armed() *story { return s.wait(decision.Shown + decision.Quiet) }

// event is a key that comes at once.
func (s *story) event(ev *tcell.EventKey) *story {
	s.InputHandler()(ev, func(tview.Primitive) {})
	s.draw()
	return s
}

// press presses keys one by one, as hands do.
func (s *story) press(keys ...tcell.Key) *story {
	for _, k := range keys {
		s.alone(tcell.NewEventKey(k, 0, tcell.ModNone))
	}
	return s
}

// alone is a key with a pause before and after it. Nothing is drawn before it:
// frames are what this package's tests spend their time on.
func (s *story) alone(ev *tcell.EventKey) {
	s.now = s.now.Add(decision.Alone)
	s.Tick(false)
	s.event(ev).wait(decision.Alone)
}

// read scrolls to the end, page by page.
func (s *story) read() *story {
	for n := 0; strings.Contains(s.text(), "more below"); n++ {
		if n > 5000 {
			s.t.Fatal("no end")
		}
		s.press(tcell.KeyPgDn)
	}
	return s
}

// typed types text one by one.
func (s *story) typed(text string) *story {
	for _, r := range text {
		s.alone(letter(r))
	}
	return s
}

// burst delivers text in one piece.
func (s *story) burst(text string) *story {
	for _, r := range text {
		s.event(letter(r))
	}
	return s
}

func letter(r rune) *tcell.EventKey {
	switch r {
	case '\n', '\r':
		return tcell.NewEventKey(tcell.KeyEnter, 0, tcell.ModNone)
	case '\x1b':
		return tcell.NewEventKey(tcell.KeyEscape, 0, tcell.ModNone)
	}
	return tcell.NewEventKey(tcell.KeyRune, r, tcell.ModNone)
}

func (s *story) paste(text string) *story {
	s.PasteHandler()(text, func(tview.Primitive) {})
	s.draw()
	return s
}

func (s *story) mouse(a tview.MouseAction, x, y int) *story {
	s.MouseHandler()(a, tcell.NewEventMouse(x, y, tcell.Button1, tcell.ModNone), func(tview.Primitive) {})
	s.draw()
	return s
}

func (s *story) approved() bool {
	for _, a := range s.answers {
		if a.Approved {
			return true
		}
	}
	return false
}

// waits expects no answer yet.
func (s *story) waits(why string) {
	s.t.Helper()
	if len(s.answers) != 0 {
		s.t.Errorf("%s: answered %+v", why, s.answers)
	}
}

// answer expects exactly one answer.
func (s *story) answer() policy.Answer {
	s.t.Helper()
	if len(s.answers) != 1 {
		s.t.Fatalf("%d answers, want 1\n%s", len(s.answers), s.text())
	}
	if s.answers[0].RequestID != s.Request().ID {
		s.t.Errorf("the answer is for %q", s.answers[0].RequestID)
	}
	return s.answers[0]
}

func (s *story) lines() []string {
	w, h := s.screen.Size()
	var all []string
	for y := range h {
		var b strings.Builder
		for x := 0; x < w; {
			text, _, n := s.screen.Get(x, y)
			b.WriteString(text)
			x += max(1, n)
		}
		all = append(all, b.String())
	}
	return all
}

func (s *story) text() string { return strings.Join(s.lines(), "\n") }

func (s *story) sees(want string) {
	s.t.Helper()
	if !strings.Contains(s.text(), want) {
		s.t.Errorf("no %q on the screen\n%s", want, s.text())
	}
}

// run is a request for a command with nod's verdict of it.
func run(command string) policy.Request {
	return policy.Request{
		ID: "r1", Scopes: []policy.Scope{policy.Once}, Trust: policy.Prod, Verdict: risk.Command(command, risk.Bash),
		Why: "what changes something asks",
		Action: tools.Action{
			Tool: "run_shell", Kind: tools.Run, Target: "ssh:web-1", User: "deploy", Dir: "/srv/app", Command: command, Dialect: "bash",
			Claim: tools.Claim{Risk: "low", Why: "clean up"},
		},
	}
}

func confirming(command string) policy.Request {
	r := run(command)
	r.Confirm = r.Action.Target
	return r
}

var sizes = [][2]int{{40, 10}, {80, 24}, {200, 60}}

func TestYApprovesOnceEverythingIsThere(t *testing.T) {
	for _, size := range sizes {
		s := begin(t, size[0], size[1], run("touch x"))
		s.armed().sees("touch x")
		s.read().typed("y")
		if a := s.answer(); !a.Approved || a.Scope != policy.Once || a.Edited != nil {
			t.Errorf("%v: %+v", size, a)
		}
		s.typed("yn").press(tcell.KeyEscape)
		s.answer() // still one
	}
}

// What nod and the model say is read before anything is approved, also where
// there is no room for it beside what would run.
func TestNothingIsApprovedWithoutTheVerdict(t *testing.T) {
	for _, size := range append(sizes, [2]int{60, 12}, [2]int{30, 8}) {
		r := run("touch x")
		r.Understated, r.Disagreement = true, "the model understated the risk"
		s := begin(t, size[0], size[1], r).armed()
		var read strings.Builder
		everything := func() bool {
			all := read.String()
			return strings.Contains(all, "nod says") && strings.Contains(all, "understated") && strings.Contains(all, "model says")
		}
		for read.WriteString(s.text()); !everything() && len(s.answers) == 0; read.WriteString(s.text()) {
			s.typed("y").press(tcell.KeyDown)
		}
		if len(s.answers) != 0 {
			t.Errorf("%v: approved after no more than\n%s", size, read.String())
			continue
		}
		s.read().typed("y")
		if a := s.answer(); !a.Approved {
			t.Errorf("%v: %+v", size, a)
		}
	}
}

func TestKeysAcrossThePopupApproveNothing(t *testing.T) {
	letters := []rune("yyyyaaancde xq1\tY")
	screen := begin(t, 40, 12, run("ls")).screen
	for seed := range uint64(1000) { // always all
		r := rand.New(rand.NewPCG(seed, 1))
		request := run("touch x")
		request.Scopes, request.Keep = []policy.Scope{policy.Once, policy.Conversation, policy.Always}, "[[rule]]\n"
		request.Verdict.Findings = nil // all of it is on the screen at once
		s := beginOn(t, screen, 40, 12, request)
		s.every = 40
		// Half of the streams have any rhythm and end with the guard; the others
		// go on for as long as they like but never pause.
		end, gap := decision.Shown, 500*time.Millisecond
		if seed%2 == 0 {
			end, gap = 8*time.Second, decision.Quiet
		}
		for at := s.now; ; {
			s.wait(time.Duration(r.Int64N(int64(gap))))
			if s.now.Sub(at) >= end {
				break
			}
			switch n := r.IntN(12); {
			case n == 0:
				s.burst("\n")
			case n == 1:
				s.paste("y")
			case n == 2 && seed%2 == 1: // a mouse is not a pause of the keys' rhythm
				s.mouse(tview.MouseLeftClick, r.IntN(40), r.IntN(12))
			default:
				s.burst(string(letters[r.IntN(len(letters))]))
			}
		}
		if s.approved() {
			t.Fatalf("stream %d approved", seed)
		}
		if seed%2 == 1 {
			s.waits("within the guard")
			s.every = 0
			if s.wait(decision.Held).typed("y"); !s.approved() {
				t.Fatalf("stream %d: it was not only the time that was missing\n%s", seed, s.text())
			}
		}
	}
}

func TestAHeldKeyApprovesNothing(t *testing.T) {
	for _, delay := range []time.Duration{200, 250, 400, 500, 660, 999} {
		for pressed := time.Duration(0); pressed < decision.Shown; pressed += 100 * time.Millisecond {
			s := begin(t, 40, 12, run("touch"))
			s.every = 10
			s.wait(pressed)
			s.burst("y").wait(delay * time.Millisecond)
			for range 150 {
				s.burst("y").wait(30 * time.Millisecond)
			}
			s.waits(fmt.Sprintf("pressed at %v, repeated after %v ms", pressed, int64(delay)))
		}
	}
}

func TestOnlyTheKeysApprove(t *testing.T) {
	s := begin(t, 80, 24, run("touch x"))
	s.armed()
	for y := range 24 {
		for x := range 80 {
			for _, a := range []tview.MouseAction{tview.MouseLeftDown, tview.MouseLeftUp, tview.MouseLeftClick, tview.MouseLeftDoubleClick} {
				s.MouseHandler()(a, tcell.NewEventMouse(x, y, tcell.Button1, tcell.ModNone), nil)
			}
		}
	}
	s.wait(time.Minute).paste("y").paste("y\n").paste("ssh:web-1\n")
	s.wait(time.Minute).typed(" ").typed("Y")
	s.press(tcell.KeyTab, tcell.KeyBacktab, tcell.KeyF1, tcell.KeyCtrlY, tcell.KeyCtrlM&0x7f)
	if s.approved() {
		t.Fatal("approved")
	}
	s = begin(t, 80, 24, run("touch x"))
	s.armed().event(tcell.NewEventKey(tcell.KeyRune, 'y', tcell.ModAlt)).wait(time.Second)
	s.waits("Alt-y")
	s.press(tcell.KeyEnter)
	if s.answer().Approved {
		t.Error("Enter approved")
	}
}

func TestTheGuardEndsAndCannotBeHeldUp(t *testing.T) {
	s := begin(t, 80, 24, run("touch x"))
	s.burst("y").wait(decision.Shown - 1).burst("n")
	s.waits("early")
	s.wait(decision.Quiet - 1).burst("d")
	s.waits("without a pause")
	if s.Wake() <= 0 {
		t.Error("nothing to wait for")
	}
	s.wait(decision.Quiet)
	if s.Wake() != 0 {
		t.Errorf("still %v to wait", s.Wake())
	}
	s.typed("y")
	if !s.answer().Approved {
		t.Error("denied")
	}

	// A mouse that never rests.
	s = begin(t, 80, 24, run("touch x"))
	for range 40 {
		s.mouse(tview.MouseMove, 1, 1).wait(100 * time.Millisecond)
	}
	s.typed("y")
	if !s.answer().Approved {
		t.Error("a moving mouse held up the dialog")
	}

	// Keys that never rest approve nothing; after a rest, n denies.
	s = begin(t, 80, 24, run("touch x"))
	for range 40 {
		s.burst("q").wait(100 * time.Millisecond)
	}
	s.burst("y").wait(2 * decision.Rest).burst("n").wait(decision.Alone)
	if s.answer().Approved {
		t.Error("a stream of keys approved")
	}
}

func TestRearmedByResizeFocusAndRearm(t *testing.T) {
	for name, disturb := range map[string]func(s *story){
		"resize": func(s *story) { s.size(90, 30) },
		"focus":  func(s *story) { s.Focus(func(tview.Primitive) {}) },
		"rearm":  func(s *story) { s.Rearm() },
	} {
		s := begin(t, 80, 24, run("touch x"))
		s.armed().typed("x").typed("x") // calm by now
		disturb(s)
		s.burst("y").wait(decision.Shown - 1).burst("y")
		s.waits(name)
		s.wait(decision.Held).typed("y")
		if !s.answer().Approved {
			t.Errorf("%s: denied", name)
		}
	}
}

func TestNothingIsApprovedBeforeItsEndWasSeen(t *testing.T) {
	long := map[string]string{
		"500 lines": strings.Repeat("echo a line of a script\n", 499) + "reboot",
		"10 KB":     "echo " + strings.Repeat("0123456789abcdef", 640) + "; reboot",
		"bidi":      strings.Repeat("\u202e\xff ", 1000),
	}
	for name, command := range long {
		for _, size := range sizes {
			s := begin(t, size[0], size[1], run(command))
			s.armed().typed("y")
			s.waits(name)
			s.sees("more below")
			pages := 0
			for ; strings.Contains(s.text(), "more below"); pages++ {
				if pages > 5000 {
					t.Fatalf("%s: no end", name)
				}
				if pages%5 == 0 {
					s.typed("y")
					s.waits(name + ", scrolling")
				}
				s.press(tcell.KeyPgDn)
			}
			s.typed("y")
			if !s.answer().Approved {
				t.Errorf("%s %v: denied after %d pages", name, size, pages)
			}
		}
	}
}

// Whoever jumps to the end has not seen what is between.
func TestJumpingToTheEndIsNotReading(t *testing.T) {
	for _, size := range sizes {
		s := begin(t, size[0], size[1], run(strings.Repeat("echo a line of a script\n", 400)+"reboot"))
		s.armed().press(tcell.KeyEnd)
		s.typed("y")
		s.waits("the middle was not on the screen")
		s.sees("PgUp")
		s.press(tcell.KeyHome).typed("y")
		s.waits("both ends were")
		s.sees("PgDn")
		for range 1000 { // in one piece: none of these pages was drawn
			s.InputHandler()(tcell.NewEventKey(tcell.KeyPgDn, 0, tcell.ModNone), nil)
		}
		s.draw()
		s.wait(time.Minute).typed("y")
		s.waits("no page between was drawn")
		s.press(tcell.KeyHome)
		for strings.Contains(s.text(), "more below") {
			s.typed(" ") // a page on, too
		}
		s.typed("y")
		if !s.answer().Approved {
			t.Errorf("%v: denied", size)
		}
	}
}

func TestTheExplanationHidesAndSoDoesNotApprove(t *testing.T) {
	s := begin(t, 80, 24, run("rm -rf x"))
	s.armed().typed("x").sees("digest")
	s.typed("y")
	s.waits("while the explanation is shown")
	s.press(tcell.KeyEscape).sees("rm -rf x")
	s.typed("y")
	if !s.answer().Approved {
		t.Error("denied")
	}
}

func TestTheNameMustBeTyped(t *testing.T) {
	for _, size := range sizes {
		s := begin(t, size[0], size[1], confirming("rm -rf /srv"))
		s.armed().read().typed("y")
		s.waits("without the name")
		s.typed("ssh:web-2").press(tcell.KeyEnter)
		s.waits("with a wrong name")
		s.typed("y").paste("ssh:web-1").press(tcell.KeyEnter)
		s.waits("with a pasted name")
		s.typed("y").typed("ssh:web-1").press(tcell.KeyEnter)
		s.waits("Enter itself does not approve")
		s.typed("y")
		if a := s.answer(); !a.Approved || a.Typed != "ssh:web-1" {
			t.Errorf("%v: %+v", size, a)
		}
	}
}

func TestDenying(t *testing.T) {
	for name, deny := range map[string]func(s *story){
		"n":     func(s *story) { s.typed("n") },
		"esc":   func(s *story) { s.press(tcell.KeyEscape) },
		"enter": func(s *story) { s.press(tcell.KeyEnter) },
	} {
		s := begin(t, 80, 24, run("touch x"))
		deny(s.armed())
		if a := s.answer(); a.Approved || a.Edited != nil {
			t.Errorf("%s: %+v", name, a)
		}
	}
	s := begin(t, 80, 24, run("touch x"))
	s.armed().typed("d").typed("not yet, y").press(tcell.KeyEscape)
	s.waits("Esc leaves the field")
	s.typed("d").typed("because ").paste("it is\nfriday").sees("because it is friday")
	s.press(tcell.KeyEnter)
	if a := s.answer(); a.Approved || a.Reason != "because it is friday" {
		t.Errorf("%+v", a)
	}
}

func TestWhatIsVoidCannotBeApproved(t *testing.T) {
	for _, size := range sizes {
		s := begin(t, size[0], size[1], confirming("rm -rf /srv"))
		s.armed().read().typed("y").typed("ssh:w")
		s.Void("the line changed to \x1b[2Jls")
		s.draw()
		s.sees("void: the line changed")
		s.typed("y").typed("ssh:web-1").press(tcell.KeyEnter)
		if len(s.answers) > 0 && s.answers[0].Approved {
			t.Fatalf("%v: %+v", size, s.answers)
		}
		s = begin(t, size[0], size[1], run("touch x"))
		s.armed().Void("first")
		s.Void("second")
		s.draw()
		s.typed("yc")
		s.waits("void")
		s.typed("d").typed("not now").press(tcell.KeyEnter)
		if a := s.answer(); a.Approved || a.Reason != "not now" || a.Void != "first" {
			t.Errorf("%v: %+v", size, a)
		}
		s = begin(t, size[0], size[1], run("touch x"))
		s.armed().Void("first")
		s.typed("e").typed("y").press(tcell.KeyEnter)
		if a := s.answer(); a.Edited == nil || *a.Edited != "touch xy" || a.Reason != "" {
			t.Errorf("%v: %+v", size, a)
		}
	}
}

// A link that is down is said, and comes before the model's own words; what is
// approved all the same fails there.
func TestALinkThatIsDownIsSaid(t *testing.T) {
	for _, size := range sizes {
		s := begin(t, size[0], size[1], run("touch x"))
		s.Link("ssh:web: connection lost since \x1b12:00:00")
		s.draw()
		s.sees("! ssh:web: connection lost")
		s.sees("nod says")
		s.Link("")
		s.draw()
		if text := s.text(); strings.Contains(text, "lost") {
			t.Errorf("%v: %s", size, text)
		}
		s.Link("ssh:web: connection lost")
		s.armed().read().typed("y")
		if !s.approved() {
			t.Errorf("%v: %+v", size, s.answers)
		}
	}
}

func TestEditingIsANewProposal(t *testing.T) {
	s := begin(t, 80, 24, run("rm -rf  x\u202e\nls"))
	s.armed().typed("e").sees("rm -rf··x⟦U+202E⟧")
	s.press(tcell.KeyUp, tcell.KeyEnd, tcell.KeyBackspace, tcell.KeyHome, tcell.KeyRight, tcell.KeyRight, tcell.KeyDelete)
	s.event(tcell.NewEventKey(tcell.KeyEnter, 0, tcell.ModAlt)).paste("-i")
	s.press(tcell.KeyEnter)
	a := s.answer()
	if a.Approved || a.Edited == nil || *a.Edited != "rm\n-i-rf  x\nls" {
		t.Errorf("%+v, %q", a, *a.Edited)
	}
	s = begin(t, 80, 24, run("touch x"))
	s.armed().typed("e").press(tcell.KeyEnter)
	s.waits("nothing was changed")
	write := run("")
	write.Action.Kind, write.Action.Path, write.Action.Diff = tools.Write, "/etc/x", "-a\n+b\n"
	s = begin(t, 80, 24, write)
	s.armed().sees("write /etc/x")
	s.typed("e").typed("q")
	s.waits("a write is not edited here")
}

func TestConversationScopeOnlyWhereOffered(t *testing.T) {
	r := run("touch x")
	s := begin(t, 80, 24, r)
	s.armed().typed("c")
	s.waits("not offered")
	r.Scopes = append(r.Scopes, policy.Conversation)
	s = begin(t, 80, 24, r)
	s.armed().typed("c")
	if a := s.answer(); !a.Approved || a.Scope != policy.Conversation {
		t.Errorf("%+v", a)
	}
}

func TestTooSmallApprovesNothingAndDenies(t *testing.T) {
	s := begin(t, 80, 24, run("touch x"))
	s.armed()
	s.size(20, 5)
	s.armed().wait(time.Minute).typed("y")
	s.waits("too small")
	s.typed("n")
	if s.answer().Approved {
		t.Error("approved")
	}
}

// command reads what would run back from the screen, page by page.
func (s *story) command(width int) string {
	s.t.Helper()
	count := strings.Count(s.Request().Action.Command, "\n") + 1
	indent := max(2, len(fmt.Sprint(count))) + 1
	rows := map[int]string{}
	first := 0
	for {
		lines := s.lines()
		end := 0
		for i, l := range lines {
			if strings.HasPrefix(l, "├") {
				end = i
			}
		}
		for i, l := range lines[1:end] {
			rows[first+i] = string([]rune(l)[2 : width-2])
		}
		if !strings.Contains(s.text(), "more below") {
			break
		}
		s.press(tcell.KeyDown)
		first++
	}
	var text []string
	for i := range len(rows) {
		gutter, rest := rows[i][:indent], strings.TrimRight(rows[i][indent:], " ")
		switch {
		case strings.TrimSpace(gutter) == "+":
			text[len(text)-1] += rest
		case strings.Trim(gutter, " 0123456789") == "" && strings.TrimSpace(gutter) != "": // else it is what nod and the model say
			text = append(text, rest)
		}
	}
	return strings.Join(text, "\n")
}

func TestTheScreenShowsEveryByte(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	alphabet := []string{"a", "b", " ", "  ", "\n", "-", "[red]", "\u202e", "\xff", "⟦", "·", "\t", "日", "e\u0301", "\x1b[2J", "\U0010ffff", "'"}
	for n := range 24 {
		var b strings.Builder
		for range r.IntN(300) {
			b.WriteString(alphabet[r.IntN(len(alphabet))])
		}
		request := run(b.String())
		request.Verdict.Findings = nil
		request.Action.Target, request.Action.User, request.Action.Dir = "local", "", ""
		size := sizes[n%len(sizes)]
		s := begin(t, size[0], size[1], request)
		s.armed()
		got := s.command(size[0])
		for i, line := range strings.Split(got, "\n") {
			back, err := show.Parse(line)
			if err != nil {
				t.Fatalf("line %d: %v\n%s", i+1, err, s.text())
			}
			if want := strings.Split(b.String(), "\n")[i]; back != want {
				t.Fatalf("line %d reads %q, want %q", i+1, back, want)
			}
		}
		if a, b := strings.Count(got, "\n"), strings.Count(b.String(), "\n"); a != b {
			t.Fatalf("%d lines, want %d", a+1, b+1)
		}
	}
}

func TestFindingsStandUnderTheirSpans(t *testing.T) {
	request := run("echo hi && rm -rf /srv/app/releases")
	request.Verdict.Findings = []risk.Finding{{Rule: "rm.recursive", Start: 11, End: 17, Why: "removes files recursively"}}
	request.Disagreement, request.Understated = "the model understated the risk", true
	s := begin(t, 100, 24, request)
	lines := s.lines()
	if at, carets := strings.Index(lines[1], "rm -rf"), strings.Index(lines[2], "^^^^^^ removes files recursively"); at < 0 || at != carets {
		t.Errorf("the carets are at %d, the span at %d\n%s", carets, at, s.text())
	}
	s.sees("! the model understated the risk")
	s.sees("APPROVE on ssh:web-1 (prod) as deploy, in /srv/app")
	s.sees(request.Action.Digest().Short())
	s.sees("HIGH  destroy")
	s = begin(t, 40, 10, request)
	s.sees("rm -rf")
	s.sees("! the model understated the risk")
}

func TestTheModelsWordsAreShownWhereThereIsRoom(t *testing.T) {
	request := run("touch x")
	request.Action.Claim.Why = "the release of last week is kept until the new one has been proved good on all hosts"
	request.Disagreement = "the model sees more in this than nod: it claims that the command changes something"
	s := begin(t, 50, 24, request)
	flat := strings.Join(strings.Fields(strings.ReplaceAll(s.text(), "│", " ")), " ")
	for _, want := range []string{request.Disagreement, "no privesc", "on all hosts\""} {
		if !strings.Contains(flat, want) {
			t.Errorf("no %q on the screen\n%s", want, s.text())
		}
	}
	request.Action.Claim.Why = strings.Repeat("words ", 100)
	s = begin(t, 50, 24, request)
	s.sees("touch x")
	s.sees("wor…")
}

func TestFindingsOfOneKindDoNotHideTheText(t *testing.T) {
	request := run("touch a b c d e f; rm -rf x")
	request.Verdict.Findings = nil
	for i := range 6 {
		request.Verdict.Findings = append(request.Verdict.Findings, risk.Finding{Rule: "write.file", Start: 0, End: 7 + 2*i, Why: "writes a file"})
	}
	request.Verdict.Findings = append(request.Verdict.Findings, risk.Finding{Rule: "rm.recursive", Start: 19, End: 25, Why: "removes files recursively"})
	s := begin(t, 80, 24, request)
	if n := strings.Count(s.text(), "writes a file"); n != 3 {
		t.Errorf("%d of one kind\n%s", n, s.text())
	}
	s.sees("and 3 more of the same kind here; x shows them")
	s.sees("removes files recursively")
	s.armed().typed("x")
	if n := strings.Count(s.text(), "writes a file"); n != 6 {
		t.Errorf("x shows %d\n%s", n, s.text())
	}
}

func BenchmarkDraw(b *testing.B) {
	s := begin(b, 120, 40, run(strings.Repeat("echo a line of a script\n", 500)))
	for b.Loop() {
		s.Draw(s.screen)
	}
}
