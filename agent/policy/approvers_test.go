package policy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/lockout"
	"github.com/nod-console/nod/tools/risk"
)

// until waits for a condition.
func until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

func TestQueueShowsOneAtATimeAndTakesOneAnswer(t *testing.T) {
	q := NewQueue(nil)
	const n = 20
	var wg sync.WaitGroup
	answers := make([]Answer, n)
	for i := range n {
		wg.Go(func() {
			a, err := q.Approve(context.Background(), Request{ID: fmt.Sprint(i)})
			if err != nil {
				t.Error(err)
			}
			answers[i] = a
		})
		until(t, "it waits", func() bool { _, w := q.Visible(); return w == i+1 })
		if r, _ := q.Visible(); r.ID != "0" {
			t.Fatalf("request %s took the place of 0", r.ID)
		}
	}
	for i := range n {
		id := fmt.Sprint(i)
		if q.Answer(Answer{RequestID: fmt.Sprint(i + 1), Approved: true}) {
			t.Error("an answer to a request that is not visible counted")
		}
		if r, _ := q.Visible(); r.ID != id {
			t.Fatalf("visible is %s, want %s", r.ID, id)
		}
		if !q.Answer(Answer{RequestID: id, Approved: i%2 == 0}) {
			t.Error("the answer did not count")
		}
		if q.Answer(Answer{RequestID: id, Approved: true}) {
			t.Error("a second answer counted")
		}
	}
	wg.Wait()
	for i, a := range answers {
		if a.RequestID != fmt.Sprint(i) || a.Approved != (i%2 == 0) {
			t.Errorf("request %d got %+v", i, a)
		}
	}
}

func TestQueueCancelAndClose(t *testing.T) {
	q := NewQueue(nil)
	ctx, cancel := context.WithCancel(t.Context())
	errs := make(chan error)
	wait := func(ctx context.Context, id string) {
		_, err := q.Approve(ctx, Request{ID: id})
		errs <- err
	}
	go wait(ctx, "a")
	until(t, "a waits", func() bool { _, w := q.Visible(); return w == 1 })
	go wait(t.Context(), "b")
	until(t, "b waits", func() bool { _, w := q.Visible(); return w == 2 })
	cancel()
	if err := <-errs; !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if r, n := q.Visible(); r.ID != "b" || n != 1 {
		t.Errorf("visible is %q of %d", r.ID, n)
	}
	if q.Answer(Answer{RequestID: "a", Approved: true}) {
		t.Error("an answer to a withdrawn request counted")
	}
	q.Close()
	if err := <-errs; !errors.Is(err, ErrQueueClosed) {
		t.Errorf("%v", err)
	}
	if _, err := q.Approve(t.Context(), Request{ID: "c"}); !errors.Is(err, ErrQueueClosed) {
		t.Errorf("%v", err)
	}
}

func TestACancelledWaitDenies(t *testing.T) {
	q := NewQueue(nil)
	s := engine(t, Options{Approver: q})
	ctx, cancel := context.WithCancel(t.Context())
	p := command("touch x")
	p.Asked = func(Request) { cancel() }
	d, err := s.Decide(ctx, p)
	if !errors.Is(err, context.Canceled) || d.Allowed || d.How != DeniedByCancel {
		t.Errorf("%+v, %v", d, err)
	}
	s.proved(t, p, d)
}

// tty is both ends of a terminal for NewTerminal. deadlines says whether reads
// can be interrupted.
func tty(t *testing.T, deadlines bool) (rw io.ReadWriter, operator net.Conn) {
	t.Helper()
	ours, theirs := net.Pipe()
	t.Cleanup(func() { _ = ours.Close(); _ = theirs.Close() }) // a pipe's Close cannot fail
	if deadlines {
		return ours, theirs
	}
	return struct {
		io.Reader
		io.Writer
	}{ours, ours}, theirs
}

// expect reads from the operator's side until the text ends so.
func expect(t *testing.T, operator net.Conn, end string) string {
	t.Helper()
	_ = operator.SetReadDeadline(time.Now().Add(10 * time.Second)) // a pipe takes deadlines
	var got strings.Builder
	b := make([]byte, 1)
	for !strings.HasSuffix(got.String(), end) {
		if _, err := operator.Read(b); err != nil {
			t.Fatalf("%v after %q", err, got.String())
		}
		got.Write(b)
	}
	return got.String()
}

func TestTerminal(t *testing.T) {
	for _, c := range []struct {
		confirm, typed string
		want           bool
	}{
		{"", "y\n", true}, {"", "yes\r\n", true}, {"", "\n", false}, {"", "n\n", false}, {"", "Y \n", false}, {"", "yy\n", false},
		{"local", "y\n", false}, {"local", "local\n", true}, {"local", "loca\n", false}, {"local", "\n", false},
	} {
		rw, operator := tty(t, true)
		term := NewTerminal(rw)
		result := make(chan Answer)
		go func() {
			a, err := term.Approve(context.Background(), Request{
				ID: "1", Confirm: c.confirm, Action: tools.Action{Kind: tools.Run, Command: "ls \u202e", Target: "local"},
			})
			if err != nil {
				t.Error(err)
			}
			result <- a
		}()
		end := "[y/N] "
		if c.confirm != "" {
			end = "): "
		}
		if text := expect(t, operator, end); !strings.Contains(text, "ls ⟦U+202E⟧") || strings.ContainsRune(text, '\u202e') {
			t.Errorf("the question is %q", text)
		}
		if _, err := operator.Write([]byte(c.typed)); err != nil {
			t.Fatal(err)
		}
		if a := <-result; a.Approved != c.want || a.RequestID != "1" {
			t.Errorf("confirm %q, typed %q: %+v", c.confirm, c.typed, a)
		}
	}
}

func TestTerminalEndOfInputDenies(t *testing.T) {
	for _, typed := range []string{"", "y", "yes"} {
		term := NewTerminal(struct {
			io.Reader
			io.Writer
		}{strings.NewReader(typed), io.Discard})
		if a, err := term.Approve(t.Context(), Request{ID: "1"}); err != nil || a.Approved {
			t.Errorf("%q: %+v, %v", typed, a, err)
		}
	}
}

func TestTerminalLateLineAnswersNothing(t *testing.T) {
	for _, deadlines := range []bool{true, false} {
		rw, operator := tty(t, deadlines)
		term := NewTerminal(rw)
		ctx, cancel := context.WithCancel(t.Context())
		result := make(chan error)
		go func() { _, err := term.Approve(ctx, Request{ID: "1"}); result <- err }()
		expect(t, operator, "[y/N] ")
		cancel()
		expect(t, operator, "withdrawn\n")
		if err := <-result; !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
		answers := make(chan Answer)
		go func() {
			a, err := term.Approve(t.Context(), Request{ID: "2"})
			if err != nil {
				t.Error(err)
			}
			answers <- a
		}()
		expect(t, operator, "[y/N] ")
		if !deadlines {
			// The reader of the first question is still there and gets this.
			if _, err := operator.Write([]byte("y\n")); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := operator.Write([]byte("n\n")); err != nil {
			t.Fatal(err)
		}
		if a := <-answers; a.Approved {
			t.Errorf("deadlines %t: a line for the first question approved the second", deadlines)
		}
	}
}

func TestSectionsCoverWhatTheActionWouldDo(t *testing.T) {
	for _, c := range []struct {
		action tools.Action
		want   []string
	}{
		{tools.Action{Kind: tools.Exec, Command: "cat", Stdin: []byte("in")}, []string{"cat", "in"}},
		{tools.Action{Kind: tools.Type, Pending: "rm ", Literal: "-rf x", Keys: []string{"C-a", "two words"}, Enter: true}, []string{"rm ", "-rf x", `C-a "two words" Enter`}},
		{tools.Action{Kind: tools.Type, Busy: "apt upgrade", Literal: "y", Enter: true, Wait: time.Minute}, []string{"y", "Enter", "apt upgrade", "1m0s"}},
		{tools.Action{Kind: tools.Write, Path: "/x", Content: []byte("new"), Diff: "-old\n+new\n"}, []string{"-old\n+new\n"}},
		{tools.Action{Kind: tools.Write, Path: "/x", Content: []byte("new")}, []string{"new"}},
		{tools.Action{Kind: tools.Manage, Command: "create-pane main x"}, []string{"create-pane main x"}},
		{tools.Action{Kind: tools.Manage, Command: "kill-pane main x", Pane: "%3", Busy: "nod-x-main:x %3 runs \"make\""}, []string{"kill-pane main x", `nod-x-main:x %3 runs "make"`}},
		{tools.Action{Kind: tools.Read, Path: "/x"}, []string{"/x"}},
		{tools.Action{Kind: tools.Read}, []string{""}},
	} {
		var got []string
		for _, s := range (Request{Action: c.action}).Sections() {
			got = append(got, s.Text)
		}
		if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", c.want) {
			t.Errorf("%s: %q, want %q", c.action.Kind, got, c.want)
		}
	}
}

// Findings quote the command, so they may hold what a terminal would obey.
func TestDescribeSendsNothingThatATerminalObeys(t *testing.T) {
	command := "touch \u202ex \x1b[31my"
	text := Describe(Request{
		Action:  tools.Action{Kind: tools.Exec, Command: command, Target: "local"},
		Verdict: risk.Command(command, risk.Bash), Why: command, Disagreement: command,
	})
	for _, bad := range []string{"\x1b", "\u202e"} {
		if strings.Contains(text, bad) {
			t.Errorf("%q is in %q", bad, text)
		}
	}
}

// dangerous is a request that may lock the operator out, with a revert offered.
func dangerous(t *testing.T, confirm string) Request {
	t.Helper()
	a := tools.Action{Kind: tools.Run, Command: "ip route del default", Target: "ssh:web-1", Dialect: "bash"}
	r := Request{ID: "1", Action: a, Confirm: confirm, Verdict: risk.Command(a.Command, risk.Bash)}
	if r.Revert, r.NoRevert = lockout.For(a, r.Verdict, 2*time.Minute); r.Revert == nil {
		t.Fatal(r.NoRevert)
	}
	return r
}

// What the dialog offers beyond yes and no, plain lines offer, too: a revert that is
// armed before, what arms it, and a look around.
func TestTerminalOffersRevertsAndLooks(t *testing.T) {
	const name = "ssh:web-1"
	for _, c := range []struct {
		confirm          string
		typed            []string
		approved, revert bool
		shows            string // behind the last question but one
	}{
		{"", []string{"y"}, true, false, ""},
		{"", []string{"r"}, true, true, ""},
		{"", []string{"R"}, false, false, ""},
		{"", []string{"p", "y"}, true, false, "12⟦U+001B⟧[2J"},
		{"", []string{"p", "p", ""}, false, false, "find /srv | wc -l"},
		{"", []string{"x", "r"}, true, true, "Armed by:"},
		{"", []string{"x", "n"}, false, false, "with this for its standard input:"},
		{name, []string{"r"}, false, false, ""},
		{name, []string{name}, true, false, ""},
		{name, []string{"r " + name}, true, true, ""},
		{name, []string{"r  " + name}, false, false, ""},
		{name, []string{"p", "r " + name}, true, true, "exit status 1"},
		{name, []string{"y"}, false, false, ""},
		{"", []string{"h", "y"}, true, false, "held: it ran where it can change nothing"},
		{name, []string{"h", "p", name}, true, false, "preview: what would be removed"},
	} {
		rw, operator := tty(t, true)
		term := NewTerminal(rw)
		term.OnPreview(func(Request) bool { return true }, func(context.Context, Request) []Look {
			return []Look{{Title: "what would be removed", Ran: "find /srv | wc -l", Output: "12\x1b[2J\n", Note: "exit status 1"}}
		})
		term.OnTrial(func(Request) bool { return true }, func(context.Context, Request) []Look {
			return []Look{{Title: "it ran where it can change nothing", Note: "the cage refused: remove x"}}
		})
		result := make(chan Answer)
		go func() {
			a, err := term.Approve(context.Background(), dangerous(t, c.confirm))
			if err != nil {
				t.Error(err)
			}
			result <- a
		}()
		end := "[y/N] "
		if c.confirm != "" {
			end = "(" + name + "): "
		}
		said := ""
		for i, typed := range c.typed {
			said = expect(t, operator, end)
			for _, want := range []string{"revert: the host itself brings back", "after 2 min, unless a new login works", "arms the revert before", `"p" looks around first`, `"h" runs it held first`} {
				if i == 0 && !strings.Contains(said, want) {
					t.Errorf("no %q in %q", want, said)
				}
			}
			if _, err := operator.Write([]byte(typed + "\n")); err != nil {
				t.Fatal(err)
			}
		}
		if !strings.Contains(said, c.shows) {
			t.Errorf("%q: no %q in %q", c.typed, c.shows, said)
		}
		if a := <-result; a.Approved != c.approved || a.Revert != c.revert || a.Approved && a.Typed != c.confirm {
			t.Errorf("confirm %q, typed %q: %+v", c.confirm, c.typed, a)
		}
	}
}

// Where nothing is offered, its letters deny.
func TestTerminalOffersNothingThatIsNotThere(t *testing.T) {
	for _, typed := range []string{"r", "p", "h", "x", "a", "always", "r local"} {
		for _, confirm := range []string{"", "local"} {
			rw, operator := tty(t, true)
			term := NewTerminal(rw)
			result := make(chan Answer)
			go func() {
				a, err := term.Approve(context.Background(), Request{ID: "1", Confirm: confirm, Action: tools.Action{Kind: tools.Run, Command: "ls"}})
				if err != nil {
					t.Error(err)
				}
				result <- a
			}()
			end := "run it? [y/N] "
			if confirm != "" {
				end = "(local): "
			}
			expect(t, operator, end)
			if _, err := operator.Write([]byte(typed + "\n")); err != nil {
				t.Fatal(err)
			}
			if a := <-result; a.Approved || a.Revert {
				t.Errorf("typed %q: %+v", typed, a)
			}
		}
	}
}

// The rule of "always" is written only once it was shown, and shown only to who
// wants it.
func TestTerminalShowsTheRuleBeforeItIsTaken(t *testing.T) {
	for _, c := range []struct {
		typed    []string
		approved bool
		scope    Scope
	}{
		{[]string{"y"}, true, Once},
		{[]string{"a", "always"}, true, Always},
		{[]string{"always", "always"}, true, Always},
		{[]string{"a", "a", "y"}, true, Once},
		{[]string{"a", ""}, false, Once},
		{[]string{"always", "n"}, false, Once},
	} {
		rw, operator := tty(t, true)
		term := NewTerminal(rw)
		result := make(chan Answer)
		go func() {
			a, err := term.Approve(context.Background(), Request{
				ID: "1", Keep: "[[rule]]\nprogram = \"ls\"\n", Action: tools.Action{Kind: tools.Run, Command: "ls"},
			})
			if err != nil {
				t.Error(err)
			}
			result <- a
		}()
		for i, typed := range c.typed {
			end := "the rule for always] "
			if i > 0 {
				end = `"always" to write that rule] `
			}
			if said := expect(t, operator, end); strings.Contains(said, "[[rule]]") != (i > 0) {
				t.Errorf("%q, question %d: %q", c.typed, i, said)
			}
			if _, err := operator.Write([]byte(typed + "\n")); err != nil {
				t.Fatal(err)
			}
		}
		if a := <-result; a.Approved != c.approved || a.Scope != c.scope {
			t.Errorf("%q: %+v", c.typed, a)
		}
	}
}

func TestTheOperatorChoosesWhatIsAskedNext(t *testing.T) {
	q := NewQueue(nil)
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() { _, _ = q.Approve(context.Background(), Request{ID: fmt.Sprint(i)}) })
		until(t, "it waits", func() bool { return len(q.Waiting()) == i+1 })
	}
	order := func() (ids string) {
		for _, r := range q.Waiting() {
			ids += r.ID
		}
		return ids
	}
	if !q.Show("2") || order() != "201" {
		t.Errorf("the order is %s", order())
	}
	if q.Show("7") || q.Answer(Answer{RequestID: "0"}) || order() != "201" {
		t.Errorf("the order is %s", order())
	}
	q.Close()
	wg.Wait()
	if q.Show("1") {
		t.Error("shown after the end")
	}
}
