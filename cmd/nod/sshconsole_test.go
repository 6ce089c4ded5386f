package main

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// confirm says yes to a host key, once keys count.
func confirm(s *display) {
	s.t.Helper()
	s.see("is not known", "SHA256:", "y yes   n no")
	s.press("y")
}

// pick opens the picker.
func pick(s *display) {
	s.t.Helper()
	s.press("C-t")
	s.see("targets", "Enter use")
}

// copied is what the console has put on the clipboard of the terminal.
func (s *display) copied() string { s.t.Helper(); return s.tmux("show-buffer") }

// An operator goes to a host that is not known yet, works there and here, looks
// at what there is, and gives the host up. All of it is one login, with the
// commands, the copies and the terminals of the operator's own.
func TestOneLoginForEverything(t *testing.T) {
	t.Parallel()
	for name, size := range oneSize("wide") {
		if name == "tiny" {
			continue // there is no room for its words
		}
		t.Run(name, func(t *testing.T) { oneLogin(t, size[0], size[1]) })
	}
}

func oneLogin(t *testing.T, cols, rows int) {
	w, r := newRemote(t)
	r.write("known_hosts", "")
	made := r.path("made")
	m := serveModel(t, calls(shell("a", "touch "+made, true)), says("Made."))
	w.extra = append(w.extra, "NOD_BASE_URL="+m.URL+"/v1", "NOD_MODEL=scripted")
	s := w.console(cols, rows, "box")
	s.tmux("set-option", "-s", "set-clipboard", "on")
	s.see("connecting ssh:box: host key")
	confirm(s)
	s.see("ssh:box", "box$", "live ")
	if !strings.Contains(r.read("known_hosts"), "ssh-ed25519") {
		t.Error("the host key is not on record")
	}

	s.typed("do it")
	s.press("Enter")
	s.see("APPROVE on ssh:box", "made")
	answer(s, "y")
	s.see("Made.")
	eventually(t, "the file is there", func() bool { _, err := os.Stat(made); return err == nil })

	// What Ctrl-Y in the picker copies, and "a" in a pane, gets there by hand.
	pick(s)
	s.see("connected", "1 pane")
	s.press("C-y")
	s.see("copied")
	attach := s.copied()
	s.press("Tab", "Tab")
	s.see("reading ssh:box")
	s.tmux("set-buffer", "nothing")
	s.press("a")
	eventually(t, "the command is copied", func() bool { return s.copied() == attach })
	s.press("Escape")
	s.seeNo("reading ssh:box")
	if !strings.Contains(attach, " -S ") || !strings.Contains(attach, "attach") {
		t.Errorf("copied %q", attach)
	}
	hand := openDisplay(t, 100, 30, w.env(), "sh", "-c", attach)
	hand.see("box$")
	s.see("1 other terminal")
	hand.press("C-b", "d")
	hand.see("[ended 0]")

	socket := strings.TrimSpace(w.must("ssh", "status", "box"))
	for range 10 {
		if out, err := r.ssh("-S", socket, "box", "echo", "by hand").CombinedOutput(); err != nil || string(out) != "by hand\n" {
			t.Fatalf("%v: %s", err, out)
		}
	}
	r.write("copy me", "a file")
	scp := exec.Command("scp", "-q", "-F", r.config, "-o", "ControlPath="+socket, r.path("copy me"), "box:"+r.path("copied"))
	scp.Env = r.ssh().Env
	if out, err := scp.CombinedOutput(); err != nil || r.read("copied") != "a file" {
		t.Errorf("scp: %v: %s", err, out)
	}
	if out := w.must("run", "-t", "box", "--", "hostname"); strings.TrimSpace(out) == "" {
		t.Error("no name")
	}

	// Panes of both targets; then the host is given up.
	pick(s)
	s.typed("local")
	s.seeNo("• ssh:box")
	s.press("Enter")
	if cols > 100 {
		s.see("1/2 ssh:box · main/shared", "2/2 local · main/shared", "ready$")
	} else {
		s.see("nod  local", "/2 ")
	}
	pick(s)
	s.typed("box")
	s.seeNo("• local")
	s.press("C-x")
	s.until("see the host without panes", func(text string) bool { return !strings.Contains(text, "1 pane") })
	s.press("Escape")
	s.see("• local")
	s.press("Escape")
	s.seeNo("Enter use")
	s.see("local · main/shared", "nod  local")
	quit(s)
	if n := r.logins(); n != 1 {
		t.Errorf("%d logins", n)
	}
	if out := w.must("audit", "show"); !strings.Contains(out, "ssh:box") {
		t.Errorf("the record has no ssh:box:\n%s", out)
	}
}

// During an outage the console says so everywhere it matters, nothing that is
// typed goes anywhere, and what ran is told when the link is back. It ends with a
// dead link, too.
func TestOutageInTheConsole(t *testing.T) {
	t.Parallel()
	for name, size := range someSizes() {
		if name == "tiny" {
			continue // there is no room for its words
		}
		t.Run(name, func(t *testing.T) { outage(t, size[0], size[1]) })
	}
}

func outage(t *testing.T, cols, rows int) {
	w, r := newRemote(t)
	keepalive := "1s"
	if thorough() {
		keepalive = "5s" // the default
	}
	w.write(".config/nod/config.toml", "[tmux]\nsocket = \""+w.socket+"\"\n[ssh]\nkeepalive = \""+keepalive+"\"\n", 0o600)
	m := serveModel(t,
		calls(shell("a", "echo x >>"+r.path("begun")+"; until [ -e "+r.path("go")+" ]; do sleep 0.05; done; (exit 7)", true)),
		calls(shell("b", "touch "+r.path("made"), true)),
		says("As you like."),
	)
	w.extra = append(w.extra, "NOD_BASE_URL="+m.URL+"/v1", "NOD_MODEL=scripted")
	s := w.console(cols, rows, "box")
	s.see("box$")
	s.typed("do it")
	s.press("Enter")
	s.see("y approves")
	answer(s, "y")
	eventually(t, "the command's start", func() bool { return size(r.path("begun")) > 0 })

	hole := func(l *leg) { l.hole = true }
	r.wire.set(hole, toHost, fromHost)
	begun := time.Now()
	s.see("connection lost since", "not live")
	took := time.Since(begun)
	t.Logf("shown after %s, with a keepalive of %s", took.Round(time.Millisecond), keepalive)
	if thorough() && took > notice {
		t.Errorf("it was shown %s after", took)
	}
	s.press("C-]")
	s.see("typing into ssh:box")
	s.typed("touch " + r.path("blind") + "\r")
	s.see("✗ typing into ssh:box")
	s.press("C-]")
	s.seeNo("]  leaves")
	pick(s)
	s.see("lost", "since")
	s.press("Escape")
	s.seeNo("Enter use")

	r.write("go", "")
	r.wire.mend(true)
	begun = time.Now()
	s.see("y approves") // the model has got the outcome and wants more
	if took := time.Since(begun); thorough() && took > 2*recovery {
		t.Errorf("the outcome came %s after the link", took)
	}
	if text := r.read("begun"); text != "x\n" {
		t.Errorf("it ran %d times", strings.Count(text, "x"))
	}
	if _, err := os.Stat(r.path("blind")); err == nil {
		t.Error("what was typed into a dead pane arrived")
	}
	asked := m.asked()
	if told := asked[1].result(); !strings.Contains(told, `"exit_code":7`) {
		t.Errorf("the model was told %s", told)
	}

	// What is approved during an outage fails, and does not run later.
	r.wire.set(hole, toHost, fromHost)
	s.see("! ssh:box: connection lost since", "y approves")
	s.press("y")
	s.see("failed", "As you like.")
	if told := m.asked()[2].result(); !strings.Contains(told, "connection") {
		t.Errorf("the model was told %s", told)
	}
	begun = time.Now()
	quit(s, "125") // a session stays behind, and that is said
	took = time.Since(begun)
	t.Logf("it took %s to quit", took.Round(time.Millisecond))
	if thorough() && took > time.Second {
		t.Errorf("it took %s to quit", took)
	}
	said := strings.ReplaceAll(s.text(), "\n", "") // which the terminal has wrapped
	_, said, _ = strings.Cut(said, "nod: ")
	said, _, _ = strings.Cut(said, "[ended")
	want, byHand, ok := strings.Cut(said, "; to end it when the host is back: ")
	if want != "ssh:box cannot be reached, so its session main goes on there" || !ok {
		t.Errorf("it says %q", said)
	}
	if _, err := r.tmux("list-sessions"); err != nil {
		t.Errorf("nothing was left behind: %v", err)
	}
	r.wire.mend(true)
	end := exec.Command("sh", "-c", byHand)
	end.Env = r.ssh().Env
	if out, err := end.CombinedOutput(); err != nil {
		t.Errorf("%s: %v: %s", byHand, err, out)
	}
	eventually(t, "the end of the session", func() bool { // the server ends a moment after the command
		_, err := r.tmux("list-sessions")
		return err != nil
	})
	if _, err := os.Stat(r.path("made")); err == nil {
		t.Error("what failed ran")
	}
	again := w.console(cols, rows, "box")
	again.see("box$")
	quit(again)
}

// The daemon's death is a lost connection: another one takes its place.
func TestTheDaemonDies(t *testing.T) {
	t.Parallel()
	w, r := newRemote(t)
	m := serveModel(t,
		calls(shell("a", "echo x >>"+r.path("begun")+"; until [ -e "+r.path("go")+" ]; do sleep 0.05; done; (exit 7)", true)),
		says("As you like."),
	)
	w.extra = append(w.extra, "NOD_BASE_URL="+m.URL+"/v1", "NOD_MODEL=scripted")
	s := w.console(120, 40, "box")
	s.see("box$")
	s.typed("do it")
	s.press("Enter")
	s.see("y approves")
	answer(s, "y")
	eventually(t, "the command's start", func() bool { return size(r.path("begun")) > 0 })
	before := r.held()
	if len(before) != 1 {
		t.Fatalf("held: %+v", before)
	}
	if err := syscall.Kill(before[0].Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	s.see("connection lost since", "connected again")
	r.write("go", "")
	s.see("As you like.", "exit 7")
	if text := r.read("begun"); text != "x\n" {
		t.Errorf("it ran %d times", strings.Count(text, "x"))
	}
	if after := r.held(); len(after) != 1 || after[0].Pid == before[0].Pid {
		t.Errorf("held: %+v", after)
	}
	if n := r.logins(); n != 2 {
		t.Errorf("%d logins", n)
	}
	quit(s)
}

// Where the operator's own master runs, nod logs in nowhere; when that ends, a
// connection of nod's own takes its place, and that is said.
func TestTheOperatorsMaster(t *testing.T) {
	t.Parallel()
	w, r := newRemote(t)
	r.write("config", r.section("ControlPath "+r.path("own-%C")))
	master := r.ssh("-M", "-N", "box")
	if err := master.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { defer close(ended); _ = master.Wait() }() // it is killed
	t.Cleanup(func() {
		_ = master.Process.Kill() // may have ended
		<-ended
	})
	eventually(t, "the operator's master", func() bool { return r.ssh("-O", "check", "box").Run() == nil })

	s := w.console(120, 40, "box")
	s.tmux("set-option", "-s", "set-clipboard", "on")
	s.see("box$", "ssh:box: on your own ssh")
	if out := w.must("run", "-t", "box", "--pane", "--json", "--", "hostname"); !strings.Contains(out, `"exit_code":0`) {
		t.Errorf("%s", out)
	}
	pick(s)
	s.press("C-y")
	s.see("copied")
	if command := s.copied(); strings.Contains(command, " -S ") {
		t.Errorf("copied %q", command)
	}
	if n := r.logins(); n != 1 || len(r.held()) != 0 {
		t.Errorf("%d logins, held %v", n, r.held())
	}

	if err := master.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	s.see("ssh:box: connected again, on a connection of")
	if n := r.logins(); n != 2 || len(r.held()) != 1 {
		t.Errorf("%d logins, held %v", n, r.held())
	}
	s.see("box$", "live ")
	s.press("C-]")
	s.see("typing into")
	s.until("type again", func(text string) bool { // nod is back at the pane a moment after the link
		if strings.Contains(text, "║again") {
			return true
		}
		s.typed("echo ag''ain\r")
		time.Sleep(200 * time.Millisecond)
		return false
	})
	s.press("C-]")
	s.seeNo("^] leave terminal")
	pick(s)
	s.press("C-y")
	s.until("see another command copied", func(string) bool { return strings.Contains(s.copied(), " -S ") })
	quit(s)
}

// A master that does not find out by itself that its link is dead hides that
// from nobody; nod goes around it.
func TestTheOperatorsMasterHangs(t *testing.T) {
	t.Parallel()
	w, r := newRemote(t)
	w.write(".config/nod/config.toml", "[tmux]\nsocket = \""+w.socket+"\"\n[ssh]\nkeepalive = \"1s\"\n", 0o600)
	r.write("config", r.section("ControlPath "+r.path("own-%C")))
	master := r.ssh("-M", "-N", "box")
	if err := master.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { defer close(ended); _ = master.Wait() }() // it is killed
	t.Cleanup(func() {
		_ = master.Process.Kill() // may have ended
		<-ended
	})
	eventually(t, "the operator's master", func() bool { return r.ssh("-O", "check", "box").Run() == nil })
	s := w.console(120, 40, "box")
	s.see("box$", "ssh:box: on your own ssh")
	r.wire.strand()
	s.see("connection lost since")
	s.see("ssh:box: connected again, on a connection of")
	if err := r.ssh("-O", "check", "box").Run(); err != nil {
		t.Errorf("the operator's master is gone: %v", err)
	}
	quit(s)
}

// A connection that is made again asks for no passphrase that was told before.
func TestAPassphraseIsToldOnce(t *testing.T) {
	t.Parallel()
	w, r := newRemote(t)
	r.write("authorized", string(marshalled(r.newKey("id", "open sesame"))))
	s := w.console(120, 40, "box")
	s.see("Passphrase of", "Enter sends it") // keys count
	s.typed("wrong")
	s.press("Enter")
	s.see("That was not right.", "Enter sends it")
	s.typed("open sesame")
	s.press("Enter")
	s.see("box$", "live ")
	before := r.held()
	if err := syscall.Kill(before[0].Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	s.see("connection lost since", "connected again")
	if n := r.logins(); n != 2 {
		t.Errorf("%d logins", n)
	}
	if text := s.text(); strings.Contains(text, "sesame") {
		t.Errorf("a secret is shown:\n%s", text)
	}
	quit(s)
}

// What a host says to agents is read from the home folder there, asked about, and
// told with the prompt while the model works there.
func TestAHostsGuidanceIsTold(t *testing.T) {
	t.Parallel()
	w, r := newRemote(t)
	r.write("home/AGENTS.md", "Restart it with make again.\n")
	m := serveModel(t, says("As it says."), says("Here it is not."))
	w.extra = append(w.extra, "NOD_BASE_URL="+m.URL+"/v1", "NOD_MODEL=scripted")
	out, errs, status := w.do("ask", "-t", "box", "how is it restarted?")
	if status != 0 || !strings.Contains(out, "As it says.") || !strings.Contains(errs, "nobody has allowed it yet") {
		t.Errorf("%d, %q, %q", status, out, errs)
	}
	s := w.console(120, 40, "box")
	s.see("ssh:box", "box$", "live ")
	s.typed("how is it restarted?")
	s.press("Enter")
	s.see("guidance on ssh:box", "Restart it with make again.", "y yes   n no")
	s.press("y")
	s.see("Here it is not.", "nothing running")
	quit(s)
	asked := m.asked()
	for i, want := range []bool{false, true} {
		last := asked[i].Messages[len(asked[i].Messages)-1].Content
		if told := strings.Contains(last, "Restart it with make again.") && strings.Contains(last, "ssh:box:"+r.path("home")+"/AGENTS.md"); told != want {
			t.Errorf("request %d: %s", i, last)
		}
	}
}
