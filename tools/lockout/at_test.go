package lockout_test

import (
	"bytes"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nod-console/nod/tools/lockout"
)

// Where atd runs and systemd does not, at takes the revert. It knows only
// minutes; the revert itself keeps to the second.
func TestAtTakesTheRevert(t *testing.T) {
	for _, program := range []string{"at", "/usr/sbin/atd", "nsenter", "unshare"} {
		if _, err := exec.LookPath(program); err != nil {
			missing(t, program)
		}
	}
	h := newHost(t)
	// A /run of its own, so that nobody else finds this atd.
	daemon := exec.Command("ip", "netns", "exec", h.name, "unshare", "-m", "sh", "-c", "mount -t tmpfs none /run && exec /usr/sbin/atd -f")
	daemon.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := daemon.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-daemon.Process.Pid, syscall.SIGKILL) // of the test's own
		_ = daemon.Wait()                                      // it is killed
	})
	pid := func() string {
		out, _ := exec.Command("pgrep", "-g", strconv.Itoa(daemon.Process.Pid), "-x", "atd").Output() // none yet
		return strings.TrimSpace(string(out))
	}
	for begun := time.Now(); pid() == ""; time.Sleep(20 * time.Millisecond) {
		if time.Since(begun) > 20*time.Second {
			t.Fatal("atd does not start")
		}
	}
	atd := pid()
	run := func(p *lockout.Plan, command string, stdin []byte) lockout.Answer {
		cmd := exec.Command("nsenter", "-t", atd, "-m", "-n", "sh", "-c", command)
		cmd.Stdin = bytes.NewReader(stdin)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		a, err := p.Read(string(out))
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return a
	}
	jobs := func() string {
		out, _ := exec.Command("atq").CombinedOutput() // an empty queue is none
		return string(out)
	}
	before := jobs()
	was := h.state()
	p := plan(t, "ip route del default", soon)
	for begun := time.Now(); ; time.Sleep(100 * time.Millisecond) { // its pid file comes late
		if out, _ := exec.Command("nsenter", "-t", atd, "-m", "cat", "/run/atd.pid").Output(); strings.TrimSpace(string(out)) == atd {
			break
		}
		if time.Since(begun) > 20*time.Second {
			t.Fatal("atd has no pid file")
		}
	}
	if a := run(p, p.Arm.Command, p.Arm.Stdin); a.State != lockout.Armed || a.Means != "at" {
		t.Fatalf("%+v", a)
	}
	h.must("ip route del default")
	var got lockout.Answer
	for begun := time.Now(); got.State != lockout.Reverted; time.Sleep(200 * time.Millisecond) {
		if got = run(p, p.Collect.Command, p.Collect.Stdin); time.Since(begun) > 90*time.Second {
			t.Fatalf("the revert does not come: %+v", got)
		}
	}
	if now := h.state(); now != was {
		t.Errorf("it was\n%s\nand is\n%s", was, now)
	}
	// Taken back, the job is gone.
	p = plan(t, "ip route del default", time.Hour)
	if a := run(p, p.Arm.Command, p.Arm.Stdin); a.Means != "at" {
		t.Fatalf("%+v", a)
	}
	if a := run(p, p.Disarm.Command, p.Disarm.Stdin); a.State != lockout.Disarmed {
		t.Fatalf("%+v", a)
	}
	if after := jobs(); after != before {
		t.Errorf("jobs are left: %s", after)
	}
}
