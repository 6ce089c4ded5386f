package ssh_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/ssh"
)

// need skips a test without a program, but never where all tests must run.
func need(t testing.TB, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err == nil {
		return path
	}
	if os.Getenv("CI") == "true" || os.Getenv("NOD_TEST_ALL") == "1" {
		t.Fatalf("there is no %s: run make deps", program)
	}
	t.Skipf("there is no %s: run make deps", program)
	return ""
}

// awkward are arguments that shells like to act on.
var awkward = []string{
	"", " ", "a b", "*", "$HOME", "`id`", "$(id)", `\`, `\\`, `"`, `'`, `'"'"'`, "-n", "--", "~", "a\nb\n", "\t",
	"ü→😀", "\xff\xfe", "!1", "!!", "%s", "%%", ";", "&", "|", "{a,b}", "[a]", "<x>", "^a^b", "#", "@", "=", "\r\n", "\x01\x7f", `\n`, `\0101`,
}

// loginShell makes the sshd run everything with another shell than the user's,
// in the way that a login shell is run.
func loginShell(shell string) string {
	return "ForceCommand exec " + shell + ` -c "$SSH_ORIGINAL_COMMAND"`
}

func TestLoginShells(t *testing.T) {
	for _, shell := range []string{"bash", "dash", "busybox", "zsh", "fish", "tcsh"} {
		t.Run(shell, func(t *testing.T) {
			path := need(t, shell)
			if shell == "busybox" {
				path += " sh"
			}
			w := newWorld(t, loginShell(path))
			c := w.dial(w.options())
			if plain := shell != "fish" && shell != "tcsh"; c.PlainQuotes() != plain {
				t.Errorf("plain quotes: %v", c.PlainQuotes())
			}
			testEverything(t, w, c)
		})
	}
}

// A wrapper that stays is the leader of the session; nod's programs then get
// sessions of their own.
func TestForcedCommandThatStays(t *testing.T) {
	w := newWorld(t, `ForceCommand sh -c "$SSH_ORIGINAL_COMMAND"; exit $?`)
	testEverything(t, w, w.dial(w.options()))
}

// testEverything is a short form of the conformance suite.
func testEverything(t *testing.T, w *world, c *ssh.Conn) {
	t.Helper()
	argv := append([]string{"sh", "-c", `for a; do printf '%s\0' "$a"; done; printf E >&2; exit 7`, "sh"}, awkward...)
	o, out, errs := run(t, c, argv...)
	if want := strings.Join(awkward, "\x00") + "\x00"; out != want || errs != "E" || o != backends.ExitedWith(7) {
		t.Errorf("%s, %q, %q", o, out, errs)
	}
	var env bytes.Buffer
	p, err := c.Exec(w.context(), backends.Command{
		Argv: []string{"env"}, Dir: "/", Stdout: &env,
		Env: []string{"NOD_A= a'b\\n!", "NOD.B=x", "NOD_C=1", "NOD_C=2"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if o, err := p.Wait(); !o.OK() || err != nil {
		t.Errorf("env: %s, %v", o, err)
	}
	for _, want := range []string{"NOD_A= a'b\\n!\n", "NOD.B=x\n", "NOD_C=2\n"} {
		if !strings.Contains(env.String(), want) {
			t.Errorf("no %q in %s", want, env.String())
		}
	}
	p, err = c.Exec(w.context(), backends.Command{Argv: []string{"sleep", "1000"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Signal(backends.INT); err != nil {
		t.Error(err)
	}
	if o, err := p.Wait(); err != nil || o.OK() || o.State == backends.Unknown {
		t.Errorf("interrupted: %s, %v", o, err)
	}
	var screen bytes.Buffer
	tty, err := c.Terminal(w.context(), backends.Command{Argv: []string{"sh", "-c", `printf '%s|' "$1"; stty size`, "sh", "!a'"}, Stdout: &screen},
		backends.Size{Cols: 99, Rows: 11})
	if err != nil {
		t.Fatal(err)
	}
	if o, err := tty.Wait(); !o.OK() || err != nil || screen.String() != "!a'|11 99\r\n" {
		t.Errorf("terminal: %s, %v, %q", o, err, screen.String())
	}
	if _, err := c.Files().Write(w.context(), w.path("written"), []byte("x"), backends.WriteOptions{}); err != nil || w.read("written") != "x" {
		t.Errorf("write: %v", err)
	}
}

// What start-up files print is no part of any output.
func TestBannersAreNoOutput(t *testing.T) {
	w := newWorld(t, "Banner "+os.DevNull, `ForceCommand echo Welcome; echo "to nod- this host"; echo careful >&2; printf 'no newline'; exec sh -c "$SSH_ORIGINAL_COMMAND"`)
	testEverything(t, w, w.dial(w.options()))
}

func TestLoginShellsThatRunNothing(t *testing.T) {
	for _, c := range []struct{ name, forced, says string }{
		{"nologin", "echo This account is currently not available.; exit 1", "not available"},
		{"silent", "true", "says nothing"},
		{"another program", "echo 1.2.3.4", "1.2.3.4"},
		{"a lot", "yes 'no shell here'", "no shell here"},
		{"internal-sftp", "internal-sftp", "ForceCommand"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, "ForceCommand "+c.forced)
			began := time.Now()
			_, err := ssh.Dial(w.context(), ssh.Host{Name: "box"}, w.options())
			if !errors.Is(err, ssh.ErrNoShell) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("after %s: %v", time.Since(began), err)
			}
		})
	}
}

// Start-up files that take long, as behind a lock, are waited for: at the login, and for
// each command. The operator is told.
func TestASlowLoginShellIsWaitedFor(t *testing.T) {
	w := newWorld(t)
	lock := w.write("lock", "")
	w = newWorld(t, `ForceCommand while test -e `+lock+`; do sleep 0.05; done; exec sh -c "$SSH_ORIGINAL_COMMAND"`)
	opt := w.options()
	opt.Step = func(s ssh.Step) {
		if s.Stage == ssh.Noted && strings.Contains(s.Detail, "start-up files") {
			_ = os.Remove(lock) // two may be told at the same time
		}
	}
	c, err := ssh.Dial(t.Context(), ssh.Host{Name: "box"}, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}()
	if err := os.WriteFile(lock, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := c.Exec(t.Context(), backends.Command{Argv: []string{"sh", "-c", "exit 3"}})
	if err != nil {
		t.Fatal(err)
	}
	if o, err := p.Wait(); o != backends.ExitedWith(3) || err != nil {
		t.Errorf("%s, %v", o, err)
	}
}

func TestALineThatIsTooLongSaysSo(t *testing.T) {
	w := newWorld(t)
	c := w.dial(w.options())
	_, err := c.Exec(w.context(), backends.Command{Argv: []string{"true", strings.Repeat("x", 200_000)}})
	if err == nil || !strings.Contains(err.Error(), "standard input") {
		t.Error(err)
	}
	if o, _, _ := run(t, c, "true"); !o.OK() {
		t.Error(o)
	}
}
