package gate

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/ledger"
	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/lockout"
)

// Reverts carries out what a revert needs; see [lockout.Plan]. Safe for
// concurrent use.
type Reverts interface {
	// Carry runs one of a plan's actions and returns what it printed.
	Carry(ctx context.Context, a tools.Action, grant tools.Grant) (output string, r tools.Record, err error)
	// Reconnects proves that the target can still be logged in to, anew and over
	// a connection of its own. Nil means that it can.
	Reconnects(ctx context.Context, target string) error
	// Lost reports whether the target's own connection is lost now.
	Lost(target string) bool
}

// companion says of which revert a step is.
type companion struct {
	plan    *lockout.Plan
	under   string // the request that allowed it
	guarded string // the digest of what it stands by
}

func (c *companion) request() string {
	if c == nil {
		return ""
	}
	return c.under
}

const (
	// settleTime passes after a command before a login proves anything: a server
	// that reads its configuration anew needs a moment.
	settleTime = 2 * time.Second
	// loginTime bounds one attempt to log in, askAgain is the time between two.
	loginTime = 15 * time.Second
	askAgain  = 2 * time.Second
	// revertTime is how long a revert may take, and collectTime how long nod goes
	// on asking for what it did.
	revertTime  = 30 * time.Second
	collectTime = time.Hour
)

var errNoTime = errors.New("there was no time for one")

var errNoReverts = errors.New("reverts cannot be armed here")

// arm arms a decision's revert and says when it comes. After an error nothing
// must run.
func (g *Gate) arm(ctx context.Context, s Step, d policy.Decision) (due time.Time, err error) {
	if g.cfg.Reverts == nil {
		return due, errNoReverts
	}
	begun := g.cfg.Now()
	armed, err := g.step(ctx, s, d, d.Revert.Arm)
	if err == nil && armed.State != lockout.Armed {
		err = fmt.Errorf("the host says %q", armed.State)
	}
	if err != nil {
		// Nobody knows how far it came. What is not there is taken back for nothing.
		_, _ = g.step(context.WithoutCancel(ctx), s, d, d.Revert.Disarm)
		return due, err
	}
	due = begun.Add(armed.In) // rather too early than too late
	g.tell(s, d, agent.Reverting{
		Due:  due,
		Text: fmt.Sprintf("revert armed on %s by %s: %s in %s", s.Action.Target, armed.Means, strings.Join(d.Revert.Covers, ", "), armed.In),
	})
	return due, nil
}

// unarmed is the answer where a revert could not be armed: nothing has run.
func (g *Gate) unarmed(s Step, answer Answer, err error) Answer {
	why := fmt.Sprintf("not run, because the revert could not be armed: %v", err)
	answer.Denied, answer.Result = true, tools.Failure("revert_not_armed", why)
	answer.Err = tools.Failed("not run, because the revert could not be armed: %w", err)
	intent := g.intent(s, answer.Decision)
	if err := g.cfg.Ledger.Note(ledger.Note{Kind: "denied", Text: why, By: intent.By, Proposal: &intent}); err != nil {
		answer.Err = tools.Failed("%s; that could not be put on record yet: %w", why, err)
	}
	return answer
}

// step passes one of a plan's actions through the gate: decided, recorded and
// run like any other.
func (g *Gate) step(ctx context.Context, s Step, d policy.Decision, a tools.Action) (lockout.Answer, error) {
	var output string
	ctx, cancel := context.WithTimeout(ctx, a.Wait)
	defer cancel()
	answer := g.Pass(ctx, Step{
		Action: a, Call: s.Call, Conversation: s.Conversation, Operator: true,
		companion: &companion{d.Revert, d.Request.ID, s.Action.Digest().String()},
		Execute: func(ctx context.Context, a tools.Action, env tools.Env) (tools.Result, error) {
			var r tools.Record
			var err error
			output, r, err = g.cfg.Reverts.Carry(ctx, a, env.Grant)
			return tools.Result{Record: r}, err
		},
	}, nil)
	switch record := answer.Result.Record; {
	case answer.Err != nil:
		return lockout.Answer{}, answer.Err
	case answer.Denied:
		return lockout.Answer{}, errors.New(answer.Decision.Reason)
	case answer.Interrupted:
		return lockout.Answer{}, errors.New("interrupted")
	case !answer.Started || record.Outcome.Code != 0 || record.Failed != "":
		return lockout.Answer{}, fmt.Errorf("%s: %s", record.Outcome, strings.TrimSpace(output+" "+record.Failed))
	}
	return d.Revert.Read(output)
}

func (g *Gate) tell(s Step, d policy.Decision, r agent.Reverting) {
	r.ID, r.Call, r.Target = d.Revert.ID, s.Call, s.Action.Target
	// What cannot be written now is kept, and the ledger says so by not being
	// healthy.
	_ = g.cfg.Ledger.Note(ledger.Note{Kind: "revert", Text: r.Text})
	if g.cfg.Reverting != nil {
		g.cfg.Reverting(r)
	}
}

// guard waits for the end of what a revert stands by, in the background, and
// takes the revert back once a new login works. It ends with the gate: the
// revert then comes.
func (g *Gate) guard(s Step, d policy.Decision, due time.Time) {
	w := &revertWatch{Gate: g, s: s, d: d, due: due}
	g.wg.Go(func() {
		settled := w.outwait() && w.prove()
		if !settled && g.closing.Err() == nil {
			w.collect()
		}
	})
}

// revertWatch looks after one armed revert.
type revertWatch struct {
	*Gate
	s        Step
	d        policy.Decision
	due      time.Time
	reported string // what was told last of a login that does not work
}

func (w *revertWatch) tell(r agent.Reverting) { w.Gate.tell(w.s, w.d, r) }

func (w *revertWatch) step(a tools.Action) (lockout.Answer, error) {
	return w.Gate.step(w.closing, w.s, w.d, a)
}

// outwait waits for the end of the command, until shortly before the revert. It
// reports whether it has ended. While the link is lost, it looks whether there is
// another way in, for the operator to know.
func (w *revertWatch) outwait() bool {
	late := time.NewTimer(w.due.Sub(w.cfg.Now()) - settleTime)
	defer late.Stop()
	for {
		select {
		case <-w.s.ended:
			return true
		case <-w.closing.Done():
			return false
		case <-late.C:
			select {
			case <-w.s.ended: // both in that moment
				return true
			default:
			}
			if w.reported == "" {
				w.tell(agent.Reverting{Due: w.due, Text: fmt.Sprintf("the command on %s has not ended: the revert comes at %s", w.s.Action.Target, w.due.Format(time.TimeOnly))})
			}
			return false
		case <-time.After(askAgain):
			if w.cfg.Reverts.Lost(w.s.Action.Target) {
				_ = w.login() // it tells
			}
		}
	}
}

// login logs in anew, and tells if that does not work.
func (w *revertWatch) login() error {
	ctx, cancel := context.WithTimeout(w.closing, max(time.Second, min(loginTime, w.due.Sub(w.cfg.Now()))))
	defer cancel()
	err := w.cfg.Reverts.Reconnects(ctx, w.s.Action.Target)
	if err != nil {
		w.refused(err)
	}
	return err
}

// refused tells why the revert is not taken back, once for each reason.
func (w *revertWatch) refused(err error) {
	if w.closing.Err() != nil || err.Error() == w.reported {
		return
	}
	w.reported = err.Error()
	w.tell(agent.Reverting{Due: w.due, Text: fmt.Sprintf("no new login to %s: the revert comes at %s (%v)", w.s.Action.Target, w.due.Format(time.TimeOnly), err)})
}

// prove logs in anew until that works, and takes the revert back then. It
// reports whether the revert is settled; false means that it comes.
func (w *revertWatch) prove() bool {
	for pause := settleTime; w.pause(pause) && w.cfg.Now().Before(w.due); pause = askAgain {
		if w.login() != nil {
			continue
		}
		a, err := w.step(w.d.Revert.Disarm)
		switch {
		case err != nil:
			w.refused(fmt.Errorf("a login works, but the revert could not be taken back: %w", err))
		case a.State == lockout.Disarmed:
			w.tell(agent.Reverting{Over: true, Text: fmt.Sprintf("revert on %s cancelled: a new login works", w.s.Action.Target)})
			return true
		case a.State == lockout.Gone:
			w.tell(agent.Reverting{Over: true, Text: fmt.Sprintf("a new login to %s works, and nothing of the revert is left there: it was restarted, or somebody took the revert away", w.s.Action.Target)})
			return true
		default:
			return false
		}
	}
	if w.reported == "" {
		w.refused(errNoTime)
	}
	return false
}

// pause waits. It reports false if the gate closes meanwhile.
func (g *Gate) pause(d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-g.closing.Done():
		return false
	}
}

// collect waits for the revert and for the way back in, and tells what was done.
func (w *revertWatch) collect() {
	target, id := w.s.Action.Target, w.d.Revert.ID
	over := func(format string, args ...any) {
		w.tell(agent.Reverting{Over: true, Fired: true, Text: fmt.Sprintf(format, args...)})
	}
	for w.pause(askAgain) {
		late := w.cfg.Now().Sub(w.due)
		if late > collectTime {
			over("no link to %s: what the revert did is not known; it is on the host, in /run/nod-revert-%s/log or /tmp/nod-revert-%[2]s/log", target, id)
			return
		}
		ctx, cancel := context.WithTimeout(w.closing, loginTime)
		err := w.cfg.Reverts.Reconnects(ctx, target)
		cancel()
		if err != nil || late < 0 {
			continue
		}
		a, err := w.step(w.d.Revert.Collect)
		switch {
		case err != nil:
		case a.State == lockout.Reverted:
			over("the link to %s is back, reverted:\n%s", target, strings.Join(a.Log, "\n"))
			return
		case a.State == lockout.Gone:
			over("nothing of the revert is left on %s: it was restarted, or somebody else has looked after it", target)
			return
		case late > revertTime:
			over("the revert on %s does not come to an end (%s): look there, in /run/nod-revert-%s or /tmp/nod-revert-%[3]s", target, a.State, id)
			return
		}
	}
}
