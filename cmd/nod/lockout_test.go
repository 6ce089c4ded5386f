package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// island is a host of its own: a real sshd in a network namespace, with an
// /etc/ssh of its own, at the other end of a pair of links. In ssh_config its
// name is "box".
type island struct {
	*remote
	name    string
	address string // its own; the default route leads back here
}

var (
	islands  atomic.Int64
	settings sync.Mutex // held while folders in /etc/netns come and go
)

const (
	revertSoon = 12 * time.Second // where it is waited for
	revertLate = 2 * time.Minute  // where it is to be taken back, also on a slow machine
)

func newIsland(t *testing.T, after time.Duration, replies ...[]string) (*world, *island) {
	t.Helper()
	if os.Geteuid() != 0 {
		if os.Getenv("CI") == "true" || os.Getenv("NOD_TEST_ALL") == "1" {
			t.Fatal("a network namespace needs root")
		}
		t.Skip("a network namespace needs root")
	}
	for _, program := range []string{"ip", "nft", "iptables"} {
		needs(t, program)
	}
	w, r := newRemote(t)
	// 198.18.0.0/15 is for tests of networks (RFC 2544).
	n := (os.Getpid()%400)*32 + int(islands.Add(1))%32
	h := &island{remote: r, name: fmt.Sprintf("nodisle%d", n), address: fmt.Sprintf("198.18.%d.%d", n/64, n%64*4+2)}
	here := fmt.Sprintf("198.18.%d.%d", n/64, n%64*4+1)
	t.Cleanup(func() { // what a test that failed has left
		for _, id := range h.plans() {
			_ = os.RemoveAll("/run/nod-revert-" + id) // it is seldom there
		}
	})
	own := filepath.Join("/etc/netns", h.name)
	settings.Lock()
	h.outside("mkdir", "-p", own+"/ssh")
	settings.Unlock()
	t.Cleanup(func() {
		settings.Lock()
		defer settings.Unlock()
		h.outside("rm", "-rf", own)
		_ = os.Remove("/etc/netns") // if nobody else has anything there
	})
	h.outside("ip", "netns", "add", h.name)
	t.Cleanup(func() { h.outside("ip", "netns", "del", h.name) })
	outer, inner := fmt.Sprintf("nodo%d", n), fmt.Sprintf("nodi%d", n)
	h.outside("ip", "link", "add", outer, "type", "veth", "peer", "name", inner)
	t.Cleanup(func() { _ = exec.Command("ip", "link", "del", outer).Run() }) // it may have gone with the other end
	h.outside("ip", "link", "set", inner, "netns", h.name)
	h.outside("ip", "addr", "add", here+"/32", "dev", outer)
	h.outside("ip", "link", "set", outer, "up")
	h.outside("ip", "route", "add", h.address, "dev", outer, "src", here)
	h.inside("ip link set lo up; ip addr add %s/32 dev %s; ip link set %[2]s up; ip route add default via %s dev %[2]s onlink", h.address, inner, here)
	if err := os.WriteFile(own+"/ssh/sshd_config", []byte("PidFile "+r.path("home/sshd.pid")+"\n"+r.read("sshd_config")+"Port 22\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.write("known_hosts", h.address+" "+string(marshalled(r.hostKey)))
	r.write("config", strings.Join([]string{
		"Host box", "HostName " + h.address, "User " + r.user, "IdentityFile " + r.path("id"), "IdentitiesOnly yes",
		"UserKnownHostsFile " + r.path("known_hosts"), "GlobalKnownHostsFile none", "ConnectTimeout 3",
	}, "\n  ")+"\n")
	h.startServer()
	m := serveModel(t, replies...)
	w.extra = append(w.extra, "NOD_BASE_URL="+m.URL+"/v1", "NOD_MODEL=scripted")
	w.write(".config/nod/config.toml", "[tmux]\nsocket = \""+w.socket+"\"\n[ssh]\nkeepalive = \"1s\"\n[policy]\nrevert_after = \""+after.String()+"\"\n", 0o600)
	return w, h
}

func (h *island) outside(argv ...string) {
	h.t.Helper()
	if out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput(); err != nil {
		h.t.Fatalf("%q: %v: %s", argv, err, out)
	}
}

// inside runs a command line there.
func (h *island) inside(format string, args ...any) string {
	h.t.Helper()
	out, err := exec.Command("ip", "netns", "exec", h.name, "sh", "-c", fmt.Sprintf(format, args...)).CombinedOutput()
	if err != nil {
		h.t.Fatalf("%s: %v: %s", fmt.Sprintf(format, args...), err, out)
	}
	return string(out)
}

// startServer runs the sshd until the test's end.
func (h *island) startServer() {
	server := exec.Command("ip", "netns", "exec", h.name, "/usr/sbin/sshd", "-D", "-e")
	server.Stderr = h.server.LogWriter()
	server.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := server.Start(); err != nil {
		h.t.Fatal(err)
	}
	var ended sync.WaitGroup
	ended.Go(func() { _ = server.Wait() }) // it is killed
	h.t.Cleanup(func() {
		for _, pid := range strings.Fields(h.inside("ip netns pids %s | grep -v $$ || true", h.name)) {
			if comm, err := os.ReadFile("/proc/" + pid + "/comm"); err == nil && strings.HasPrefix(string(comm), "sshd") {
				_ = exec.Command("kill", "-KILL", pid).Run() // of this namespace alone
			}
		}
		ended.Wait()
	})
	eventually(h.t, "the server", func() bool { return h.ssh("box", "true").Run() == nil })
}

// nothingLeft expects nothing of a revert on the host.
func (h *island) nothingLeft() {
	h.t.Helper()
	eventually(h.t, "nothing of a revert is left", func() bool {
		pids := strings.Fields(h.inside("ip netns pids %s", h.name))
		for _, pid := range pids {
			if line, _ := os.ReadFile("/proc/" + pid + "/cmdline"); strings.Contains(string(line), "nod-revert") {
				return false
			}
		}
		return true
	})
	for _, id := range h.plans() {
		for _, base := range []string{"/run", "/tmp"} {
			if _, err := os.Stat(base + "/nod-revert-" + id); err == nil {
				h.t.Errorf("%s/nod-revert-%s is left behind", base, id)
			}
		}
	}
}

// entry is as much of the record as these tests look at.
type entry struct {
	Type   string
	Intent *struct {
		Tool, Command, Revert, For, Digest, Decision string
	}
	Conclusion *struct {
		Outcome string
		Exit    *int `json:"exit_code"`
	}
	Note *struct{ Kind, Text string }
}

func (h *island) record() []entry {
	h.t.Helper()
	var all []entry
	for _, line := range strings.Split(strings.TrimSpace(h.world.must("audit", "export")), "\n") {
		var e entry
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			h.t.Fatalf("%v: %s", err, line)
		}
		all = append(all, e)
	}
	return all
}

// plans are the IDs of all reverts on record.
func (h *island) plans() []string {
	var ids []string
	for _, e := range h.record() {
		if e.Intent != nil && e.Intent.Revert != "" && (len(ids) == 0 || ids[len(ids)-1] != e.Intent.Revert) {
			ids = append(ids, e.Intent.Revert)
		}
	}
	return ids
}

// chatSays waits until all of wanted are in the chat, however its lines are
// folded.
func chatSays(s *display, wanted ...string) {
	s.t.Helper()
	s.until("read "+strings.Join(wanted, " and "), func(text string) bool {
		said := chatText(text)
		for _, w := range wanted {
			if !strings.Contains(said, w) {
				return false
			}
		}
		return true
	})
}

// chatText is what the chat of a screen says, in one line.
func chatText(screen string) string {
	var words []string
	for _, line := range strings.Split(screen, "\n") {
		left, _, _ := strings.Cut(strings.TrimPrefix(line, "│"), "│")
		words = append(words, strings.Fields(left)...)
	}
	return strings.Join(words, " ")
}

// approveWithRevert answers the dialog by "r" and the host's name.
func approveWithRevert(s *display) {
	s.t.Helper()
	s.see("APPROVE on ssh:box", "type ssh:box", " r")
	s.press("r")
	s.until("see it ask for the name", func(text string) bool {
		return strings.Contains(text, "then Enter:") || strings.Contains(text, "name: ")
	})
	s.typed("ssh:box")
	s.press("Enter")
	s.see("the name is typed")
	s.press("r")
	s.seeNo("APPROVE")
}

// What cuts the operator off comes back by itself, and all of it is on record.
func TestTheRevertBringsTheLinkBack(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		command, state, log string
	}{
		"route":    {"ip route del default", "ip route show default", "route added: default"},
		"firewall": {"iptables -A INPUT -p tcp --dport 22 -j DROP", "iptables-save | grep -e ^-A || true", "iptables restored"},
		"nft":      {"nft 'add table inet n; add chain inet n c { type filter hook input priority 0; policy drop; }'", "nft list tables", "nftables restored"},
		"sshd":     {"echo 'DenyUsers *' >> /etc/ssh/sshd_config && kill -HUP $(cat ~/sshd.pid)", "cat /etc/ssh/sshd_config", "restored /etc/ssh/sshd_config"},
	} {
		t.Run(name, func(t *testing.T) {
			if name != "sshd" && !thorough() {
				t.Skip("a longer test: set NOD_E2E=1")
			}
			w, h := newIsland(t, revertSoon, calls(shell("a", c.command, true)), says("Done."))
			was := h.inside("%s", c.state)
			s := w.console(120, 40, "box")
			s.see("box$")
			s.typed("do it")
			s.press("Enter")
			approveWithRevert(s)
			chatSays(s, "the revert comes at")
			if now := h.inside("%s", c.state); now == was {
				t.Errorf("the command has changed nothing: %s", now)
			}
			chatSays(s, "is back, reverted", c.log)
			s.seeNo("revert in ")
			if now := h.inside("%s", c.state); now != was {
				t.Errorf("it was\n%s\nand is\n%s", was, now)
			}
			if err := h.ssh("box", "true").Run(); err != nil {
				t.Errorf("no login: %v", err)
			}
			s.see("Done.")
			leave(s)
			h.nothingLeft()
			h.complete(c.command, "revert armed", "the revert comes at", "is back, reverted")
		})
	}
}

// complete expects on record: the arming before the command and linked to it,
// each with an end, and what the operator was told.
func (h *island) complete(command string, told ...string) {
	h.t.Helper()
	var armed, ran, ends int
	var id, guards, digest string
	var notes strings.Builder
	for i, e := range h.record() {
		switch {
		case e.Intent != nil && e.Intent.Tool == "revert":
			if armed == 0 {
				armed, id, guards = i+1, e.Intent.Revert, e.Intent.For
			}
			if e.Intent.Revert != id || e.Intent.For != guards || e.Intent.Decision != "revert" {
				h.t.Errorf("not linked: %+v", e.Intent)
			}
		case e.Intent != nil && e.Intent.Command == command:
			ran, digest = i+1, e.Intent.Digest
			if e.Intent.Revert != id || e.Intent.Decision != "approved" {
				h.t.Errorf("the command: %+v", e.Intent)
			}
		case e.Conclusion != nil:
			ends++
		case e.Note != nil && e.Note.Kind == "revert":
			notes.WriteString(e.Note.Text + "\n")
		}
	}
	if armed == 0 || ran < armed || guards != digest || ends < 3 {
		h.t.Errorf("armed at %d, ran at %d, stands by %s of %s, %d ends", armed, ran, guards, digest, ends)
	}
	for _, text := range told {
		if !strings.Contains(notes.String(), text) {
			h.t.Errorf("the record does not say %q:\n%s", text, notes.String())
		}
	}
	h.world.must("audit", "verify")
}

// What does no harm is let be, and nothing stays behind.
func TestTheRevertIsCancelledByANewLogin(t *testing.T) {
	t.Parallel()
	for name, size := range oneSize("wide") {
		t.Run(name, func(t *testing.T) {
			command := "ip route add blackhole 203.0.113.0/24"
			w, h := newIsland(t, revertLate, calls(shell("a", command, true)), says("Done."))
			s := w.console(size[0], size[1], "box")
			if size[0] > 40 {
				s.see("box$")
			}
			s.see("nothing running")
			s.typed("do it")
			s.press("Enter")
			s.see("APPROVE on ssh:box")
			s.until("see the whole of it", func(text string) bool {
				if wantsReading(text) {
					s.press("PgDn")
				}
				return strings.Contains(text, "type ssh:box")
			})
			s.press("x")
			s.see("APPROVE", "back to what would run")
			s.press("x")
			logins := h.logins()
			approveWithRevert(s)
			chatSays(s, "a new login works")
			if h.logins() != logins+1 {
				t.Errorf("%d logins for the proof", h.logins()-logins)
			}
			if routes := h.inside("ip route"); !strings.Contains(routes, "203.0.113.0/24") {
				t.Errorf("what was approved is gone: %s", routes)
			}
			leave(s)
			h.nothingLeft()
			h.complete(command, "revert armed", "cancelled: a new login works")
		})
	}
}

// Without nod the revert comes all the same.
func TestTheRevertComesWithoutNod(t *testing.T) {
	t.Parallel()
	w, h := newIsland(t, revertSoon, calls(shell("a", "ip route del default", true)), says("Done."))
	was := h.inside("ip route show default")
	s := w.console(100, 30, "box")
	s.see("box$")
	s.typed("do it")
	s.press("Enter")
	approveWithRevert(s)
	s.see("revert armed")
	eventually(t, "the route is gone", func() bool { return h.inside("ip route show default") == "" })
	if err := syscall.Kill(s.pid(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the route is back", func() bool { return h.inside("ip route show default") == was })
	for _, id := range h.plans() {
		dir := "/run/nod-revert-" + id
		eventually(t, "the end of the revert", func() bool { // it writes this last
			_, err := os.Stat(dir + "/done")
			return err == nil
		})
		if log, err := os.ReadFile(dir + "/log"); err != nil || !strings.Contains(string(log), "route added: default") {
			t.Errorf("the log says %q, %v", log, err)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	}
	again := w.console(100, 30, "box") // ends what was left behind
	again.see("box$")
	leave(again)
}

// Where nothing can be armed, nothing runs, and why is said.
func TestWithoutAnArmedRevertNothingRuns(t *testing.T) {
	t.Parallel()
	w, h := newIsland(t, revertLate, calls(shell("a", "echo 'DenyUsers *' >> /etc/ssh/sshd_config", true)), says("As you like."))
	h.inside("fallocate -l 40M /etc/ssh/moduli")
	s := w.console(120, 40, "box")
	s.see("box$")
	s.typed("do it")
	s.press("Enter")
	approveWithRevert(s)
	chatSays(s, "could not be armed", "larger than 32 MiB", "As you like.")
	if text := h.inside("cat /etc/ssh/sshd_config"); strings.Contains(text, "DenyUsers") {
		t.Errorf("it ran: %s", text)
	}
	leave(s)
	h.nothingLeft()
	for _, e := range h.record() {
		if e.Intent != nil && strings.Contains(e.Intent.Command, "DenyUsers") {
			t.Errorf("an intent: %+v", e.Intent)
		}
	}
}
