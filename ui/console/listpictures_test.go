package console_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/ledger/recording"
	"github.com/nod-console/nod/ui/console"
	"github.com/nod-console/nod/ui/targets"
)

// noon is a time of the day wherever the tests run.
func noon(day int) time.Time { return time.Date(2024, 5, day, 12, 0, 0, 0, time.Local) }

func TestPictureOfTargets(t *testing.T) {
	all := []targets.Target{
		{Name: "local", State: targets.Connected, Trust: "lab", Panes: 3},
		{Name: "ssh:web-1", State: targets.Connected, Trust: "prod", Current: true, Latency: 42 * time.Millisecond, Panes: 2, Address: "192.0.2.80", System: "Linux"},
		{Name: "ssh:db-1.intern.example.com", State: targets.Lost, Trust: "prod", Detail: "connection lost: the link has been silent for 15 s; trying again in 4 s"},
		{Name: "ssh:bastion", State: targets.Connecting, Trust: "stage", Detail: "step 3 of 5: asking for the host key"},
		{Name: "docker:api", State: targets.Connected, Detail: "registry.example/api:7.2", Panes: 1, Logs: true},
		{Name: "docker:古いデータベース", Word: "paused", Detail: "postgres:16 🐘", Logs: true},
		{Name: "ssh:a-host-with-a-very-long-name-that-does-not-fit-anywhere.example.com", Trust: "lab"},
	}
	for i := range 40 {
		all = append(all, targets.Target{Name: fmt.Sprintf("ssh:node-%02d", i), Trust: "stage", Address: fmt.Sprintf("192.0.2.%d", i)})
	}
	all[len(all)-1].Used, all[len(all)-1].System = time.Date(2024, 5, 6, 4, 8, 0, 0, time.UTC), "FreeBSD"
	all[len(all)-2].Used = time.Date(2024, 5, 1, 4, 8, 0, 0, time.UTC)
	change := func(o *console.Options) {
		o.Targets = &console.Targets{List: func() []targets.Target { return all }, Use: func(context.Context, string) error { return nil }}
	}
	pictured(t, change, func(_ *testing.T, s *story) {
		s.beside("deploy@web-1:~$ ").Press("Ctrl-T").See("Esc closes").Picture("targets")
		s.Press("Down", " ", " ").See("2 marked").Picture("targets-marked").Press("Esc").Gone("2 marked")
		s.Type("docker").Press("Down").Picture("targets-filtered")
		s.Press("Ctrl-U").Type("new-host.example").See("connects to").Picture("targets-new")
	})
}

func TestPictureOfAConnection(t *testing.T) {
	pictured(t, nil, func(_ *testing.T, s *story) {
		s.beside("deploy@web-1:~$ ")
		s.console.SetTarget(console.TargetStatus{Name: "ssh:web-1", Trust: "prod", State: "step 3 of 5: looking for tmux on the host", Latency: 42 * time.Millisecond})
		s.See("step 3 of").Picture("connecting")
		s.console.SetTarget(console.TargetStatus{Name: "docker:古いデータベース", Load: "cpu 3 % · 41 MiB", Latency: 1200 * time.Microsecond})
		s.console.Notify("connected to docker:古いデータベース in 1.2 s: tmux 3.5a, bash 5.2")
		s.See("tmux 3.5a").Picture("connected")
	})
}

func TestPictureOfHistoryForkAndThemes(t *testing.T) {
	change := func(o *console.Options) {
		o.Past = &console.Past{
			Find: func(context.Context, string) ([]console.Held, error) {
				all := []console.Held{
					{ID: "now", Title: "this one", Target: "local", When: noon(6), InUse: true},
					{ID: "1", Title: "why is web-1's disk full? 写真 📷 and everything else that grows", Target: "ssh:web-1", When: noon(5)},
					{ID: "2", Title: "nginx is slow", Target: "docker:api", When: noon(4), Excerpt: "… upstream timed out (110: Connection timed out) while reading …"},
				}
				for i := range 30 {
					all = append(all, console.Held{ID: fmt.Sprint("x", i), Title: fmt.Sprintf("conversation %d", i), Target: "local", When: noon(3)})
				}
				return all, nil
			},
			Prompts: func(context.Context) ([]console.Said, error) {
				return []console.Said{{Place: 1, Text: "why is the disk full?", When: noon(6)}, {Place: 5, Text: "二つ目\nof two lines " + strings.Repeat("and more ", 20), When: noon(6)}}, nil
			},
		}
	}
	pictured(t, change, func(_ *testing.T, s *story) {
		s.beside("deploy@web-1:~$ ").Type("/history").Press("Enter").See("conversations").Picture("history")
		s.Press("End").Picture("history-end")
		s.Press("Esc").Type("/fork").Press("Enter").See("fork").Picture("fork")
		s.Press("Esc").Type("/theme").Press("Enter").See("themes").Type("d").Picture("themes")
	})
}

func TestPictureOfHelp(t *testing.T) {
	pictured(t, nil, func(_ *testing.T, s *story) {
		s.beside("deploy@web-1:~$ ").Press("F1").See("help · ").See("Esc closes").Picture("help")
		s.Press("PgDn", "PgDn").Picture("help-scrolled")
	})
}

func TestPictureOfAPlayedRecording(t *testing.T) {
	at := func(n int, kind byte, text string) recording.Event {
		return recording.Event{At: time.Duration(n) * time.Second, Kind: kind, Text: text}
	}
	tape := &recording.Recording{Header: recording.Header{Version: 2, Width: 60, Height: 20}, Events: []recording.Event{
		at(0, recording.Output, "ready$ "), at(2, recording.Mark, "run: make 全部"), at(3, recording.Output, "make 全部\r\n🔨 it is made\r\nready$ "),
		at(4, recording.Mark, "exited 0: make 全部"), at(70, recording.Output, "the end"),
	}}
	change := func(o *console.Options) {
		o.Replay = func(context.Context, string) (console.Tape, error) {
			return console.Tape{Name: "H7K2QD · ssh:web-1 · 2024-05-06", At: time.Second, Recording: tape}, nil
		}
	}
	pictured(t, change, func(_ *testing.T, s *story) {
		s.beside("deploy@web-1:~$ ").Type("/replay").Press("Enter").See("ready$").Press(" ").See("‖").Press("N", "n")
		s.Picture("player")
		s.Press("End").See("the end").Picture("player-end")
	})
}

func TestPictureOfAnAlarm(t *testing.T) {
	pictured(t, nil, func(_ *testing.T, s *story) {
		s.beside("deploy@web-1:~$ ")
		s.console.SetAlarm("the record is broken off at entry 4711: nothing that changes anything runs before nod audit verify says why", true)
		s.See(" ! the record").Picture("alarm")
		s.console.SetAlarm("", false)
		s.Gone(" ! the record")
		s.console.Reverting(agent.Reverting{ID: "r", Due: s.clock.Now().Add(90 * time.Second), Text: "revert armed on ssh:web-1: links, addresses and routes come back in 90 s"})
		s.See("revert in 90 s").Picture("revert-armed")
	})
}

func TestPictureOfTheStart(t *testing.T) {
	change := func(o *console.Options) {
		o.Notice = "No model is configured: the guide answers. nod model add names one. New here? /tour shows nod in two minutes."
		o.Resume = &console.Resume{LeftOpen: true, Title: "why is web-1's disk full? 写真 📷", When: time.Date(2024, 5, 6, 4, 0, 0, 0, time.UTC)}
	}
	pictured(t, change, func(_ *testing.T, s *story) {
		s.beside("deploy@web-1:~$ ").See("/resume").Picture("start")
	})
}

func TestPictureOfWhatHolds(t *testing.T) {
	change := func(o *console.Options) {
		o.SetPosture = func(context.Context, string) error { return nil }
		o.OpenWindow = func(context.Context, time.Duration) error { return nil }
		o.Report = func(context.Context) []string {
			return []string{"approvals this hour: 3", "grants: 2, the last one for mkdir -p /srv/app/releases/日本語", "record: ~/.local/state/nod/audit, 812 entries"}
		}
		o.Context = func(context.Context) ([]string, error) {
			return []string{"context of gpt-5: 40,212 of 128,000 tokens (31 %)", "  instructions   4,100", "  conversation  30,000", "  tools          6,112"}, nil
		}
		o.Models = &console.Models{
			List: func(context.Context) ([]string, error) {
				return []string{"▸ big    gpt-5     128,000 tokens", "  small  qwen3:8b   32,000 tokens", "  日本   llama      8,000 tokens", "/model NAME lets another one answer."}, nil
			},
			Use: func(context.Context, string) (console.ModelStatus, error) {
				return console.ModelStatus{}, errors.New("no")
			},
		}
	}
	pictured(t, change, func(_ *testing.T, s *story) {
		s.beside("deploy@web-1:~$ ").Type("/approve 10m").Press("Enter").See("changes run 10:00")
		s.clock.Advance(65 * time.Second)
		s.Press("Tab", "Shift-Tab").See("changes run 8:55").Picture("window")
		s.Press("Esc").Type("/status").Press("Enter").See("812").Picture("status")
		s.Type("/context").Press("Enter").See("6,112").Picture("context")
		s.Type("/model").Press("Enter").See("answer.").Picture("models")
	})
}

func TestPictureOfLogsAndSubAgents(t *testing.T) {
	pictured(t, nil, func(_ *testing.T, s *story) {
		term := newTerminal("2024-05-06T07:08:09Z \x1b[33mWARN\x1b[0m 接続が切れました 🔌\r\n2024-05-06T07:08:10Z INFO  connected")
		logs := term.pane("logs", "docker:api · logs")
		logs.Type, logs.Name = nil, "logs"
		s.console.AddPane(logs)
		term.does(console.PaneState{Fault: "the log ends here: the container has stopped", Stale: true})
		s.beside("deploy@web-1:~$ ")
		s.says("team",
			agent.CallProposed{Call: "1", Tool: "team", Arguments: []byte(`{"members":[{"name":"web"},{"name":"db"}],"tasks":[1,2,3]}`)},
			agent.CallStarted{Call: "1", Tool: "team", Effect: "observe"},
			agent.CallFinished{Call: "1", Tool: "team", Outcome: "exited 0", Duration: 71 * time.Second, Content: came(map[string]any{
				"results": "web: nginx はOK ✅\ndb: the disk is full\n",
			})},
			agent.Text{Text: "Both are done."},
		)
		s.Press("Tab", "k", "Enter").See("▾▌send team").Picture("team")
		s.Press("Tab").See("reading").Picture("logs")
	})
}
