package console_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/ui/console"
	"github.com/nod-console/nod/ui/decision"
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
		Type: func(_ context.Context, line string, bare bool, names []string, sink agent.Sink) error {
			f.mu.Lock()
			f.ran = append(f.ran, fmt.Sprintf("type %q, bare %t, into %s", line, bare, strings.Join(names, " ")))
			f.mu.Unlock()
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

// onPane is a pane of a target.
func (f *fleet) onPane(id, target string, main bool) (*terminal, console.Pane) {
	term := newTerminal(target + "$ ")
	term.does(console.PaneState{Target: target, Terminal: id})
	p := term.pane(id, target+" · nod/"+id)
	p.Main = main
	return term, p
}

func TestTheOverviewIsWatchedOnlyWhileItIsShown(t *testing.T) {
	f := &fleet{}
	s := begin(t, 80, 24, func(o *console.Options) { o.Overview = f.options() })
	if f.watched() != 0 {
		t.Error("it is watched before it is shown")
	}
	for _, leave := range []string{"Esc", "q", "F2", "Ctrl-C"} {
		f.tells(hosts(s.clock.Now()))
		s.Press("F2").See("9 targets")
		if n := f.watched(); n != 1 {
			t.Errorf("it is watched %d times", n)
		}
		s.Press(leave).Gone("targets")
		for f.watched() != 0 { // the watcher hears of it at once, and has a goroutine of its own
			s.Idle()
		}
	}
	s.Type("/overview").Press("Enter").See("9 targets")
	f.tells(many(s.clock.Now(), 3))
	s.See("3 targets").Press("Esc").Type("hello").Press("Enter").See("You said: hello")
}

func TestWithoutAnOverview(t *testing.T) {
	begin(t, 80, 24, nil).Press("F2").See("not available here")
}

func TestEnterGoesToTheTargetsTerminal(t *testing.T) {
	f := &fleet{}
	s := begin(t, 120, 40, func(o *console.Options) { o.Overview = f.options() })
	_, side := f.onPane("%2", "local", false)
	_, main := f.onPane("%1", "local", true)
	s.console.AddPane(side)
	s.console.AddPane(main)
	s.See("nod/%1")
	f.tells(hosts(s.clock.Now()))
	s.Press("F2").Type("/free").Press("Enter").See("only free").See("ssh:freebsd").Press("Enter").See("ssh:freebsd has no terminal here yet")
	s.Press("Esc").See("ssh:web-1").Type("/local").Press("Enter").See("› local").Press("Enter").See("reading local · nod/%1").Gone("targets")
}

func TestEnterGoesToWhatWaitsForTheOperator(t *testing.T) {
	f := &fleet{}
	s := begin(t, 120, 40, func(o *console.Options) { o.Overview = f.options() })
	f.tells(hosts(s.clock.Now()))
	s.Press("F2").See("9 targets")
	one, two := s.ask(t.Context(), onTarget(request("1", "touch /srv/one"), "local")), (<-chan policy.Answer)(nil)
	s.See("1 waiting").See("touch /srv/one")
	two = s.ask(t.Context(), onTarget(request("2", "touch /srv/two"), "ssh:web-2"))
	s.See("2 waiting").See("touch /srv/two").Gone("APPROVE")
	s.clock.Advance(time.Minute)
	s.Type("yn").Press("Enter") // what answers a dialog answers nothing here; Enter goes to the first tile
	s.See("APPROVE").Press("F2").See("9 targets").Type("/web-2").Press("Enter", "Enter").See("APPROVE").See("touch /srv/two")
	s.decide("n")
	if a := answer(t, two); a.Approved {
		t.Error("two was approved")
	}
	s.See("touch /srv/one")
	s.decide("n")
	if a := answer(t, one); a.Approved {
		t.Error("one was approved")
	}
}

func TestAQuestionStandsBeforeTheOverview(t *testing.T) {
	f := &fleet{}
	s := begin(t, 80, 24, func(o *console.Options) { o.Overview = f.options() })
	f.tells(hosts(s.clock.Now()))
	s.Press("F2").See("9 targets").Type("b")
	done := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer close(done)
		_, _ = s.console.Ask(ctx, decision.Question{Title: "passphrase", Text: "of the key"}) // its end is that of ctx
	}()
	s.See("of the key").See("9 targets").Type("x")
	cancel()
	<-done
	s.Gone("of the key").See("9 targets").See("run on db-10>").Press("F1").See("Esc closes").Press("Esc").See("9 targets")
}

func TestALineIsRunOnTheMarkedTargets(t *testing.T) {
	f := &fleet{}
	s := begin(t, 80, 24, func(o *console.Options) { o.Overview = f.options() })
	f.tells(many(s.clock.Now(), 4))
	s.Type("a draft").Press("F2").See("4 targets").Press(" ", " ").See("2 marked").Type("b").See("run on 2: node-1, node-2>")
	s.Paste("uptime\nrm -rf /").See("several lines").Paste("uptime -p\n").See("> uptime -p")
	f.result = func(ctx context.Context, sink agent.Sink) error {
		sink(agent.Text{Text: "both are up"})
		return untilInterrupted(ctx, sink)
	}
	s.Press("Enter").See("!uptime -p").See("(on node-1, node-2)").See("both are up").See("> a draft")
	s.Press("F2").See("4 targets").Type("b").See("a turn is running")
	s.Press("Ctrl-C").See("nothing running").Type("b").See("run on node-1>").Press("Esc", "Esc").See("> a draft")
	if want := []string{"uptime -p on ssh:node-1 ssh:node-2"}; !slices.Equal(f.ran, want) {
		t.Errorf("%q", f.ran)
	}
}

// TestALineIsTypedIntoTheMarkedTargets, with Enter or without it, and not while a turn runs.
func TestALineIsTypedIntoTheMarkedTargets(t *testing.T) {
	f := &fleet{}
	s := begin(t, 80, 24, func(o *console.Options) { o.Overview = f.options() })
	f.tells(many(s.clock.Now(), 4))
	s.Press("F2").See("4 targets").Press(" ", " ").See("2 marked").Type("tyes").See("type into 2: node-1, node-2> yes")
	s.Press("Enter").See(`type "yes"`).See("(into node-1, node-2)").See("nothing running")
	s.Press("F2").See("4 targets").Type("tq").See("type into node-1> q").Press("Alt-Enter").See(`type "q"`).See("nothing running")
	f.result = untilInterrupted
	s.Press("F2").See("4 targets").Type("b").See("run on node-1>").Type("x").Press("Enter").See("!x")
	s.Press("F2").See("4 targets").Type("t").See("a turn is running").Press("Ctrl-C").See("nothing running")
	want := []string{`type "yes", bare false, into ssh:node-1 ssh:node-2`, `type "q", bare true, into ssh:node-1`, "x on ssh:node-1"}
	if !slices.Equal(f.ran, want) {
		t.Errorf("%q", f.ran)
	}
}

func TestAProposalForTheMarkedTargets(t *testing.T) {
	f := &fleet{}
	s := begin(t, 120, 30, func(o *console.Options) { o.Overview = f.options() })
	f.tells(many(s.clock.Now(), 4))
	s.Press("F2").See("4 targets").Press("Right", " ", " ").Type("r")
	s.See("> Propose one command, to be run on ssh:node-2").Type("frees space").Press("Enter")
	s.See("You said: Propose one command, to be run on")
	if got := s.model.got(); !slices.Equal(got, []string{"Propose one command, to be run on ssh:node-2 and ssh:node-3, that frees space"}) {
		t.Errorf("%q", got)
	}
}

func TestTheMouseInTheOverview(t *testing.T) {
	f := &fleet{}
	s := begin(t, 80, 24, func(o *console.Options) { o.Overview, o.Mouse = f.options(), true })
	f.tells(many(s.clock.Now(), 30))
	_, pane := f.onPane("%1", "ssh:node-2", true)
	s.console.AddPane(pane)
	s.Press("F2").See("30 targets")
	click := func(x, y int) { s.Mouse(x, y, tcell.Button1).Mouse(x, y, tcell.ButtonNone) }
	s.Mouse(3, 3, tcell.WheelDown).See("› ssh:node-3")
	click(45, 4)
	s.See("› ssh:node-2")
	click(45, 4)
	s.See("reading ssh:node-2").Gone("targets")
}

// A pane that floods behind the overview costs no frame.
func TestWhatGoesOnBehindTheOverviewIsNotDrawn(t *testing.T) {
	f := &fleet{}
	s := begin(t, 80, 24, func(o *console.Options) { o.Overview = f.options() })
	term, pane := f.onPane("%1", "local", true)
	s.console.AddPane(pane)
	s.See("local$")
	f.tells(many(s.clock.Now(), 3))
	s.Press("F2").See("3 targets")
	before := s.Frames()
	for range 100 {
		term.write("x\r\n")
	}
	s.Idle()
	if n := s.Frames() - before; n > 1 { // that of Idle
		t.Errorf("%d frames", n)
	}
	s.Press("Esc").See("x")
}

// What waits for several targets waits on each of them.
func TestAProposalForSeveralTargetsWaitsOnEachOfThem(t *testing.T) {
	f := &fleet{}
	s := begin(t, 120, 40, func(o *console.Options) { o.Overview = f.options() })
	f.tells(many(s.clock.Now(), 4))
	s.Press("F2").See("4 targets")
	r := request("1", "touch /srv/all")
	var parts []tools.Action
	for _, name := range []string{"ssh:node-2", "ssh:node-4"} {
		part := r.Action
		part.Kind, part.Target = tools.Exec, name
		parts = append(parts, part)
	}
	r.Action = tools.Join("ssh:node-[2,4]", parts)
	asked := s.ask(t.Context(), r)
	s.See("2 wait for you").Type("/node-4").Press("Enter").See("› ssh:node-4").See("touch /srv/all").Press("Enter").See("APPROVE")
	s.decide("n")
	if a := answer(t, asked); a.Approved {
		t.Error("it was approved")
	}
}
