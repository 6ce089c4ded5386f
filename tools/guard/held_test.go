package guard_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/backendtest"
	"github.com/nod-console/nod/backends/confine"
	"github.com/nod-console/nod/backends/local"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/guard"
)

// caged is a world whose target can hold commands.
func caged(t *testing.T) (world, *confine.Cage) {
	t.Helper()
	w := newWorld(t)
	w.Remove("local")
	target := local.New(os.Environ())
	keeper := confine.NewKeeper(target, "*.key\n")
	cage, err := keeper.Cage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(keeper.Close(context.Background()), target.Close()); err != nil {
			t.Error(err)
		}
	})
	if err := w.Add(guard.Place{Target: target, User: "ops", Shell: "sh", Panes: w.pane, Cage: keeper}); err != nil {
		t.Fatal(err)
	}
	return w, cage
}

// A held command runs behind the wall that the action names, and behind no other.
func TestHeldExec(t *testing.T) {
	w, cage := caged(t)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "the.key"), []byte("hidden\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(a tools.Action) (string, backends.Outcome, error) {
		var out bytes.Buffer
		p, err := w.Exec(t.Context(), a, w.minter.Mint(a), &out, &out)
		if err != nil {
			return "", backends.Outcome{}, err
		}
		o, err := p.Wait()
		return out.String(), o, err
	}
	a := tools.Action{Tool: "x", Kind: tools.Exec, Target: "local", User: "ops", Command: "cat the.key; echo x > new; exit 3", Dialect: "sh", Dir: dir, Wall: cage.Wall()}
	out, o, err := run(a)
	if err != nil || o != backends.ExitedWith(3) || !strings.HasPrefix(out, "hidden\n") {
		t.Errorf("%q, %v, %v", out, o, err)
	}
	a.Grants = confine.Closed
	if out, o, err = run(a); err != nil || o != backends.ExitedWith(3) || strings.Contains(out, "hidden\n") {
		t.Errorf("closed: %q, %v, %v", out, o, err)
	}
	if told := guard.Refused(a, out); told != "read the.key (and 1 more about files)" {
		t.Errorf("refused: %q", told)
	}
	if told := guard.Refused(tools.Action{}, out); told != "" {
		t.Errorf("of a command that was not held: %q", told)
	}
	if _, err := os.Stat(filepath.Join(dir, "new")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it was written: %v", err)
	}
	a.Wall = "M"
	var changed *guard.ChangedError
	if _, _, err := run(a); !errors.As(err, &changed) {
		t.Errorf("behind a wall that is not there: %v", err)
	}
}

// In a pane the line says that it is held: a plain command as it is, anything else in a
// shell of its own.
func TestHeldInAPane(t *testing.T) {
	w, cage := caged(t)
	ro, held := cage.Prefix(""), cage.Prefix(confine.Closed)
	for _, c := range []struct{ command, dialect, grants, want string }{
		{"df -h /", "bash", "", ro + "df -h /"},
		{"ls *.log $HOME '$x'", "zsh", "", ro + "ls *.log $HOME '$x'"},
		{"docker ps", "bash", "UI", strings.TrimSpace(ro) + " +UI docker ps"},
		{"./check --all", "bash", confine.Closed, held + "./check --all"},
		{"df -h | sort", "bash", "", ro + "bash -c -- 'df -h | sort'"},
		{"echo it\\'s", "bash", "", ro + "bash -c -- 'echo it\\'\\''s'"},
		{"ls $(pwd)", "sh", "", ro + "sh -c -- 'ls $(pwd)'"},
		{"LANG=C ls", "bash", "", ro + "bash -c -- 'LANG=C ls'"},
		{"ls 2>/dev/null", "bash", "", ro + "bash -c -- 'ls 2>/dev/null'"},
		{"df -h | sort", "fish", "", ro + "fish --no-config '--command=df -h | sort'"},
		{"echo $((1+1))", "bash", "", ro + "bash -c -- 'echo $((1+1))'"},
	} {
		w.pane.got, w.pane.state.Shell = nil, c.dialect
		a := tools.Action{
			Tool: "x", Kind: tools.Run, Target: "local", User: "ops", Pane: "%3", Prompt: true,
			Command: c.command, Dialect: c.dialect, Wall: cage.Wall(), Grants: c.grants,
		}
		if _, err := w.Run(t.Context(), a, w.minter.Mint(a), guard.Dispatch{}); err != nil {
			t.Errorf("%s: %v", c.command, err)
		}
		if len(w.pane.got) != 1 || w.pane.got[0] != "run "+c.want {
			t.Errorf("%s: %q, want %q", c.command, w.pane.got, c.want)
		}
	}
}

// With the grant for root, each sudo of a look runs the cage and not the program; where sudo
// does not, nothing is held within it any more, and nothing has run.
func TestHeldWithinSudo(t *testing.T) {
	bin := t.TempDir()
	// It stands for a sudo that runs everything; the real one is in the tests of confine.
	script := "#!/bin/sh\n[ \"$1\" = -n ] && shift\n[ ! -e " + bin + "/no ] || exit 1\nexec \"$@\"\n"
	backendtest.WriteProgram(t, filepath.Join(bin, "sudo"), script)
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	w, cage := caged(t)
	run := func(command string) (string, backends.Outcome, error) {
		var out bytes.Buffer
		a := tools.Action{Tool: "x", Kind: tools.Exec, Target: "local", User: "ops", Command: command, Dialect: "sh", Wall: cage.Wall(), Grants: confine.Root}
		p, err := w.Exec(t.Context(), a, w.minter.Mint(a), &out, &out)
		if err != nil {
			return "", backends.Outcome{}, err
		}
		o, err := p.Wait()
		w.Ended(a, o)
		return out.String(), o, err
	}
	out, o, err := run("grep NoNewPrivs /proc/self/status; sudo -n grep NoNewPrivs /proc/self/status | sort; false")
	if err != nil || o != backends.ExitedWith(1) || out != "NoNewPrivs:\t0\nNoNewPrivs:\t1\n" {
		t.Errorf("%q, %v, %v", out, o, err)
	}
	if _, _, err := run("sudo -n touch /tmp/x"); !errors.Is(err, guard.ErrMalformed) {
		t.Errorf("what is no look: %v", err)
	}
	if err := os.WriteFile(filepath.Join(bin, "no"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	out, o, err = run("echo ran; sudo -n ls")
	if err != nil || o != backends.ExitedWith(confine.Failed) || !strings.HasPrefix(out, confine.Complaint) {
		t.Errorf("a sudo that refuses: %q, %v, %v", out, o, err)
	}
	if wall := cage.For(confine.Root); wall != confine.None {
		t.Errorf("after that %q holds looks as root", wall)
	}
}

// A helper that is gone by the time it is to run is installed anew: nothing has run.
func TestAHelperThatIsGoneIsInstalledAnew(t *testing.T) {
	w, cage := caged(t)
	w.Remove("local")
	target := &forgetful{Target: local.New(os.Environ())}
	keeper := confine.NewKeeper(target, "*.key\n")
	if err := w.Add(guard.Place{Target: target, User: "ops", Shell: "bash", Panes: w.pane, Cage: keeper}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := keeper.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	var out bytes.Buffer
	a := tools.Action{Tool: "x", Kind: tools.Exec, Target: "local", User: "ops", Command: "echo ran", Dialect: "bash", Wall: cage.Wall()}
	p, err := w.Exec(t.Context(), a, w.minter.Mint(a), &out, &out)
	if err != nil {
		t.Fatal(err)
	}
	if o, err := p.Wait(); err != nil || !o.OK() || out.String() != "ran\n" || target.held != 2 {
		t.Errorf("%v, %v, %q, %d times", o, err, out.String(), target.held)
	}
}

// forgetful is this machine, on which the helper is gone when it is first to run.
type forgetful struct {
	backends.Target
	held int
}

func (f *forgetful) Exec(ctx context.Context, c backends.Command) (backends.Process, error) {
	if strings.HasSuffix(c.Argv[0], "/cage") {
		if f.held++; f.held == 1 {
			return nil, fmt.Errorf("no program %q: %w", c.Argv[0], fs.ErrNotExist)
		}
	}
	return f.Target.Exec(ctx, c)
}

// What .bashrc defines and prints is not in the way of a command that runs over ssh: bash
// takes itself for the login shell there, and would read it.
func TestBashReadsNoStartUpFile(t *testing.T) {
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, ".bashrc"), []byte("echo noise\nls() { echo function; }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", home)
	w, cage := caged(t)
	w.Remove("local")
	target := overSSH{local.New(os.Environ())}
	keeper := confine.NewKeeper(target, "")
	t.Cleanup(func() {
		if err := keeper.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	if err := w.Add(guard.Place{Target: target, User: "ops", Shell: "bash", Panes: w.pane, Cage: keeper}); err != nil {
		t.Fatal(err)
	}
	for _, wall := range []confine.Wall{confine.None, cage.Wall()} {
		var out bytes.Buffer
		a := tools.Action{Tool: "x", Kind: tools.Exec, Target: "local", User: "ops", Command: "ls -d /", Dialect: "bash", Wall: wall}
		p, err := w.Exec(t.Context(), a, w.minter.Mint(a), &out, &out)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Wait(); err != nil || out.String() != "/\n" {
			t.Errorf("behind %s: %q, %v", wall, out.String(), err)
		}
	}
}

// overSSH is this machine with the environment that a login over ssh has.
type overSSH struct{ backends.Target }

func (o overSSH) Exec(ctx context.Context, c backends.Command) (backends.Process, error) {
	c.Env = append(c.Env, "SSH_CLIENT=127.0.0.1 1 22", "SHLVL=0")
	return o.Target.Exec(ctx, c)
}
