package plain_test

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
	"go.uber.org/goleak"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/lockout"
	"github.com/nod-console/nod/tools/risk"
	"github.com/nod-console/nod/ui/console"
	"github.com/nod-console/nod/ui/overview"
	"github.com/nod-console/nod/ui/plain"
	"github.com/nod-console/nod/ui/targets"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// story is a conversation on a real pseudo terminal.
type story struct {
	*plain.Conversation
	t      *testing.T
	master *os.File
	ended  chan error

	mu   sync.Mutex
	text string
	news chan struct{}
}

func begin(t *testing.T, opt console.Options) *story {
	t.Helper()
	master, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	s := &story{t: t, master: master, ended: make(chan error, 1), news: make(chan struct{})}
	read := make(chan struct{})
	go s.listen(read)
	if opt.Submit == nil {
		opt.Submit = echo
	}
	if s.Conversation, err = plain.New(opt, tty, policy.NewTerminal(tty)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan struct{})
	go func() {
		defer close(over)
		s.ended <- s.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-over
		if err := errors.Join(tty.Close(), master.Close()); err != nil {
			t.Error(err)
		}
		<-read
	})
	return s
}

func echo(_ context.Context, prompt string, sink agent.Sink) error {
	sink(agent.Text{Text: "You said: " + prompt})
	sink(agent.Done{Ending: agent.Answered})
	return nil
}

func (s *story) listen(done chan struct{}) {
	defer close(done)
	buf := make([]byte, 4096)
	for {
		n, err := s.master.Read(buf)
		s.mu.Lock()
		s.text += strings.ReplaceAll(string(buf[:n]), "\r", "")
		close(s.news)
		s.news = make(chan struct{})
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// see waits for a text, and forgets what came up to its end.
func (s *story) see(text string) string {
	s.t.Helper()
	timeout := time.After(time.Minute)
	for {
		s.mu.Lock()
		at, news := strings.Index(s.text, text), s.news
		if at >= 0 {
			before := s.text[:at]
			s.text = s.text[at+len(text):]
			s.mu.Unlock()
			return before
		}
		all := s.text
		s.mu.Unlock()
		select {
		case <-news:
		case <-timeout:
			s.t.Fatalf("%q did not come; there is\n%s", text, all)
		}
	}
}

func (s *story) write(text string) {
	s.t.Helper()
	if _, err := io.WriteString(s.master, text); err != nil {
		s.t.Fatal(err)
	}
}

func (s *story) end() error {
	s.t.Helper()
	select {
	case err := <-s.ended:
		s.ended <- err
		return err
	case <-time.After(time.Minute):
		s.t.Fatal("it does not end")
		return nil
	}
}

func TestATurnInLines(t *testing.T) {
	s := begin(t, console.Options{Notice: "No model.", Submit: func(_ context.Context, prompt string, sink agent.Sink) error {
		for _, e := range []agent.Event{
			agent.Text{Text: "Looking at " + prompt}, agent.Text{Text: ":\nfirst\x1b[2J\nthe "}, agent.Text{Text: "disk"},
			agent.CallStarted{Call: "1", Tool: "run_shell", Target: "local", Pane: "%0", Effect: "observe", Action: tools.Action{Command: "df -h\ndf -i"}},
			agent.CallFinished{Call: "1", Tool: "run_shell", Outcome: "exited 0", Duration: 12e6,
				Content: tools.Envelope(time.Unix(0, 0), tools.Result{Value: map[string]any{"stdout": "a\x1b]0;x\a\nb  \n"}})},
			agent.CallFinished{Call: "2", Tool: "run_shell", Denied: true, IsError: true,
				Content: tools.Envelope(time.Unix(0, 0), tools.Result{Value: map[string]any{"error": "denied by policy: no"}})},
			agent.Text{Text: "Done."}, agent.Done{Ending: agent.Answered},
		} {
			sink(e)
		}
		return nil
	}})
	s.see("note: No model.\n")
	s.see("you: ")
	s.write("the disk\n")
	s.see("the disk\n")
	got := s.see("you: ")
	want := "nod: Looking at the disk:\n     first␛[2J\n     the disk\n" +
		"run: run_shell on local, pane %0 (observe): df -h\n     df -i\n" +
		"end: exit 0, 12 ms, 2 lines\n  | a␛]0;x␇\n  | b\n" +
		"end: denied, denied by policy: no\nnod: Done.\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	s.write("\x04")
	if err := s.end(); err != nil {
		t.Error(err)
	}
}

func request(id string) policy.Request {
	return policy.Request{ID: id, Action: tools.Action{Tool: "run_shell", Kind: tools.Exec, Target: "local", Command: "reboot"}, Scopes: []policy.Scope{policy.Once}}
}

// What is typed before a question approves nothing, and neither does anything but
// a yes behind it.
func TestApprovalsAreAskedInLines(t *testing.T) {
	answers := make(chan policy.Answer, 1)
	var s *story
	asked := make(chan struct{})
	s = begin(t, console.Options{Submit: func(ctx context.Context, _ string, sink agent.Sink) error {
		<-asked
		a, err := s.Approver().Approve(ctx, request("1"))
		answers <- a
		sink(agent.Done{})
		return err
	}})
	for _, c := range []struct {
		early, late string
		want        bool
	}{{"y\ny\ny", "\n", false}, {"", "y\n", true}, {"", "Y\n", false}, {"yes\n", "yes\n", true}} {
		s.see("you: ")
		s.write("go\n")
		s.see("go\n")
		s.write(c.early)
		if c.early != "" {
			s.see(strings.TrimRight(c.early, "\n"))
		}
		asked <- struct{}{}
		s.see("APPROVE on local")
		s.see("run it? [y/N] ")
		s.write(c.late)
		if a := <-answers; a.Approved != c.want {
			t.Errorf("%q, then %q: approved %v", c.early, c.late, a.Approved)
		}
	}
}

// A question that comes while a prompt is being written takes the input, and the
// prompt is asked for again.
// TestSubAgentsAskAtTheSameTime: each approval says whose it is and stands alone, what
// the others do meanwhile comes behind the answer, and no answer is for two of them.
func TestSubAgentsAskAtTheSameTime(t *testing.T) {
	const both = 2
	answers := make(chan policy.Answer, both)
	var s *story
	asked := make(chan struct{})
	var sink agent.Sink
	s = begin(t, console.Options{Submit: func(ctx context.Context, _ string, events agent.Sink) error {
		sink = events
		close(asked)
		var all sync.WaitGroup
		for _, name := range []string{"one", "two"} {
			all.Go(func() {
				a := tools.Action{Kind: tools.Exec, Command: "mkdir /srv/" + name, Target: "local", Dialect: "sh"}
				answer, err := s.Approver().Approve(ctx, policy.Request{ID: name, Action: a, Agent: name, Verdict: risk.Command(a.Command, risk.POSIX)})
				if err != nil {
					t.Error(err)
				}
				answers <- answer
			})
		}
		all.Wait()
		events(agent.Done{Ending: agent.Answered})
		return nil
	}})
	s.write("make them\n")
	<-asked
	seen := map[string]bool{}
	for n := range both {
		text := s.see("run it? [y/N] ")
		whose := "one"
		if strings.Contains(text, "for the sub-agent two") {
			whose = "two"
		}
		if !strings.Contains(text, "APPROVE on local for the sub-agent "+whose) || strings.Count(text, "APPROVE") != 1 || !strings.Contains(text, "mkdir /srv/"+whose) || seen[whose] {
			t.Errorf("question %d:\n%s", n, text)
		}
		seen[whose] = true
		sink(agent.Notice{Text: "something else happens"})
		sink(agent.Text{Text: "and half a "})
		s.write("y\n")
		answer := <-answers
		if answer.RequestID != whose || !answer.Approved {
			t.Errorf("%+v", answer)
		}
		if before := s.see("note: something else happens\n"); strings.TrimSpace(before) != "y" {
			t.Errorf("behind the question stands %q", before)
		}
	}
	s.see("you: ")
}

func TestAQuestionTakesTheInputFromThePrompt(t *testing.T) {
	s := begin(t, console.Options{})
	for range 20 {
		s.see("you: ")
		s.write("half a pro")
		s.see("half a pro")
		answer := make(chan policy.Answer, 1)
		go func() {
			a, err := s.Approver().Approve(context.Background(), request("2"))
			if err != nil {
				t.Error(err)
			}
			answer <- a
		}()
		s.see("run it? [y/N] ")
		s.write("y\n")
		if a := <-answer; !a.Approved {
			t.Error("what was begun before spoilt the answer")
		}
		s.see("you: ")
		s.Notify("news")
		s.see("note: news\nyou: ")
		s.write("hello\n")
		s.see("nod: You said: hello\n")
	}
}

func TestInterruptEndsTheTurnOnly(t *testing.T) {
	begun := make(chan struct{})
	s := begin(t, console.Options{Submit: func(ctx context.Context, _ string, sink agent.Sink) error {
		close(begun)
		<-ctx.Done()
		sink(agent.Notice{Text: "interrupted by the operator"})
		sink(agent.Done{Ending: agent.Interrupted})
		return ctx.Err()
	}})
	s.see("you: ")
	s.Interrupt()
	s.see("note: nothing is running")
	s.write("wait\n")
	<-begun
	s.Interrupt()
	s.see("note: interrupted by the operator\nyou: ")
}

// ^C at a question withdraws it, and the conversation goes on.
func TestInterruptAtAQuestion(t *testing.T) {
	var s *story
	s = begin(t, console.Options{Submit: func(ctx context.Context, prompt string, sink agent.Sink) error {
		if prompt != "ask" {
			return echo(ctx, prompt, sink)
		}
		_, err := s.Approver().Approve(ctx, request("3"))
		return err
	}})
	for range 10 {
		s.see("you: ")
		s.write("ask\n")
		s.see("run it? [y/N] ")
		s.Interrupt()
		s.see("withdrawn")
		s.see("you: ")
		s.write("hello\n")
		s.see("nod: You said: hello\n")
	}
}

func TestCommandsInLines(t *testing.T) {
	posture, used := "", ""
	s := begin(t, console.Options{
		Status:          console.Status{TargetStatus: console.TargetStatus{Name: "local"}, Posture: "ask", Model: "guide"},
		SetPosture:      func(_ context.Context, word string) error { posture = word; return nil },
		NewConversation: func(context.Context) error { return errors.New("not now") },
		Command: func(_ context.Context, command string, sink agent.Sink) error {
			sink(agent.Text{Text: "ran " + command})
			return nil
		},
		Undo:     func(context.Context) (string, error) { return "/x is as it was", nil },
		Undoable: func(context.Context) ([]string, error) { return nil, nil },
		Overview: &console.Overview{Look: func(context.Context) ([]overview.Tile, error) {
			return []overview.Tile{
				{Name: "local", State: targets.Connected, Load: overview.Gauge{Known: true, Text: "0.42 of 4"}},
				{Name: "ssh:web-1", Trust: "prod", State: targets.Lost},
			}, nil
		}},
		Report: func(context.Context) []string { return []string{"record   /x"} },
		Targets: &console.Targets{
			List: func() []targets.Target {
				return []targets.Target{{Name: "local", State: targets.Connected, Current: true}, {Name: "ssh:web-1", Trust: "prod", Detail: "10.0.0.1"}, {Name: "docker:api", Word: "paused"}}
			},
			Use: func(_ context.Context, name string) error { used = name; return nil },
		},
		Resume: &console.Resume{Title: "disk", LeftOpen: true, Accept: func(_ context.Context, prompt func(string), sink agent.Sink) error {
			prompt("why?")
			sink(agent.Text{Text: "because"})
			return nil
		}},
	})
	s.see(`"disk" was left open`)
	for _, c := range [][2]string{
		{"/hlep", "did you mean /help?"}, {"/help", "/approve ask|ask-all|read-only|10m: say"},
		{"/status", "target: local\n     posture: ask\n     model: guide\n     record   /x\n"},
		{"/approve read-only", "note: posture: read-only\n"}, {"/status", "posture: read-only"},
		{"/theme dark", "fault: /theme needs the full screen\n     /help"},
		{"/target", "note: local, connected, current\n     ssh:web-1 (prod), 10.0.0.1\n     docker:api, paused\n"}, {"/target web-1", "you: "},
		{"/overview", "note: 2 connected targets, what needs you first:\n     ssh:web-1 (prod), lost, no figures\n     local, connected, load 0.42 of 4\n"},
		{"/undo", "note: /x is as it was\n"}, {"/undo list", "note: there is nothing to take back\n"}, {"/undo it", `fault: /undo "it": want`},
		{"!uptime", "nod: ran uptime\n"}, {"/new", "fault: /new: not now"}, {"/resume", "you: why?\nnod: because\n"}, {"/resume", "no earlier conversation"},
		{"/etc/passwd is odd", "nod: You said: /etc/passwd is odd\n"}, {"  ", "you: "},
	} {
		s.see("you: ")
		s.write(c[0] + "\n")
		s.see(c[0] + "\n")
		s.see(c[1])
		if c[1] == "you: " {
			s.write("\n") // it asks again already
		}
	}
	if posture != "read-only" || used != "web-1" {
		t.Errorf("%q, %q", posture, used)
	}
	s.SetTarget(console.TargetStatus{Name: "ssh:web-1", Trust: "prod", State: "connecting"})
	s.see("note: target: ssh:web-1 (prod), connecting\n")
	s.SetAlarm("the disk is full", true)
	s.see("fault: the disk is full\n")
	s.SetAlarm("the disk is full", true)
	s.SetAlarm("", false)
	s.see("note: over: the disk is full\n")
	s.write("/quit\n")
	if err := s.end(); err != nil {
		t.Error(err)
	}
}

func TestQuittingAsksWhileACommandRuns(t *testing.T) {
	s := begin(t, console.Options{Submit: func(_ context.Context, _ string, sink agent.Sink) error {
		sink(agent.CallFinished{Call: "1", Outcome: "running", Content: "{}"})
		return nil
	}})
	s.see("you: ")
	s.write("go\n")
	s.see("you: ")
	s.write("/quit\n")
	s.see("Write yes to quit.")
	s.see("you: ")
	s.write("no\n")
	s.see("you: ")
	s.RunEnded(agent.RunEnded{Call: "1", Text: "sleep: exited 0"})
	s.see("end: sleep: exited 0\nyou: ")
	s.write("/quit\n")
	if err := s.end(); err != nil {
		t.Error(err)
	}
}

// What is told while an answer streams stands between its lines, or behind it, and the
// end of a run is told once.
func TestNoticesStandOutsideAStreamingAnswer(t *testing.T) {
	var s *story
	s = begin(t, console.Options{Submit: func(_ context.Context, _ string, sink agent.Sink) error {
		ended := agent.RunEnded{Call: "1", Text: "make: exited 2"}
		sink(agent.CallFinished{Call: "1", Outcome: "running", Content: "{}"})
		sink(agent.Text{Text: "one\ntw"})
		s.RunEnded(ended)
		s.Notify("the link is back")
		s.SetAlarm("the disk is full", true)
		sink(agent.Text{Text: "o\nthree"})
		sink(agent.CallFinished{Call: "2", Outcome: "exited 0", Content: "{}"})
		sink(ended)
		sink(agent.Done{})
		return nil
	}})
	s.see("you: ")
	s.write("go\n")
	s.see("nod: one\nnote: the link is back\nfault: the disk is full\nnod: two\n     three\nend: make: exited 2\nend: exit 0\nyou: ")
	s.write("/quit\n") // nothing runs any more
	if err := s.end(); err != nil {
		t.Error(err)
	}
}

func TestQuittingAsksWhileARevertIsArmed(t *testing.T) {
	s := begin(t, console.Options{})
	s.see("you: ")
	s.Reverting(agent.Reverting{ID: "1", Due: time.Now().Add(time.Minute), Text: "revert armed"})
	s.see("note: revert armed\n")
	s.write("/quit\n")
	s.see("A revert is armed. It will come if you quit. Write yes to quit.")
	s.see("you: ")
	s.write("no\n")
	s.see("you: ")
	s.Reverting(agent.Reverting{ID: "1", Over: true, Text: "revert cancelled"})
	s.see("note: revert cancelled\n")
	s.write("/quit\n")
	if err := s.end(); err != nil {
		t.Error(err)
	}
}

// A question in lines takes what the dialog takes: here, the revert.
func TestAnApprovalWithARevertInLines(t *testing.T) {
	a := tools.Action{Kind: tools.Run, Command: "ip route del default", Target: "ssh:web-1", Dialect: "bash"}
	r := policy.Request{ID: "1", Action: a, Confirm: a.Target, Verdict: risk.Command(a.Command, risk.Bash)}
	if r.Revert, _ = lockout.For(a, r.Verdict, time.Minute); r.Revert == nil {
		t.Fatal("no revert")
	}
	answers := make(chan policy.Answer, 1)
	var s *story
	s = begin(t, console.Options{Submit: func(ctx context.Context, _ string, sink agent.Sink) error {
		answer, err := s.Approver().Approve(ctx, r)
		answers <- answer
		sink(agent.Done{Ending: agent.Answered})
		return err
	}})
	s.see("you: ")
	s.write("go\n")
	s.see("type the target's name (ssh:web-1): ")
	s.write("x\n")
	s.see("Armed by:")
	s.see("type the target's name (ssh:web-1): ")
	s.write("r ssh:web-1\n")
	if got := <-answers; !got.Approved || !got.Revert || got.Typed != a.Target {
		t.Errorf("%+v", got)
	}
	s.see("you: ")
}

func TestLongOutputIsCutInTheMiddle(t *testing.T) {
	var all strings.Builder
	for range 200 {
		all.WriteString("line\n")
	}
	s := begin(t, console.Options{Submit: func(_ context.Context, _ string, sink agent.Sink) error {
		sink(agent.CallFinished{Call: "1", Outcome: "exited 0", Content: tools.Envelope(time.Unix(0, 0), tools.Result{Value: map[string]any{"stdout": all.String()}})})
		return nil
	}})
	s.see("you: ")
	s.write("go\n")
	s.see("go\n")
	got := s.see("you: ")
	if n := strings.Count(got, "  | line\n"); n != 80 || !strings.Contains(got, "  … 120 lines left out\n") {
		t.Errorf("%d lines of\n%s", n, got)
	}
}
