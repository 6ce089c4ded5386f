package console_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/ui/console"
	"github.com/nod-console/nod/ui/overview"
	"github.com/nod-console/nod/ui/targets"
)

// fleet is what the overview is told, in memory.
type fleet struct {
	mu       sync.Mutex
	tiles    []overview.Tile
	told     func([]overview.Tile)
	watching int
	ran      []string
	result   func(ctx context.Context, sink agent.Sink) error
}

func (f *fleet) options() *console.Overview {
	return &console.Overview{
		Watch: func(ctx context.Context, told func([]overview.Tile)) {
			f.mu.Lock()
			f.watching++
			f.told = told
			told(f.tiles)
			f.mu.Unlock()
			<-ctx.Done()
			f.mu.Lock()
			f.watching--
			f.told = nil
			f.mu.Unlock()
		},
		Broadcast: func(ctx context.Context, line string, names []string, sink agent.Sink) error {
			f.mu.Lock()
			f.ran = append(f.ran, line+" on "+strings.Join(names, " "))
			result := f.result
			f.mu.Unlock()
			if result != nil {
				return result(ctx, sink)
			}
			sink(agent.Done{Ending: agent.Answered})
			return nil
		},
	}
}

// tells tells the overview new tiles.
func (f *fleet) tells(tiles []overview.Tile) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.tiles = tiles
	if f.told != nil {
		f.told(tiles)
	}
}

func (f *fleet) watched() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.watching
}

func part(text string, part, warn, danger float64, past ...float64) overview.Gauge {
	return overview.Gauge{Known: true, Part: part, Text: text, Past: past, Warn: warn, Danger: danger}
}

func rising(n int, to float64) []float64 {
	all := make([]float64, n)
	for i := range all {
		all[i] = to * float64(i+1) / float64(n)
	}
	return all
}

// hosts are targets of all kinds.
func hosts(now time.Time) []overview.Tile {
	load := part("0.42 of 4", 0.105, 1, 2, rising(10, 0.105)...)
	memory := part("62 % of 15G", 0.62, 0.85, 0.95, rising(10, 0.62)...)
	disk := part("51 % /", 0.51, 0.85, 0.95, 0.51, 0.51, 0.51, 0.51, 0.51)
	return []overview.Tile{
		{Name: "local", Trust: "lab", State: targets.Connected, Latency: 3 * time.Millisecond, Load: load, Memory: memory, Disk: disk},
		{
			Name: "ssh:web-1", Trust: "prod", State: targets.Connected, Latency: 42 * time.Millisecond,
			Load: part("9.10 of 4", 2.27, 1, 2, append(rising(7, 2.27), -1, 2.2)...), Memory: memory, Disk: part("97 % /var/lib/docker", 0.97, 0.85, 0.95),
			Last: overview.Last{Command: "systemctl restart nginx", Outcome: "exited 1", At: now.Add(-3 * time.Minute)},
		},
		{
			Name: "ssh:web-2", Trust: "prod", State: targets.Connected, Latency: 1200 * time.Millisecond, Load: load, Memory: memory, Disk: disk,
			Running: "apt-get -y upgrade", Since: now.Add(-75 * time.Second), Others: 1,
			Last: overview.Last{Command: "apt-get update", Outcome: "exited 0", OK: true, At: now.Add(-80 * time.Second)},
		},
		{Name: "ssh:db-1.intern.example.com", Trust: "prod", State: targets.Lost, Detail: "connection lost since 07:03:12"},
		{Name: "ssh:db-10", Trust: "stage", State: targets.Connected, Load: load, Memory: memory, Disk: disk, Asks: "[sudo] password for deploy:", Running: "sudo -k ls /root", Since: now.Add(-9 * time.Second)},
		{Name: "ssh:db-2", Trust: "stage", State: targets.Connecting, Detail: "step 3 of 5: asking for the host key"},
		{Name: "docker:古いデータベース", Word: "paused", State: targets.Lost, Detail: "the container is paused \x1b[2J"},
		{Name: "docker:api", State: targets.Connected, Load: part("3 % of one", 0.03, 1, 2, 0.03, 0.02), Memory: part("2 % of 2.0G", 0.02, 0.85, 0.95)},
		{Name: "ssh:freebsd", Trust: "lab", State: targets.Connected, Latency: 12 * time.Millisecond, Silent: "no answer within 8s"},
	}
}

func many(now time.Time, n int) []overview.Tile {
	var all []overview.Tile
	for i := range n {
		t := hosts(now)[0]
		t.Name, t.Trust = fmt.Sprintf("ssh:node-%d", i+1), []string{"prod", "stage", "lab", ""}[i%4]
		t.Load = part(fmt.Sprintf("0.%02d of 4", i%100), float64(i%100)/400, 1, 2, rising(10, float64(i%100)/400)...)
		all = append(all, t)
	}
	return all
}

func TestPictureOfTheOverview(t *testing.T) {
	f := &fleet{}
	pictured(t, func(o *console.Options) { o.Overview = f.options() }, func(t *testing.T, s *story) {
		f.tells(hosts(s.clock.Now()))
		s.beside("deploy@web-1:~$ ").Press("F2").See("9 targets").Picture("overview")
		answer := s.ask(t.Context(), onTarget(request("1", "rm -rf /srv/app/releases/2024*"), "ssh:web-1"))
		s.See("1 waiting").See("waits").Press("Right", " ", " ").See("2 marked").Picture("overview-marked")
		s.Type("bdf -h").See("df -h").Picture("overview-broadcast")
		s.Press("Esc", "Esc").Type("/web").See("/web").Picture("overview-filter")
		s.Press("Esc", "Esc").See("APPROVE")
		s.decide("n")
		<-answer
	})
}

func TestPictureOfAHundredTargets(t *testing.T) {
	f := &fleet{}
	pictured(t, func(o *console.Options) { o.Overview = f.options() }, func(_ *testing.T, s *story) {
		f.tells(many(s.clock.Now(), 100))
		s.beside("deploy@web-1:~$ ").Press("F2").See("100 targets").Press("PgDn", "Down").Picture("overview-100")
		s.Press("G").See("node-100").Press("g").See("node-1 ")
	})
}

// onTarget is a request about another target.
func onTarget(r policy.Request, target string) policy.Request {
	r.Action.Target = target
	return r
}
