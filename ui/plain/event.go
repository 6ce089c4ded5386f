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
	case agent.CallProposed:
		c.mu.Lock()
		delete(c.ends, e.Call) // of another turn
		c.mu.Unlock()
	case agent.CallStarted:
		c.out.say(run, started(e))
	case agent.CallProgress:
		if e.Progress.Step {
			c.out.say(run, e.Progress.Note)
		}
	case agent.CallFinished:
		c.finished(e)
	case agent.RunEnded:
		if c.over(e) {
			c.out.say(end, e.Text)
		}
	case agent.Compaction:
		c.out.say(note, "the conversation is compacted; this stands for what was before:\n"+e.Summary)
	case agent.Steered:
		c.out.say(you, e.Text)
	case agent.Notice:
		c.out.say(note, e.Text)
	case agent.Retrying:
		c.out.say(note, fmt.Sprintf("%s; trying again in %s (%d)", e.Reason, result.Duration(e.After), e.Try))
	case agent.Fault:
		c.out.end()
		c.Fail(e.Text, e.Hint)
	case agent.Done:
		c.out.end()
	}
}

// goesOn counts a command that goes on after its call, unless its end was told before.
func (c *Conversation) goesOn(call string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, over := c.ends[call]; !over {
		c.running++
	}
}

// over takes note of the end of such a command. It is told at once, and again when the
// model is: over is false then.
func (c *Conversation) over(e agent.RunEnded) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if text, told := c.ends[e.Call]; told && text == e.Text {
		return false
	}
	if c.ends == nil {
		c.ends = map[string]string{}
	}
	c.ends[e.Call] = e.Text
	c.running = max(0, c.running-1)
	return true
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
		c.goesOn(e.Call)
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
