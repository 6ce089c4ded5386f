package terminal_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/tools/terminal"
)

// A command that waits itself, for words that nobody types, does not keep the
// turn: what it waits for is said, and it goes on.
func TestWhatWaitsItselfIsNotWaitedFor(t *testing.T) {
	for _, c := range []struct{ command, says, leave string }{
		{"bash --norc --noprofile", `the shell that "bash --norc --noprofile" opened waits for commands`, "exit"},
		{"read -p 'Password: ' x", `"Password:" looks like a question`, "secret"},
		{"printf 'Overwrite? [y/N] '; read x", `"Overwrite? [y/N]" looks like a question`, "n"},
		{"sh -c 'echo before; cat; echo after'", "a program of it reads the terminal", "\x04"},
		{"read silent", "a program of it reads the terminal", "x"},
	} {
		t.Run(c.command, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			began := time.Now()
			v, r := b.run(c.command)
			if took := time.Since(began); took > 15*time.Second {
				t.Errorf("took %s", took)
			}
			if code(v) != -1 || r.Running == nil || !r.IsError || !holds(v.Notices, "running: ") || !holds(v.Notices, c.says) {
				t.Fatalf("%+v, %+v", v, r)
			}
			more := map[string]any{"literal_text": c.leave, "enter": true}
			if c.leave == "\x04" {
				more = map[string]any{"keys": []string{"C-d"}}
			}
			b.execute(t.Context(), b.keys, b.planned(b.keys, args(more)))
			select {
			case <-r.Running.Done():
			case <-time.After(patience):
				t.Fatal("it does not end")
			}
			if got := r.Running.Record().Outcome; got != backends.ExitedWith(0) {
				t.Errorf("its end: %v", got)
			}
		})
	}
}

// What only works, silently or behind a line without its end, is waited for.
func TestWhatWorksIsWaitedFor(t *testing.T) {
	for _, command := range []string{
		"printf 'building... '; sleep 5 </dev/tty; (exit 3)",
		"mkfifo ~/f; (sleep 5; echo >~/f) & read x <~/f; (exit 3)", // reads, but not the terminal
	} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			if v, r := newBench(t).run(command); code(v) != 3 || r.Running != nil {
				t.Errorf("%+v", v)
			}
		})
	}
}

// The time that nod gives a call is no reason to stop what it began.
func TestACommandOutlivesTheTimeOfItsCall(t *testing.T) {
	b := newBench(t)
	a := b.planned(b.shell, args(map[string]any{"command": "sleep 2; (exit 6)"}))
	ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, errors.New("the tool's time is up"))
	defer cancel()
	r := b.execute(ctx, b.shell, a)
	if v := r.Value.(terminal.ShellValue); r.Running == nil || !holds(v.Notices, "the tool's time is up: the command goes on in pane") {
		t.Fatalf("%+v", r)
	}
	select {
	case <-r.Running.Done():
	case <-time.After(patience):
		t.Fatal("it does not end")
	}
	if got := r.Running.Record().Outcome; got != backends.ExitedWith(6) {
		t.Errorf("its end: %v", got)
	}
}

// A call behind one that was only dispatched says what is in its way.
func TestABusyPaneSaysWhatToDo(t *testing.T) {
	b := newBench(t)
	_, r := b.run("sleep 1000", map[string]any{"wait": false})
	_, err := b.plan(b.shell, args(map[string]any{"command": "id"}))
	got := rejected(t, err)
	for _, want := range []string{`still runs "sleep 1000", for 0s`, "Its end will be told", `jobs {"job": "job1", "wait_for"`, "send-keys C-c", "tmux-create-pane"} {
		if got.Code != "pane_busy" || !strings.Contains(got.Error, want) {
			t.Errorf("%q misses %q", got.Error, want)
		}
	}
	for ended := false; !ended; { // a Ctrl-C that comes before the program interrupts nothing
		b.execute(t.Context(), b.keys, b.planned(b.keys, args(map[string]any{"keys": []string{"C-c"}})))
		select {
		case <-r.Running.Done():
			ended = true
		case <-time.After(time.Second):
		}
	}
}

// The way out of a shell inside the pane's own is said, not a way around it.
func TestAShellInsideIsLeftByKeys(t *testing.T) {
	b := newBench(t)
	b.run("bash --norc --noprofile")
	_, err := b.plan(b.shell, args(map[string]any{"command": "exit"}))
	if got := rejected(t, err); got.Code != "ends_shell" || !strings.Contains(got.Error, `To leave the shell that "bash --norc --noprofile" opened: send-keys`) {
		t.Errorf("%+v", got)
	}
	v, _ := b.run("echo inside")
	if v.Stdout != "inside\n" {
		text, _ := json.Marshal(v)
		t.Errorf("a command for it: %s", text)
	}
}

// Nobody is asked about a command for a pane in which somebody has started a program
// that waits for keys; about one that may end by itself, he is.
func TestAPaneThatAProgramHoldsIsSaidBefore(t *testing.T) {
	for _, c := range []struct {
		command, shows string
		held           bool
		leave          []string
	}{
		{"python3 -q", ">>>", true, []string{"C-d"}},
		{"seq 1000 | less", "\n:", true, []string{"q"}},
		{"vi -u NONE", "~", true, []string{":", "q", "Enter"}},
		{"cat -", "cat -", true, []string{"C-d"}},
		{"echo sl'e'eps; sleep 1000", "\nsleeps", false, []string{"C-c"}},
		{"bash --norc --noprofile", "profile\nbash", false, []string{"C-d"}},
	} {
		t.Run(c.command, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			free := func() error {
				_, err := b.plan(b.shell, args(map[string]any{"command": "id"}))
				return err
			}
			b.execute(t.Context(), b.keys, b.planned(b.keys, args(map[string]any{"literal_text": c.command, "enter": true})))
			b.shows(c.shows)
			if c.held {
				var refusal error // of that moment: a look may miss the program again
				b.until("the program is seen", func() bool { refusal = free(); return refusal != nil })
				got, program := rejected(t, refusal), strings.Fields(c.command)[0]
				for _, want := range []string{"nothing was run", program, "was started by hand", "send-keys", "tmux-create-pane"} {
					if got.Code != "pane_busy" || !strings.Contains(got.Error, want) {
						t.Errorf("%q misses %q", got.Error, want)
					}
				}
			} else if err := free(); err != nil {
				t.Error(err)
			}
			b.execute(t.Context(), b.keys, b.planned(b.keys, args(map[string]any{"keys": c.leave})))
			b.until("the pane is free again", func() bool { return free() == nil })
		})
	}
}
