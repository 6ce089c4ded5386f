package pane_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/pane"
)

// texts keeps every picture and all output that a recording would have.
type texts struct {
	mu   sync.Mutex
	text strings.Builder
}

func (t *texts) write(p []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text.Write(p)
}

func (t *texts) Screen(_ backends.Size, restore []byte) { t.write(restore) }
func (t *texts) Output(p []byte)                        { t.write(p) }
func (*texts) Began(string)                             {}
func (*texts) Ended(string, backends.Outcome)           {}
func (*texts) Lost(string)                              {}
func (*texts) Closed()                                  {}

func (t *texts) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.String()
}

// Nobody sees what nod types at a new shell, however slowly that comes to its
// prompt: neither on the screen, at any moment, nor in a recording.
func TestTheHookIsNeverSeen(t *testing.T) {
	t.Parallel()
	for shell, files := range map[string]map[string]string{
		"bash": {
			"writes and waits": "printf starting; read -t 0.3 </dev/zero; sleep 0.3; PS1='ready> '",
			"slow prompt":      "PROMPT_COMMAND='sleep 0.2'; PS1='ready> '",
			"lines":            "PS1='one\\ntwo\\nready> '",
		},
		"zsh": {
			"writes and waits": "printf starting; sleep 0.3; PS1='ready> '",
			"slow prompt":      "precmd() { sleep 0.2 }; PS1='ready> '",
		},
		"fish": {
			"slow prompt": "function fish_prompt; sleep 0.3; echo -n 'ready> '; end; set -g fish_greeting",
			"slow words":  "function fish_prompt; command sleep 0.2; echo -n 'ready> '; end; set -g fish_greeting 'hello'",
			"slow start":  "printf starting; sleep 0.3; function fish_prompt; echo -n 'ready> '; end; set -g fish_greeting",
		},
		"dash": {"writes and waits": "printf starting; sleep 0.3; PS1='ready> '"},
		"ash":  {"writes and waits": "printf starting; sleep 0.3; PS1='ready> '"},
	} {
		for name, text := range files {
			t.Run(shell+", "+name, func(t *testing.T) {
				t.Parallel()
				everywhere(t, func(t *testing.T) { neverSeesTheHook(t, shell, text) })
			})
		}
	}
}

func neverSeesTheHook(t *testing.T, shell, text string) {
	r := newRig(t, shell)
	home := t.TempDir()
	file := filepath.Join(home, "rc")
	must(t, os.WriteFile(file, []byte(text+"\n"), 0o600))
	must(t, os.Symlink(file, filepath.Join(home, ".zshrc")))
	r.opt.Shell = map[string][]string{
		"bash": {"bash", "--noprofile", "--rcfile", file},
		"zsh":  {"env", "ZDOTDIR=" + home, "zsh"},
		"fish": {"fish", "--no-config", "--init-command", "source " + file},
		"dash": {"env", "ENV=" + file, "dash"},
		"ash":  {"env", "ENV=" + file, "ash"},
	}[shell]
	recorded := &texts{}
	r.opt.Tap = func(*pane.Pane) pane.Tap { return recorded }
	p, err := r.open(t).Shared(t.Context())
	must(t, err)
	changes, cancel := p.Subscribe()
	defer cancel()
	over := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		for {
			if seen := p.Screen().String(); strings.Contains(seen, "eval") {
				t.Errorf("on the screen:\n%s", seen)
				return
			}
			select {
			case <-changes:
			case <-over:
				return
			}
		}
	})
	if res := run(t, p, "echo on"); res.Text != "on\n" {
		t.Errorf("result %+v", res)
	}
	close(over)
	watching.Wait()
	if recorded := recorded.String(); strings.Contains(recorded, "eval") {
		at := strings.Index(recorded, "eval")
		t.Errorf("recorded: …%q", recorded[max(0, at-100):])
	}
	s := p.Screen()
	for i := range s.Lines() {
		if line := s.LineText(i); strings.Contains(line, "eval") || strings.Contains(line, "__nod_e") {
			t.Errorf("it stays: %q", line)
		}
	}
}
