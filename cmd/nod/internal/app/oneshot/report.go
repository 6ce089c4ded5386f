package oneshot

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/nod-console/nod/agent/gate"
	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/cmd/nod/internal/app/process"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/risk"
	"github.com/nod-console/nod/tools/terminal"
	"github.com/nod-console/nod/ui/screen"
)

// The outcomes of "nod run --json" beside exited and signalled. The manual has them in a
// table.
const (
	OutcomeTimeout     = "timeout"     // did not end within --timeout
	OutcomeInterrupted = "interrupted" // nod was told to stop while it ran
	OutcomeDenied      = "denied"      // by a rule or the operator: nothing ran
	OutcomeRefused     = "refused"     // by nod, the target or the shell: nothing ran
	OutcomeUnknown     = "unknown"     // it may have run, nobody knows how it ended
)

// rendered is the form of output that a terminal showed.
const rendered = "rendered"

// Report is what "nod run --json" prints for a target.
type Report struct {
	Target  string `json:"target"`
	Pane    string `json:"pane"`
	Outcome string `json:"outcome"` // "exited", "signalled" or one of the above
	// ExitCode and Signal are how the command ended, also after a time-out or an
	// interrupt; neither is there if it did not, or nobody knows.
	ExitCode *int   `json:"exit_code"`
	Signal   string `json:"signal,omitempty"`
	// GoesOn says that the command is known to run behind nod's end.
	GoesOn     bool   `json:"goes_on,omitempty"`
	Stdout     string `json:"stdout"`
	Stderr     string `json:"stderr"`
	Truncated  bool   `json:"truncated"`
	DurationMS int64  `json:"duration_ms"`
	// Form is "rendered" where Stdout is what a terminal showed, and empty where it has the
	// bytes that the command wrote.
	Form string `json:"form,omitempty"`
	// Raw has the bytes that the terminal got, with --raw.
	Raw []byte `json:"raw,omitempty"`
	// Risk is nil where the command was not looked at, such as when its pane is
	// not there.
	Risk *risk.Verdict `json:"risk,omitempty"`
	// Held is what held the command: "L" Landlock, "S" system calls, "M" read-only mounts.
	Held    string   `json:"held,omitempty"`
	Notices []string `json:"notices,omitempty"`
	// Error is what went wrong apart from the command itself: the words that
	// standard error has, too.
	Error string `json:"error,omitempty"`

	// left says what becomes of a command that Ctrl-C did not end.
	left string
	// unwritten is why its output could not be written.
	unwritten error
}

// outputPiece is what --progress prints for each piece of output.
type outputPiece struct {
	Type   string `json:"type"`
	Target string `json:"target"`
	tools.Chunk
}

// tell prints the report and turns the answer into the exit status.
func (r *runner) tell(ctx context.Context, answer gate.Answer, report *Report) int {
	status, reason := r.judge(ctx, answer, report)
	report.Error = reason
	report.Notices = append(report.Notices, answer.Result.Notes...)
	if reason != "" {
		r.out.complain("%s", screen.CleanLines(reason))
	}
	if r.asked.JSON {
		if err := r.out.object(report); err != nil {
			r.out.complain("%v", err)
			return process.StatusFailed
		}
		return status
	}
	for _, n := range report.Notices {
		r.out.complain("%s", screen.CleanLines(n))
	}
	if err := r.out.flush(); err != nil {
		r.out.complain("%v", err)
		return process.StatusFailed
	}
	return status
}

// leave says what becomes of a command in a pane that Ctrl-C did not end, and
// whether it goes on when nod has ended.
func (r *runner) leave(ctx context.Context, id string) (what string, goesOn bool) {
	if r.asked.Pane == OwnPane {
		return "its pane is closed now, which hangs it up", false
	}
	what = "it goes on in pane " + id
	for _, p := range r.target.Panes.List() {
		if p.ID() != id {
			continue
		}
		if group := p.Foreground(context.WithoutCancel(ctx)); group > 0 {
			what += fmt.Sprintf("; end it on %s with: pkill -KILL -g %d", p.Target(), group)
		}
		what += "; look at it with: " + r.target.Attach(p)
	}
	return what, true
}

// judge names the outcome, and says what there is to say about it.
func (r *runner) judge(ctx context.Context, answer gate.Answer, report *Report) (status int, reason string) {
	record := answer.Result.Record
	switch record.Outcome.State {
	case backends.Exited:
		report.ExitCode = &record.Outcome.Code
	case backends.Signalled:
		report.Signal = string(record.Outcome.Signal)
	}
	switch {
	case answer.Interrupted && answer.Started:
		report.Outcome = OutcomeInterrupted
		return process.InterruptedStatus(ctx), withRest("interrupted", report.left)
	case answer.Interrupted, !answer.Started && ctx.Err() != nil:
		report.Outcome = OutcomeRefused
		return process.InterruptedStatus(ctx), "interrupted: nothing was run"
	case answer.Denied:
		report.Outcome = OutcomeDenied
		return process.StatusDenied, deniedBecause(answer)
	case !answer.Started, notGranted(answer.Err):
		report.Outcome = OutcomeRefused
		return process.StatusFailed, answer.Err.Error()
	case answer.Err != nil && record.Failed != "": // a fault in the middle
		report.Outcome = OutcomeUnknown
		return process.StatusFailed, answer.Err.Error() + "; " + terminal.Unsure
	case record.Failed != "" && report.ExitCode != nil: // the shell's word on the line
		report.Outcome = OutcomeRefused
		return *report.ExitCode, record.Failed
	case record.Failed != "":
		report.Outcome = OutcomeRefused
		return process.StatusFailed, record.Failed
	case record.TimedOut && report.left != "":
		report.Outcome = OutcomeTimeout
		return process.StatusTimeout, fmt.Sprintf("did not end within %s, nor at Ctrl-C: %s", r.asked.Timeout, report.left)
	case record.TimedOut:
		report.Outcome = OutcomeTimeout
		return process.StatusTimeout, fmt.Sprintf("did not end within %s and was stopped", r.asked.Timeout)
	}
	status, reason = ended(report, record)
	if err := errors.Join(answer.Err, report.unwritten); err != nil {
		return process.StatusFailed, withRest(reason, err.Error())
	}
	return status, reason
}

// ended is the status of a command that has ended by itself.
func ended(report *Report, record tools.Record) (status int, reason string) {
	report.Outcome = record.Outcome.State.String()
	switch record.Outcome.State {
	case backends.Exited:
		return record.Outcome.Code, ""
	case backends.Signalled:
		return process.SignalStatus(record.Outcome.Signal), "ended by signal " + report.Signal
	}
	report.Outcome = OutcomeUnknown
	return process.StatusFailed, cmp.Or(record.Unsure, terminal.Unsure)
}

// notGranted reports whether nothing ran because the guard let nothing run.
func notGranted(err error) bool {
	var e *tools.Error
	return errors.As(err, &e) && e.Code == tools.PermissionDenied
}

func withRest(text, rest string) string {
	if text == "" || rest == "" {
		return text + rest
	}
	return text + "; " + rest
}

// deniedBecause says why, and what to do where nobody could be asked.
func deniedBecause(answer gate.Answer) string {
	reason := "denied"
	if r := answer.Decision.Reason; r != "" {
		reason += ": " + r
	}
	if errors.Is(answer.Err, policy.ErrNoApprover) {
		reason += "; run it on a terminal, or allow it in rules.toml"
	}
	return reason
}
