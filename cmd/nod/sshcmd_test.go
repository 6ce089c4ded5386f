package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/nod-console/nod/backends/ssh/daemon"
	"github.com/nod-console/nod/cmd/nod/internal/app/oneshot"
	"github.com/nod-console/nod/cmd/nod/internal/app/process"
)

// must runs nod and wants it to go well.
func (w *world) must(args ...string) string {
	w.t.Helper()
	out, errs, status := w.do(args...)
	if status != 0 {
		w.t.Fatalf("nod %s: %d\n%s%s", strings.Join(args, " "), status, out, errs)
	}
	return out
}

// refuses runs nod and wants it to fail with words for the operator.
func (w *world) refuses(words []string, args ...string) {
	w.t.Helper()
	out, errs, status := w.do(args...)
	if status != process.StatusFailed || out != "" {
		w.t.Errorf("nod %s: %d %s", strings.Join(args, " "), status, out)
	}
	for _, word := range words {
		if !strings.Contains(errs, word) {
			w.t.Errorf("nod %s says %q, want %q", strings.Join(args, " "), errs, word)
		}
	}
}

func TestAConnectionIsHeld(t *testing.T) {
	t.Parallel()
	w, r := newRemote(t)
	w.refuses([]string{"no connection is held", "nod ssh start box"}, "ssh", "status", "box")
	w.refuses([]string{"no connection is held"}, "ssh", "stop", "box")
	if out := w.must("ssh", "list", "--json"); out != "[]\n" {
		t.Errorf("list: %s", out)
	}

	socket, command, _ := strings.Cut(strings.TrimSuffix(w.must("ssh", "start", "box"), "\n"), "\n")
	if again := w.must("ssh", "start", "ssh:box"); !strings.HasPrefix(again, socket+"\n") {
		t.Errorf("started again: %s", again)
	}
	if out := w.must("ssh", "status", "box"); out != socket+"\n" {
		t.Errorf("status: %s", out)
	}
	if out := w.must("ssh", "list"); !strings.HasPrefix(out, "ssh:box  pid ") || !strings.Contains(out, socket) {
		t.Errorf("list: %s", out)
	}
	var all []daemon.Info
	if err := json.Unmarshal([]byte(w.must("ssh", "list", "--json")), &all); err != nil || len(all) != 1 || all[0].Host != "ssh:box" {
		t.Errorf("list --json: %v %+v", err, all)
	}
	byHand := exec.Command("sh", "-c", command+" echo by hand")
	byHand.Env = r.ssh().Env
	if out, err := byHand.CombinedOutput(); err != nil || string(out) != "by hand\n" {
		t.Errorf("%s: %v: %s", command, err, out)
	}
	if info, err := os.Stat(filepath.Dir(socket)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder: %v %v", info.Mode(), err)
	}
	if n := r.logins(); n != 1 {
		t.Errorf("%d logins", n)
	}
	w.must("ssh", "stop", "box")
	if entries, err := filepath.Glob(filepath.Dir(socket) + "/*.sock"); err != nil || len(entries) != 0 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

func TestTargetsAreListed(t *testing.T) {
	t.Parallel()
	w, r := newRemote(t)
	r.write("config", "Host db-* !db-2\n  User x\nHost web\n  User y\n"+r.section())
	if out := w.must("targets"); !sameLines(strings.ReplaceAll(out, " ", ""), "localthismachine", "ssh:web", "ssh:box") {
		t.Errorf("%s", out)
	}
	w.must("ssh", "start", "box")
	if out := w.must("targets"); !strings.Contains(out, "ssh:box  connected since 2") {
		t.Errorf("%s", out)
	}
	var all []targetJSON
	if err := json.Unmarshal([]byte(w.must("targets", "--json")), &all); err != nil || len(all) != 3 || all[0].Name != "local" || all[1].Held == nil || all[1].Socket == "" {
		t.Errorf("%v %+v", err, all)
	}
	r.write("config", "Include "+r.path("config")+"\n")
	w.refuses([]string{"ssh_config"}, "targets")
}

// What cannot be is refused with the reason and what to do next.
func TestHostsThatCannotBeReached(t *testing.T) {
	t.Parallel()
	w, r := newRemote(t)
	closed := strconv.Itoa(deafPort(t))
	r.newKey("stranger", "")
	host := func(name string, lines ...string) string {
		return "Host " + name + "\n  " + strings.Join(append([]string{
			"HostName 127.0.0.1", fmt.Sprintf("Port %d", r.wire.port()), "User " + r.user,
			"UserKnownHostsFile " + r.path("known_hosts"), "GlobalKnownHostsFile none",
		}, lines...), "\n  ") + "\n"
	}
	r.write("other_hosts", fmt.Sprintf("[127.0.0.1]:%d %s", r.wire.port(), "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJUvHqfYwQ0kRBWNGnBbLdmIwdL0f2sKEY2ZzXF3fJ2A\n"))
	r.write("config", host("refused", "IdentityFile "+r.path("id"))+
		host("stranger", "IdentityFile "+r.path("stranger"), "IdentitiesOnly yes")+
		host("agentless", "IdentityFile "+r.path("no-key"), "IdentityAgent "+r.path("no-agent"))+
		host("unseen", "IdentityFile "+r.path("id"))+
		host("changed", "IdentityFile "+r.path("id")))
	text := r.read("config")
	text = strings.Replace(text, fmt.Sprintf("Port %d", r.wire.port()), "Port "+closed, 1) // that of "refused"
	text = strings.Replace(text, "Host unseen\n", "Host unseen\n  UserKnownHostsFile none\n", 1)
	text = strings.Replace(text, "Host changed\n", "Host changed\n  UserKnownHostsFile "+r.path("other_hosts")+"\n", 1)
	r.write("config", text)
	for name, words := range map[string][]string{
		"refused":                {"connection refused", "look at the port"},
		"stranger":               {"does not let", "tried: publickey " + r.path("stranger")},
		"agentless":              {"does not let", "not tried: the agent", "ssh-add"},
		"unseen":                 {"is not known", "SHA256:"},
		"changed":                {"has changed", "known is", "other_hosts:1"},
		"no-such-host.invalid":   {"no such name"},
		"ssh:":                   {"ssh:"},
		"-oProxyCommand=x":       {"-o"},
		"ssh://user@":            {"ssh://user@"},
		"a b":                    {"a b"},
		"ssh://user@host:notnum": {"notnum"},
	} {
		w.refuses(words, "ssh", "start", "--", name)
	}
	w.refuses([]string{"connection refused"}, "run", "-t", "refused", "--", "hostname")
	w.refuses([]string{"accepts 1 arg"}, "ssh", "daemon")

	r.write("config", "Host box\n  Port nonsense\n")
	w.refuses([]string{"ssh_config", "config"}, "ssh", "start", "box")
	if n := len(r.held()); n != 0 {
		t.Errorf("%d held", n)
	}

	r.write("config", r.section())
	long := filepath.Join(w.home, strings.Repeat("long/", 20))
	w.extra = append(w.extra, "NOD_STATE_DIR="+long)
	before := r.logins()
	w.refuses([]string{"too long", "NOD_STATE_DIR"}, "ssh", "start", "box")
	if r.logins() != before {
		t.Error("it logged in for nothing")
	}
	w.extra = append(w.extra, "NOD_STATE_DIR="+r.path("state"))
}

// deafPort is a port of this machine that is taken, and on which nobody listens, as long
// as the test runs.
func deafPort(t *testing.T) int {
	t.Helper()
	fd, err := streamSocket(unix.AF_INET)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Close(fd) }) // nothing was written
	if err := unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	at, err := unix.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	return at.(*unix.SockaddrInet4).Port
}

// On a terminal the questions of a login are asked in plain lines; what is
// secret is not shown.
func TestALoginAsksOnTheTerminal(t *testing.T) {
	t.Parallel()
	w, r := newRemote(t)
	r.write("known_hosts", "")
	r.write("authorized", string(marshalled(r.newKey("id", "open sesame"))))
	start := func() *display { return openDisplay(t, 120, 30, w.env(), w.nod, "ssh", "start", "box") }
	s := start()
	s.see("is not known", "SHA256:", "[yes/N]")
	s.typed("no\r")
	s.see("the host key of", "is not known")
	if status := s.ended(); status != "125" {
		t.Errorf("status %s", status)
	}
	if text := r.read("known_hosts"); text != "" {
		t.Errorf("known_hosts: %s", text)
	}

	s = start()
	s.see("[yes/N]")
	s.typed("yes\r")
	s.see("Passphrase of " + r.path("id") + ":")
	s.typed("wrong\r")
	s.see("That was not right.")
	s.typed("open sesame\r")
	s.see(".sock", "ssh -S")
	if status := s.ended(); status != "0" {
		t.Errorf("status %s", status)
	}
	if text := s.text(); strings.Contains(text, "sesame") || strings.Contains(text, "wrong") {
		t.Errorf("a secret is shown:\n%s", text)
	}
	w.must("ssh", "stop", "box")

	s = start()
	for i := range 3 {
		s.until("ask again", func(text string) bool { return strings.Count(text, "Passphrase of") == i+1 })
		s.typed("wrong\r")
	}
	if status := s.ended(); status != "125" {
		t.Errorf("status %s", status)
	}
	s.see("does not let", "not tried")
	s = start()
	s.see("Passphrase of")
	s.press("C-d")
	if status := s.ended(); status == "0" {
		t.Errorf("status %s", status)
	}
	w.refuses([]string{"does not let", "not answered", "ssh-add the key"}, "ssh", "start", "box")
}

// nod run does the same on a host as here.
func TestRunOnAHost(t *testing.T) {
	t.Parallel()
	w, r := newRemote(t)
	all := []string{"--dangerously-approve-all"}
	long := strings.Repeat("x", 6000)
	for _, c := range []struct {
		command, stdout string
		status          int
	}{
		{"printf abc", "abc", 0},
		{"false; printf 'second\\n'", "second\n", 0},
		{"cat <<E\none\n\ttwo\nE", "one\n\ttwo\n", 0},
		{"seq 1 5000", sequence(5000), 0},
		{"echo " + long, long + "\n", 0},
		{"printf '\\033]133;D;0\\007\\033]133;A\\007'; (exit 9)", "", 9},
		{"(exit 3)", "", 3},
	} {
		for _, pane := range [][]string{nil, {"--pane"}} {
			args := append(append(append([]string{"run", "-t", "box", "--json"}, all...), pane...), "--", c.command)
			out, errs, status := w.do(args...)
			var report oneshot.Report
			if err := json.Unmarshal([]byte(out), &report); err != nil {
				t.Fatalf("%.60q: %v: %s", c.command, err, errs)
			}
			got := report.Stdout
			if strings.Contains(c.command, "033") {
				got = ""
			}
			if status != c.status || report.Outcome != "exited" || got != c.stdout || report.Target != "ssh:box" {
				t.Errorf("%.60q %v: status %d, %s, %d bytes %.80q %v", c.command, pane, status, report.Outcome, len(got), got, report.Notices)
			}
		}
	}
	for command, want := range map[string]string{
		"echo 'unclosed": "refused", "clear; echo on": "exited", "exit 4": "unknown|exited",
	} {
		out, errs, _ := w.do(append(append([]string{"run", "-t", "box", "--json", "--pane", "--timeout", "10s"}, all...), "--", command)...)
		if !regexp.MustCompile(`"outcome":"(` + want + `)"`).MatchString(out) {
			t.Errorf("%q: %s%s", command, out, errs)
		}
	}

	out, errs, status := w.do(append(append([]string{"run", "-t", "box", "-t", "local"}, all...), "--", "printf 'a\\nb'; echo oops >&2; exit 3")...)
	if status != 3 || !sameLines(out, "box: a", "box: b", "local: a", "local: b") || !sameLines(errs, "box: oops", "local: oops") {
		t.Errorf("on two: %d\n%s%s", status, out, errs)
	}
	out, errs, status = w.do("run", "-t", "box", "-t", "nowhere.invalid", "--", "hostname")
	if status != process.StatusFailed || !strings.HasPrefix(out, "box: ") || !strings.Contains(errs, "nowhere.invalid") {
		t.Errorf("one of two: %d\n%s%s", status, out, errs)
	}
	if n := r.logins(); n != 1 {
		t.Errorf("%d logins", n)
	}
}

func sequence(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintln(&b, i+1)
	}
	return b.String()
}

// sameLines reports whether text has these lines, in any order.
func sameLines(text string, lines ...string) bool {
	there := map[string]int{}
	for line := range strings.Lines(text) {
		there[strings.TrimSuffix(line, "\n")]++
	}
	for _, line := range lines {
		there[line]--
	}
	for _, n := range there {
		if n != 0 {
			return false
		}
	}
	return true
}

// listenAsAnother makes a socket at path on which, as the kernel has it, another
// user listens; without the right to that, one that only another may use.
func listenAsAnother(t *testing.T, path string) {
	t.Helper()
	fd, err := streamSocket(unix.AF_UNIX)
	if err == nil {
		t.Cleanup(func() { _ = unix.Close(fd) }) // nothing was written
		err = unix.Bind(fd, &unix.SockaddrUnix{Name: path})
	}
	if err != nil {
		t.Fatal(err)
	}
	const nobody = 65534
	if os.Geteuid() != 0 {
		err = os.Chmod(path, 0)
	}
	runtime.LockOSThread() // whose effective user it is for a moment
	defer runtime.UnlockOSThread()
	if os.Geteuid() == 0 {
		back, err := threadUser(nobody)
		if err != nil {
			t.Fatal(err)
		}
		defer back()
	}
	if err := errors.Join(err, unix.Listen(fd, 8)); err != nil {
		t.Fatal(err)
	}
}

// A master that is another user's is not used, and that is said once.
func TestAControlPathOfAnotherUser(t *testing.T) {
	t.Parallel()
	w, r := newRemote(t)
	path := r.path("theirs")
	listenAsAnother(t, path)
	r.write("config", r.section("ControlPath "+path))
	out, errs, status := w.do("run", "-t", "box", "--", "echo on")
	if status != 0 || out != "on\n" {
		t.Errorf("%d %q", status, out)
	}
	want := "nod: ssh:box: the ControlPath " + path + " belongs to another user and is not used\n"
	if strings.Count(errs, want) != 1 {
		t.Errorf("said %q, want %q", errs, want)
	}
}
