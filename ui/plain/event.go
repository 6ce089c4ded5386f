package plain

import (
	"fmt"
	"strings"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/ui/result"
)

// event is the turn's agent.Sink.
func (c *Conversation) event(e agent.Event) {
	switch e := e.(type) {
	case agent.Text:
		c.out.stream(nod, e.Text)
	case agent.CallStarted:
		c.out.say(run, started(e))
	case agent.CallProgress:
		if e.Progress.Step {
			c.out.say(run, e.Progress.Note)
		}
	case agent.CallFinished:
		c.finished(e)
	case agent.RunEnded:
		c.mu.Lock()
		c.running = max(0, c.running-1)
		c.mu.Unlock()
		c.out.say(end, e.Text)
	case agent.Compaction:
		c.out.say(note, "the conversation is compacted; this stands for what was before:\n"+e.Summary)
	case agent.Steered:
		c.out.say(you, e.Text)
	case agent.Notice:
		c.out.say(note, e.Text)
	case agent.Retrying:
		c.out.say(note, fmt.Sprintf("%s; trying again in %s (%d)", e.Reason, result.Duration(e.After), e.Try))
	case agent.Fault:
		c.Fail(e.Text, e.Hint)
	case agent.Done:
		c.out.end()
	}
}

// started is what runs, and where.
func started(e agent.CallStarted) string {
	text := e.Tool
	if e.Target != "" {
		text += " on " + e.Target
	}
	if e.Pane != "" {
		text += ", pane " + e.Pane
	}
	if e.Effect != "" {
		text += " (" + e.Effect + ")"
	}
	if subject := result.SubjectOf(e.Action); subject != "" {
		text += ": " + subject
	}
	return text
}

// finished tells what came of a call: in words, then what it wrote.
func (c *Conversation) finished(e agent.CallFinished) {
	parts := result.Parts(e.Content)
	if e.Outcome == "running" {
		c.mu.Lock()
		c.running++
		c.mu.Unlock()
	}
	words := result.Summary(e, parts)
	if e.Denied {
		words = []string{"denied"}
		if len(parts) > 0 && parts[0].Name == "error" {
			words = append(words, parts[0].Text)
		}
	}
	c.out.say(end, strings.Join(words, ", "))
	for _, p := range parts {
		if p.Output() {
			c.out.output(p.Text)
		}
	}
}
