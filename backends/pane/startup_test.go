package pane_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/pane"
)

// startedWith is the shared pane of a bash with a start-up file.
func startedWith(t *testing.T, text string) *pane.Pane {
	t.Helper()
	r := newRig(t, "bash")
	file := filepath.Join(t.TempDir(), "rc")
	must(t, os.WriteFile(file, []byte(text+"\n"), 0o600))
	r.opt.Shell = []string{"bash", "--noprofile", "--rcfile", file}
	p, err := r.open(t).Shared(t.Context())
	must(t, err)
	return p
}

// Commands are tracked exactly where a start-up file, or what it runs at each
// prompt, takes away what announces them.
func TestStartUpFilesThatTakeTheMarksAway(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"readonly PS0":                    "readonly PS0",
		"readonly PS0 and PROMPT_COMMAND": "readonly PS0 PROMPT_COMMAND=",
		"readonly PROMPT_COMMAND":         "PROMPT_COMMAND='history -a'; readonly PROMPT_COMMAND",
		"PROMPT_COMMAND empties PS0":      "PROMPT_COMMAND='PS0='",
		"PROMPT_COMMAND sets PS1":         `PROMPT_COMMAND='PS0=; PS1="p> "'`,
		"PROMPT_COMMAND sets itself":      `each() { PROMPT_COMMAND=each; PS1="each> "; }; PROMPT_COMMAND=each`,
		"PROMPT_COMMAND sets all":         `each() { PROMPT_COMMAND=each; PS0=; PS1="each> "; }; PROMPT_COMMAND=each`,
		"PROMPT_COMMAND sets itself anew": `each() { PROMPT_COMMAND=(each); PS1="each> "; }; PROMPT_COMMAND=(each)`,
		"PROMPT_COMMAND has a status":     `PROMPT_COMMAND='(exit 7)'`,
		"PROMPT_COMMAND writes":           `PROMPT_COMMAND='echo prompt'`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			everywhere(t, func(t *testing.T) {
				p := startedWith(t, text)
				for range 2 {
					for _, c := range []struct {
						command, raw string
						code         int
					}{{"echo one", "one\r\n", 0}, {"(exit 9)", "", 9}, {"printf nonl", "nonl", 0}, {"echo a\necho b", "a\r\nb\r\n", 0}} {
						if wrong := differs(withoutPaste(run(t, p, c.command)), c.raw, c.code); wrong != "" {
							t.Errorf("%q: %s", c.command, wrong)
						}
					}
				}
				made := filepath.Join(t.TempDir(), "made")
				if res := run(t, p, "touch "+made+"; fi"); res.Executed {
					t.Errorf("a line that is no command: %+v", res)
				}
				if _, err := os.Stat(made); err == nil {
					t.Error("it ran")
				}
				if wrong := differs(withoutPaste(run(t, p, "echo two")), "two\r\n", 0); wrong != "" {
					t.Error(wrong)
				}
			})
		})
	}
}

// withoutPaste is a result without what readline writes in front of a prompt: with
// PROMPT_COMMAND out of reach, the end of a command is told by the prompt itself.
func withoutPaste(res pane.Result) pane.Result {
	res.Raw = bytes.TrimSuffix(res.Raw, []byte("\x1b[?2004h"))
	return res
}

// Where a shell cannot be made to say when a command ends, nothing is given to it.
func TestAShellThatCannotTellIsRefused(t *testing.T) {
	t.Parallel()
	p := startedWith(t, "PROMPT_COMMAND=:; PS1='p> '; readonly PROMPT_COMMAND PS1")
	_, err := p.Run(t.Context(), pane.Request{Command: "echo hi"})
	var unready *pane.NotReadyError
	if !errors.As(err, &unready) || !strings.Contains(err.Error(), "readonly") {
		t.Errorf("run: %v", err)
	}
}

// A command that ran is never said to have been refused, whatever has taken away
// what the shell says of its beginning.
func TestACommandThatRanIsNotSaidToBeRefused(t *testing.T) {
	t.Parallel()
	for shell, taken := range map[string]string{
		"bash": "PS0=; readonly PS0",
		"zsh":  "preexec_functions=()",
		"fish": "functions -e __nod_c",
	} {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			everywhere(t, func(t *testing.T) {
				p := shared(t, shell)
				if res := run(t, p, taken); !res.Outcome.OK() {
					t.Fatalf("%+v", res)
				}
				made := filepath.Join(t.TempDir(), "made")
				res := run(t, p, "touch "+made)
				if _, err := os.Stat(made); err == nil && !res.Executed {
					t.Errorf("it ran: %+v", res)
				}
				if res.Outcome.State == backends.Exited && !res.Outcome.OK() {
					t.Errorf("%+v", res)
				}
				if wrong := differs(run(t, p, "echo hi; sh -c 'exit 3'"), "hi\r\n", 3); wrong != "" {
					t.Error(wrong)
				}
			})
		})
	}
}

// A restricted bash is refused at once, and for its own reason.
func TestARestrictedShellIsRefused(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T) {
		r := newRig(t, "bash")
		r.opt.Shell = []string{"bash", "--norc", "--noprofile", "-r"}
		p, err := r.open(t).Shared(t.Context())
		must(t, err)
		for range 2 {
			var no *pane.NotReadyError
			if _, err := p.Run(t.Context(), pane.Request{Command: "echo hi"}); !errors.As(err, &no) || !strings.Contains(err.Error(), "it is a restricted bash") {
				t.Errorf("error %v", err)
			}
		}
		if s := p.Screen().String(); strings.Contains(s, "cannot redirect") {
			t.Errorf("it complains:\n%s", s)
		}
	})
}
