package chat

import (
	"fmt"
	"strings"
	"time"

	"github.com/yuin/goldmark/parser"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/tools/desk"
	"github.com/nod-console/nod/ui/result"
	"github.com/nod-console/nod/ui/screen"
)

// Transcript is what was said and done. Make one with NewTranscript.
type Transcript struct {
	styles *screen.Styles
	now    func() time.Time
	md     parser.Parser

	blocks []block
	cards  map[string]*card // by the id of the call
	queue  []*said          // prompts that wait, in order

	goingOn map[string]*card          // calls whose command goes on after them
	ends    map[string]agent.RunEnded // how such commands have ended, by call

	answering *answer  // that more text belongs to, whatever stands below it
	thinking  *thought // that more reasoning belongs to

	todos []desk.TodoItem // what is to be done

	labelled bool // this turn's answer has its label

	follow   bool // the end is shown
	top      place
	page     page  // the end as it is followed while an answer streams
	shown    place // the last line of the last Draw
	unseen   int   // blocks that came while the operator was reading above
	selected int   // block; -1: none
	coded    coded
	drag     drag

	width, height int // of the last Draw
	used          int // rows of it
	prompted      bool
}

// Prompted reports whether the operator has said anything since the beginning.
func (t *Transcript) Prompted() bool { return t.prompted }

// Used is how many rows the last Draw needed.
func (t *Transcript) Used() int { return t.used }

// place is a line of a block.
type place struct{ block, line int }

func (a place) before(b place) bool {
	return a.block < b.block || a.block == b.block && a.line < b.line
}

// NewTranscript returns an empty transcript. styles may change between two
// calls of Draw.
func NewTranscript(styles *screen.Styles, now func() time.Time) *Transcript {
	return &Transcript{
		styles: styles, now: now, cards: map[string]*card{}, goingOn: map[string]*card{}, ends: map[string]agent.RunEnded{},
		follow: true, selected: -1,
	}
}

// Clear empties the transcript. Commands that go on still count as running.
func (t *Transcript) Clear() {
	*t = Transcript{
		styles: t.styles, now: t.now, md: t.md, cards: map[string]*card{}, goingOn: t.goingOn, ends: map[string]agent.RunEnded{},
		follow: true, selected: -1, width: t.width, height: t.height, prompted: t.prompted,
	}
}

// Prompt adds a prompt of the operator, and shows it. A queued one is marked
// until Dequeue.
func (t *Transcript) Prompt(text string, queued bool) {
	b := &said{text: text, queued: queued}
	t.prompted = true
	if queued {
		t.queue = append(t.queue, b)
		t.Bottom()
		return
	}
	t.addPrompt(b)
}

func (t *Transcript) addPrompt(b *said) {
	t.endPiece()
	t.labelled = false
	if len(t.blocks) > 0 {
		t.add(space{})
	}
	t.add(b)
	t.Bottom()
}

// Dequeue says that the oldest prompt that waited is sent now.
func (t *Transcript) Dequeue() {
	if len(t.queue) == 0 {
		return
	}
	b := t.queue[0]
	t.queue = t.queue[1:]
	b.queued = false
	b.stale()
	t.addPrompt(b)
}

// DropQueue forgets the prompts that wait and returns them.
func (t *Transcript) DropQueue() []string {
	var texts []string
	for _, b := range t.queue {
		texts = append(texts, b.text)
	}
	t.queue = nil
	return texts
}

// Notice adds a line of nod's own.
func (t *Transcript) Notice(text string) {
	t.add(&remark{text: text, tone: muted, mark: "· "})
}

// Fault adds an error and what to do about it.
func (t *Transcript) Fault(text, hint string) {
	t.add(&remark{text: text, hint: hint, tone: danger, mark: "✗ "})
}

// Event adds what happened in a turn.
func (t *Transcript) Event(e agent.Event) {
	switch e := e.(type) {
	case agent.Reasoning:
		t.reasoning(e.Text)
		return
	case agent.Text:
		t.answer(e.Text)
		return
	case agent.RunEnded: // may come in the middle of a word
		t.runEnded(e)
		return
	case agent.Notice: // so may this
		t.Notice(e.Text)
		return
	}
	t.endPiece()
	switch e := e.(type) {
	case agent.CallProposed:
		c := newCard(e)
		t.cards[e.Call] = c
		delete(t.ends, e.Call)
		t.add(c)
	case agent.ApprovalAsked:
		t.onCard(e.Call, func(c *card) { c.phase = waiting })
	case agent.ApprovalAnswered:
		t.onCard(e.Call, func(c *card) { c.phase, c.reason = proposed, e.Reason })
	case agent.CallStarted:
		t.onCard(e.Call, func(c *card) { c.start(e, t.now()) })
	case agent.CallProgress:
		t.onCard(e.Call, func(c *card) { c.progress(e.Progress, t.now()) })
	case agent.CallFinished:
		t.onCard(e.Call, func(c *card) { c.finish(e) })
		t.takeTodos(e)
		t.goesOn(e)
	case agent.Compaction:
		t.add(newDigest(e))
	case agent.Steered:
		t.addPrompt(&said{text: e.Text})
	case agent.Retrying:
		t.Notice(fmt.Sprintf("%s; trying again in %s (%d)", e.Reason, result.Duration(e.After), e.Try))
	case agent.Fault:
		t.Fault(e.Text, e.Hint)
	case agent.Done:
		t.done(e)
	}
}

func (t *Transcript) done(e agent.Done) {
	t.page = page{}
	for _, c := range t.cards {
		if c.phase != finished {
			c.phase, c.result = finished, agent.CallFinished{IsError: true, Outcome: "not finished"}
			c.stale()
		}
	}
	clear(t.cards)
	if e.Ending == agent.Interrupted {
		t.interrupted()
	}
}

// interrupted marks the end of a turn that the operator ended. Where the turn
// has said so in its last words, they are marked.
func (t *Transcript) interrupted() {
	if b, ok := t.last().(*remark); ok && strings.HasPrefix(b.text, "interrupted") {
		b.tone, b.mark = warn, stopped
		b.stale()
		return
	}
	t.add(&remark{text: "interrupted", tone: warn, mark: stopped})
}

// stopped stands before what the operator ended.
const stopped = "■ "

func (t *Transcript) onCard(id string, change func(*card)) {
	if c := t.cards[id]; c != nil {
		change(c)
		c.stale()
	}
}

func (t *Transcript) answer(text string) {
	t.endThought()
	if t.answering != nil {
		t.answering.add(text)
		return
	}
	b := &answer{gap: len(t.blocks) > 0, label: !t.labelled}
	b.parser = t.parser
	t.labelled = true
	b.add(text)
	t.add(b)
	t.answering = b
}

func (t *Transcript) reasoning(text string) {
	t.answering = nil
	if t.thinking == nil {
		t.thinking = &thought{}
		t.add(t.thinking)
	}
	t.thinking.add(text)
}

// endPiece ends the piece of an answer or of reasoning that was streaming: what the
// turn does next stands below it, and more text is another piece.
func (t *Transcript) endPiece() {
	t.answering = nil
	t.endThought()
}

func (t *Transcript) endThought() {
	if b := t.thinking; b != nil {
		b.done = true
		b.stale()
		t.thinking = nil
	}
}

func (t *Transcript) last() block {
	if len(t.blocks) == 0 {
		return nil
	}
	return t.blocks[len(t.blocks)-1]
}

func (t *Transcript) add(b block) {
	t.blocks = append(t.blocks, b)
	if _, empty := b.(space); !t.follow && !empty {
		t.unseen++
	}
}

func (t *Transcript) parser() parser.Parser {
	if t.md == nil {
		t.md = newParser()
	}
	return t.md
}

// Running is the number of calls that have not finished, and of commands that
// go on after their call.
func (t *Transcript) Running() int {
	n := len(t.goingOn)
	for _, c := range t.cards {
		if c.phase == running {
			n++
		}
	}
	return n
}
