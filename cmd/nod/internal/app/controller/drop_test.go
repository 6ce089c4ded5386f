package controller

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"
	"weak"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/backends/local"
	"github.com/nod-console/nod/backends/pane"
	"github.com/nod-console/nod/cmd/nod/internal/app"
	"github.com/nod-console/nod/cmd/nod/internal/app/layouts"
	"github.com/nod-console/nod/cmd/nod/internal/app/targets"
	"github.com/nod-console/nod/cmd/nod/internal/config"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/guard"
	"github.com/nod-console/nod/ui/console"
	"github.com/nod-console/nod/ui/keys"
)

// A target that is dropped leaves nothing behind: neither its emulators nor what
// has shown them.
func TestADroppedTargetLeavesNothingBehind(t *testing.T) {
	times := 3
	if os.Getenv("NOD_E2E") != "" {
		times = 200
	}
	minter, verifier := tools.NewMint()
	rules, err := policy.NewEngine(policy.Options{Minter: minter})
	if err != nil {
		t.Fatal(err)
	}
	c := &config.Config{}
	c.Tools.Shell, c.Tmux.MaxSessions, c.Tmux.MaxPanes = true, 1, 1
	bin := t.TempDir()
	for _, name := range []string{"bash", "cat", "readlink", "sh", "stty", "tr"} { // and no tmux: nod holds the terminals itself
		file, err := exec.LookPath(name)
		if err == nil {
			err = os.Symlink(file, filepath.Join(bin, name))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin)
	t.Setenv("HOME", t.TempDir())

	screen := &heldPanes{panes: map[string]func(){}}
	d := &Controller{
		kept:    layouts.Open(t.TempDir(), time.Now),
		tended:  map[tended]bool{},
		Options: Options{Config: c, Targets: []string{local.Name}}, screen: screen, opened: make(chan struct{}),
		steps: map[string]string{}, loads: map[string]string{}, attempted: map[string]bool{}, moved: make(chan struct{}),
	}
	var panes []weak.Pointer[pane.Pane]
	d.parts.core = &app.Core{Policy: rules, Targets: targets.New(guard.New(verifier), targets.Connections{}, c, targets.Options{
		Panes: true, Agent: "test",
		Tap: func(p *pane.Pane) pane.Tap {
			panes = append(panes, weak.Make(p))
			return nil
		},
	})}
	close(d.opened)
	for range times {
		if err := d.connect(t.Context(), d.parts.core, local.Name); err != nil {
			t.Fatal(err)
		}
		if err := d.dropTarget(t.Context(), local.Name); err != nil {
			t.Fatal(err)
		}
		d.background.Wait()
	}
	if len(panes) != times {
		t.Fatalf("%d panes for %d connections", len(panes), times)
	}
	if len(screen.panes) != 0 || len(d.tended) != 0 {
		t.Errorf("%d panes are on the screen, %d parts of targets are held", len(screen.panes), len(d.tended))
	}
	left := 0
	for range 3 { // what a finalizer holds goes with the next one
		runtime.GC()
	}
	for _, p := range panes {
		if p.Value() != nil {
			left++
		}
	}
	if left > 1 { // the last one may be on a stack yet
		t.Errorf("%d of %d panes are held in memory", left, times)
	}
	runtime.KeepAlive(d)
}

// heldPanes is a Screen that follows panes and shows nothing.
type heldPanes struct {
	mu    sync.Mutex
	panes map[string]func()
}

func (h *heldPanes) AddPane(p console.Pane) {
	cancel := p.Subscribe(func() { p.Snapshot(); p.State() })
	h.mu.Lock()
	defer h.mu.Unlock()
	h.panes[p.ID] = cancel
}

func (h *heldPanes) RemovePane(id string) {
	h.mu.Lock()
	cancel := h.panes[id]
	delete(h.panes, id)
	h.mu.Unlock()
	cancel()
}

func (*heldPanes) Run(context.Context) error       { return nil }
func (*heldPanes) Approver() policy.Approver       { return nil }
func (*heldPanes) Notify(string)                   {}
func (*heldPanes) Fail(string, string)             {}
func (*heldPanes) SetTarget(console.TargetStatus)  {}
func (*heldPanes) SetCommands([]keys.Custom)       {}
func (*heldPanes) SetAlarm(string, bool)           {}
func (*heldPanes) TargetsChanged()                 {}
func (*heldPanes) NamePane(string, string, string) {}
func (*heldPanes) RunEnded(agent.RunEnded)         {}
func (*heldPanes) RunsChanged()                    {}
func (*heldPanes) Reverting(agent.Reverting)       {}
