package chat

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/ui/result"
	"github.com/nod-console/nod/ui/screen"
)

// mostLines is how much of a result an open card shows.
const mostLines = 400

// phase is how far a call has come.
type phase uint8

const (
	proposed phase = iota
	waiting
	running
	finished
)

// card is a call of a tool.
type card struct {
	fixed
	tool, subject        string
	target, pane, effect string
	note                 string
	flow                 flow
	phase                phase
	began                time.Time
	second               int // of the running time that the lines show
	result               agent.CallFinished
	parts                []result.Part
	open                 bool
	reason               string
	diff                 string // of a file that is written; empty if that is not known
}

func newCard(e agent.CallProposed) *card {
	return &card{tool: e.Tool, subject: result.Subject(e.Arguments)}
}

func (c *card) start(e agent.CallStarted, now time.Time) {
	c.phase, c.began, c.flow = running, now, flow{from: now}
	c.target, c.pane, c.effect = e.Target, e.Pane, e.Effect
	if s := result.SubjectOf(e.Action); s != "" {
		c.subject = s
	}
	c.diff = e.Action.Diff
	c.stale()
}

// progress takes note of how far the call has come.
func (c *card) progress(p tools.Progress, now time.Time) {
	if p.Note != "" || p.Bytes == 0 {
		c.note = p.Note
	}
	if p.Bytes > 0 {
		c.flow.add(p.Bytes, now)
	}
}

func (c *card) finish(e agent.CallFinished) {
	c.phase, c.result = finished, e
	c.parts = result.Parts(e.Content)
	c.stale()
}

// ended takes note of how the command ended that went on after the call.
func (c *card) ended(e agent.RunEnded) {
	c.result.Outcome, c.result.Duration = e.Outcome, e.Duration
	c.result.IsError = e.Outcome != "exited 0"
	c.stale()
}

// goesOn reports whether the command runs.
func (c *card) goesOn() bool {
	return c.phase == running || c.phase == finished && c.result.Outcome == stillRunning && !c.began.IsZero()
}

func (c *card) layout(width int, now time.Time) int {
	if c.goesOn() {
		if s := int(now.Sub(c.began) / time.Second); s != c.second {
			c.second = s
			c.stale()
		}
	}
	return c.set(width, func() []line {
		lines := c.sentence(width)
		if c.open {
			lines = append(lines, c.details(width)...)
		}
		return lines
	})
}

func effectTone(effect string) tone {
	switch effect {
	case "mutate":
		return warn
	case "destroy":
		return danger
	}
	return muted
}

// sinceBegun is the result, with the time that a command has run which goes on: the
// call's own time says nothing of it.
func (c *card) sinceBegun() agent.CallFinished {
	e := c.result
	if e.Outcome == stillRunning {
		if e.Duration = max(e.Duration, time.Duration(c.second)*time.Second); e.Duration < time.Second {
			e.Duration = 0
		}
	}
	return e
}

// advice is why a call did not do what was asked and what to do next, as far as
// the words before do not say so.
func (c *card) advice(said []string) (more []string) {
	for _, name := range []string{"error", "reason", "note", "hint"} {
		for _, p := range c.parts {
			text := strings.Join(strings.Fields(p.Text), " ")
			if p.Name == name && !slices.ContainsFunc(said, func(s string) bool { return strings.Contains(text, s) || strings.Contains(s, text) }) {
				more = append(more, text)
			}
		}
	}
	return more
}

// denial is why the call was denied: in the operator's words, or the rule's.
func (c *card) denial() string {
	if c.reason != "" || len(c.parts) == 0 || c.parts[0].Name != "error" {
		return c.reason
	}
	why, _ := strings.CutPrefix(c.parts[0].Text, "denied by policy: ")
	if why == c.parts[0].Text {
		return ""
	}
	return strings.Join(strings.Fields(why), " ")
}

// stillRunning is the outcome of a call whose command goes on after it.
const stillRunning = "running"

// void is the outcome of a call that nobody could approve any more: what it was
// planned for had changed.
const void = "void"

// interrupted reports whether the call was never carried out because the
// operator interrupted the turn, which is no denial.
func (c *card) interrupted() bool {
	return c.result.IsError && c.result.Outcome == "" && slices.Contains(c.parts, result.Part{Name: "code", Text: "interrupted"})
}

// details are what an open card shows below its sentence.
func (c *card) details(width int) []line {
	in := span{text: margin + "│ ", tone: muted}
	room := width - screen.Width(in.text)
	var lines []line
	where := c.target
	if c.pane != "" {
		where += " · pane " + c.pane
	}
	if where != "" {
		lines = append(lines, line{{text: where, tone: muted}})
	}
	lines = append(lines, verbatim(c.subject, code, room)...)
	lines = append(lines, bounded(diffBody(c.diff, room))...)
	for _, p := range c.parts {
		if p.Name != "" && !strings.Contains(p.Text, "\n") && len(p.Text) < 60 && !p.Output() {
			lines = append(lines, wrap([]span{{text: p.Name + ": ", tone: muted}, {text: p.Text}}, room)...)
			continue
		}
		if p.Name != "" {
			lines = append(lines, line{{text: p.Name + ":", tone: muted}})
		}
		lines = append(lines, bounded(verbatim(p.Text, plain, room))...)
	}
	return prefixed(lines, in, in)
}

// bounded is as much of a text as an open card shows.
func bounded(body []line) []line {
	if more := len(body) - mostLines; more > 0 {
		return append(body[:mostLines:mostLines], line{{text: fmt.Sprintf("… %d more lines; y copies all", more), tone: muted}})
	}
	return body
}

func (c *card) raw() string {
	if c.phase != finished {
		return c.subject
	}
	text := c.subject + "\n" + c.diff
	for _, p := range c.parts {
		text += "\n"
		if p.Name != "" {
			text += p.Name + ":\n"
		}
		text += strings.TrimSuffix(p.Text, "\n") + "\n"
	}
	return text
}

func (c *card) fold() bool { c.open = !c.open; c.stale(); return true }
