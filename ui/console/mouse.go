package console

import (
	"fmt"
	"strings"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"github.com/nod-console/nod/ui/keys"
)

const wheelLines = 3

// mouseReports are what the terminal is to report of the mouse.
var mouseReports = []tcell.MouseFlags{tcell.MouseButtonEvents, tcell.MouseDragEvents}

// useMouse has the terminal report the mouse, or keep it for itself (/mouse).
func (c *Console) useMouse(word string) {
	switch word {
	case "":
		c.mouseOn = !c.mouseOn
	case "on", "off":
		c.mouseOn = word == "on"
	default:
		c.chat.Fault(fmt.Sprintf("/mouse %q: want on or off", word), "/mouse alone changes it")
		return
	}
	c.actions, c.dragged, c.grabbed, c.selecting = actions{}, nil, false, false // what was down is let go of elsewhere
	if c.mouseOn {
		c.screen.EnableMouse(mouseReports...)
		c.chat.Notice("the mouse selects, scrolls and clicks here; most terminals keep it for themselves while Shift is down")
		return
	}
	c.screen.DisableMouse()
	c.chat.Notice("the mouse is your terminal's: it selects as it does elsewhere, also across frames")
}

// actions turns tcell's mouse events, which tell what is down, into tview's,
// which tell what happened.
type actions struct{ down tcell.ButtonMask }

var buttons = []struct {
	button   tcell.ButtonMask
	down, up tview.MouseAction
}{
	{tcell.Button1, tview.MouseLeftDown, tview.MouseLeftUp},
	{tcell.Button2, tview.MouseRightDown, tview.MouseRightUp},
	{tcell.Button3, tview.MouseMiddleDown, tview.MouseMiddleUp},
}

func (a *actions) of(ev *tcell.EventMouse) []tview.MouseAction {
	now := ev.Buttons()
	switch {
	case now&tcell.WheelUp != 0:
		return []tview.MouseAction{tview.MouseScrollUp}
	case now&tcell.WheelDown != 0:
		return []tview.MouseAction{tview.MouseScrollDown}
	}
	var happened []tview.MouseAction
	for _, b := range buttons {
		switch is, was := now&b.button != 0, a.down&b.button != 0; {
		case is && !was:
			happened = append(happened, b.down)
		case was && !is:
			happened = append(happened, b.up)
		}
	}
	a.down = now
	if happened == nil {
		return []tview.MouseAction{tview.MouseMove}
	}
	return happened
}

// mouse hands a mouse event to what it is over. It approves nothing.
func (c *Console) mouse(ev *tcell.EventMouse) {
	for _, action := range c.actions.of(ev) {
		if action == tview.MouseLeftDown {
			c.told = ""
		}
		switch {
		case c.inChat(action, ev):
		case action == tview.MouseLeftDown && c.clickHint(ev.Position()):
		case c.help != nil:
			if n, ok := wheel(action); ok {
				c.help.Scroll(n)
			}
		case c.asking, c.picker != nil, c.list != nil, c.player != nil:
		case c.fleet != nil && !c.questions.visible():
			c.overviewMouse(action, ev)
		case c.asked() != nil:
			c.asked().MouseHandler()(action, ev, func(tview.Primitive) {})
		case c.timeline != nil:
			x, y := ev.Position()
			c.timelineMouse(action, x, y)
		default:
			c.mouseOver(action, ev)
		}
	}
}

func wheel(action tview.MouseAction) (lines int, ok bool) {
	switch action {
	case tview.MouseScrollUp:
		return -wheelLines, true
	case tview.MouseScrollDown:
		return wheelLines, true
	}
	return 0, false
}

func (c *Console) mouseOver(action tview.MouseAction, ev *tcell.EventMouse) {
	if action == tview.MouseLeftDown { // whatever was dragged was let go elsewhere
		c.dragged, c.grabbed = nil, false
	}
	if c.dragged != nil {
		_, c.dragged = c.dragged.MouseHandler()(action, ev, func(tview.Primitive) {})
		return
	}
	x, y := ev.Position()
	l := &c.layout
	if c.dragBorder(action, x, y) {
		return
	}
	for i, r := range l.panes {
		if i < len(c.panes.all) && r.contains(x, y) {
			_, c.dragged = c.panes.all[i].view.MouseHandler()(action, ev, func(tview.Primitive) { c.focusPane(i) })
			return
		}
	}
	for i, r := range l.tabs {
		if action == tview.MouseLeftDown && i < len(c.panes.all) && r.contains(x, y) {
			c.focusPane(i)
			return
		}
	}
	lines, wheeled := wheel(action)
	switch {
	case wheeled:
		c.chat.Scroll(lines)
	case action != tview.MouseLeftDown:
	case l.input.contains(x, y):
		c.chat.Unselect()
		c.focus = focus{place: keys.Input, pane: c.focus.pane, zoom: c.focus.zoom}
	}
}

// inChat takes the mouse where it is over the chat, or was when its button went down: a
// drag selects and copies, a click chooses, also above a dialog. It reports whether the
// mouse was the chat's.
func (c *Console) inChat(action tview.MouseAction, ev *tcell.EventMouse) bool {
	x, y := ev.Position()
	l := &c.layout
	over := l.chat.contains(x, y) && !c.covered()
	switch lines, wheeled := wheel(action); {
	case c.selecting && action == tview.MouseLeftUp:
		c.selecting = false
		c.letGo()
	case c.selecting && ev.Buttons()&tcell.Button1 != 0:
		c.chat.Drag(x-l.chat.x, y-l.chat.y)
	case c.selecting: // it was let go out of our sight
		c.selecting = false
		c.chat.Release()
		return false
	case over && wheeled && c.dragged == nil:
		c.chat.Scroll(lines)
	case over && action == tview.MouseLeftDown:
		c.selecting, c.dragged, c.grabbed = true, nil, false
		c.chat.Press(x-l.chat.x, y-l.chat.y)
	default:
		return false
	}
	return true
}

// covered reports whether something else than a dialog is shown in front of the chat.
func (c *Console) covered() bool {
	return c.help != nil || c.asking || c.picker != nil || c.list != nil || c.player != nil || c.fleet != nil || c.timeline != nil
}

// letGo copies what was selected in the chat, or brings the keyboard there.
func (c *Console) letGo() {
	text, click := c.chat.Release()
	switch {
	case click && c.asked() == nil:
		c.focus = focus{place: keys.Chat, pane: c.focus.pane, zoom: c.focus.zoom}
	case strings.TrimSpace(text) != "":
		c.copy(text)
	}
}

// clickHint presses the key that the last line names at a place, and reports whether one
// is named there.
func (c *Console) clickHint(x, y int) bool {
	if y != c.layout.bottom.y {
		return false
	}
	for _, spot := range c.hints {
		if x >= spot.X && x < spot.X+spot.Width {
			if ev := keys.Event(spot.Key); ev != nil {
				c.key(ev)
			}
			return true
		}
	}
	return false
}

// focusPane brings the keyboard to a pane, for reading.
func (c *Console) focusPane(i int) {
	if c.focus.place == keys.Pane && c.focus.pane == i {
		return
	}
	c.chat.Unselect()
	c.focus = focus{place: keys.Pane, pane: i, zoom: c.focus.zoom}
}
