package console

import (
	"slices"
	"strings"

	"github.com/nod-console/nod/ui/keys"
	"github.com/nod-console/nod/ui/mirror"
	"github.com/nod-console/nod/ui/screen"
	"github.com/nod-console/nod/ui/status"
)

// Below this size, one part of the screen is shown at a time.
const (
	wideCols = 80
	wideRows = 24
)

// small reports whether a screen has room for one part only.
func small(w, h int) bool { return w < wideCols || h < wideRows }

// focus says where the keyboard is.
type focus struct {
	place  keys.Place // Input, Chat or Pane
	pane   int        // index; only for Pane
	typing bool       // keys go to the pane's target
	zoom   bool       // only the part with the keyboard is shown
}

// rect is a part of the screen.
type rect struct{ x, y, w, h int }

func (r rect) contains(x, y int) bool {
	return x >= r.x && x < r.x+r.w && y >= r.y && y < r.y+r.h
}

// layout says where everything stands. A part that is not shown has no size.
type layout struct {
	top, bottom rect
	talk        rect // the frame around chat and input, if there is one
	chat, input rect
	todos       rect // what is to be done, under the chat
	rule        rect // between the two
	panes       []rect
	bar         rect   // the names of the panes, if not all are shown
	tabs        []rect // each name in the bar
	body        rect
	block       rect // the dialog; without one, or where it would cover what is typed into, it has no size
	grid        grid
}

// arrange lays everything out for a size.
func (c *Console) arrange(w, h int) layout {
	l := layout{top: rect{0, 0, w, 1}, bottom: rect{0, h - 1, w, 1}, panes: make([]rect, len(c.panes.all))}
	l.body = rect{0, 1, w, max(h-2, 0)}
	// What a dialog is about stays visible beside it.
	asked := c.asked() != nil
	single := small(w, h) || c.focus.zoom && !asked
	onPane := c.focus.place == keys.Pane
	chosen := c.focus.pane
	if about := c.subject(); about >= 0 {
		chosen = about
	}
	talk := l.body
	switch {
	case c.fleet != nil: // it covers everything but questions
		if c.questions.visible() {
			l.arrangeBlock(c, l.body)
		}
	case len(c.panes.all) == 0:
		l.arrangeBlock(c, talk)
		l.arrangeTalk(c, talk, !single)
	case single && onPane:
		if !c.focus.typing { // a terminal that is typed into is never covered
			l.arrangeBlock(c, talk)
		}
		l.arrangeOne(l.body, chosen)
	case single:
		l.arrangeBlock(c, talk)
		l.arrangeTalk(c, talk, false)
	default:
		talk.w = c.sizes.left(w)
		if c.whole && !c.focus.typing {
			l.arrangeBlock(c, l.body)
		} else {
			l.arrangeBlock(c, talk)
		}
		l.arrangeTalk(c, talk, true)
		l.arrangePanes(rect{talk.w, 1, w - talk.w, l.body.h}, chosen, &c.sizes)
	}
	return l
}

// What is left of the chat above a dialog: as much of it as the dialog can spare,
// and none where that would be too little to read.
const (
	leastChat = 4
	goodChat  = 10
)

// arrangeBlock puts the dialog in front at the foot of a part, as high as its content.
func (l *layout) arrangeBlock(c *Console, r rect) {
	d := c.asked()
	if d == nil || r.h < 1 {
		return
	}
	most := r.h
	if !c.whole && r.h >= wideRows-2 {
		most -= min(r.h/4, goodChat)
	}
	h := d.Height(r.w, most)
	if r.h-h < leastChat {
		h = r.h
	}
	l.block = rect{r.x, r.y + r.h - h, r.w, h}
}

// arrangeTalk divides a part between chat and input. While a dialog stands there, it
// has the place of the input, and the chat ends above it.
func (l *layout) arrangeTalk(c *Console, r rect, framed bool) {
	if l.block.h > 0 {
		if r.h -= l.block.h; r.h < 1 {
			return
		}
		if framed && r.h > 2 {
			l.talk = r
			r = rect{r.x + 1, r.y + 1, r.w - 2, r.h - 2}
		}
		l.chat = r
		return
	}
	if framed && r.w > 4 && r.h > 6 {
		l.talk = r
		r = rect{r.x + 1, r.y + 1, r.w - 2, r.h - 2}
	}
	height := min(c.input.Height(r.w, max(r.h/3, 1)), r.h)
	l.input = rect{r.x, r.y + r.h - height, r.w, height}
	r.h -= height
	if r.h > 8 {
		r.h--
		l.rule = rect{r.x, r.y + r.h, r.w, 1}
	}
	if todos := c.chat.TodoHeight(r.h / 3); todos > 0 {
		l.todos = rect{r.x, r.y + r.h - todos, r.w, todos}
		r.h -= todos
	}
	l.chat = r
}

// draw draws a frame.
func (c *Console) draw() {
	c.dirty, c.urgent = false, false
	s := c.screen
	s.Fill(' ', c.styles.Text)
	s.HideCursor()
	w, h := s.Size()
	if w < 1 || h < 1 {
		return
	}
	c.layout = c.arrange(w, h)
	l := &c.layout
	modal := c.place() == keys.Overlay || c.place() == keys.Dialog
	c.drawTalk(modal)
	c.panes.follow(c.focus)
	for i, r := range l.panes {
		c.panes.draw(c, i, r, !modal && c.focus.place == keys.Pane && c.focus.pane == i)
	}
	c.drawBar(modal)
	c.drawOffers(modal)
	c.drawOverlays()
	if h > 2 {
		status.DrawTop(s, l.top.x, l.top.y, l.top.w, c.topLine(), &c.styles)
	}
	c.hints = status.DrawBottom(s, l.bottom.x, l.bottom.y, l.bottom.w, c.bottomLine(), &c.styles)
	s.Show()
}

func (c *Console) drawTalk(modal bool) {
	l, s := &c.layout, c.screen
	writing := !modal && c.focus.place == keys.Input
	reading := !modal && c.focus.place == keys.Chat
	if l.talk.h > 0 {
		style := c.styles.Border
		if writing || reading {
			style = c.styles.Focus
		}
		screen.Frame(s, l.talk.x, l.talk.y, l.talk.w, l.talk.h, "chat", "", style)
	}
	c.chat.Draw(s, l.chat.x, l.chat.y, l.chat.w, l.chat.h, reading)
	c.drawFirst()
	c.chat.DrawTodos(s, l.todos.x, l.todos.y, l.todos.w, l.todos.h)
	screen.Fill(s, l.rule.x, l.rule.y, l.rule.w, l.rule.h, "─", c.styles.Border)
	if l.input.h > 0 {
		c.input.Draw(s, l.input.x, l.input.y, l.input.w, l.input.h, writing, "ask for something, or /help")
	}
}

// drawOverlays draws what stands in front of everything else.
func (c *Console) drawOverlays() {
	l, s := &c.layout, c.screen
	c.drawTimeline()
	c.drawPlayer()
	c.drawOverview()
	if c.approval.visible() && !c.questions.visible() && l.block.h > 0 {
		c.drawDialog(c.approval.dialog, l.block)
	}
	if c.picker != nil {
		c.picker.Draw(s, l.body.x, l.body.y, l.body.w, l.body.h, &c.styles)
	}
	if c.list != nil {
		r := c.front()
		if c.list.wide {
			r = l.body
		}
		c.list.Draw(s, r.x, r.y, r.w, r.h, &c.styles)
	}
	if c.questions.visible() && l.block.h > 0 {
		c.drawDialog(c.questions.dialog, l.block)
	}
	if c.asking {
		c.drawQuestion()
	}
	if c.help != nil {
		s.HideCursor() // that of what it covers
		c.help.Draw(s, l.body.x, l.body.y, l.body.w, l.body.h, c.facts(), &c.styles)
	}
}

// front is where a list stands: over chat and input, so that the panes stay
// visible, where these are shown beside each other.
func (c *Console) front() rect {
	l := &c.layout
	if l.talk.w > 0 && l.talk.w < l.body.w {
		return rect{l.talk.x, l.body.y, l.talk.w, l.body.h}
	}
	return l.body
}

// drawQuestion asks whether to quit although something runs.
func (c *Console) drawQuestion() {
	l, s := &c.layout, c.screen
	text := []string{"A turn is running. Quitting interrupts it.", "y quits   n stays"}
	if !c.turns.busy {
		text[0] = "A command still runs. Quitting ends it."
		if c.chat.Running() == 0 && len(c.reverts) > 0 {
			text[0] = "A revert is armed. It will come."
		}
	}
	w := min(l.body.w, 48)
	text = slices.Concat(screen.Fold(text[0], w-4), text[1:])
	h := min(l.body.h, len(text)+2)
	x, y := l.body.x+(l.body.w-w)/2, l.body.y+(l.body.h-h)/2
	screen.Fill(s, x, y, w, h, " ", c.styles.Text)
	screen.Frame(s, x, y, w, h, "quit?", "", c.styles.Warn)
	for i := 0; i < len(text) && i < h-2; i++ {
		screen.Draw(s, x+2, y+1+i, w-4, screen.Cut(text[i], w-4), c.styles.Text)
	}
}

func (c *Console) topLine() status.Top {
	_, waiting := c.queue.Visible()
	return status.Top{
		Target: c.status.Name, Trust: c.status.Trust, State: c.status.State, Latency: c.status.Latency, Load: c.status.Load,
		NotHeld: c.status.NotHeld,
		Posture: c.postureText(),
		Model:   c.status.Model, Context: c.context, Limit: c.status.Limit,
		Cost: c.status.Cost, Waiting: waiting,
	}
}

func (c *Console) bottomLine() status.Bottom {
	_, waiting := c.queue.Visible()
	b := status.Bottom{
		Hints: c.opt.Keys.Hints(c.place(), c.facts()), Turn: c.turns.busy,
		Running: c.chat.Running(), Waiting: waiting,
		Alarm: c.alarm.text, Grave: c.alarm.grave,
	}
	b.Revert = c.reverts.status(c.now())
	if c.turns.busy {
		b.Elapsed = c.now().Sub(c.turns.began)
		b.Frame = int(b.Elapsed / spinTime)
	}
	b.Mode = c.mode()
	return b
}

// mode is what the bottom line says of the part with the keyboard.
func (c *Console) mode() string {
	mode := c.partMode()
	if vi := c.input.ViMode(); vi != "" && mode == "" && (c.place() == keys.Input || c.place() == keys.Completing) {
		mode = "vi " + vi
	}
	if c.told != "" {
		mode = strings.TrimPrefix(mode+": "+c.told, ": ")
	}
	if c.focus.typing && c.asked() != nil {
		mode += ": " + c.opt.Keys.Say(keys.Typing, keys.Terminal) + " answers"
	}
	if c.focus.zoom && len(c.panes.all) > 0 {
		mode = strings.TrimPrefix(mode+", zoomed", ", ")
	}
	return mode
}

// partMode is how that part is used; empty if it is the input, or a dialog.
func (c *Console) partMode() string {
	p := c.panes.at(c.focus.pane)
	w, h := c.screen.Size()
	switch {
	case c.fleet != nil: // it covers what has the keyboard otherwise
		return "overview"
	case c.place() == keys.Dialog: // it has the keys, wherever they went before
		return ""
	case c.place() == keys.Browsing:
		return "timeline"
	case p != nil && c.focus.place == keys.Pane:
		return p.mode(c.focus.typing, small(w, h))
	case c.focus.place == keys.Chat:
		return "reading"
	case !c.chat.Following():
		return "scrolled up"
	}
	return ""
}

// place is where keys go. Who types into a terminal goes on doing so when a
// dialog comes up: what he types must never answer it.
func (c *Console) place() keys.Place {
	switch {
	case c.help != nil || c.asking:
		return keys.Overlay
	case c.focus.typing:
		return keys.Typing
	case c.questions.visible():
		return keys.Dialog
	case c.picker != nil, c.list != nil:
		return keys.Overlay
	case c.fleet != nil:
		return keys.Tiles
	case c.approval.visible():
		return keys.Dialog
	case c.player != nil:
		return keys.Playing
	case c.timeline != nil:
		return keys.Browsing
	case c.focus.place == keys.Pane && c.panes.at(c.focus.pane).searching():
		return keys.Searching
	}
	if c.focus.place == keys.Input && c.offers.menu.Open() {
		return keys.Completing
	}
	return c.focus.place
}

// facts are what commands depend on.
func (c *Console) facts() keys.Facts {
	var read *mirror.Mirror
	if p := c.panes.at(c.focus.pane); p != nil && c.focus.place == keys.Pane {
		read = p.view
	}
	w, h := c.screen.Size()
	return keys.Facts{
		Small: small(w, h), Zoomed: c.focus.zoom, Stacked: c.layout.grid.stacked(),
		Running: c.turns.busy, Panes: len(c.panes.all), Resume: c.opt.Resume != nil,
		Selected: read != nil && read.Selecting(), Searched: read != nil && read.Searched(),
		Provided: c.opt.provides,
	}
}
