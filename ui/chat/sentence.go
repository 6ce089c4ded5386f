package chat

import (
	"strings"
	"time"

	"github.com/nod-console/nod/ui/result"
	"github.com/nod-console/nod/ui/screen"
)

// mostWhy is how many lines a closed card takes for what went wrong.
const mostWhy = 5

// leastSubject is how many cells of what a call is about are worth more than the name
// of its target, which the open card has, too.
const leastSubject = 16

// sentence says what was called, where, and how that stands or ended: in one line if it
// fits, else with how it ended in the lines below.
func (c *card) sentence(width int) []line {
	end := c.outcome()
	head := line{{text: sign(c.open), bold: true, around: true}}
	if verb := result.Verb(c.tool); verb != "" {
		head = append(head, span{text: verb + " ", bold: true})
	}
	subject := strings.Join(strings.Fields(c.subject), " ")
	var tail line
	if c.target != "" {
		tail = append(tail, span{text: " on " + screen.Clean(c.target), tone: muted})
	}
	if c.effect == "mutate" || c.effect == "destroy" {
		tail = append(tail, span{text: " · " + c.effect, tone: effectTone(c.effect)})
	}
	room := width - spansWidth(head) - spansWidth(tail)
	if screen.Width(subject)+1+screen.Width(end.mark+end.text) <= room {
		whole := append(append(head, span{text: subject, tone: code}), tail...)
		return []line{append(whole, span{text: " "}, span{text: end.mark, tone: end.tone}, span{text: end.text, tone: muted})}
	}
	if c.target != "" && room < min(leastSubject, screen.Width(subject)) {
		room, tail = room+spansWidth(tail[:1]), tail[1:]
	}
	head = append(head, span{text: screen.Cut(subject, max(room, 1)), tone: code})
	return append([]line{append(head, tail...)}, end.lines(width)...)
}

// ending is how a call stands or ended, in words.
type ending struct {
	mark string // a sign before the text
	tone tone   // of the mark
	text string
	long bool // it may take several lines: it says what to do
}

// lines are the ending below the sentence.
func (e ending) lines(width int) []line {
	room := max(width-len(margin), 1)
	all := e.mark + e.text
	rows := []string{screen.Cut(all, room)}
	if e.long {
		if rows = screen.Fold(all, room); len(rows) > mostWhy {
			rows[mostWhy-1] = screen.Cut(rows[mostWhy-1]+" "+rows[mostWhy], room)
			rows = rows[:mostWhy]
		}
	}
	lines := make([]line, len(rows))
	for i, row := range rows {
		marked := 0
		if n := len(e.mark); i == 0 && strings.HasPrefix(row, e.mark) {
			marked = n
		}
		lines[i] = line{{text: margin, around: true}, {text: row[:marked], tone: e.tone}, {text: row[marked:], tone: muted}}
	}
	return lines
}

// outcome says how the call stands or ended.
func (c *card) outcome() ending {
	switch {
	case c.phase == proposed:
		return ending{mark: "… ", tone: muted, text: "proposed"}
	case c.phase == waiting:
		return ending{mark: "? ", tone: warn, text: "waits for your nod"}
	case c.phase == running:
		return ending{mark: "… ", tone: muted, text: "running" + dotted(c.soFar()), long: true}
	case c.interrupted():
		return ending{mark: "■ ", tone: warn, text: "not run: interrupted"}
	case c.result.Denied:
		return c.refusal()
	case c.result.Outcome == stillRunning:
		return ending{mark: "… ", tone: warn, text: "still " + strings.Join(result.Summary(c.sinceBegun(), c.parts), " · ")}
	case c.result.IsError:
		words := result.Summary(c.sinceBegun(), c.parts)
		return ending{mark: "✗ ", tone: danger, text: strings.Join(append(words, c.advice(words)...), " · "), long: true}
	}
	words := result.Summary(c.sinceBegun(), c.parts)
	if len(words) > 1 && words[0] == "exit 0" { // which the mark says
		words = words[1:]
	}
	if did := changes(c.diff); did != "" {
		words = append(words, did)
	}
	return ending{mark: "✓ ", tone: good, text: strings.Join(words, " · ")}
}

// soFar is for how long a call has run, and how far it has come.
func (c *card) soFar() (words []string) {
	if c.second > 0 {
		words = append(words, result.Duration(time.Duration(c.second)*time.Second))
	}
	words = append(words, c.flow.words(c.began.Add(time.Duration(c.second)*time.Second))...)
	if c.note != "" {
		words = append(words, c.note)
	}
	return words
}

// refusal says that a call was denied, or that nobody could approve it any more, and
// why.
func (c *card) refusal() ending {
	if c.result.Outcome != void {
		e := ending{mark: "✗ ", tone: warn, text: "denied", long: true}
		if why := c.denial(); why != "" {
			e.text += " · " + why
		}
		return e
	}
	var words []string
	if c.reason != "" {
		words = []string{c.reason}
	}
	if c.result.IsError {
		words = append(words, c.advice(words)...)
	}
	return ending{mark: "✗ ", tone: warn, text: "void" + dotted(words), long: true}
}

// dotted are words behind another one.
func dotted(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return " · " + strings.Join(words, " · ")
}
