package console_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"
	"go.uber.org/goleak"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/backends/vt"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/ui/console"
	"github.com/nod-console/nod/ui/decision"
	"github.com/nod-console/nod/ui/internal/uitest"
)

func TestMain(m *testing.M) {
	// tcell leaves its listener for changes of size behind when the terminal is
	// gone before it can be restored.
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("github.com/gdamore/tcell/v2.(*devTty).Start.func1"))
}

// model is a scripted agent: each prompt runs the step of its name.
type model struct {
	mu      sync.Mutex
	prompts []string
	steps   map[string]func(ctx context.Context, sink agent.Sink) error
}

func (m *model) Submit(ctx context.Context, prompt string, sink agent.Sink) error {
	m.mu.Lock()
	m.prompts = append(m.prompts, prompt)
	step := m.steps[prompt]
	m.mu.Unlock()
	if step == nil {
		sink(agent.Text{Text: "You said: " + prompt})
		sink(agent.Done{Ending: agent.Answered})
		return nil
	}
	return step(ctx, sink)
}

func (m *model) got() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]string(nil), m.prompts...)
}

// untilInterrupted is a turn that goes on until its context ends.
func untilInterrupted(ctx context.Context, sink agent.Sink) error {
	sink(agent.Text{Text: "working on it"})
	<-ctx.Done()
	sink(agent.Done{Ending: agent.Interrupted})
	return ctx.Err()
}

// clock is a clock that only moves when it is told to.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// story is a console with somebody in front of it.
type story struct {
	*uitest.UI
	console *console.Console
	model   *model
	clock   *clock
}

func begin(t *testing.T, cols, rows int, change func(*console.Options)) *story {
	t.Helper()
	s := prepare(t, cols, rows, change)
	s.Run(s.console.Run)
	return s
}

func prepare(t *testing.T, cols, rows int, change func(*console.Options)) *story {
	t.Helper()
	t.Setenv("NO_COLOR", "")
	s := &story{
		UI:    uitest.New(t, cols, rows),
		model: &model{steps: map[string]func(context.Context, agent.Sink) error{}},
		clock: newClock(),
	}
	opt := console.Options{
		Submit: s.model.Submit, Screen: s.Screen(), Now: s.clock.Now,
		Status: console.Status{TargetStatus: console.TargetStatus{Name: "local", Trust: "lab"}, Posture: "ask", Model: "guide"},
	}
	if change != nil {
		change(&opt)
	}
	c, err := console.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	s.console = c
	return s
}

// decide presses a key of a dialog, and no other one for long enough.
func (s *story) decide(name string) *story {
	s.Idle()
	s.clock.Advance(10 * decision.Alone)
	s.Press(name)
	s.clock.Advance(decision.Alone)
	s.Idle()
	return s
}

// terminal is a pane in memory.
type terminal struct {
	mu      sync.Mutex
	term    *vt.Terminal
	changed func()
	typed   []byte
	size    string
	sizes   int
	looked  chan struct{} // holds one: somebody has taken a picture
	state   console.PaneState
}

func newTerminal(text string) *terminal {
	t := &terminal{term: vt.New(vt.Size{Cols: 40, Rows: 10}, vt.Options{Scrollback: 100}), looked: make(chan struct{}, 1)}
	t.write(text)
	return t
}

func (t *terminal) write(text string) {
	t.mu.Lock()
	_, err := t.term.Write([]byte(text))
	changed := t.changed
	t.mu.Unlock()
	if err != nil {
		panic(err)
	}
	if changed != nil {
		changed()
	}
}

func (t *terminal) pane(id, title string) console.Pane {
	return console.Pane{
		ID: id, Title: title,
		Snapshot: func() *vt.Snapshot {
			select {
			case t.looked <- struct{}{}:
			default:
			}
			t.mu.Lock()
			defer t.mu.Unlock()
			return t.term.Snapshot()
		},
		Subscribe: func(changed func()) func() {
			t.mu.Lock()
			defer t.mu.Unlock()
			t.changed = changed
			return func() {
				t.mu.Lock()
				defer t.mu.Unlock()
				t.changed = nil
			}
		},
		Type: func(_ context.Context, p []byte) error {
			t.mu.Lock()
			t.typed = append(t.typed, p...)
			t.mu.Unlock()
			t.write(string(p))
			return nil
		},
		Resize: func(_ context.Context, cols, rows int) {
			t.mu.Lock()
			defer t.mu.Unlock()
			t.size = fmt.Sprintf("%d×%d", cols, rows)
			t.sizes++
		},
		State: func() console.PaneState {
			t.mu.Lock()
			defer t.mu.Unlock()
			return t.state
		},
	}
}

func (t *terminal) got() (typed, size string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.typed), t.size
}

func du(ctx context.Context, sink agent.Sink) error {
	sink(agent.Reasoning{Text: "Let me look."})
	sink(agent.Text{Text: "Looking at the **largest** folders.\n\n"})
	sink(agent.CallProposed{Call: "1", Tool: "run_shell", Arguments: json.RawMessage(`{"command":"du -xh --max-depth=1 /var"}`)})
	sink(agent.CallStarted{Call: "1", Tool: "run_shell", Target: "local", Pane: "%1", Effect: "observe"})
	sink(agent.CallFinished{
		Call: "1", Tool: "run_shell", Outcome: "exited 0", Duration: 812 * time.Millisecond,
		Content: tools.Envelope(time.Time{}, tools.Result{Value: map[string]any{"stdout": "512M\t/var/log\n18G\t/var/lib\n"}}),
	})
	sink(agent.Text{Text: "`/var/lib` takes 18G:\n\n- find what grew\n- free space\n"})
	sink(agent.Usage{Prompt: 1000, Context: 31})
	sink(agent.Done{Ending: agent.Answered})
	return nil
}

func TestTheScreenAtEverySize(t *testing.T) {
	for _, size := range sizes {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			s := prepare(t, size[0], size[1], func(o *console.Options) { o.Notice = "no model yet: nod doctor says how" })
			s.model.steps["why is the disk full?"] = du
			term := newTerminal("deploy@web-1:~$ du -xh --max-depth=1 /var\r\n512M  /var/log\r\n18G   /var/lib\r\ndeploy@web-1:~$ ")
			s.console.AddPane(term.pane("%1", "local · nod/main"))
			s.Run(s.console.Run)
			s.Type("why is the disk full?").Press("Enter").See("free space").Idle()
			s.Golden(fmt.Sprintf("talk-%dx%d", size[0], size[1]))
		})
	}
}

func TestAPromptIsAnswered(t *testing.T) {
	s := begin(t, 80, 24, nil)
	s.Type("hello").Press("Enter").See("> hello").See("◆ You said: hello")
	if x, y, visible := s.Cursor(); !visible || x != 3 || y != 21 {
		t.Errorf("the cursor is at %d,%d (%v)", x, y, visible)
	}
	s.Press("Up").See("> hello")
}

func TestWhatIsSentDuringATurnWaits(t *testing.T) {
	s := begin(t, 80, 24, nil)
	release := make(chan struct{})
	s.model.steps["first"] = func(_ context.Context, sink agent.Sink) error {
		<-release
		sink(agent.Text{Text: "first done"})
		sink(agent.Done{Ending: agent.Answered})
		return nil
	}
	s.Type("first").Press("Enter").See("working")
	s.Type("second").Press("Enter").See("> second  (waits)")
	s.Type("third").Press("Enter").See("> third  (waits)")
	close(release)
	s.See("first done").See("You said: second").See("You said: third").Gone("(waits)")
	if got := strings.Join(s.model.got(), ","); got != "first,second,third" {
		t.Errorf("prompts: %s", got)
	}
}

func TestCtrlCInterruptsTheTurn(t *testing.T) {
	s := begin(t, 80, 24, nil)
	s.model.steps["long"] = untilInterrupted
	s.Type("long").Press("Enter").See("working on it")
	s.Type("later").Press("Enter").See("(waits)").Type("draft")
	s.Press("Ctrl-C").See("interrupted").See("nothing running").See("> later")
	if !strings.Contains(s.Text(), "draft") {
		t.Errorf("the draft is gone:\n%s", s.Text())
	}
	s.Press("Ctrl-C").Gone("draft").Press("Ctrl-C").See("nothing is running; /quit or ^D quits")
	if !s.Running() {
		t.Error("Ctrl-C quit")
	}
}

func TestEscNeverQuits(t *testing.T) {
	s := begin(t, 100, 30, nil)
	s.console.AddPane(newTerminal("$ ").pane("%1", "local"))
	s.Idle().Press("F1").See("help · ").Press("Esc").Gone("help · ")
	s.Press("Tab").See("reading").Press("Tab").See("reading local").Press("Ctrl-O").Gone("chat").Press("Esc").See("chat")
	s.Press("Esc").Gone("reading local")
	s.Press("Esc", "Esc", "Esc").Type("still here").See("> still here")
}

func TestQuitting(t *testing.T) {
	for name, quit := range map[string]func(*story){
		"slash": func(s *story) { s.Type("/quit").Press("Enter") },
		"key":   func(s *story) { s.Press("Ctrl-D") },
		"asked": func(s *story) {
			s.model.steps["long"] = untilInterrupted
			s.Type("long").Press("Enter").See("working on it")
			s.Press("Ctrl-D").See("A turn is running").Press("Enter", " ", "x").See("A turn is running")
			s.Press("n").Gone("A turn is running").Press("Ctrl-D").See("A turn is running").Press("y")
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := begin(t, 80, 24, nil)
			quit(s)
			if err := s.End(); err != nil {
				t.Error(err)
			}
		})
	}
	t.Run("not with a draft", func(t *testing.T) {
		s := begin(t, 80, 24, nil)
		s.Type("draft").Press("Ctrl-D").See("> draft")
	})
}

func TestACommandThatGoesOnIsSeenAndNotEndedUnasked(t *testing.T) {
	s := begin(t, 80, 24, nil)
	s.model.steps["edit"] = func(_ context.Context, sink agent.Sink) error {
		sink(agent.CallProposed{Call: "1", Tool: "run_shell", Arguments: json.RawMessage(`{"command":"vim x"}`)})
		sink(agent.CallStarted{Call: "1", Tool: "run_shell"})
		sink(agent.CallFinished{Call: "1", Tool: "run_shell", IsError: true, Outcome: "running"})
		sink(agent.Done{Ending: agent.Answered})
		return nil
	}
	s.Type("edit").Press("Enter").See("still running").See("1 running")
	s.Press("Ctrl-D").See("A command still runs").Press("n").Gone("A command still runs")
	s.console.RunEnded(agent.RunEnded{Call: "1", Text: "vim x in %0: exited 0"})
	s.See("vim x in %0: exited 0").See("nothing running").Press("Ctrl-D")
	if err := s.End(); err != nil {
		t.Error(err)
	}
}

func TestTheContextEndsTheConsole(t *testing.T) {
	s := begin(t, 80, 24, nil)
	s.model.steps["long"] = untilInterrupted
	s.Type("long").Press("Enter").See("working on it")
	cause := errors.New("terminated")
	s.Cancel(cause)
	if err := s.End(); !errors.Is(err, cause) {
		t.Errorf("%v", err)
	}
}

func TestAPanicIsReturnedAfterRestoring(t *testing.T) {
	s := begin(t, 80, 24, nil)
	s.model.steps["boom"] = func(context.Context, agent.Sink) error { panic("boom") }
	s.Type("boom").Press("Enter")
	var p *console.PanicError
	if err := s.End(); !errors.As(err, &p) || p.Value != "boom" || !strings.Contains(string(p.Stack), "console_test.go") {
		t.Errorf("%v", err)
	}
}

func TestSlashCommands(t *testing.T) {
	var posture string
	s := begin(t, 100, 30, func(o *console.Options) {
		o.SetPosture = func(_ context.Context, p string) error {
			if p == "ask-all" {
				return errors.New("not now")
			}
			posture = p
			return nil
		}
		o.OpenWindow = func(_ context.Context, d time.Duration) error {
			if d == 59*time.Minute {
				return fmt.Errorf("the posture is ask-all: %w", policy.ErrWindowPosture)
			}
			return nil
		}
		o.NewConversation = func(context.Context) error { return nil }
		o.Report = func(context.Context) []string { return []string{"approvals this hour: 3"} }
		o.Resume = &console.Resume{
			LeftOpen: true,
			Title:    "disk of web-1", When: time.Date(2024, 5, 6, 4, 0, 0, 0, time.UTC),
			Accept: func(_ context.Context, prompt func(string), sink agent.Sink) error {
				prompt("an old question")
				sink(agent.Text{Text: "an old answer"})
				return nil
			},
		}
	})
	s.See(`"disk of web-1" was left open 3 hours ago: /resume goes on with it`)
	run := func(line string) *uitest.UI { return s.Type(line).Press("Enter") }
	run("/hlep").See("unknown command /hlep: did you mean /help?")
	for _, bad := range []string{"", "2h", "10", "-3m", "1w", "10 m", "1ms"} {
		run("/approve " + bad).See(fmt.Sprintf(`/approve %q: want ask,`, bad)).See("0 ends that")
	}
	run("/approve 59m").See("the posture is ask-all").See("/approve ask, then /approve 59m")
	run("/approve 10m").See("ask, changes run 10:00").See("changes that can be undone run without asking")
	run("/approve 0s").See("the window is closed").Gone("changes run 10:00")
	run("/approve 10m").See("ask, changes run 10:00")
	run("/approve ask-all").See("/approve ask-all: not now")
	run("/approve read-only").See("posture: read-only").Gone("changes run 10:00")
	if posture != "read-only" || !strings.Contains(s.Row(0), "read-only") {
		t.Errorf("%q; %s", posture, s.Row(0))
	}
	run("/status").See("target: local lab").See("approvals this hour: 3")
	run("/theme").See("› ansi").Press("Esc").Gone("Esc closes")
	run("/theme drak").See(`unknown theme "drak": did you mean "dark"?`)
	before := s.Style(0, 0)
	if run("/theme dark"); s.Style(0, 0) == before {
		t.Error("the theme did not change")
	}
	run("/new").Gone("posture: read-only").See("nothing running")
	run("/resume").See("> an old question").See("◆ an old answer").See("nothing running")
	run("/resume").See("no earlier conversation was left open")
	run("/help").See("help · ").Press("PgDn").Press("Esc")
	if got := s.model.got(); len(got) != 0 {
		t.Errorf("the model got %q", got)
	}
	run("/etc/hosts looks odd").See("You said: /etc/hosts looks odd")
}

func TestAPasteOfAMegabyteIsSentWhole(t *testing.T) {
	s := begin(t, 80, 24, nil)
	got := make(chan string, 1)
	text := strings.Repeat("a line of text\n", 1<<20/15)
	s.Type("> ").Paste(text).Press("Up").See("a line of text")
	s.model.mu.Lock()
	s.model.steps["> "+text] = func(context.Context, agent.Sink) error { got <- "whole"; return nil }
	s.model.mu.Unlock()
	s.Press("Enter")
	select {
	case <-got:
	case <-time.After(time.Minute):
		t.Errorf("the model got %d prompts", len(s.model.got()))
	}
}

func TestTypingIntoATerminal(t *testing.T) {
	s := begin(t, 100, 30, nil)
	term := newTerminal("$ ")
	s.console.AddPane(term.pane("%1", "local"))
	s.Idle().See("$").Type("draft")
	s.Press("Ctrl-]").See("typing into local").Type("ls?").Press("Tab", "Esc", "F1", "Ctrl-C", "Ctrl-D")
	s.Press("Ctrl-]").Gone("typing into local").See("> draft").Type("!").See("> draft!").See("ls?")
	wait(t, func() bool { typed, _ := term.got(); return typed == "ls?\t\x1b\x1bOP\x03\x04" }, func() string {
		typed, _ := term.got()
		return fmt.Sprintf("typed %q", typed)
	})
	if _, size := term.got(); size != "53×26" {
		t.Errorf("the terminal was given %s", size)
	}
	s.console.RemovePane("%1")
	s.Idle().Press("Ctrl-]").See("there is no terminal yet")
}

// Who types into a terminal when a dialog comes up types on, however long he
// has paused: the dialog takes keys only after the key that leaves the terminal.
func TestADialogTakesNoKeysFromWhoTypesIntoATerminal(t *testing.T) {
	for _, size := range [][2]int{{100, 30}, {40, 10}} {
		s := begin(t, size[0], size[1], nil)
		term := newTerminal("$ ")
		s.console.AddPane(term.pane("%1", "local"))
		s.Idle().Press("Ctrl-]").See("typing into")
		answers := s.ask(t.Context(), request("run", "touch x"))
		s.See("^] answers")
		s.clock.Advance(10 * time.Second)
		s.Idle().Type("cy").Press("Enter").See("^] answers")
		wait(t, func() bool { typed, _ := term.got(); return typed == "cy\r" }, func() string {
			typed, _ := term.got()
			return fmt.Sprintf("typed %q", typed)
		})
		s.Press("Ctrl-]").See("touch x").Gone("typing into").Press("y").See("touch x") // not read yet
		s.clock.Advance(10 * time.Second)
		// And back again, as often as one likes.
		s.Idle().Press("Ctrl-]").See("^] answers").Type("z").Press("Ctrl-]").See("touch x")
		s.clock.Advance(10 * time.Second)
		s.decide("n")
		if a := answer(t, answers); a.Approved {
			t.Errorf("%v: %+v", size, a)
		}
	}
}

func TestRemovingAPaneNeverMovesTheKeysToAnother(t *testing.T) {
	s := begin(t, 100, 40, nil)
	terms := []*terminal{newTerminal("a"), newTerminal("b"), newTerminal("c")}
	for i, term := range terms {
		s.console.AddPane(term.pane(fmt.Sprint(i), fmt.Sprintf("t%d", i)))
	}
	s.Idle().Press("Tab", "Tab", "Tab", "Enter").See("typing into t1").Type("x")
	s.console.RemovePane("0")
	s.Idle().See("typing into t1").Type("y")
	// Keys that are on their way to a terminal end with it.
	wait(t, func() bool { typed, _ := terms[1].got(); return typed == "xy" }, func() string { return "t1 got other keys" })
	s.console.RemovePane("1")
	s.Idle().Gone("typing into").Type("z").See("> z")
	if typed, _ := terms[1].got(); typed != "xy" {
		t.Errorf("t1 got %q", typed)
	}
	if typed, _ := terms[2].got(); typed != "" {
		t.Errorf("t2 got %q", typed)
	}
}

func request(id, command string) policy.Request {
	return policy.Request{
		ID: id, Trust: policy.Lab, Scopes: []policy.Scope{policy.Once},
		Action: tools.Action{Tool: "run_shell", Kind: tools.Run, Target: "local", Command: command},
	}
}

// ask asks for an approval in the background.
func (s *story) ask(ctx context.Context, r policy.Request) <-chan policy.Answer {
	answers := make(chan policy.Answer, 1)
	go func() {
		a, err := s.console.Approver().Approve(ctx, r)
		if err != nil {
			a = policy.Answer{Reason: err.Error()}
		}
		answers <- a
	}()
	return answers
}

func answer(t *testing.T, answers <-chan policy.Answer) policy.Answer {
	t.Helper()
	select {
	case a := <-answers:
		return a
	case <-time.After(time.Minute):
		t.Fatal("no answer")
		return policy.Answer{}
	}
}

func TestAnApprovalStandsBesideTheTerminal(t *testing.T) {
	s := begin(t, 120, 40, nil)
	s.console.AddPane(newTerminal("a live prompt $ ").pane("%1", "local"))
	s.Idle().Type("my draft")
	first := s.ask(t.Context(), request("1", "touch /tmp/one"))
	s.See("touch /tmp/one").See("1 waiting").See("a live prompt $")
	second := s.ask(t.Context(), request("2", "touch /tmp/two"))
	s.See("2 waiting").See("touch /tmp/one").Gone("touch /tmp/two")
	s.Press("y").See("touch /tmp/one") // too early
	s.clock.Advance(5 * time.Second)
	s.decide("y")
	if a := answer(t, first); !a.Approved || a.RequestID != "1" {
		t.Errorf("%+v", a)
	}
	s.See("touch /tmp/two").See("1 waiting")
	s.clock.Advance(5 * time.Second)
	s.decide("n").Gone("touch /tmp/two").See("> my draft")
	if a := answer(t, second); a.Approved {
		t.Errorf("%+v", a)
	}
}

func TestAWithdrawnRequestDisappears(t *testing.T) {
	s := begin(t, 80, 24, nil)
	ctx, cancel := context.WithCancel(t.Context())
	answers := s.ask(ctx, request("1", "touch /tmp/one"))
	s.See("touch /tmp/one")
	cancel()
	if a := answer(t, answers); a.Approved {
		t.Errorf("%+v", a)
	}
	s.Gone("touch /tmp/one")
}

func TestTheEndDeniesWhatWaits(t *testing.T) {
	s := begin(t, 80, 24, nil)
	answers := s.ask(context.Background(), request("1", "touch /tmp/one"))
	s.See("touch /tmp/one").Cancel(errors.New("over"))
	if a := answer(t, answers); a.Approved || a.Reason == "" {
		t.Errorf("%+v", a)
	}
	if a := answer(t, s.ask(context.Background(), request("2", "x"))); a.Approved || a.Reason == "" {
		t.Errorf("after the end: %+v", a)
	}
}

func TestTheMouseScrollsAndMovesTheKeyboardAndNeverApproves(t *testing.T) {
	s := begin(t, 120, 40, nil)
	s.console.AddPane(newTerminal("$ ").pane("%1", "local"))
	for i := range 60 {
		s.console.Notify(fmt.Sprintf("line %d.", i))
	}
	s.See("line 59.").Mouse(5, 10, tcell.WheelUp).Gone("line 59.").See("scrolled up")
	s.Mouse(5, 10, tcell.WheelDown).See("line 59.")
	s.Mouse(80, 10, tcell.Button1).Mouse(80, 10, tcell.ButtonNone).See("reading local")
	s.Mouse(5, 10, tcell.Button1).Mouse(5, 10, tcell.ButtonNone).Gone("reading local").See("reading").See("▌")
	s.Mouse(5, 37, tcell.Button1).Mouse(5, 37, tcell.ButtonNone).Gone("reading").Type("x").See("> x")
	answers := s.ask(t.Context(), request("1", "touch /tmp/one"))
	s.See("touch /tmp/one")
	s.clock.Advance(time.Minute)
	for y := 0; y < 40; y += 2 {
		for x := 0; x < 120; x += 8 {
			s.Mouse(x, y, tcell.Button1).Mouse(x, y, tcell.ButtonNone)
		}
	}
	s.See("touch /tmp/one")
	select {
	case a := <-answers:
		t.Errorf("the mouse answered: %+v", a)
	default:
	}
}

func TestHelpOverADialogStartsItsGuardAnew(t *testing.T) {
	s := begin(t, 80, 24, nil)
	answers := s.ask(t.Context(), request("1", "touch /tmp/one"))
	s.See("touch /tmp/one")
	s.clock.Advance(time.Minute)
	s.Press("F1").See("help · ").Press("Esc").See("touch /tmp/one").Press("y").See("touch /tmp/one")
	s.clock.Advance(time.Minute)
	s.decide("y").Gone("touch /tmp/one")
	if a := answer(t, answers); !a.Approved {
		t.Errorf("%+v", a)
	}
}

func TestNothingIsDrawnWhileNothingHappens(t *testing.T) {
	s := begin(t, 120, 40, nil)
	s.Type("hello").Press("Enter").See("You said: hello").See("nothing running").Idle()
	frames := s.Frames()
	time.Sleep(300 * time.Millisecond)
	if n := s.Frames() - frames; n != 0 {
		t.Errorf("%d frames while nothing happened", n)
	}
}

func TestAFloodIsCoalescedAndNothingElseIsLost(t *testing.T) {
	s := begin(t, 80, 24, nil)
	const n = 20_000
	s.model.steps["flood"] = func(_ context.Context, sink agent.Sink) error {
		for i := range n {
			sink(agent.Text{Text: "x"})
			if i%1000 == 999 {
				sink(agent.Notice{Text: fmt.Sprintf("notice %d", i/1000)})
			}
		}
		sink(agent.Done{Ending: agent.Answered})
		return nil
	}
	s.Type("flood").Press("Enter").See("notice 19").See("nothing running").Press("Ctrl-Home").See("> flood")
	for i := range 20 {
		for range 40 {
			if strings.Contains(s.Text(), fmt.Sprintf("notice %d", i)) {
				break
			}
			s.Press("PgDn")
		}
		s.See(fmt.Sprintf("notice %d", i))
	}
}

func TestAResizeKeepsEverything(t *testing.T) {
	s := begin(t, 120, 40, nil)
	s.console.AddPane(newTerminal("$ prompt").pane("%1", "local"))
	s.Type("hello").Press("Enter").See("You said: hello").Type("draft")
	for _, size := range [][2]int{{40, 10}, {20, 4}, {1, 1}, {200, 60}, {80, 23}, {80, 24}} {
		s.Resize(size[0], size[1])
	}
	s.See("You said: hello").See("> draft").See("$ prompt")
}

func wait(t *testing.T, ok func() bool, what func() string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal(what())
		}
	}
}
