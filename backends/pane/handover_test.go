package pane_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/pane"
)

// typing is a pane to which everything is handed over by typing.
func typing(t *testing.T, shell string) *pane.Pane {
	t.Helper()
	p, err := newRig(t, shell).open(t).Shared(t.Context())
	must(t, err)
	run(t, p, "cd /tmp; clear") // where it is known how long the prompt is, and so where a line ends
	p.HandOverByTyping()
	return p
}

func TestATextIsHandedOverByTyping(t *testing.T) {
	t.Parallel()
	bytes := make([]byte, 0, 255)
	for c := 1; c < 256; c++ {
		if c != '\n' && c != '\'' && c != '\\' {
			bytes = append(bytes, byte(c))
		}
	}
	texts := map[string]string{
		"a short line": "x",
		"a tab":        "a\tb",
		"every byte":   string(bytes),
		"6,000 bytes":  strings.Repeat("0123456789", 600),
		"the limits":   strings.Repeat("%\t", 600) + "-n %s %%",
	}
	eachShellInTmux(t, func(t *testing.T, shell string) {
		p := typing(t, shell)
		for name, text := range texts {
			res := run(t, p, "printf %s '"+text+"' | od -An -v -tx1 | tr -d ' \\n'")
			want := ""
			for i := range len(text) {
				want += string("0123456789abcdef"[text[i]>>4]) + string("0123456789abcdef"[text[i]&15])
			}
			if res.Text != want || !res.Outcome.OK() || !res.Executed {
				t.Errorf("%s: %+v, want %s", name, res, want)
			}
		}
	})
}

func TestTheHandOverByTypingLeavesNoTrace(t *testing.T) {
	t.Parallel()
	eachShellInTmux(t, func(t *testing.T, shell string) {
		p := typing(t, shell)
		if res := run(t, p, "echo 'a\tb'; stty -a | grep -c -e '-echo '"); res.Text != "a\tb\n0\n" || res.Outcome != backends.ExitedWith(1) {
			t.Errorf("result %+v", res)
		}
		eventually(t, p, "the prompt", p.AtPrompt)
		if s := p.Screen().String(); strings.Contains(s, "until") || strings.Contains(s, "nod-") || strings.Contains(s, "133") {
			t.Errorf("left on the screen:\n%s", s)
		}
	})
}

func TestWhatIsTypedIntoAHandOverSpoilsItAndNothingRuns(t *testing.T) {
	t.Parallel()
	long := "echo run; : " + strings.Repeat("0123456789", 20_000)
	eachShellInTmux(t, func(t *testing.T, shell string) {
		p := typing(t, shell)
		run(t, p, "x=1")
		for _, typed := range []string{"x", "rm\r", "\x03", "\x7f", "\x04", "\r\r", "\x15"} {
			r := start(t, p, pane.Request{Command: long})
			eventually(t, p, "the hand-over to begin", p.HandingOver)
			must(t, p.Type(t.Context(), []byte(typed)))
			res := finish(t, p, r)
			whole := res.Executed && res.Outcome.OK() && res.Text == "run\n" // what erases has nothing to erase between two pieces
			if !whole && (res.Executed || strings.Contains(res.Text, "run") || res.Outcome.OK()) {
				t.Errorf("%q: executed %v, %v, %q, %q", typed, res.Executed, res.Outcome, res.Text, res.Notices)
			}
			if res := run(t, p, "echo 'next\t'"); res.Text != "next\t\n" || !res.Outcome.OK() {
				t.Errorf("after %q: %+v", typed, res)
			}
		}
	})
}

// slowReader is a pane without tmux whose zsh has the given function in place of
// its read, with which it takes what is handed over.
func slowReader(t *testing.T, read string) *pane.Pane {
	t.Helper()
	r := newRig(t, "zsh")
	home := t.TempDir()
	must(t, os.WriteFile(filepath.Join(home, ".zshrc"), []byte("setopt hist_ignore_space\nread() { "+strings.ReplaceAll(read, "HOME", home)+" }\n"), 0o600))
	r.opt.Shell = []string{"env", "ZDOTDIR=" + home, "zsh", "-d"}
	r.opt.WithoutTmux = true
	p, err := r.open(t).Shared(t.Context())
	must(t, err)
	return p
}

// A shell that takes its time for the hook is not asked again in the middle.
func TestAHandOverThatIsSlowIsNotGivenUp(t *testing.T) {
	t.Parallel()
	p := slowReader(t, `sleep 0.2; builtin read "$@"; case $l in *:*) print -r -- "${l%%:*}" >>HOME/names;; esac; true`)
	if res := run(t, p, "sort -u $ZDOTDIR/names | wc -l; fc -l -10"); !strings.HasPrefix(res.Text, "1\n") || strings.Contains(res.Text, "nod-") {
		t.Errorf("%+v", res)
	}
}

// A reader that has the last line goes by itself: nothing is typed any more,
// which the prompt behind it would get.
func TestNothingIsTypedBehindAHandOver(t *testing.T) {
	t.Parallel()
	p := slowReader(t, `builtin read "$@"; case $l in nod-????????[0-9]*) mkdir HOME/once 2>/dev/null && sleep 4;; esac; true`)
	res := run(t, p, "fc -l -10")
	if s := p.Screen().String(); strings.Contains(res.Text, "nod") || strings.Contains(s, "not found") {
		t.Errorf("%+v\n%s", res, s)
	}
}
