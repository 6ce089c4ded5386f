package controller

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/backends/docker"
	"github.com/nod-console/nod/backends/local"
	"github.com/nod-console/nod/backends/vitals"
	"github.com/nod-console/nod/cmd/nod/internal/app"
	"github.com/nod-console/nod/cmd/nod/internal/app/targets"
	"github.com/nod-console/nod/cmd/nod/internal/config"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/guard"
	"github.com/nod-console/nod/tools/risk"
	"github.com/nod-console/nod/ui/overview"
)

// What nod runs on hosts by itself would run unasked if a model wanted it.
func TestTheLooksOfTheOverviewArePlainObservations(t *testing.T) {
	for _, look := range vitals.Looks {
		for _, dialect := range []risk.Dialect{risk.POSIX, risk.Bash, risk.Zsh} {
			v := risk.Command(look, dialect)
			if !v.Auto || v.Effect != risk.Observe || v.Flags != 0 || len(v.Findings) > 0 {
				t.Errorf("%s: %s: %+v", dialect, look, v)
			}
		}
	}
}

// atHome is a Controller with this machine, without panes.
func atHome(t *testing.T) *Controller {
	t.Helper()
	minter, verifier := tools.NewMint()
	rules, err := policy.NewEngine(policy.Options{Minter: minter, Trust: map[string]policy.Trust{"local": policy.Lab}})
	if err != nil {
		t.Fatal(err)
	}
	d := &Controller{
		Options: Options{Config: &config.Config{}, Targets: []string{local.Name}}, opened: make(chan struct{}),
		steps: map[string]string{}, pulses: map[string]*pulse{}, attention: newAttention(),
	}
	all := targets.New(guard.New(verifier), targets.Connections{}, d.Config, targets.Options{})
	d.parts.core = &app.Core{Policy: rules, Targets: all}
	close(d.opened)
	t.Cleanup(func() {
		if err := all.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := all.Open(t.Context(), local.Name); err != nil {
		t.Fatal(err)
	}
	return d
}

func TestTheOverviewTellsHowThisMachineDoes(t *testing.T) {
	if _, err := os.Stat("/proc/loadavg"); err != nil {
		t.Skip("no /proc: ", err)
	}
	d := atHome(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var all [][]overview.Tile
	d.watchOverview(ctx, func(tiles []overview.Tile) {
		all = append(all, tiles)
		if tiles[0].Load.Known {
			cancel()
		}
	})
	first, last := all[0][0], all[len(all)-1][0]
	if first.Name != local.Name || first.Trust != "lab" || first.Load.Known || first.Silent != "not asked yet" {
		t.Errorf("at first: %+v", first)
	}
	if !strings.Contains(last.Load.Text, " of ") || !strings.HasSuffix(last.Memory.Text, "G") || !strings.Contains(last.Disk.Text, " % /") ||
		last.Silent != "" || last.Latency <= 0 || len(last.Load.Past) == 0 {
		t.Errorf("in the end: %+v", last)
	}
	lines, err := d.lookOverview(t.Context())
	if err != nil || len(lines) != 1 || !lines[0].Disk.Known {
		t.Errorf("%+v, %v", lines, err)
	}
	if err := d.parts.core.Targets.Drop(local.Name); err != nil {
		t.Fatal(err)
	}
	if tiles := d.tiles(t.Context(), d.parts.core); len(tiles) != 0 || len(d.pulses) != 0 {
		t.Errorf("of a target that was dropped, %+v is left, and %v", tiles, d.pulses)
	}
}

// A target that is dropped is not asked any more, and what looked at it ends.
func TestADroppedTargetIsNotAsked(t *testing.T) {
	d := atHome(t)
	s := d.parts.core.Targets.Get(local.Name)
	felt, over := make(chan struct{}, 1), make(chan struct{})
	go func() {
		defer close(over)
		d.feel(t.Context(), s, nil, func() { felt <- struct{}{} })
	}()
	<-felt
	if err := d.parts.core.Targets.Drop(local.Name); err != nil {
		t.Fatal(err)
	}
	<-over
}

func TestFiguresInWords(t *testing.T) {
	now := time.Now()
	var p pulse
	p.take(vitals.Reading{At: now, Latency: time.Millisecond, Figures: vitals.Figures{
		Load: vitals.Load{Known: true, Average: 9.1, Processors: 4}, Memory: vitals.Memory{Total: 16 << 30, Available: 4 << 30},
		Disk: vitals.Disk{Path: "/srv", Used: 97, Free: 3},
	}})
	var host overview.Tile
	p.show(&host, now)
	p.take(vitals.Reading{At: now, Figures: vitals.Figures{Load: vitals.Load{Known: true, Average: 9.1}}})
	var bsd overview.Tile
	p.show(&bsd, now)
	p.take(vitals.Reading{At: now, Err: errors.New("no answer within 8s")})
	var silent overview.Tile
	p.show(&silent, now)
	var c pulse
	c.use(docker.Usage{CPU: 150, Memory: 41 << 20, Limit: 2 << 30}, now)
	var container overview.Tile
	c.show(&container, now)
	c.use(docker.Usage{CPU: 3.4, Memory: 41 << 20}, now)
	var unlimited overview.Tile
	c.show(&unlimited, now)
	got := []string{
		host.Load.Text, host.Memory.Text, host.Disk.Text, bsd.Load.Text, bsd.Memory.Text, silent.Load.Text, silent.Silent,
		container.Load.Text, container.Memory.Text, unlimited.Load.Text, unlimited.Memory.Text,
	}
	want := []string{
		"9.10 of 4", "75 % of 16G", "97 % /srv", "9.10", "", "", "no answer within 8s",
		"150 % of 1 cpu", "2 % of 2G", "3 % of 1 cpu", "",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	for n, want := range map[uint64]string{0: "0K", 900 << 10: "900K", 3 << 20: "3M", 1536 << 20: "1.5G", 15 << 30: "15G", 9 << 40: "9T", 1023 << 30: "1023G"} {
		if got := size(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

func TestALineOnTargetsIsOneCall(t *testing.T) {
	for _, c := range []struct {
		names []string
		want  string
	}{
		{[]string{"ssh:web-1"}, `"target":"ssh:web-1"`},
		{[]string{"ssh:web-1", "local"}, `"targets":["ssh:web-1","local"]`},
	} {
		got, err := onAll(`echo "é"`, c.names)
		if err != nil || !strings.Contains(string(got), c.want) || !strings.Contains(string(got), `"command":"echo \"é\""`) {
			t.Errorf("%s, %v", got, err)
		}
	}
}
