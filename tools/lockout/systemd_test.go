package lockout_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nod-console/nod/backends/backendtest"
	"github.com/nod-console/nod/tools/lockout"
)

// booted is a host that says it was booted by systemd, with a systemd-run and a
// systemctl that only write down how they were called.
type booted struct {
	*host
	holds string // the process that keeps its /run
	tools string // the folder with both programs
}

func newBooted(t *testing.T) *booted {
	t.Helper()
	for _, program := range []string{"nsenter", "unshare"} {
		if _, err := exec.LookPath(program); err != nil {
			missing(t, program)
		}
	}
	h := newHost(t)
	b := &booted{host: h, tools: t.TempDir()}
	// A /run of its own, and these two before any that the machine has.
	setUp := "mount -t tmpfs none /run && mkdir -p /run/systemd/system"
	for _, name := range []string{"systemd-run", "systemctl"} {
		path := filepath.Join(b.tools, name)
		script := fmt.Sprintf("#!/bin/sh\n{ printf %s; printf ' <%%s>' \"$@\"; echo; } >>%[2]s/log\n[ ! -e %[2]s/%[1]s.fails ]\n", name, b.tools)
		backendtest.WriteProgram(t, path, script)
		setUp += fmt.Sprintf(" && { [ ! -e /usr/bin/%[1]s ] || mount --bind %[2]s /usr/bin/%[1]s; }", name, path)
	}
	holder := exec.Command("ip", "netns", "exec", h.name, "unshare", "-m", "sh", "-c", setUp+" && touch "+b.tools+"/up && exec sleep infinity")
	holder.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-holder.Process.Pid, syscall.SIGKILL) // of the test's own
		_ = holder.Wait()                                      // it is killed
	})
	for begun := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(b.tools + "/up"); err == nil {
			break
		}
		if time.Since(begun) > time.Minute {
			t.Fatal("the host does not come up")
		}
	}
	b.holds = fmt.Sprint(holder.Process.Pid) // each program before it was replaced by the next
	return b
}

// within runs a program there, with the two in its PATH.
func (b *booted) within(stdin string, argv ...string) (string, error) {
	cmd := exec.Command("nsenter", append([]string{"-t", b.holds, "-m", "-n"}, argv...)...)
	cmd.Stdin, cmd.Env = strings.NewReader(stdin), append(os.Environ(), "PATH="+b.tools+":"+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (b *booted) answers(p *lockout.Plan, command string, stdin []byte) lockout.Answer {
	b.t.Helper()
	out, err := b.within(string(stdin), "sh", "-c", command)
	if err != nil {
		b.t.Fatalf("%v: %s", err, out)
	}
	a, err := p.Read(out)
	if err != nil {
		b.t.Fatalf("%v: %s", err, out)
	}
	return a
}

// called is how the two were called since the last time, a line each.
func (b *booted) called() []string {
	b.t.Helper()
	text, err := os.ReadFile(b.tools + "/log")
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.Remove(b.tools + "/log"); err != nil {
		b.t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// armedBy is how systemd is asked to carry out a revert: the whole command line.
func armedBy(p *lockout.Plan, after int) []string {
	dir := "/run/nod-revert-" + p.ID
	return []string{
		fmt.Sprintf("systemd-run <--quiet> <--collect> <--unit=nod-revert-%s> <--on-active=%d> <--timer-property=AccuracySec=1s> </bin/sh> <%s/revert> <%[3]s>", p.ID, after, dir),
		fmt.Sprintf("systemctl <is-active> <--quiet> <nod-revert-%s.timer>", p.ID),
	}
}

// Where systemd runs, it takes the revert: a timer of its own, which starts exactly
// what brings the network back, with nothing of the caller's environment.
func TestSystemdTakesTheRevert(t *testing.T) {
	t.Parallel()
	b := newBooted(t)
	was := b.state()
	p := plan(t, "ip route del default", soon)
	if a := b.answers(p, p.Arm.Command, p.Arm.Stdin); a.State != lockout.Armed || a.Means != "systemd" {
		t.Fatalf("%+v", a)
	}
	calls := b.called()
	if want := armedBy(p, int(soon/time.Second)); !slices.Equal(calls, want) {
		t.Fatalf("called %q, want %q", calls, want)
	}
	b.must("ip route del default")
	// What the timer would start.
	_, command, _ := strings.Cut(calls[0], "<--timer-property=AccuracySec=1s> <")
	argv := strings.Split(strings.TrimSuffix(command, ">"), "> <")
	if out, err := b.within("", append([]string{"env", "-i", "-C", "/"}, argv...)...); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if now := b.state(); now != was {
		t.Errorf("not as it was:\n%s\nwas\n%s", now, was)
	}
	if got := b.answers(p, p.Collect.Command, p.Collect.Stdin); got.State != lockout.Reverted {
		t.Errorf("%+v", got)
	}
	b.nothingLeft(p)
}

// A revert that systemd has is taken back by stopping its timer.
func TestTheRevertIsTakenBackFromSystemd(t *testing.T) {
	t.Parallel()
	b := newBooted(t)
	p := plan(t, "ip route del default", time.Minute)
	b.answers(p, p.Arm.Command, p.Arm.Stdin)
	b.called()
	if got := b.answers(p, p.Disarm.Command, p.Disarm.Stdin); got.State != lockout.Disarmed {
		t.Errorf("%+v", got)
	}
	if calls, want := b.called(), []string{"systemctl <stop> <nod-revert-" + p.ID + ".timer>"}; !slices.Equal(calls, want) {
		t.Errorf("called %q, want %q", calls, want)
	}
	if out, err := b.within("", "test", "!", "-e", "/run/nod-revert-"+p.ID); err != nil {
		t.Errorf("its folder is left behind: %s", out)
	}
}

// A systemd that does not take it, or whose timer does not run, is not relied on.
func TestASystemdThatDoesNotTakeTheRevert(t *testing.T) {
	t.Parallel()
	for _, fails := range []string{"systemd-run", "systemctl"} {
		b := newBooted(t)
		if err := os.WriteFile(b.tools+"/"+fails+".fails", nil, 0o600); err != nil {
			t.Fatal(err)
		}
		p := plan(t, "ip route del default", time.Minute)
		if a := b.answers(p, p.Arm.Command, p.Arm.Stdin); a.State != lockout.Armed || a.Means != "a shell" {
			t.Errorf("%s fails: %+v", fails, a)
		}
		if got := b.answers(p, p.Disarm.Command, p.Disarm.Stdin); got.State != lockout.Disarmed {
			t.Errorf("%s fails: %+v", fails, got)
		}
		b.nothingLeft(p)
	}
}
