package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/history"
	"github.com/nod-console/nod/backends/ssh/sshdtest"
	"github.com/nod-console/nod/cmd/nod/internal/app"
	"github.com/nod-console/nod/cmd/nod/internal/app/targets"
	"github.com/nod-console/nod/cmd/nod/internal/config"
)

// TestPlays: real tasks on real programs, by a model that plays from a file. It needs at
// most one reply more than an ideal agent, whatever the programs do.
func TestPlays(t *testing.T) {
	needs(t, "tmux")
	inProcess(t)
	files, err := filepath.Glob("testdata/plays/*.toml")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no plays: ", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".toml"), func(t *testing.T) {
			t.Parallel()
			perform(t, readPlay(t, file))
		})
	}
}

// inProcess gives what is in the tests' own process, and the shells that it starts, an
// environment of their own: a test with it is never beside another one, its parts are.
func inProcess(t *testing.T) {
	t.Helper()
	home := t.TempDir()
	for name, value := range map[string]string{
		"HOME": home, "SHELL": "/bin/bash", "LC_ALL": "C.UTF-8", "NOD_STATE_DIR": "", "XDG_STATE_HOME": "", "XDG_CONFIG_HOME": "", "NOD_CONFIG": "",
		"TMUX": "", "NOD_TRACE": "", "NOD_RECORD_COPY": "none",
		"GIT_AUTHOR_NAME": "ops", "GIT_AUTHOR_EMAIL": "ops@example.com", "GIT_COMMITTER_NAME": "ops", "GIT_COMMITTER_EMAIL": "ops@example.com",
	} {
		t.Setenv(name, value)
	}
	if err := os.WriteFile(filepath.Join(home, ".bashrc"), []byte("PS1='ready$ '\nHISTFILE=/dev/null\nexport PATH=$PATH:/usr/sbin\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// alone says why a test is not beside others. It holds them all up.
func alone(t *testing.T, why string) {
	t.Helper()
	t.Log("alone: ", why)
}

// perform plays a play.
func perform(t *testing.T, p play) {
	t.Helper()
	for _, program := range p.Needs {
		needs(t, program)
	}
	if p.Root && os.Geteuid() != 0 {
		if os.Getenv("CI") == "true" {
			t.Fatal("only root can mount a file system")
		}
		t.Skip("only root can mount a file system")
	}
	var w *world
	open := []string{"local"}
	if p.Hosts {
		w = twoHosts(t)
		if !p.Apart {
			open = append(open, "ssh:box", "ssh:box2")
		}
	} else {
		w = newWorld(t)
	}
	port := fmt.Sprint(sshdtest.FreePort(t))
	dir := filepath.Join(w.home, "task")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	script := func(what, text string) {
		t.Helper()
		cmd := exec.Command("bash", "-euc", text)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+os.Getenv("PATH")+":/usr/sbin", "PORT="+port)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", what, err, out)
		}
	}
	t.Cleanup(func() { script("the end", p.End) })
	if script("the setup", p.Setup); t.Failed() {
		return
	}
	m := p.serve(t, map[string]string{"dir": dir, "port": port})
	w.work(t, m, open)
	given, faults := m.over()
	for _, fault := range faults {
		t.Error(fault)
	}
	if t.Failed() {
		return
	}
	script("the check", p.Check)
	t.Logf("%d replies, ideal are %d", given, p.Ideal)
	if given > p.Ideal+1 {
		t.Errorf("%d replies, want at most one more than %d", given, p.Ideal)
	}
}

// work lets nod's agent work at a play's goal, in real panes and on real hosts.
func (w *world) work(t *testing.T, m *actor, open []string) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	w.extra = append(w.extra, "NOD_BASE_URL="+m.URL+"/v1", "NOD_MODEL=played")
	c, err := config.Load(config.Source{Getenv: w.getenv})
	must(err)
	h, err := app.Open(c, w.getenv, app.Options{
		Options:  targets.Options{Panes: true, Warn: func(text string) { t.Log(text) }},
		Approver: &asker{asked: map[string]bool{}},
	})
	must(err)
	defer func() { must(h.Close()) }()
	for _, name := range open {
		if _, err := h.Targets.Open(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
	store, err := history.Open(t.Context(), config.HistoryDir(h.State), history.Options{})
	must(err)
	defer func() { must(store.Close()) }()
	b, err := app.OpenModel(c, w.getenv)
	must(err)
	defer b.Client.Close()
	talk, err := store.Create(t.Context(), "local", "played")
	must(err)
	turns, err := h.OpenAgent(b, store)
	must(err)
	m.steer = func(text string) error { return turns.Steer(talk.ID, text) }
	ending := turns.Run(t.Context(), talk.ID, m.goal(), func(e agent.Event) {
		if f, ok := e.(agent.Fault); ok {
			t.Errorf("%s: %s", f.Text, f.Hint)
		}
	})
	if ending != agent.Answered {
		t.Errorf("the turn ended: %v", ending)
	}
}

// twoHosts is a world with two hosts on real sshds.
func twoHosts(t *testing.T) *world {
	t.Helper()
	w, r := newRemote(t)
	if err := os.Mkdir(r.path("home2"), 0o700); err != nil {
		t.Fatal(err)
	}
	r.write("home2/.bashrc", r.read("home/.bashrc"))
	r.write("home2/.profile", r.read("home/.profile"))
	r.write("sshd_config2", strings.ReplaceAll(r.read("sshd_config"), r.path("home")+" ", r.path("home2")+" "))
	second := sshdtest.Start(t, r.path("sshd_config2"), "PATH="+os.Getenv("PATH"))
	_, port, _ := strings.Cut(second.Address(), ":")
	r.write("known_hosts", r.knownLine()+fmt.Sprintf("[127.0.0.1]:%s %s", port, ssh.MarshalAuthorizedKey(r.hostKey)))
	r.write("config", r.section()+strings.NewReplacer("Host box", "Host box2", fmt.Sprint("Port ", r.wire.port()), "Port "+port).Replace(r.section()))
	return w
}
