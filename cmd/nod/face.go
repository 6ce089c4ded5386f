package main

import (
	"context"
	"fmt"
	"os"
	"runtime"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/backends/ssh"
	"github.com/nod-console/nod/tools/desk"
	"github.com/nod-console/nod/ui/console"
	"github.com/nod-console/nod/ui/plain"
)

// face is what the operator has before him: the full screen, or lines.
type face interface {
	Run(ctx context.Context) error
	Approver() policy.Approver
	Notify(text string)
	Fail(text, hint string)
	SetTarget(t console.TargetStatus)
	SetAlarm(text string, grave bool)
	TargetsChanged()
	AddPane(p console.Pane)
	RemovePane(id string)
	RunEnded(e agent.RunEnded)
	Reverting(r agent.Reverting)
}

var (
	_ face = (*console.Console)(nil)
	_ face = (*plain.Conversation)(nil)
)

// inLines reports whether the operator wants lines instead of a screen.
func (a *app) inLines() bool { return a.flags.plain || a.getenv("ACCESSIBLE") != "" }

// consoleThreads is the least number of threads that run Go code at a time. With
// as many as there are processors, a key waits while the kernel has put all of
// them aside for a program that floods a pane: on two processors, p99 from key to
// echo was 14 to 25 ms then, and 8 to 14 with four (BenchmarkFlood).
const consoleThreads = 4

// openFace opens what the operator has before him, and how questions are asked
// there. closeFace lets go of it.
func (a *app) openFace(ctx context.Context, opt console.Options) (f face, ask ssh.Asker, allow allower, choose desk.Asker, closeFace func(), err error) {
	if !a.inLines() {
		if runtime.GOMAXPROCS(0) < consoleThreads && a.getenv("GOMAXPROCS") == "" {
			runtime.GOMAXPROCS(consoleThreads)
		}
		screen, err := console.New(opt)
		if err != nil {
			return nil, ssh.Asker{}, nil, nil, nil, err
		}
		ctx, unwatch := context.WithCancel(ctx)
		a.signals.restoring(screen.Rescue)
		go a.jobs.watch(ctx, screen.Stop, screen.Retake)
		return screen, questionsOn(screen.Ask), allowIn(screen.Ask), chooseIn(screen.Ask), unwatch, nil
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil, ssh.Asker{}, nil, nil, nil, fmt.Errorf("console: %w", err)
	}
	approver := policy.NewTerminal(tty)
	if opt.Preview != nil {
		approver.OnPreview(opt.Previews, opt.Preview)
	}
	talk, err := plain.New(opt, tty, approver)
	if err != nil {
		return nil, ssh.Asker{}, nil, nil, nil, err
	}
	giveBack := a.signals.onInterrupt(talk.Interrupt)
	questions := &ttyQuestions{tty: tty}
	allow = func(ctx context.Context, title, text string) (yes bool, err error) {
		err = talk.Alone(ctx, func() (err error) {
			yes, err = questions.allow(ctx, title, text)
			return err
		})
		return yes, err
	}
	choose = func(ctx context.Context, text string, options []string) (chosen int, ok bool, err error) {
		err = talk.Alone(ctx, func() (err error) {
			chosen, ok, err = questions.choose(ctx, text, options)
			return err
		})
		return chosen, ok, err
	}
	return talk, alone(talk, questions.asker()), allow, choose, func() {
		giveBack()
		_ = tty.Close() // it was read and written a line at a time
	}, nil
}

// alone asks while nobody else reads from the terminal.
func alone(talk *plain.Conversation, ask ssh.Asker) ssh.Asker {
	return ssh.Asker{
		Confirm: func(ctx context.Context, q ssh.HostKeyQuestion) (yes bool, err error) {
			err = talk.Alone(ctx, func() (err error) {
				yes, err = ask.Confirm(ctx, q)
				return err
			})
			return yes, err
		},
		Secret: func(ctx context.Context, q ssh.SecretQuestion) (text string, err error) {
			err = talk.Alone(ctx, func() (err error) {
				text, err = ask.Secret(ctx, q)
				return err
			})
			return text, err
		},
	}
}
