package console_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/agent/ledger/recording"
	"github.com/nod-console/nod/ui/console"
	"github.com/nod-console/nod/ui/timeline"
)

// ran are the runs of a conversation, which may become more.
type ran struct {
	mu  sync.Mutex
	all []timeline.Run
	err error
}

func (r *ran) list(context.Context) ([]timeline.Run, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.all, r.err
}

func (r *ran) set(all []timeline.Run, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all, r.err = all, err
}

func evening(s float64) time.Time { return noon(6).Add(time.Duration(s * float64(time.Second))) }

func aRun(id, target, what string, began, took float64, state timeline.State, outcome string) timeline.Run {
	return timeline.Run{
		ID: id, Target: target, What: what, Began: evening(began), Took: time.Duration(took * float64(time.Second)),
		State: state, Outcome: outcome, Recorded: true,
	}
}

func aMorning() []timeline.Run {
	return []timeline.Run{
		aRun("A1", "ssh:web-1", "df -hP", 0, 0.01, timeline.OK, "exited 0"),
		aRun("A2", "ssh:web-1", "du -xh --max-depth=1 /var | sort -h", 2, 14, timeline.OK, "exited 0"),
		aRun("A3", "ssh:db-1.intern.example.com", "psql -c 'select pg_database_size(1)'", 4, 3, timeline.Failed, "exited 2"),
		aRun("A4", "ssh:web-1", "journalctl --vacuum-time=7d", 20, 9, timeline.Interrupted, "interrupted by the operator"),
		aRun("A5", "docker:古いデータベース", "printf '写真 📷'", 24, 1, timeline.Unknown, "unknown: the link was lost"),
		{ID: "A6", Target: "ssh:web-1", What: "rm -rf /var/lib/old", Began: evening(31), State: timeline.Denied, Outcome: "denied: the operator"},
		aRun("A7", "ssh:web-1", "make -j4 all", 900, 40, timeline.OK, "exited 0"),
		aRun("A8", "local", "tail -f /var/log/syslog", 905, 0, timeline.Running, ""),
	}
}

func TestPictureOfTheTimeline(t *testing.T) {
	r := &ran{all: aMorning()}
	change := func(o *console.Options) {
		o.Runs = r.list
		o.Now = func() time.Time { return evening(960) }
	}
	pictured(t, change, func(_ *testing.T, s *story) {
		s.beside("deploy@web-1:~$ ").Press("F3").See("timeline · 8 of 8").Picture("timeline")
		s.Press("g").See("df -hP").Press("+", "+").Picture("timeline-closer")
		s.Press("Esc").Gone("timeline ·")
	})
}

func TestARunIsPlayedFromTheTimeline(t *testing.T) {
	r := &ran{all: aMorning()[:7]}
	s := begin(t, 100, 30, func(o *console.Options) {
		o.Runs = r.list
		o.Mouse = true
		o.Replay = func(_ context.Context, name string) (console.Tape, error) {
			if name != "A2" {
				return console.Tape{}, errors.New("the recording is not there any more")
			}
			return console.Tape{Name: "a tape", Recording: &recording.Recording{Header: recording.Header{Version: 2, Width: 40, Height: 10}, Events: []recording.Event{
				{Kind: recording.Output, Text: "as it was"}, {At: time.Second, Kind: recording.Output, Text: "!"},
			}}}, nil
		}
	})
	s.Type("/timeline").Press("Enter").See("timeline · 7 of 7").Press("g", "Enter").See("not there any more")
	s.Press("l").See("timeline · 2 of 7").Press("Enter").See("as it was").See("a tape")
	s.Press("q").Gone("as it was").See("timeline · 2 of 7").Press("F1").See("┌ help").Press("Esc").Gone("┌ help")
	// The first click chooses a bar, the wheel goes along.
	for y := range 30 {
		for x, c := range []rune(s.Row(y)) {
			if c == '■' {
				s.Mouse(x, y, tcell.Button1).Mouse(x, y, tcell.ButtonNone)
			}
		}
	}
	s.See("timeline · 4 of 7").See("interrupted by the operator")
	s.Mouse(5, 5, tcell.WheelUp).See("timeline · 2 of 7").Press("F3").Gone("timeline ·").See("> ask for something")
}

func TestTheTimelineIsLive(t *testing.T) {
	r := &ran{}
	s := begin(t, 100, 30, func(o *console.Options) { o.Runs = r.list })
	s.Press("F3").See("nothing ran in this conversation yet")
	running := aRun("B1", "local", "sleep 100", 0, 0, timeline.Running, "")
	running.Began = s.clock.Now()
	r.set([]timeline.Run{running}, nil)
	s.console.RunsChanged()
	s.See("sleep 100").See("running · 0 ms")
	running.State, running.Took, running.Outcome = timeline.Failed, 3*time.Second, "exited 7"
	r.set([]timeline.Run{running}, errors.New("the record is damaged in line 7"))
	s.console.RunsChanged()
	s.See("✗ sleep 100").See("the record is damaged").Press("g").See("exited 7 · 3 s")
	frames := s.Idle().Frames()
	s.console.Notify("something else")
	if s.Idle(); s.Frames() > frames+2 {
		t.Errorf("%d frames for one notice", s.Frames()-frames)
	}
	s.Press("q").See("something else")
}

func TestWithoutARecordThereIsNoTimeline(t *testing.T) {
	s := begin(t, 80, 24, nil)
	s.Press("F3").See("not available here")
}

// TestFromTheTimelineToTheOverview: each of the two has the other's key.
func TestFromTheTimelineToTheOverview(t *testing.T) {
	r, f := &ran{all: aMorning()}, &fleet{}
	s := begin(t, 80, 24, func(o *console.Options) { o.Runs, o.Overview = r.list, f.options() })
	f.tells(hosts(s.clock.Now()))
	s.Press("F3").See("8 of 8").Press("F2").See("9 targets").Press("F3").See("8 of 8")
	if n := f.watched(); n != 0 {
		t.Errorf("behind the timeline the overview is watched %d times", n)
	}
	s.Press("F2").See("9 targets").Press("Esc").Gone("9 targets")
}
