package oneshot

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/cmd/nod/internal/app/process"
	"github.com/nod-console/nod/cmd/nod/internal/app/record"
	"github.com/nod-console/nod/ui/screen"
)

// reporter prints the events of a turn.
type reporter struct {
	sys  *process.System
	json bool

	mu     sync.Mutex
	open   bool // the answer's last line has not ended
	failed error
	asking bool          // a question stands on the terminal
	held   []agent.Event // that came meanwhile, for behind its answer
}

// hold keeps what comes until the function that it returns is called, so that a
// question stays the last thing that is seen.
func (r *reporter) hold() (over func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asking = true
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.asking = false
		for _, e := range r.held {
			r.report(e)
		}
		r.held = nil
	}
}

// take is an agent.Sink.
func (r *reporter) take(e agent.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.asking && !r.json { // who reads lines of JSON wants them at once
		r.held = append(r.held, e)
		return
	}
	r.report(e)
}

func (r *reporter) report(e agent.Event) {
	var err error
	if r.json {
		err = r.line(e)
	} else {
		err = r.words(e)
	}
	if err != nil && r.failed == nil {
		r.failed = fmt.Errorf("ask: %w", err)
	}
}

func (r *reporter) line(e agent.Event) error {
	text, err := agent.EncodeEvent(e)
	if err != nil {
		return err
	}
	return r.sys.Printf("%s\n", text)
}

// words prints the answer to standard output and the rest to standard error.
func (r *reporter) words(e agent.Event) error {
	if text, ok := e.(agent.Text); ok {
		clean := screen.CleanLines(text.Text)
		r.open = !strings.HasSuffix(clean, "\n")
		return r.sys.Printf("%s", clean)
	}
	note := describe(e)
	_, done := e.(agent.Done)
	if r.open && (note != "" || done) {
		r.open = false
		if err := r.sys.Printf("\n"); err != nil {
			return err
		}
	}
	if note == "" {
		return nil
	}
	_, err := fmt.Fprintln(r.sys.Err, screen.CleanLines(note))
	return err
}

// describe is an event in one line, or nothing.
func describe(e agent.Event) string {
	switch e := e.(type) {
	case agent.CallStarted:
		what := e.Action.Path
		if what == "" {
			what = e.Action.Command
		}
		if len(e.Action.Parts) > 0 || what == "" && e.Target != "" {
			what += " on " + e.Target
		}
		return fmt.Sprintf("▸ %s %s (%s)", e.Tool, record.Brief(strings.Join(strings.Fields(what), " ")), e.Effect)
	case agent.CallProgress:
		if e.Progress.Step {
			return "  ▸ " + e.Progress.Note
		}
	case agent.CallFinished:
		return fmt.Sprintf("  %s · %s", outcomeWord(e), e.Duration.Round(time.Millisecond))
	case agent.RunEnded:
		return "  " + e.Text
	case agent.Compaction:
		return fmt.Sprintf("nod: the conversation is compacted: a summary stands for %d messages", e.Messages)
	case agent.Notice:
		return "nod: " + e.Text
	case agent.Retrying:
		return fmt.Sprintf("nod: %s; trying again in %s", e.Reason, e.After.Round(time.Second))
	case agent.Fault:
		if e.Hint != "" {
			return "nod: " + e.Text + "; " + e.Hint
		}
		return "nod: " + e.Text
	}
	return ""
}

func outcomeWord(e agent.CallFinished) string {
	switch {
	case e.Denied:
		return "denied"
	case e.Outcome != "":
		return e.Outcome
	case e.IsError:
		return "failed"
	}
	return "done"
}
