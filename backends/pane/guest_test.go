package pane_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/backendtest"
	"github.com/nod-console/nod/backends/pane"
	"github.com/nod-console/nod/backends/tmux"
)

// operator is a tmux server of an operator's with a session "work" of one pane,
// which runs the rig's shell.
func operator(t testing.TB, shell string, conf ...string) (*rig, string) {
	t.Helper()
	r := newRig(t, shell)
	file := filepath.Join(t.TempDir(), "tmux.conf")
	must(t, os.WriteFile(file, []byte(strings.Join(conf, "\n")+"\n"), 0o600))
	r.opt.Config = ""
	args := append([]string{"-S", r.opt.Socket, "-f", file, "new-session", "-d", "-s", "work", "-x", "90", "-y", "20"}, r.opt.Shell...)
	if len(r.opt.Shell) == 1 {
		args = append(args[:len(args)-1], "env", r.opt.Shell[0])
	}
	var said strings.Builder
	p, err := r.target.Exec(t.Context(), backends.Command{Argv: append([]string{"env", "PS1=operator> ", "tmux"}, args...), Stderr: &said})
	must(t, err)
	if outcome, err := p.Wait(); err != nil || !outcome.OK() {
		t.Fatalf("the operator's server: %v, %v, %s", outcome, err, said.String())
	}
	t.Cleanup(func() { _ = exec.Command("tmux", "-S", r.opt.Socket, "kill-server").Run() }) // a test may have ended it
	return r, r.tmux(t, "display-message", "-p", "-t", "work", "#{pane_id}")
}

// guest is the operator's pane in nod's hands.
func guest(t testing.TB, r *rig, id string) (*pane.Keeper, *pane.Pane) {
	t.Helper()
	r.opt.Pane = id
	k := r.open(t)
	p, err := k.Shared(t.Context())
	must(t, err)
	if p.ID() != id {
		t.Fatalf("pane %s instead of %s", p.ID(), id)
	}
	return k, p
}

// typed types a line at the operator's own keyboard and waits until a file says
// that it has run.
func (r *rig) typed(t testing.TB, id, line, file string) string {
	t.Helper()
	// Not ahead of the prompt, which some shells then write twice.
	defer r.quiet(t, id)
	r.quiet(t, id)
	r.tmux(t, "send-keys", "-t", id, line, "Enter")
	r.eventually(t, id, line, func() bool { return os.Remove(file+".done") == nil })
	text, err := os.ReadFile(file)
	must(t, err)
	return string(text)
}

func TestAShellOfTheOperatorsIsLeftAsItWas(t *testing.T) {
	t.Parallel()
	eachShellInTmux(t, func(t *testing.T, shell string) {
		r, id := operator(t, shell)
		file := filepath.Join(t.TempDir(), "state")
		state := map[string]string{
			"bash": "{ declare -p; declare -f; shopt; set -o; trap; alias; }",
			"zsh":  "{ typeset -p; functions; setopt; alias; bindkey; }",
			"fish": "begin; set; functions -a; functions fish_prompt; bind; end",
		}[shell]
		if state == "" {
			state = "{ set; alias; }"
		}
		ask := " " + state + " >" + file + " 2>/dev/null; touch " + file + ".done"
		r.shows(t, id)
		r.typed(t, id, ask, file) // some things are there only after a first command
		before := r.typed(t, id, ask, file)
		screen := r.tmux(t, "capture-pane", "-p", "-t", id)

		k, p := guest(t, r, id)
		r.screenIs(t, id, screen)
		if res := run(t, p, "echo hi; sh -c 'exit 3'"); res.Text != "hi\n" || res.Outcome != backends.ExitedWith(3) {
			t.Errorf("result %+v", res)
		}
		if res := run(t, p, "echo 'a\tb'"); res.Text != "a\tb\n" {
			t.Errorf("result %+v", res)
		}
		eventually(t, p, "the prompt", p.AtPrompt)
		screen = r.tmux(t, "capture-pane", "-p", "-t", id)
		must(t, k.Close())
		eventually(t, p, "no client of nod's", func() bool { return r.tmux(t, "list-clients") == "" })
		if left := r.tmux(t, "list-buffers"); left != "" {
			t.Errorf("buffers %q", left)
		}
		r.screenIs(t, id, screen)
		if left := r.tmux(t, "show-options", "-p", "-t", id) + r.tmux(t, "show-options", "-t", "work"); strings.Contains(left, "nod") {
			t.Errorf("options %q", left)
		}
		r.typed(t, id, ask, file)
		after := r.typed(t, id, ask, file)
		if diff := changed(before, after); diff != "" {
			t.Errorf("changed:\n%s", diff)
		}
		r.tmux(t, "kill-server")
	})
}

// screenIs waits until a pane shows exactly this.
func (r *rig) screenIs(t testing.TB, id, screen string) {
	t.Helper()
	r.eventually(t, id, "the screen to be\n"+screen, func() bool {
		return r.tmux(t, "capture-pane", "-p", "-t", id) == screen
	})
}

// quiet waits until a prompt stands at the end of what a pane shows.
func (r *rig) quiet(t testing.TB, id string) {
	t.Helper()
	r.eventually(t, id, "a prompt", func() bool {
		lines := strings.Split(r.tmux(t, "capture-pane", "-p", "-t", id), "\n")
		last := lines[len(lines)-1]
		return strings.HasSuffix(last, ">") || strings.HasSuffix(last, "#")
	})
}

// shows waits until a pane shows something.
func (r *rig) shows(t testing.TB, id string) {
	t.Helper()
	r.eventually(t, id, "a prompt", func() bool { return r.tmux(t, "capture-pane", "-p", "-t", id) != "" })
}

// changed are the lines that differ, without those that each command changes.
func changed(before, after string) string {
	var out []string
	add := func(sign, a, b string) {
		has := map[string]bool{}
		for l := range strings.Lines(b) {
			has[l] = true
		}
		for l := range strings.Lines(a) {
			if !has[l] && !volatile(l) {
				out = append(out, sign+l)
			}
		}
	}
	add("-", before, after)
	add("+", after, before)
	return strings.Join(out, "")
}

func volatile(line string) bool {
	for _, name := range []string{
		"EPOCH", "RANDOM", "SRANDOM", "SECONDS", "BASH_ARG", "BASH_LINENO", "LINENO", "HISTCMD", "BASH_COMMAND", "PIPESTATUS",
		"COLUMNS", "LINES", "_=", "-- _", "BASHPID", "TTYIDLE", "status", "history", "last_pid", "CMD_DURATION", "ttyidle",
		"epochtime", "__fish_last_bind_mode", "__kill_signals", "# Defined ",
		"typeset -A commands", "fish_killring", "KSH_MATCH", "_AST_FEATURES",
	} {
		if strings.Contains(line, name) {
			return true
		}
	}
	return false
}

func TestAPaneThatIsNotThereIsAClearError(t *testing.T) {
	t.Parallel()
	r, id := operator(t, "bash")
	r.opt.Pane = "%99"
	_, err := pane.Open(t.Context(), r.target, r.opt)
	if !errors.Is(err, tmux.ErrNoPane) || !strings.Contains(err.Error(), `"%99"`) || !strings.Contains(err.Error(), id+" (work:0.0, bash)") {
		t.Errorf("error %v", err)
	}
	r.tmux(t, "kill-server")
}

func TestWhatTheOperatorHadTypedIsStillThere(t *testing.T) {
	t.Parallel()
	eachShellInTmux(t, func(t *testing.T, shell string) {
		r, id := operator(t, shell)
		r.quiet(t, id)
		r.tmux(t, "send-keys", "-t", id, "-l", "echo half")
		r.until(t, id, "echo half")
		_, p := guest(t, r, id)
		eventually(t, p, "what was typed", func() bool { return p.PendingLine() == "echo half" })
		r.tmux(t, "send-keys", "-t", id, "Enter")
		r.until(t, id, "\nhalf")
		eventually(t, p, "the prompt", func() bool { return p.AtPrompt() && p.PendingLine() == "" })
		if res := run(t, p, "echo hi"); res.Text != "hi\n" {
			t.Errorf("result %+v", res)
		}
	})
}

// So is what they type while the shell is yet to put up its prompt: the terminal shows it
// then, and the shell once more behind the prompt.
func TestWhatTheOperatorTypesAheadIsStillThere(t *testing.T) {
	t.Parallel()
	r, id := operator(t, "bash")
	r.quiet(t, id)
	rc, goOn := filepath.Join(t.TempDir(), "rc"), filepath.Join(t.TempDir(), "go")
	must(t, os.WriteFile(rc, []byte("PS1='operator> '; echo starts; until [ -e "+goOn+" ]; do sleep 0.02; done\n"), 0o600))
	r.tmux(t, "send-keys", "-t", id, "-l", "exec bash --rcfile "+rc+" -i")
	r.tmux(t, "send-keys", "-t", id, "Enter")
	r.until(t, id, "\nstarts")
	r.tmux(t, "send-keys", "-t", id, "-l", "echo half")
	r.until(t, id, "\necho half")
	must(t, os.WriteFile(goOn, nil, 0o600))
	r.until(t, id, "echo halfoperator> echo half")
	_, p := guest(t, r, id)
	eventually(t, p, "what was typed", func() bool { return p.PendingLine() == "echo half" })
	r.tmux(t, "send-keys", "-t", id, "Enter")
	eventually(t, p, "the prompt", func() bool { return p.AtPrompt() && p.PendingLine() == "" })
}

// eventually waits for something in a pane that nod has nothing to do with.
func (r *rig) eventually(t testing.TB, id, what string, ok func() bool) {
	t.Helper()
	if !backendtest.Soon(patience, ok) {
		t.Fatalf("waited for %s:\n%s", what, r.tmux(t, "capture-pane", "-p", "-t", id))
	}
}

// until waits until a pane shows a text.
func (r *rig) until(t testing.TB, id, text string) {
	t.Helper()
	r.eventually(t, id, fmt.Sprintf("%q", text), func() bool {
		return strings.Contains(r.tmux(t, "capture-pane", "-p", "-t", id), text)
	})
}

func TestNothingIsTypedAtAProgramThatOnlySharesTheShellsName(t *testing.T) {
	t.Parallel()
	r, id := operator(t, "bash")
	script := filepath.Join(t.TempDir(), "install")
	must(t, os.WriteFile(script, []byte("read -p 'password: ' x; echo \"got [$x]\"; sleep 1000\n"), 0o600))
	r.shows(t, id)
	r.tmux(t, "send-keys", "-t", id, "bash "+script, "Enter")
	r.until(t, id, "password:")
	_, p := guest(t, r, id)
	var notReady *pane.NotReadyError
	if _, err := p.Run(t.Context(), pane.Request{Command: "echo hi"}); !errors.As(err, &notReady) || !strings.Contains(err.Error(), script) {
		t.Errorf("error %v", err)
	}
	must(t, p.Type(t.Context(), []byte("secret\r"))) // it can be typed at
	eventually(t, p, "its answer", func() bool { return strings.Contains(p.Screen().String(), "got [secret]") })
	must(t, p.Interrupt(t.Context()))
	eventually(t, p, "the prompt", func() bool {
		_, err := p.Run(t.Context(), pane.Request{Command: "echo hi"})
		return err == nil
	})
	eventually(t, p, "the end", func() bool { return p.Busy() == nil })
}

// Enter would run what the operator has not entered.
func TestAHalfTypedLineIsNotEnteredByTheHook(t *testing.T) {
	t.Parallel()
	eachShellInTmux(t, func(t *testing.T, shell string) {
		r, id := operator(t, shell)
		if shell == "dash" {
			return // has no line editor: the cursor is always at the end
		}
		file := filepath.Join(t.TempDir(), "ran")
		r.shows(t, id)
		r.tmux(t, "send-keys", "-t", id, "-l", "true; touch "+file)
		r.until(t, id, "ran")
		r.tmux(t, "send-keys", "-t", id, "C-a")
		r.eventually(t, id, "the cursor at the beginning", func() bool {
			return r.tmux(t, "display-message", "-p", "-t", id, "#{e|<:#{cursor_x},60}#{e|<:#{cursor_y},15}") == "11"
		})
		_, p := guest(t, r, id)
		if res, err := p.Run(t.Context(), pane.Request{Command: "true"}); err == nil {
			finish(t, p, res)
		}
		if _, err := os.Stat(file); err == nil {
			t.Errorf("it was run:\n%s", r.tmux(t, "capture-pane", "-p", "-t", id))
		}
	})
}

func TestTheOperatorsSizeAndSessionStayHis(t *testing.T) {
	t.Parallel()
	r, id := operator(t, "bash")
	r.tmux(t, "set-environment", "-t", "work", "SSH_AUTH_SOCK", "/his")
	options := r.tmux(t, "show-options", "-t", "work") + r.tmux(t, "show-options", "-w", "-t", "work") +
		r.tmux(t, "show-environment", "-t", "work") + r.tmux(t, "show-options", "-g") + r.tmux(t, "show-options", "-gw") + r.tmux(t, "show-options", "-s")
	k, p := guest(t, r, id)
	p.Resize(backends.Size{Cols: 40, Rows: 10})
	if res := run(t, p, "stty size"); res.Text != "20 90\n" {
		t.Errorf("size %q", res.Text)
	}
	s := p.Screen()
	if s.Size.Cols != 90 || s.Size.Rows != 20 {
		t.Errorf("our size %v", s.Size)
	}
	r.tmux(t, "resize-window", "-t", "work", "-x", "70", "-y", "15")
	eventually(t, p, "the operator's size", func() bool { s := p.Screen().Size; return s.Cols == 70 && s.Rows == 15 })
	r.tmux(t, "set-option", "-w", "-t", "work", "-u", "window-size")
	if _, err := k.CreatePane(t.Context(), "", "more"); !errors.Is(err, pane.ErrNotOurs) {
		t.Errorf("a pane in his session: %v", err)
	}
	if err := k.KillPane(t.Context(), "", ""); !errors.Is(err, pane.ErrNotOurs) {
		t.Errorf("kill: %v", err)
	}
	own, err := k.CreateSession(t.Context(), "own")
	must(t, err)
	if res := run(t, own, "echo hi"); res.Text != "hi\n" {
		t.Errorf("result %+v", res)
	}
	must(t, k.Close())
	if names := r.tmux(t, "list-sessions", "-F", "#{session_name}"); names != "work" {
		t.Errorf("sessions %q", names)
	}
	if now := r.tmux(t, "show-options", "-t", "work") + r.tmux(t, "show-options", "-w", "-t", "work") +
		r.tmux(t, "show-environment", "-t", "work") + r.tmux(t, "show-options", "-g") + r.tmux(t, "show-options", "-gw") + r.tmux(t, "show-options", "-s"); now != options {
		t.Errorf("options were\n%s\nand are\n%s", options, now)
	}
}

func TestAGuestFollowsTheOperatorsPane(t *testing.T) {
	t.Parallel()
	r, id := operator(t, "bash")
	_, p := guest(t, r, id)
	check := func(what string) {
		t.Helper()
		eventually(t, p, "the pane after "+what, func() bool {
			run, err := p.Run(t.Context(), pane.Request{Command: "echo " + what})
			if err != nil {
				return false
			}
			return finish(t, p, run).Text == what+"\n"
		})
		// The prompt may come between the two screens.
		eventually(t, p, "tmux's screen after "+what, func() bool {
			return strings.TrimSpace(p.Screen().String()) == strings.TrimSpace(r.tmux(t, "capture-pane", "-p", "-t", id))
		})
	}
	check("nothing")
	other := r.tmux(t, "split-window", "-d", "-t", id, "-P", "-F", "#{pane_id}", "cat")
	check("split")
	r.tmux(t, "resize-pane", "-Z", "-t", other)
	check("zoomed-away")
	r.tmux(t, "resize-pane", "-Z", "-t", id)
	check("zoomed")
	r.tmux(t, "break-pane", "-d", "-s", id)
	check("broken-out")
	r.tmux(t, "new-session", "-d", "-s", "else", "-x", "60", "-y", "12", "cat")
	r.tmux(t, "join-pane", "-d", "-s", id, "-t", "else:")
	check("moved")
	if got := p.Attach(); !strings.Contains(got, "else") {
		t.Errorf("attach with %q", got)
	}
	r.tmux(t, "rename-session", "-t", "else", "renamed")
	check("renamed")
	eventually(t, p, "the new name", func() bool { return strings.Contains(p.Attach(), "renamed") })
	r.tmux(t, "link-window", "-s", id, "-t", "work:9")
	check("linked")
	r.tmux(t, "kill-session", "-t", "renamed")
	check("session-gone")
	r.tmux(t, "copy-mode", "-t", id)
	check("copy-mode")
	if text := r.tmux(t, "capture-pane", "-p", "-t", other); strings.TrimSpace(text) != "" {
		t.Errorf("the other pane shows %q", text)
	}
}

func TestSynchronizedPanesGetNothingOfNods(t *testing.T) {
	t.Parallel()
	r, id := operator(t, "bash")
	other := r.tmux(t, "split-window", "-d", "-t", id, "-P", "-F", "#{pane_id}", "cat")
	_, p := guest(t, r, id)
	r.tmux(t, "set-option", "-w", "-t", id, "synchronize-panes", "on")
	res := run(t, p, "echo hi")
	if !strings.Contains(strings.Join(res.Notices, " "), "synchronize-panes") || res.Text != "" {
		t.Errorf("result %+v", res)
	}
	var input *tmux.InputError
	if err := p.Type(t.Context(), []byte("x")); !errors.As(err, &input) {
		t.Errorf("type: %v", err)
	}
	if err := p.Keys(t.Context(), []string{"Up"}); !errors.As(err, &input) {
		t.Errorf("keys: %v", err)
	}
	r.tmux(t, "set-option", "-w", "-t", id, "synchronize-panes", "off")
	r.tmux(t, "select-pane", "-d", "-t", id)
	if err := p.Type(t.Context(), []byte("x")); !errors.As(err, &input) {
		t.Errorf("type: %v", err)
	}
	r.tmux(t, "select-pane", "-e", "-t", id)
	if res := run(t, p, "echo hi"); res.Text != "hi\n" {
		t.Errorf("result %+v", res)
	}
	if text := r.tmux(t, "capture-pane", "-p", "-t", other); strings.TrimSpace(text) != "" {
		t.Errorf("the other pane shows %q", text)
	}
}

func TestAnOperatorsPaneThatGoesIsNotMadeAnew(t *testing.T) {
	t.Parallel()
	r, id := operator(t, "bash")
	r.tmux(t, "new-window", "-d", "-t", "work", "cat")
	k, p := guest(t, r, id)
	run1 := start(t, p, pane.Request{Command: "echo up; exit 3"})
	if res := finish(t, p, run1); res.Outcome.State != backends.Unknown {
		t.Errorf("result %+v", res)
	}
	eventually(t, p, "the end", func() bool {
		_, err := k.Shared(t.Context())
		return errors.Is(err, pane.ErrEnded)
	})
	if panes := r.tmux(t, "list-panes", "-a", "-F", "#{pane_current_command}"); panes != "cat" {
		t.Errorf("panes %q", panes)
	}
}

// tmuxClient attaches to the operator's session for as long as it is wanted.
func (r *rig) tmuxClient(t testing.TB) (end func()) {
	t.Helper()
	outer := newRig(t, "bash")
	outer.tmux(t, "new-session", "-d", "env", "-u", "TMUX", "tmux", "-S", r.opt.Socket, "attach", "-t", "work")
	r.eventually(t, "work", "a client", func() bool { return r.tmux(t, "list-clients") != "" })
	return func() { outer.tmux(t, "kill-server") }
}

func writeFile(t testing.TB, path, text string) {
	t.Helper()
	must(t, os.WriteFile(path, []byte(text), 0o600))
}
