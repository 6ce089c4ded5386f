package console_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/desk"
	"github.com/nod-console/nod/ui/console"
	"github.com/nod-console/nod/ui/decision"
)

// says is a turn of the model's that consists of events.
func (s *story) says(prompt string, events ...agent.Event) {
	s.model.steps[prompt] = func(_ context.Context, sink agent.Sink) error {
		for _, e := range events {
			sink(e)
		}
		sink(agent.Done{Ending: agent.Answered})
		return nil
	}
	s.Type(prompt).Press("Enter").Gone(" 0 s").Idle() // the turn is over
}

// call is a call of run_shell from the proposal to the end.
func call(id, command, effect string, end agent.CallFinished) []agent.Event {
	arguments, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		panic(err)
	}
	end.Call, end.Tool = id, "run_shell"
	return []agent.Event{
		agent.CallProposed{Call: id, Tool: "run_shell", Arguments: arguments},
		agent.CallStarted{Call: id, Tool: "run_shell", Target: "ssh:web-1", Pane: "%1", Effect: effect},
		end,
	}
}

func came(fields map[string]any) string {
	return tools.Envelope(time.Time{}, tools.Result{Value: fields})
}

func TestPictureOfCards(t *testing.T) {
	var events []agent.Event
	events = append(events, agent.Text{Text: "Looking."})
	events = append(events, call("1", "ls -l /srv/写真 | head -n 3", "observe", agent.CallFinished{
		Outcome: "exited 0", Duration: 42 * time.Millisecond, Content: came(map[string]any{"stdout": "写真 📷.jpg\n0123456789 0123456789 0123456789 0123456789\ttab\n\x1b[31mred\x1b[0m\n"}),
	})...)
	events = append(events, call("2", "systemctl restart nginx && systemctl status nginx --no-pager --full", "mutate", agent.CallFinished{
		IsError: true, Outcome: "exited 3", Duration: 90 * time.Second, Content: came(map[string]any{"stderr": "Job for nginx.service failed.\n", "exit_code": 3}),
	})...)
	events = append(events, call("3", "rm -rf /srv/app", "destroy", agent.CallFinished{
		IsError: true, Denied: true, Content: came(map[string]any{"error": "denied by policy: nothing below /srv is removed on a 金曜日"}),
	})...)
	events = append(events, call("4", "dd if=/dev/sda of=/mnt/disk.img", "mutate", agent.CallFinished{
		IsError: true, Content: tools.Envelope(time.Time{}, tools.Failure("unknown", "The link was lost before the end was known. Look with capture-pane before anything is done again.")),
	})...)
	events = append(events, call("5", "tail -f /var/log/syslog", "observe", agent.CallFinished{IsError: true, Outcome: "running", Duration: 30 * time.Second})...)
	events = append(events, agent.Text{Text: "That is all."})
	pictured(t, nil, func(_ *testing.T, s *story) {
		s.beside("deploy@web-1:~$ ").Type("")
		s.says("look", events...)
		s.Picture("cards")
		s.Press("Ctrl-Home").Picture("cards-top")
		s.Press("Tab")
		for range len(events) {
			s.Press("k")
		}
		for !strings.Contains(s.Text(), "▸▌ls") {
			s.Press("j")
		}
		s.Press("Enter")
		s.Picture("card-open")
	})
}

func TestPictureOfARunningCard(t *testing.T) {
	pictured(t, nil, func(_ *testing.T, s *story) {
		s.beside("deploy@web-1:~$ rsync\n").Type("")
		s.model.steps["go"] = func(ctx context.Context, sink agent.Sink) error {
			for _, e := range call("1", "rsync -a --info=progress2 /srv/ backup:/srv/", "mutate", agent.CallFinished{})[:2] {
				sink(e)
			}
			sink(agent.CallProgress{Call: "1", Progress: tools.Progress{Note: "12 MiB of 1.4 GiB, 3.1 MiB/s"}})
			sink(agent.CallProposed{Call: "2", Tool: "read_file", Arguments: json.RawMessage(`{"path":"/etc/hosts"}`)})
			<-ctx.Done()
			return ctx.Err()
		}
		s.Type("go").Press("Enter").See("… running")
		s.clock.Advance(75 * time.Second)
		s.Type("and then this").Press("Enter").See("(waits)").See("1 min 15 s").Gone(" 0 s").Picture("card-running")
	})
}

func TestPictureOfADiffCard(t *testing.T) {
	diff := "--- /etc/nginx/sites-enabled/shop.conf\n+++ /etc/nginx/sites-enabled/shop.conf\n@@ -3,4 +3,5 @@\n server {\n-\tlisten 80;\n+\tlisten 443 ssl;\n" +
		"+\t# 本番 🔒: a comment that is longer than the line has room for, and goes on in the next one\n \tserver_name shop.example;\n"
	pictured(t, nil, func(_ *testing.T, s *story) {
		s.beside("deploy@web-1:~$ ").Type("")
		s.says("edit",
			agent.CallProposed{Call: "1", Tool: "edit_file", Arguments: json.RawMessage(`{"path":"/etc/nginx/sites-enabled/shop.conf"}`)},
			agent.CallStarted{Call: "1", Tool: "edit_file", Target: "ssh:web-1", Effect: "mutate", Action: tools.Action{
				Tool: "edit_file", Kind: tools.Write, Path: "/etc/nginx/sites-enabled/shop.conf", Diff: diff,
			}},
			agent.CallFinished{Call: "1", Tool: "edit_file", Outcome: "exited 0", Duration: 8 * time.Millisecond, Content: came(map[string]any{"path": "/etc/nginx/sites-enabled/shop.conf", "bytes": 812})},
		)
		s.See("+2 −1").Picture("diff-folded")
		s.Press("Tab", "Enter").See("▾▌edit").Picture("diff-open")
	})
}

func TestPictureOfTodos(t *testing.T) {
	list := desk.TodoValue{Items: []desk.TodoItem{
		{Content: "find what grew", State: desk.Completed}, {Content: "ask whether 写真 📷 may go to the archive, which is slow and far away and full", State: desk.InProgress},
		{Content: "free space", State: desk.Pending}, {Content: "restart", State: desk.Cancelled}, {Content: "look again", State: desk.Pending},
	}}
	pictured(t, nil, func(_ *testing.T, s *story) {
		s.beside("deploy@web-1:~$ ").Type("")
		s.says("plan",
			agent.Text{Text: "This is what I will do."},
			agent.CallProposed{Call: "1", Tool: "todo", Arguments: json.RawMessage(`{"items":[1,2,3,4,5]}`)},
			agent.CallFinished{Call: "1", Tool: "todo", Content: tools.Envelope(time.Time{}, tools.Result{Value: list})},
		)
		s.See("todo 1 of 4").Picture("todo")
	})
}

func TestPictureOfReasoning(t *testing.T) {
	pictured(t, nil, func(_ *testing.T, s *story) {
		s.beside("deploy@web-1:~$ ").Type("")
		s.says("why",
			agent.Reasoning{Text: "Hm."}, agent.Text{Text: "One moment."},
			agent.Reasoning{Text: "The operator wants to know why the disk is full. 日本語も考える 🤔. " + strings.Repeat("So I look at it, and at it again. ", 6) + "\n\nThen I answer."},
			agent.Text{Text: "It is full of logs."},
		)
		s.See("full of logs").Picture("reasoning-folded")
		s.Press("Tab", "k", "Enter").See("▾▌thought").Picture("reasoning-open")
	})
}

const marked = `# Disk of web-1

The **largest** folders, *by size*, with ` + "`du -xh`" + `:

| folder | size | owner 👤 |
|:-------|-----:|----------|
| /var/lib/docker | 18 GiB | root |
| /srv/写真 | 512 MiB | 佐藤さん |
| /var/log | 3 GiB | 👨‍👩‍👧 family |

1. Look at the [runbook](https://wiki.example/disk/full) first
2. then
   - rotate the logs
   - 古いログを消す: ` + "`journalctl --vacuum-size=200M`" + `
3. [x] tell 👍🏽 everybody

> Quoted: 日本語の文章は、空白なしでも、行の終わりで正しく折り返されます。

` + "```sh\njournalctl --disk-usage\n\tawk '{ print $1 }' very-long-file-name-that-does-not-fit.log | sort -n | tail -n 20 # 末尾\n```\n" + `
---
Done ✅ – é, ü, ß, ﷽ and 🇩🇪 stand where they should.
`

func TestPictureOfMarkdown(t *testing.T) {
	pictured(t, nil, func(_ *testing.T, s *story) {
		s.beside("deploy@web-1:~$ ").Type("")
		s.says("report", agent.Text{Text: marked})
		s.Press("Ctrl-Home").Picture("markdown-top")
		s.Press("PgDn").Picture("markdown-middle")
		s.Press("Ctrl-End").See("should").Picture("markdown")
	})
}

func TestPictureOfFaultsAndNotices(t *testing.T) {
	pictured(t, nil, func(_ *testing.T, s *story) {
		s.beside("deploy@web-1:~$ ").Type("")
		s.says("try",
			agent.Retrying{Reason: "the model's server answers 529: overloaded", After: 4 * time.Second, Try: 2},
			agent.Compaction{Summary: "- done: all 完了", Messages: 40, Before: 91, After: 22},
			agent.Steered{Text: "only /var, 他は要らない"},
			agent.Fault{Text: "the model's server cannot be reached: dial tcp 192.0.2.7:443: connect: connection refused", Hint: "nod doctor --model says what is wrong"},
		)
		s.See("nod doctor").Picture("faults")
	})
}

func TestPictureOfTheEndOfACommandInAHiddenPane(t *testing.T) {
	pictured(t, nil, func(_ *testing.T, s *story) {
		for _, name := range []string{"build 構築", "logs", "db", "web", "cache", "mail", "dns", "ci", "old"} {
			p := newTerminal(name + "$ ")
			p.state.Running = ""
			if name == "logs" {
				p.state.Running = "tail -f /var/log/syslog"
			}
			pane := p.pane(name, "ssh:web-1 · ops/"+name)
			pane.Name = name
			s.console.AddPane(pane)
		}
		s.Run(s.console.Run)
		s.console.RunEnded(agent.RunEnded{Call: "9", Text: "make -C /srv/app all in build 構築: exited 2, 3 min 4 s"})
		s.See("exited 2").Picture("ended")
	})
}

func TestPictureOfQuestions(t *testing.T) {
	pictured(t, nil, func(t *testing.T, s *story) {
		s.beside("deploy@web-1:~$ ").Type("draft")
		ctx, cancel := context.WithCancel(t.Context())
		ask := func(q decision.Question, see, name string) {
			ctx, over := context.WithCancel(ctx)
			s.asks(ctx, q)
			s.See(see)
			s.reads().Picture(name)
			over()
			s.Gone(see)
		}
		ask(decision.Question{Kind: decision.Choice, Title: "the model asks", Text: "Which of them is to be made? 写真 📷 stays in any case, whatever you say.",
			Options: []string{"the first one", "二番目のもの", strings.Repeat("a long option ", 8), "none of them", "all of them"}}, "Which of them", "question-choice")
		ask(decision.Question{Title: "ssh:web-1", Text: "The host key of web-1 (192.0.2.7) is not known.\nED25519 SHA256:AbCdEfGhIjKlMnOpQrStUvWxYz0123456789abcdefg\nIs it the one that you expect?"}, "host key of web-1", "question-hostkey")
		ask(decision.Question{Kind: decision.Secret, Title: "ssh:web-1", Text: "Passphrase for ~/.ssh/id_ed25519"}, "Passphrase", "question-passphrase-empty")
		s.asks(ctx, decision.Question{Kind: decision.Secret, Title: "ssh:web-1", Text: "Passphrase for ~/.ssh/id_ed25519"})
		s.See("Passphrase")
		s.reads().Type(strings.Repeat("x", 9)).Picture("question-passphrase")
		cancel()
	})
}

func TestPictureOfTheQuestionBeforeTheEnd(t *testing.T) {
	pictured(t, func(o *console.Options) { o.Notice = "no model yet" }, func(_ *testing.T, s *story) {
		s.beside("deploy@web-1:~$ ").Type("")
		s.model.steps["long"] = untilInterrupted
		s.Type("long").Press("Enter").See("working on it").Press("Ctrl-D").See("A turn is running").Picture("quit")
	})
}
