package posix_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/nod-console/nod/backends/posix"
)

const nonce = "nod-0123"

// farShell is the other end of a conversation: answer gets each line.
func farShell(t *testing.T, edit func(before, answer string) string, answer func(line string) string) *posix.RemoteShell {
	t.Helper()
	in, lines := io.Pipe()
	out, says := io.Pipe()
	r := posix.NewRemoteShell(nonce, lines, func() {})
	go func() {
		s := bufio.NewScanner(in)
		for s.Scan() {
			_, _ = io.WriteString(says, answer(s.Text()))
		}
		_ = says.Close()
	}()
	go r.Listen(bufio.NewReader(out), edit)
	t.Cleanup(func() {
		_ = lines.Close()
		<-r.Ended()
	})
	return r
}

func TestAskHearsItsOwnAnswer(t *testing.T) {
	r := farShell(t, nil, func(line string) string {
		id, words, _ := strings.Cut(line, " ")
		return "noise\nnod-9999 " + id + " wrong\n" + nonce + " 77 another's\n" + nonce + " " + id + " got " + words + "\n"
	})
	for _, words := range [][]string{{"ping"}, {"end", "1", "2"}} {
		if got, err := r.Ask(t.Context(), words...); err != nil || got != "got "+strings.Join(words, " ") {
			t.Errorf("%q: %q, %v", words, got, err)
		}
	}
}

func TestAskEndsWithItsContextAndWithTheShell(t *testing.T) {
	enough := errors.New("enough")
	for name, reads := range map[string]bool{"no answer": true, "frozen": false} {
		t.Run(name, func(t *testing.T) {
			in, lines := io.Pipe()
			out, says := io.Pipe()
			if reads {
				go func() { _, _ = io.Copy(io.Discard, in) }()
			}
			r := posix.NewRemoteShell(nonce, lines, func() { _ = lines.Close() })
			go r.Listen(bufio.NewReader(out), nil)
			ctx, cancel := context.WithCancelCause(t.Context())
			cancel(enough)
			if _, err := r.Ask(ctx, "ping"); !errors.Is(err, enough) {
				t.Error(err)
			}
			if !r.Alive() {
				t.Error("it has not ended yet")
			}
			asked := make(chan error, 1)
			go func() { _, err := r.Ask(t.Context(), "ping"); asked <- err }()
			_ = says.Close()
			if err := <-asked; !errors.Is(err, posix.ErrRemoteShellGone) || r.Alive() {
				t.Error(err, r.Alive())
			}
		})
	}
}

func TestReportsAreHeardUntilForgotten(t *testing.T) {
	edit := func(before, answer string) string { return answer + before }
	r := farShell(t, edit, func(line string) string {
		id, what, _ := strings.Cut(line, " ")
		return "one\n" + nonce + " 1 " + what + "\n" + nonce + " 1 two\n" + nonce + " " + id + " ok\n"
	})
	id, reports := r.Expect()
	if id != "1" {
		t.Fatal(id)
	}
	if got, err := r.Ask(t.Context(), "begun"); err != nil || got != "ok" {
		t.Fatal(got, err)
	}
	if a, b := <-reports, <-reports; a != "begunone" || b != "two" {
		t.Errorf("%q, %q", a, b)
	}
	r.Forget(id)
	if _, err := r.Ask(t.Context(), "late"); err != nil || len(reports) != 0 {
		t.Error(err, len(reports))
	}
}

// FuzzGreeting: whatever a login shell prints, the reading of it ends, and believes
// only lines with the nonce.
func FuzzGreeting(f *testing.F) {
	f.Add("welcome\n" + nonce + " own yes\n" + nonce + " ready\n")
	f.Add(strings.Repeat("x", 70_000) + nonce + " proc yes")
	f.Fuzz(func(t *testing.T, text string) {
		r := posix.NewRemoteShell(nonce, io.Discard, func() {})
		var before posix.Tail
		err := r.Greet(bufio.NewReaderSize(strings.NewReader(text), 64<<10), &before, func(key, value string) {
			if !strings.Contains(text, nonce+" "+key) {
				t.Errorf("%q %q was not said", key, value)
			}
		})
		if err == nil && !strings.Contains(text, nonce+" ready") {
			t.Fatal("ready without its word")
		}
	})
}

// The functions that end programs end a session whose members resist TERM and have
// groups of their own, but for the process that is spared.
func TestEndingScript(t *testing.T) {
	t.Parallel()
	for _, sh := range []string{"dash", "bash"} {
		t.Run(sh, func(t *testing.T) {
			t.Parallel()
			script := `setsid "$0" -c 'trap "" TERM; sleep 1001 & sleep 1002 & echo $$; while :; do wait; sleep 1003; done' >"$1" 2>&1 &
until [ -s "$1" ]; do sleep 0.01; done
read -r session <"$1"
until [ "$(members "$session" | wc -l)" -ge 3 ]; do sleep 0.01; done
over "$session" "$session" '' && echo "over already"
strike 0 "$session" "$session" KILL
members "$session" | grep -q "^$session " && echo spared
finish "$session" "$session" '' TERM 4 && echo "ended, $(members "$session" | wc -l) left"
over 0 "$session" && echo over`
			cmd := exec.CommandContext(t.Context(), "setsid", "-w", sh, "-c", posix.Brief(posix.EndingScript)+script, sh, t.TempDir()+"/s")
			out, err := cmd.Output()
			if want := "spared\nended, 0 left\nover\n"; err != nil || string(out) != want {
				t.Errorf("%v, %s, want %s", err, strconv.Quote(string(out)), want)
			}
		})
	}
}
