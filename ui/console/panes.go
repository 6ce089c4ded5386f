package console

import (
	"context"
	"fmt"
	"sync"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"github.com/nod-console/nod/ui/keys"
	"github.com/nod-console/nod/ui/mirror"
	"github.com/nod-console/nod/ui/screen"
)

// panes are the mirrored terminals, in the order in which they came. They
// belong to the pump.
type panes struct{ all []*pane }

type pane struct {
	pane   Pane
	view   *mirror.Mirror
	worker *worker
	cancel func() // ends the subscription
	stale  bool   // the snapshot is not the view's yet
	shown  bool   // it was drawn in the last frame
}

func mirrorStyles(s *screen.Styles) mirror.Styles {
	return mirror.Styles{
		Text: s.Text, Muted: s.Muted, Border: s.Border, Focus: s.Focus, Notice: s.Warn,
		Selection: s.Selection, Match: s.Warn.Underline(true).Reverse(true),
	}
}

// add mirrors p, in place of an earlier pane of the same ID.
func (ps *panes) add(c *Console, p Pane) {
	added := &pane{pane: p, view: mirror.New(mirrorStyles(&c.styles)), worker: newWorker(p), stale: true}
	added.view.OnKey(added.worker.typed)
	added.view.OnCopy(c.screen.Copy)
	added.cancel = func() {}
	if p.Subscribe != nil {
		added.cancel = p.Subscribe(func() { c.mail.changedPane(p.ID) })
	}
	c.spawn(func() { added.worker.run(c.ctx, c.mail) })
	for i, old := range ps.all {
		if old.pane.ID == p.ID {
			old.close()
			ps.all[i] = added
			return
		}
	}
	ps.all = append(ps.all, added)
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

func (p *pane) close() {
	p.cancel()
	p.worker.stop()
}

// at is pane i, or nil.
func (ps *panes) at(i int) *pane {
	if i < 0 || i >= len(ps.all) {
		return nil
	}
	return ps.all[i]
}

// refresh takes note that a pane's screen is new, and reports whether that can
// be seen.
func (ps *panes) refresh(id string) bool {
	for _, p := range ps.all {
		if p.pane.ID == id {
			p.stale = true
			return p.shown
		}
	}
	return false
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
	p.shown = r.w > 2 && r.h > 2
	if !p.shown {
		return
	}
	if p.stale {
		p.stale = false
		p.view.SetSnapshot(p.pane.Snapshot())
	}
	typing := active && c.focus.typing
	if p.view.Typing() != typing {
		p.view.SetTyping(typing)
	}
	if active {
		p.view.Focus(func(tview.Primitive) {})
	} else {
		p.view.Blur()
	}
	p.view.SetTitle(ps.title(i), "")
	p.view.SetState(p.state(active, typing))
	p.view.SetRect(r.x, r.y, r.w, r.h)
	p.worker.resize(r.w-2, r.h-2)
	p.view.Draw(c.screen)
}

// title says whose terminal pane i is, and which of several.
func (ps *panes) title(i int) string {
	if len(ps.all) == 1 {
		return ps.all[i].pane.Title
	}
	return fmt.Sprintf("%d/%d %s", i+1, len(ps.all), ps.all[i].pane.Title)
}

// state says on the frame where keys go.
func (p *pane) state(active, typing bool) string {
	switch {
	case p.pane.Type == nil:
		return "for reading only"
	case typing:
		return "typing, ^] leaves"
	case active:
		return "Enter types into it"
	}
	return ""
}

// mode says the same in the bottom line.
func (p *pane) mode(typing bool) string {
	doing := "reading "
	switch {
	case typing:
		doing = "typing into "
	case p.view.Searching():
		doing = "searching "
	case p.view.Selecting():
		doing = "selecting in "
	}
	return doing + p.pane.Title
}

// searching reports whether keys go to the pane's search line. p may be nil.
func (p *pane) searching() bool { return p != nil && p.view.Searching() }

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

// worker takes keys and sizes to a pane, in order, outside of the pump.
type worker struct {
	pane Pane
	wake chan struct{} // holds one
	done chan struct{} // closed by stop

	mu         sync.Mutex
	bytes      []byte
	cols, rows int
	resized    bool
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
	same := cols == w.cols && rows == w.rows
	w.mu.Unlock()
	if !same {
		w.change(func() { w.cols, w.rows, w.resized = cols, rows, true })
	}
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
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.done:
			return
		case <-w.wake:
		}
		w.mu.Lock()
		bytes, cols, rows, resized := w.bytes, w.cols, w.rows, w.resized
		w.bytes, w.resized = nil, false
		w.mu.Unlock()
		if resized && w.pane.Resize != nil {
			w.pane.Resize(ctx, cols, rows)
		}
		if len(bytes) > 0 && w.pane.Type != nil {
			if err := w.pane.Type(ctx, bytes); err != nil && ctx.Err() == nil {
				m.put(failed{"typing into " + w.pane.Title + ": " + err.Error(), ""})
			}
		}
	}
}
