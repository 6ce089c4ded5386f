package lockout_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/lockout"
	"github.com/nod-console/nod/tools/risk"
)

// soon is when most reverts come here.
const soon = 3 * time.Second

var hosts atomic.Int64

// host is a network of its own with an /etc/ssh of its own, on this machine.
type host struct {
	t    *testing.T
	name string
}

func newHost(t *testing.T) *host {
	t.Helper()
	if os.Geteuid() != 0 {
		missing(t, "root, for a network namespace")
	}
	for _, program := range []string{"ip", "nft", "iptables"} {
		if _, err := exec.LookPath(program); err != nil {
			missing(t, program)
		}
	}
	h := &host{t, fmt.Sprintf("nodlock%d-%d", os.Getpid(), hosts.Add(1))}
	own := filepath.Join("/etc/netns", h.name)
	h.outside("mkdir", "-p", own+"/ssh")
	t.Cleanup(func() {
		h.outside("rm", "-rf", own)
		_ = os.Remove("/etc/netns") // if nobody else has anything there
	})
	h.outside("ip", "netns", "add", h.name)
	t.Cleanup(func() { h.outside("ip", "netns", "del", h.name) })
	h.must(`ip link set lo up; ip link add v0 type veth peer name v1; ip link set v0 addrgenmode none; ip link set v1 addrgenmode none; ip link set v0 up; ip link set v1 up
		ip addr add 10.77.0.1/24 dev v0; ip addr add fd77::1/64 dev v0 nodad; ip route add default via 10.77.0.2; ip route add 10.88.0.0/16 via 10.77.0.3 metric 7
		ip -6 route add default via fd77::2; ip rule add from 10.99.0.0/16 lookup 77; ip route add 10.99.0.0/16 dev v0 table 77
		echo 'Port 22' >/etc/ssh/sshd_config; mkdir -m 750 /etc/ssh/sshd_config.d; echo 'X no' >/etc/ssh/sshd_config.d/a.conf; chmod 640 /etc/ssh/sshd_config.d/a.conf`)
	h.carries()
	return h
}

// carries waits until the kernel has noticed that the links are up, which it does
// a moment after they are.
func (h *host) carries() {
	h.t.Helper()
	h.must("for i in $(seq 600); do ip link | grep -q NO-CARRIER || exit 0; sleep 0.05; done; exit 1")
}

func missing(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("CI") == "true" || os.Getenv("NOD_TEST_ALL") == "1" {
		t.Fatalf("there is no %s", what)
	}
	t.Skipf("there is no %s", what)
}

func (h *host) outside(argv ...string) {
	h.t.Helper()
	if out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput(); err != nil {
		h.t.Fatalf("%q: %v: %s", argv, err, out)
	}
}

// run runs a command line there, with a standard input.
func (h *host) run(command, stdin string) (string, error) {
	cmd := exec.Command("ip", "netns", "exec", h.name, "sh", "-c", command)
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (h *host) must(command string) string {
	h.t.Helper()
	out, err := h.run(command, "")
	if err != nil {
		h.t.Fatalf("%s: %v: %s", command, err, out)
	}
	return out
}

// state is all that a revert may have to bring back.
func (h *host) state() string {
	return h.must(`ip -o link show | sed 's/state.*//'; ip -o addr show | sed -e 's/valid_lft.*//' -e 's/nodad//' | grep -v fe80; ip route show table main; ip -6 route show table main | grep -v fe80
		ip route show table 77; ip rule show; iptables-save | grep -e ^-A -e DROP
		nft list tables | grep -v 'table ip filter' | while read -r t; do nft list $t | sed 's/packets.*bytes [0-9]*//'; done
		cd /etc/ssh; find . | sort | xargs stat -c '%n %a %u %F' 2>&1; find . -type f | sort | xargs cat 2>&1 || :`) // a revert in progress makes files that are gone when they are read
}

// do carries out one of a plan's actions.
func (h *host) do(p *lockout.Plan, a tools.Action) lockout.Answer {
	h.t.Helper()
	out, err := h.run(a.Command, string(a.Stdin))
	if err != nil {
		h.t.Fatalf("%v: %s", err, out)
	}
	answer, err := p.Read(out)
	if err != nil {
		h.t.Fatalf("%v: %s", err, out)
	}
	return answer
}

func plan(t *testing.T, command string, after time.Duration) *lockout.Plan {
	t.Helper()
	a := tools.Action{Kind: tools.Exec, Target: "ssh:x", Command: command, Dialect: "sh"}
	p, why := lockout.For(a, risk.Command(command, risk.POSIX), after)
	if p == nil {
		t.Fatalf("%s: no revert: %s", command, why)
	}
	if after < lockout.MinAfter { // the scripts know no minimum
		was, is := fmt.Sprintf("after=%d\n", lockout.MinAfter/time.Second), fmt.Sprintf("after=%d\n", after/time.Second)
		p.Arm.Stdin = bytes.Replace(p.Arm.Stdin, []byte(was), []byte(is), 1)
	}
	return p
}

// nothingLeft expects neither a folder nor a process of the revert.
func (h *host) nothingLeft(p *lockout.Plan) {
	h.t.Helper()
	for _, base := range []string{"/run", "/tmp"} {
		if _, err := os.Stat(base + "/nod-revert-" + p.ID); err == nil {
			h.t.Errorf("%s/nod-revert-%s is left behind", base, p.ID)
		}
	}
	deadline := time.Now().Add(5 * time.Second)
	for {
		out, err := exec.Command("pgrep", "-f", "nod-revert-"+p.ID).CombinedOutput()
		if err != nil {
			return
		}
		if time.Now().After(deadline) {
			h.t.Fatalf("left behind: %s", out)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// reverted arms a revert that comes after some time, gives the command and waits for the
// revert. changed reports whether the command was seen to have changed anything before.
func (h *host) reverted(command, was string, in time.Duration) (p *lockout.Plan, got lockout.Answer, changed bool) {
	h.t.Helper()
	p = plan(h.t, command, in)
	if a := h.do(p, p.Arm); a.State != lockout.Armed || a.In != in {
		h.t.Fatalf("armed: %+v", a)
	}
	h.must(command)
	changed = h.state() != was
	for begun := time.Now(); got.State != lockout.Reverted; time.Sleep(100 * time.Millisecond) {
		if got = h.do(p, p.Collect); time.Since(begun) > in+time.Minute {
			h.t.Fatalf("the revert does not come: %+v", got)
		}
	}
	return p, got, changed
}

// What is armed comes, and what it touches is as it was.
func TestTheRevertBringsBackWhatTheCommandBroke(t *testing.T) {
	t.Parallel()
	for name, command := range map[string]string{
		"default route": "ip route del default",
		"all routes":    "ip route flush table main",
		"other route":   "ip route replace default via 10.77.0.9",
		"link down":     "ip link set v0 down",
		"mtu":           "ip link set v0 mtu 900",
		"addresses":     "ip addr flush dev v0",
		"other address": "ip addr add 10.77.0.66/24 dev v0",
		"rules":         "ip rule del lookup 77; ip rule add prio 5 blackhole from all",
		"port closed":   "iptables -A INPUT -p tcp --dport 22 -j DROP",
		"policy":        "iptables -P INPUT DROP",
		"nft":           "nft 'add table inet n; add chain inet n c { type filter hook input priority 0; policy drop; }'",
		"nft flush":     "nft flush ruleset",
		"sshd_config":   "echo 'Port 2222' > /etc/ssh/sshd_config",
		"a file more":   "echo 'DenyUsers *' > /etc/ssh/sshd_config.d/z.conf",
		"mode":          "chmod 666 /etc/ssh/sshd_config.d/a.conf",
		"removed":       "rm -rf /etc/ssh/sshd_config.d /etc/ssh/sshd_config",
		"in place":      "sed -i 's/22/23/' /etc/ssh/sshd_config",
		"several":       "ip route del default; iptables -P INPUT DROP; rm /etc/ssh/sshd_config",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t)
			if strings.HasPrefix(name, "nft flush") || name == "port closed" {
				h.must("iptables -A INPUT -i lo -j ACCEPT; nft add table inet mine; nft add chain inet mine c '{ type filter hook input priority 5; }'; nft add rule inet mine c tcp dport 25 counter drop")
			}
			was := h.state()
			p, got, changed := h.reverted(command, was, soon)
			for in := 2 * soon; !changed && in <= time.Minute; in *= 2 { // it came before anybody had looked
				p, got, changed = h.reverted(command, was, in)
			}
			if !changed {
				t.Fatal("the command changes nothing: the test proves nothing")
			}
			h.carries()
			if now := h.state(); now != was {
				t.Errorf("it was\n%s\nand is\n%s\n%q", was, now, got.Log)
			}
			if len(got.Log) < 3 || strings.Contains(strings.Join(got.Log, "\n"), "FAILED") {
				t.Errorf("the log says %q", got.Log)
			}
			h.nothingLeft(p)
			if a := h.do(p, p.Disarm); a.State != lockout.Gone {
				t.Errorf("disarmed after it: %+v", a)
			}
		})
	}
}

func TestWhatIsDisarmedLeavesNothing(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	was := h.state()
	p := plan(t, "ip route del default; iptables -P INPUT DROP; rm /etc/ssh/sshd_config", time.Hour)
	if a := h.do(p, p.Arm); a.State != lockout.Armed || a.Means == "" {
		t.Fatalf("%+v", a)
	}
	if out, err := h.run(p.Arm.Command, string(p.Arm.Stdin)); err == nil {
		t.Errorf("armed twice: %s", out)
	}
	if a := h.do(p, p.Collect); a.State != lockout.Armed || a.In < 50*time.Minute {
		t.Errorf("%+v", a)
	}
	if a := h.do(p, p.Disarm); a.State != lockout.Disarmed {
		t.Fatalf("%+v", a)
	}
	h.nothingLeft(p)
	if a := h.do(p, p.Disarm); a.State != lockout.Gone {
		t.Errorf("%+v", a)
	}
	if h.state() != was {
		t.Error("something has changed")
	}
}

// A revert of what nobody changed changes nothing: it must not cut connections.
func TestARevertOfNothingTouchesNothing(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.must("iptables -A INPUT -i lo -j ACCEPT; nft add table inet mine")
	p := plan(t, "ip route del default; iptables -P INPUT DROP; rm /etc/ssh/sshd_config", soon)
	h.do(p, p.Arm)
	var got lockout.Answer
	for begun := time.Now(); got.State != lockout.Reverted; {
		if got = h.do(p, p.Collect); time.Since(begun) > 30*time.Second {
			t.Fatalf("%+v", got)
		}
		time.Sleep(100 * time.Millisecond)
	}
	if len(got.Log) != 2 {
		t.Errorf("it did something: %q", got.Log)
	}
}

// Whoever comes first wins, and the other one says so.
func TestDisarmingComesTooLate(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	p := plan(t, "ip route del default", soon)
	h.do(p, p.Arm)
	taken := "/run/nod-revert-" + p.ID + "/taken"
	for begun := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		if _, err := os.Lstat(taken); err == nil {
			break
		}
		if time.Since(begun) > 30*time.Second {
			t.Fatal("it does not come")
		}
	}
	if a := h.do(p, p.Disarm); a.State != lockout.Fired {
		t.Errorf("%+v", a)
	}
	for h.do(p, p.Collect).State != lockout.Reverted {
		time.Sleep(50 * time.Millisecond)
	}
}

// A disarming that was cut off in its midst has won all the same: the revert does
// not come, and disarming again completes it.
func TestAnInterruptedDisarmingHasWon(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	p := plan(t, "ip route del default", soon)
	h.do(p, p.Arm)
	dir := "/run/nod-revert-" + p.ID
	if err := os.Symlink("disarm", dir+"/taken"); err != nil {
		t.Fatal(err)
	}
	h.must("ip route del default")
	was := h.state()
	for begun := time.Now(); ; time.Sleep(50 * time.Millisecond) { // until the revert has come and gone
		if exec.Command("pgrep", "-f", "nod-revert-"+p.ID).Run() != nil {
			break
		}
		if time.Since(begun) > 30*time.Second {
			t.Fatal("it does not end")
		}
	}
	if h.state() != was {
		t.Error("it has reverted although it was taken back")
	}
	if a := h.do(p, p.Disarm); a.State != lockout.Disarmed {
		t.Errorf("%+v", a)
	}
	h.nothingLeft(p)
}

func TestWithoutRightsNothingIsArmed(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		missing(t, "root, to become somebody else")
	}
	p := plan(t, "ip route del default", time.Hour)
	cmd := exec.Command("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "env", "-i", "PATH="+os.Getenv("PATH"), "HOME=/nonexistent", "sh", "-c", p.Arm.Command)
	cmd.Stdin = strings.NewReader(string(p.Arm.Stdin))
	if out, err := cmd.CombinedOutput(); err == nil {
		t.Errorf("armed: %s", out)
	}
	// What is only the user's own needs no more rights than the user's.
	home := t.TempDir()
	if err := os.Chmod(home, 0o777); err != nil { //nolint:gosec // for another user
		t.Fatal(err)
	}
	for dir := filepath.Dir(home); dir != "/tmp" && dir != "/"; dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil { //nolint:gosec // for another user
			t.Fatal(err)
		}
	}
	own := plan(t, "echo x >> ~/.ssh/authorized_keys", soon)
	as := func(command, stdin string) string {
		cmd := exec.Command("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "env", "-i", "PATH="+os.Getenv("PATH"), "HOME="+home, "sh", "-c", command)
		cmd.Stdin = strings.NewReader(stdin)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return string(out)
	}
	as("mkdir -m 700 ~/.ssh; echo key > ~/.ssh/authorized_keys; chmod 600 ~/.ssh/authorized_keys", "")
	if a, err := own.Read(as(own.Arm.Command, string(own.Arm.Stdin))); err != nil || a.State != lockout.Armed {
		t.Fatalf("%+v %v", a, err)
	}
	as("echo other > ~/.ssh/authorized_keys; chmod 777 ~/.ssh", "")
	for begun := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		a, err := own.Read(as(own.Collect.Command, string(own.Collect.Stdin)))
		if err != nil {
			t.Fatal(err)
		}
		if a.State == lockout.Reverted {
			break
		}
		if time.Since(begun) > 30*time.Second {
			t.Fatalf("%+v", a)
		}
	}
	if got := as("cat ~/.ssh/authorized_keys; stat -c %a ~/.ssh", ""); got != "key\n700\n" {
		t.Errorf("%q", got)
	}
}
