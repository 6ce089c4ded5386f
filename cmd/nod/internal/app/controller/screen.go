package controller

import (
	"context"
	"fmt"
	"os"
	"runtime"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/backends/ssh"
	"github.com/nod-console/nod/cmd/nod/internal/app/questions"
	"github.com/nod-console/nod/tools/desk"
	"github.com/nod-console/nod/ui/console"
	"github.com/nod-console/nod/ui/keys"
	"github.com/nod-console/nod/ui/plain"
)

// Screen is what the operator has before him: the full screen, or lines.
type Screen interface {
	Run(ctx context.Context) error
	Approver() policy.Approver
	Notify(text string)
	Fail(text, hint string)
	SetTarget(t console.TargetStatus)
	SetAlarm(text string, grave bool)
	TargetsChanged()
	SetCommands(own []keys.Custom)
	AddPane(p console.Pane)
	RemovePane(id string)
	NamePane(id, title, name string)
	RunEnded(e agent.RunEnded)
	RunsChanged()
	Reverting(r agent.Reverting)
}

var (
	_ Screen = (*console.Console)(nil)
	_ Screen = (*plain.Conversation)(nil)
)

// consoleThreads is the least number of threads that run Go code at a time. With
// as many as there are processors, a key waits while the kernel has put all of
// them aside for a program that floods a pane: on two processors, p99 from key to
// echo was 14 to 25 ms then, and 8 to 14 with four (BenchmarkFlood).
const consoleThreads = 4

// openScreen opens what the operator looks at, and how questions are asked there.
func (d *Controller) openScreen(ctx context.Context, opt console.Options) error {
	if !d.Lines {
		if runtime.GOMAXPROCS(0) < consoleThreads && d.Sys.Getenv("GOMAXPROCS") == "" {
			runtime.GOMAXPROCS(consoleThreads)
		}
		full, err := console.New(opt)
		if err != nil {
			return err
		}
		ctx, unwatch := context.WithCancel(ctx)
		d.Sys.Signals.Restoring(full.Rescue)
		go d.Sys.Jobs.Watch(ctx, full.Stop, full.Retake)
		d.screen, d.closeScreen = full, unwatch
		d.ask, d.allow, d.choose = questions.LoginDialogs(full.Ask, &d.together), questions.AllowDialog(full.Ask), questions.ChoiceDialog(full.Ask)
		d.fill = questions.FormDialogs(full.Ask)
		return nil
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("console: %w", err)
	}
	approver := policy.NewTerminal(tty)
	if opt.Preview != nil {
		approver.OnPreview(opt.Previews, opt.Preview)
		approver.OnTrial(opt.Tries, opt.Try)
	}
	talk, err := plain.New(opt, tty, approver)
	if err != nil {
		return err
	}
	giveBack := d.Sys.Signals.OnInterrupt(talk.Interrupt)
	questions := &questions.Terminal{Tty: tty}
	d.allow = func(ctx context.Context, title, text string) (yes bool, err error) {
		err = talk.Alone(ctx, func() (err error) {
			yes, err = questions.Allow(ctx, title, text)
			return err
		})
		return yes, err
	}
	d.choose = func(ctx context.Context, text string, options []string) (said desk.Choice, err error) {
		err = talk.Alone(ctx, func() (err error) {
			said, err = questions.Choose(ctx, text, options)
			return err
		})
		return said, err
	}
	d.screen, d.ask, d.fill = talk, alone(talk, questions.Asker(), &d.together), questions.FormLines(talk.Alone)
	d.closeScreen = func() {
		giveBack()
		_ = tty.Close() // it was read and written a line at a time
	}
	return nil
}

// alone asks while nobody else reads from the terminal.
func alone(talk *plain.Conversation, ask ssh.Asker, together *questions.Together) ssh.Asker {
	secret := func(ctx context.Context, q ssh.SecretQuestion, _ func() []string) (text string, err error) {
		err = talk.Alone(ctx, func() (err error) {
			text, err = ask.Secret(ctx, q)
			return err
		})
		return text, err
	}
	return ssh.Asker{
		Confirm: func(ctx context.Context, q ssh.HostKeyQuestion) (yes bool, err error) {
			err = talk.Alone(ctx, func() (err error) {
				yes, err = ask.Confirm(ctx, q)
				return err
			})
			return yes, err
		},
		Secret: func(ctx context.Context, q ssh.SecretQuestion) (string, error) {
			return together.Secret(ctx, q, secret)
		},
	}
}
