package chat

import (
	"fmt"
	"strings"
	"time"

	"github.com/gdamore/tcell/v2"
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
	unseen   int // blocks that came while the operator was reading above
	selected int // block; -1: none
	coded    coded

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
	t.add(&remark{text: text, tone: muted, mark: "  ·  "})
}

// Fault adds an error and what to do about it.
func (t *Transcript) Fault(text, hint string) {
	t.add(&remark{text: text, hint: hint, tone: danger, mark: "  ✗  "})
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
	case agent.Notice:
		t.Notice(e.Text)
	case agent.Retrying:
		t.Notice(fmt.Sprintf("%s; trying again in %s (%d)", e.Reason, result.Duration(e.After), e.Try))
	case agent.Fault:
		t.Fault(e.Text, e.Hint)
	case agent.Done:
		t.done(e)
	}
}

func (t *Transcript) done(e agent.Done) {
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
const stopped = "  ■  "

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

// Draw draws the transcript into a rectangle. active marks the chosen entry.
func (t *Transcript) Draw(s tcell.Screen, x, y, width, height int, active bool) {
	if width <= 0 || height <= 0 {
		return
	}
	t.width, t.height = width, height
	height -= t.drawQueue(s, x, y, width, height)
	more := !t.follow && t.unseen > 0
	if more {
		height--
	}
	at := t.start(height)
	row := 0
	for ; row < height && at.block < len(t.blocks); at = (place{at.block + 1, 0}) {
		n := t.layout(at.block)
		for ; at.line < n && row < height; at.line++ {
			if active && at.block == t.selected {
				s.Put(x, y+row, "▌", t.styles.Focus)
			}
			t.blocks[at.block].line(at.line).draw(s, x+1, y+row, width-1, t.styles)
			row++
		}
	}
	t.used = row
	if more {
		text := fmt.Sprintf(" ↓ %d more below ", t.unseen)
		screen.Draw(s, x+max(width-screen.Width(text), 0), y+height, width, text, t.styles.Selection)
	}
}

// drawQueue draws the prompts that wait at the bottom and returns the number of
// lines that it took.
func (t *Transcript) drawQueue(s tcell.Screen, x, y, width, height int) int {
	var lines []line
	for _, b := range t.queue {
		for i := range b.layout(width-1, t.now()) {
			lines = append(lines, b.line(i))
		}
	}
	if room := max(height/3, 1); len(lines) > room {
		lines = lines[len(lines)-room:]
	}
	for i, l := range lines {
		l.draw(s, x+1, y+height-len(lines)+i, width-1, t.styles)
	}
	return len(lines)
}

// layout sets a block for the present width.
func (t *Transcript) layout(i int) int { return t.blocks[i].layout(max(t.width-1, 1), t.now()) }

// start is the first place on the screen. Where no more is left below it than
// fits, the end is followed again.
func (t *Transcript) start(height int) place {
	if !t.follow {
		top := t.clamp(t.top)
		if t.exceeds(top, height) {
			t.top = top
			return top
		}
		t.follow, t.unseen = true, 0
	}
	t.top = t.up(place{len(t.blocks), 0}, height)
	return t.top
}

// clamp makes a place of an earlier layout one of the present.
func (t *Transcript) clamp(p place) place {
	if p.block >= len(t.blocks) {
		return place{len(t.blocks), 0}
	}
	p.line = max(min(p.line, t.layout(p.block)-1), 0)
	return p
}

// exceeds reports whether more than height lines follow from p on.
func (t *Transcript) exceeds(p place, height int) bool {
	n := -p.line
	for i := p.block; i < len(t.blocks) && n <= height; i++ {
		n += t.layout(i)
	}
	return n > height
}

// up is the place n lines above p, or the beginning.
func (t *Transcript) up(p place, n int) place {
	for n > p.line {
		if p.block == 0 {
			return place{}
		}
		n -= p.line
		p.block--
		p.line = t.layout(p.block)
	}
	p.line -= n
	return p
}

// down is the place n lines below p, or the end.
func (t *Transcript) down(p place, n int) place {
	p.line += n
	for p.block < len(t.blocks) {
		h := t.layout(p.block)
		if p.line < h {
			return p
		}
		p.line -= h
		p.block++
	}
	return place{len(t.blocks), 0}
}

// Scroll moves by lines, up if n is negative.
func (t *Transcript) Scroll(n int) {
	if n < 0 {
		p := t.up(t.top, -n)
		if p != t.top {
			t.follow, t.top = false, p
		}
		return
	}
	if !t.follow {
		t.top = t.down(t.top, n)
	}
}

// Page moves by screens, with one line of overlap.
func (t *Transcript) Page(n int) { t.Scroll(n * max(t.height-1, 1)) }

// Top goes to the beginning.
func (t *Transcript) Top() { t.follow, t.top = false, place{} }

// Bottom goes to the end and follows it.
func (t *Transcript) Bottom() { t.follow, t.unseen = true, 0 }

// Following reports whether the end is shown.
func (t *Transcript) Following() bool { return t.follow }

// Select moves the choice of an entry by n entries and shows it. Without a
// choice it begins with the last one on the screen, and nothing moves.
func (t *Transcript) Select(n int) {
	if len(t.blocks) == 0 {
		return
	}
	i, first := t.selected+n, t.selected < 0
	if first {
		i = min(t.down(t.top, t.height-1).block, len(t.blocks)-1)
		n = -1
	}
	for ; i >= 0 && i < len(t.blocks); i += sgn(n) {
		if _, empty := t.blocks[i].(space); empty {
			continue
		}
		t.selected = i
		if !first {
			t.reveal(i)
		}
		return
	}
}

func sgn(n int) int {
	if n < 0 {
		return -1
	}
	return 1
}

// Unselect ends the choice.
func (t *Transcript) Unselect() { t.selected = -1 }

// reveal scrolls so that the beginning of a block is on the screen.
func (t *Transcript) reveal(i int) {
	first := place{i, 0}
	if i < t.top.block || i == t.top.block && t.top.line > 0 {
		t.follow, t.top = false, first
		return
	}
	height := t.layout(i)
	for b := t.top.block; b < i; b++ {
		height += t.layout(b)
		if height > t.height*2 {
			break
		}
	}
	if height-t.top.line > t.height {
		t.follow = false
		t.top = t.down(t.top, min(height-t.top.line-t.height, max(height-t.top.line-t.layout(i), 0)))
	}
}

// Fold opens or closes the chosen entry. Its beginning stays on the screen.
func (t *Transcript) Fold() bool {
	if t.selected < 0 || t.selected >= len(t.blocks) {
		return false
	}
	folded := t.blocks[t.selected].fold()
	t.follow = false // start follows again if nothing is left below
	t.reveal(t.selected)
	return folded
}

// Raw is the chosen entry as it was written, else the last piece of the answer.
func (t *Transcript) Raw() string {
	if t.selected >= 0 && t.selected < len(t.blocks) {
		return t.blocks[t.selected].raw()
	}
	for i := len(t.blocks) - 1; i >= 0; i-- {
		if b, ok := t.blocks[i].(*answer); ok {
			return b.raw()
		}
	}
	return ""
}

// At chooses the entry that is drawn in a row of the last Draw, for the mouse.
func (t *Transcript) At(row int) bool {
	p := t.down(t.top, row)
	if p.block >= len(t.blocks) {
		return false
	}
	t.selected = p.block
	return true
}
