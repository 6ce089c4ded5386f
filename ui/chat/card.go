package chat

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/tools"
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
	phase                phase
	began                time.Time
	second               int // of the running time that the lines show
	result               agent.CallFinished
	parts                []part
	open                 bool
	reason               string
}

// part is a named piece of a result.
type part struct{ name, text string }

func newCard(e agent.CallProposed) *card {
	return &card{tool: e.Tool, subject: subjectOf(e.Arguments)}
}

// subjectOf is what a call is about, from its arguments: the first of the usual
// ones that is there, else all of them.
func subjectOf(arguments json.RawMessage) string {
	var args map[string]any
	if json.Unmarshal(arguments, &args) != nil {
		return string(arguments)
	}
	for _, name := range []string{"command", "path", "literal", "keys", "url", "query", "pattern", "question", "text"} {
		switch v := args[name].(type) {
		case string:
			if v != "" {
				return v
			}
		case []any:
			if len(v) > 0 {
				return strings.Trim(fmt.Sprint(v), "[]")
			}
		}
	}
	if len(args) == 0 {
		return ""
	}
	return string(arguments)
}

// subjectOfAction is the same from what would exactly be done.
func subjectOfAction(a tools.Action) string {
	switch {
	case a.Path != "": // of a file; how much of it stands in the command
		return a.Path
	case a.Command != "":
		return a.Command
	case a.Literal != "" || len(a.Keys) > 0 || a.Enter:
		words := slices.Clone(a.Keys)
		if a.Literal != "" {
			words = append([]string{a.Literal}, words...)
		}
		if a.Enter {
			words = append(words, "Enter")
		}
		return strings.Join(words, " ")
	}
	return ""
}

func (c *card) start(e agent.CallStarted, now time.Time) {
	c.phase, c.began = running, now
	c.target, c.pane, c.effect = e.Target, e.Pane, e.Effect
	if s := subjectOfAction(e.Action); s != "" {
		c.subject = s
	}
	c.stale()
}

func (c *card) finish(e agent.CallFinished) {
	c.phase, c.result = finished, e
	c.parts = partsOf(e.Content)
	c.stale()
}

// partsOf takes a result's envelope apart: the texts that it holds, by name.
func partsOf(content string) []part {
	var envelope struct {
		Result json.RawMessage `json:"result"`
	}
	if json.Unmarshal([]byte(content), &envelope) != nil || envelope.Result == nil {
		return []part{{"", content}}
	}
	var text string
	if json.Unmarshal(envelope.Result, &text) == nil {
		return []part{{"", text}}
	}
	var fields map[string]any
	if json.Unmarshal(envelope.Result, &fields) != nil {
		return []part{{"", string(envelope.Result)}}
	}
	var parts []part
	for name, value := range fields {
		switch v := value.(type) {
		case string:
			if v != "" {
				parts = append(parts, part{name, v})
			}
		case nil:
		default:
			if encoded, err := json.Marshal(v); err == nil {
				parts = append(parts, part{name, string(encoded)})
			}
		}
	}
	slices.SortFunc(parts, func(a, b part) int {
		if d := rank(a) - rank(b); d != 0 {
			return d
		}
		return strings.Compare(a.name, b.name)
	})
	return parts
}

// rank puts what an operator looks for first.
func rank(p part) int {
	for i, name := range []string{"error", "stdout", "output", "screen", "content", "stderr"} {
		if p.name == name {
			return i
		}
	}
	return 100
}

// output reports whether a part is what a program wrote.
func (p part) output() bool { return rank(p) > 0 && rank(p) < 100 }

func (c *card) layout(width int, now time.Time) int {
	if c.phase == running {
		if s := int(now.Sub(c.began) / time.Second); s != c.second {
			c.second = s
			c.stale()
		}
	}
	return c.set(width, func() []line {
		lines := []line{c.head(width), c.outcome(width)}
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

// outcome is the card's second line: how the call stands or ended.
func (c *card) outcome(width int) line {
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
			words = append(words, duration(time.Duration(c.second)*time.Second))
		}
		if c.note != "" {
			words = append(words, c.note)
		}
	default:
		mark, t = "✓ ", good
		switch {
		case c.interrupted():
			return line{{text: indent}, {text: "■ ", tone: warn}, {text: screen.Cut("not run: interrupted", max(width-len(indent)-2, 1)), tone: muted}}
		case c.result.Outcome == stillRunning:
			mark, t = "… still ", warn
		case c.result.Denied:
			mark, t = "✗ denied", warn
			if why := c.denial(); why != "" {
				words = append(words, why)
			}
		case c.result.IsError:
			mark, t = "✗ ", danger
		}
		words = append(words, c.summary()...)
	}
	if mark != "" && !strings.HasSuffix(mark, " ") && len(words) > 0 {
		mark += " · "
	}
	text := screen.Cut(mark+strings.Join(words, " · "), max(width-len(indent), 1))
	if n := len(mark); n > 0 && strings.HasPrefix(text, mark) {
		return line{{text: indent}, {text: text[:n], tone: t}, {text: text[n:], tone: muted}}
	}
	return line{{text: indent}, {text: text, tone: t}}
}

// denial is why the call was denied: in the operator's words, or the rule's.
func (c *card) denial() string {
	if c.reason != "" || len(c.parts) == 0 || c.parts[0].name != "error" {
		return c.reason
	}
	why, _ := strings.CutPrefix(c.parts[0].text, "denied by policy: ")
	if why == c.parts[0].text {
		return ""
	}
	return strings.Join(strings.Fields(why), " ")
}

// stillRunning is the outcome of a call whose command goes on after it.
const stillRunning = "running"

// interrupted reports whether the call was never carried out because the
// operator interrupted the turn, which is no denial.
func (c *card) interrupted() bool {
	return c.result.IsError && c.result.Outcome == "" && slices.Contains(c.parts, part{"code", "interrupted"})
}

// summary are the facts of a finished call.
func (c *card) summary() []string {
	var words []string
	if c.result.Denied {
		return nil
	}
	if c.result.Outcome != "" {
		words = append(words, strings.Replace(c.result.Outcome, "exited ", "exit ", 1))
	} else if len(c.parts) > 0 && c.parts[0].name == "error" {
		words = append(words, strings.Join(strings.Fields(c.parts[0].text), " "))
	}
	if c.result.Duration > 0 {
		words = append(words, duration(c.result.Duration))
	}
	lines := 0
	for _, p := range c.parts {
		if p.output() {
			lines += strings.Count(p.text, "\n")
			if !strings.HasSuffix(p.text, "\n") {
				lines++
			}
		}
	}
	switch {
	case lines == 1:
		words = append(words, "1 line")
	case lines > 1:
		words = append(words, fmt.Sprintf("%d lines", lines))
	}
	if len(words) == 0 {
		words = []string{"done"}
	}
	return words
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
	for _, p := range c.parts {
		if p.name != "" && !strings.Contains(p.text, "\n") && len(p.text) < 60 && !p.output() {
			lines = append(lines, wrap([]span{{text: p.name + ": ", tone: muted}, {text: p.text}}, room)...)
			continue
		}
		if p.name != "" {
			lines = append(lines, line{{text: p.name + ":", tone: muted}})
		}
		body := verbatim(p.text, plain, room)
		if more := len(body) - mostLines; more > 0 {
			body = append(body[:mostLines:mostLines], line{{text: fmt.Sprintf("… %d more lines; y copies all", more), tone: muted}})
		}
		lines = append(lines, body...)
	}
	return prefixed(lines, in, in)
}

func (c *card) raw() string {
	if c.phase != finished {
		return c.subject
	}
	text := c.subject + "\n"
	for _, p := range c.parts {
		text += "\n"
		if p.name != "" {
			text += p.name + ":\n"
		}
		text += strings.TrimSuffix(p.text, "\n") + "\n"
	}
	return text
}

func (c *card) fold() bool { c.open = !c.open; c.stale(); return true }

// duration is d in the two digits that matter.
func duration(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 10*time.Second:
		if d%time.Second == 0 {
			return fmt.Sprintf("%d s", d/time.Second)
		}
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
}
