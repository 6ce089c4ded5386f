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
		lines := append([]line{c.head(width)}, c.outcome(width)...)
		if c.open {
			lines = append(lines, c.details(width)...)
		}
		return lines
	})
}

// head is the card's first line: tool, what it is about, and what it does.
func (c *card) head(width int) line {
	name := margin + sign(c.open) + c.tool + " "
	subject := strings.Join(strings.Fields(c.subject), " ")
	room := max(width-screen.Width(name)-screen.Width(c.effect)-1, 0)
	subject = screen.Cut(subject, room)
	pad := strings.Repeat(" ", max(room-screen.Width(subject), 0)+1)
	if c.effect == "" {
		pad = ""
	}
	return line{
		{text: name, bold: true}, {text: subject, tone: code},
		{text: pad}, {text: c.effect, tone: effectTone(c.effect)},
	}
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

// mostWhy is how many lines a closed card takes for what went wrong.
const mostWhy = 5

// outcome says how the call stands or ended, in one line; how far it has come, what
// went wrong, and what to do next, in as many as it needs and may take.
func (c *card) outcome(width int) []line {
	indent := margin + "  "
	var words []string
	mark, t := "", muted
	switch c.phase {
	case proposed:
		words = []string{"… proposed"}
	case waiting:
		words, t = []string{"? waits for your nod"}, warn
	case running:
		words = []string{"… running"}
		if c.second > 0 {
			words = append(words, result.Duration(time.Duration(c.second)*time.Second))
		}
		words = append(words, c.flow.words(c.began.Add(time.Duration(c.second)*time.Second))...)
		if c.note != "" {
			words = append(words, c.note)
		}
	default:
		mark, t = "✓ ", good
		switch {
		case c.interrupted():
			return []line{{{text: indent}, {text: "■ ", tone: warn}, {text: screen.Cut("not run: interrupted", max(width-len(indent)-2, 1)), tone: muted}}}
		case c.result.Outcome == stillRunning:
			mark, t = "… still ", warn
		case c.result.Denied && c.result.Outcome == void:
			mark, t = "✗ void", warn
			if c.reason != "" {
				words = append(words, c.reason)
			}
		case c.result.Denied:
			mark, t = "✗ denied", warn
			if why := c.denial(); why != "" {
				words = append(words, why)
			}
		case c.result.IsError:
			mark, t = "✗ ", danger
		}
		if !c.result.Denied {
			words = append(words, result.Summary(c.sinceBegun(), c.parts)...)
			if did := changes(c.diff); did != "" && !c.result.IsError {
				words = append(words, did)
			}
		}
		if c.result.IsError && (!c.result.Denied || c.result.Outcome == void) { // a denial says who denied, and why
			words = append(words, c.advice(words)...)
		}
	}
	if mark != "" && !strings.HasSuffix(mark, " ") && len(words) > 0 {
		mark += " · "
	}
	text, room := mark+strings.Join(words, " · "), max(width-len(indent), 1)
	rows := []string{screen.Cut(text, room)}
	if c.phase == running || c.phase == finished && (c.result.Denied || c.result.IsError) {
		if rows = screen.Fold(text, room); len(rows) > mostWhy {
			rows[mostWhy-1] = screen.Cut(rows[mostWhy-1]+" "+rows[mostWhy], room)
			rows = rows[:mostWhy]
		}
	}
	var lines []line
	for i, row := range rows {
		if n := len(mark); i == 0 && n > 0 && strings.HasPrefix(row, mark) {
			lines = append(lines, line{{text: indent}, {text: row[:n], tone: t}, {text: row[n:], tone: muted}})
			continue
		}
		tone := t
		if i > 0 {
			tone = muted
		}
		lines = append(lines, line{{text: indent}, {text: row, tone: tone}})
	}
	return lines
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

// details are what an open card shows below its two lines.
func (c *card) details(width int) []line {
	in := span{text: margin + "  │ ", tone: muted}
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
