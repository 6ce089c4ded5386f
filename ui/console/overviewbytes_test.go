package console_test

import (
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"github.com/nod-console/nod/backends/vitals"
	"github.com/nod-console/nod/ui/console"
	"github.com/nod-console/nod/ui/overview"
)

// busyFleet is a hundred targets whose figures change, ten each second, as if each were
// asked once in ten seconds. A fifth of them runs something.
type busyFleet struct {
	random *rand.Rand
	tiles  []overview.Tile
	loads  []vitals.Series
	second int
}

func newBusyFleet(now time.Time) *busyFleet {
	f := &busyFleet{random: rand.New(rand.NewPCG(1, 2)), tiles: many(now, 100), loads: make([]vitals.Series, 100)} //nolint:gosec // each run is the same
	for i := range f.tiles {
		if i%5 == 0 {
			f.tiles[i].Running, f.tiles[i].Since = "apt-get -y upgrade", now.Add(-time.Duration(i)*time.Second)
		}
		for s := range 20 {
			f.loads[i].Add(now.Add(time.Duration(s-20)*vitals.Slot), f.random.Float64())
		}
	}
	return f
}

// passes is the fleet a second later.
func (f *busyFleet) passes(now time.Time) []overview.Tile {
	for i := f.second % 10; i < len(f.tiles); i += 10 {
		load := f.random.Float64() * 1.5
		f.loads[i].Add(now, load)
		f.tiles[i].Load = part(fmt.Sprintf("%.2f of 4", 4*load), load, 1, 2)
		f.tiles[i].Memory = part(fmt.Sprintf("%d %% of 15G", 60+f.random.IntN(5)), 0.62, 0.85, 0.95)
		f.tiles[i].Latency = time.Duration(1+f.random.IntN(40)) * time.Millisecond
	}
	f.second++
	for i := range f.tiles {
		past := f.loads[i].Since(now)
		f.tiles[i].Load.Past, f.tiles[i].Memory.Past, f.tiles[i].Disk.Past = past, past, past
	}
	return append([]overview.Tile(nil), f.tiles...)
}

// watchFleet shows the overview of a busy fleet on a real terminal. second lets one second
// pass and returns the bytes that it took.
func watchFleet(t testing.TB, cols, rows int) (second func() int) {
	p := openTerminal(t, cols, rows)
	clock := newClock()
	f, told := newBusyFleet(clock.Now()), &fleet{}
	told.tells(f.passes(clock.Now()))
	p.run(t.Context(), t, console.Options{Now: clock.Now, Overview: told.options()})
	p.see(t, "ask for something")
	p.press(t, "\x1bOQ")
	p.see(t, "100 targets")
	p.frame(t)
	return func() int {
		clock.Advance(time.Second)
		told.tells(f.passes(clock.Now()))
		return len(p.frame(t))
	}
}

// The overview of a hundred targets sends at most two kilobytes a second.
func TestBytesOfTheOverviewOfAHundredTargets(t *testing.T) {
	for _, size := range sizes {
		second := watchFleet(t, size[0], size[1])
		sum, most := 0, 0
		for range 60 {
			n := second()
			sum, most = sum+n, max(most, n)
		}
		t.Logf("%d×%d: %d bytes a second, at most %d", size[0], size[1], sum/60, most)
		if sum/60 > 2048 {
			t.Errorf("%d×%d: %d bytes a second", size[0], size[1], sum/60)
		}
	}
}

// BenchmarkOverview is a second of the overview of a hundred targets: how much of a
// processor it takes, and how many bytes.
func BenchmarkOverview(b *testing.B) {
	second := watchFleet(b, 200, 60)
	sum := 0
	before := cpuTime(b)
	for b.Loop() {
		sum += second()
	}
	b.ReportMetric(float64(sum)/float64(b.N), "bytes/s")
	b.ReportMetric((cpuTime(b)-before).Seconds()/float64(b.N)*100, "%core")
}

func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
