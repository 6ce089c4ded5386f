package console

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"github.com/nod-console/nod/ui/keys"
	"github.com/nod-console/nod/ui/mirror"
	"github.com/nod-console/nod/ui/screen"
)

// panes are the mirrored terminals: the main one, then the others in the order
// in which they came, until the operator moves one. They belong to the pump.
type panes struct{ all []*pane }

type pane struct {
	pane   Pane
	view   *mirror.Mirror
	worker *worker
	cancel func() // ends the subscription
	state  PaneState
	stale  bool   // the snapshot is not the view's yet
	shown  bool   // it was drawn in the last frame
	enter  string // the key that types into it
	leave  string // the key that takes the keyboard away from it
}

func mirrorStyles(s *screen.Styles) mirror.Styles {
	return mirror.Styles{
		Text: s.Text, Muted: s.Muted, Border: s.Border, Focus: s.Focus, Notice: s.Warn,
		Selection: s.Selection, Match: s.Warn.Underline(true).Reverse(true),
	}
}

// add mirrors p, in place of an earlier pane of the same ID.
func (ps *panes) add(c *Console, p Pane) {
	added := &pane{pane: p, view: mirror.New(mirrorStyles(&c.styles)).SetKeys(c.opt.Keys), enter: c.opt.Keys.Say(keys.Pane, keys.Terminal), leave: c.opt.Keys.Say(keys.Typing, keys.Terminal), worker: newWorker(p), stale: true}
	added.view.OnKey(added.worker.typed)
	added.view.OnCopy(c.screen.Copy)
	added.cancel = func() {}
	if p.Subscribe != nil {
		added.cancel = p.Subscribe(func() { c.mail.changedPane(p.ID) })
	}
	c.spawn(func() { added.worker.run(c.ctx, c.mail) })
	added.look()
	at := len(ps.all)
	for i, old := range ps.all {
		if old.pane.ID == p.ID {
			old.close()
			ps.all[i] = added
			return
		}
		if p.Main && (!old.pane.Main || p.precedes(old.pane)) {
			at = min(at, i)
		}
	}
	ps.all = slices.Insert(ps.all, at, added)
}

// addPane mirrors a pane. The keyboard stays with the pane that it is on; while
// it is on none, the main pane is the one that it would go to: the latest, or of those that
// have an order the first.
func (c *Console) addPane(p Pane) {
	id := p.ID
	on := c.panes.at(c.focus.pane)
	if on != nil && (c.focus.place == keys.Pane || !p.Main || on.pane.Main && p.Order > 0 && on.pane.precedes(p)) {
		id = on.pane.ID
	}
	c.panes.add(c, p)
	c.focus.pane = max(c.panes.index(id), 0)
}

// precedes reports whether a main pane has a place before that of another one.
func (p Pane) precedes(other Pane) bool {
	return p.Order > 0 && (other.Order == 0 || p.Order < other.Order)
}

func (ps *panes) remove(id string) {
	for i, p := range ps.all {
		if p.pane.ID == id {
			p.close()
			ps.all = append(ps.all[:i], ps.all[i+1:]...)
			return
		}
	}
}

// close ends everything that the panes listen to.
func (ps *panes) close() {
	for _, p := range ps.all {
		p.close()
	}
}

// show takes note whether the pane is in view.
func (p *pane) show(shown bool) {
	if shown != p.shown && p.pane.Shown != nil {
		p.pane.Shown(shown)
	}
	p.shown = shown
}

func (p *pane) close() {
	p.show(false)
	p.cancel()
	p.worker.stop()
}

// index is the pane with an ID, or -1.
func (ps *panes) index(id string) int {
	return slices.IndexFunc(ps.all, func(p *pane) bool { return p.pane.ID == id })
}

// at is pane i, or nil.
func (ps *panes) at(i int) *pane {
	if i < 0 || i >= len(ps.all) {
		return nil
	}
	return ps.all[i]
}

// look takes note of what goes on in the pane. It reports whether that is new.
func (p *pane) look() bool {
	if p.pane.State == nil {
		return false
	}
	before := p.state
	p.state = p.pane.State()
	return p.state != before
}

// refresh takes note that a pane has changed, and reports whether that can be
// seen.
func (ps *panes) refresh(id string) bool {
	for _, p := range ps.all {
		if p.pane.ID == id {
			p.stale = true
			return p.look() || p.shown
		}
	}
	return false
}

// of is the pane with a terminal, or -1.
func (ps *panes) of(target, terminal string) int {
	if terminal == "" {
		return -1
	}
	return slices.IndexFunc(ps.all, func(p *pane) bool {
		return p.state.Terminal == terminal && p.state.Target == target
	})
}

// restyle gives all panes new colours.
func (ps *panes) restyle(s *screen.Styles) {
	for _, p := range ps.all {
		p.view.SetStyles(mirrorStyles(s))
	}
}

// draw draws pane i, unless it has no room, and tells its terminal how much it
// has.
func (ps *panes) draw(c *Console, i int, r rect, active bool) {
	p := ps.all[i]
	before := p.shown
	p.show(r.w > 2 && r.h > 2)
	if !p.shown {
		return
	}
	if !before { // panes of a session may have one size, which another one has changed
		p.worker.forgetSize()
	}
	if p.stale {
		p.stale = false
		p.view.SetSnapshot(p.pane.Snapshot())
	}
	typing := active && c.focus.typing
	if active {
		p.view.Focus(func(tview.Primitive) {})
	} else {
		p.view.Blur()
	}
	right := "" // live
	if p.state.Stale {
		right = "not live"
	}
	p.view.SetTitle(ps.title(i, i == c.subject()), right)
	if p.pane.Trust != "" {
		p.view.SetTrust("●"+p.pane.Trust, c.styles.Trust(p.pane.Trust))
	}
	p.view.SetState(p.words(active, typing, i == c.subject()))
	p.view.SetRect(r.x, r.y, r.w, r.h)
	p.worker.resize(r.w-2, r.h-2)
	p.view.Draw(c.screen)
}

// The signs of a pane in which something goes on.
const (
	runningSign = "▸"
	waitingSign = "?"
)

// sign says in one cell what goes on in the pane; it is empty if nothing does.
func (p *pane) sign(waiting bool) string {
	switch {
	case waiting:
		return waitingSign
	case p.state.Running != "":
		return runningSign
	}
	return ""
}

// name is the pane's short name.
func (p *pane) name() string {
	if p.pane.Name != "" {
		return p.pane.Name
	}
	return p.pane.Title
}

// title says whose terminal pane i is, and which of several. waiting says that
// the operator is asked about it.
func (ps *panes) title(i int, waiting bool) string {
	text := ps.all[i].pane.Title
	if sign := ps.all[i].sign(waiting); sign != "" {
		text = sign + " " + text
	}
	if len(ps.all) == 1 {
		return text
	}
	return fmt.Sprintf("%d/%d %s", i+1, len(ps.all), text)
}

// words say on the frame where keys go, or else what goes on.
func (p *pane) words(active, typing, waiting bool) string {
	var words []string
	if p.state.Fault != "" { // else it is cut off first
		words = append(words, p.state.Fault)
	}
	switch {
	case typing:
		words = append(words, "typing, "+p.leave+" leaves")
	case p.pane.Type == nil:
		words = append(words, "for reading only")
	case active:
		words = append(words, p.enter+" types into it")
	}
	if waiting {
		words = append(words, "a proposal for it waits for your nod")
	}
	if text := p.company(); text != "" {
		words = append(words, text)
	}
	if p.state.Running != "" {
		words = append(words, "runs "+strings.Join(strings.Fields(p.state.Running), " "))
	}
	return strings.Join(words, " · ")
}

// company says who else is at the pane.
func (p *pane) company() string {
	n, typed := p.state.Watchers, p.state.Typed
	if n == 0 {
		return ""
	}
	text := "1 other terminal"
	if n > 1 {
		text = fmt.Sprintf("%d other terminals", n)
	}
	if !typed.IsZero() {
		text += ", typed " + typed.Format(time.TimeOnly)
	}
	return text
}

// mode says the same in the bottom line; with the pane's short name where there is
// no room for more.
func (p *pane) mode(typing, brief bool) string {
	doing := "reading "
	switch {
	case typing:
		doing = "typing into "
	case p.view.Searching():
		doing = "searching "
	case p.view.Selecting():
		doing = "selecting in "
	}
	if brief {
		return doing + p.name()
	}
	return doing + p.pane.Title
}

// searching reports whether keys go to the pane's search line. p may be nil.
func (p *pane) searching() bool { return p != nil && p.view.Searching() }

// follow has keys go where the keyboard is: to the target of the pane that is typed
// into, and to no other. That cannot wait for a frame: what comes in one piece with
// the key that moves the keyboard, as over a slow link, is meant for the new place.
func (ps *panes) follow(f focus) {
	for i, p := range ps.all {
		if typing := f.typing && f.pane == i; p.view.Typing() != typing {
			p.view.SetTyping(typing)
		}
	}
}

// key hands a key to pane i: to its target while typing, else to its search
// line.
func (ps *panes) key(i int, ev *tcell.EventKey) {
	if p := ps.at(i); p != nil {
		p.view.InputHandler()(ev, func(tview.Primitive) {})
	}
}

// paste hands a paste to pane i.
func (ps *panes) paste(i int, text string) {
	if p := ps.at(i); p != nil {
		p.view.PasteHandler()(text, func(tview.Primitive) {})
	}
}

// read carries out a command for reading in pane i.
func (ps *panes) read(i int, id keys.ID) bool {
	p := ps.at(i)
	return p != nil && p.view.Do(id)
}

// resizeTime is the least time between two sizes that a terminal is given. Each
// one has it wrap all of its text anew, and a window that is dragged larger has
// dozens a second.
const resizeTime = 150 * time.Millisecond

// worker takes keys and sizes to a pane, in order, outside of the pump.
type worker struct {
	pane Pane
	wake chan struct{} // holds one
	done chan struct{} // closed by stop

	mu         sync.Mutex
	bytes      []byte
	cols, rows int
	resized    bool // the terminal has not been told yet
	forgotten  bool // it is to be told in any case
}

func newWorker(p Pane) *worker {
	return &worker{pane: p, wake: make(chan struct{}, 1), done: make(chan struct{})}
}

// stop ends run.
func (w *worker) stop() { close(w.done) }

// typed adds bytes for the target.
func (w *worker) typed(p []byte) {
	w.change(func() { w.bytes = append(w.bytes, p...) })
}

// resize sets the size that the console has for the terminal.
func (w *worker) resize(cols, rows int) {
	w.mu.Lock()
	same := cols == w.cols && rows == w.rows && !w.forgotten
	w.mu.Unlock()
	if !same {
		w.change(func() { w.cols, w.rows, w.resized, w.forgotten = cols, rows, true, false })
	}
}

// forgetSize has the size told again that comes next.
func (w *worker) forgetSize() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.forgotten = true
}

func (w *worker) change(change func()) {
	w.mu.Lock()
	change()
	w.mu.Unlock()
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// run works until ctx or the pane ends.
func (w *worker) run(ctx context.Context, m *mailbox) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	rest := stopped() // until the next size may be told
	resting := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.done:
			return
		case <-rest.C:
			resting = false
		case <-w.wake:
		}
		w.mu.Lock()
		bytes, cols, rows, resized := w.bytes, w.cols, w.rows, w.resized && !resting
		w.bytes, w.resized = nil, w.resized && resting
		w.mu.Unlock()
		if resized && w.pane.Resize != nil {
			w.pane.Resize(ctx, cols, rows)
			resting = true
			rest.Reset(resizeTime)
		}
		if len(bytes) > 0 && w.pane.Type != nil {
			if err := w.pane.Type(ctx, bytes); err != nil && ctx.Err() == nil {
				m.put(explain("typing into "+w.pane.Title, err))
			}
		}
	}
}
