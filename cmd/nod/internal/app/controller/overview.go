package controller

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/backends/docker"
	"github.com/nod-console/nod/backends/vitals"
	"github.com/nod-console/nod/cmd/nod/internal/app"
	"github.com/nod-console/nod/cmd/nod/internal/app/targets"
	"github.com/nod-console/nod/tools/terminal"
	"github.com/nod-console/nod/ui/console"
	"github.com/nod-console/nod/ui/overview"
	picker "github.com/nod-console/nod/ui/targets"
)

const (
	// tileTime is the least time between two pictures of the overview.
	tileTime = time.Second
	// lookSlots is how many hosts are asked at the same time how they do.
	lookSlots = 16
	// lookOnceTime bounds the look at all targets that is asked for in lines.
	lookOnceTime = 2 * vitals.Limit
)

// pulse is what is known of how a target does. It outlives the overview, so that the last
// minutes are there when it is opened again.
type pulse struct {
	mu                 sync.Mutex
	known              bool // it was asked
	latency            time.Duration
	silent             string
	load, memory, disk overview.Gauge
	loads, used, full  vitals.Series
}

func (d *Controller) overviewOptions() *console.Overview {
	return &console.Overview{Watch: d.watchOverview, Look: d.lookOverview, Broadcast: d.broadcast, Type: d.typeInto}
}

// watchOverview tells how all targets stand while the overview is shown. Nothing of it
// goes on after ctx.
func (d *Controller) watchOverview(ctx context.Context, told func([]overview.Tile)) {
	parts, err := d.ready(ctx)
	if err != nil {
		return
	}
	d.attention.tile(1)
	defer d.attention.tile(-1)
	w := pulses{controller: d, slots: make(chan struct{}, lookSlots), of: map[*targets.Target]bool{}}
	defer w.watching.Wait()
	tick := time.NewTicker(tileTime)
	defer tick.Stop()
	var last []overview.Tile
	for first := true; ; first = false {
		w.follow(ctx, parts.core)
		if tiles := d.tiles(ctx, parts.core); first || !reflect.DeepEqual(tiles, last) {
			last = tiles
			told(tiles)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// lookOverview asks each target once how it does.
func (d *Controller) lookOverview(ctx context.Context) ([]overview.Tile, error) {
	parts, err := d.ready(ctx)
	if err != nil {
		return nil, err
	}
	bounded, cancel := context.WithTimeout(ctx, lookOnceTime)
	defer cancel()
	open, _ := parts.core.Targets.List()
	slots := make(chan struct{}, lookSlots)
	var asking sync.WaitGroup
	for _, s := range open {
		asking.Go(func() {
			once, done := context.WithCancel(bounded)
			defer done()
			d.feel(once, s, slots, func() { done() })
		})
	}
	asking.Wait()
	return d.tiles(ctx, parts.core), ctx.Err()
}

// pulses are the looks at targets while the overview is shown.
type pulses struct {
	controller *Controller
	slots      chan struct{}
	of         map[*targets.Target]bool
	watching   sync.WaitGroup
}

// follow begins to look at the targets that are new.
func (w *pulses) follow(ctx context.Context, h *app.Core) {
	maps.DeleteFunc(w.of, func(s *targets.Target, _ bool) bool { return s.Dropped() })
	open, _ := h.Targets.List()
	for _, s := range open {
		if w.of[s] {
			continue
		}
		w.of[s] = true
		w.watching.Go(func() { w.controller.feel(ctx, s, w.slots, func() {}) })
	}
}

// feel looks at a target now and then, until it is dropped or ctx ends, and calls felt
// after each look, from its own goroutine.
func (d *Controller) feel(ctx context.Context, s *targets.Target, slots chan struct{}, felt func()) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var ending sync.WaitGroup
	ending.Go(func() {
		select {
		case <-s.Gone:
			cancel()
		case <-ctx.Done():
		}
	})
	p := d.pulseOf(s.Name())
	if s.Container != nil {
		p.container(ctx, s, felt)
	} else {
		prober := vitals.Prober{Target: s.Target, Slots: slots, Stands: func() (bool, <-chan struct{}) {
			changed := s.LinkChanged() // before it is looked at
			_, wrong := s.Link()
			return wrong == "", changed
		}}
		prober.Run(ctx, func(r vitals.Reading) {
			p.take(r)
			felt()
		})
	}
	cancel()
	ending.Wait()
}

// pulseOf is what is known of the target with a name.
func (d *Controller) pulseOf(name string) *pulse {
	d.mu.Lock()
	defer d.mu.Unlock()
	p := d.pulses[name]
	if p == nil {
		p = &pulse{}
		d.pulses[name] = p
	}
	return p
}

// forgetPulses forgets what is known of targets that are not open any more.
func (d *Controller) forgetPulses(open []*targets.Target) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for name := range d.pulses {
		if !slices.ContainsFunc(open, func(s *targets.Target) bool { return s.Name() == name }) {
			delete(d.pulses, name)
		}
	}
}

// container takes the engine's own statistics, as often as hosts are asked.
func (p *pulse) container(ctx context.Context, s *targets.Target, felt func()) {
	for ctx.Err() == nil {
		if s.Container.Stands() == nil {
			var next time.Time
			// An error is that of a container that has ended, which its link tells.
			_ = s.Container.Target.Stats(ctx, func(u docker.Usage) {
				if now := time.Now(); !now.Before(next) {
					next = now.Add(vitals.Every)
					p.use(u, now)
					felt()
				}
			})
		}
		select {
		case <-time.After(vitals.Every):
		case <-ctx.Done():
		}
	}
}

// Where figures are to be looked at, and where at once: parts of the whole.
const (
	busy, overloaded = 1, 2 // processes that want to run, for each processor
	filling, full    = 0.85, 0.95
)

// take takes over what a look has found.
func (p *pulse) take(r vitals.Reading) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.known, p.latency, p.silent = true, r.Latency, ""
	if r.Err != nil {
		p.silent = r.Err.Error()
	}
	p.load, p.memory, p.disk = overview.Gauge{}, overview.Gauge{}, overview.Gauge{}
	if l := r.Load; l.Known {
		text := fmt.Sprintf("%.2f", l.Average)
		p.load = overview.Gauge{Known: true, Part: l.Part(), Text: text}
		if l.Processors > 0 {
			p.load.Text, p.load.Warn, p.load.Danger = fmt.Sprintf("%s of %d", text, l.Processors), busy, overloaded
		}
		p.loads.Add(r.At, l.Part())
	}
	if m := r.Memory; m.Total > 0 {
		p.memory = filled(m.Part(), "of "+size(m.Total))
		p.used.Add(r.At, m.Part())
	}
	if f := r.Disk; f.Path != "" {
		p.disk = filled(f.Part(), f.Path)
		p.full.Add(r.At, f.Part())
	}
}

// use takes over what a container uses.
func (p *pulse) use(u docker.Usage, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.known = true
	p.load = overview.Gauge{Known: true, Part: u.CPU / 100, Text: fmt.Sprintf("%.0f %% of 1 cpu", u.CPU)}
	p.loads.Add(now, u.CPU/100)
	p.memory = overview.Gauge{}
	if u.Limit > 0 {
		part := float64(u.Memory) / float64(u.Limit)
		p.memory = filled(part, "of "+size(u.Limit))
		p.used.Add(now, part)
	}
}

// filled is a figure of what can be full.
func filled(part float64, of string) overview.Gauge {
	return overview.Gauge{Known: true, Part: part, Text: fmt.Sprintf("%.0f %% %s", part*100, of), Warn: filling, Danger: full}
}

// size is a number of bytes in a few characters.
func size(n uint64) string {
	for _, u := range []struct {
		name string
		size uint64
	}{{"T", 1 << 40}, {"G", 1 << 30}, {"M", 1 << 20}} {
		switch whole := float64(n) / float64(u.size); {
		case whole >= 9.95:
			return fmt.Sprintf("%.0f%s", whole, u.name)
		case whole >= 1:
			return strings.TrimSuffix(fmt.Sprintf("%.1f", whole), ".0") + u.name
		}
	}
	return fmt.Sprintf("%dK", n>>10)
}

// show writes what is known into a target's tile.
func (p *pulse) show(t *overview.Tile, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t.Load, t.Memory, t.Disk, t.Silent = p.load, p.memory, p.disk, p.silent
	t.Load.Past, t.Memory.Past, t.Disk.Past = p.loads.Since(now), p.used.Since(now), p.full.Since(now)
	if t.State == picker.Connected && t.Latency == 0 { // the connection measures none of its own
		t.Latency = p.latency
	}
	if !p.known {
		t.Silent = "not asked yet"
	}
}

// tiles are how all targets stand now.
func (d *Controller) tiles(ctx context.Context, h *app.Core) []overview.Tile {
	open, opening := h.Targets.List()
	d.forgetPulses(open)
	now := time.Now()
	tiles := make([]overview.Tile, 0, len(open)+len(opening))
	for _, s := range open {
		t := overview.Tile{Name: s.Name(), Trust: string(h.Policy.TrustOf(s.Name())), State: picker.Connected}
		if t.Latency, t.Detail = s.Link(); t.Detail != "" {
			t.State = picker.Lost
		}
		if s.Container != nil {
			t.Word = s.Container.Sign()
		}
		d.pulseOf(s.Name()).show(&t, now)
		if t.State == picker.Lost { // they are how it was
			t.Load, t.Memory, t.Disk, t.Silent = overview.Gauge{}, overview.Gauge{}, overview.Gauge{}, ""
		}
		goingOn(ctx, &t, s)
		tiles = append(tiles, t)
	}
	for _, name := range opening {
		d.mu.Lock()
		detail := d.steps[name]
		d.mu.Unlock()
		tiles = append(tiles, overview.Tile{Name: name, Trust: string(h.Policy.TrustOf(name)), State: picker.Connecting, Detail: detail})
	}
	return tiles
}

// goingOn writes into a tile what runs in the target's panes, what asks there and what
// has ended last. Nothing is asked on the target for it.
func goingOn(ctx context.Context, t *overview.Tile, s *targets.Target) {
	for _, p := range s.List() {
		command, since := "", time.Time{}
		if run := p.Busy(); run != nil {
			command, since = run.Command, run.Started
			if asking, _ := p.Asks(ctx, run, false); t.Asks == "" {
				t.Asks = asking.Line
			}
		} else if by, ok := p.ByHand(); ok {
			command = by
		}
		switch {
		case command == "":
		case t.Running == "":
			t.Running, t.Since = command, since
		default:
			t.Others++
		}
		if last, ok := p.Last(); ok && last.At.After(t.Last.At) {
			t.Last = overview.Last{Command: last.Command, Outcome: last.Outcome.String(), OK: last.Outcome.OK(), At: last.At}
		}
	}
}

// broadcast runs a line on several targets, as one action: it is decided upon by the
// strictest of them, asked about once and on record for each.
func (d *Controller) broadcast(ctx context.Context, line string, names []string, sink agent.Sink) error {
	turns, talk, err := d.talking(ctx)
	if err != nil {
		return err
	}
	arguments, err := onAll(line, names)
	if err != nil {
		return err
	}
	prompt := "!" + line + " (on " + strings.Join(names, ", ") + ")"
	turns.Own(ctx, talk, prompt, (*terminal.RunShell)(nil).Name(), arguments, sink)
	return nil
}

// typeInto types a line into the shared panes of several targets, as one action: each is
// judged by what reads the line there.
func (d *Controller) typeInto(ctx context.Context, line string, bare bool, names []string, sink agent.Sink) error {
	turns, talk, err := d.talking(ctx)
	if err != nil {
		return err
	}
	arguments, err := of(map[string]any{"literal_text": line, "enter": !bare}, names)
	if err != nil {
		return err
	}
	prompt := fmt.Sprintf("type %q (into %s)", line, strings.Join(names, ", "))
	turns.Own(ctx, talk, prompt, (*terminal.SendKeys)(nil).Name(), arguments, sink)
	return nil
}

// onAll are the arguments of run_shell for a line of the operator's own on targets.
func onAll(line string, names []string) (json.RawMessage, error) {
	return of(map[string]any{"command": line}, names)
}

// of are the arguments of a call of the operator's own on targets.
func of(arguments map[string]any, names []string) (json.RawMessage, error) {
	// Of what the operator gives, nobody claims anything.
	maps.Copy(arguments, map[string]any{"risk": "high", "mutation": true, "privesc": true, "why": "the operator's own command"})
	if len(names) == 1 {
		arguments["target"] = names[0]
	} else {
		arguments["targets"] = names
	}
	return json.Marshal(arguments)
}
